"""The training rows of one recorded episode in one paradigm's format, for our trainers and for other people's
(`data.export`).

Nothing is dropped in silence: a step that the format cannot say gives no row, and is counted by its reason.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from saccade.data.raw_grounding import raw_grounding_row
from saccade.data.recorded_episodes import RecordedEpisode, grounding_to_navigation, untaught, without_repetition
from saccade.data.training_rows import RowWriter, TrainingRow
from saccade.errors import InputError
from saccade.models.families import VisionSettings
from saccade.paradigms import Paradigm
from saccade.types import Step

Grounding = Literal["navigation", "raw", "none"]
"""How supervised training uses grounding samples (SecAgent, Table 6): as navigation of one step in the paradigm's
format (Gr2Nav), raw with the box as the answer, or not at all.
"""


def rows_of_episode(
    writer: RowWriter,
    episode: RecordedEpisode,
    seed: str,
    stage: str,
    grounding: Grounding,
    left_out: Counter[str],
    retell: Callable[[Sequence[Step]], Sequence[Step]] = list,
) -> list[TrainingRow]:
    """The rows of an episode in one format. A step that the format cannot say gives none, but stays in the history.
    `retell` may tell the episode in other words (`Backbone.retell`).
    """
    if grounding != "navigation" and episode.steps[0].grounding:
        return grounding_rows(writer, episode, grounding, left_out)
    paradigm = writer.paradigm
    navigates = stage == "sft" or paradigm.grounding_as_navigation
    played = without_repetition(episode.steps)
    if len(played) < len(episode.steps):
        left_out["the same was done again on the same screen, more than thrice"] += len(episode.steps) - len(played)
    steps = [paradigm.prepare(grounding_to_navigation(step) if navigates else step) for step in retell(played)]
    if writer.sight:
        steps = [pictured(step, episode.folder, writer, left_out) for step in steps]
    if stage == "sft":
        steps = [annotated(step, paradigm, left_out) for step in steps]
    while True:
        rows: list[TrainingRow] = []
        try:
            for row in writer.episode(steps, random.Random(seed), episode.folder):
                rows.append(row)
            return [row for row in rows if paradigm.untaught_because(row.step) or exact(row, left_out)]
        except ValueError as error:
            left_out[str(error)] += 1
            failed = [at for at, step in enumerate(steps) if step.truth][len(rows)]
            steps[failed] = untaught(steps[failed])


def grounding_rows(
    writer: RowWriter, episode: RecordedEpisode, grounding: Grounding, left_out: Counter[str]
) -> list[TrainingRow]:
    """A grounding sample that is not to become navigation."""
    try:
        if grounding == "raw":
            return [raw_grounding_row(episode.steps[0], writer, episode.folder)]
        raise ValueError("it is a grounding sample (grounding: none)")
    except ValueError as error:
        left_out[str(error)] += 1
        return []


def annotated(step: Step, paradigm: Paradigm, left_out: Counter[str]) -> Step:
    """The step, untaught where the answer would have to name key elements and nobody annotated them."""
    reason = paradigm.untaught_because(step) if step.truth else ""
    if not reason:
        return step
    left_out[reason] += 1
    return untaught(step)


def exact(row: TrainingRow, left_out: Counter[str]) -> bool:
    """Does the answer follow its format to the letter? What format rewards would punish must not be taught."""
    parsed = row.paradigm.parse(row.answer, row.step.view)
    if not parsed.strict:
        reason = parsed.problem or parsed.repairs[0]
        left_out[f"{row.paradigm.name} cannot say it: {reason}"] += 1
    return parsed.strict


def pictured(step: Step, folder: Path, writer: RowWriter, left_out: Counter[str]) -> Step:
    """A model that sees needs the screenshot, unless the elements are listed in the prompt."""
    if step.image and not (folder / step.image).is_file():
        raise InputError(f"there is no image {folder / step.image}, which step {step.id} names")
    if not step.image and step.truth and not writer.told:
        left_out["it has no screenshot (elements: parsed would tell the elements instead)"] += 1
        return untaught(step)
    return step


def resized(sight: VisionSettings, pixels: tuple[int, int]) -> VisionSettings:
    """The same sight with other limits of a picture's size."""
    low, high = pixels
    frame = sight.frame
    if frame.kind == "resized":
        frame = replace(frame, min_pixels=low, max_pixels=high)
    return replace(sight, frame=frame, min_pixels=low, max_pixels=high)
