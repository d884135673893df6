"""The mini as a chat model. It knows one kind of message, its own template, and answers in the paradigm's own text."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import Any

from saccade.errors import InputError, MissingError
from saccade.models.base import Ask, Completion, Model, ModelError, Usage
from saccade.types import Message
from saccade_mini.alternatives import text_of
from saccade_mini.card import MODEL, READER
from saccade_mini.codec import PROMPT, Sheet
from saccade_mini.controller import Acting
from saccade_mini.generator import Writer
from saccade_mini.intent_classifier import Reader
from saccade_mini.task_normalizer import Plainly

WEIGHTS = Path(__file__).parent / "weights"
"""Of the one that ships."""
REPAIR = 0.5
"""The temperature at which a prompt is answered again: at 0 the answer would be the same."""


def open_mini(path: str = "", *, threads: int = 2, **_: Any) -> Model:
    """`mini` is the one that ships; `mini/PATH` another, in a folder as `saccade train export` writes it."""
    folder = Path(path).expanduser() if path else WEIGHTS
    if not path and not (folder / MODEL).is_file():
        raise MissingError("this copy of Saccade has no weights of the mini: name a folder with some, as mini/PATH")
    if threads < 1:
        raise InputError(f"threads is {threads}: the mini needs one at least")
    return MiniModel(folder, f"mini/{folder.resolve().name}" if path else "mini", threads)


class MiniModel(Model):
    """One mini in memory. Calls from several threads take turns."""

    template = PROMPT
    reads = "elements"
    summarises = False
    reflects = True
    coordinates = "permille"

    def __init__(self, folder: Path, name: str = "mini", threads: int = 2) -> None:
        self.writer = Writer(folder, name, threads)
        self.name, self.card, self.tokenizer = name, self.writer.card, self.writer.tokenizer
        self._turn = Lock()
        self.reader = Reader(folder / READER) if (folder / READER).is_file() else None
        self._plainly = Plainly(self.writer, self.reader)
        self._acting = Acting(self.writer, self._plainly)

    def complete(self, messages: Sequence[Message], ask: Ask) -> list[Completion]:
        if ask.purpose == "reflect":
            return [Completion(self._acting.reflect())] * ask.n
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
        self.writer.network = None

    def restate(self, sheet: Sheet, deadline: float = 60.0) -> Usage:
        """Tell the task plainly besides, as it was taught to be told; it is worked out once a task."""
        return self._plainly.add_to(sheet, deadline)

    def understand(self, sheet: Sheet) -> None:
        """Tell besides what the task is taken for by now: while acting, another reading may turn out to be meant."""
        self.restate(sheet)
        sheet.parts = self._acting.understood(sheet).parts

    def _answer(self, sheet: Sheet, ask: Ask, began: float) -> list[Completion]:
        restated = self.restate(sheet, ask.deadline)
        heat = max(REPAIR, ask.temperature) if ask.purpose == "repair" else ask.temperature
        if heat == 0:
            act = self._acting.several if sheet.k > 1 else self._acting.one
            thought, mulling = act(sheet, ask, began)
            first, usage, said = mulling.first, mulling.usage, [(thought.text, thought.whole)] * ask.n
        else:
            first, usage, said = self._draw(sheet, heat, ask, began)
        usage += restated
        seconds = time.monotonic() - began
        return [
            Completion(text, Usage() if at else usage, seconds, first, "stop" if whole else "length")
            for at, (text, whole) in enumerate(said)
        ]

    def _draw(self, sheet: Sheet, heat: float, ask: Ask, began: float
              ) -> tuple[float, Usage, list[tuple[str, bool]]]:  # fmt: skip
        """Answers, side by side, each by chance."""
        prompt = self.writer.prompt(sheet)
        pick, most = self.writer.pointing(sheet, heat, ask), self.writer.room(prompt, ask)
        first, answers = self.writer.write(sheet, prompt, ask.n, most, pick, ask, began)
        usage = Usage(input=len(prompt), output=sum(each.count for each in answers), calls=1)
        told = self._plainly.told(sheet)
        return first, usage, [(text_of(self.writer, sheet, each, told), each.whole) for each in answers]


def _sheet(name: str, messages: Sequence[Message]) -> Sheet:
    """What the first message says: a repair asks the same again."""
    try:
        return Sheet.read(next((message.text for message in messages if message.role == "user"), ""))
    except ValueError as error:
        raise InputError(f"{name}: {error}") from None
