"""A model as the one who acts while data is collected: self-play, labelled by the oracle at every step."""

from __future__ import annotations

import random
from dataclasses import replace

import msgspec

from saccade.actions import Action
from saccade.agents.build import as_taught
from saccade.agents.guidance import Case
from saccade.agents.memory import Memory
from saccade.agents.policy import Policy
from saccade.agents.records import LoggedStep
from saccade.agents.stuck import Stuck
from saccade.models.base import Ask, Model, ModelError
from saccade.paradigms.base import Paradigm
from saccade.paradigms.wording import language_of
from saccade.worlds.base import InfrastructureError, Observation
from saccade_phone.collection.policies import oracle
from saccade_phone.oracle import Advice

STANDS_STILL = Action("wait", seconds=0)
"""What an answer that cannot be read amounts to."""


class ModelPlayer:
    """Plays one episode after another with a model under a paradigm. A model that breaks breaks the episode, which is
    then tried again. Where it repeats itself on a screen that does not change, the oracle takes a step for it: what
    comes after is worth more than the same once more.
    """

    def __init__(self, model: Model, paradigm: Paradigm, temperature: float = 0.0) -> None:
        self.model = model
        self.paradigm, self.sight = as_taught(replace(paradigm, space="phone"), model)
        self.ask = Ask(temperature=temperature)
        self.memory = Memory(self.paradigm, self.sight)
        self.last: tuple[LoggedStep, Observation] | None = None
        self.stuck = Stuck()
        self.output = ""
        """The raw answer of the last step."""

    def __call__(self, seen: Observation, advice: Advice, chance: random.Random, step: int) -> Action:
        self._remember(seen, step)
        if step > 0 and any(self.stuck.check(seen.screen, self.memory.paradigm.language)):
            done = self._helped(seen, advice, chance, step)
        else:
            try:
                done = self._play(seen, chance.randrange(2**31))
            except ModelError as error:
                raise InfrastructureError(f"the model broke: {error}") from None
        self.last = done, seen
        action = done.prediction or STANDS_STILL
        self.stuck.watch(action, seen.screen)
        return action

    def _remember(self, seen: Observation, step: int) -> None:
        """What was done and what came of it; at the first step, nothing."""
        if step == 0:
            paradigm = replace(self.paradigm, language=language_of(seen.instruction))
            self.memory, self.last, self.stuck = Memory(paradigm, self.sight), None, Stuck()
        elif self.last is not None:
            before, screen = self.last
            self.memory.add(msgspec.structs.replace(before, error=seen.error), screen.screen.picture)

    def _helped(self, seen: Observation, advice: Advice, chance: random.Random, step: int) -> LoggedStep:
        self.output = ""
        action = oracle(seen, advice, chance, step)
        return LoggedStep(screen=seen.screen.size, elements=list(seen.screen.elements), prediction=action,
                          thought=advice.thoughts[advice.actions.index(action)], acted=True)  # fmt: skip

    def _play(self, seen: Observation, seed: int) -> LoggedStep:
        paradigm = self.memory.paradigm
        self.memory.summarise(self.model, seen.screen, Ask(purpose="summarise", max_tokens=300))
        told = seen.screen.elements if self.model.reads == "elements" else ()
        situation = self.memory.situation(seen.instruction, seen.screen, told, ())
        case = Case(seen.instruction, self.memory.context, seen.screen, seen)
        decision = Policy(self.model, paradigm, ask=self.ask).decide(situation, case, seed)
        reply = decision.parsed.reply if decision.parsed else None
        self.output = decision.output or (decision.outputs[-1] if decision.outputs else "")
        return LoggedStep(screen=seen.screen.size, elements=list(seen.screen.elements), prediction=decision.action,
                          thought=decision.thought, plan=reply.plan if reply else "",
                          summary=reply.summary if reply else "", acted=True)  # fmt: skip
