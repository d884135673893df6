"""Trainings: curves of a log that grows, and answers of a step with their rewards."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page
from studio_server import WAIT, browser, page, studio

from saccade.studio.training_logs import charts, find_trainings, read_log, sampled_steps, samples_of, thinned

__all__ = ["browser", "page"]


def line(step: int) -> str:
    log = {"step": step, "loss": 1 / step, "reward": step / 10, "kl": 0.01, "rewards/btl/link/mean": 0.5}
    return json.dumps(log | {"learning_rate": 1e-6, "epoch": 0.1, "note": "text"}) + "\n"


def write_training(folder: Path, steps: int) -> Path:
    folder.mkdir(parents=True)
    (folder / "recipe.yaml").write_text("stage: grpo\nmodel: hf/tiny\n")
    held_back = json.dumps({"step": steps, "held_back_loss": 0.25}) + "\n"
    (folder / "log.jsonl").write_text("".join(map(line, range(1, steps + 1))) + held_back)
    samples = [
        {"step": at, "id": "s1", "instruction": "Tap <b>Open</b>", "completion": f"answer {at}-{which}", "answer": ""}
        | {"parts": {"format": 1.0, "link": float(which)}, "reward": 1.0 + which, "advantage": which - 0.5}
        for at in (1, 4)
        for which in (0, 1)
    ]
    (folder / "samples.jsonl").write_text("".join(json.dumps(each) + "\n" for each in samples))
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("training").resolve()
    write_training(root / "one", 5)
    write_training(root / "sweep" / "two", 8)
    return root


@pytest.fixture(scope="module")
def address(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    database = tmp_path_factory.mktemp("base") / "studio.db"
    with studio(folder, database=f"sqlite:///{database}") as found:
        yield found.address


def test_trainings_are_found(folder: Path) -> None:
    found = {each.label: each.stage() for _, each in find_trainings([folder])}
    assert found == {f"{folder.name}/one": "grpo", f"{folder.name}/sweep/two": "grpo"}


def test_a_log_is_read_on_from_where_it_was(tmp_path: Path) -> None:
    log = write_training(tmp_path / "t", 3) / "log.jsonl"
    first = read_log(log)
    assert first.curves["loss"] == [(1, 1.0), (2, 0.5), (3, 1 / 3)] and first.curves["held_back_loss"] == [(3, 0.25)]
    with log.open("a") as file:
        file.write(line(4) + '{"step": 5, "lo')
    second = read_log(log, first.next)
    assert second.curves["loss"] == [(4, 0.25)], "half a line waits"
    assert read_log(log, second.next).curves == {}
    log.write_text(line(1))
    again = read_log(log, second.next)
    assert again.restarted and again.curves["loss"] == [(1, 1.0)]


def test_lines_that_are_no_records_are_left_out(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_bytes(
        b'\xff\n[1]\n{"loss": 1}\n{"step": true, "loss": 1}\n{"step": 1, "loss": NaN}\n{"step": 2, "loss": 3}\n'
    )
    assert read_log(log).curves == {"loss": [(2, 3)]}


def test_long_curves_are_thinned_and_keep_their_end() -> None:
    points = [(float(at), float(at)) for at in range(10_001)]
    assert len(thinned(points)) <= 2_000 and thinned(points)[-1] == (10_000.0, 10_000.0)
    assert thinned(points[:5]) == points[:5]


def test_curves_make_charts_in_order() -> None:
    names = ["mine", "kl", "rewards/a/mean", "rewards/a/std", "held_back_loss", "loss", "held_back_right"]
    assert charts(names) == [
        ("loss", ["held_back_loss", "loss"]),
        ("right", ["held_back_right"]),
        ("parts", ["rewards/a/mean"]),
        ("kl", ["kl"]),
        ("mine", ["mine"]),
        ("rewards/a/std", ["rewards/a/std"]),
    ]


def test_samples_of_a_step(folder: Path) -> None:
    file = folder / "one" / "samples.jsonl"
    assert sampled_steps(file) == [1, 4]
    assert [(each.completion, each.reward) for each in samples_of(file, 4)] == [
        ("answer 4-0", 1.0),
        ("answer 4-1", 2.0),
    ]


def test_curves_grow_and_samples_are_shown(address: str, folder: Path, page: Page) -> None:
    page.goto(f"{address}/training")
    page.get_by_role("link", name="/one").click()
    page.get_by_text("loss: 0.2 (5)").first.wait_for()
    titles = page.locator("figcaption").all_inner_texts()
    assert titles[:4] == ["Loss", "Reward", "Reward parts (mean)", "KL and entropy"]
    with (folder / "one" / "log.jsonl").open("a") as file:
        file.write(line(10))
    page.get_by_text("loss: 0.1 (10)").first.wait_for(timeout=WAIT)
    page.keyboard.press("s")
    page.get_by_role("heading", name="Tap <b>Open</b>").wait_for()
    assert "answer 4-1" in page.inner_text("main")
    page.wait_for_load_state("load")
    page.keyboard.press("ArrowLeft")
    page.get_by_text("answer 1-0").wait_for()


def test_two_trainings_are_compared(address: str, page: Page) -> None:
    page.goto(f"{address}/training")
    for box in page.get_by_role("checkbox").all():
        box.check()
    page.get_by_role("button", name="Compare").click()
    page.get_by_text("two loss: 0.125 (8)").first.wait_for()
    assert page.locator("figure").first.locator("path").count() == 4, "loss and held_back_loss of both"
