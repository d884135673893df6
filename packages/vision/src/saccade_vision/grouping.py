"""From lines of text and widgets to elements: whose text is whose, and what stands alone.

Pure functions of boxes and texts, so that each rule can be seen in a golden case.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from saccade.geometry import Box
from saccade_vision.line_splitting import split_line
from saccade_vision.reading_order import reading_order, share_inside
from saccade_vision.types import DetectedWidget, TextLine

LABELLED = frozenset(("button", "input", "select", "checkbox", "radio", "switch", "tab", "list item", "link", "text"))
"""Types whose text is what stands inside them."""
SHARING = frozenset(("button", "tab", "list item", "link", "select"))
"""Types that stand side by side with texts which the detector may take for one line."""
BESIDE = frozenset(("checkbox", "radio"))
"""Types whose label stands to their right."""
ABSORBING = frozenset(("button", "input", "select", "tab", "link"))
"""Types that an icon inside them belongs to, if it is not pressed: a search field has a magnifying glass."""
SPACED = frozenset(("list item",))
"""Types whose lines are separate texts (title and subtitle), in any language."""
INSIDE = 0.7
"""Share of a line that must lie in a widget to be its text."""
NAMED_BY_ROW = frozenset(("switch", "checkbox", "radio", "slider"))
"""Types that stand in a row which says what they are for."""
NAMED_BY_TITLE = frozenset(("switch",))
"""Of these, those whose row says in its first line what they switch, and explains it in the next."""
FIELDS = frozenset(("input", "select"))
"""Types that forms label with a text above them or to their left."""
LABEL_GAP = 1.2
"""A label above a field is at most so many times its own height away, and begins at most a field's height beside it."""
LABEL_BESIDE = 3.0
"""A label to the left of a field ends at most so many times the field's height before it."""
ROWS = frozenset(("list item", "button"))
VALUES = frozenset(("button", "select", "link", "list item"))
TALLER = 1.15
"""A control is at most so many times as high as its row; boxes that are found are not exact."""
END_GAP = 0.5
"""A control that ends a row begins at most so many times its own width behind it."""
WIDE_ROW = 4.0
"""A button that holds, or leads to, a switch is a row if it is so many times as wide as that."""
PRESSED = frozenset(("button", "input", "tab", "link", "list item"))
DISCLOSURE = re.compile(r"\s*[>›〉❯]\Z")
"""The mark at the end of a row that leads on, read as a letter."""
AS_HIGH = 0.8
"""Of two boxes of the same widget, the inner is at least this share of the outer's height."""
MISREAD = 2
"""So few characters in an icon are the icon itself, misread."""
SHORT = 40
"""Where no widgets are known, a line up to so wide (a Chinese character counts two) may be one: it is worth a tap. A
longer one is a sentence.
"""


@dataclass(slots=True, eq=False)
class ElementGroup:
    """What becomes one element."""

    box: Box
    type: str
    interactive: bool
    confidence: float
    lines: list[TextLine] = field(default_factory=list)
    icons: list[Box] = field(default_factory=list)
    """Pictures in it that may tell what it is."""
    label: TextLine | None = None
    """Of a field: what a form calls it, beside what stands in it."""

    @property
    def text(self) -> str:
        text = joined(self.lines, self.type in SPACED)
        return DISCLOSURE.sub("", text) or text if self.type in ROWS else text


def group_lines(
    lines: Sequence[TextLine], widgets: Sequence[DetectedWidget] | None, areas: Sequence[Box] = ()
) -> list[ElementGroup]:
    """Every widget with its text, and every line that belongs to none, in reading order. `widgets` is None where nobody
    looked for them. `areas` are those that scroll.
    """
    groups = [ElementGroup(each.box, each.type, each.interactive, each.confidence) for each in widgets or ()]
    shared = [each.box for each in groups if each.type in SHARING and each.interactive]
    alone = [line for line in lines if not _give_to_holder(line, groups)]
    parts = [part for line in alone for part in split_line(line, shared)]
    alone = [part for part in parts if part in alone or not _give_to_holder(part, groups)]
    alone = _without_labels(alone, groups)
    groups = _without_doubles([each for each in groups if each.type != "text" or each.lines])
    groups = _without_absorbed_icons(_without_nested_controls(_with_values(groups)))
    _name_controls(groups, alone)
    _label_fields(groups, alone)
    for line in alone:
        likely = widgets is None and text_width(line.text) <= SHORT
        groups.append(ElementGroup(line.box, "text", likely, line.confidence, [line]))
    groups += [ElementGroup(box, "scroll", False, 1.0) for box in areas]
    return [groups[at] for at in reading_order([each.box for each in groups])]


