"""The policy carries out instructions in their worlds (SecAgent §3.2 (2), (3)): up to 30 steps, several tries each."""

from __future__ import annotations

import random
import shutil
from collections.abc import Sequence
from dataclasses import replace as with_fields
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, ClassVar

from msgspec.structs import replace

from saccade.agents.ledger import Limits
from saccade.agents.records import LoggedStep
from saccade.agents.run import RunOverrides, start_run
from saccade.agents.settings import Settings as RunSettings
from saccade.data.collect.collector import Request, open_player
from saccade.data.collect.episode import MAX_STEPS, play_episode
from saccade.data.collect.players import PLAYERS, Choice, Player
from saccade.data.synthesis.navigation_plan import instruction_of, task_of
from saccade.data.synthesis.records import Outcome, Record, kept
from saccade.data.synthesis.stage import ItemStage, Settings, Tools
from saccade.errors import InputError
from saccade.models import open_model
from saccade.models.base import Model
from saccade.screens.element_source import TREE, open_element_source
from saccade.types import Step
from saccade.untrusted import read_bytes
from saccade.worlds.base import InfrastructureError, Observation, World
from saccade.worlds.element_source_world import seen_through
from saccade.worlds.tasks import Task
from saccade.worlds.teachers import Lesson

SUCCESS = {"success": True, "failure": False, "lost": False, "limit": False, "gave up": False}
"""What the ends of tries say of success; of the others (`ended`, `claimed`) a judge decides."""


class ExecuteSettings(Settings, frozen=True):
    """Settings of `execute_tasks`. Those after `max_steps` are for a model that plays."""

    tries: int = 1
    max_steps: int = MAX_STEPS
    paradigm: str = "secagent"
    agent: str = ""
    """The policy that drives the model (registry `saccade.policies`); empty: the model's own choice."""
    temperature: float = 0.0
    base_url: str = ""
    elements: str = TREE
    approval: str = ""
    """On real sites and devices: `careful`, `browse` or a file of rules; empty: careful."""


def policy_name(policy: str) -> str:
    """As records name it: without the folder of a model that lies on this machine."""
    kind, slash, rest = policy.partition("/")
    return f"{kind}{slash}{Path(rest).name}" if Path(rest).is_absolute() else policy


def about_other_task(steps: Sequence[Step], outcome: str) -> tuple[list[Step], str]:
    """A try at a written instruction, in a world that may have a task of its own: what the world says about that one is
    no truth here. What stays is what the policy said at the end.
    """
    own = [replace(step, truth=[], key_elements=None) for step in steps]
    last = own[-1].prediction if own else None
    if last is None or last.type not in ("terminate", "answer"):
        return own, "limit"
    return own, "gave up" if last.status == "failure" else "claimed"


def was_done(step: LoggedStep) -> bool:
    """Was it really done? Steps that were refused or had no effect taught the agent, but they are no data."""
    return step.prediction is not None and step.acted and not step.error


class InstructedPlayer(Player):
    """A player that is told the task in these words instead of the world's own."""

    def __init__(self, player: Player, instruction: str) -> None:
        self.player, self.instruction = player, instruction

    def begin(self, world: World) -> None:
        self.player.begin(world)

    def choose(self, seen: Observation, lesson: Lesson, chance: random.Random, step: int) -> Choice:
        return self.player.choose(with_fields(seen, instruction=self.instruction), lesson, chance, step)


