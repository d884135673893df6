"""DroidBot and uiautomator folders: a real recording, every event, and folders that are broken."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from mangling import damaged, reads, twisted
from saccade.actions import Action
from saccade.data.readers import open_dataset
from saccade.data.readers.base import DataError, Sample
from saccade.data.readers.droidbot import DroidBotFolder
from saccade.data.readers.uiautomator import UIAutomatorFolder
from saccade.errors import InputError
from saccade.geometry import Box, Point, Size

SIZE = (540, 960)


def view(place: tuple[int, int, int, int], parent: int = 0, **rest: Any) -> dict[str, Any]:
    x0, y0, x1, y1 = place
    return {"bounds": [[x0, y0], [x1, y1]], "class": "android.widget.Button", "parent": parent, "visible": True, **rest}


BUTTON = view((100, 200, 300, 400), text="Buy", clickable=True)
LIST = view((0, 400, 1080, 1400), clickable=True, scrollable=True)
STATE = {
    "state_str": "s1",
    "tag": "1",
    "foreground_activity": "com.shop/.Main",
    "width": 1080,
    "height": 1920,
    "views": [view((0, 0, 1080, 1920), -1, **{"class": "android.widget.FrameLayout"}), BUTTON, LIST],
}
EVENTS: list[dict[str, Any]] = [
    {"event_type": "touch", "view": BUTTON, "x": None, "y": None},
    {"event_type": "long_touch", "x": 400.0, "y": 600.0, "view": None, "duration": 2000},
    {"event_type": "scroll", "view": LIST, "direction": "DOWN"},
    {"event_type": "scroll", "direction": "LEFT"},
    {"event_type": "set_text", "view": BUTTON, "text": "hello"},
    {"event_type": "key", "name": "BACK"},
    {"event_type": "swipe", "start_x": 200, "start_y": 900, "end_x": 200, "end_y": 300},
    {"event_type": "swipe", "start_view": BUTTON, "end_view": LIST},
    {"event_type": "intent", "intent": "am start com.shop/.Main"},
    {"event_type": "touch", "view": view((0, 4161, 1050, 2392))},
]


def droidbot(folder: Path, states: list[Any], events: list[Any]) -> Path:
    for name in ("states", "events"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for at, state in enumerate(states):
        (folder / "states" / f"state_{at:02}.json").write_text(json.dumps(state), encoding="utf-8")
        Image.new("RGB", SIZE, (at, 5, 5)).save(folder / "states" / f"screen_{at:02}.png")
    for at, event in enumerate(events):
        log = {"tag": f"{at:02}", "event": event, "start_state": "s1", "stop_state": "s1", "event_str": ""}
        text = json.dumps(log | event.pop("log", {}) if isinstance(event, dict) else log)
        (folder / "events" / f"event_{at:02}.json").write_text(text, encoding="utf-8")
    return folder


def read(kind: Any, folder: Path, **options: Any) -> list[Sample]:
    return list(kind(folder, **options).samples())


# -- DroidBot ---------------------------------------------------------------------------------------------------------


def test_every_event(tmp_path: Path) -> None:
    dataset = open_dataset(droidbot(tmp_path / "walk", [STATE], EVENTS))
    assert isinstance(dataset, DroidBotFolder)
    steps = [sample.step for sample in dataset.samples()]
    box = Box(50, 100, 150, 200)
    assert [step.truth for step in steps] == [
        [Action("click", point=Point(100, 150), box=box)],
        [Action("long_press", point=Point(200, 300))],
        [Action("swipe", direction="up", start=Point(270, 650), end=Point(270, 250))],
        [Action("swipe", direction="right", start=Point(54, 480), end=Point(486, 480))],
        [Action("type", text="hello", point=Point(100, 150), box=box)],
        [Action("press", key="back")],
        [Action("swipe", direction="up", start=Point(100, 450), end=Point(100, 150))],
        [Action("swipe", direction="down", start=Point(100, 150), end=Point(270, 450))],
        [],
        [],
    ]
    assert [step.step for step in steps] == list(range(10)) and {step.episode for step in steps} == {"walk"}
    assert steps[0].id == "walk-00" and steps[0].screen == Size(*SIZE) and steps[0].image == "states/screen_00.png"
    assert steps[0].tags == {"platform": "mobile", "app": "com.shop", "event": "touch"}
    assert steps[9].tags["target"] == "off-screen" and steps[8].tags["event"] == "intent"
    assert steps[2].history == ['tapped "Buy"', "pressed and held button [200, 300]"]
    assert [element.text for element in steps[0].elements if element.text] == ["Buy"]
    assert dataset.progress.done == dataset.progress.total == 11


def test_states_alone_are_screens(tmp_path: Path) -> None:
    folder = droidbot(tmp_path, [STATE, STATE], EVENTS)
    screens = read(DroidBotFolder, folder, what="screens")
    assert [(sample.step.id, sample.step.truth, sample.step.episode) for sample in screens] == [
        ("00", [], ""),
        ("01", [], ""),
    ]
    assert all(sample.step.elements for sample in screens)
    assert len(read(DroidBotFolder, folder / "states")) == 2


def test_an_event_finds_its_screen(tmp_path: Path) -> None:
    """By the state, else by the second if the touched view is there; else nobody saw the screen."""
    lost = {"log": {"start_state": "gone"}}
    events = [EVENTS[5] | lost, EVENTS[0] | lost, EVENTS[0] | lost, EVENTS[0]]
    other = STATE | {"state_str": "s2", "views": STATE["views"]}
    empty = STATE | {"state_str": "s3", "views": STATE["views"][:1]}  # type: ignore[index]
    dataset = DroidBotFolder(droidbot(tmp_path, [STATE, other, empty], events))
    assert [sample.step.image[-6:] for sample in dataset.samples()] == ["01.png", "00.png"]
    assert [Path(name).name for name in dataset.unseen] == ["event_00.json", "event_02.json"]


@pytest.mark.shared
def test_a_real_recording(shared_data: Path) -> None:
    folder = shared_data / "droidbot_yelp"
    dataset = open_dataset(folder)
    assert isinstance(dataset, DroidBotFolder)
    samples = list(dataset.samples())
    assert (len(samples), len(dataset.unseen)) == (33, 2)
    labelled = [sample.step for sample in samples if sample.step.truth]
    assert len(labelled) == 32 and samples[-1].step.tags["target"] == "off-screen"
    for step in labelled:
        (action,) = step.truth
        assert action.type == "click" and action.point and action.box and action.box.contains(action.point)
        assert 0 <= action.box.x0 < action.box.x1 <= step.screen.width
    assert samples[1].step.history == ['tapped "Yes, turn it on"']
    assert samples[0].step.tags["app"] == "com.yelp.android"
    assert len(read(DroidBotFolder, folder, what="screens")) == 16


@pytest.mark.parametrize(
    ("event", "message"),
    [
        ({"event_type": "touch"}, r"event\.view: missing, and there is no x and y"),
        ({"event_type": "swipe", "start_x": 1, "start_y": 1}, r"event\.end_view: missing, and there is no end_x"),
        ({"event_type": "set_text", "view": BUTTON}, r"event\.text: missing"),
        ({"event_type": "key"}, r"event\.name: missing"),
        ({"event_type": "scroll", "direction": "IN"}, r"event\.direction: 'in' is not one of up"),
        ({"event_type": "touch", "view": {"bounds": [1, 2]}}, r"event\.view\.bounds\[0\]: Expected `array`"),
        ({"type": "touch"}, r"event: Object missing required field `event_type`"),
        ("touch", r"event: Expected `object`, got `str`"),
    ],
)
def test_a_bad_event_is_named_and_costs_no_other(tmp_path: Path, event: Any, message: str) -> None:
    folder = droidbot(tmp_path, [STATE], [EVENTS[0], event, EVENTS[5]])
    with pytest.raises(DataError, match=r"events/event_01\.json: " + message):
        read(DroidBotFolder, folder)
    dataset = DroidBotFolder(folder, keep_going=True)
    assert len(list(dataset.samples())) == 2 and len(dataset.problems) == 1


def test_a_bad_state_is_named(tmp_path: Path) -> None:
    folder = droidbot(tmp_path, [STATE, {"views": "none"}, STATE], [])
    (folder / "states" / "screen_02.png").unlink()
    dataset = DroidBotFolder(folder, keep_going=True)
    assert len(list(dataset.samples())) == 1
    assert [problem.where[-13:] for problem in dataset.problems] == ["state_01.json", "state_02.json"]
    assert dataset.problems[0].reason.startswith("views: Expected")
    assert dataset.problems[1].reason == "image: there is no screen_02.png or .jpg beside it"


def test_droidbot_fuzz(tmp_path: Path) -> None:
    folder = droidbot(tmp_path / "walk", [STATE], [dict(event) for event in EVENTS])
    state, event, shot = (
        folder / name for name in ("states/state_00.json", "events/event_02.json", "states/screen_00.png")
    )
    kept = {path: path.read_bytes() for path in (state, event, shot)}
    chance, told = random.Random(8), 0
    for _ in range(90):
        for path, data in kept.items():
            path.write_bytes(data)
        path = chance.choice([state, event, event, shot])
        if path is shot or chance.random() < 0.4:
            path.write_bytes(damaged(kept[path], chance))
        else:
            path.write_text(json.dumps(twisted(json.loads(kept[path]), chance)), encoding="utf-8")
        told += bool(reads(DroidBotFolder, folder)[1])
    assert told > 30


# -- uiautomator ------------------------------------------------------------------------------------------------------

DUMP = """<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>
<hierarchy rotation="0"><node class="android.widget.FrameLayout" package="com.shop" bounds="[0,0][540,960]">
<node class="android.widget.Button" text="购买" clickable="true" bounds="[50,100][150,200]" />
<node class="android.widget.EditText" text="hunter2" password="true" focusable="true" bounds="[0,300][540,400]" />
</node></hierarchy>"""


def dumps(folder: Path, names: list[str], text: str = DUMP, shots: str = "") -> Path:
    for name in names:
        file = folder / f"{name}.xml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        shot = file.parent / shots / f"{file.stem}.png"
        shot.parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", SIZE).save(shot)
    return folder


@pytest.mark.parametrize("shots", ["", "screenshots", "../images"])
def test_dumps_with_their_screenshots(tmp_path: Path, shots: str) -> None:
    dataset = open_dataset(dumps(tmp_path / "dumps", ["b/1", "a/2"], shots=shots))
    assert isinstance(dataset, UIAutomatorFolder)
    first, second = dataset.samples()
    assert [first.step.id, second.step.id] == ["a/2", "b/1"]
    assert first.step.truth == [] and first.step.tags == {"platform": "mobile", "app": "com.shop"}
    button, field = first.step.elements
    assert (button.text, button.box, field.type, field.text) == ("购买", Box(50, 100, 150, 200), "password", "")
    assert first.step.screen == Size(*SIZE) and (dataset.folder / first.step.image).is_file()
    assert dataset.progress.done == dataset.progress.total == 2


def test_bad_dumps_are_named_and_cost_no_other(tmp_path: Path) -> None:
    folder = dumps(tmp_path, ["0", "1", "2", "3", "4", "5"])
    (folder / "1.png").unlink()
    (folder / "2.xml").write_text(DUMP[:300], encoding="utf-8")
    (folder / "3.xml").write_text("<html></html>", encoding="utf-8")
    (folder / "4.xml").write_bytes(DUMP.encode()[:200] + b"\xff")
    (folder / "5.png").write_bytes(b"no picture")
    with pytest.raises(DataError, match=r"1\.xml: image: there is no 1\.png or \.jpg beside it"):
        read(UIAutomatorFolder, folder)
    dataset = UIAutomatorFolder(folder, keep_going=True)
    assert len(list(dataset.samples())) == 1
    assert [Path(problem.where).name for problem in dataset.problems] == [f"{at}.xml" for at in range(1, 6)]
    reasons = [problem.reason for problem in dataset.problems]
    assert "not XML" in reasons[1] and "not with <hierarchy>" in reasons[2] and "not UTF-8" in reasons[3]
    assert "cannot be read" in reasons[4]


def test_uiautomator_fuzz(tmp_path: Path) -> None:
    folder = dumps(tmp_path / "dumps", ["a", "b"])
    chance, told = random.Random(9), 0
    for _ in range(80):
        (folder / "b.xml").write_bytes(damaged(DUMP.encode(), chance))
        told += bool(reads(UIAutomatorFolder, folder)[1])
    assert told > 40


@pytest.mark.parametrize("kind", [DroidBotFolder, UIAutomatorFolder])
def test_a_wrong_folder_says_what_was_expected(tmp_path: Path, kind: type[Any]) -> None:
    (tmp_path / "notes.xml").write_text("<notes/>", encoding="utf-8")
    with pytest.raises(InputError, match=rf"is not {kind.title}: expected .*; found notes\.xml"):
        kind(tmp_path)
