"""BTL-UI: blink (regions of interest), think, link (action). Paper §3 and Table 7.

Two dialects: `xml` is the paper's, `json` the released code's. Both are read whichever is set; the setting decides
what is written and asked for.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from saccade.actions import Action
from saccade.geometry import PIXEL, Box, Number
from saccade.paradigms.base import AnswerPart, Notes, Paradigm, Parsed, Reply, Situation
from saccade.paradigms.lenient import FULL_WIDTH, loads, unfence
from saccade.paradigms.sections import expect_order, guard, split_sections, unguard
from saccade.paradigms.verbs import Verb, Vocabulary, dumps, numbers, point_of
from saccade.types import Element, Screen, Step
from saccade.untrusted import JsonDecoder

TAGS = ("blink", "think", "link")
_WITHOUT_BLINK: frozenset[AnswerPart] = frozenset({"think", "plan"})
_WITH_BLINK: frozenset[AnswerPart] = _WITHOUT_BLINK | {"elements"}
MAX_ROWS = 200
"""Elements of an unusual blink that are read at most."""
_NUMBER = r"\s*([-+]?[0-9]+(?:\.[0-9]+)?)\s*"
_ELEMENT = re.compile(
    rf"\s*<element>\s*<id>\s*([0-9]{{1,9}})\s*</id>\s*<bbox>\s*\[{_NUMBER},{_NUMBER},{_NUMBER},{_NUMBER}\]\s*</bbox>"
    r"\s*<caption>\s*(dynamic|static)\s*</caption>\s*</element>\s*"
)


class _Labelled(msgspec.Struct):
    """An element of the json dialect."""

    bbox_2d: Box
    label: str


_LABELLED = JsonDecoder(list[_Labelled])
_ROWS = JsonDecoder(list[tuple[int, Box, Literal["dynamic", "static"]]])
_SHORTER = len("<element><id></id><bbox></bbox><caption></caption></element>") - len('[,,""],')
_BOX = re.compile(r"<bbox>([^<]{1,200})")
_ANSWER = re.compile(r"\s*answer\s*([(（])(.*)([)）])\s*\Z", re.DOTALL)


def _verb(name: str, type: Any, field: str = "", *, paper: bool = False, **fixed: str) -> Verb:
    return Verb(name, type, {field: field} if field else {}, fixed, paper)


class _Vocabulary(Vocabulary):
    """The place of an action is called `position` in xml and `point_2d` in json; both are read."""

    def decode(self, call: Mapping[str, Any], *rest: Any) -> Action:
        if "point_2d" in call and "position" not in call:
            call = {**call, "position": call["point_2d"]}
        return super().decode(call, *rest)


_PLACE = {"position": "point"}
VERBS = _Vocabulary(
    "function",
    [
        Verb("Tap", "click", _PLACE, aliases=("Click",)),
        Verb("LongPress", "long_press", _PLACE),
        Verb("Type", "type", {"text": "text"}),
        Verb(
            "Swipe",
            "swipe",
            {"direction": "direction", "position": "start"},
            optional=frozenset({"position"}),
            aliases=("Scroll",),
        ),
        _verb("Back", "press", paper=True, key="back"),
        _verb("Home", "press", paper=True, key="home"),
        _verb("Enter", "press", key="enter"),
        _verb("Menu", "press", key="menu"),
        _verb("Recent", "press", key="recent"),
        _verb("Press", "press", "key"),
        Verb("DoubleTap", "double_click", _PLACE, paper=False, aliases=("DoubleClick",)),
        Verb("RightClick", "right_click", _PLACE, paper=False),
        Verb("Hover", "hover", _PLACE, paper=False),
        Verb("Drag", "drag", {"start": "start", "end": "end"}, paper=False),
        Verb("Select", "select", {**_PLACE, "text": "text"}, paper=False),
        Verb("Open", "open_app", {"text": "text"}, paper=False, aliases=("OpenApp",)),
        _verb("OpenURL", "open_url", "text"),
        Verb("Wait", "wait", {"seconds": "seconds"}, paper=False, optional=frozenset({"seconds"})),
        _verb("Answer", "answer", "text"),
        Verb("Terminate", "terminate", {"status": "status", "text": "text"}, paper=False, optional=frozenset({"text"})),
    ],
)


@dataclass(frozen=True, kw_only=True)
class BTL(Paradigm):
    """Blink, think, link."""

    name = "btl"
    vocabulary = VERBS
    pixels = (56 * 56, 4_014_080)

    dialect: Literal["xml", "json"] = "xml"
    max_elements: int = 5
    """λ, the most elements a blink may name (§3.2; 1 to 6 in the ablation)."""
    blink: bool = True
    """Off: answers have no blink section, only think and link (the rows of Table 5a without blink data)."""

    @property
    def tags(self) -> tuple[str, ...]:
        """The sections that are asked for."""
        return TAGS if self.blink else TAGS[1:]

    @property
    def answer_parts(self) -> frozenset[AnswerPart]:
        return _WITH_BLINK if self.blink else _WITHOUT_BLINK

    def described(self, step: Step) -> list[Element]:
        """At most λ, the first in priority, numbered by rank: the id of a blink's element is its priority."""
        found = super().described(step)[: self.max_elements]
        return [replace(element, id=rank) for rank, element in enumerate(found, 1)]

    def untaught_because(self, step: Step) -> str:
        """`<blink>None` says that nothing on the screen matters. Where nobody annotated, that is not known."""
        absent = self.blink and step.key_elements is None
        return "nobody annotated its key elements (blink: false teaches btl without them)" if absent else ""

    def variables(self, situation: Situation) -> dict[str, Any]:
        switches = {"dialect": self.dialect, "max_elements": self.max_elements, "blink": self.blink}
        variables = super().variables(situation) | switches
        if self.dialect == "json":
            for action in variables["actions"]:
                action["format"] = action["format"].replace('"position"', '"point_2d"')
        return variables

    def _read(self, text: str, screen: Screen) -> Parsed:
        notes = Notes()
        tags = self.tags
        sections = split_sections(text, tags)
        expect_order(sections, tags)
        notes.repairs = sections.repairs
        blink = sections.get("blink")
        elements = self._read_blink(blink, screen, notes) if blink is not None else None
        if elements and len(elements) > self.max_elements:
            count = len({element.box for element in elements})  # the same box again is not another element
            if count > self.max_elements:
                notes.repairs.append(f"the blink names {count} elements, more than {self.max_elements}")
        action, plan = None, ""
        link = sections.get("link")
        try:
            if link is None:
                raise ValueError("there is no <link> section")
            action, plan = self._read_link(link, screen, notes.repairs)
        except ValueError as error:
            notes.fail(str(error))
        think = unguard((sections.get("think") or "").strip(), TAGS)
        notes.elements_read = elements is not None
        return notes.parsed(Reply(action, elements or (), think, plan))

    def _read_blink(self, body: str, screen: Screen, notes: Notes) -> tuple[Element, ...] | None:
        """The elements, none where the blink says so; None where nothing of it can be read."""
        body = body.strip()
        if body in ("", "None"):
            return ()
        if body.startswith("<element>"):
            if (exact := self._exact_elements(body, screen)) is not None:
                return exact
            notes.repairs.append("read the boxes of a blink that is not well formed")
            rows: list[tuple[Any, str]] = [(box, "") for box in _BOX.findall(body)]
        else:
            body = unfence(body)[0]
            if (exact := self._exact_labelled(body, screen)) is not None:
                return exact
            try:
                rows = _json_rows(body, notes.repairs)
            except ValueError as error:
                notes.repairs.append(f"could not read the blink: {error}")
                return None
        return self._tolerant_elements(rows, screen, notes) or None

    def _exact_elements(self, body: str, screen: Screen) -> tuple[Element, ...] | None:
        """The xml dialect exactly; None if anything else stands there."""
        rows = _compact_rows(body)
        if rows is None:
            rows, at = [], 0
            while at < len(body):
                match = _ELEMENT.match(body, at)
                if match is None or len(rows) == MAX_ROWS:
                    return None
                id, *corners, caption = match.groups()
                rows.append((int(id), Box(*map(_number, corners)), caption))
                at = match.end()
        if self.frame is not PIXEL:
            rows = [(id, self.frame.decode_box(box, screen.size), caption) for id, box, caption in rows]
        return tuple([Element(id, box, "", "", "", caption == "dynamic") for id, box, caption in rows])

    def _exact_labelled(self, body: str, screen: Screen) -> tuple[Element, ...] | None:
        """The json dialect exactly; None if anything else stands there."""
        try:
            rows = _LABELLED.decode(body)
        except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
            return None
        boxes = [row.bbox_2d for row in rows]
        if self.frame is not PIXEL:
            boxes = [self.frame.decode_box(box, screen.size) for box in boxes]
        return tuple([Element(at, boxes[at - 1], "", "", row.label) for at, row in enumerate(rows, 1)])

    def _tolerant_elements(self, rows: list[tuple[Any, str]], screen: Screen, notes: Notes) -> tuple[Element, ...]:
        elements, frame, size = [], self.frame, screen.size
        if len(rows) > MAX_ROWS:
            notes.repairs.append(f"read only the first {MAX_ROWS} elements")
        for at, (value, label) in enumerate(rows[:MAX_ROWS], 1):
            try:
                corners = numbers(value, notes.repairs)
                if len(corners) != 4:
                    raise ValueError(f"a box has four numbers, got {len(corners)}")
                elements.append(Element(at, frame.decode_box(Box(*corners), size), caption=label))
            except (ValueError, OverflowError) as error:
                notes.repairs.append(f"dropped element {at}: {error}")
        return tuple(elements)

    def _read_link(self, body: str, screen: Screen, repairs: list[str]) -> tuple[Action, str]:
        body = unfence(body)[0]
        if wrapped := _ANSWER.match(body):
            opening, body, closing = wrapped.groups()
            if opening + closing != "()":
                repairs.append(FULL_WIDTH)
        value = loads(body, repairs)
        if isinstance(value, list):
            if len(value) != 1:
                raise ValueError(f"the link must hold one action, got {len(value)}")
            value = value[0]
        if not isinstance(value, dict):
            raise ValueError("the link is not an object")
        if "point_2d" in value and "Action" not in value and "function" not in value:
            return Action("click", point_of(value["point_2d"], screen.size, self.frame, repairs)), ""
        call = value.get("Action")
        if call is None and "function" in value:
            repairs.append("read an action without its wrapper")
            call = value
        if not isinstance(call, dict):
            raise ValueError("the link has no `Action` object")
        plan = value.get("Plan")
        if not isinstance(plan, str):
            repairs.append("the link has no `Plan`")
            plan = ""
        return VERBS.decode(call, screen.size, self.frame, self.swipe, self.space, repairs), plan

    def render(self, reply: Reply, screen: Screen) -> str:
        if reply.action is None:
            raise ValueError("there is no action to write")
        call = VERBS.encode(reply.action, screen.size, self.frame, self.swipe)
        link: Any = {"Plan": reply.plan, "Action": call}
        if self.dialect == "json":
            if "position" in call:
                link["Action"] = {("point_2d" if k == "position" else k): v for k, v in call.items()}
            link = [link]
            if self.space == "grounding":
                if reply.action.type != "click":
                    raise ValueError(f"a grounding answer is a place and cannot say {reply.action.name}")
                link = [{"point_2d": call["position"]}]
        body = dumps(link, TAGS)
        if self.dialect == "json":
            body = f"```json\n{body}\n```"
        blink = f"<blink>{self._write_blink(reply, screen)}</blink>\n" if self.blink else ""
        return f"{blink}<think>{guard(reply.think, TAGS)}</think>\n<link>{body}</link>"

    def _write_blink(self, reply: Reply, screen: Screen) -> str:
        if not reply.elements:
            return "None"
        boxes = [list(self.frame.encode_box(element.box, screen.size)) for element in reply.elements]
        if self.dialect == "json":
            rows = [{"bbox_2d": b, "label": e.caption} for b, e in zip(boxes, reply.elements, strict=True)]
            return "```json\n" + dumps(rows, TAGS) + "\n```"
        lines = []
        for box, element in zip(boxes, reply.elements, strict=True):
            caption = "dynamic" if element.interactive else "static"
            lines.append(f"<element><id>{element.id}</id><bbox>{box}</bbox><caption>{caption}</caption></element>")
        return "\n" + "\n".join(lines) + "\n"


