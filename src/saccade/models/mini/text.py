"""What the mini reads and writes: the words of a prompt and of an answer, with pointers in place of coordinates.

A small model learns to name one of the elements before it, not to copy digits. So each element gets a token (`<e7>`), a
place in an answer that is an element's centre is written as `<p><e7>`, a box as `<b><e7>`, and where a swipe ends as
`<p><e7><up>`. `Sheet.expand` puts the numbers back: outside, prompts and answers are plain text of the paradigm.
"""

from __future__ import annotations

import json
import random
import re
from dataclasses import dataclass, field
from pathlib import Path

MOST = 128
"""Elements that have a name; the rest of a longer list is left out."""
COLUMNS, ROWS = 10, 20
PROMPT = Path(__file__).parent / "prompt.j2"

PARTS = ("task", "step", "context", "done", "note")
TURNS = ("up", "down", "left", "right")
SPECIAL = (
    "<pad>", "<end>", "<go>", *(f"<{part}>" for part in PARTS),
    "<btl>", "<uiloop>", "<secagent>", "<guidnav>", "<en>", "<zh>", "<p>", "<b>", *(f"<{turn}>" for turn in TURNS),
    *(f"<x{at}>" for at in range(COLUMNS)), *(f"<y{at}>" for at in range(ROWS)), *(f"<e{at}>" for at in range(MOST)),
)  # fmt: skip
"""Tokens that stand for themselves; no text can write one."""

_HEAD = re.compile(r"@(\w[\w-]*) (en|zh)\s*\Z")
_PART = re.compile(rf"({'|'.join(PARTS)}): (.*)", re.DOTALL)
_NUMBER = r"-?\d+(?:\.\d+)?"
_ITEM = re.compile(
    rf'#(\d+) ([\w-]*)((?: [a-z]+)*) ("(?:[^"\\]|\\.)*") \[({_NUMBER}), ({_NUMBER})\] '
    rf"\[({_NUMBER}), ({_NUMBER}), ({_NUMBER}), ({_NUMBER})\]\s*\Z"
)
_POINT = re.compile(rf"\[({_NUMBER}), ({_NUMBER})\]")
_BOX = re.compile(rf"\[({_NUMBER}), ({_NUMBER}), ({_NUMBER}), ({_NUMBER})\]")
_ID = re.compile(r'("id": |<id>)(\d+)')
_POINTER = re.compile(rf"<(p|b)><e(\d+)>(?:<({'|'.join(TURNS)})>)?|<e(\d+)>")
STRIDE = 0.3
"""How far a swipe goes, as a share of the screen."""


@dataclass
class Item:
    """One element of a prompt, in the prompt's own frame."""

    id: int
    kind: str
    state: str
    label: str
    point: tuple[float, float]
    box: tuple[float, float, float, float]


@dataclass
class Sheet:
    """A prompt, read: its parts, its elements, and which token names which element."""

    paradigm: str
    language: str
    parts: list[tuple[str, str]] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)
    names: list[int] = field(default_factory=list)
    """The token number of each item."""

    @classmethod
    def read(cls, text: str, shuffle: random.Random | None = None) -> Sheet:
        """A prompt of `prompt.j2`. `shuffle` draws the names at random: in training, so that all are learned alike."""
        lines = text.strip().splitlines()
        head = _HEAD.match(lines[0]) if lines else None
        if head is None:
            raise ValueError("the prompt does not begin with @PARADIGM LANGUAGE: the mini reads only its own template")
        sheet = cls(head[1], head[2])
        for line in lines[1:]:
            if item := _ITEM.match(line):
                x, y, *box = (float(number) for number in item.groups()[4:])
                x0, y0, x1, y1 = box
                label = json.loads(item[4])
                sheet.items.append(Item(int(item[1]), item[2], item[3].strip(), label, (x, y), (x0, y0, x1, y1)))
            elif part := _PART.match(line):
                sheet.parts.append((part[1], part[2]))
        del sheet.items[MOST:]
        sheet.names = shuffle.sample(range(MOST), len(sheet.items)) if shuffle else list(range(len(sheet.items)))
        return sheet

    @property
    def extent(self) -> tuple[float, float]:
        """The far corner, as far as the elements show it."""
        return max((item.box[2] for item in self.items), default=1), max(
            (item.box[3] for item in self.items), default=1
        )

    def prompt(self) -> str:
        """What the model reads."""
        width, height = self.extent
        words = [f"<{self.paradigm}><{self.language}>"]
        words += [f"<{part}>{plain(text)}" for part, text in self.parts]
        for name, item in zip(self.names, self.items, strict=True):
            column = min(COLUMNS - 1, max(0, int(COLUMNS * item.point[0] / max(1, width))))
            row = min(ROWS - 1, max(0, int(ROWS * item.point[1] / max(1, height))))
            state = f" {item.state}" if item.state else ""
            words.append(f"<e{name}>{item.kind}{state} {plain(item.label)}<x{column}><y{row}>")
        return "".join(words) + "<go>"

    def compress(self, answer: str) -> str:
        """An answer with pointers for coordinates, where it names elements; it ends with `<end>`."""
        answer = plain(answer)
        boxes = {item.box: name for name, item in reversed(list(zip(self.names, self.items, strict=True)))}
        points = {item.point: name for name, item in reversed(list(zip(self.names, self.items, strict=True)))}
        ids = {item.id: name for name, item in zip(self.names, self.items, strict=True)}

        def box(found: re.Match[str]) -> str:
            key = tuple(float(number) for number in found.groups())
            return f"[<b><e{boxes[key]}>]" if key in boxes else found[0]

        def point(found: re.Match[str]) -> str:
            key = float(found[1]), float(found[2])
            return f"[<p><e{points[key]}>]" if key in points else found[0]

        answer = _POINT.sub(point, _BOX.sub(box, answer))
        named = _ID.sub(
            lambda found: f"{found[1]}<e{ids[int(found[2])]}>" if int(found[2]) in ids else found[0], answer
        )
        return named + "<end>"

    def expand(self, text: str) -> str:
        """What the model wrote, as plain text. A pointer to nothing becomes -1, which no reader takes for a place."""
        text = text.partition("<end>")[0]
        items = dict(zip(self.names, self.items, strict=True))
        width, height = self.extent

        def number(found: re.Match[str]) -> str:
            item = items.get(int(found[2] or found[4]))
            if item is None:
                return "-1"
            if found[4]:
                return str(item.id)
            if found[1] == "b":
                return ", ".join(f"{side:g}" for side in item.box)
            dx, dy = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}.get(found[3] or "", (0, 0))
            x = min(max(item.point[0] + dx * STRIDE * width, 0), width)
            y = min(max(item.point[1] + dy * STRIDE * height, 0), height)
            return f"{round(x)}, {round(y)}"

        return _POINTER.sub(number, text)


def plain(text: str) -> str:
    """Text in which nothing can pass for a token of ours."""
    return _SPECIAL.sub(lambda found: found[0].replace("<", "‹"), text) if "<" in text else text


_SPECIAL = re.compile("|".join(re.escape(token) for token in SPECIAL))
