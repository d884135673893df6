"""What can be measured, by name. A suite of recordings is one line here; a live one has a function that lists tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Literal

from saccade.bench.tasks import desktop_tasks, miniwob_tasks
from saccade.data.readers import DATASETS, get_reader
from saccade.errors import InputError
from saccade.paradigms.verbs import Space
from saccade.registry import Registry, instance_of
from saccade.worlds.tasks import Task

Kind = Literal["static", "live"]


AITW_SUBSETS = ("general", "google_apps", "install", "web_shopping")
"""The four of AitW's five sub-sets that GuidNav measures."""


@dataclass(frozen=True)
class Draw:
    """The cases that a paper draws at random from a recording: so many of each group, or of all."""

    count: int
    tag: str = ""
    """The tag whose values are the groups; empty: there is one group."""
    groups: tuple[str, ...] = ()
    """The groups that are drawn from; empty: all."""


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
    training: Mapping[str, Any] = field(default_factory=dict)
    """Options for collecting training data, unless the user says otherwise: a split that is not measured on."""
    table: str = "steps"
    """How its table looks: grounding, planning, comprehension, tasks, steps, live."""
    draw: Draw | None = None
    """The paper's own draw, `--option draw=paper`."""


def _static(name: str, title: str, *datasets: str, **rest: Any) -> Suite:
    return Suite(name, title, datasets=datasets or (name,), **rest)


def live_suite(
    name: str,
    title: str,
    tasks: Callable[[Mapping[str, Any]], Iterator[Task]],
    choices: tuple[str, ...] = (),
    training: Mapping[str, Any] | None = None,
) -> Suite:
    """A suite of tasks in a world. `tasks` lists them for the options that `choices` names."""
    return Suite(
        name, title, "live", profile="cmgui", tasks=tasks, choices=choices, training=training or {}, table="live"
    )


_GROUNDING: dict[str, Any] = {"profile": "screenspot", "space": "grounding", "table": "grounding"}
_PLANNING: dict[str, Any] = {"profile": "os-atlas", "table": "planning"}
"""BTL-UI's Table 4 is scored "in line with OS-Atlas"; its rule `btl` is the one of its training reward."""
_BUILT_IN = (
    _static("screenspot", "ScreenSpot", **_GROUNDING),
    _static("screenspot-v2", "ScreenSpot-V2", **_GROUNDING),
    _static("screenspot-pro", "ScreenSpot-Pro", **_GROUNDING),
    _static("osworld-g", "OSWorld-G", **_GROUNDING | {"space": "refusable_grounding"}),
    _static("showui-desktop", "ShowUI-desktop", **_GROUNDING),
    _static("os-atlas", "OS-Atlas grounding", **_GROUNDING),
    _static("omniact", "OmniACT", profile="gui-r1", space="desktop"),
    _static(
        "androidcontrol-low",
        "AndroidControl-Low",
        "androidcontrol",
        "androidcontrol-std",
        options={"level": "low"},
        level="low",
        **_PLANNING,
    ),
    _static("androidcontrol-high", "AndroidControl-High", "androidcontrol", "androidcontrol-std", **_PLANNING),
    _static("gui-odyssey", "GUI-Odyssey", draw=Draw(100), **_PLANNING),
    _static("aitw", "AitW", profile="guidnav", table="aitw", draw=Draw(75, "source", AITW_SUBSETS)),
    _static("aitz", "AITZ", profile="aitz"),
    _static("cagui", "CAGUI", profile="qwen"),
    _static("cagui-grounding", "CAGUI grounding", "cagui", options={"part": "grounding"}, **_GROUNDING),
    _static("cmgui-bench", "CMGUI-Bench", "cmgui", profile="cmgui", table="tasks"),
    _static("ui-comprehension", "UI Comprehension-Bench", profile="gui-r1", table="comprehension"),
    _static("guiact", "GUIAct", profile="gui-r1", space="web"),
    _static("mind2web", "Multimodal-Mind2Web", profile="gui-r1", space="web"),
    _static("agentnet", "AgentNet", profile="gui-r1", space="desktop"),
    _static("screenagent", "ScreenAgent", profile="cmgui", space="desktop"),
    _static("steps", "step records", profile="btl"),
    live_suite("miniwob", "MiniWoB++", miniwob_tasks, ("set", "seeds", "seed"), training={"seeds": 1000}),
    live_suite(
        "desktop",
        "desktop applications",
        desktop_tasks,
        ("split", "group", "language", "seeds"),
        training={"split": "train", "seeds": 1000},
    ),
)
SUITES: Registry[Suite] = Registry("suite", {suite.name: suite for suite in _BUILT_IN}, accepts=instance_of(Suite))
"""Others bring theirs in the entry-point group `saccade.suites`, or in a plug-in file."""


def get_suite(name: str) -> Suite:
    """A suite by its name, or by that of a reader, which brings its suite along."""
    return suite_of_reader(name) if name not in SUITES.names() and name in DATASETS.names() else SUITES.get(name)


def suite_of_reader(name: str) -> Suite:
    """The suite of a reader that has no line above: its title, match profile, action space and table are the reader's
    own.
    """
    kind = get_reader(name)
    return _static(name, kind.title, profile=kind.profile, space=kind.space, table=kind.table)


def suites() -> list[Suite]:
    """All suites, those of plugged-in readers at the end."""
    names = [*SUITES.names(), *DATASETS.plugged()]
    return [get_suite(name) for name in dict.fromkeys(names)]


def live_tasks(suite: Suite, options: Mapping[str, Any], count: int) -> list[Task]:
    """The first tasks of a live suite, at most `count`. Options that it does not have are the user's mistake."""
    if suite.tasks is None:
        raise InputError(f"the suite {suite.name} has recordings, no tasks to act on")
    if unknown := sorted(set(options) - set(suite.choices)):
        known = f"it has {', '.join(suite.choices)}" if suite.choices else "it has none"
        raise InputError(f"the suite {suite.name} has no option {', '.join(unknown)}: {known}")
    return list(islice(suite.tasks(options), count))


def training_tasks(world: str, count: int, options: Mapping[str, Any], seed: int = 0) -> list[Task]:
    """Tasks to collect training data on. The name of a live suite gives its tasks, with the suite's own options for
    training; any other name is a world as on the command line, with seeds from `seed` on.
    """
    if world not in SUITES.names():
        return [Task(f"{at:05}", world, seed + at, dict(options)) for at in range(count)]
    suite = get_suite(world)
    given = {**suite.training, **options}
    if seed or "seed" in suite.choices:
        given.setdefault("seed", seed)
    return live_tasks(suite, given, count)
