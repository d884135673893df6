"""One attempt at one task without a browser: the world shows and judges it, the planner can play it to the end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from saccade.actions import Action
from saccade.errors import InputError
from saccade_phone.app import App, State
from saccade_phone.apps import apps as all_apps
from saccade_phone.judge import succeeded
from saccade_phone.path_search import FirstLook, Move
from saccade_phone.phone_state import new_phone, tick
from saccade_phone.planner import Plan, plan
from saccade_phone.seeded_random import Language, Split
from saccade_phone.state_machine import Machine, shared_copy
from saccade_phone.tasks import Goal, Params, UnfitError, find_task, tasks
from saccade_phone.tasks.base import TRIES

LONGEST = 40


@dataclass
class Session:
    """The phone's state now and at the start, and the goal."""

    state: State
    start: State
    goal: Goal
    apps: Mapping[str, App]

    @classmethod
    def begin(
        cls,
        task: str,
        seed: int,
        language: Language = "en",
        *,
        split: Split | None = None,
        theme: str = "",
        interruptions: bool = False,
    ) -> Session:
        """A phone with this seed and a task drawn for it. A phone without anything for the task is drawn again."""
        template = find_task(task, tasks())
        for attempt in range(TRIES):
            drawn = seed if attempt == 0 else seed * TRIES + attempt + 1_000_000_007
            state, people = new_phone(all_apps(), drawn, language, theme=theme, interruptions=interruptions)
            try:
                goal = template.draw(Params(state, drawn, f"task/{task}", language, people, split))
            except UnfitError:
                continue
            return cls(state, shared_copy(state), goal, all_apps())
        raise InputError(f"no phone near seed {seed} has anything for the task {task}")

    @classmethod
    def free(cls, seed: int, language: Language = "en", *, theme: str = "", interruptions: bool = False) -> Session:
        """A phone without a task, to play with."""
        state, _ = new_phone(all_apps(), seed, language, theme=theme, interruptions=interruptions)
        return cls(state, shared_copy(state), Goal(""), all_apps())

    @property
    def machine(self) -> Machine:
        return Machine(self.state, self.apps)

    def plan(self, focus: str = "", sight: FirstLook | None = None) -> Plan:
        return plan(self.apps, self.state, self.start, self.goal, focus, sight)

    def tick(self) -> None:
        tick(self.state, self.start)

    def succeeded(self, last: Action) -> bool:
        return succeeded(self.apps, self.goal, self.start, self.state, last)

    def copy(self) -> Session:
        """A copy in the same state, without further interruptions."""
        return Session(shared_copy(self.state) | {"interruptions": []}, self.start, self.goal, self.apps)


def play(session: Session, move: Move, focus: str = "") -> str:
    """Do a move without a browser; returns the text field that then has the focus."""
    machine = session.machine
    focused = ""
    if move.kind == "type":
        machine.touch({"id": move.id, "kind": "input", "value": str(machine.top["form"].get(move.id, "")) + move.text})
        focused = move.id
    elif move.kind == "enter":
        machine.touch({"id": move.id, "kind": "submit"})
    elif move.kind == "press":
        machine.press(move.id)
    elif move.kind == "swipe":
        machine.turn(move.id)
    elif move.kind == "open_app":
        machine.front_app(move.id)
    elif move.kind == "tap" and machine.is_field(move.id):
        focused = move.id
    elif move.kind in ("tap", "hold", "pull"):
        problem = machine.touch({"id": move.id, "kind": move.kind})
        if problem:
            raise LookupError(problem)
    session.tick()
    return focused


def last_action(move: Move) -> Action:
    if move.kind == "answer":
        return Action("answer", text=move.text)
    return Action("terminate", status=move.id)  # type: ignore[arg-type]


@dataclass
class Rollout:
    """The planner's moves to the end of a task, and whether they succeeded."""

    moves: list[Move]
    success: bool
    lost: str = ""
    state: Any = None


def roll_out(
    session: Session,
    focus: str = "",
    longest: int = LONGEST,
    chance: Random | None = None,
    sight: FirstLook | None = None,
) -> Rollout:
    """Let the planner play a copy to the end, always with its first move, or with `chance` any right one; with
    `sight`, only with that knowledge.
    """
    session = session.copy()
    moves: list[Move] = []
    while len(moves) < longest:
        found = session.plan(focus, sight)
        if found.lost:
            return Rollout(moves, False, found.lost, session.state)
        move = chance.choice(found.moves) if chance else found.moves[0]
        moves.append(move)
        if move.kind in ("answer", "terminate"):
            return Rollout(moves, session.succeeded(last_action(move)), "", session.state)
        focus = play(session, move, focus)
    return Rollout(moves, False, "", session.state)
