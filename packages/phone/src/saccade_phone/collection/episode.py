"""One episode on the phone, played by a policy and labelled by the oracle at every step."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Literal

from saccade.actions import Action, plainest
from saccade.paradigms.wording import in_words, language_of
from saccade.types import Step
from saccade.worlds.base import Observation
from saccade_phone.collection.facts import facts_in_view
from saccade_phone.collection.player import ModelPlayer
from saccade_phone.collection.policies import Policy
from saccade_phone.narration import summary
from saccade_phone.oracle import Advice, Oracle
from saccade_phone.search import Sight
from saccade_phone.session import roll_out
from saccade_phone.splits import Chosen
from saccade_phone.world import PhoneWorld

Outcome = Literal["success", "failure", "lost", "limit"]
LONGEST = 30
JOINT = "; "
"""Between the facts of the tag `noted`."""


@dataclass
class Played:
    """An episode's records, the screenshot of each, and how it ended."""

    steps: list[Step] = field(default_factory=list)
    shots: list[bytes | None] = field(default_factory=list)
    outcome: Outcome = "limit"


def play_episode(world: PhoneWorld, chosen: Chosen, policy: Policy, name: str, *, tags: dict[str, str],
                 longest: int = LONGEST, by_sight: bool = False) -> Played:  # fmt: skip
    """Play until the policy says it is done, the task is lost, or `longest` steps were taken.

    Each record holds what the policy did (`prediction`) and all that would have been right (`truth`); `by_sight`: to
    one who knows no more than what was told and shown.
    """
    world.language, world.theme = chosen.language, chosen.theme
    seen = world.reset(chosen.seed, chosen.task)
    chance, oracle = random.Random(f"{name}/{chosen.seed}"), Oracle(world, by_sight)
    played = Played()
    phrases: list[str] = []
    noted: dict[str, None] = {}
    left: int | None = None
    while len(played.steps) < longest:
        elements = list(seen.screen.elements)
        noted |= dict.fromkeys(facts_in_view(world, elements))
        advice = oracle.advise(elements, noted)
        if advice.lost:
            played.outcome = "lost"
            break
        action = policy(seen, advice, chance, len(played.steps))
        left = remaining(world, oracle.told(noted)) if left is None else left
        step = record(world, seen, advice, action, phrases, tags | {"remaining": str(left)})
        if noted:
            step.tags["noted"] = JOINT.join(noted)
        if isinstance(policy, ModelPlayer):
            step.output, step.paradigm = policy.output, policy.paradigm.name
        played.steps.append(step)
        left = left - (action.type != "swipe") if action in advice.actions and left > 1 else None
        played.shots.append(shot(seen))
        phrases.append(phrase(seen, advice, action))
        seen = world.act(action)
        if seen.done:
            played.outcome = "success" if seen.reward > 0 else "failure"
            break
    for at, step in enumerate(played.steps):
        step.episode, step.step, step.id = name, at, f"{name}-{at:02}"
        step.tags["outcome"] = played.outcome
    return played


def remaining(world: PhoneWorld, sight: Sight | None = None) -> int:
    """How many steps are left, the last word included and scrolling apart, to one who knows no more than `sight`."""
    return len(roll_out(world.session, sight=sight).moves)


def record(world: PhoneWorld, seen: Observation, advice: Advice, action: Action, phrases: list[str],
           tags: dict[str, str]) -> Step:  # fmt: skip
    state = world.session.state
    right = action in advice.actions
    at = advice.actions.index(action if right else plainest(advice.actions))
    top = world.session.machine.top
    return Step(
        instruction=world.session.goal.instruction,
        screen=seen.screen.size,
        history=list(phrases),
        context=summary(phrases, state["language"]),
        elements=list(seen.screen.elements),
        key_elements=advice.key_elements,
        truth=advice.actions,
        prediction=action,
        thought=advice.thoughts[at],
        tags={
            **tags,
            "task": world.task,
            "app": world.session.machine.front,
            "screen": str(top["screen"]),
            "language": state["language"],
            "mode": state["theme"]["mode"],
            "font": state["theme"]["font"],
            "seed": str(world.seed),
            "right": "yes" if right else "no",
        },
    )


def phrase(seen: Observation, advice: Advice, action: Action) -> str:
    """What the step did, for later summaries; of a stray touch, what it touched."""
    if action in advice.actions:
        return advice.phrases[advice.actions.index(action)]
    return in_words(action, seen.screen, language_of(seen.instruction))


def shot(seen: Observation) -> bytes | None:
    return seen.screen.picture.data() if seen.screen.picture is not None else None
