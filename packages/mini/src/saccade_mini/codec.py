"""Translates between a paradigm's plain text and the tokens that the mini reads and writes.

A small model copies well and counts badly. So each element stands in the prompt as its type, its rough place, its label
and a name token, `button<x5><y18> Save<e7>`, and an answer points at it by copying label and name: `<p>Save<e7>` is the
element's centre, `<b>…` its box, `<i>…` its number, `<s>…<up>` the start of a swipe on it and `<to>` that swipe's end.
A `=` or `+` before a label says that the task mentions it (`match`). What a format repeats in every answer is one token
(`answer_forms.json`). `Sheet.expand` and `Sheet.compress` translate answers; all coordinates are thousandths.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

from saccade.geometry import Box, Point
from saccade_mini.items import Item
from saccade_mini.match import Matcher
from saccade_mini.seen_elements import are_pictured, as_in_trees, chosen_names, with_focus

MOST = 96
"""Elements that get a name token; the rest of a longer list is left out."""
COLUMNS, ROWS = 10, 20
SPAN = 1000
SCREEN = Box(0, 0, SPAN, SPAN)
LABEL = 24
"""Characters of a label that a pointer repeats; the rest stands behind the name token."""
LONGEST_LABEL = 90
SILENT = ("text", "icon", "image")
"""Element types that do nothing when touched."""
PROMPT = Path(__file__).parent / "prompt.j2"
RESTATE = "restate"
"""Stands in place of the paradigm's name in a prompt that asks for the task in a known wording."""
PARTS = ("task", "step", "context", "thought", "done")
DIRECTIONS = ("up", "down", "left", "right")
SWITCHES = ("k1", "k2", "k3", "brief", "mute", "prm")
OPENERS = ("<p>", "<b>", "<i>", "<s>")
"""Tokens that open a pointer."""
FORMS: tuple[str, ...] = tuple(json.loads((Path(__file__).parent / "answer_forms.json").read_text(encoding="utf-8")))
"""What the four formats repeat in every answer; a longer form comes before one that it contains."""
SPECIAL = tuple(
    f"<{mark}>"
    for mark in (
        *("pad", "end", "go"),
        *PARTS,
        *SWITCHES,
        *"btl uiloop secagent guidnav en zh p b i s to mid far".split(),
        *DIRECTIONS,
        *(f"x{at}" for at in range(COLUMNS)),
        *(f"y{at}" for at in range(ROWS)),
        *(f"e{at}" for at in range(MOST)),
        *(f"f{at}" for at in range(len(FORMS))),
    )
)
"""Special tokens; `plain` makes sure that no text from outside can write one."""
STROKE = 0.6
"""Length of a swipe as a share of what is swiped."""
NEAR = 2.5
"""Points closer than this are the same: they were rounded on the way."""
UNUSED = (-100.0, -100.0)
"""The point of a UILoop action that has none."""
_KNOWN_BY = 4
"""Leading characters of a label that identify it in an answer."""

_BADGE = re.compile(r"(\d+|-\d+%|满\d+减\d+|\$\d+ off \$\d+) ((?:[A-Za-z]{4}|[一-鿿]{2}).*)\Z")
"""A count or a discount before the name of a tab or a button."""
_HEAD = re.compile(r"@(\w[\w-]*) (en|zh)((?: \w+)*)\s*\Z")
_PART = re.compile(rf"({'|'.join(PARTS)}): (.*)", re.DOTALL)
_ACTIONS = re.compile(r"actions: ([\w ]+)\Z")
_NUMBER = r"-?\d+(?:\.\d+)?"
_ITEM = re.compile(
    rf'#(\d+) ([\w-]*)((?: [a-z]+)*) ("(?:[^"\\]|\\.)*") \[({_NUMBER}), ({_NUMBER})\] '
    rf"\[({_NUMBER}), ({_NUMBER}), ({_NUMBER}), ({_NUMBER})\]\s*\Z"
)
_PLACE = re.compile(rf"\[({_NUMBER}), ({_NUMBER})(?:, ({_NUMBER}), ({_NUMBER}))?\]")
_ID = re.compile(r'(?<="id": )\d+')
_POINTER = re.compile(r"<([pbis])>(?:<mid>|[^<\n]*(?:<e(\d+)>)?)(?:<(up|down|left|right)>)?|<to>")
_SPECIAL = re.compile("|".join(re.escape(token) for token in SPECIAL))
_PICTURE = (
    "\U0001f300-\U0001f4cb\U0001f4cd-\U0001f514\U0001f516-\U0001faff\u2600-\u2604\u2607-\u2712\u2719-\u27bf"
    "\u231a-\u23f3\u2b1b\u2b1c\U0001f17f"
)
"""Emoji, except the pin, the bell, stars and ticks, which carry meaning on the phone."""
_EMOJI = re.compile(f"[{_PICTURE}][{_PICTURE}\u200d\ufe0f\u2640\u2642\u2695\u2696\u2708]* ?")


