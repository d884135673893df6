"""The mini as a chat model: the decoder alone. The same messages get the same answer; `policy.MiniPolicy` drives it."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from saccade.errors import InputError, MissingError
from saccade.models.base import Ask, Completion, Model, Usage
from saccade.paradigms.wording import language_of
from saccade.types import Message
from saccade_mini.card import MODEL, READER
from saccade_mini.codec import PROMPT, Sheet
from saccade_mini.decode import sampling
from saccade_mini.generator import Generator
from saccade_mini.intent_classifier import open_classifier
from saccade_mini.task_normalizer import TaskNormalizer

WEIGHTS = Path(__file__).parent / "weights"
"""Of the mini that ships."""
REPAIR = 0.5
"""The temperature at which a prompt is answered again after an unreadable answer: at 0 it would be the same."""
REFLECTIONS = {
    "en": "The next attempt takes the task in the next likeliest way that it can be understood.",
    "zh": "下一次尝试按下一种最可能的理解来完成任务。",
}
"""What the mini does after a failed attempt (`MiniPolicy.reading`)."""


def open_mini(path: str = "", *, threads: int = 2, **_: Any) -> Model:
    """`mini` is the one that ships; `mini/PATH` another, in a folder that `saccade mini export` wrote."""
    folder = Path(path).expanduser() if path else WEIGHTS
    if not path and not (folder / MODEL).is_file():
        raise MissingError("this copy of saccade-mini has no weights: name a folder with some, as mini/PATH")
    if threads < 1:
        raise InputError(f"threads is {threads}: the mini needs one at least")
    return MiniModel(folder, f"mini/{folder.resolve().name}" if path else "mini", threads)


class MiniModel(Model):
    """One mini in memory. It has no memory of earlier calls, and threads may share it."""

    template = PROMPT
    reads = "elements"
    summarises = False
    reflects = True
    judges = False
    temperature = 0.0
    coordinates = "permille"
    policy = "mini"

    def __init__(self, folder: Path, name: str = "mini", threads: int = 2) -> None:
        self.name, self.folder, self.generator = name, folder, Generator(folder, threads=threads)
        own = folder / READER
        self.classifier = open_classifier(own if own.is_file() else WEIGHTS / READER)
        self.normalizer = TaskNormalizer(self.generator, self.classifier)

    def complete(self, messages: Sequence[Message], ask: Ask) -> list[Completion]:
        if ask.purpose == "reflect":
            return [Completion(REFLECTIONS[language_of(messages[-1].text if messages else "")])] * ask.n
        if ask.purpose not in ("act", "repair"):
            raise InputError(f"{self.name} was only trained to act: name another model to {ask.purpose}")
        began, generator = time.monotonic(), self.generator
        sheet = sheet_of(self.name, messages)
        prompt = generator.prompt(sheet)
        temperature = max(REPAIR, ask.temperature) if ask.purpose == "repair" else ask.temperature
        choose = generator.constrained(sheet, sampling(temperature, ask.top_p, ask.seed or 0))
        outputs = generator.write(prompt, ask.n, choose, ask)
        usage = Usage(input=len(prompt), output=sum(each.count for each in outputs), calls=1)
        seconds = time.monotonic() - began
        stop = re.compile("|".join(map(re.escape, filter(None, ask.stop))) or r"\Z")
        texts = [stop.split(generator.text(sheet, each))[0] for each in outputs]
        return [
            Completion(text, Usage() if at else usage, seconds, None, "stop" if each.whole else "length")
            for at, (text, each) in enumerate(zip(texts, outputs, strict=True))
        ]

    def warning(self, world: str) -> str:
        """`saccade run` says so where the world is not the phone."""
        sentence = "the mini knows the sandbox phone's trained tasks only; elsewhere expect it to fail"
        return "" if world == "phone" else sentence


def sheet_of(name: str, messages: Sequence[Message]) -> Sheet:
    """The first user message, parsed: a repair asks the same again."""
    try:
        return Sheet.read(next((message.text for message in messages if message.role == "user"), ""))
    except ValueError as error:
        raise InputError(f"{name}: {error}") from None
