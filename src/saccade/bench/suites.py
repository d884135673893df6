"""What can be measured, by name. A suite of recordings is a line here; a live one is a function that lists tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from saccade.bench.cases import Task
from saccade.errors import InputError
from saccade.paradigms.verbs import Space
from saccade.registry import Registry

Kind = Literal["static", "live"]


@dataclass(frozen=True)
class Suite:
    """A named measurement."""

    name: str
    title: str
    kind: Kind = "static"
    datasets: tuple[str, ...] = ()
    """Readers that serve it; the folder's content decides which."""
    options: Mapping[str, str] = field(default_factory=dict)
    """Of the reader, unless the user says otherwise."""
    profile: str = "btl"
    """The match rule of its own published table."""
    space: Space = "paper"
    """Which actions are declared to the model."""
    level: str = "high"
    tasks: Callable[[Mapping[str, Any]], Iterator[Task]] | None = None
    """Of a live suite: its tasks in order, without end or up to the last."""
    choices: tuple[str, ...] = ()
    """Options of a live suite."""
    table: str = "steps"
    """How its table looks: grounding, planning, comprehension, tasks, steps, live."""


def _static(name: str, title: str, *datasets: str, **rest: Any) -> Suite:
    return Suite(name, title, datasets=datasets or (name,), **rest)


def _phone(options: Mapping[str, Any]) -> Iterator[Task]:
    from saccade.bench.tasks import phone_tasks  # noqa: PLC0415

    return phone_tasks(options)


def _miniwob(options: Mapping[str, Any]) -> Iterator[Task]:
    from saccade.bench.tasks import miniwob_tasks  # noqa: PLC0415

    return miniwob_tasks(options)


_GROUNDING: dict[str, Any] = {"profile": "screenspot", "space": "grounding", "table": "grounding"}
_BUILT_IN = (
    _static("screenspot", "ScreenSpot", **_GROUNDING),
    _static("screenspot-v2", "ScreenSpot-V2", **_GROUNDING),
    _static("screenspot-pro", "ScreenSpot-Pro", **_GROUNDING),
    _static("showui-desktop", "ShowUI-desktop", **_GROUNDING),
    _static("os-atlas", "OS-Atlas grounding", **_GROUNDING),
    _static("omniact", "OmniACT", profile="gui-r1", space="desktop"),
    _static("androidcontrol-low", "AndroidControl-Low", "androidcontrol", "androidcontrol-std", table="planning",
            options={"level": "low"}, level="low"),
    _static("androidcontrol-high", "AndroidControl-High", "androidcontrol", "androidcontrol-std", table="planning"),
    _static("gui-odyssey", "GUI-Odyssey", table="planning"),
    _static("aitw", "AitW", profile="guidnav", table="aitw"),
    _static("aitz", "AITZ", profile="aitz"),
    _static("cagui", "CAGUI", profile="qwen"),
    _static("cagui-grounding", "CAGUI grounding", "cagui", options={"part": "grounding"}, **_GROUNDING),
    _static("cmgui-bench", "CMGUI-Bench", "cmgui", profile="cmgui", table="tasks"),
    _static("ui-comprehension", "UI Comprehension-Bench", profile="gui-r1", table="comprehension"),
    _static("guiact", "GUIAct", profile="gui-r1", space="web"),
    _static("mind2web", "Multimodal-Mind2Web", profile="gui-r1", space="web"),
    _static("agentnet", "AgentNet", profile="gui-r1", space="desktop"),
    _static("steps", "step records", profile="btl"),
    Suite("phone", "the sandbox phone", "live", tasks=_phone, profile="cmgui", table="live",
          choices=("split", "group", "language", "interruptions", "only", "seed", "scale",
                   "wordings")),
    Suite("miniwob", "MiniWoB++", "live", tasks=_miniwob, profile="cmgui", table="live", choices=("set", "seeds")),
)  # fmt: skip
SUITES: Registry[Suite] = Registry("suite", {suite.name: f"{__name__}:_by_name" for suite in _BUILT_IN})


def get_suite(name: str) -> Suite:
    """A suite by its name; plug-ins bring theirs in the entry-point group `saccade.suites`."""
    for suite in _BUILT_IN:
        if suite.name == name:
            return suite
    found: Any = SUITES.get(name)
    if not isinstance(found, Suite):
        raise InputError(f"the plug-in {name} is no suite")
    return found


def suites() -> list[Suite]:
    return [get_suite(name) for name in SUITES.names()]


def _by_name() -> None:
    """Stands in the registry for the suites of the table above."""