def restate_prompt(instruction: str, language: str, wording: str = "") -> str:
    """Asks the decoder for a task in a wording it was trained on; with `wording`, to fill the slots of that one."""
    asked = f"@{RESTATE} {language}\ntask: {' '.join(instruction.split())}"
    return f"{asked}\nstep: {wording}" if wording else asked


def stroke(box: Box, direction: str) -> tuple[Point, Point]:
    """Start and end of a swipe inside a box."""
    right, down = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}[direction]
    middle, dx, dy = box.center, right * STROKE / 2 * box.width, down * STROKE / 2 * box.height
    return Point(middle.x - dx, middle.y - dy), Point(middle.x + dx, middle.y + dy)


@lru_cache(maxsize=65_536)
def _item(line: str) -> Item | None:
    """An element's line; cached because training meets the same ones in every format."""
    if (found := _ITEM.match(line)) is None:
        return None
    x, y, x0, y0, x1, y1 = (float(number) for number in found.groups()[4:])
    said = " ".join(json.loads(found[4]).split())
    label = (plain(said) or ("" if found[2] in SILENT else said)).replace("<", "‹")[:LONGEST_LABEL]
    badge = _BADGE.match(label) if found[2] in ("tab", "button") else None
    label, count = (f"{badge[2]} {badge[1]}", badge[1]) if badge else (label, "")
    return Item(int(found[1]), found[2], found[3].strip(), label, Point(x, y), Box(x0, y0, x1, y1), count)


