"""How a dialect names the canonical actions: one table per dialect drives its prompt, its parser and its renderer."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from msgspec.structs import replace

from saccade.actions import DIRECTIONS, Action, ActionType, Convention, direction_between, to_finger
from saccade.geometry import Box, Frame, Number, Point, Size

Space = Literal["paper", "phone", "web", "desktop", "grounding", "refusable_grounding"]
"""Which actions are declared to the model. `paper` is exactly what the paper lists; the others are what that kind of
world can do, in the same dialect."""

SPACES: dict[Space, frozenset[str]] = {
    "grounding": frozenset({"click"}),
    "refusable_grounding": frozenset({"click", "terminate"}),
    "phone": frozenset(
        "click long_press swipe type press:back press:home press:enter press:menu press:recent open_app wait answer "
        "terminate".split()
    ),
    "web": frozenset(
        "click double_click right_click hover long_press swipe drag type press press:back press:enter select open_url "
        "wait answer terminate".split()
    ),
    "desktop": frozenset(
        "click double_click right_click hover swipe drag type press press:enter select open_app wait answer "
        "terminate".split()
    ),
}

PURPOSES: dict[str, tuple[str, str]] = {
    "click": ("tap or click this place", "点击该位置"),
    "long_press": ("press this place and hold", "长按该位置"),
    "double_click": ("click this place twice", "双击该位置"),
    "right_click": ("open the context menu of this place", "右键点击该位置"),
    "hover": ("move the pointer here without clicking", "将指针移到该位置，不点击"),
    "swipe": ("move the screen's content", "滑动屏幕"),
    "drag": ("drag from one place to another", "从一处拖动到另一处"),
    "type": ("enter this text into the focused field", "在当前输入框中输入文本"),
    "press": ("press this key or key combination", "按下该按键或组合键"),
    "press:back": ("go back to the previous screen", "返回上一个界面"),
    "press:home": ("go to the home screen", "回到桌面"),
    "press:enter": ("confirm what was entered", "确认输入"),
    "press:menu": ("open the menu", "打开菜单"),
    "press:recent": ("show the recent apps", "打开最近任务"),
    "select": ("choose this option of the list at this place", "在该位置的下拉框中选择选项"),
    "open_app": ("open the app of this name", "打开该名称的应用"),
    "open_url": ("open this address", "打开该网址"),
    "wait": ("wait for the screen to change", "等待界面变化"),
    "answer": ("answer the user's question", "回答用户的问题"),
    "terminate": ("end the task and say whether it is done", "结束任务并说明是否完成"),
    "terminate:success": ("end the task: it is done", "结束任务：已完成"),
    "terminate:failure": ("end the task: it cannot be done", "结束任务：无法完成"),
}
_EXAMPLES: dict[str, str] = {
    "point": "[x, y]",
    "start": "[x, y]",
    "end": "[x, y]",
    "direction": '"up|down|left|right"',
    "text": '"…"',
    "key": '"…"',
    "seconds": "1",
    "status": '"success|failure"',
    "submit": "true",
}


@dataclass(frozen=True, slots=True)
class Verb:
    """One action as a dialect writes it: its name, and which of its arguments holds which canonical field."""

    name: str
    type: ActionType
    arguments: Mapping[str, str] = field(default_factory=dict)
    """argument → canonical field"""
    fixed: Mapping[str, str] = field(default_factory=dict)
    """canonical fields that the name itself settles, e.g. key=back"""
    paper: bool = True
    """Is it in the paper's own list?"""
    optional: frozenset[str] = frozenset()
    """arguments that may be left out"""
    unkept: Mapping[str, int] = field(default_factory=dict)
    """numbers that the dialect asks for and the canonical action does not hold, with the value that is written. An
    answer without one is still read, as a repair."""
    aliases: tuple[str, ...] = ()
    values: Mapping[str, str] = field(default_factory=dict)
    """for an argument with a closed list: as written → canonical (e.g. Back → back)"""

    @property
    def meaning(self) -> str:
        """The key of `PURPOSES`: the type, and what the name settles about it."""
        return ":".join([self.type, *self.fixed.values()])

    def in_space(self, space: Space) -> bool:
        if space == "paper":
            return self.paper
        if self.type == "press":
            buttons = (f"press:{key}" for key in self.values.values())
            return self.meaning in SPACES[space] or any(button in SPACES[space] for button in buttons)
        return self.type in SPACES[space]

    def example(self, name_key: str, space: Space) -> str:
        """How a prompt shows it. Where a swipe begins is not in the papers, but screens with several lists need it."""
        parts = [f'"{name_key}": "{self.name}"']
        for argument, canonical in self.arguments.items():
            shown = f'"{"|".join(self.values)}"' if self.values and canonical == "key" else _EXAMPLES[canonical]
            if argument not in self.optional or (canonical == "start" and space != "paper"):
                parts.append(f'"{argument}": {shown}')
        parts += [f'"{argument}": {value}' for argument, value in self.unkept.items()]
        return "{" + ", ".join(parts) + "}"


