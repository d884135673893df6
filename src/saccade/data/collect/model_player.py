"""A model that plays while data is collected: self-play, labelled by the teacher at every step."""

from __future__ import annotations

import random
from dataclasses import replace

import msgspec

from saccade.actions import Action
from saccade.agents.build import as_taught
from saccade.agents.guidance import Case
from saccade.agents.hidden_settings import cleaned
from saccade.agents.loop_detector import LoopDetector
from saccade.agents.memory import Memory
from saccade.agents.policy import open_policy
from saccade.agents.records import LoggedStep
from saccade.data.collect.players import Choice, Player, oracle
from saccade.models.base import Ask, Model, ModelError
from saccade.paradigms.base import Paradigm
from saccade.paradigms.wording import language_of
from saccade.worlds.base import InfrastructureError, Observation, World
from saccade.worlds.secrets import Vault
from saccade.worlds.teachers import Lesson

STANDS_STILL = Action("wait", seconds=0)
"""What an answer that cannot be read amounts to."""


class ModelPlayer(Player):
    """Plays with a model under a paradigm. A model that breaks breaks the episode, which is then tried again. Where it
    repeats itself on a screen that does not change, the teacher takes a step for it: what comes after teaches more than
    the same step once more. Not so with `helped=False`, where the question is how far it gets by itself.
    """

    def __init__(
        self,
        model: Model,
        paradigm: Paradigm,
        temperature: float = 0.0,
        agent: str = "",
        helped: bool = True,
        vault: Vault | None = None,
    ) -> None:
        """`vault` holds what the model's server knows and no record may say: its key and password."""
        self.model, self.form, self.agent, self.helped = model, paradigm, agent, helped
        self.vault = vault or Vault()
        self.paradigm, self.sight = as_taught(paradigm, model)
        self.ask = Ask(temperature=temperature)
        self.memory = Memory(self.paradigm, self.sight)
        self.steps: list[LoggedStep] = []
        """Of the episode so far: what a policy that remembers is given."""
        self.last: tuple[LoggedStep, Observation] | None = None
        self.loop_detector = LoopDetector()

    def begin(self, world: World) -> None:
        """Only what can be done in this world is declared to the model."""
        self.paradigm, self.sight = as_taught(replace(self.form, space=world.space), self.model)

    def choose(self, seen: Observation, lesson: Lesson, chance: random.Random, step: int) -> Choice:
        self._remember(seen, step)
        output = ""
        if self.helped and step > 0 and any(self.loop_detector.check(seen.screen, self.memory.paradigm.language)):
            done = self._helped(seen, lesson, chance, step)
        else:
            try:
                done, output = self._play(seen, chance.randrange(2**31))
            except ModelError as error:
                raise InfrastructureError(f"the model broke: {error}") from None
        self.last = done, seen
        action = cleaned(done.prediction or STANDS_STILL, self.vault)
        self.loop_detector.watch(action, seen.screen)
        return Choice(action, self.vault.redact(output), self.paradigm.name)

    def _remember(self, seen: Observation, step: int) -> None:
        """What was done and what came of it; at the first step, nothing."""
        if step == 0:
            paradigm = replace(self.paradigm, language=language_of(seen.instruction))
            self.memory, self.last, self.loop_detector = Memory(paradigm, self.sight), None, LoopDetector()
            self.steps = []
        elif self.last is not None:
            before, screen = self.last
            self.steps.append(msgspec.structs.replace(before, error=seen.error))
            self.memory.add(self.steps[-1], screen.screen.picture)

    def _helped(self, seen: Observation, lesson: Lesson, chance: random.Random, step: int) -> LoggedStep:
        action = oracle(seen, lesson, chance, step)
        return LoggedStep(
            screen=seen.screen.size,
            elements=list(seen.screen.elements),
            prediction=action,
            thought=lesson.thought_of(action),
            acted=True,
        )

    def _play(self, seen: Observation, seed: int) -> tuple[LoggedStep, str]:
        """The step as a run would have logged it, and the raw answer."""
        paradigm = self.memory.paradigm
        self.memory.summarise(self.model, seen.screen, Ask(purpose="summarise", max_tokens=300))
        hinted = seen.screen.elements if self.model.reads == "elements" else ()
        situation = self.memory.situation(seen.instruction, seen.screen, hinted, ())
        case = Case(seen.instruction, self.memory.context, seen.screen, seen, tuple(self.steps))
        decision = open_policy(self.model, paradigm, self.agent, ask=self.ask).decide(situation, case, seed)
        reply = decision.parsed.reply if decision.parsed else None
        output = decision.output or (decision.outputs[-1] if decision.outputs else "")
        step = LoggedStep(
            screen=seen.screen.size,
            elements=list(seen.screen.elements),
            prediction=decision.action,
            thought=decision.thought,
            plan=reply.plan if reply else "",
            summary=reply.summary if reply else "",
            acted=True,
        )
        return step, output

    def close(self) -> None:
        self.model.close()