def _give_to_holder(line: TextLine, groups: Sequence[ElementGroup]) -> bool:
    """Give a line to the smallest widget that it lies in, to a `text` only if there is no other. False if it belongs to
    none.
    """
    holding = [each for each in groups if share_inside(line.box, each.box) >= INSIDE]
    for holder in sorted(holding, key=lambda each: (each.type == "text", each.box.area)):
        if holder.type == "icon":
            if len(line.text) > MISREAD:
                holder.type = "button"
                holder.lines.append(line)
            return True
        if holder.type in LABELLED:
            holder.lines.append(line)
            return True
    return False


def _without_labels(alone: Sequence[TextLine], groups: Sequence[ElementGroup]) -> list[TextLine]:
    """The lines that are no label of a box to tick; the others are given to it."""
    left = list(alone)
    for group in groups:
        if group.type in BESIDE and not group.lines:
            beside = [line for line in left if _is_beside(group.box, line.box)]
            if beside:
                label = min(beside, key=lambda line: line.box.x0)
                group.lines.append(label)
                left.remove(label)
    return left


def _is_beside(box: Box, line: Box) -> bool:
    gap = line.x0 - box.x1
    shared = min(box.y1, line.y1) - max(box.y0, line.y0)
    return -0.2 * box.width <= gap <= 1.5 * box.height and shared >= 0.5 * min(box.height, line.height)


def _without_doubles(groups: Sequence[ElementGroup]) -> list[ElementGroup]:
    """The groups without widgets found twice, once with and once without what is around their text: the larger one,
    which says nothing itself and holds nothing else that is pressed, takes the text.
    """
    gone: list[ElementGroup] = []
    for outer in groups:
        if outer.type not in PRESSED or outer.lines:
            continue
        inner = [
            each
            for each in groups
            if each is not outer
            and each.interactive
            and each.box.area < outer.box.area
            and share_inside(each.box, outer.box) >= INSIDE
        ]
        as_high = [each for each in inner if each.box.height >= AS_HIGH * outer.box.height]
        if len(inner) == 1 and as_high and inner[0].type in PRESSED and inner[0] not in gone:
            outer.lines, outer.type = inner[0].lines, inner[0].type
            outer.confidence = max(outer.confidence, inner[0].confidence)
            gone.append(inner[0])
    return [each for each in groups if not any(each is one for one in gone)]


def _with_values(groups: Sequence[ElementGroup]) -> list[ElementGroup]:
    """The groups without the values at the right end of rows, found as widgets of their own: what is as high as its row
    and ends with it is a part of it.
    """
    gone: list[ElementGroup] = []
    for row in groups:
        if row.type not in ROWS or not row.lines:
            continue
        values = [
            each
            for each in groups
            if each is not row
            and each.type in VALUES
            and each.lines
            and each.box.area < row.box.area
            and share_inside(each.box, row.box) >= INSIDE
        ]
        if len(values) == 1 and _ends_row(values[0].box, row.box):
            row.lines = [*row.lines, *values[0].lines]
            gone.append(values[0])
    return [each for each in groups if not any(each is one for one in gone)]


def _ends_row(value: Box, row: Box) -> bool:
    at_end = value.x0 > row.center.x - 0.1 * row.width and abs(value.x1 - row.x1) <= 0.5 * row.height
    return at_end and value.height >= AS_HIGH * row.height and value.width < 0.6 * row.width


def _without_nested_controls(groups: Sequence[ElementGroup]) -> list[ElementGroup]:
    """The groups without controls that were found twice, one in the other: the more certain one stays."""
    kept = list(groups)
    for inner in groups:
        for outer in groups:
            twice = inner.type == outer.type and inner.type in NAMED_BY_ROW and inner.box.area < outer.box.area
            if twice and inner in kept and outer in kept and share_inside(inner.box, outer.box) >= INSIDE:
                stays, goes = sorted((inner, outer), key=lambda each: -each.confidence)
                stays.interactive, stays.lines = stays.interactive or goes.interactive, stays.lines or goes.lines
                kept.remove(goes)
    return kept


