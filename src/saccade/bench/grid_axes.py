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
    form: str = ""
    """How the field is made from the value: `hf/{}/model` for the folder that `saccade train` left."""


AXES: dict[str, Axis] = {
    "history": Axis("switches.window", "whole"),
    "context": Axis("switches.semantic_context", "switch"),
    "thought": Axis("switches.thought", "switch"),
    "lambda": Axis("switches.max_elements", "whole"),
    "blink": Axis("switches.blink", "switch"),
    "dialect": Axis("switches.dialect", "word"),
    "template": Axis("switches.template", "word"),
    "swipe": Axis("switches.swipe", "word"),
    "elements": Axis("elements", "word"),
    "hints": Axis("hints", "word"),
    "k": Axis("k", "whole"),
    "tries": Axis("tries", "whole"),
    "agent": Axis("agent", "word"),
    "summary": Axis("context", "word"),
    "reward": Axis("reward", "word"),
    "floor": Axis("floor", "number"),
    "margin": Axis("margin", "number"),
    "prior": Axis("prior", "number"),
    "retries": Axis("retries", "whole"),
    "reflect": Axis("reflect", "switch"),
    "judge": Axis("judge", "word"),
    "paradigm": Axis("paradigm", "word"),
    "model": Axis("model", "word"),
    "trained": Axis("model", "word", "hf/{}/model"),
    "language": Axis("language", "word"),
    "temperature": Axis("temperature", "number"),
    "top_p": Axis("top_p", "number"),
    "seed": Axis("seed", "whole"),
    "coordinates": Axis("coordinates", "word"),
    "steps": Axis("limits.steps", "whole"),
}
NONE_VALUES: dict[str, AxisValue] = {"reward": "", "judge": "", "temperature": None, "coordinates": None}
"""What the value `none` means for axes that may be unset. `hints=none` is an ordinary value."""
SWITCHES = {"on": True, "yes": True, "true": True, "off": False, "no": False, "false": False}
LEAST = {"k": 1, "lambda": 1, "tries": 1}
CHOICES = {"dialect": ("xml", "json"), "swipe": ("finger", "content")}
"""Allowed values of axes that no other code checks before a prompt is written."""
LIVE_ONLY = ("retries", "reflect", "judge", "steps")


class Preset(NamedTuple):
    """An ablation from a paper. `shared` values override the command line for all its combinations."""

    about: str
    shared: Combination
    points: tuple[Combination, ...]
    """In an ablation of training, `trained` is the name of a recipe (`saccade train list`), whose result lies in the
    folder of that name.
    """

    @property
    def of_training(self) -> bool:
        return any("trained" in point for point in self.points)

    def in_folder(self, folder: str) -> list[Combination]:
        """The points, with the trained models in this folder."""
        return [
            point | {"trained": f"{folder}/{point['trained']}"} if "trained" in point else point
            for point in self.points
        ]


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
        ({"hints": "none"}, {"hints": "key"}, {"hints": "false"}),
    ),
    "guidnav-k": Preset(
        "GuidNav, Table 1: direct prompting, top-k, reflection, GuidNav (by --reward, else the model itself), its "
        "pass@3, top-k with an oracle; recordings only",
        {"paradigm": "guidnav"},
        (
            {"k": 1, "reward": ""},
            {"k": 3, "reward": ""},
            {"k": 1, "reward": "", "agent": "reflection"},
            {"k": 3, "reward": "model"},
            {"k": 3, "reward": "model", "tries": 3},
            {"k": 3, "reward": "oracle"},
        ),
    ),
    "guidnav-retries": Preset(
        "GuidNav, Figure 2: retries after a failed attempt; live suites only",
        {"paradigm": "guidnav"},
        ({"retries": 0}, {"retries": 1}, {"retries": 2}, {"retries": 3}),
    ),
    "btl-table5a": Preset(
        "BTL-UI, Table 5a: SFT and RFT, without and with blink data",
        {"paradigm": "btl", "coordinates": "resized:28,3136,4014080"},  # the pixels of its recipes
        (
            {"trained": "btl-table5a/sft", "blink": False},
            {"trained": "btl-table5a/sft-blink"},
            {"trained": "btl-table5a/rft", "blink": False},
            {"trained": "btl-table5a/rft-blink"},
        ),
    ),
    "uiloop-no-lingualisation": Preset(
        "UILoop, Figure 5: SFT; RFT with the rewards leverage, locate + leverage, all three",
        {"paradigm": "uiloop"},
        tuple(
            {"trained": f"uiloop-no-lingualisation/{name}"} for name in ("sft", "leverage", "locate-leverage", "full")
        ),
    ),
    "secagent-gr2nav": Preset(
        "SecAgent, Table 6: SFT on navigation, with raw grounding, with grounding as navigation",
        {"paradigm": "secagent"},
        tuple({"trained": f"secagent-gr2nav/{name}"} for name in ("navigation", "grounding", "gr2nav")),
    ),
}
TRAINED = "runs"
"""Where an ablation's trained models lie, unless it is given as `--grid btl-table5a=FOLDER`."""


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
    words = tuple(word for text in texts for word in ([text] if _preset_of(text) else text.split()))
    shared: Combination = {}
    lists = []
    for word in words:
        if preset := _preset_of(word):
            folder = word.partition("=")[2]
            if folder and not preset.of_training:
                raise InputError(f"--grid {word}: only an ablation of training takes a folder")
            shared |= preset.shared
            lists.append(preset.in_folder(folder.rstrip("/") or TRAINED))
        elif "=" in word:
            lists.append(read_axis(word))
        else:
            raise InputError(f"--grid {word}: write NAME=VALUE,VALUE or one of the ablations {', '.join(PRESETS)}")
    if not lists:
        raise InputError("--grid is empty: write NAME=VALUE,VALUE")
    points = combined(lists) if mode == "product" else [point for points in lists for point in points]
    if len(points) > MOST_COMBINATIONS:
        raise InputError(f"--grid: {len(points):,} combinations; at most {MOST_COMBINATIONS} are allowed")
    return Axes(words, "product" if mode == "product" else "one", shared, tuple(points))


def first_model(texts: Sequence[str]) -> str:
    """The model of the first combination, where each names its own: then no other need be given."""
    points = read_axes(texts).points
    found = [
        AXES[name].form.format(value) or str(value)
        for point in points
        for name, value in point.items()
        if AXES[name].where == "model"
    ]
    return found[0] if len(found) == len(points) else ""


def _preset_of(word: str) -> Preset | None:
    """The ablation that `NAME` or `NAME=FOLDER` names."""
    return PRESETS.get(word.partition("=")[0].strip())


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
