"""What the navigation flywheel is to make: a short YAML file, PLAN of `saccade data navigate`.

world: phone                 # a suite of tasks; a world's name takes seeds 0, 1, 2 …
options: {split: train}
tasks: 600                   # of the world's own list, whose instructions and truth the world knows
instructions: 20             # what a model writes for each app and language below
wordings: 2                  # in how many other ways a model puts each of them
tries: 1
max_steps: 30
starts:                      # where written instructions are carried out, for each language
  en: {world: phone, options: {language: en}}
  zh: {world: phone, options: {language: zh}}
apps:
  clock: Alarms with a time and weekdays, a timer, a stopwatch, clocks of other cities.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from saccade.data.collect.episode import MAX_STEPS
from saccade.data.synthesis.records import Record
from saccade.errors import InputError, readable
from saccade.geometry import Size
from saccade.paradigms.wording import language_of
from saccade.typed_values import to_type
from saccade.types import Language, Step
from saccade.untrusted import YamlError, read_yaml
from saccade.worlds import split_name
from saccade.worlds.tasks import TASKS, Task

TASK_FILE = "tasks.jsonl"
"""In the output folder: the world's own tasks that are to be played, one in a line."""
AT_ONCE = 10
"""Instructions that a model writes in one answer."""
NO_SCREEN = Size(1, 1)
"""Of the one step that holds an instruction before anybody carried it out."""
PLANS = Path(__file__).parent / "plans"


class Start(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Where a written instruction is carried out."""

    world: str
    options: dict[str, Any] = msgspec.field(default_factory=dict)


class NavigationPlan(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """What stands in the file."""

    world: str = ""
    options: dict[str, Any] = msgspec.field(default_factory=dict)
    tasks: int = 0
    apps: dict[str, str] = msgspec.field(default_factory=dict)
    """App → what one can do there, for the model that writes instructions."""
    instructions: int = 0
    starts: dict[Language, Start] = msgspec.field(default_factory=dict)
    wordings: int = 0
    tries: int = 1
    max_steps: int = MAX_STEPS

    @property
    def settings(self) -> dict[str, dict[str, Any]]:
        """The settings that the plan gives to stages, by stage."""
        planned = {"apps": self.apps, "instructions": self.instructions, "starts": msgspec.to_builtins(self.starts)}
        return {
            "plan_tasks": planned,
            "paraphrase_instructions": {"wordings": self.wordings},
            "execute_tasks": {"tries": self.tries, "max_steps": self.max_steps},
        }


def plan_file(name: str) -> Path:
    """A plan's file, or that of one that is installed."""
    file = Path(name) if Path(name).suffix else PLANS / f"{name}.yaml"
    if not file.is_file():
        known = ", ".join(sorted(each.stem for each in PLANS.glob("*.yaml")))
        raise InputError(f"there is no plan {name!r}: give a YAML file, or one of {known}")
    return file


def read_plan(name: str) -> NavigationPlan:
    """A plan by its name or file, checked."""
    file = plan_file(name)
    try:
        plan = to_type(read_yaml(file), NavigationPlan)
    except YamlError as error:
        raise InputError(f"{file} is not YAML: {error}") from None
    except msgspec.ValidationError as error:
        raise InputError(f"{file}: {readable(error)}") from None
    if plan.tasks and not plan.world:
        raise InputError(f"{file}: `tasks` needs `world`, the suite or world whose tasks they are")
    if plan.apps and plan.instructions and not plan.starts:
        raise InputError(f"{file}: `apps` needs `starts`: for each language the world in which instructions are tried")
    if not plan.tasks and not (plan.apps and plan.instructions):
        raise InputError(f"{file}: nothing is to be made: give `tasks`, or `apps` and `instructions`")
    if min(plan.tries, plan.max_steps) < 1 or min(plan.tasks, plan.instructions, plan.wordings) < 0:
        raise InputError(f"{file}: `tries` and `max_steps` must be at least 1, other numbers at least 0")
    return plan


def instruction_step(id: str, instruction: str, tags: Mapping[str, str]) -> Step:
    """An instruction that a model wrote, before anybody carried it out, in the form that people review."""
    return Step(id=id, episode=id, instruction=instruction, screen=NO_SCREEN, tags=dict(tags))


def instruction_of(record: Record) -> str:
    """What a record asks for: as a model wrote it and people left it, or as the world says it; empty if only the world
    knows.
    """
    return record.step.instruction if record.steps else str(record.fields.get("instruction", ""))


def in_other_words(record: Record, number: int, instruction: str) -> Record:
    """The same task with another instruction."""
    name = f"{record.id}-w{number}"
    steps = [replace(step, id=name, episode=name, instruction=instruction) for step in record.steps]
    fields = {**record.fields, "instruction": instruction, "wording": str(number)}
    return Record(id=name, steps=steps, fields=fields)


def task_records(tasks: Sequence[Task]) -> Iterator[Record]:
    """One record for each task of a world; with its instruction where the world's list of tasks knows it."""
    for at, task in enumerate(tasks):
        name, kind = f"t{at:05}", split_name(task.world)[0]
        said = TASKS.get(kind).instruction(task) if kind in TASKS.names() else ""
        fields: dict[str, Any] = {"task": msgspec.to_builtins(task), "instruction": said}
        if (language := task.tags.get("language") or (language_of(said) if said else "")) in ("en", "zh"):
            fields["language"] = language
        yield Record(id=name, fields=fields)


def app_records(apps: Mapping[str, str], starts: Mapping[Language, Start], instructions: int) -> Iterator[Record]:
    """One record for each list of instructions that a model is to write."""
    for app, functions in apps.items():
        for language, start in starts.items():
            for number, first in enumerate(range(0, instructions, AT_ONCE), 1):
                name = f"{app}-{language}-{number:02}"
                tags = {"app": app, "language": language, "task": "written"}
                task = Task(name, start.world, 0, start.options, tags)
                wanted = min(AT_ONCE, instructions - first)
                about = {"app": app, "functions": functions, "list": number, "wanted": wanted, "language": language}
                yield Record(id=name, fields={**about, "task": msgspec.to_builtins(task)})


def task_of(record: Record) -> Task:
    """The task of a record."""
    return to_type(record.fields["task"], Task)
