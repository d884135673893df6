"""Grounding samples from real screens: the sandbox phone, and an application that nobody here wrote."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import msgspec
import pytest
from command import saccade
from real_applications import APPLICATIONS, started

from saccade.data.synthesis.grounding_resolver import meant_elements
from saccade.data.synthesis.roles.base import UnansweredError
from saccade.data.synthesis.roles.grounding_annotator import GroundingAnnotator, GroundingSubject
from saccade.types import Step

pytestmark = [pytest.mark.browser, pytest.mark.slow]
NAMELESS = {"the tree has no words for the element", "the element's text has no letters or digits"}


def steps_of(folder: Path) -> list[Step]:
    return [msgspec.json.decode(line, type=Step) for line in (folder / "steps.jsonl").read_bytes().splitlines()]


def test_what_is_said_about_elements_of_the_phone_follows_the_rules(tmp_path: Path) -> None:
    walked = saccade("data", "walk", "phone", "--steps", "16", "--episode-steps", "4", "--out", tmp_path / "walk")
    assert walked.returncode == 0, walked.stderr
    languages, unworded, said = Counter[str](), Counter[str](), 0
    for step in steps_of(tmp_path / "walk"):
        language = "zh" if step.tags["language"] == "zh" else "en"
        for element in step.elements:
            if not element.leaf or not element.interactive:
                continue
            try:
                GroundingAnnotator().taught(GroundingSubject(step.id, element, step.view, "", language))  # type: ignore[arg-type]
                said += 1
                languages[language] += 1
            except UnansweredError as error:
                unworded[error.reason] += 1
    assert said > 150 and set(languages) == {"en", "zh"}, (said, languages)
    assert set(unworded) <= NAMELESS, unworded


def test_an_application_that_nobody_here_wrote(tmp_path: Path) -> None:
    application = next(each for each in APPLICATIONS if each.name == "django-admin")
    if missing := application.missing():
        pytest.skip(missing)
    with started(application, tmp_path / "data") as address:
        walked = saccade("data", "walk", address, "--steps", "6", "--out", tmp_path / "walk", "--workers", "1")
        assert walked.returncode == 0, walked.stderr
    options = ("--model", "heuristic", "--set", "grounding_elements.least_area=1700", "--set", "split.share=0")
    done = saccade("data", "ground", tmp_path / "walk", "--out", tmp_path / "made", *options)
    assert done.returncode == 0, done.stderr
    made = steps_of(tmp_path / "made")
    assert len(made) >= 15 and saccade("data", "check", tmp_path / "made").returncode == 0
    for step in made:
        meant = meant_elements(step.instruction, step.view, "zh" if step.tags["language"] == "zh" else "en")
        assert [each.box for each in meant] == [step.truth[0].box], step.instruction
