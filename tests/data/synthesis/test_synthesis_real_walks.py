"""What is made of walks through real worlds: the sandbox phone, and an application that nobody here wrote."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from pathlib import Path

import msgspec
import pytest
from command import saccade
from real_applications import APPLICATIONS, started

from saccade.data.synthesis.grounding_resolver import meant_elements
from saccade.data.synthesis.roles.base import UnansweredError
from saccade.data.synthesis.roles.grounding_annotator import GroundingAnnotator, GroundingSubject
from saccade.data.synthesis.state_claims import read_claims
from saccade.geometry import Point
from saccade.types import Step

pytestmark = [pytest.mark.browser, pytest.mark.slow]
NAMELESS = {"the tree has no words for the element", "the element's text has no letters or digits"}


def steps_of(folder: Path) -> list[Step]:
    return [msgspec.json.decode(line, type=Step) for line in (folder / "steps.jsonl").read_bytes().splitlines()]


def by_task(folder: Path) -> dict[str, list[Step]]:
    found: dict[str, list[Step]] = defaultdict(list)
    for step in steps_of(folder):
        found[step.episode].append(step)
    return found


@pytest.fixture(scope="module")
def phone_walk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eight episodes, half of them in each language."""
    out = tmp_path_factory.mktemp("phone") / "walk"
    steps = ("--steps", "56", "--episode-steps", "7", "--workers", "1")
    walked = saccade("data", "walk", "phone", *steps, "--option", "scale=1", "--seed", "6", "--out", out)
    assert walked.returncode == 0, walked.stderr
    return out


def test_what_is_said_about_elements_of_the_phone_follows_the_rules(phone_walk: Path) -> None:
    languages, unworded, said = Counter[str](), Counter[str](), 0
    for step in steps_of(phone_walk):
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


def test_the_teacher_writes_tasks_for_a_walk_on_the_phone(phone_walk: Path, tmp_path: Path) -> None:
    """Both languages: every task has its claims, and each was graded by the state."""
    done = saccade("data", "reverse", phone_walk, "--out", tmp_path / "made")
    assert done.returncode == 0, done.stderr
    made = by_task(tmp_path / "made")
    assert {steps[0].tags["language"] for steps in made.values()} == {"en", "zh"} and len(made) >= 10
    for steps in made.values():
        assert read_claims(steps[0].instruction, steps[0].tags["language"]), steps[0].instruction  # type: ignore[arg-type]
        assert 3 <= int(steps[0].tags["grade"]) <= 5 and steps[-1].truth[0].type == "terminate"
        assert all(isinstance(step.truth[0].point, Point | None) for step in steps)
    assert saccade("data", "check", tmp_path / "made").returncode == 0


def test_the_mini_plays_what_was_written_for_a_walk_on_the_phone(phone_walk: Path, tmp_path: Path) -> None:
    """Of its first episode, one task: to switch on the display's "Always-on". The mini can do it."""
    chains = ("--set", "reverse_chains.shortest=3", "--set", "reverse_chains.longest=3")
    options = ("--policy", "mini", "--agent", "plain", "--set", "play_tasks.max_steps=5", "--max-items", "1")
    done = saccade("data", "reverse", phone_walk, *options, *chains, "--workers", "1", "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    (right,) = by_task(tmp_path / "out").values()
    assert "'Always-on display'" in right[0].instruction
    assert [step.truth[0].type for step in right[-2:]] == ["click", "terminate"]
    assert json.loads(right[-2].tags["state_changes"]) == [["apps.settings.always_on", False, True]]
    assert {step.tags["grade"] for step in right} == {"5"}
    assert saccade("data", "check", tmp_path / "out").returncode == 0


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
