"""The replay world: a recorded run, or any file of step records with screenshots.

Every action leads to the next recorded screen, as in static benchmarks. With a match profile, a wrong action ends the
episode, and the reward is the share of steps done right.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from saccade.actions import ACTION_TYPES, Action
from saccade.errors import InputError
from saccade.records import check_image, parse_object, read_lines, read_step, steps_file
from saccade.scoring.judge import match_context
from saccade.scoring.profiles import Profile, get_profile
from saccade.types import Episode, Picture, Screen, Step, episodes
from saccade.worlds.base import InfrastructureError, Observation, World
from saccade.worlds.readiness import Readiness, check
from saccade.worlds.teachers import Lesson, Teacher


def open_replay(folder: str, profile: str | None = None) -> World:
    """A recorded run, or a file of step records."""
    return ReplayWorld(Path(folder), get_profile(profile) if profile else None)


def readiness() -> Readiness:
    return check("replay:FOLDER", "a recorded run, or a file of step records", lambda: "needs nothing")


class ReplayWorld(World):
    """Shows recorded screens in order."""

    name = "replay"
    actions = frozenset(ACTION_TYPES)
    real = False
    space = "phone"

    def __init__(self, path: Path, profile: Profile | None = None) -> None:
        self.path, self.profile = path, profile
        file = steps_file(path)
        self.folder = file.parent
        self.episodes = {episode.id: episode for episode in _load(file)}
        self.judges, self.rule = profile is not None, profile.name if profile else self.rule
        self._episode: Episode | None = None
        self._at = 0

    @property
    def tasks(self) -> list[str]:
        return list(self.episodes)

    @property
    def instruction(self) -> str:
        return self._episode.instruction if self._episode else ""

    @property
    def step(self) -> Step:
        """The recorded step that is shown now."""
        if self._episode is None:
            raise InfrastructureError("the world was not reset yet")
        return self._episode.steps[min(self._at, len(self._episode.steps) - 1)]

    def reset(self, seed: int | None = None, task: str | None = None) -> Observation:
        """The first screen of an episode: the one named by `task`, else the seed-th."""
        names = self.tasks
        name = task or names[(seed or 0) % len(names)]
        if name not in self.episodes:
            known = ", ".join(names[:5]) + (" …" if len(names) > 5 else "")
            raise InputError(f"{self.path} has no episode {name!r}: it has {known}")
        self._episode, self._at = self.episodes[name], 0
        return self._observe()

    def act(self, action: Action) -> Observation:
        step, length = self.step, len(self._episode.steps) if self._episode else 0
        if self.profile is not None and not self.profile.judge(action, step.truth, match_context(step)).right:
            observation = self._observe("this action differs from the recorded one")
            observation.done, observation.reward = True, self._at / length
            return observation
        self._at += 1
        observation = self._observe()
        if self._at >= length:
            observation.done, observation.reward = True, 1.0
        return observation

    def _observe(self, error: str = "") -> Observation:
        step = self.step
        picture = None
        if step.image:
            image = self.folder / step.image
            if not image.is_file():
                raise InfrastructureError(f"step {step.id}: there is no screenshot {image}")
            picture = Picture(str(image), step.screen)
        screen = Screen(step.screen, picture, step.elements)
        return Observation(screen, app=step.tags.get("app", ""), error=error, instruction=self.instruction)

    def succeeded(self, seen: Observation) -> bool:
        """True if all steps were right, not only some of them."""
        return seen.done and seen.reward >= 1

    def teacher(self, **options: Any) -> Teacher:
        return RecordedTeacher(self)

    def close(self) -> None:
        self._episode = None


@dataclass
class RecordedTeacher(Teacher):
    """Teaches the true actions of the recorded step that is shown."""

    world: ReplayWorld

    def _teach(self, seen: Observation) -> Lesson:
        step = self.world.step
        return Lesson(step.truth, step.key_elements, step.thought, tags=step.tags)


def _load(file: Path) -> Sequence[Episode]:
    """All episodes. A file without episode ids is one episode; a half-written last line is ignored."""
    steps: list[Step] = []
    problem = ""
    for number, line in read_lines(file):
        if problem:
            raise InputError(problem)
        try:
            step = read_step(parse_object(line))
            check_image(step.image, file.parent)
            steps.append(step)
        except ValueError as error:
            problem = f"{file}:{number}: {error}"
    if problem and not steps:
        raise InputError(problem)
    if not steps:
        raise InputError(f"{file} contains no step record")
    if not any(step.episode for step in steps):
        return [Episode(id="0", instruction=steps[0].instruction, steps=steps)]
    return episodes(steps)
