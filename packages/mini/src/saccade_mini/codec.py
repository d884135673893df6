"""What the mini reads and writes: the words of a prompt and of an answer, with pointers in place of coordinates.

A small model learns to copy what it has before it, not to write digits. Each element stands in the prompt as its kind,
roughly where it is, its label and a name: `button<x5><y18> Save<e7>`; a `=` or `+` before the label says that the task
speaks of it (`match`). Where an answer speaks of a place, it copies label and name: `<p>Save<e7>` is the element's
centre, `<b>…` its box, `<i>…` its number, and `<s>…<up>` where a finger begins that swipes up on it, `<to>` where it
ends. The name stands right behind the label because that is what the simplest attention can copy. What a format repeats
in every answer is one token as well (`FORMS`). `Sheet.expand` puts all of it back: outside, prompts and answers are
plain text of the paradigm.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from saccade.geometry import Box, Point
from saccade_mini.match import Matcher

MOST = 96
"""Elements that have a name; the rest of a longer list is left out."""
COLUMNS, ROWS = 10, 20
LINES = 65_536
"""Lines of elements that are remembered."""
SPAN = 1000
"""The mini's places are thousandths of the screen."""
SCREEN = Box(0, 0, SPAN, SPAN)
LABEL = 24
"""Letters of a label that a pointer repeats; the rest of it stands behind the name."""
LONGEST_LABEL = 90
SILENT = ("text", "icon", "image")
"""Kinds of elements that do nothing."""
BADGE = re.compile(r"(\d+|-\d+%|满\d+减\d+|\$\d+ off \$\d+) ((?:[A-Za-z]{4}|[一-鿿]{2}).*)\Z")
"""A count before the name of a tab or a group, or what is off the price before a name."""
PROMPT = Path(__file__).parent / "prompt.j2"

RESTATE = "restate"
"""In place of a paradigm: put the task plainly. A prompt then tells that besides, as `step`."""
PARTS = ("task", "step", "context", "thought", "done")
TURNS = ("up", "down", "left", "right")
SWITCHES = ("k1", "k2", "k3", "brief", "mute", "prm")
CONTROL = ("<pad>", "<end>", "<go>")
"""Tokens that are never part of an answer's text."""
OPENERS = ("<p>", "<b>", "<i>", "<s>")
"""Tokens that open a pointer."""
FORMS = (
    "<element><id>", "</id><bbox>[", "]</bbox><caption>dynamic</caption></element>\n",
    "]</bbox><caption>static</caption></element>\n", "<blink>\n", "</blink>\n<think>", '</think>\n<link>{"Plan": "',
    '", "Action": {"function": "', '", "position": [', "]}}</link>", '"}}</link>',
    "<ui> Located at [", " </ui>\n", '</think>\n<answer>[{"action": "', '", "point": [', '], "input_text": "',
    '"}]</answer>', "no input text",
    "<summary>", "</summary>\n", '</think>\n<tool_call>{"name": "mobile_use", "arguments": {"action": "',
    '", "coordinate": [', '], "coordinate2": [', "]}}</tool_call>", '"}}</tool_call>',
    ' So the next one action is:{"action_type": "', '", "id": ', "\nP1: 0.8", "\nP1: 1", "\nP2: 0.1\n", "\nP3: 0.1",
    "<think>", '", "text": "', '", "status": "success', '", "status": "failure',
)  # fmt: skip
"""What the four formats repeat, the longer before what it contains."""
MARKS = (
    *(f"<{part}>" for part in PARTS), *(f"<{switch}>" for switch in SWITCHES),
    "<btl>", "<uiloop>", "<secagent>", "<guidnav>", "<en>", "<zh>", "<p>", "<b>", "<i>", "<s>", "<to>", "<mid>",
    "<far>",
    *(f"<{turn}>" for turn in TURNS),
    *(f"<x{at}>" for at in range(COLUMNS)), *(f"<y{at}>" for at in range(ROWS)), *(f"<e{at}>" for at in range(MOST)),
    *(f"<f{at}>" for at in range(len(FORMS))),
)  # fmt: skip
"""Tokens that stand for themselves; no text can write one."""
SPECIAL = (*CONTROL, *MARKS)