class Vocabulary:
    """All verbs of a dialect."""

    def __init__(self, name_key: str, verbs: Iterable[Verb]) -> None:
        self.name_key = name_key
        self.verbs = tuple(verbs)
        self._by_name = {name: verb for verb in self.verbs for name in (verb.name, *verb.aliases)}
        self._by_folded = {_fold(name): verb for name, verb in self._by_name.items()}

    def listing(self, space: Space, language: str) -> list[dict[str, str]]:
        """The declared actions, for a prompt."""
        column = 1 if language == "zh" else 0
        return [
            {"name": verb.name, "format": verb.example(self.name_key, space), "purpose": PURPOSES[verb.meaning][column]}
            for verb in self.verbs
            if verb.in_space(space)
        ]

    def offers(self, action: Action, space: Space) -> bool:
        """Is there a declared verb for this action?"""
        try:
            self._verb_for(action, space)
        except ValueError:
            return False
        return True

    def find(self, name: str, space: Space, repairs: list[str]) -> Verb:
        verb = self._by_name.get(name)
        if verb is None:
            verb = self._by_folded.get(_fold(name))
            if verb is None:
                raise ValueError(f"{name[:40]!r} is not an action of this format")
        if verb.name != name:
            repairs.append(f"read {name[:40]!r} as {verb.name!r}")
        if not verb.in_space(space):
            repairs.append(f"{verb.name!r} is not in the declared action space")
        return verb

    def decode(
        self, call: Mapping[str, Any], size: Size, frame: Frame, swipe: Convention, space: Space, repairs: list[str]
    ) -> Action:
        """The canonical action of a call such as `{"function": "Tap", "position": [x, y]}`.

        Raises `ValueError` with the reason if it cannot be one.
        """
        name = call.get(self.name_key)
        if not isinstance(name, str):
            raise ValueError(f"the action has no `{self.name_key}`")
        verb = self.find(name, space, repairs)
        fields: dict[str, Any] = dict(verb.fixed)
        for argument, canonical in verb.arguments.items():
            value = call.get(argument)
            if value is None:
                if argument not in verb.optional and canonical not in fields:
                    raise ValueError(f"`{argument}` of {verb.name} is missing")
                continue
            if verb.values and canonical == "key":
                value = _from_list(value, verb, repairs)
            fields[canonical] = coerce(canonical, value, size, frame, swipe, repairs)
        for argument in verb.unkept:
            if argument not in call:
                repairs.append(f"did without `{argument}` of {verb.name}")
            else:
                coerce("seconds", call[argument], size, frame, swipe, repairs)
        return finish(verb.type, fields)

    def encode(self, action: Action, size: Size, frame: Frame, swipe: Convention) -> dict[str, Any]:
        """The call for this action. Raises `ValueError` if the dialect has no word for it."""
        verb = self._verb_for(action)
        self._refuse_loss(action, verb)
        if verb.type == "swipe" and {"start", "end"} <= set(verb.arguments.values()):
            action = with_path(action, size)
        call: dict[str, Any] = {self.name_key: verb.name}
        for argument, canonical in verb.arguments.items():
            value = getattr(action, canonical)
            if value is None:
                if argument in verb.optional:
                    continue
                value = 1  # only a wait's length may be unset
            if verb.values and canonical == "key":
                value = next(written_as for written_as, key in verb.values.items() if key == value)
            call[argument] = plain(canonical, value, size, frame, swipe)
        return {**call, **verb.unkept}

    def _refuse_loss(self, action: Action, verb: Verb) -> None:
        """A dialect that cannot carry a field must say so. A truth's box or polygon, and the other way to say where a
        swipe goes, are not part of what is done.
        """
        said = {"type", "box", "polygon", *verb.fixed, *verb.arguments.values()}
        if verb.type == "swipe":
            said |= {"start", "end", "direction"}
        if verb.type == "wait":
            said.add("seconds")
        for name in action.__struct_fields__:
            if name not in said and getattr(action, name) is not None:
                raise ValueError(f"{verb.name} cannot carry `{name}`")

    def _verb_for(self, action: Action, space: Space | None = None) -> Verb:
        for verb in self.verbs:
            if verb.type != action.type or (space and not verb.in_space(space)):
                continue
            if any(getattr(action, name) != value for name, value in verb.fixed.items()):
                continue
            if verb.values and action.key not in verb.values.values():
                continue
            return verb
        raise ValueError(f"this format has no word for {action.name}")


def finish(type: ActionType, fields: dict[str, Any]) -> Action:
    """Build the action; a swipe by two points gets its direction from them."""
    if type == "swipe" and "direction" not in fields and "start" in fields and "end" in fields:
        fields["direction"] = direction_between(fields["start"], fields["end"])
    return Action(type=type, **fields)


def with_path(action: Action, size: Size) -> Action:
    """A swipe that is known only by its direction, with the two points a dialect may want: half the screen, centred,
    or from its start on.
    """
    if action.end is not None:
        return action
    dx = {"left": -size.width / 2, "right": size.width / 2}.get(str(action.direction), 0)
    dy = {"up": -size.height / 2, "down": size.height / 2}.get(str(action.direction), 0)
    start = action.start or Point((size.width - dx) / 2, (size.height - dy) / 2)
    return replace(action, start=start, end=Point(start.x + dx, start.y + dy))


