"""A world of one's own in one file: a counter with two buttons, its tasks, and a teacher that knows the way.

    saccade run --plugin counter_world.py --world counter/3 --model oracle
    saccade bench counter --plugin counter_world.py --model oracle
    saccade data collect counter --plugin counter_world.py --episodes 4 --out counter-data
    saccade tasks list --plugin counter_world.py

A world is a class with `reset`, `act` and `close`. With a `teacher`, the oracle can act in it, and data can be
collected; with `configure`, it stays open from task to task.
"""

from __future__ import annotations

import io
import random
from collections.abc import Iterator, Mapping
from typing import Any

from PIL import Image, ImageDraw

from saccade import Action, Box, Element, Picture, Screen, Size
from saccade.bench.suites import live_suite
from saccade.errors import InputError
from saccade.worlds.base import Observation, World
from saccade.worlds.record_options import opened_from_records
from saccade.worlds.tasks import Task, TaskCatalog, TaskTemplate
from saccade.worlds.teachers import Lesson, Teacher

SIZE = Size(360, 640)
MINUS, PLUS = Box(40, 400, 160, 500), Box(200, 400, 320, 500)
GOALS = (1, 2, 3, 5, -2)
LARGEST = 20


class CounterWorld(World):
    """Shows a number; the task is to bring it to another one with the buttons, and then to say so."""

    name = "counter"
    actions = frozenset({"click", "wait", "terminate"})
    real = False
    """Nothing outside this process changes: no action needs approval."""
    judges = True
    space = "phone"
    task_options = frozenset({"start"})

    def __init__(self, goal: int, start: int | None = None, colour: str = "white") -> None:
        self.goal, self.start, self.colour = goal, start, colour
        self.value, self.over = 0, False

    def configure(self, task: str, options: Mapping[str, Any]) -> None:
        self.goal = read_goal(task)
        self.start = options.get("start", self.start)

    def reset(self, seed: int | None = None, task: str | None = None) -> Observation:
        self.over = False
        self.value = random.Random(seed).randint(-3, 3) if self.start is None else self.start
        return self.observe()

    def act(self, action: Action) -> Observation:
        if action.type not in self.actions:
            return self.observe(f"there is no way to {action.type} here")
        if action.point is not None:
            self.value += PLUS.contains(action.point) - MINUS.contains(action.point)
        self.over = action.type == "terminate"
        return self.observe()

    def observe(self, error: str = "") -> Observation:
        elements = [
            Element(1, Box(40, 120, 320, 260), "text", str(self.value), "the number", interactive=False),
            Element(2, MINUS, "button", "−", "makes the number smaller by one"),
            Element(3, PLUS, "button", "+", "makes the number larger by one"),
        ]
        screen = Screen(SIZE, Picture(self.drawn(), SIZE), elements)
        reward = float(self.over and self.value == self.goal)
        task = f"Set the counter to {self.goal}"
        return Observation(screen, app="counter", error=error, reward=reward, done=self.over, instruction=task)

    def drawn(self) -> bytes:
        image = Image.new("RGB", SIZE, self.colour)
        pen = ImageDraw.Draw(image)
        pen.text((160, 160), str(self.value), "black", font_size=64)
        for box, sign in ((MINUS, "-"), (PLUS, "+")):
            pen.rectangle(tuple(box), outline="black", width=3)
            pen.text((box.center.x - 14, box.center.y - 32), sign, "black", font_size=48)
        stream = io.BytesIO()
        image.save(stream, "PNG")
        return stream.getvalue()

    def teacher(self, **options: Any) -> Teacher:
        return CounterTeacher(self)

    def close(self) -> None:
        self.over = True


class CounterTeacher(Teacher):
    """Presses the right button until the number is right."""

    def __init__(self, world: CounterWorld) -> None:
        self.world = world

    def _teach(self, seen: Observation) -> Lesson:
        missing = self.world.goal - self.world.value
        tags = {"missing": str(missing)}
        if missing == 0:
            return Lesson([Action("terminate", status="success")], (), "The number is right.", "stopped", tags=tags)
        box, word = (PLUS, "larger") if missing > 0 else (MINUS, "smaller")
        button = next(element for element in seen.screen.elements if element.box == box)
        thought = f"The number is {self.world.value} and must become {self.world.goal}, so I make it {word}."
        return Lesson([Action("click", box.center, box)], [button], thought, f"made the number {word}", tags=tags)


def read_goal(text: str) -> int:
    try:
        return int(text or GOALS[0])
    except ValueError:
        raise InputError(f"the task of the counter is {text!r}: name a number, as counter/3") from None


@opened_from_records("start", "colour")
def open_counter(goal: str = "", *, start: int | None = None, colour: str = "white") -> World:
    """A counter with two buttons; `counter/3` asks for the number 3."""
    return CounterWorld(read_goal(goal), start, colour)


def counter_tasks(options: Mapping[str, Any]) -> Iterator[Task]:
    """Every goal once with each seed; `colour` paints the screens."""
    world = {name: options[name] for name in ("colour",) if name in options}
    for seed in range(int(options.get("seeds", 4))):
        for goal in GOALS:
            yield Task(f"{goal}-{seed}", f"counter/{goal}", seed, world, {"goal": str(goal)})


class CounterTasks(TaskCatalog):
    """What `saccade tasks list` shows."""

    world = "counter"

    def templates(self, split: str | None = None) -> list[TaskTemplate]:
        return [TaskTemplate(str(goal), kind="do", example={"en": f"Set the counter to {goal}"}) for goal in GOALS]


SACCADE = {
    "worlds": {"counter": open_counter},
    "suites": {"counter": live_suite("counter", "counting with two buttons", counter_tasks, ("seeds", "colour"))},
    "tasks": {"counter": CounterTasks()},
}
