"""The axes of a grid: what `--grid` may vary, how its values are written, and the ablations of the papers by name."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal, NamedTuple

from saccade.errors import InputError

AxisValue = str | int | float | bool | None
Combination = dict[str, AxisValue]
"""Values by axis name: one combination of the grid."""
Mode = Literal["product", "one"]
MOST_COMBINATIONS = 200
"""Most combinations of one grid."""


class Axis(NamedTuple):
    """An axis name on the command line: the field of `Settings` it varies, and the kind of its values."""

    where: str
    takes: Literal["whole", "number", "switch", "word"]


AXES: dict[str, Axis] = {
    "history": Axis("switches.window", "whole"),
    "context": Axis("switches.semantic_context", "switch"),
    "thought": Axis("switches.thought", "switch"),
    "lambda": Axis("switches.max_elements", "whole"),
    "dialect": Axis("switches.dialect", "word"),
    "template": Axis("switches.template", "word"),
    "swipe": Axis("switches.swipe", "word"),
    "elements": Axis("elements", "word"),
    "k": Axis("k", "whole"),
    "reward": Axis("reward", "word"),
    "floor": Axis("floor", "number"),
    "margin": Axis("margin", "number"),
    "prior": Axis("prior", "number"),
    "retries": Axis("retries", "whole"),
    "reflect": Axis("reflect", "switch"),
    "judge": Axis("judge", "word"),
    "paradigm": Axis("paradigm", "word"),
    "model": Axis("model", "word"),
    "language": Axis("language", "word"),
    "temperature": Axis("temperature", "number"),
    "top_p": Axis("top_p", "number"),
    "seed": Axis("seed", "whole"),
    "coordinates": Axis("coordinates", "word"),
    "steps": Axis("limits.steps", "whole"),
}
NONE_VALUES: dict[str, AxisValue] = {"reward": "", "judge": "", "temperature": None, "coordinates": None}
"""What the value `none` means for axes that may be unset. `elements=none` is an ordinary value."""
SWITCHES = {"on": True, "yes": True, "true": True, "off": False, "no": False, "false": False}
LEAST = {"k": 1, "lambda": 1}
CHOICES = {"dialect": ("xml", "json"), "swipe": ("finger", "content")}
"""Allowed values of axes that no other code checks before a prompt is written."""
LIVE_ONLY = ("retries", "reflect", "judge", "steps")


class Preset(NamedTuple):
    """An ablation from a paper. `shared` values override the command line for all its combinations."""

    about: str
    shared: Combination
    points: tuple[Combination, ...]


PRESETS: dict[str, Preset] = {
    "secagent-history": Preset(
        "SecAgent, Table 4: window N, semantic context, thought",
        {"paradigm": "secagent"},
        (
            {"history": 0},
            {"history": 1},
            {"history": 2},
            {"history": 5},
            {"history": 5, "context": False},
            {"history": 1, "context": False},
            {"history": 1, "thought": False},
        ),
    ),
    "btl-lambda": Preset(
        "BTL-UI, Table 5b: the maximum number of elements in a blink",
        {"paradigm": "btl"},
        tuple({"lambda": most} for most in range(1, 7)),
    ),
    "uiloop-elements": Preset(
        "UILoop, Table 3: which elements the prompt lists",
        {},
        ({"elements": "none"}, {"elements": "key"}, {"elements": "false"}),
    ),
    "guidnav-k": Preset(
        "GuidNav, Table 1: direct prompting, top-k, guided by a reward model, by an oracle",
        {"paradigm": "guidnav"},
        ({"k": 1}, {"k": 3}, {"k": 3, "reward": "model"}, {"k": 3, "reward": "oracle"}),
    ),
    "guidnav-retries": Preset(
        "GuidNav, Figure 2: retries after a failed attempt; live suites only",
        {"paradigm": "guidnav"},
        ({"retries": 0}, {"retries": 1}, {"retries": 2}, {"retries": 3}),
    ),
}


@dataclass(frozen=True)
class Axes:
    """The parsed --grid options: all combinations, and the values that they share."""

    texts: tuple[str, ...]
    mode: Mode
    shared: Combination
    points: tuple[Combination, ...]


def read_axes(texts: Sequence[str], mode: str = "product") -> Axes:
    """Parse axes and ablations from the command line. `product` combines all values of all axes; `one` varies one axis
    at a time, with the other settings from the command line.
    """
    if mode not in ("product", "one"):
        raise InputError(f"--grid-mode is {mode!r}: use product or one")
    words = tuple(word for text in texts for word in text.split())
    shared: Combination = {}
    lists = []
    for word in words:
        if "=" in word:
            lists.append(read_axis(word))
        elif word in PRESETS:
            shared |= PRESETS[word].shared
            lists.append(list(PRESETS[word].points))
        else:
            raise InputError(f"--grid {word}: write NAME=VALUE,VALUE or one of the ablations {', '.join(PRESETS)}")
    if not lists:
        raise InputError("--grid is empty: write NAME=VALUE,VALUE")
    points = combined(lists) if mode == "product" else [point for points in lists for point in points]
    if len(points) > MOST_COMBINATIONS:
        raise InputError(f"--grid: {len(points):,} combinations; at most {MOST_COMBINATIONS} are allowed")
    return Axes(words, "product" if mode == "product" else "one", shared, tuple(points))


def combined(lists: Sequence[Sequence[Combination]]) -> list[Combination]:
    """All combinations; an axis may appear in only one of the lists."""
    seen: set[str] = set()
    for points in lists:
        names = {name for point in points for name in point}
        if twice := sorted(seen & names):
            raise InputError(f"--grid: {twice[0]} is varied twice")
        seen |= names
    return [{name: value for point in points for name, value in point.items()} for points in product(*lists)]


def read_axis(word: str) -> list[Combination]:
    """Parse `history=0,1,2,5`: one combination for each value."""
    name, _, listed = word.partition("=")
    if name not in AXES:
        raise InputError(f"--grid {word}: there is no axis {name!r}: use {', '.join(AXES)}")
    values = [read_value(name, text.strip()) for text in listed.split(",") if text.strip()]
    if not values:
        raise InputError(f"--grid {word}: {name} has no value")
    if len(set(map(repr, values))) < len(values):
        raise InputError(f"--grid {word}: a value appears twice")
    return [{name: value} for value in values]


def read_value(name: str, text: str) -> AxisValue:
    takes = AXES[name].takes
    if text == "none" and name in NONE_VALUES:
        return NONE_VALUES[name]
    if takes == "switch":
        if text.lower() not in SWITCHES:
            raise InputError(f"--grid {name}: {text!r} is neither on nor off")
        return SWITCHES[text.lower()]
    if takes == "word":
        if text not in CHOICES.get(name, (text,)):
            raise InputError(f"--grid {name}: {text!r} is not one of {', '.join(CHOICES[name])}")
        return text
    kind, read = ("a whole number", int) if takes == "whole" else ("a number", float)
    least = LEAST.get(name, 0)
    try:
        value = read(text)
    except ValueError:
        raise InputError(f"--grid {name}: {text!r} is not {kind}") from None
    if not least <= value < math.inf:
        raise InputError(f"--grid {name}: {text} is not {kind} of at least {least}")
    return value


def value_text(name: str, value: AxisValue) -> str:
    """A value as written on the command line."""
    if value is True or value is False:
        return "on" if value else "off"
    return "none" if value is None or (value == "" and name in NONE_VALUES) else str(value)


# -- combinations ------------------------------------------------------------------------------------------------------
