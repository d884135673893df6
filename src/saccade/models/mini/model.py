"""The mini as a chat model. It knows one kind of message, its own template, and answers in the paradigm's own text."""

from __future__ import annotations

import itertools
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

from saccade.errors import InputError, MissingError
from saccade.models.base import Ask, Completion, Model, ModelError, Usage
from saccade.models.mini.card import MODEL, READER, TOKENIZER, read_card
from saccade.models.mini.copying import Copying, Wording, bytes_of
from saccade.models.mini.decode import Cache, Given, Network, Pick, Weighed, chooser, generate
from saccade.models.mini.edges import Places
from saccade.models.mini.faithful import Guess, ranked
from saccade.models.mini.pointing import Pointing, spelled
from saccade.models.mini.reader import Choice, Reader
from saccade.models.mini.second import Doubts, Tried, action_of, app_in, typed_as_told
from saccade.models.mini.slots import pattern, repeated, slots_in
from saccade.models.mini.text import OPENERS, PROMPT, Sheet, restate_prompt
from saccade.types import Message

WEIGHTS = Path(__file__).parent / "weights"
"""Of the one that ships."""
REPAIR = 0.5
"""The temperature at which a prompt is answered again: at 0 the answer would be the same."""
SEVERAL = frozenset({"k2", "k3"})
"""Switches of prompts that ask for several candidates: who chooses among them also knows what was tried."""
LEAST, MOST = 128, 480
"""Tokens that are kept free for an answer, and those of the longest: what goes on after that only repeats itself."""

RESTATED = 96
"""Tokens of a task that is put plainly."""
DOUBTFUL = -5.0
"""Less likely slots are filled once more without the rule about quotations."""
FILLING = 0.3
"""How much it counts how likely the decoder finds a wording with its slots, beside how likely the reader finds it: the
decoder knows its wordings by heart, and is too sure of those it has not read.
"""
AROUND, ODD_PLACE = 0.4, -6.0
"""How much it counts how well what fills the slots stands where it stands (`edges`), and how little well is too little
to count more.
"""
TRIED, WEIGHED = 6, 6
"""Ways to fill a wording's slots that are tried beside the decoder's own; the best of all are weighed once more."""
REMEMBERED = 512
"""Tasks of which it is remembered."""


def open_mini(path: str = "", *, threads: int = 2, **_: Any) -> Model:
    """`mini` is the one that ships; `mini/PATH` another, in a folder as `saccade train export` writes it."""
    folder = Path(path).expanduser() if path else WEIGHTS
    if not path and not (folder / MODEL).is_file():
        raise MissingError("this copy of Saccade has no weights of the mini: name a folder with some, as mini/PATH")
    if threads < 1:
        raise InputError(f"threads is {threads}: the mini needs one at least")
    return MiniModel(folder, f"mini/{folder.resolve().name}" if path else "mini", threads)


class Told(NamedTuple):
    """What a task that was put plainly speaks of, and what the apps are called that it needs."""

    slots: Sequence[str] = ()
    apps: Sequence[str] = ()


@dataclass
class _Answer:
    """One answer while it is written."""

    tokens: list[int] = field(default_factory=list)
    count: int = 0
    """With the token that ended it."""
    text: str | None = None
    whole: bool = False