def _compact_rows(body: str) -> Sequence[tuple[int, Box, str]] | None:
    """The usual spelling, without white space between the tags, turned into JSON by replacing the tags: the JSON
    reader is ten times as fast as a regular expression. A quote in the body could forge a row, so it is refused, and
    so is a bracket or comma in place of a tag: every tag must have made the body shorter.
    """
    if '"' in body:
        return None
    rows = body.replace("<element><id>", "[").replace("</id><bbox>", ",").replace("</bbox><caption>", ',"')
    rows = rows.replace("</caption></element>", '"],').rstrip()
    try:
        found = _ROWS.decode(f"[{rows[:-1]}]")
    except (msgspec.DecodeError, UnicodeEncodeError):
        return None
    return found if len(body) - len(rows) == _SHORTER * len(found) else None


def _json_rows(body: str, repairs: list[str]) -> list[tuple[Any, str]]:
    value = loads(body, repairs)
    if isinstance(value, dict):
        repairs.append("read a single element as a list")
        value = [value]
    if not isinstance(value, list):
        raise ValueError("it is not a list")
    rows = []
    for item in value:
        box = item.get("bbox_2d", item.get("bbox")) if isinstance(item, dict) else None
        if box is None:
            repairs.append("dropped an element without `bbox_2d`")
            continue
        if "bbox_2d" not in item or not isinstance(item.get("label"), str):
            repairs.append("read an element whose keys are not `bbox_2d` and `label`")
        rows.append((box, str(item.get("label", ""))))
    return rows


def _number(word: str) -> Number:
    return float(word) if "." in word or len(word) > 15 else int(word)
