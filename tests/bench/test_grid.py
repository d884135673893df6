"""Grids: axes into settings, one measurement for each combination, one table and one plot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from PIL import Image
from recordings import BUTTONS, SIZE, TAP, record

from saccade.agents.settings import Settings
from saccade.bench import grid
from saccade.bench.cases import Result
from saccade.bench.compare import compare
from saccade.bench.grid import GridVariant, folder_name, grid_table, run_grid, variants, write_grid
from saccade.bench.grid_axes import PRESETS, read_axes
from saccade.bench.results_store import read_bench
from saccade.bench.runner import BenchRequest, measure
from saccade.bench.suites import get_suite
from saccade.bench.table import Table
from saccade.errors import InputError, MissingError
from saccade.models.base import Ask, Completion, Model, ModelError, Usage
from saccade.paradigms import Reply, get_paradigm
from saccade.types import Message, Picture, Screen


class Camera(Model):
    """Answers rightly, and remembers how many pictures it was shown in each combination, and what it was asked for."""

    def __init__(self, paradigm: str = "secagent") -> None:
        self.name, self.paradigm = "camera", paradigm
        self.now = ""
        self.pictures: dict[str, list[int]] = {}
        self.texts: dict[str, str] = {}

    def complete(self, messages: Sequence[Message], ask: Ask) -> list[Completion]:
        count = sum(isinstance(part, Picture) for message in messages for part in message.content)
        self.pictures.setdefault(self.now, []).append(count)
        self.texts[self.now] = " ".join(message.text for message in messages)
        reply = Reply(TAP, tuple(BUTTONS[:1]), "so", summary="looked")
        text = get_paradigm(self.paradigm).render(reply, Screen(SIZE, None, BUTTONS))
        return [Completion(text, Usage(100 * count, 20, 0.0, 1), 0.01) for _ in range(ask.n)]

    def begin(self, variant: GridVariant, at: int, total: int) -> None:
        self.now = variant.name


def order(tmp_path: Path, model: Model | None = None, suite: str = "steps", **settings: Any) -> BenchRequest:
    data = tmp_path / "data"
    if not data.exists():
        record(data, (TAP,) * 6)
    told = Settings(world="steps", model="camera", **{"coordinates": "pixel", **settings})
    return BenchRequest(get_suite(suite), told, tmp_path / "out", data, model=model or Camera())


# -- axes --------------------------------------------------------------------------------------------------------------


def test_axes_become_settings(tmp_path: Path) -> None:
    axes = read_axes(["history=0,2 context=on,off", "temperature=none,0.5"])
    made = variants(order(tmp_path, paradigm="secagent"), axes)
    assert len(made) == 8 and made[0].name == "history=0,context=on,temperature=none"
    assert made[-1].settings.switches == {"window": 2, "semantic_context": False}
    assert made[-1].settings.temperature == 0.5 and made[0].settings.temperature is None
    assert made[-1].out == tmp_path / "out/history=2,context=off,temperature=0.5"
    one = variants(order(tmp_path, paradigm="guidnav"), read_axes(["k=1,3", "reward=none,oracle"]))
    assert [(each.settings.k, each.settings.reward) for each in one] == [(1, ""), (1, "oracle"), (3, ""), (3, "oracle")]
    [only] = variants(order(tmp_path), read_axes(["hints=key"]))
    assert only.settings.hints == "key"


def test_one_axis_at_a_time(tmp_path: Path) -> None:
    """What comes to the same is measured once, and what the command line says is there to compare with."""
    told = order(tmp_path, paradigm="secagent")
    made = variants(told, read_axes(["history=0,1,5", "context=on,off", "thought=on,off"], "one"))
    assert [each.name for each in made] == ["history=0", "history=1", "history=5", "context=off", "thought=off"]
    assert made[1].values == {"history": 1, "context": True, "thought": True}, "1, on and on are what it is by default"
    made = variants(told, read_axes(["history=0,5", "context=off"], "one"))
    assert [each.name for each in made] == ["base", "history=0", "history=5", "context=off"]
    assert made[0].settings == told.settings


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["histroy=1"], "no axis 'histroy': use history, context, thought, lambda"),
        (["history"], "write NAME=VALUE,VALUE or one of the ablations secagent-history, btl-lambda"),
        (["history="], "history has no value"),
        (["history=0,x"], "'x' is not a whole number"),
        (["history=-1"], "-1 is not a whole number of at least 0"),
        (["k=0"], "0 is not a whole number of at least 1"),
        (["temperature=warm"], "'warm' is not a number"),
        (["temperature=nan"], "nan is not a number of at least 0"),
        (["context=maybe"], "'maybe' is neither on nor off"),
        (["dialect=yaml"], "'yaml' is not one of xml, json"),
        (["history=1,1"], "a value appears twice"),
        (["history=1", "history=2"], "history is varied twice"),
        (["secagent-history", "context=on,off"], "context is varied twice"),
        ([""], "--grid is empty"),
        (["seed=" + ",".join(map(str, range(300)))], "300 combinations"),
    ],
)
def test_wrong_axes_are_one_sentence(words: list[str], said: str) -> None:
    with pytest.raises(InputError) as error:
        read_axes(words)
    assert said in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["hints=some"], "--grid hints=some: hints: Invalid enum value 'some'"),
        (["history=0,1"], "--grid history=0: the paradigm btl has no switch 'window'"),
        (["paradigm=btl,blt"], "unknown paradigm 'blt' (did you mean btl?)"),
        (["k=1,2 temperature=0"], "--grid k=2,temperature=0.0: --k 2 takes as many samples"),
        (["retries=0,1"], "only live suites have attempts, but steps is a recording"),
        (["coordinates=polar"], "--coordinates: "),
    ],
)
def test_what_cannot_be_measured_is_said_before_anything_is(tmp_path: Path, words: list[str], said: str) -> None:
    model = Camera("btl")
    with pytest.raises(InputError) as error:
        run_grid(order(tmp_path, model), read_axes(words))
    assert said in str(error.value)
    assert not model.pictures and not (tmp_path / "out").exists()


def test_an_unknown_model_among_others(tmp_path: Path) -> None:
    told = replace(order(tmp_path), model=None)
    with pytest.raises(InputError, match="unknown model 'opneai'"):
        run_grid(told, read_axes(["model=oracle,opneai/x"]))
    assert not (tmp_path / "out").exists()


def test_modes(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="use product or one"):
        read_axes(["k=1"], "both")


def test_folders_are_named_after_combinations() -> None:
    assert folder_name("history=0,context=on") == "history=0,context=on"
    names = [folder_name(name) for name in ("model=hf/a/b", "model=hf_a/b", "model=../../x", "model=" + "y" * 300)]
    assert len(set(names)) == 4
    assert all("/" not in name and len(name) < 100 for name in names)


# -- ablations of the papers -------------------------------------------------------------------------------------------


def test_the_ablations_have_the_rows_of_their_papers(tmp_path: Path) -> None:
    def rows(name: str, suite: str = "steps") -> list[GridVariant]:
        return variants(replace(order(tmp_path, suite=suite), options={}), read_axes([name]))

    assert len(rows("secagent-history")) == 7
    assert [each.settings.switches["max_elements"] for each in rows("btl-lambda")] == [1, 2, 3, 4, 5, 6]
    assert [each.settings.hints for each in rows("uiloop-elements")] == ["none", "key", "false"]
    table_1 = [(each.k, each.reward, each.agent, each.tries) for each in (row.settings for row in rows("guidnav-k"))]
    assert table_1 == [
        (1, "", "", 1),  # DP
        (3, "", "", 1),  # TopK
        (1, "", "reflection", 1),
        (3, "model", "", 1),  # GuidNav
        (3, "model", "", 3),  # GuidNav Pass@N
        (3, "oracle", "", 1),  # TopK w/ Oracle Eval
    ]
    assert {each.settings.paradigm for each in rows("guidnav-k")} == {"guidnav"}
    assert [each.settings.retries for each in rows("guidnav-retries", "phone")] == [0, 1, 2, 3]
    assert set(PRESETS) >= {"secagent-history", "btl-lambda", "uiloop-elements", "guidnav-k"}
    both = variants(order(tmp_path), read_axes(["btl-lambda", "dialect=xml,json"]))
    assert len(both) == 12 and both[0].name == "lambda=1,dialect=xml"


def test_an_ablation_of_training_measures_what_was_trained(tmp_path: Path) -> None:
    told = order(tmp_path)
    rows = variants(told, read_axes(["btl-table5a"]))
    assert [each.settings.model for each in rows] == [
        f"hf/runs/btl-table5a/{name}/model" for name in ("sft", "sft-blink", "rft", "rft-blink")
    ]
    assert [each.settings.switches.get("blink", True) for each in rows] == [False, True, False, True]
    assert {each.settings.coordinates for each in rows} == {"resized:28,3136,4014080"}, "pictures as in training"
    assert rows[1].label == "trained=runs/btl-table5a/sft-blink"
    rows = variants(told, read_axes([f"uiloop-no-lingualisation={tmp_path}/my runs/"]))
    assert [each.settings.model for each in rows] == [
        f"hf/{tmp_path}/my runs/uiloop-no-lingualisation/{name}/model"
        for name in ("sft", "leverage", "locate-leverage", "full")
    ]
    assert [each.settings.paradigm for each in variants(told, read_axes(["secagent-gr2nav"]))] == ["secagent"] * 3
    with pytest.raises(InputError, match="btl-lambda=runs: only an ablation of training takes a folder"):
        read_axes(["btl-lambda=runs"])
    with pytest.raises(InputError, match="a/b has no model: train it first"):
        variants(replace(told, model=None), read_axes(["trained=a/b"]))


def test_published_rows_of_an_ablation_of_training(tmp_path: Path) -> None:
    def rows(suite: str, *trained: str) -> list[str]:
        made = [GridVariant(name, {"trained": name}, Settings(world="steps"), tmp_path) for name in trained]
        return [row.label for row in grid._published(suite, grid.published_ablations(made), ["sr", "step", "task"])]

    assert "RFT, blink data, BTL reward" in rows("androidcontrol-high", "runs/btl-table5a/sft", "runs/btl-table5a/rft")
    assert rows("androidcontrol-high", "runs/uiloop-no-lingualisation/sft") == []


def test_a_window_of_n_shows_n_earlier_screens(tmp_path: Path) -> None:
    model = Camera()
    made = run_grid(order(tmp_path, model), read_axes(["secagent-history"]), on_variant=model.begin)
    assert model.pictures["history=0"] == [1] * 6
    assert model.pictures["history=1"] == [1, 2, 2, 2, 2, 2]
    assert model.pictures["history=5"] == [1, 2, 3, 4, 5, 6]
    assert "<summary>" in model.texts["history=5"] and "<summary>" not in model.texts["history=5,context=off"]
    assert "<think>" in model.texts["history=1"] and "<think>" not in model.texts["history=1,thought=off"]
    table = grid_table(made)
    at = table.columns.index("input per step (tokens)")
    tokens = {row.label: row.cells[at].value for row in table.rows if row.cells[at]}  # type: ignore[union-attr]
    assert tokens["history=0"] == 100 and tokens["history=5"] == 350 and tokens["history=1"] == pytest.approx(1100 / 6)


# -- running -----------------------------------------------------------------------------------------------------------


def test_a_grid_is_measured_once_and_goes_on(tmp_path: Path) -> None:
    model, told = Camera(), list[Result]()
    axes = read_axes(["history=0,1", "context=on,off"])
    made = run_grid(
        order(tmp_path, model, paradigm="secagent"), axes, lambda result, done, total: told.append(result), model.begin
    )
    assert len(made) == len(told) == 4 and sum(map(len, model.pictures.values())) == 24
    assert read_bench(made[3].out).label == "history=1,context=off"
    again = Camera()
    more = run_grid(
        order(tmp_path, again, paradigm="secagent"),
        read_axes(["history=0,1,2", "context=on,off"]),
        on_variant=again.begin,
    )
    assert list(again.pictures) == ["history=2,context=on", "history=2,context=off"], "only what is new is asked"
    found = compare(made[0].out, more[1].out)
    assert found.n == 6 and {found.one, found.other} == {"history=0,context=on", "history=0,context=off"}


def test_a_grid_does_not_mix_with_other_measurements(tmp_path: Path) -> None:
    measure(order(tmp_path, Camera("btl")))
    with pytest.raises(InputError, match="contains a single measurement"):
        run_grid(order(tmp_path, Camera("btl")), read_axes(["lambda=1,2"]))
    made = run_grid(replace(order(tmp_path, Camera("btl")), out=tmp_path / "grid"), read_axes(["lambda=1,2"]))
    changed = replace(order(tmp_path, Camera("btl"), max_tokens=7), out=tmp_path / "grid")
    with pytest.raises(InputError, match="has a measurement with different settings"):
        run_grid(changed, read_axes(["lambda=1,2"]))
    assert [each.out.name for each in made] == ["lambda=1", "lambda=2"]


def test_one_table_and_one_plot(tmp_path: Path) -> None:
    made = run_grid(order(tmp_path, Camera("btl")), read_axes(["lambda=1,5", "dialect=xml,json"]))
    page = write_grid(made, tmp_path / "out")
    [table] = msgspec.json.decode((tmp_path / "out/report.json").read_bytes(), type=list[Table])
    assert [row.label for row in table.rows] == [f"lambda={n}, dialect={d}" for n in (1, 5) for d in ("xml", "json")]
    assert table.title.endswith("by lambda, dialect") and "paradigm btl" in " ".join(table.notes)
    right = table.rows[0].cells[table.columns.index("SR")]
    assert right is not None and right.value == 100 and right.n == 6
    assert "data:image/png;base64," in page.read_text() and "lambda=5, dialect=json" in page.read_text()
    assert "![](grid.png)" in (tmp_path / "out/report.md").read_text()
    for name in ("grid.png", "table.png"):
        with Image.open(tmp_path / "out" / name) as picture:
            assert picture.width > 400 and len(picture.convert("RGB").resize((64, 64)).getcolors(4096) or []) > 3


def test_lines_for_products_and_bars_for_the_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[tuple[Any, ...]] = []
    monkeypatch.setattr(grid, "lines", lambda *given: drawn.append(("lines", *given)))
    monkeypatch.setattr(grid, "bars", lambda *given: drawn.append(("bars", *given)))
    made = run_grid(order(tmp_path, Camera("btl")), read_axes(["lambda=1,2,5"]))
    grid.grid_plot(made, tmp_path / "x.png")
    kind, xs, series, _, axis, unit, _ = drawn[0]
    assert (kind, xs, axis, unit) == ("lines", ["1", "2", "5"], "lambda", "%")
    assert list(series) == ["SR"] and [cell.value for cell in series["SR"]] == [100, 100, 100]
    told = replace(order(tmp_path, Camera("btl")), out=tmp_path / "second")
    grid.grid_plot(run_grid(told, read_axes(["lambda=1,2", "dialect=xml,json"])), tmp_path / "x.png")
    assert drawn[1][0] == "lines" and list(drawn[1][2]) == ["dialect=xml", "dialect=json"]
    told = replace(order(tmp_path, Camera("btl")), out=tmp_path / "third")
    grid.grid_plot(run_grid(told, read_axes(["lambda=1,2", "dialect=json"], "one")), tmp_path / "x.png")
    assert drawn[2][:2] == ("bars", ["base", "lambda=1", "lambda=2", "dialect=json"])


def test_the_papers_rows_stand_beside_ours(tmp_path: Path, shared_data: Path) -> None:
    told = BenchRequest(
        get_suite("androidcontrol-high"),
        Settings(world="data", model="oracle"),
        tmp_path / "out",
        shared_data / "androidcontrol_std",
        limit=12,
    )
    table = grid_table(run_grid(told, read_axes(["lambda=1,5"])))
    theirs = {row.label: row for row in table.rows if row.published}
    assert list(theirs) == [f"lambda={n}" for n in range(1, 7)] and theirs["lambda=5"].note == "BTL-UI, Table 5b"
    cell = theirs["lambda=5"].cells[table.columns.index("SR")]
    assert cell is not None and cell.value == 69.2 and cell.n is None
    assert not any(row.published for row in table.rows[:2])


class Unreachable(Camera):
    """Is down for one combination."""

    def complete(self, messages: Sequence[Message], ask: Ask) -> list[Completion]:
        if self.now == "lambda=2":
            raise ModelError("the server is down")
        return super().complete(messages, ask)


def test_what_broke_spoils_only_its_own_row(tmp_path: Path) -> None:
    model = Unreachable("btl")
    made = run_grid(order(tmp_path, model), read_axes(["lambda=1,2"]), on_variant=model.begin)
    table = grid_table(made)
    assert table.rows[1].cells == [None] * len(table.columns) and table.rows[0].cells[0] is not None
    assert "lambda=2: 1 cases were broken and are not counted." in table.notes
    assert write_grid(made, tmp_path / "out").exists()
    with pytest.raises(InputError, match="no case is completed"):
        grid_table(made[1:])


def test_without_matplotlib_the_figures_are_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*given: Any) -> None:
        raise MissingError("drawing needs matplotlib")

    made = run_grid(order(tmp_path, Camera("btl")), read_axes(["lambda=1,2"]))
    monkeypatch.setattr(grid, "lines", missing)
    page = write_grid(made, tmp_path / "out")
    assert "drawing needs matplotlib" in page.read_text() and "lambda=2" in page.read_text()
    assert not (tmp_path / "out/grid.png").exists()


def test_published_rows_of_an_ablation_are_marked_by_their_rule(tmp_path: Path) -> None:
    """UILoop's Table 3 was made by gui-r1: unmarked beside a grid by that rule, marked beside one by os-atlas."""
    suite = replace(get_suite("androidcontrol-high"), datasets=("steps",), options={})
    made = run_grid(replace(order(tmp_path), suite=suite), read_axes(["hints=none,key"]))
    for rule, mark in {"gui-r1": "", "os-atlas": "rule gui-r1"}.items():
        theirs = [row for row in grid_table(made, rule).rows if row.published]
        assert {row.note for row in theirs} == {"UILoop, Table 3"} and {row.rule for row in theirs} == {mark}
