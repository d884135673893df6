"""A network with its tokenizer: from prompts to texts, and how likely a text is."""

from __future__ import annotations

import itertools
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from saccade.errors import InputError, MissingError
from saccade.models.base import Ask
from saccade_mini.card import MODEL, TOKENIZER, read_card
from saccade_mini.codec import OPENERS, Sheet
from saccade_mini.decode import Cache, Given, Network, Pick, Weighed, chooser, generate
from saccade_mini.pointer_decoding import Pointing, spelled

LEAST, MOST = 128, 480
"""Tokens that are kept free for an answer, and those of the longest: what goes on after that only repeats itself."""


@dataclass
class Written:
    """One answer while it is written."""

    tokens: list[int] = field(default_factory=list)
    count: int = 0
    """With the token that ended it."""
    text: str | None = None
    whole: bool = False


class Writer:
    """What a folder of `saccade train export` holds, in memory."""

    def __init__(self, folder: Path, name: str, threads: int) -> None:
        for file in (MODEL, TOKENIZER):
            if not (folder / file).is_file():
                raise InputError(
                    f"{folder} has no {file}: mini/PATH takes a folder as `saccade train export` writes it"
                )
        self.name, self.card = name, read_card(folder)
        self.tokenizer = _tokenizer(folder / TOKENIZER)
        if self.tokenizer.get_vocab_size() > self.card.vocabulary:
            raise InputError(f"{folder / TOKENIZER} is not that of {MODEL}: it has more tokens than the model")
        self.end: int = self.tokenizer.token_to_id("<end>")
        if self.end is None:
            raise InputError(f"{folder / TOKENIZER} has no token <end>: it is not the tokenizer of a mini")
        self.network: Network | None = Network(folder / MODEL, self.card, threads)

    def encode(self, text: str) -> list[int]:
        return list(self.tokenizer.encode(text, add_special_tokens=False).ids)

    def decode(self, tokens: list[int]) -> str:
        return str(self.tokenizer.decode(tokens, skip_special_tokens=False))

    def line(self, answer: Written) -> str:
        return " ".join(self.decode(answer.tokens).split())

    def prompt(self, sheet: Sheet) -> list[int]:
        """The prompt's tokens. The end of a list that is too long to be read is left out."""
        limit = self.card.positions - LEAST
        tokens = self.encode(sheet.prompt())
        while len(tokens) > limit and sheet.items:
            kept = min(len(sheet.items) - 1, len(sheet.items) * limit // len(tokens))
            sheet.items, sheet.names = sheet.items[:kept], sheet.names[:kept]
            tokens = self.encode(sheet.prompt())
        if len(tokens) > limit:
            raise InputError(f"the task has {len(tokens):,} tokens and {self.name} reads {limit:,}: shorten it")
        return tokens

    def room(self, prompt: Sequence[int], ask: Ask) -> int:
        """How many tokens an answer may have."""
        return max(1, min(ask.max_tokens, MOST, self.card.positions - len(prompt)))

    def cache(self, room: int) -> Cache:
        assert self.network is not None, "it was closed"
        return self.network.cache(1, room)

    def pointing(self, sheet: Sheet, heat: float, ask: Ask) -> Pointing:
        """A choice of tokens that points at nothing but what is there."""
        pointers = [self.encode(sheet.pointer(at)) for at in range(len(sheet.items))]
        number = self.tokenizer.token_to_id
        openers = {
            number(opener): spelled([*pointers, [number("<mid>")]] if opener == "<s>" else pointers)
            for opener in OPENERS
        }
        return Pointing(chooser(heat, ask.top_p, ask.seed), openers)

    def write(self, sheet: Sheet, prompt: list[int], rows: int, most: int, pick: Pick, ask: Ask, began: float,
              cache: Cache | None = None) -> tuple[float, list[Written]]:  # fmt: skip
        """All answers, side by side; those that are over wait for the others."""
        assert self.network is not None, "it was closed"
        answers, first = [Written() for _ in range(rows)], 0.0
        for tokens in generate(self.network, prompt, rows, most, pick, cache):
            first = first or time.monotonic() - began
            for answer, token in zip(answers, tokens.tolist(), strict=True):
                if not answer.whole:
                    self._add(sheet, answer, token, ask.stop)
            if all(answer.whole for answer in answers) or time.monotonic() - began >= ask.deadline:
                break
        return first, answers

    def _add(self, sheet: Sheet, answer: Written, token: int, stops: Sequence[str]) -> None:
        answer.count += 1
        if token == self.end:
            answer.whole = True
            return
        answer.tokens.append(token)
        if any(stops):
            text = sheet.expand(self.decode(answer.tokens))
            cuts = [text.find(stop) for stop in stops if stop and stop in text]
            if cuts:
                answer.text, answer.whole = text[: min(cuts)], True

    def likely(self, prompt: list[int], texts: Sequence[str]) -> list[float]:
        """The logarithm of how likely the decoder would have written each text."""
        assert self.network is not None, "it was closed"
        if not texts:
            return []
        tokens = [[*self.encode(text), self.end] for text in texts]
        weighed, most = Weighed(Given(tokens)), max(map(len, tokens))
        for _ in itertools.islice(generate(self.network, prompt, len(tokens), most, weighed), most):
            pass
        return [weighed.likely(len(text), row) for row, text in enumerate(tokens)]


def _tokenizer(file: Path) -> Any:
    try:
        from tokenizers import Tokenizer  # noqa: PLC0415  (most commands need no model)
    except ImportError as error:
        raise MissingError(f"the mini needs tokenizers: run make setup, or pip install tokenizers ({error})") from None
    try:
        return Tokenizer.from_file(str(file))
    except Exception as error:  # noqa: BLE001  (it raises nothing more special)
        raise InputError(f"{file} cannot be read: {str(error).partition(chr(10))[0]}") from None