_HEAD = re.compile(r"@(\w[\w-]*) (en|zh)((?: \w+)*)\s*\Z")
_PART = re.compile(rf"({'|'.join(PARTS)}): (.*)", re.DOTALL)
_NUMBER = r"-?\d+(?:\.\d+)?"
_ITEM = re.compile(
    rf'#(\d+) ([\w-]*)((?: [a-z]+)*) ("(?:[^"\\]|\\.)*") \[({_NUMBER}), ({_NUMBER})\] '
    rf"\[({_NUMBER}), ({_NUMBER}), ({_NUMBER}), ({_NUMBER})\]\s*\Z"
)
_PLACE = re.compile(rf"\[({_NUMBER}), ({_NUMBER})(?:, ({_NUMBER}), ({_NUMBER}))?\]")
_ID = re.compile(r'(?<="id": )(\d+)')
_POINTER = re.compile(r"<([pbis])>(?:<mid>|[^<\n]*(?:<e(\d+)>)?)(?:<(up|down|left|right)>)?|<to>")
_FORM = re.compile(r"<f(\d+)>")
_NAME = re.compile(r"<e(\d+)>")
STROKE = 0.6
"""How far a swipe goes, as a share of what is swiped."""
NEAR = 2.5
"""Places that differ by less are the same: they were rounded on the way."""
_LEAST = 4
"""Letters of a label by which it is known in an answer."""
UNUSED = (-100.0, -100.0)


def restate_prompt(instruction: str, language: str, wording: str = "") -> str:
    """What asks a mini to put a task plainly, in the words that its training knows best; or in those of a wording
    whose slots it is to fill.
    """
    asked = f"@{RESTATE} {language}\ntask: {' '.join(instruction.split())}"
    return f"{asked}\nstep: {wording}" if wording else asked


def stroke(box: Box, direction: str) -> tuple[Point, Point]:
    """Where a finger begins and ends that swipes on something: inside it, and far enough to bring new things into view
    without passing any by.
    """
    dx, dy = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}[direction]
    middle, half = box.center, STROKE / 2
    return (
        Point(middle.x - dx * half * box.width, middle.y - dy * half * box.height),
        Point(middle.x + dx * half * box.width, middle.y + dy * half * box.height),
    )


@dataclass(frozen=True)
class Item:
    """One element of a prompt, in the prompt's own frame."""

    id: int
    kind: str
    state: str
    label: str
    point: Point
    box: Box
    badge: str = ""
    """A number that its label begins with, and which here comes last: a pointer begins with what an answer has in
    mind, and an answer's words are without it.
    """

    @property
    def scrolls(self) -> bool:
        return self.kind == "scroll"


@lru_cache(maxsize=LINES)
def _item(line: str) -> Item | None:
    """An element's line, read: training meets the same ones in every format, again and again."""
    if (found := _ITEM.match(line)) is None:
        return None
    x, y, x0, y0, x1, y1 = (float(number) for number in found.groups()[4:])
    said = " ".join(json.loads(found[4]).split())
    label = (plain(said) or ("" if found[2] in SILENT else said)).replace("<", "‹")[:LONGEST_LABEL]
    badge = BADGE.match(label) if found[2] in ("tab", "button") else None
    label, counted = (f"{badge[2]} {badge[1]}", badge[1]) if badge else (label, "")
    return Item(int(found[1]), found[2], found[3].strip(), label, Point(x, y), Box(x0, y0, x1, y1), counted)