class MiniModel(Model):
    """One mini in memory. Calls from several threads take turns."""

    template = PROMPT
    reads = "elements"
    summarises = False
    coordinates = "permille"

    def __init__(self, folder: Path, name: str = "mini", threads: int = 2) -> None:
        for file in (MODEL, TOKENIZER):
            if not (folder / file).is_file():
                raise InputError(
                    f"{folder} has no {file}: mini/PATH takes a folder as `saccade train export` writes it"
                )
        self.name, self.card = name, read_card(folder)
        self.tokenizer = _tokenizer(folder / TOKENIZER)
        if self.tokenizer.get_vocab_size() > self.card.vocabulary:
            raise InputError(f"{folder / TOKENIZER} is not that of {MODEL}: it has more tokens than the model")
        self._end = self.tokenizer.token_to_id("<end>")
        if self._end is None:
            raise InputError(f"{folder / TOKENIZER} has no token <end>: it is not the tokenizer of a mini")
        self.network: Network | None = Network(folder / MODEL, self.card, threads)
        self._turn = Lock()
        self.reader = Reader(folder / READER) if (folder / READER).is_file() else None
        tokens = map(self.tokenizer.id_to_token, range(self.card.vocabulary))
        self._texts = [bytes_of(token) if token else None for token in tokens]
        self._plain: dict[tuple[str, str], str] = {}
        """Tasks of each language, put plainly."""
        self._told: dict[str, Told] = {}
        """What else is known of a task that was put plainly."""
        self._tried = Tried()

    def complete(self, messages: Sequence[Message], ask: Ask) -> list[Completion]:
        if ask.purpose == "reflect":
            return [Completion("")] * ask.n
        if ask.purpose not in ("act", "repair"):
            raise InputError(f"{self.name} was only taught to act: name another model to {ask.purpose}")
        began = time.monotonic()
        sheet = _sheet(self.name, messages)
        if not self._turn.acquire(timeout=max(0.0, ask.deadline)):
            raise ModelError(f"{self.name} was busy with other calls for all of {ask.deadline:g} s")
        try:
            return self._answer(sheet, ask, began)
        finally:
            self._turn.release()

    def close(self) -> None:
        self.network = None

    def restate(self, sheet: Sheet, deadline: float = 60.0) -> Usage:
        """Tell the task plainly besides, as it was taught to be told; it is worked out once a task."""
        task = next((text for part, text in sheet.parts if part == "task"), "")
        if not self.card.restates or not task or any(part == "step" for part, _ in sheet.parts):
            return Usage()
        key, usage = (sheet.language, task), Usage()
        if key not in self._plain:
            if len(self._plain) >= REMEMBERED:
                self._plain.clear()
                self._told.clear()
            self._plain[key], usage = self._put_plainly(task, sheet.language, Ask(deadline=deadline))
        if self._plain[key]:
            at = [part for part, _ in sheet.parts].index("task")
            sheet.parts.insert(at + 1, ("step", self._plain[key]))
        return usage

    def _put_plainly(self, task: str, language: str, ask: Ask) -> tuple[str, Usage]:
        """A task in words of the training; nothing if it is not one of those. The reader says which it may be, and the
        decoder fills each wording's slots with words of the task. Without a reader, the decoder writes all of it.
        """
        asked, began = Sheet.read(restate_prompt(task, language)), time.monotonic()
        prompt = self._prompt(asked)
        if self.reader is None:
            _, [answer] = self._write(asked, prompt, 1, RESTATED, chooser(0.0, 1.0, None), ask, began)
            return self._line(answer), Usage(input=len(prompt), output=answer.count, calls=1)
        guesses: list[Guess] = []
        usage = Usage()
        for choice in self.reader.likely(task, language):
            if self.card.fills:
                asked = Sheet.read(restate_prompt(task, language, choice.plain))
                prompt = self._prompt(asked)
            texts, spent = self._fillings(choice.plain, task, asked, prompt, ask, began)
            usage += spent
            places = None
            if self.reader.edges is not None and time.monotonic() - began < ask.deadline:
                places = self.reader.edges.read(choice.plain, task, language)
                able = (" ".join(each.text.split()) for each in places.fill(TRIED))
                tried = list(dict.fromkeys([*texts, *able]))
                texts = dict(zip(tried, self._likely(prompt, tried), strict=True))
                usage += Usage(input=len(prompt), calls=1)
            guesses += [guess_of(text, choice, filled, places) for text, filled in texts.items()]
            apps = self.reader.apps.get(choice.plain, [])
            self._told |= {text: Told(slots_in(choice.plain, text), apps) for text in texts}
        guesses = ranked(task, guesses)[:WEIGHED]
        if len(guesses) > 1 and time.monotonic() - began < ask.deadline:
            free = self._likely(self._prompt(Sheet.read(restate_prompt(task, language))), [one.text for one in guesses])
            guesses = [
                one._replace(likely=one.likely + FILLING * each) for one, each in zip(guesses, free, strict=True)
            ]
            usage += Usage(input=len(prompt), calls=1)
        return next((guess.text for guess in ranked(task, guesses)), ""), usage

    def _fillings(self, plain: str, task: str, asked: Sheet, prompt: list[int], ask: Ask, began: float
                  ) -> tuple[dict[str, float], Usage]:  # fmt: skip
        """How the decoder fills a wording's slots, and the logarithm of how likely it finds that."""
        texts: dict[str, float] = {}
        usage = Usage()
        for quoting in (True, False):
            copying = Copying(Wording(plain, task, quoting), self._texts, self._end)
            weighed = Weighed(copying)
            _, [answer] = self._write(asked, prompt, 1, RESTATED, weighed, ask, began)
            usage += Usage(input=len(prompt), output=answer.count, calls=1)
            filled = weighed.likely(answer.count)
            if copying.whole():
                texts[self._line(answer)] = filled
            if filled > DOUBTFUL:
                break
        return texts, usage

    def _likely(self, prompt: list[int], texts: Sequence[str]) -> list[float]:
        """The logarithm of how likely the decoder would have written each text."""
        assert self.network is not None, "it was closed"
        if not texts:
            return []
        tokens = [[*self._encode(text), self._end] for text in texts]
        weighed, most = Weighed(Given(tokens)), max(map(len, tokens))
        for _ in itertools.islice(generate(self.network, prompt, len(tokens), most, weighed), most):
            pass
        return [weighed.likely(len(text), row) for row, text in enumerate(tokens)]

    def _line(self, answer: _Answer) -> str:
        return " ".join(self._decode(answer.tokens).split())

    def _answer(self, sheet: Sheet, ask: Ask, began: float) -> list[Completion]:
        restated = self.restate(sheet, ask.deadline)
        prompt = self._prompt(sheet)
        heat = max(REPAIR, ask.temperature) if ask.purpose == "repair" else ask.temperature
        rows = ask.n if heat > 0 else 1
        most = max(1, min(ask.max_tokens, MOST, self.card.positions - len(prompt)))
        if rows == 1 and heat == 0 and not SEVERAL & set(sheet.switches):
            first, answer, usage = self._new(sheet, prompt, most, ask, began)
            answers = [answer]
        else:
            first, answers = self._write(sheet, prompt, rows, most, self._pointing(sheet, heat, ask), ask, began)
            usage = Usage(input=len(prompt), output=sum(each.count for each in answers), calls=1)
        usage += restated
        seconds = time.monotonic() - began
        answers *= ask.n if rows == 1 else 1
        return [
            Completion(
                self._text(sheet, each), Usage() if at else usage, seconds, first, "stop" if each.whole else "length"
            )
            for at, each in enumerate(answers)
        ]

    def _pointing(self, sheet: Sheet, heat: float, ask: Ask) -> Pointing:
        """A choice of tokens that points at nothing but what is there."""
        pointers = [self._encode(sheet.pointer(at)) for at in range(len(sheet.items))]
        number = self.tokenizer.token_to_id
        openers = {
            number(opener): spelled([*pointers, [number("<mid>")]] if opener == "<s>" else pointers)
            for opener in OPENERS
        }
        return Pointing(chooser(heat, ask.top_p, ask.seed), openers)

    def _new(self, sheet: Sheet, prompt: list[int], most: int, ask: Ask, began: float) -> tuple[float, _Answer, Usage]:
        """The likeliest answer that does not do what was done on this screen twice, if one is found soon."""
        assert self.network is not None, "it was closed"
        cache = self.network.cache(1, len(prompt) + most)
        doubts = Doubts(self._pointing(sheet, 0.0, ask))
        first, [answer] = self._write(sheet, prompt, 1, most, doubts, ask, began, cache)
        usage = Usage(input=len(prompt), output=answer.count, calls=1)
        answer = self._in_right_app(sheet, prompt, answer)
        self._tried.begin(sheet)
        action = action_of(self._text(sheet, answer))
        if self._tried.enough(sheet, action):
            for begun in doubts.others(self._end):
                if time.monotonic() - began >= ask.deadline:
                    break
                pick = self._pointing(sheet, 0.0, ask)
                for token in begun:
                    pick.follow(0, token)
                cache.length = len(prompt)
                _, [other] = self._write(sheet, prompt, 1, most, pick, ask, began, cache, begun)
                usage += Usage(input=len(begun), output=other.count, calls=1)
                done = action_of(self._text(sheet, other))
                if other.whole and done and not self._tried.enough(sheet, done):
                    answer, action = other, done
                    break
        self._tried.add(sheet, action)
        return first, answer, usage

    def _in_right_app(self, sheet: Sheet, prompt: list[int], answer: _Answer) -> _Answer:
        """An answer that opens an app opens one of those that the task needs, where that is known: which one it is, is
        a token or two of each episode, and the decoder learns it worse than the reader.
        """
        name, needed = app_in(self._text(sheet, answer)), self._of(sheet).apps
        written = self._decode(answer.tokens)
        if not name or not needed or name in needed or name not in written:
            return answer
        begun = [*prompt, *self._encode(written[: written.rindex(name)])]
        likely = self._likely(begun, needed) if len(needed) > 1 else [0.0]
        right = max(zip(likely, needed, strict=True))[1]
        written = re.sub(rf"{re.escape(name)}(?!<e)", lambda _: right, written)
        return _Answer(self._encode(written), answer.count, whole=answer.whole)

    def _of(self, sheet: Sheet) -> Told:
        plain = next((text for part, text in sheet.parts if part == "step"), "")
        return self._told.get(plain, Told())

    def _write(self, sheet: Sheet, prompt: list[int], rows: int, most: int, pick: Pick, ask: Ask, began: float,
               cache: Cache | None = None, begun: Sequence[int] = ()) -> tuple[float, list[_Answer]]:  # fmt: skip
        """All answers, side by side; those that are over wait for the others. They may have begun already."""
        assert self.network is not None, "it was closed"
        answers, first = [_Answer(list(begun)) for _ in range(rows)], 0.0
        for tokens in generate(self.network, [*prompt, *begun], rows, most - len(begun), pick, cache):
            first = first or time.monotonic() - began
            for answer, token in zip(answers, tokens.tolist(), strict=True):
                if not answer.whole:
                    self._add(sheet, answer, token, ask.stop)
            if all(answer.whole for answer in answers) or time.monotonic() - began >= ask.deadline:
                break
        return first, answers

    def _add(self, sheet: Sheet, answer: _Answer, token: int, stops: Sequence[str]) -> None:
        answer.count += 1
        if token == self._end:
            answer.whole = True
            return
        answer.tokens.append(token)
        if any(stops):
            text = sheet.expand(self._decode(answer.tokens))
            cuts = [text.find(stop) for stop in stops if stop and stop in text]
            if cuts:
                answer.text, answer.whole = text[: min(cuts)], True

    def _text(self, sheet: Sheet, answer: _Answer) -> str:
        text = sheet.expand(self._decode(answer.tokens)) if answer.text is None else answer.text
        return typed_as_told(text, self._of(sheet).slots)

    def _prompt(self, sheet: Sheet) -> list[int]:
        """The prompt's tokens. The end of a list that is too long to be read is left out."""
        limit = self.card.positions - LEAST
        tokens = self._encode(sheet.prompt())
        while len(tokens) > limit and sheet.items:
            kept = min(len(sheet.items) - 1, len(sheet.items) * limit // len(tokens))
            sheet.items, sheet.names = sheet.items[:kept], sheet.names[:kept]
            tokens = self._encode(sheet.prompt())
        if len(tokens) > limit:
            raise InputError(f"the task has {len(tokens):,} tokens and {self.name} reads {limit:,}: shorten it")
        return tokens

    def _encode(self, text: str) -> list[int]:
        return list(self.tokenizer.encode(text, add_special_tokens=False).ids)

    def _decode(self, tokens: list[int]) -> str:
        return str(self.tokenizer.decode(tokens, skip_special_tokens=False))


def guess_of(text: str, choice: Choice, filled: float, places: Places | None) -> Guess:
    """A filled wording, weighed by the reader, by the decoder that was told it, and by the edges if they were asked."""
    likely = choice.likely + FILLING * filled
    found = pattern(choice.plain).match(text)
    if places is not None and found is not None:
        likely += AROUND * max(places.likely(found.groupdict()), ODD_PLACE)
    return Guess(text, likely, repeated(choice.plain, text))


def _sheet(name: str, messages: Sequence[Message]) -> Sheet:
    """What the first message says: a repair asks the same again."""
    try:
        return Sheet.read(next((message.text for message in messages if message.role == "user"), ""))
    except ValueError as error:
        raise InputError(f"{name}: {error}") from None


def _tokenizer(file: Path) -> Any:
    try:
        from tokenizers import Tokenizer  # noqa: PLC0415  (most commands need no model)
    except ImportError as error:
        raise MissingError(f"the mini needs tokenizers: run make setup, or pip install tokenizers ({error})") from None
    try:
        return Tokenizer.from_file(str(file))
    except Exception as error:  # noqa: BLE001  (it raises nothing more special)
        raise InputError(f"{file} cannot be read: {str(error).partition(chr(10))[0]}") from None
