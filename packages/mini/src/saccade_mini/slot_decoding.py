"""Decoding that fills the slots of a plain wording with words of the task, and can write nothing else.

A wording with slots and a task together allow certain texts: the wording's own, and in each slot some stretch of the
task from the beginning of a word to the end of one, or all of a quotation where the wording quotes. Of all tokens that
go on with such a text the likeliest is taken. Texts are followed byte by byte, because a token may hold a part of a
letter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from saccade_mini.decode import Logits
from saccade_mini.slots import SLOT, fillings

FEW = 64
"""Tokens that are tried first: the likeliest."""
ANYWHERE = -1
QUOTES = ("“".encode(), "”".encode(), b'"')
_BARRED = re.compile(rb"\s*(?:" + b"|".join(QUOTES) + rb"|\Z)")
"""Quotation marks, and the blanks before one or at the end: no slot goes on over them."""
_QUOTED = re.compile("“(?P<inside>.+?)”".encode())

State = tuple[int, int]
"""Part of the wording, and how far: in its text, or in the task; `ANYWHERE` before a slot is begun."""


class Stretch(NamedTuple):
    """Which parts of a task may fill a slot."""

    begins: set[int]
    ends: set[int]
    never: set[int]
    """Places that none goes past: where a quotation begins or ends."""


class Wording:
    """What may be written, given a plain wording and a task. `quoting`: a slot that the wording quotes holds something
    that the task quotes.
    """

    def __init__(self, plain: str, task: str, quoting: bool = True) -> None:
        self.task = task.encode()
        pieces = SLOT.split(plain)
        self.parts: list[bytes | None] = [None if at % 2 else piece.encode() for at, piece in enumerate(pieces)]
        quoted = [found.span("inside") for found in _QUOTED.finditer(self.task)]
        within = [at for at in range(1, len(self.parts), 2) if self._is_quoted(at)]
        cuts = cuts_of(task)
        begins = {at for at in cuts if self.task[at : at + 1].strip()}
        ends = {at for at in cuts if self.task[:at][-1:].strip()}
        free = Stretch(begins, ends, {found.start() for found in _BARRED.finditer(self.task)})
        ended = {end for _, end in quoted}
        whole = Stretch({begin for begin, _ in quoted}, ended, ended)
        quoting = quoting and len(quoted) >= len(within)
        self._stretches = {
            at: formed(pieces[at], task) or (whole if at in within and quoting else free)
            for at in range(1, len(self.parts), 2)
        }

    def _is_quoted(self, at: int) -> bool:
        before, behind = self.parts[at - 1] or b"", self.parts[at + 1] or b""
        return before.endswith(QUOTES) and behind.startswith(QUOTES)

    def start(self) -> frozenset[State]:
        return self._settled({(0, 0)})

    def after(self, states: frozenset[State], said: bytes) -> frozenset[State]:
        """Where it may stand after some more bytes; nowhere if they do not fit."""
        for byte in said:
            found: set[State] = set()
            for part, at in states:
                text = self.parts[part] if part < len(self.parts) else b""
                if text is not None:
                    found |= {(part, at + 1)} if at < len(text) and text[at] == byte else set()
                elif at == ANYWHERE:
                    found |= {(part, begin + 1) for begin in self._begins(part) if self.task[begin] == byte}
                elif at < len(self.task) and self.task[at] == byte and at not in self._stretches[part].never:
                    found.add((part, at + 1))
            if not found:
                return frozenset()
            states = self._settled(found)
        return states

    def _begins(self, part: int) -> set[int]:
        stretch = self._stretches[part]
        return stretch.begins - stretch.never

    def whole(self, states: frozenset[State]) -> bool:
        return (len(self.parts), 0) in states

    def _settled(self, states: Iterable[State]) -> frozenset[State]:
        """With what comes next where a part may be over."""
        found, open_ = set[State](), list(states)
        while open_:
            part, at = state = open_.pop()
            if state in found:
                continue
            found.add(state)
            if part == len(self.parts):
                continue
            text = self.parts[part]
            over = at == len(text) if text is not None else at in self._stretches[part].ends
            if over:
                following = part + 1
                slot = following < len(self.parts) and self.parts[following] is None
                open_.append((following, ANYWHERE if slot else 0))
        return frozenset(found)


def formed(slot: str, task: str) -> Stretch | None:
    """What may fill a slot that has a form: a time, a date, a number."""
    spans = fillings(slot, task)
    if spans is None:
        return None
    begins, ends = (
        {len(task[:at].encode()) for at in side} for side in (zip(*spans, strict=True) if spans else ((), ()))
    )
    return Stretch(begins, ends, ends)


def cuts_of(text: str) -> set[int]:
    """Byte places between words: not inside a word of Latin letters or a number, but beside every other letter."""
    cuts, place = {0}, 0
    for at, letter in enumerate(text):
        place += len(letter.encode())
        following = text[at + 1 : at + 2]
        if not (is_latin(letter) and following and is_latin(following)):
            cuts.add(place)
    return cuts


def is_latin(letter: str) -> bool:
    return letter.isalnum() and not "一" <= letter <= "鿿"


class Copying:
    """A choice of tokens that writes a wording."""

    def __init__(self, wording: Wording, tokens: Sequence[bytes | None], end: int) -> None:
        self._wording, self._tokens, self._end = wording, tokens, end
        self._states = wording.start()

    def __call__(self, logits: Logits) -> npt.NDArray[np.int64]:
        return np.array([self._next(logits[0])], dtype=np.int64)

    def whole(self) -> bool:
        """Was the wording written to its end?"""
        return self._wording.whole(self._states)

    def _next(self, logits: npt.NDArray[np.float32]) -> int:
        for count in (FEW, len(self._tokens)):
            for token in map(int, np.argsort(-logits)[:count]):
                if token == self._end:
                    if self.whole():
                        return token
                    continue
                said = self._tokens[token] if token < len(self._tokens) else None
                if said and (after := self._wording.after(self._states, said)):
                    self._states = after
                    return token
        return self._end


@cache
def letters() -> dict[str, int]:
    """Byte-level BPE writes each byte as a letter that can be seen: itself, or the next free one from 256 on."""
    seen = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    hidden = [byte for byte in range(256) if byte not in seen]
    return {chr(byte): byte for byte in seen} | {chr(256 + at): byte for at, byte in enumerate(hidden)}


def bytes_of(token: str) -> bytes | None:
    """What a token of byte-level BPE stands for; nothing for tokens of another kind."""
    known = letters()
    return bytes(known[letter] for letter in token) if all(letter in known for letter in token) else None