@dataclass
class Sheet:
    """A prompt, read: its parts, its elements, and which token names which element."""

    paradigm: str
    language: str
    switches: tuple[str, ...] = ()
    parts: list[tuple[str, str]] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)
    names: list[int] = field(default_factory=list)
    """The token number of each item."""
    k: int = 1
    """How many candidates are asked for in one answer (GuidNav)."""

    @classmethod
    def read(cls, text: str) -> Sheet:
        """A prompt of `prompt.j2`."""
        lines = text.strip().split("\n")  # at nothing else: a label may hold other line breaks
        head = _HEAD.match(lines[0]) if lines else None
        if head is None:
            raise ValueError("the prompt does not begin with @PARADIGM LANGUAGE: the mini reads only its own template")
        sheet = cls(head[1], head[2], tuple(word for word in head[3].split() if word in SWITCHES))
        sheet.k = next((int(found[1]) for found in re.finditer(r" k(\d{1,3})\b", head[3])), 1)
        for line in lines[1:]:
            if (item := _item(line)) is not None:
                sheet.items.append(item)
            elif part := _PART.match(line):
                sheet.parts.append((part[1], part[2]))
        sheet.items = list(told(sheet.items))[:MOST]
        sheet.names = list(range(len(sheet.items)))
        return sheet

    def part(self, name: str) -> str:
        """What a part says, such as the task; nothing where the prompt has no such part."""
        return next((text for part, text in self.parts if part == name), "")

    # -- for training ---------------------------------------------------------------------------------------------

    def shuffle(self, chance: random.Random, span: int = MOST) -> None:
        """Other names, so that all are learned alike."""
        self.names = chance.sample(range(max(span, len(self.items))), len(self.items))

    def thin(self, keep: Collection[int], most: int, chance: random.Random) -> None:
        """Keep the items of these names, and others up to `most`: short screens come first in training."""
        others = [name for name in self.names if name not in keep]
        kept = {*keep, *chance.sample(others, min(len(others), max(0, most - len(keep))))}
        pairs = [pair for pair in zip(self.names, self.items, strict=True) if pair[0] in kept]
        self.names, self.items = [name for name, _ in pairs], [item for _, item in pairs]

    # -- the model's side -----------------------------------------------------------------------------------------

    def pointer(self, at: int) -> str:
        """How an item is named, in prompt and answer alike."""
        return f"{self.items[at].label[:LABEL]}<e{self.names[at]}>"

    def prompt(self) -> str:
        """What the model reads."""
        words = [f"<{self.paradigm}><{self.language}>", *(f"<{switch}>" for switch in self.switches)]
        words += [f"<{part}>{plain(text)}" for part, text in self.parts]
        matcher = Matcher(text for part, text in self.parts if part in ("task", "step"))
        for at, item in enumerate(self.items):
            state = f" {item.state}" if item.state else ""
            column = min(COLUMNS - 1, max(0, int(COLUMNS * item.point.x / SPAN)))
            row = min(ROWS - 1, max(0, int(ROWS * item.point.y / SPAN)))
            rest = item.label[LABEL:]
            mark = matcher.mark(item.label)
            words.append(f"\n{item.kind}{state}<x{column}><y{row}>{mark} {self.pointer(at)}{rest}")
        return "".join(words) + "<go>"

    def compress(self, answer: str) -> str:
        """An answer with pointers for coordinates, where it names elements; it ends with `<end>`."""
        stroke_end: Point | None = None

        def place(found: re.Match[str]) -> str:
            nonlocal stroke_end
            numbers = [float(number) for number in found.groups() if number is not None]
            if len(numbers) == 4:
                at = self._nearest(Box(*numbers))
                return found[0] if at is None else f"[<b>{self.pointer(at)}]"
            if tuple(numbers) == UNUSED:
                return "[<far>]"
            point = Point(*numbers)
            if stroke_end is not None and point.distance(stroke_end) < NEAR:
                return "[<to>]"
            at = self._centred(point)
            if at is None and (begun := self._stroke(point)) is not None:
                at, turn, stroke_end = begun
                return f"[<s>{'<mid>' if at is None else self.pointer(at)}<{turn}>]"
            at = self._at(point) if at is None else at
            return found[0] if at is None else f"[<p>{self.pointer(at)}]"

        answer = plain(answer)
        for item in self.items:
            if item.badge:
                answer = answer.replace(f"{item.badge} {item.label[:_LEAST]}", item.label[:_LEAST])
        answer = _PLACE.sub(place, answer)
        if self.paradigm == "guidnav":
            ids = {item.id: at for at, item in enumerate(self.items)}
            answer = _ID.sub(
                lambda found: f"<i>{self.pointer(ids[int(found[1])])}" if int(found[1]) in ids else found[0], answer
            )
        for at, form in enumerate(FORMS):
            answer = answer.replace(form, f"<f{at}>")
        return answer + "<end>"

    def touched(self, text: str) -> int | None:
        """Which item an answer points at last, as the model wrote it; nothing where that is nothing to touch."""
        found = list(_POINTER.finditer(text))
        if not found or found[-1][1] not in ("p", "i") or not found[-1][2]:
            return None
        name = int(found[-1][2])
        return self.names.index(name) if name in self.names else None

    def place(self, point: Point) -> int | None:
        """Which item somebody touches there."""
        centred = self._centred(point)
        return self._at(point) if centred is None else centred

    def _centred(self, point: Point) -> int | None:
        """The item whose centre this is; one that scrolls only if no other is."""
        found = [at for at, item in enumerate(self.items) if item.point.distance(point) < NEAR]
        return min(found, key=lambda at: (self.items[at].scrolls, self.items[at].point.distance(point)), default=None)

    def _at(self, point: Point) -> int | None:
        """The smallest item around a place."""
        around = [at for at, item in enumerate(self.items) if item.box.contains(point) and not item.scrolls]
        return min(around, key=lambda at: self.items[at].box.area, default=None)

    def _nearest(self, box: Box) -> int | None:
        at = max(range(len(self.items)), key=lambda at: self.items[at].box.iou(box), default=None)
        if at is not None and self.items[at].box.iou(box) >= 0.9:
            return at
        return self.place(box.center)

    def _stroke(self, point: Point) -> tuple[int | None, str, Point] | None:
        for at, box in self._swiped():
            for turn in TURNS:
                begin, end = stroke(box, turn)
                if begin.distance(point) < NEAR:
                    return at, turn, end
        return None

    def _swiped(self) -> Iterator[tuple[int | None, Box]]:
        """What can be swiped on: what scrolls, and the screen as a whole."""
        yield from ((at, item.box) for at, item in enumerate(self.items) if item.scrolls)
        yield None, SCREEN

    def expand(self, text: str) -> str:
        """What the model wrote, as plain text. A pointer to nothing becomes -1, which no reader takes for a place."""
        text = text.partition("<end>")[0].replace("<far>", "-100, -100")
        text = _FORM.sub(lambda found: FORMS[int(found[1])] if int(found[1]) < len(FORMS) else "", text)
        items = dict(zip(self.names, self.items, strict=True))
        end: Point | None = None

        def number(found: re.Match[str]) -> str:
            nonlocal end
            if found[0] == "<to>":
                return spelled(end) if end else "-1"
            item = items.get(int(found[2])) if found[2] else None
            if found[1] == "s":
                box = item.box if item else SCREEN
                begin, end = stroke(box, found[3] or "up")
                return spelled(begin)
            if item is None:
                return "-1"
            if found[1] == "i":
                return str(item.id)
            return ", ".join(f"{side:g}" for side in item.box) if found[1] == "b" else spelled(item.point)

        return _POINTER.sub(number, text)


