"""One episode of a random walk: an action at a time, and a record of each screen with what was done on it."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Protocol

from saccade.actions import Action
from saccade.agents.approval import ApprovalPolicy, Gate
from saccade.agents.loop_detector import same_elements, unchanged
from saccade.data.synthesis.episode_start import start_tags
from saccade.data.synthesis.state_changes import StateWatcher
from saccade.data.synthesis.walk_actions import ActionChooser, Proposal
from saccade.data.synthesis.walk_words import screen_language
from saccade.types import SEVERAL, Step
from saccade.worlds.base import InfrastructureError, Observation, World, check_observation
from saccade.worlds.browser.network import AllowList
from saccade.worlds.tasks import Task

MOST_REFUSALS = 12
"""After so many refused proposals on one screen the walk begins anew."""


@dataclass
class WalkedEpisode:
    """The records of one job, and the screenshot of each."""

    steps: list[Step] = field(default_factory=list)
    shots: list[bytes | None] = field(default_factory=list)

    @property
    def done(self) -> int:
        """How many actions were done."""
        return sum(step.prediction is not None for step in self.steps)


def walk_gate(world: World, policy: ApprovalPolicy) -> Gate:
    """What may be done: everything in a sandbox; in a real world what the policy allows without asking."""
    allow = getattr(world, "allow", None)
    hosts = allow.hosts if isinstance(allow, AllowList) else ()
    return Gate(policy if world.real else None, world.real, None, hosts)


class Walk:
    """A walk of `length` actions in one world. Where the world ends an episode before, another begins with a new seed,
    so that each job does as many actions.
    """

    def __init__(
        self,
        world: World,
        name: str,
        length: int,
        policy: ApprovalPolicy,
        tags: Mapping[str, str],
        task: Task | None = None,
    ) -> None:
        """`task`: how the world was opened, so that each episode can tell where it began."""
        self.world, self.name, self.length, self.tags, self.task = world, name, length, tags, task
        self.gate = walk_gate(world, policy)
        self.walked = WalkedEpisode()

    def walk(self, seed: int, chance: random.Random) -> WalkedEpisode:
        """All of it. The first episode has the seed `seed`."""
        for part in range(self.length):
            self._episode(seed, chance, f"{self.name}-{part}")
            if self.walked.done >= self.length:
                break
            seed = chance.randrange(2**31)
        return self.walked

    def _episode(self, seed: int, chance: random.Random, episode: str) -> None:
        seen = check_observation(self.world.reset(seed), self.world, "reset")
        if seen.error:
            raise InfrastructureError(seen.error)
        chooser = ActionChooser(self.world.actions, self.world.space, chance)
        watcher = StateWatcher(self.world)
        number = 0
        while True:
            step = self._add(seen, episode, number)
            if self.task is not None and number == 0:
                step.tags |= start_tags(self.task, seed)
            proposal, refused = (None, []) if self._over(seen) else self._allowed(chooser, seen)
            if refused:
                step.tags["refused"] = SEVERAL.join(refused)
            if proposal is None:
                return
            after = check_observation(self.world.act(proposal.action), self.world, "act")
            changes = watcher.tags()
            changed = not after.error and differs(seen, after)
            chooser.tell(proposal, changed)
            step.prediction = proposal.action
            step.tags |= transition_tags(proposal, seen, after, changed) | changes
            seen, number = after, number + 1

    def _over(self, seen: Observation) -> bool:
        return seen.done or self.walked.done >= self.length

    def _allowed(self, chooser: ActionChooser, seen: Observation) -> tuple[Proposal | None, list[str]]:
        """A proposal that the gate lets pass, and the rules by which it refused others. None if it refused all."""
        refused: list[str] = []
        while len(refused) < MOST_REFUSALS:
            proposal = chooser.propose(seen)
            approval = self.gate.check(proposal.action, seen, self.world)
            if approval.allowed:
                return proposal, refused
            refused.append(approval.rule or "default")
            chooser.tell(proposal, changed=False)
        return None, refused

    def _add(self, seen: Observation, episode: str, number: int) -> Step:
        """The record of a screen. What is done on it comes later; the last one of an episode stays without."""
        elements = list(seen.screen.elements)  # they are found now: after the action the screen is gone
        tags = {"language": screen_language(elements)} if elements else {}
        step = Step(
            id=f"{episode}-{number:02}",
            episode=episode,
            step=number,
            screen=seen.screen.size,
            elements=elements,
            tags=tags | dict(self.tags) | place_tags(seen),
        )
        self.walked.steps.append(step)
        self.walked.shots.append(seen.screen.picture.data() if seen.screen.picture is not None else None)
        return step


def differs(before: Observation, after: Observation) -> bool:
    """Did something happen? Another address, other elements, or a picture that differs by more than a caret."""
    if (before.app, before.url) != (after.app, after.url):
        return True
    if not same_elements(before.screen.elements, after.screen.elements):
        return True
    return not unchanged(before.screen, after.screen)


class Place(Protocol):
    """What says where a screen is: an observation, or a logged step."""

    app: str
    url: str


def place_tags(seen: Place, suffix: str = "") -> dict[str, str]:
    """Where a screen is, as far as the world knows."""
    return {f"{name}{suffix}": value for name, value in (("app", seen.app), ("url", seen.url)) if value}


def transition_tags(proposal: Proposal, seen: Observation, after: Observation, changed: bool) -> dict[str, str]:
    """What an action did, as tags of the record of the screen that it was done on."""
    tags = {"changed": "yes" if changed else "no", **place_tags(after, "_after")}
    if proposal.element is not None:
        tags["element"] = str(proposal.element.id)
    if after.error:
        tags["error"] = after.error[:200]
    return tags


def point_to_next_images(steps: list[Step]) -> None:
    """Set the tag `after`: the image of the screen that an action led to. The images must have their names."""
    for step, following in pairwise(steps):
        if step.prediction is not None and following.image:
            step.tags["after"] = following.image


def action_of(step: Step) -> Action | None:
    """What was done on this screen, if it did something (UILoop App. A keeps only such actions)."""
    return step.prediction if step.tags.get("changed") == "yes" else None
