"""UILoop: screen → UI elements → action. Paper §4.2 (format) and appendix C (prompts)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from saccade.actions import Action, Convention
from saccade.geometry import Box, Frame, Size
from saccade.paradigms.base import AnswerPart, Notes, Paradigm, Parsed, Reply
from saccade.paradigms.lenient import SINGLE_QUOTES, loads
from saccade.paradigms.sections import Sections, expect_order, guard, split_sections, unguard
from saccade.paradigms.verbs import Space, Verb, Vocabulary, coerce, dumps, finish, plain, point_of
from saccade.types import Element, Screen, Step

TAGS = ("ui", "think", "answer")
NO_POINT = [-100, -100]
NO_TEXT = "no input text"
_NUMBER = r"\s*[-+]?[0-9]+(?:\.[0-9]+)?\s*"
_EXACT = re.compile(rf"\s*Located at \[({_NUMBER},{_NUMBER})\]\s*,\s*(\S.*)", re.DOTALL)
_ANY_NUMBER = r"\s*[-+]?\d+(?:\.\d+)?\s*"
_LOOSE = re.compile(rf"[\[(（［]({_ANY_NUMBER}(?:[,，]{_ANY_NUMBER}){{1,3}})[\])）］]\s*[,，:：.。]?(.*)", re.DOTALL)


def _with_text(name: str, type: Any, field: str = "text", **rest: Any) -> Verb:
    return Verb(name, type, {"input_text": field}, **rest)


class _Vocabulary(Vocabulary):
    """Every answer has all three keys; what an action does not use holds `[-100, -100]` or `no input text`."""

    def decode(
        self, call: Mapping[str, Any], size: Size, frame: Frame, swipe: Convention, space: Space, repairs: list[str]
    ) -> Action:
        name = call.get("action")
        if not isinstance(name, str):
            if "coordinate" not in call and "point" not in call:
                raise ValueError("the answer has no `action`")
            repairs.append("read a bare point as a click")
            name, call = "click", {"point": call.get("point", call.get("coordinate"))}
        verb = self.find(name, space, repairs)
        repairs += [f"did without `{key}`" for key in ("point", "input_text") if key not in call]
        fields: dict[str, Any] = dict(verb.fixed)
        for argument, canonical in verb.arguments.items():
            value = call.get(argument)
            if value is None or (argument == "point" and value == NO_POINT):
                if argument in verb.optional:
                    continue
                raise ValueError(f"`{argument}` of {verb.name} is missing")
            if argument == "input_text" and value == NO_TEXT and (argument in verb.optional or canonical != "text"):
                continue
            fields[canonical] = coerce(canonical, value, size, frame, swipe, repairs)
        return finish(verb.type, fields)

    def encode(self, action: Action, size: Size, frame: Frame, swipe: Convention) -> dict[str, Any]:
        verb = self._verb_for(action)
        call: dict[str, Any] = {"action": verb.name, "point": NO_POINT, "input_text": NO_TEXT}
        for argument, canonical in verb.arguments.items():
            value = getattr(action, canonical)
            if value is not None:
                call[argument] = plain(canonical, value, size, frame, swipe)
        self._refuse_loss(action, verb)
        return call


_POINT = {"point": "point"}
VERBS = _Vocabulary(
    "action",
    [
        Verb("click", "click", _POINT),
        Verb("long_press", "long_press", _POINT),
        _with_text("type", "type"),
        Verb("scroll", "swipe", {"input_text": "direction", "point": "start"}, optional=frozenset({"point"})),
        _with_text("open_app", "open_app"),
        Verb("select", "select", {**_POINT, "input_text": "text"}),
        Verb("press_back", "press", fixed={"key": "back"}),
        Verb("wait", "wait"),
        Verb("press_home", "press", fixed={"key": "home"}, paper=False),
        Verb("press_enter", "press", fixed={"key": "enter"}, paper=False),
        Verb("press_menu", "press", fixed={"key": "menu"}, paper=False),
        Verb("press_recent", "press", fixed={"key": "recent"}, paper=False),
        _with_text("press_key", "press", "key", paper=False),
        Verb("double_click", "double_click", _POINT, paper=False),
        Verb("right_click", "right_click", _POINT, paper=False),
        Verb("hover", "hover", _POINT, paper=False),
        Verb("drag", "drag", {"point": "start", "point2": "end"}, paper=False),
        _with_text("open_url", "open_url", paper=False),
        _with_text("answer", "answer", paper=False),
        _with_text("terminate", "terminate", "status", paper=False),
    ],
)


@dataclass(frozen=True, kw_only=True)
class UILoop(Paradigm):
    """Locate, describe and use UI elements."""

    name = "uiloop"
    vocabulary = VERBS
    swipe: Convention = "content"

    @property
    def answer_parts(self) -> frozenset[AnswerPart]:
        return frozenset({"elements", "think"})

    def untaught_because(self, step: Step) -> str:
        """An answer names at least one element; where none is annotated, none is invented."""
        return "" if step.key_elements else "it has no key element, and an answer of uiloop must name one"

    def _read(self, text: str, screen: Screen) -> Parsed:
        notes = Notes()
        sections = split_sections(text, TAGS)
        expect_order(sections, ("ui",) * max(1, len(sections.all("ui"))) + ("think", "answer"))
        notes.repairs = sections.repairs
        elements = self._read_elements(sections, screen, notes)
        action = None
        body = sections.get("answer")
        try:
            if body is None:
                raise ValueError("there is no <answer> section")
            action = self._read_answer(body, screen, notes.repairs)
        except ValueError as error:
            notes.fail(str(error))
        think = unguard((sections.get("think") or "").strip(), TAGS)
        notes.elements_read = bool(elements)
        return notes.parsed(Reply(action, elements, think))

    def _read_elements(self, sections: Sections, screen: Screen, notes: Notes) -> tuple[Element, ...]:
        elements = []
        for at, body in enumerate(sections.all("ui"), 1):
            match = _EXACT.match(body)
            if match is None:
                match = _LOOSE.search(body[:4000])
                if match is None:
                    notes.repairs.append(f"dropped ui element {at}: it has no location")
                    continue
                notes.repairs.append(f"read ui element {at} though it does not begin with 'Located at [x, y],'")
            place = [float(n) if "." in n else int(n) for n in re.split("[,，]", match[1]) if len(n) < 20]
            try:
                point = point_of(place, screen.size, self.frame, notes.repairs)
            except ValueError as error:
                notes.repairs.append(f"dropped ui element {at}: {error}")
                continue
            elements.append(Element(at, Box.at(point), caption=unguard(match[2].strip(), TAGS)))
        return tuple(elements)

    def _read_answer(self, body: str, screen: Screen, repairs: list[str]) -> Action:
        noted: list[str] = []
        value = loads(body, noted)
        repairs += [repair for repair in noted if repair != SINGLE_QUOTES]
        if isinstance(value, dict):
            repairs.append("read an answer that is not a list")
            value = [value]
        if not isinstance(value, list) or len(value) != 1 or not isinstance(value[0], dict):
            raise ValueError("the answer must be a list with one action")
        return VERBS.decode(value[0], screen.size, self.frame, self.swipe, self.space, repairs)

    def render(self, reply: Reply, screen: Screen) -> str:
        if reply.action is None:
            raise ValueError("there is no action to write")
        lines = []
        for element in reply.elements:
            x, y = self.frame.encode(element.center, screen.size)
            lines.append(f"<ui> Located at [{x}, {y}], {guard(element.caption, TAGS)} </ui>")
        call = VERBS.encode(reply.action, screen.size, self.frame, self.swipe)
        lines.append(f"<think>{guard(reply.think, TAGS)}</think>")
        lines.append(f"<answer>{dumps([call], TAGS)}</answer>")
        return "\n".join(lines)