class ExecuteTasks(ItemStage):
    """Each instruction becomes one record for each try. Where the world has a teacher, every step also says what would
    have been right.
    """

    name: ClassVar[str] = "execute_tasks"
    title: ClassVar[str] = "Let the policy carry out each instruction, several times."
    kind: ClassVar[type[Settings]] = ExecuteSettings
    plays: ClassVar[bool] = True
    _opened: dict[str, Any]

    def do(self, record: Record, tools: Tools) -> Outcome:
        if not tools.policy:
            raise InputError("nobody carries the instructions out: name the policy with --policy")
        settings: ExecuteSettings = self.settings
        return kept(*(self._try(record, number, tools) for number in range(settings.tries)))

    def _try(self, record: Record, number: int, tools: Tools) -> Record:
        task, name = task_of(record), f"{record.id}-try{number}"
        said = instruction_of(record)
        with tools.worlds.world(task) as opened:
            world = seen_through(opened, self._once(self.settings.elements, open_element_source))
            if not record.fields.get("written") and self._has_teacher(world, task):
                steps, outcome = self._taught(world, task, name, said, tools)
            else:
                steps, outcome = self._untaught(world, task, number, said, tools)
                if record.fields.get("written"):
                    steps, outcome = about_other_task(steps, outcome)
        tags = {**task.tags, "policy": policy_name(tools.policy), "outcome": outcome}
        if "wording" in record.fields:
            tags["wording"] = record.fields["wording"]
        for at, step in enumerate(steps):
            step.id, step.episode, step.step = f"{name}-{at:02}", name, at
            step.instruction, step.tags = said or step.instruction, {**step.tags, **tags}
        fields = {**record.fields, "instruction_id": record.id, "outcome": outcome}
        fields |= {"instruction": said or (steps[0].instruction if steps else ""), "success": SUCCESS.get(outcome)}
        return replace(record, id=name, steps=steps, fields=fields)

    def _taught(self, world: World, task: Task, name: str, said: str, tools: Tools) -> tuple[list[Step], str]:
        """Played beside the teacher, which says at every step what is right."""
        settings: ExecuteSettings = self.settings
        player: Player = self._once(tools.policy, self._player)
        told = InstructedPlayer(player, said) if said else player
        seed = f"{tools.seed}/{name}"  # another seed of the pipeline, another choice among right actions
        played = play_episode(world, task.seed, told, seed, tags={}, max_steps=settings.max_steps)
        for step, shot in zip(played.steps, played.shots, strict=True):
            step.image = tools.keep_picture(shot) if shot is not None else ""
        return played.steps, played.outcome

    def _untaught(self, world: World, task: Task, number: int, said: str, tools: Tools) -> tuple[list[Step], str]:
        """A run as `saccade run` makes it: nobody knows what would have been right."""
        if tools.policy in PLAYERS.names():
            raise InputError(
                f"--policy {tools.policy} plays where a world has a teacher, and {task.world} has none for this task: "
                "name a model"
            )
        settings: ExecuteSettings = self.settings
        run_settings = RunSettings(
            world=task.world,
            world_options=task.options,
            instruction=said,
            model=tools.policy,
            paradigm=settings.paradigm,
            agent=settings.agent,
            temperature=settings.temperature or None,
            limits=Limits(steps=settings.max_steps),
            judge="world",
            policy=settings.approval,
            seed=task.seed + number,
        )
        folder = Path(mkdtemp(prefix="saccade-try-"))
        try:
            model: Model = self._once(f"model {tools.policy}", lambda _: self._model(tools.policy))
            log = start_run(run_settings, folder / "run", self._overrides(world, model, task))
            tools.usage += log.run.usage
            assert log.run.outcome is not None
            if log.run.outcome.status == "broken":
                raise InfrastructureError(log.run.outcome.reason)
            return self._records(log.steps, log.folder, tools), log.run.outcome.status
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _records(self, logged: Sequence[LoggedStep], folder: Path, tools: Tools) -> list[Step]:
        """What was really done."""
        fields = [name for name in Step.__struct_fields__ if name != "image"]
        return [
            Step(
                **{name: getattr(step, name) for name in fields},
                image=tools.keep_picture(read_bytes(folder / step.image)) if step.image else "",
            )
            for step in filter(was_done, logged)
        ]

    def _overrides(self, world: World, model: Model, task: Task) -> RunOverrides:
        """What a run is handed. Each try has another seed, and so another world."""
        return RunOverrides(world=world, model=model)

    # -- opened once in each process --

    def _once(self, name: str, make: Any) -> Any:
        known = self.__dict__.setdefault("_opened", {})
        if name not in known:
            known[name] = make(name)
        return known[name]

    def _player(self, policy: str) -> Player:
        settings: ExecuteSettings = self.settings
        base_url, heat = settings.base_url or None, settings.temperature
        return open_player(
            Request(
                "",
                1,
                policy,
                paradigm=settings.paradigm,
                base_url=base_url,
                temperature=heat,
                agent=settings.agent,
                helped=False,
            )
        )

    def _model(self, policy: str) -> Model:
        return open_model(policy, **({"base_url": self.settings.base_url} if self.settings.base_url else {}))

    def _has_teacher(self, world: World, task: Task) -> bool:
        """Asked once for each kind of world, after a reset: some only know their task then."""

        def ask(_: str) -> bool:
            world.reset(task.seed)
            return world.teacher() is not None

        return bool(self._once(f"teacher of {world.name}", ask))
