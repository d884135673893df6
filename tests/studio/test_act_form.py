"""What the form that starts a run offers and takes, and secrets that a person types; without a browser."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="needs the extra studio")
from gate_table import Table, element, shows
from recordings import TAP, record

from saccade.actions import Action
from saccade.errors import InputError
from saccade.geometry import Box, Point
from saccade.studio.live.start_form import StartForm, choices, start_of
from saccade.studio.live.typed_secrets import hide_typed
from saccade.types import Element


def test_the_form_offers_what_the_registries_have() -> None:
    found = choices()
    assert "btl" in found.paradigms and "oracle" in found.models and "openai/" in found.models
    assert "phone/clock.add_alarm" in found.tasks and "miniwob/click-test" in found.tasks
    assert {name for name, _ in found.worlds} >= {"browser", "phone", "android", "desktop"}


def test_settings_of_a_run_and_of_a_recording(tmp_path: Path) -> None:
    form = StartForm(
        world="phone/clock.add_alarm",
        model="oracle",
        language="zh",
        seed="3",
        max_steps="7",
        paused="yes",
        world_options="theme=dark\nscale=1.5",
    )
    start = start_of(form, (tmp_path,))
    assert start.paused and not start.record and start.answer_seconds == 120
    assert start.settings["limits"] == {"steps": 7} and start.settings["seed"] == 3
    assert start.settings["person"] == 0, "unless the box is checked, prompts do not say that it can ask"
    assert start_of(form.model_copy(update={"may_ask": "yes"}), (tmp_path,)).settings["person"] == 300
    assert start.settings["world_options"] == {"language": "zh", "theme": "dark", "scale": 1.5}
    recording = start_of(form.model_copy(update={"kind": "record"}), (tmp_path,))
    assert recording.record and not recording.paused and recording.settings["model"] == "person"
    assert recording.settings["limits"] == {"steps": 0}, "a person may take as many as it needs"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"world": ""}, "say where"),
        ({"model": " "}, "say who"),
        ({"world": "nowhere/x"}, "unknown world 'nowhere'"),
        ({"model": "nobody/x"}, "unknown model 'nobody'"),
        ({"paradigm": "none"}, "unknown paradigm 'none'"),
        ({"seed": "many"}, "seed is 'many'"),
        ({"max_steps": "-1"}, "most steps is '-1'"),
        ({"answer": "inf"}, "wait for an answer is 'inf'"),
        ({"world_options": "dark"}, "the world's options: 'dark' is no option"),
        ({"language": "fr"}, "the run's settings"),
        ({"world": "replay:/etc"}, "is not in a folder that the studio was given"),
        ({"world": "replay:in/../../etc"}, "is not in a folder that the studio was given"),
        ({"world": "file:///etc/passwd"}, "is not in a folder that the studio was given"),
    ],
)
def test_wrong_fields(tmp_path: Path, changes: dict[str, str], said: str) -> None:
    with pytest.raises(InputError, match=said):
        start_of(StartForm(**{"world": "phone/clock.add_alarm", "model": "oracle"} | changes), (tmp_path,))


def test_files_inside_the_folders_can_be_shown(tmp_path: Path) -> None:
    inside = record(tmp_path / "recording", (TAP,))
    assert start_of(StartForm(world=f"replay:{inside}", model="oracle"), (tmp_path,)).settings["world"]
    page = tmp_path / "a page.html"
    page.write_text("<p>")
    assert start_of(StartForm(world=page.as_uri(), model="oracle"), (tmp_path,)).settings["world"] == page.as_uri()


TYPED = Action("type", text="tulip-42")


def test_a_typed_secret_is_known_by_its_name_alone() -> None:
    world, seen = Table(), shows(element("Code"), url="https://shop.example/login")
    hidden = hide_typed(TYPED, True, seen, world)
    assert hidden == Action("type", text="{secret.typed_1}")
    assert world.vault.fill("{secret.typed_1}", "shop.example") == "tulip-42"
    assert world.vault.redact("your code is TULIP-42") == "your code is {secret.typed_1}"
    assert hide_typed(TYPED, True, seen, world) == hidden, "the same one again"
    other = hide_typed(Action("type", text="second one", submit=True), True, seen, world)
    assert other == Action("type", text="{secret.typed_2}", submit=True)
    assert hide_typed(TYPED, False, seen, Table()) == TYPED
    for text in ("123", "a\nline"):
        with pytest.raises(InputError, match="a secret has 4 to 4096 characters"):
            hide_typed(Action("type", text=text), True, seen, world)


def test_password_fields_are_secret_without_asking() -> None:
    field = Element(1, Box(0, 0, 100, 100), "password", state="focused")
    for action in (TYPED, Action("type", Point(50, 50), text="tulip-42")):
        assert hide_typed(action, False, shows(field), Table()).text == "{secret.typed_1}"
    assert hide_typed(Action("type", Point(300, 300), text="tulip-42"), False, shows(field), Table()).text == "tulip-42"