@dataclass
class Sheet:
    """A prompt of `prompt.j2`, parsed: its parts, its elements, and which token names which element."""

    paradigm: str
    language: str
    switches: tuple[str, ...] = ()
    parts: list[tuple[str, str]] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)
    names: list[int] = field(default_factory=list)
    """The number of each item's name token."""
    k: int = 1
    """Candidates that are asked for in one answer (GuidNav)."""
    pictured: bool = False
    """Were the elements found in a picture?"""
    actions: tuple[str, ...] = ()
    """The verbs that the prompt declares; an answer uses no other. Empty: any."""

    @classmethod
    def read(cls, text: str) -> Sheet:
        """Parse a prompt; `ValueError` if it is not one of `prompt.j2`."""
        first, *lines = text.strip().split("\n")  # at nothing else: a label may hold other line breaks
        if (head := _HEAD.match(first)) is None:
            raise ValueError("the prompt does not begin with @PARADIGM LANGUAGE: the mini reads only its own template")
        sheet = cls(head[1], head[2], tuple(word for word in head[3].split() if word in SWITCHES))
        sheet.k = next((int(found[1]) for found in re.finditer(r" k(\d{1,3})\b", head[3])), 1)
        for line in lines:
            if (item := _item(line)) is not None:
                sheet.items.append(item)
            elif part := _PART.match(line):
                sheet.parts.append((part[1], part[2]))
            elif declared := _ACTIONS.match(line):
                sheet.actions = tuple(declared[1].split())
        sheet.pictured = are_pictured(sheet.items)
        items = as_in_trees(sheet.items, sheet.language) if sheet.pictured else sheet.items
        sheet.items = list(without_repeats(items))[:MOST]
        sheet.names = list(range(len(sheet.items)))
        return sheet

    def for_task(self, actions: Collection[str], touched: Point | None = None) -> Sheet:
        """The prompt as it is read where tasks of a kind take these actions: icons have the names that those touch. A
        field that was touched last has the focus, also where a picture did not show that.
        """
        if not self.pictured:
            return self
        names = {name.removeprefix("touch ") for name in actions}
        return replace(self, items=with_focus(chosen_names(self.items, names), touched))

    def matcher(self) -> Matcher:
        """Compares labels with the task, in the user's words and in the known ones."""
        return Matcher(text for part, text in self.parts if part in ("task", "step"))

    def shuffle(self, chance: random.Random) -> None:
        """Draw other name tokens, so that all are trained alike."""
        self.names = chance.sample(range(MOST), len(self.items))

    def thin(self, keep: Collection[int], most: int, chance: random.Random) -> None:
        """Keep the items of these names, and others up to `most`: short screens come first in training."""
        others = [name for name in self.names if name not in keep]
        kept = {*keep, *chance.sample(others, min(len(others), max(0, most - len(keep))))}
        pairs = [pair for pair in zip(self.names, self.items, strict=True) if pair[0] in kept]
        self.names, self.items = [name for name, _ in pairs], [item for _, item in pairs]

    def pointer(self, at: int) -> str:
        """How prompt and answer name an item."""
        return f"{self.items[at].label[:LABEL]}<e{self.names[at]}>"

    def prompt(self) -> str:
        """What the model reads."""
        words = [f"<{self.paradigm}><{self.language}>", *(f"<{switch}>" for switch in self.switches)]
        words += [f"<{part}>{plain(text)}" for part, text in self.parts]
        matcher = self.matcher()
        for at, item in enumerate(self.items):
            state = f" {item.state}" if item.state else ""
            column = min(COLUMNS - 1, max(0, int(COLUMNS * item.point.x / SPAN)))
            row = min(ROWS - 1, max(0, int(ROWS * item.point.y / SPAN)))
            mark, rest = matcher.mark(item.label), item.label[LABEL:]
            words.append(f"\n{item.kind}{state}<x{column}><y{row}>{mark} {self.pointer(at)}{rest}")
        return "".join(words) + "<go>"

    def tokens(self, encode: Callable[[str], list[int]], limit: int, written: str = "") -> list[int]:
        """The prompt with an answer behind it, as tokens. The end of an element list that is too long is left out, of
        the sheet as well; what is too long without any is returned as it is.
        """
        while len(tokens := encode(self.prompt() + written)) > limit and self.items:
            kept = min(len(self.items) - 1, len(self.items) * limit // len(tokens))
            self.items, self.names = self.items[:kept], self.names[:kept]
        return tokens

    def compress(self, answer: str) -> str:
        """An answer with pointers in place of coordinates wherever it names elements; it ends with `<end>`."""
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
                at, direction, stroke_end = begun
                return f"[<s>{'<mid>' if at is None else self.pointer(at)}<{direction}>]"
            at = self._at(point) if at is None else at
            return found[0] if at is None else f"[<p>{self.pointer(at)}]"

        answer = plain(answer)
        for item in self.items:
            if item.badge:
                answer = answer.replace(f"{item.badge} {item.label[:_KNOWN_BY]}", item.label[:_KNOWN_BY])
        answer = _PLACE.sub(place, answer)
        if self.paradigm == "guidnav":
            numbers = {str(item.id): f"<i>{self.pointer(at)}" for at, item in enumerate(self.items)}
            answer = _ID.sub(lambda found: numbers.get(found[0], found[0]), answer)
        for at, form in enumerate(FORMS):
            answer = answer.replace(form, f"<f{at}>")
        return answer + "<end>"

    def expand(self, text: str) -> str:
        """What the model wrote, as the paradigm's plain text. A pointer to nothing becomes -1, which is no place."""
        text = text.partition("<end>")[0].replace("<far>", "-100, -100")
        text = re.sub(r"<f(\d+)>", lambda found: FORMS[int(found[1])] if int(found[1]) < len(FORMS) else "", text)
        items = dict(zip(self.names, self.items, strict=True))
        end: Point | None = None

        def number(found: re.Match[str]) -> str:
            nonlocal end
            if found[0] == "<to>":
                return _written(end) if end else "-1"
            item = items.get(int(found[2])) if found[2] else None
            if found[1] == "s":
                begin, end = stroke(item.box if item else SCREEN, found[3] or "up")
                return _written(begin)
            if item is None:
                return "-1"
            if found[1] == "i":
                return str(item.id)
            return ", ".join(f"{side:g}" for side in item.box) if found[1] == "b" else _written(item.point)

        return _POINTER.sub(number, text)

    def place(self, point: Point) -> int | None:
        """The index of the item that a touch at this point hits."""
        centred = self._centred(point)
        return self._at(point) if centred is None else centred

    def _centred(self, point: Point) -> int | None:
        """The item whose centre this is; a scroll area only if there is no other."""
        found = [at for at, item in enumerate(self.items) if item.point.distance(point) < NEAR]
        return min(found, key=lambda at: (self.items[at].scrolls, self.items[at].point.distance(point)), default=None)

    def _at(self, point: Point) -> int | None:
        """The smallest item around a point."""
        around = [at for at, item in enumerate(self.items) if item.box.contains(point) and not item.scrolls]
        return min(around, key=lambda at: self.items[at].box.area, default=None)

    def _nearest(self, box: Box) -> int | None:
        at = max(range(len(self.items)), key=lambda at: self.items[at].box.iou(box), default=None)
        if at is not None and self.items[at].box.iou(box) >= 0.9:
            return at
        return self.place(box.center)

    def _stroke(self, point: Point) -> tuple[int | None, str, Point] | None:
        """Which swipe begins at this point: on which scroll area (None: the screen), where to, and its end."""
        areas = [*((at, item.box) for at, item in enumerate(self.items) if item.scrolls), (None, SCREEN)]
        swipes = ((at, each, *stroke(box, each)) for at, box in areas for each in DIRECTIONS)
        return next(((at, each, end) for at, each, begin, end in swipes if begin.distance(point) < NEAR), None)


def without_repeats(items: list[Item]) -> Iterator[Item]:
    """Without the texts that a button around them says as well: half of a list is such."""
    touchable = [item for item in items if item.kind not in (*SILENT, "scroll") and item.label]
    for item in items:
        if item.kind in SILENT:
            inside = [other for other in touchable if other.box.contains(item.point)]
            if not item.label or any(item.label in other.label for other in inside):
                continue
        yield item


def names_in(text: str) -> set[int]:
    """Numbers of the name tokens in an answer."""
    return {int(name) for name in re.findall(r"<e(\d+)>", text)}


def plain(text: str) -> str:
    """Text without emoji, in which nothing can pass for a special token."""
    text = text if text.isascii() else _EMOJI.sub("", text)
    return _SPECIAL.sub(lambda found: found[0].replace("<", "‹"), text) if "<" in text else text


def _written(point: Point) -> str:
    return f"{round(point.x)}, {round(point.y)}"