def told(items: list[Item]) -> Iterator[Item]:
    """Without the texts that something to touch around them says as well: half of a list is such."""
    touchable = [item for item in items if item.kind not in (*SILENT, "scroll") and item.label]
    for item in items:
        if item.kind in SILENT:
            inside = [other for other in touchable if other.box.contains(item.point)]
            if not item.label or any(item.label in other.label for other in inside):
                continue
        yield item


def names_in(text: str) -> set[int]:
    """Which items an answer points at."""
    return {int(name) for name in _NAME.findall(text)}


def spelled(point: Point) -> str:
    return f"{round(point.x)}, {round(point.y)}"


def plain(text: str) -> str:
    """Text in which nothing can pass for a token of ours, and without little pictures: they are up to a dozen tokens
    each, and where a label begins with one, nothing foretells which.
    """
    text = text if text.isascii() else _FACE.sub("", text)
    return _SPECIAL.sub(lambda found: found[0].replace("<", "‹"), text) if "<" in text else text


_PICTURE = (
    "\U0001f300-\U0001f4cb\U0001f4cd-\U0001f514\U0001f516-\U0001faff\u2600-\u2604\u2607-\u2712\u2719-\u27bf"
    "\u231a-\u23f3\u2b1b\u2b1c\U0001f17f"
)
"""Not the pin, the bell, stars and ticks: those say something."""
_FACE = re.compile(f"[{_PICTURE}][{_PICTURE}\u200d\ufe0f\u2640\u2642\u2695\u2696\u2708]* ?")

_SPECIAL = re.compile("|".join(re.escape(token) for token in SPECIAL))
