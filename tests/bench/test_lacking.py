"""A measurement says what its model lacked: pictures, sizes, actions that the prompt did not offer, true boxes."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import pytest
from PIL import Image

from saccade.actions import Action
from saccade.agents.settings import Settings
from saccade.bench.cases import Bench
from saccade.bench.compare import compare, comparison_table
from saccade.bench.figures import load_measurement
from saccade.bench.grid import grid_table, run_grid
from saccade.bench.grid_axes import read_axes
from saccade.bench.notes import not_offered
from saccade.bench.report_files import write_report
from saccade.bench.runner import BenchRequest, measure
from saccade.bench.suites import get_suite
from saccade.bench.tables import table_of
from saccade.data.readers import open_dataset
from saccade.errors import InputError
from saccade.geometry import Box, Point, Size
from saccade.models.base import Ask, Completion, Model, Usage
from saccade.records import write_steps
from saccade.scoring.judge import JudgedStep
from saccade.types import Element, Message, Step

SIZE = Size(300, 600)
BUTTON = Element(1, Box(20, 100, 280, 160), "button", "Search")
TAP = Action("click", BUTTON.center, BUTTON.box)
BACK = '<blink>None</blink><think>so</think><link>{"Plan": "", "Action": {"function": "Back"}}</link>'


class AlwaysBack(Model):
    """Answers each question with Back."""

    def __init__(self, reads: Literal["pictures", "elements"] = "pictures") -> None:
        self.name, self.reads = "always-back", reads

    def complete(self, messages: Sequence[Message], ask: Ask) -> list[Completion]:
        return [Completion(BACK, Usage(10, 5, 0, 1))] * ask.n


def recording(folder: Path, count: int = 4, pictures: int = 0, truths: Sequence[Action] = (TAP,), **rest: Any) -> Path:
    """Single samples; the first `pictures` of them have a screenshot."""
    folder.mkdir()
    Image.new("RGB", SIZE).save(folder / "screen.png")
    steps = [
        Step(
            id=f"s{at}",
            screen=SIZE,
            instruction=f"Question {at}",
            image="screen.png" if at < pictures else "",
            truth=[truths[at % len(truths)]],
            **rest,
        )
        for at in range(count)
    ]
    write_steps(folder / "steps.jsonl", steps)
    return folder


def request(out: Path, data: Path, suite: str = "steps", reads: Any = "pictures", **rest: Any) -> BenchRequest:
    chosen = dataclasses.replace(get_suite(suite), datasets=("steps",), options={})
    return BenchRequest(chosen, Settings(world="data", model="always-back"), out, data, model=AlwaysBack(reads), **rest)


def notes(folder: Path, profile: str | None = None) -> str:
    return " ".join(table_of(*load_measurement(folder), profile)[0].notes)


def test_a_recording_without_pictures_is_refused(tmp_path: Path) -> None:
    data = recording(tmp_path / "data")
    with pytest.raises(InputError, match=r"has no pictures, and always-back knows screens by nothing else: .*--blind"):
        measure(request(tmp_path / "out", data))
    assert not (tmp_path / "out").exists(), "nothing was asked, nothing was written"
    with pytest.raises(InputError, match="has no elements"):
        measure(request(tmp_path / "out", data, reads="elements"))
    oracle = request(tmp_path / "oracle", data)
    measure(dataclasses.replace(oracle, settings=Settings(world="data", model="oracle"), model=None))
    assert "Blind" not in notes(tmp_path / "oracle"), "the oracle needs no screen"
    listed = recording(tmp_path / "listed", elements=[BUTTON])
    measure(request(tmp_path / "read", listed, reads="elements"))
    assert "Blind" not in notes(tmp_path / "read"), "it reads the list of elements"


def test_blind_is_marked_in_every_table(tmp_path: Path) -> None:
    data = recording(tmp_path / "data")
    measure(request(tmp_path / "out", data, blind=True))
    tables = table_of(*load_measurement(tmp_path / "out"))
    assert len(tables) >= 2
    for table in tables:
        assert table.title.endswith(", blind")
    assert all(
        "Blind: the model answered all 4 steps without seeing the screen" in " ".join(t.notes) for t in tables[:-1]
    )
    assert tables[0].rows[0].label == "always-back (btl), blind"
    page = write_report(tmp_path / "out").read_text(encoding="utf-8")
    assert "always-back (btl), blind" in page and page.count("without seeing the screen") == 1
    measure(request(tmp_path / "seen", recording(tmp_path / "pictures", pictures=4), label="seeing"))
    compared = comparison_table(compare(tmp_path / "seen", tmp_path / "out"))
    assert compared.rows[1].label == "always-back (btl), blind" and compared.rows[0].label == "seeing"
    assert "always-back (btl), blind: Blind: the model answered all 4 steps" in " ".join(compared.notes)
    made = run_grid(request(tmp_path / "grid", data, blind=True), read_axes(["lambda=1,2"]))
    grid = grid_table(made)
    assert [row.label for row in grid.rows] == ["lambda=1, blind", "lambda=2, blind"]


def test_samples_without_a_picture_are_counted(tmp_path: Path) -> None:
    measure(request(tmp_path / "out", recording(tmp_path / "data", 8, pictures=6)))
    tables = table_of(*load_measurement(tmp_path / "out"))
    assert "Blind: the model answered 2 of 8 steps (25.0 %) without seeing" in " ".join(tables[0].notes)
    assert "blind" not in tables[0].title and "blind" not in tables[0].rows[0].label


def test_assumed_sizes_are_counted(tmp_path: Path) -> None:
    measure(request(tmp_path / "out", recording(tmp_path / "data", 4, 4, tags={"screen": "assumed"})))
    assert "Assumed sizes: the data does not say the screen size of all 4 steps" in notes(tmp_path / "out")
    measure(request(tmp_path / "known", recording(tmp_path / "other", 4, 4)))
    assert "Assumed" not in notes(tmp_path / "known")


def test_true_actions_that_the_prompt_does_not_offer(tmp_path: Path) -> None:
    """BTL declares neither open_app nor wait, so 3 of 6 steps cannot be answered right."""
    truths = [TAP, Action("open_app", text="Clock"), Action("wait"), TAP, Action("press", key="back"), Action("wait")]
    data = recording(tmp_path / "data", 6, 6, truths)
    measure(request(tmp_path / "out", data, "androidcontrol-high"))
    wanted = "Not offered: the prompt of btl declares no true action of 3 of 6 steps (50.0 %): wait 2, open_app 1."
    assert wanted in notes(tmp_path / "out")
    phone = request(tmp_path / "phone", data, "androidcontrol-high")
    told = Settings(world="data", model="always-back", switches={"space": "phone"})
    measure(dataclasses.replace(phone, settings=told))
    assert "Not offered" not in notes(tmp_path / "phone"), "the phone's space has both"


def test_boxes_that_the_rule_assumed(tmp_path: Path) -> None:
    """Two clicks without a box: one in an element, one in none; the third has its box, and Back needs none."""
    truths = [Action("click", BUTTON.center), Action("click", Point(150, 500)), TAP, Action("press", key="back")]
    measure(request(tmp_path / "out", recording(tmp_path / "data", 4, 4, truths, elements=[BUTTON]), "cmgui-bench"))
    assert (
        "Assumed boxes: nobody annotated the box of the right click in 2 of 4 steps (50.0 %); judged by the smallest "
        "element 1, by a disc 1."
    ) in notes(tmp_path / "out")
    assert "Assumed boxes" not in notes(tmp_path / "out", "os-atlas")


@pytest.mark.shared
def test_the_real_androidcontrol_sample(tmp_path: Path, shared_data: Path) -> None:
    """No pictures, no sizes; 127 open_app and 101 wait of 1,614 steps that BTL's prompt does not offer: 14 %."""
    data, suite = shared_data / "androidcontrol_std", get_suite("androidcontrol-high")
    settings = Settings(world="data", model="always-back")
    with pytest.raises(InputError, match="has no pictures"):
        measure(BenchRequest(suite, settings, tmp_path / "out", data, model=AlwaysBack()))
    measure(BenchRequest(suite, settings, tmp_path / "out", data, model=AlwaysBack(), blind=True, limit=3))
    assert "Assumed sizes: the data does not say the screen size of all" in notes(tmp_path / "out")
    items = [JudgedStep(sample.step, False, False) for sample in open_dataset(data).samples() if sample.step.truth]
    said = not_offered(Bench("androidcontrol-high", {"paradigm": "btl"}, {}), suite, items)
    assert said.endswith("no true action of 228 of 1,614 steps (14.1 %): open_app 127, wait 101.")
