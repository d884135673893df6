"""Recorded episodes on disk, read and cleaned up for training."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from saccade.actions import Action, plainest
from saccade.agents.loop_detector import same_elements
from saccade.errors import InputError
from saccade.records import check_image, parse_object, read_lines, read_step, steps_file
from saccade.types import Step
from saccade.untrusted import JsonDecoder

REPEATED = 3
"""How often the same action on an unchanged screen is kept in an episode."""
_DECODER = JsonDecoder(Step)


class RecordedEpisode(NamedTuple):
    """An episode on disk."""

    folder: Path
    """Where its images are named from."""
    steps: list[Step]


def record_files(paths: Iterable[str | Path]) -> list[Path]:
    """The files of step records, checked to exist; of a folder that is still being collected, the episodes so far."""
    files: list[Path] = []
    for path in map(Path, paths):
        if not path.exists():
            raise InputError(f"there is no data {path}: name a .jsonl file of step records, or a folder with one")
        parts = sorted((path / "episodes").glob("*.jsonl")) if path.is_dir() else []
        files += parts if parts and not (path / "steps.jsonl").is_file() else [steps_file(path)]
    return files


def read_episodes(paths: Iterable[str | Path]) -> Iterator[RecordedEpisode]:
    """Episodes in order of first appearance, their steps in order. A step without an episode is one of its own, and so
    is each grounding sample: it asks for a place, not for what comes next.
    """
    if not (files := record_files(paths)):
        raise InputError("the recipe names no data: give step records with --data FILE")
    for file in files:
        folder = file.parent.parent if file.parent.name == "episodes" else file.parent
        for steps in _by_episode(file):
            rest = [step for step in steps if not step.grounding]
            yield from (RecordedEpisode(folder, [step]) for step in steps if step.grounding)
            if rest:
                yield RecordedEpisode(folder, rest)


def held_back(count: int, share: float, seed: int) -> set[int]:
    """Numbers of the episodes that are measured on and not trained on: `share` of them, at least one and never all."""
    if not 0 <= share < 1:
        raise InputError(f"held_back is {share}: it is a share of the episodes, from 0 up to less than 1")
    many = min(count - 1, max(1, round(count * share))) if share and count else 0
    return set(random.Random(f"{seed}/held back").sample(range(count), many))


def _by_episode(file: Path) -> Iterator[list[Step]]:
    found: dict[str, list[Step]] = {}
    for number, line in read_lines(file):
        step = _step(file, number, line)
        found.setdefault(step.episode or f"\n{number}", []).append(step)
    for name, steps in found.items():
        numbers = {step.step for step in steps}
        if len(numbers) != len(steps) and numbers != {0}:
            twice = Counter(step.step for step in steps).most_common(1)[0][0]
            problem = f"{file}: step {twice} of episode {name} is there twice"
            raise InputError(f"{problem}: give each episode its own name")
        yield sorted(steps, key=lambda step: step.step)


def _step(file: Path, number: int, line: str) -> Step:
    try:
        step = _DECODER.decode(line)
    except msgspec.MsgspecError:
        try:
            step = read_step(parse_object(line))
        except ValueError as error:
            raise InputError(f"{file}:{number}: {error}") from None
    try:
        check_image(step.image, file.parent)
    except ValueError as error:
        raise InputError(f"{file}:{number}: {error}") from None
    step.id = step.id or f"{file.stem}:{number}"
    return step


def without_repetition(steps: Sequence[Step]) -> list[Step]:
    """An episode without the steps in which the same action was done again and again on a screen that did not change.
    A model that plays may do so until its steps are used up; the way out is to be learned, but not twenty times. Where
    the action or the elements were not recorded, nothing is known to be a repetition.
    """
    found: list[Step] = []
    times = 0
    for step in steps:
        before = found[-1] if found else None
        known = step.prediction is not None and bool(step.elements)
        again = (
            before and known and before.prediction == step.prediction and same_elements(before.elements, step.elements)
        )
        times = times + 1 if again else 0
        if times <= REPEATED:
            found.append(step)
    return found


def grounding_to_navigation(step: Step) -> Step:
    """Gr2Nav (SecAgent §4.3): a grounding sample becomes a navigation of one step, a click at the box's centre (in
    a polygon, where the annotation has one: the centre of its bounding box may lie outside).
    """
    if not step.grounding or not step.truth:
        return step
    clicks = [
        action if action.polygon else Action("click", action.box.center, box=action.box)
        for action in step.truth
        if action.box is not None
    ] or step.truth
    tags = {key: tag for key, tag in step.tags.items() if key != "task"} | {"from": "grounding"}
    return replace(step, truth=clicks, prediction=None, tags=tags, history=[], context="")


def untaught(step: Step) -> Step:
    """A step that gives no row, but stays part of the history."""
    return replace(step, truth=[], prediction=step.prediction or plainest(step.truth))