def _name_controls(groups: Sequence[ElementGroup], alone: Sequence[TextLine]) -> None:
    """A switch without a text has the first line of its row, if it is the only one there: what follows explains it. A
    box to tick has the row's whole text, and where there is no row, both have what is written to their left.
    """
    rows = [each for each in groups if each.lines and each.type in ROWS]
    for row in sorted(rows, key=lambda each: each.type not in SPACED):
        held = [
            each
            for each in groups
            if each.type in NAMED_BY_ROW and not each.lines and _middle_in_row(each.box, row.box)
        ]
        if len(held) == 1 and (row.type in SPACED or row.box.width >= WIDE_ROW * held[0].box.width):
            first = reading_order([line.box for line in row.lines])[:1]
            held[0].lines = [row.lines[at] for at in first] if held[0].type in NAMED_BY_TITLE else list(row.lines)
    for control in groups:
        if control.type in NAMED_BY_ROW and not control.lines:
            across = [each for each in groups if each.type in NAMED_BY_ROW and _same_row(each.box, control.box)]
            if across == [control]:
                control.lines = [
                    line for line in alone if _same_row(line.box, control.box) and line.box.x0 < control.box.x0
                ]


def _label_fields(groups: Sequence[ElementGroup], alone: Sequence[TextLine]) -> None:
    """A field is called what is written right above it, else what is written to its left; a line labels one field, the
    nearest. Longer lines than labels are explanations.
    """
    fields = [each for each in groups if each.type in FIELDS]
    labels = [line for line in alone if text_width(line.text) <= SHORT]
    for distance_of in (_distance_above, _distance_left):
        found = [
            (distance, at, line)
            for at, field in enumerate(fields)
            for line in labels
            if field.label is None and (distance := distance_of(line.box, field.box)) is not None
        ]
        for _, at, line in sorted(found, key=lambda each: each[:2]):
            if fields[at].label is None and line in labels:
                fields[at].label = line
                labels.remove(line)


def _distance_above(line: Box, field: Box) -> float | None:
    """How far a line is above a field that begins where it does; None if it is no label there."""
    gap = field.y0 - line.y1
    above = -0.3 * line.height <= gap <= LABEL_GAP * line.height
    return abs(gap) if above and abs(line.x0 - field.x0) <= field.height and line.x1 <= field.x1 else None


def _distance_left(line: Box, field: Box) -> float | None:
    """How far a line is to the left of a field in the same row; None if it is no label there."""
    gap = field.x0 - line.x1
    beside = -0.2 * field.height <= gap <= LABEL_BESIDE * field.height
    return abs(gap) if beside and field.y0 <= line.center.y <= field.y1 else None


def _same_row(box: Box, control: Box) -> bool:
    """Does it stand beside a control: is its middle at most half a control's height above or below it?"""
    return control.y0 - control.height / 2 <= box.center.y <= control.y1 + control.height / 2


def _middle_in_row(box: Box, row: Box) -> bool:
    """Does a control stand in a row, at its edge, or right behind its end? The boxes of a row and of the control that
    ends it may leave a gap between them, and a control at the left edge may begin a little before its row.
    """
    across = row.x0 <= box.center.x and box.x0 <= row.x1 + END_GAP * box.width
    return across and row.y0 <= box.center.y <= row.y1 and box.height <= TALLER * row.height


def _without_absorbed_icons(groups: Sequence[ElementGroup]) -> list[ElementGroup]:
    """The groups without the icons that belong to a larger widget; it remembers where they are. An icon that is pressed
    by itself, as the + on a card that opens, stays.
    """
    kept: list[ElementGroup] = []
    for group in groups:
        holding = [
            each
            for each in groups
            if group.type in ("icon", "image")
            and not (group.interactive or group.lines)
            and each.type in ABSORBING
            and each.box.area > group.box.area
            and share_inside(group.box, each.box) >= INSIDE
        ]
        if holding:
            min(holding, key=lambda each: each.box.area).icons.append(group.box)
        else:
            kept.append(group)
    return kept


def joined(lines: Sequence[TextLine], spaced: bool = False) -> str:
    """The lines in reading order as one text. A Chinese text that is broken goes on without a space, but not one that
    stands apart in the same row.
    """
    ordered = [lines[at] for at in reading_order([line.box for line in lines])]
    whole, before = "", None
    for line in ordered:
        if text := line.text.strip():
            apart = before is not None and line.box.x0 - before.x1 > line.box.height
            broken = not spaced and not apart and bool(whole) and _is_wide(whole[-1]) and _is_wide(text[0])
            whole += text if broken or not whole else f" {text}"
            before = line.box
    return whole


def text_width(text: str) -> int:
    return sum(2 if _is_wide(letter) else 1 for letter in text)


def _is_wide(letter: str) -> bool:
    return "⺀" <= letter <= "鿿" or "豈" <= letter <= "﫿" or "！" <= letter <= "～"