LARGEST = 1e9
"""No screen has a coordinate beyond this; arithmetic with much larger numbers overflows."""
_TWO = re.compile(r"[-+]?(?:\d++(?:\.\d*+)?|\.\d++)")


def numbers(value: Any, repairs: list[str]) -> list[Number]:
    """Coordinates in any of the shapes models write; all but a plain list count as repaired."""
    if type(value) is list and all(type(n) in (int, float) and -LARGEST <= n <= LARGEST for n in value):
        return value
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], list):
        repairs.append("unwrapped a nested list")
        return numbers(value[0], repairs)
    if isinstance(value, dict) and {"x", "y"} <= value.keys():
        repairs.append("read x and y as a point")
        return numbers([value["x"], value["y"]], repairs)
    if isinstance(value, str) and len(value) <= 200:
        repairs.append("read coordinates from a string")
        return numbers([_number(word) for word in _TWO.findall(value)], repairs)
    if isinstance(value, list) and all(isinstance(n, str) and len(n) <= 32 for n in value):
        repairs.append("read coordinates from strings")
        return numbers([_number(word) for n in value for word in _TWO.findall(n)], repairs)
    raise ValueError(f"{str(value)[:40]!r} is not a list of coordinates")


def point_of(value: Any, size: Size, frame: Frame, repairs: list[str]) -> Point:
    """A point; where a model gave a box, its centre."""
    if type(value) is list and len(value) == 2 and type(value[0]) is type(value[1]) is int:  # as good as always
        x, y = value
        if -LARGEST <= x <= LARGEST and -LARGEST <= y <= LARGEST:
            return frame.decode(Point(x, y), size)
    found = numbers(value, repairs)
    if len(found) == 4:
        repairs.append("took the centre of a box")
        point = Box(*found).center
    elif len(found) == 2:
        point = Point(*found)
    else:
        raise ValueError(f"a point has two coordinates, got {len(found)}")
    return frame.decode(point, size)


def coerce(canonical: str, value: Any, size: Size, frame: Frame, swipe: Convention, repairs: list[str]) -> Any:
    """A dialect's argument as the canonical field's value."""
    match canonical:
        case "point" | "start" | "end":
            return point_of(value, size, frame, repairs)
        case "direction":
            word = str(value)[:16].strip().lower()
            if word not in DIRECTIONS:
                raise ValueError(f"{str(value)[:16]!r} is not a direction: use {', '.join(DIRECTIONS)}")
            if word != value:
                repairs.append(f"read {str(value)[:16]!r} as {word!r}")
            return to_finger(word, swipe)
        case "seconds":
            if isinstance(value, str) and len(value) < 16 and _TWO.fullmatch(value.strip()):
                repairs.append("read a number from a string")
                value = _number(value.strip())
            if type(value) not in (int, float) or not 0 <= value < math.inf:
                raise ValueError(f"{str(value)[:16]!r} is not a number of seconds")
            return value
        case "status":
            word = str(value)[:16].strip().lower()
            if word not in ("success", "failure"):
                raise ValueError(f"{str(value)[:16]!r} is not a status: use success or failure")
            if word != value:
                repairs.append(f"read {str(value)[:16]!r} as {word!r}")
            return word
        case "submit":
            return bool(value)
    if isinstance(value, str):
        return value
    if isinstance(value, int | float):
        repairs.append("read a number as text")
        return str(value)
    raise ValueError(f"`{canonical}` is not text")


def plain(canonical: str, value: Any, size: Size, frame: Frame, swipe: Convention) -> Any:
    """A canonical field's value as the dialect writes it."""
    if canonical in ("point", "start", "end"):
        return list(frame.encode(value, size))
    if canonical == "direction":
        return to_finger(value, swipe)
    return value


def dumps(value: Any, tags: tuple[str, ...] = ()) -> str:
    """JSON that keeps Chinese readable and holds no text that could be taken for one of `tags`."""
    text = json.dumps(value, ensure_ascii=False)
    if not tags:
        return text
    return re.sub(rf"[<＜](?=[/／]?(?:{'|'.join(tags)})[>＞])", lambda found: f"\\u{ord(found[0]):04x}", text)


def _from_list(value: Any, verb: Verb, repairs: list[str]) -> str:
    if isinstance(value, str) and value in verb.values:
        return verb.values[value]
    word = value[:40].strip().lower() if isinstance(value, str) else ""
    for written_as, key in verb.values.items():
        if word in (written_as.lower(), key):
            repairs.append(f"read {value[:40]!r} as {written_as!r}")
            return key
    raise ValueError(f"{word!r} is not one of {', '.join(verb.values)}")


def _fold(name: str) -> str:
    return re.sub(r"[\s_-]", "", name[:64]).lower()


def _number(word: str) -> Number:
    return int(word) if word.lstrip("+-").isdigit() and len(word) < 18 else float(word)
