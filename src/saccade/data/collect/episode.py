"""One episode in a world, played by a player and labelled by the world's teacher at every step."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from saccade.actions import Action, plainest
from saccade.data.collect.players import Choice, Player
from saccade.errors import InputError
from saccade.paradigms.base import Language
from saccade.paradigms.wording import in_words, language_of
from saccade.types import Step
from saccade.worlds.base import Observation, World, check_observation
from saccade.worlds.teachers import Lesson, Teacher

Outcome = Literal["success", "failure", "ended", "lost", "limit"]
"""`ended`: by the player's last word, where the world does not judge; `lost`: no action leads to the goal any more."""
MAX_STEPS = 30
MOST_PHRASES = 12
"""So many of the latest phrases stand in a running summary."""


@dataclass
class Recording:
    """An episode's records, the screenshot of each, and how it ended."""

    steps: list[Step] = field(default_factory=list)
    shots: list[bytes | None] = field(default_factory=list)
    outcome: Outcome = "limit"


def play_episode(
    world: World, seed: int, player: Player, name: str, *, tags: Mapping[str, str], max_steps: int = MAX_STEPS
) -> Recording:
    """Play until the player says it is done, the world ends it, the task is lost, or `max_steps` steps were taken.

    Each record holds what the player did (`prediction`) and every action that would have been right (`truth`).
    """
    seen = check_observation(world.reset(seed), world, "reset")
    teacher = world.teacher()
    if teacher is None:
        raise InputError(f"the world {world.name} has no teacher: data can be collected where right actions are known")
    chance, recording, phrases = random.Random(f"{name}/{seed}"), Recording(), list[str]()
    player.begin(world)
    while len(recording.steps) < max_steps:
        list(seen.screen.elements)  # they are found now: after the action the screen is gone
        lesson = teacher.teach(seen)
        if lesson.lost or not lesson.truth:
            recording.outcome = "lost"
            break
        choice = player.choose(seen, lesson, chance, len(recording.steps))
        recording.steps.append(_record(seen, teacher, choice, phrases, tags))
        recording.shots.append(seen.screen.picture.data() if seen.screen.picture is not None else None)
        phrases.append(_phrase(seen, lesson, choice.action))
        teacher.acted(choice.action)
        seen = check_observation(world.act(choice.action), world, "act")
        if seen.done:
            recording.outcome = "success" if world.succeeded(seen) else "failure"
            break
        if choice.action.type in ("terminate", "answer"):
            recording.outcome = "failure" if world.judges else "ended"
            break
    for at, step in enumerate(recording.steps):
        step.episode, step.step, step.id = name, at, f"{name}-{at:02}"
        step.tags["outcome"] = recording.outcome
    return recording


def _record(
    seen: Observation, teacher: Teacher, choice: Choice, phrases: Sequence[str], tags: Mapping[str, str]
) -> Step:
    lesson = teacher.teach(seen)
    right = choice.action in lesson.truth
    instruction = lesson.instruction or seen.instruction
    return Step(
        instruction=instruction,
        screen=seen.screen.size,
        history=list(phrases),
        context=running_summary(phrases[:-1], language_of(instruction)),
        summary=running_summary(phrases, language_of(instruction)),
        elements=list(seen.screen.elements),
        key_elements=lesson.annotated,
        truth=list(lesson.truth),
        prediction=choice.action,
        output=choice.output or None,
        paradigm=choice.paradigm,
        thought=lesson.thought_of(choice.action if right else plainest(lesson.truth)),
        tags={**tags, **teacher.tags(seen), "right": "yes" if right else "no"},
    )


def _phrase(seen: Observation, lesson: Lesson, action: Action) -> str:
    """What the step did, for later summaries; of a wrong action, what it touched."""
    return lesson.phrase_of(action) or in_words(action, seen.screen, language_of(seen.instruction))


def running_summary(phrases: Sequence[str], language: Language) -> str:
    """What was done so far, in one sentence: SecAgent's C_t, and with one phrase less its C_{t-1}. Equal phrases in a
    row count once.
    """
    kept = [phrase for at, phrase in enumerate(phrases) if at == 0 or phrases[at - 1] != phrase]
    if not kept:
        return ""
    more, kept = len(kept) > MOST_PHRASES, kept[-MOST_PHRASES:]
    if language == "zh":
        return ("之前做了一些操作，随后" if more else "已") + "，".join(kept) + "。"
    words = ", then ".join(kept)
    return ("After some earlier steps, " + words if more else words[0].upper() + words[1:]) + "."
