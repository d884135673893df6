"""What is trained on never comes up in a test."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from typing import Any

import pytest
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist

from saccade.errors import InputError
from saccade_phone.apps import apps
from saccade_phone.phone_state import HELD_OUT_KIT, new_phone
from saccade_phone.seeded_random import Draw, share_of
from saccade_phone.splits import GROUPS, HELD_OUT_APPS, episode, group_of, templates
from saccade_phone.state_machine import clone
from saccade_phone.tasks import Params, UnfitError, tasks

PHONES, DRAWS = 8, 4
"""Each template is drawn several times on one of a few phones: to make or to copy a phone takes longest."""
NEAR = 6


def instructions(split: Any, language: Any) -> list[str]:
    seeds = [episode(split, index, languages=(language,)).seed for index in range(PHONES)]
    phones = [new_phone(apps(), seed, language) for seed in seeds]
    said = set()
    for index, template in enumerate(templates(split)):
        state, people = phones[index % PHONES]
        state = clone(state)  # a task may prepare it
        for seed in seeds[:DRAWS]:
            with suppress(UnfitError):
                params = Params(state, seed, f"task/{template.name}", language, people, split)
                said.add(template.draw(params).instruction)
    return sorted(said)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_test_instruction_is_near_a_training_one(language: Any) -> None:
    said = {split: instructions(split, language) for split in ("train", "test")}
    assert min(map(len, said.values())) > 2 * len(templates("train"))
    distances = cdist(said["test"], said["train"], scorer=Levenshtein.distance, score_cutoff=NEAR, workers=1)
    near = [(said["test"][a], said["train"][b]) for a, b in zip(*(distances <= NEAR).nonzero(), strict=True)]
    assert not near, near[:10]


def test_two_apps_one_kit_and_some_templates_are_kept_for_tests() -> None:
    assert {"music", "travel"} == HELD_OUT_APPS
    trained = templates("train")
    assert not any(HELD_OUT_APPS & set(task.apps) or task.held_out for task in trained)
    assert templates("validation") == trained
    assert len(templates("test")) == len(tasks()) > len(trained)
    assert {group_of(task) for task in templates("test")} == {"seen", "template", "app"}
    for group in GROUPS:
        assert templates("test", group)
    for seed in range(60):
        kits = new_phone(apps(), seed, "en")[0]["theme"]["kits"].values()
        assert HELD_OUT_KIT not in kits
    assert HELD_OUT_KIT not in {app.kit for app in apps().values()}
    themed = episode("test", 0, group="theme")
    assert set(new_phone(apps(), themed.seed, "en", theme=themed.theme)[0]["theme"]["kits"].values()) == {HELD_OUT_KIT}


def test_seeds_of_the_splits_never_meet() -> None:
    seeds = {
        split: {episode(split, index, seed=more).seed for index in range(500) for more in (0, 1)}
        for split in ("train", "validation", "test")
    }
    assert not seeds["train"] & seeds["test"]
    assert not seeds["train"] & seeds["validation"]
    assert not seeds["validation"] & seeds["test"]


def test_values_are_divided() -> None:
    pool = [f"{hour:02}:{minute:02}" for hour in range(24) for minute in range(0, 60, 5)]
    now = datetime(2026, 3, 2, 9, 0)
    drawn = {}
    for split in ("train", "test"):
        draw = Draw(1, "x", "en", now, split=split)
        drawn[split] = {draw.choice(pool) for _ in range(2000)}
    assert not drawn["train"] & drawn["test"]
    assert {share_of(value) for value in pool} == {"train", "validation", "test"}


def test_every_template_comes_up_in_both_languages() -> None:
    count = len(templates("train"))
    chosen = [episode("train", index) for index in range(2 * count)]
    assert len({each.task for each in chosen[:count]}) == count
    assert {each.language for each in chosen} == {"en", "zh"}


def test_bad_choices_are_told() -> None:
    with pytest.raises(InputError, match="no task of the split train fits music"):
        episode("train", 0, only=("music",))
    with pytest.raises(InputError, match="there is no split"):
        templates("training")  # type: ignore[arg-type]
