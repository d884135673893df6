"""Tables: the papers' rows and columns, the figures of `saccade score`, what others published beside them, on paper and
in a real browser.
"""

from __future__ import annotations

import dataclasses
import random
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from PIL import Image
from replay_runs import chromium
from rich.console import Console
from test_embeddings import onnx_folder
from typer.testing import CliRunner

from saccade.actions import Action
from saccade.agents.records import LoggedStep, Outcome, ScoredCandidate
from saccade.agents.settings import Settings
from saccade.bench.cases import Bench, Result
from saccade.bench.figures import (
    answers,
    ended_by,
    judge_answers,
    load_measurement,
    metrics,
    step_accuracy,
    success,
    wilson,
)
from saccade.bench.plots import ScatterPoint, bars, lines, scatter
from saccade.bench.report_files import profiles_table, rules, write_report
from saccade.bench.runner import BenchRequest, measure
from saccade.bench.samples import keep_sample
from saccade.bench.suites import get_suite
from saccade.bench.table import Cell, Table, TableRow, cell_of, html, markdown, number, picture, shortened, to_json
from saccade.bench.tables import table_of
from saccade.bench.terminal import column_parts
from saccade.cli import app
from saccade.errors import InputError, MissingError
from saccade.geometry import Box, Point, Size
from saccade.models.base import Ask, Completion, Model, Usage
from saccade.paradigms import Reply, get_paradigm
from saccade.records import write_steps
from saccade.scoring.metrics import report
from saccade.scoring.profiles import get_profile
from saccade.scoring.reasoning_coverage import coverage
from saccade.types import Element, Message, Screen, Step

SIZE = Size(308, 616)
PLACES = [Box(20, 100, 280, 160), Box(20, 200, 280, 260), Box(20, 400, 280, 460)]
ELEMENTS = [Element(at, box, "button", f"Button {at}", f"the button number {at}") for at, box in enumerate(PLACES, 1)]
MOVES = [
    Action("click", PLACES[0].center, PLACES[0]),
    Action("type", text="warm hats"),
    Action("swipe", direction="up"),
    Action("click", PLACES[1].center, PLACES[1]),
    Action("press", key="back"),
    Action("long_press", PLACES[2].center, PLACES[2]),
]


class Noisy(Model):
    """Right six times out of ten; else a wrong place, or nothing that could be read. Always the same."""

    reads = "elements"

    def __init__(self, paradigm: str, moves: Sequence[Action]) -> None:
        self.name, self.moves = "noisy", moves
        self.form = get_paradigm(paradigm)

    def complete(self, messages: Sequence[Message], ask: Ask) -> list[Completion]:
        number = int(re.findall(r"Task (\d+)\.", " ".join(message.text for message in messages))[-1])
        used = Usage(900 + number, 40 + number % 7, 0.001 * (1 + number % 3), 1)
        return [Completion(self.answer(number), used, 0.2 + 0.01 * (number % 5), 0.05)]

    def answer(self, number: int) -> str:
        chance = random.Random(number).random()
        right = self.moves[number % len(self.moves)]
        action = unboxed(right)
        if chance > 0.9:
            return "I am sorry, I cannot do that."
        if chance > 0.6:
            action = Action("click", Point(30 + 200 * chance, 600 * random.Random(-number).random()))
        return self.form.render(
            Reply(action, tuple(ELEMENTS[:1]), "so", "go on", "none yet"), Screen(SIZE, None, ELEMENTS)
        )


def unboxed(action: Action) -> Action:
    """An answer has no box."""
    return msgspec.structs.replace(action, box=None)


def recorded(count: int, moves: Sequence[Action] = MOVES, length: int = 3, **tags: Sequence[str]) -> list[Step]:
    """Episodes of `length` steps (single samples if 0), tagged in turn."""
    return [
        Step(
            id=f"s{at}",
            episode=f"e{at // length:02}" if length else "",
            step=at % length if length else 0,
            instruction=f"Task {at}.",
            truth=[moves[at % len(moves)]],
            screen=SIZE,
            elements=ELEMENTS,
            key_elements=ELEMENTS[:2],
            tags={name: values[(at // max(1, length)) % len(values)] for name, values in tags.items()},
        )
        for at in range(count)
    ]


def measured(
    folder: Path,
    suite: str,
    steps: list[Step],
    paradigm: str = "secagent",
    moves: Sequence[Action] = MOVES,
    **rest: Any,
) -> Path:
    """A real measurement of these records as one of the named suite."""
    data = folder / "data"
    data.mkdir(parents=True)
    write_steps(data / "steps.jsonl", steps)
    chosen = dataclasses.replace(get_suite(suite), datasets=("steps",), options={})
    settings = Settings(world="data", model="noisy", paradigm=paradigm, coordinates="pixel", **rest)
    measure(BenchRequest(chosen, settings, folder / "out", data, workers=3, model=Noisy(paradigm, moves)))
    return folder / "out"


TAPS = MOVES[:1] + MOVES[3:4]
GROUNDING = {"task": ["grounding"], "platform": ["mobile", "desktop", "web"], "kind": ["text", "icon", "icon", "text"]}
MEASURED: dict[str, Any] = {
    "screenspot-v2": (recorded(90, TAPS, 0, **GROUNDING), "btl", TAPS),
    "androidcontrol-high": (recorded(90, subsplit=["app_unseen", "IDD"]), "secagent", MOVES),
    "gui-odyssey": (recorded(12, category=["shopping"]), "btl", MOVES),
    "cmgui-bench": (recorded(75, app=["淘宝", "哔哩哔哩"], language=["zh", "en"]), "secagent", MOVES),
    "aitw": (recorded(72, source=["general", "install", "google_apps", "web_shopping"]), "btl", MOVES),
    "steps": (recorded(40, length=0, platform=["mobile", "web"]), "uiloop", MOVES),
}


@pytest.fixture(scope="module")
def benches(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    place = tmp_path_factory.mktemp("benches")
    return {
        name: measured(place / name, name, steps, paradigm, moves)
        for name, (steps, paradigm, moves) in MEASURED.items()
    }


@pytest.mark.parametrize("profile", ["btl", "qwen", "os-atlas", "cmgui", "guidnav", "screenspot"])
@pytest.mark.parametrize("suite", MEASURED)
def test_a_suite_gives_what_saccade_score_gives(benches: dict[str, Path], suite: str, profile: str) -> None:
    """Values, intervals and counts, of the whole and of each tag, to the last digit."""
    told = CliRunner().invoke(app, ["score", str(benches[suite] / "steps.jsonl"), "--profile", profile, "--json"])
    said = msgspec.json.decode(told.stdout)
    _, results = load_measurement(benches[suite])
    rule = get_profile(profile)
    items = judge_answers(answers(results), rule)
    ours = {name: msgspec.to_builtins(figure) for name, figure in report(items, rule).metrics.items()}
    assert ours == said["metrics"] and len(ours) >= 1
    assert metrics(items, rule)["sr"].value == said["metrics"]["accuracy" if profile == "screenspot" else "sr"]["value"]
    assert 0 < metrics(items, rule)["sr"].value < 1, "neither all right nor all wrong, or the test says nothing"


def test_the_cells_of_a_table_are_those_of_saccade_score(benches: dict[str, Path]) -> None:
    told = CliRunner().invoke(
        app, ["score", str(benches["screenspot-v2"] / "steps.jsonl"), "-p", "screenspot", "--json"]
    )
    said = msgspec.json.decode(told.stdout)
    table = table_of(*load_measurement(benches["screenspot-v2"]))[0]
    ours = table.rows[0]
    assert [name for name, _ in table.groups] == ["Mobile", "Desktop", "Web", "Overall"]
    assert table.columns == ["Text", "Icon"] * 3 + ["Avg"]
    names = [f"platform={place},kind={kind}" for place in ("mobile", "desktop", "web") for kind in ("text", "icon")]
    wanted = [said["groups"][name]["metrics"]["accuracy"] for name in names] + [said["metrics"]["accuracy"]]
    for cell, figure in zip(ours.cells, wanted, strict=True):
        assert cell is not None and cell.n == figure["n"]
        values = (100 * figure["value"], 100 * figure["low"], 100 * figure["high"])
        assert (cell.value, cell.low, cell.high) == pytest.approx(values)
    assert sum(cell.n or 0 for cell in ours.cells[:6] if cell) == ours.cells[6].n == 90  # type: ignore[union-attr]


def test_each_suite_has_its_papers_table(benches: dict[str, Path]) -> None:
    columns = {
        "screenspot-v2": "Text Icon Text Icon Text Icon Avg",
        "androidcontrol-high": "Type GR SR",
        "gui-odyssey": "Type GR SR",
        "cmgui-bench": "Step Task Click Type Swipe Terminate",
        "aitw": "general google_apps install web_shopping Average",
    }
    papers = {
        "screenspot-v2": {"BTL-UI, Table 3"},
        "androidcontrol-high": {"BTL-UI, Table 4", "UILoop, Table 2", "SecAgent, Table 3"},
        "gui-odyssey": {"BTL-UI, Table 4", "SecAgent, Table 3"},
        "cmgui-bench": {"SecAgent, Table 2"},
        "aitw": {"GuidNav, Table 1", "GuidNav, Table 3"},
    }
    for suite, wanted in columns.items():
        bench, results = load_measurement(benches[suite])
        main = table_of(bench, results)[0]
        assert " ".join(main.columns) == wanted
        ours, theirs = main.rows[0], main.rows[1:]
        assert ours.label == f"noisy ({bench.settings.get('paradigm', 'btl')})" and not ours.published
        assert {row.note for row in theirs} == papers[suite] and all(row.published for row in theirs)
        assert all(cell is None or cell.n is None for row in theirs for cell in row.cells), "theirs have no count"
        assert all(cell.n and cell.low is not None for cell in ours.cells if cell), "ours always have"
        assert len(table_of(bench, results, published=False)[0].rows) == 1
        said = " ".join(main.notes)
        for part in (
            "Data: ",
            f"Rule: {get_suite(suite).profile}",
            "95 %",
            "saccade",
            "model noisy",
            "not measured here",
        ):
            assert part in said


def test_finer_tables_follow(benches: dict[str, Path]) -> None:
    tables = table_of(*load_measurement(benches["androidcontrol-high"]))
    by = {table.title.removeprefix("AndroidControl-High: "): table for table in tables}
    assert list(by) == [
        "type, GR and SR",
        "accuracy by the type of the right action",
        "by subsplit",
        "how often the reasoning names the key elements, by action",
        "costs",
    ]
    assert [row.label for row in by["by subsplit"].rows] == ["IDD", "app_unseen"]
    counts = [row.cells[2].n for row in by["by subsplit"].rows if row.cells[2]]
    assert counts == [45, 45]
    actions = by["accuracy by the type of the right action"]
    assert actions.columns == ["click", "long_press", "press", "swipe", "type"]
    assert sum(cell.n or 0 for cell in actions.rows[0].cells if cell) == 90


def test_another_rule_can_be_named(benches: dict[str, Path]) -> None:
    bench, results = load_measurement(benches["androidcontrol-high"])
    own, other = table_of(bench, results)[0], table_of(bench, results, "aitw")[0]
    assert "Rule: aitw" in " ".join(other.notes) and own.rows[0].cells != other.rows[0].cells
    with pytest.raises(InputError, match="unknown profile"):
        table_of(bench, results, "nobody's")
    assert rules("", get_suite("aitw")) == ["guidnav"] and rules("btl, qwen", get_suite("aitw")) == ["btl", "qwen"]
    assert len(rules("all", get_suite("aitw"))) == 11
    with pytest.raises(InputError, match="did you mean"):
        rules("btl,odysey", get_suite("aitw"))


def test_the_same_answers_under_every_rule(benches: dict[str, Path]) -> None:
    _, results = load_measurement(benches["androidcontrol-high"])
    table = profiles_table(get_suite("androidcontrol-high"), answers(results), rules("all", get_suite("steps")))
    assert len(table.rows) == 11 and {"SR", "Type", "GR"} <= set(table.columns)
    shares = {row.label: row.cells[table.columns.index("SR")] for row in table.rows}
    assert shares["screenspot"] is not None and shares["screenspot"].n == 45, "it judges clicks only"
    assert "are right under some of the 10 rules that judge them all" in table.notes[-1]
    agreed = profiles_table(get_suite("androidcontrol-high"), answers(results)[:1], ["btl", "gui-r1", "btl"])
    assert "agree on each of them" in agreed.notes[-1] and len(agreed.rows) == 2


def test_candidates_have_an_oracles_row(benches: dict[str, Path]) -> None:
    """GuidNav's upper bound: the best of what was proposed."""
    bench, results = load_measurement(benches["aitw"])
    for result in results:
        for step in result.steps:
            wrong = ScoredCandidate(Action("press", key="home"))
            step.candidates = [wrong, ScoredCandidate(unboxed(step.truth[0]))]
    main = table_of(bench, results)[0]
    assert main.rows[1].label == "noisy (btl), oracle among the candidates"
    assert [cell.value for cell in main.rows[1].cells if cell] == [100.0] * 5
    first = main.rows[0].cells[-1]
    assert first is not None and first.value < 100


def test_comprehension(tmp_path: Path) -> None:
    steps = recorded(30, group=["android", "web"])
    bench, results = load_measurement(measured(tmp_path, "ui-comprehension", steps, "uiloop"))
    table = table_of(bench, results)[0]
    assert table.columns == ["Loc.", "Lin.", "Lev.", "Overall"] and len(table.rows) == 13
    locate, lingualize, leverage, overall = (cell.value / 100 for cell in table.rows[0].cells if cell)
    assert overall == pytest.approx(locate * lingualize * leverage) and 0 < overall < 1
    assert any(note.startswith("sim: static-root. Of 60 paraphrase pairs") for note in table.notes)
    assert any(note.endswith("another sim.") for note in table.notes), "published rows have another"
    bench.similarity = str(onnx_folder(tmp_path / "words"))
    other = table_of(bench, results)[0]
    assert any(note.startswith(f"sim: {tmp_path.name}/words. Of 60") for note in other.notes)
    lingualized = [each.rows[0].cells[1] for each in (table, other)]
    assert lingualized[0] != lingualized[1], "another similarity, another figure"
    told = CliRunner().invoke(app, ["reward", str(tmp_path / "out/steps.jsonl"), "--paradigm", "uiloop", "--json"])
    rows = [msgspec.json.decode(line)["parts"] for line in told.stdout.splitlines()]
    for ours, name in ((locate, "location"), (lingualize, "lingualisation"), (leverage, "leverage")):
        assert ours == pytest.approx(sum(row[name] for row in rows) / len(rows)), "as saccade reward says"


def test_the_apps_of_secagents_table_5(tmp_path: Path) -> None:
    """淘宝 is Taobao, 哔哩哔哩 Bilibili; an app that the paper does not show is in the table by app only."""
    steps = recorded(36, app=["淘宝", "bilibili", "微信"])
    tables = table_of(*load_measurement(measured(tmp_path, "cmgui-bench", steps)))
    table = next(table for table in tables if "SecAgent's Table 5" in table.title)
    assert table.groups == [("Taobao", 2), ("Bilibili", 2)] and table.columns == ["Step", "Task"] * 2
    assert [row.label for row in table.rows[1:]] == [
        "SFT, partial data",
        "SFT + RFT, partial data",
        "SFT, full data",
        "SFT + RFT, full data",
    ]
    assert [cell.value for cell in table.rows[4].cells if cell] == [95.5, 73.8, 97.6, 91.7]
    by_app = next(table for table in tables if table.title.endswith("by app"))
    same = {row.label: row.cells for row in by_app.rows}
    assert table.rows[0].cells == [*same["淘宝"], *same["bilibili"]] and set(same) == {"淘宝", "bilibili", "微信"}


def test_how_often_reasoning_names_the_key_elements(tmp_path: Path) -> None:
    """By hand: clicks name 1 + 2 of 2 + 2 elements, the swipe none of 1; no thought or no annotation: left out."""
    one, two = (Element(at, PLACES[at], text=text) for at, text in enumerate(("Search settings", "微信支付")))
    told = Element(3, PLACES[2], caption="this element opens the camera of the phone")
    tap, swipe = MOVES[0], Action("swipe", direction="up")
    rows: list[tuple[Action, list[Element] | None, str]] = [
        (tap, [one, two], "I tap SEARCH SETTINGS first."),
        (tap, [two, told], "打开微信支付, then the camera opens."),
        (swipe, [one], "I look further down."),
        (tap, [one], ""),
        (tap, None, "Search settings"),
        (tap, [], "Search settings"),
    ]
    steps = [
        LoggedStep(id=str(at), screen=SIZE, truth=[truth], prediction=truth, key_elements=key, thought=thought)
        for at, (truth, key, thought) in enumerate(rows)
    ]
    found = coverage(steps)
    assert {name: (figure.value, figure.n) for name, figure in found.items()} == {
        "all": (3 / 5, 5),
        "click": (3 / 4, 4),
        "swipe": (0.0, 1),
    }
    assert coverage(steps[3:]) == {}


def test_right_cases_are_linked_too(benches: dict[str, Path]) -> None:
    """Some right cases are kept with their replay, as the first wrong ones are."""
    out = benches["steps"]
    page = write_report(out).read_text(encoding="utf-8")
    _, results = load_measurement(out)
    kept = [result for result in results if result.run]
    rule = get_profile(get_suite("steps").profile)
    right = [result for result in kept if all(item.right for item in judge_answers(result.steps, rule))]
    assert len(right) == 5 and len(kept) > 5
    assert "Cases that succeeded and were kept: 5" in page and "Cases that failed: " in page
    assert all(f'href="{result.run}/replay.html"' in page for result in kept)
    assert (out / "plot-main.png").is_file() and (out / "plot-reasoning.png").is_file()


# -- live tasks --------------------------------------------------------------------------------------------------------


def live(count: int, well: Sequence[int], broken: Sequence[int] = ()) -> list[Result]:
    """Results as the runner leaves them."""
    found = []
    for at in range(count):
        tags = {
            "task": f"t{at % 4}",
            "app": ("mail", "clock", "several")[at % 3],
            "language": ("en", "zh")[at % 2],
            "group": ("seen", "template", "app", "theme")[at % 4],
            "kind": "do" if at % 5 else "ask",
            "length": ("1-5", "6-10", "11+")[at % 3],
        }
        good = at in well
        outcome = Outcome("success" if good else "failure", "agent" if good else "steps", "" if good else "the limit")
        result = Result(
            id=f"{at:05}-t",
            tags=tags,
            outcome=outcome,
            turns=5 + at % 3,
            right_steps=4,
            judged_steps=5,
            usage=Usage(5000, 300, 0, 6),
            seconds=4,
            model_seconds=2,
            run=f"runs/{at:05}-t",
        )
        if at in broken:
            result = Result(id=f"{at:05}-t", status="broken", problem="the browser died", tries=3, tags=tags)
        found.append(result)
    return found


def bench_of(suite: str, **settings: Any) -> Bench:
    return Bench(
        suite, {"world": suite, "model": "mini", **settings}, {"saccade": "0.1.0", "python": "3.11.2"}, limit=60
    )


def test_live_success_by_everything() -> None:
    results = live(60, range(0, 60, 2), broken=(3, 7))
    main, by_app, ends, taken = table_of(bench_of("phone", paradigm="secagent"), results)
    assert main.columns[0] == "All" and [name for name, _ in main.groups] == ["", "Group", "Language", "Kind", "Length"]
    assert main.columns[1:5] == ["seen", "template", "app", "theme"] and main.columns[-3:] == ["1-5", "6-10", "11+"]
    whole, cells = main.rows[0].cells[0], dict(zip(main.columns, main.rows[0].cells, strict=True))
    assert whole == cell_of(wilson(30, 58)) and cells["en"] == cell_of(wilson(30, 30))
    assert cells["en"] is not None and cells["en"].value == 100 and cells["en"].low == pytest.approx(88.6, abs=0.1)
    assert "2 cases broke" in " ".join(main.notes) and "00003-t, 00007-t" in " ".join(main.notes)
    assert [row.label for row in by_app.rows] == ["all", "clock", "mail", "several"]
    assert by_app.rows[0].cells[1] == Cell(80.0, 80.0, 80.0, 58 * 5)
    assert ends.columns == ["success", "out of steps"] and "phone: costs" in taken.title
    assert sum(cell.value for cell in ends.rows[0].cells if cell) == pytest.approx(100)


def test_live_figures() -> None:
    results = live(10, range(4), broken=(9,))
    found = success(results)
    assert found is not None and (found.value, found.n) == (4 / 9, 9)
    assert success([]) is None and step_accuracy([]) is None and ended_by([]) == {}
    assert wilson(0, 5).low == 0 and wilson(0, 5).high == pytest.approx(0.434, abs=1e-3)
    assert wilson(50, 100).low == pytest.approx(0.404, abs=1e-3) and wilson(50, 100).high == pytest.approx(
        0.596, abs=1e-3
    )


def test_miniwob_is_shown_by_task() -> None:
    results = [
        Result(id=f"click-{at}", tags={"task": f"click-{at % 2}"}, outcome=Outcome("success", "world"), turns=1)
        for at in range(6)
    ]
    main, by_task, *_ = table_of(bench_of("miniwob"), results)
    assert main.columns == ["All"] and not main.groups
    assert [row.label for row in by_task.rows] == ["all", "click-0", "click-1"] and by_task.rows[0].cells[1] is None


def test_nothing_done_is_one_sentence() -> None:
    with pytest.raises(InputError, match=r"no case of phone is completed, 2 are broken: the browser died"):
        table_of(bench_of("phone"), live(2, (), broken=(0, 1)))


# -- how a table is shown ----------------------------------------------------------------------------------------------


def a_table(**rest: Any) -> Table:
    rows = [
        TableRow("ours | <b>", [Cell(91.04, 88.0, 93.0, 1234), None]),
        TableRow("theirs", [Cell(80.0), Cell(0.5)], True, "Paper, Table 2"),
    ]
    return Table("A <title>", ["Text", "time (s)"], rows, [("Mobile", 1), ("", 1)], notes=["Data: x & y."], **rest)


def test_a_table_as_text() -> None:
    text = markdown(a_table())
    assert "| **ours \\| <b>** | 91.0 [88.0, 93.0] n = 1,234 | – |" in text
    assert "| *theirs* (published, Paper, Table 2) | 80.0 | 0.5 |" in text and "- Data: x & y." in text
    page = html(a_table())
    assert "<b>" not in page and "A &lt;title&gt;" in page and '<th colspan="1">Mobile</th>' in page
    assert '<tr class="published"><th>theirs<small>published, Paper, Table 2</small></th>' in page
    assert msgspec.json.decode(to_json(a_table()), type=Table) == a_table()
    assert [number(value, "s") for value in (0.1123, 12.34, 1.234, 2239.4, 0)] == [
        "0.112",
        "12.3",
        "1.23",
        "2,239",
        "0",
    ]


def test_a_table_on_the_terminal() -> None:
    """ScreenSpot-Pro's 15 columns fit 130 letters, with intervals and counts."""
    cells: list[Cell | None] = [Cell(88.8, 77.7, 99.9, 123)] * 15
    wide = Table(
        "Wide",
        ["Text", "Icon"] * 6 + ["Text", "Icon", "Avg"],
        [TableRow("openai/some-model-7b btl", cells)],
        [("Scientific", 2)] * 6 + [("Overall", 3)],
    )
    console = Console(width=130, record=True, file=open("/dev/null", "w", encoding="utf-8"))  # noqa: PTH123, SIM115
    console.print(*column_parts(wide, console))
    shown = console.export_text()
    assert shown.count("88.8") == 15 and shown.count("78–100") == 15 and shown.count("n 123") == 15
    assert "…" not in shown and shown.count("Scien.") == 12


def test_figures_cannot_shift_under_another_heading() -> None:
    short = Table("T", ["a", "b"], [TableRow("x", [None])])
    for show in (markdown, html, to_json, lambda table: column_parts(table, Console())):
        with pytest.raises(ValueError, match="1 cells for 2 columns"):
            show(short)
    with pytest.raises(ValueError, match="groups"):
        markdown(Table("T", ["a", "b"], [], [("g", 1)]))


def dark(path: Path) -> float:
    """The share of a picture that is not white."""
    with Image.open(path) as image:
        assert image.format == "PNG" and min(image.size) > 200
        grey = image.convert("L").tobytes()
    return sum(value < 128 for value in grey) / len(grey)


def test_pictures_are_drawn(tmp_path: Path) -> None:
    picture(a_table(), tmp_path / "table.png")
    chinese = Table("表格：成功率", ["应用"], [TableRow("小模型", [Cell(50.0, 40.0, 60.0, 10)])])
    picture(chinese, tmp_path / "chinese.png")
    cells = [Cell(80.0, 70.0, 90.0, 20), None, Cell(40.0)]
    bars(["a", "b", "c_long_name"], {"ours": cells, "theirs": cells}, tmp_path / "bars.png", "Bars")
    lines(["0", "1", "5"], {"on": cells, "off": cells}, tmp_path / "lines.png", "N", title="Lines")
    scatter(
        [
            ScatterPoint("a", Cell(2239.0), cells[0] or Cell(0.0)),
            ScatterPoint("b", Cell(3507.0, 3400.0, 3600.0), Cell(50.0)),
        ],
        tmp_path / "scatter.png",
        "tokens",
        "SR, per cent",
    )
    for path in tmp_path.iterdir():
        assert 0.003 < dark(path) < 0.5, path.name
    with pytest.raises(InputError, match="cannot write"):
        picture(chinese, tmp_path / "nowhere" / "x.png")


# -- the report --------------------------------------------------------------------------------------------------------


@pytest.mark.browser
def test_the_report_in_a_browser(benches: dict[str, Path]) -> None:
    """Tables, pictures inside the page, and failed cases that open in their replay."""
    out = benches["cmgui-bench"]
    _, results = load_measurement(out)
    wrong = next(result for result in results if any(step.prediction is None for step in result.steps))
    keep_sample(out, wrong, [None] * len(wrong.steps))
    page = write_report(out, "all")
    assert page == out / "report.html"
    tables = msgspec.json.decode((out / "report.json").read_bytes(), type=list[Table])
    assert len(list(out.glob("table-*.png"))) == len(tables) and "under 11 rules" in tables[-1].title
    text = (out / "report.md").read_text(encoding="utf-8")
    assert all(f"### {table.title}" in text for table in tables) and "(published, SecAgent, Table 2)" in text
    with chromium() as browser:
        tab = browser.new_page()
        said: list[str] = []
        tab.on("console", lambda message: said.append(message.text))
        tab.on("request", lambda request: said.append(request.url) if request.url.startswith("http") else None)
        tab.goto(page.as_uri())
        assert tab.locator("figure table").count() == len(tables)
        assert tab.evaluate("[...document.images].length > 0 && [...document.images].every(i => i.naturalWidth > 0)")
        assert tab.locator("tr.published").count() == 14 + 4 + 7
        assert "淘宝" in tab.inner_text("body") and not said
        tab.click(f"text={wrong.id}")
        tab.wait_for_selector("#instruction")
        assert tab.inner_text("#instruction") == wrong.steps[0].instruction


def test_tables_do_not_depend_on_what_was_done_first(benches: dict[str, Path]) -> None:
    out = benches["gui-odyssey"]
    before = table_of(*load_measurement(out))
    content = (out / "results.jsonl").read_bytes().splitlines(keepends=True)
    random.Random(1).shuffle(content)
    (out / "results.jsonl").write_bytes(b"".join(content) + b'{"id": "half a li')
    assert [result.id for result in load_measurement(out)[1]] == ["e00", "e01", "e02", "e03"]
    assert table_of(*load_measurement(out)) == before


def test_without_matplotlib_there_is_a_report_all_the_same(
    benches: dict[str, Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    page = write_report(benches["steps"])
    assert "pip install" in page.read_text(encoding="utf-8") and "<img" not in page.read_text(encoding="utf-8")
    assert not list(page.parent.glob("*.png"))
    with pytest.raises(MissingError, match=r"saccade\[bench\]"):
        picture(a_table(), tmp_path / "x.png")


def test_a_folder_without_a_measurement(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no measurement"):
        write_report(tmp_path)


@pytest.mark.shared
def test_the_real_predictions(shared_data: Path) -> None:
    """ScreenSpot-Pro samples with a real model's answers: as many right as their authors say, in each group."""
    results, right = [], 0
    form = get_paradigm("point")
    for at, line in enumerate((shared_data / "screenspot_pro/predictions_half.jsonl").read_bytes().splitlines()):
        row = msgspec.json.decode(line)
        right += row["correctness"] == "correct"
        x0, y0, x1, y1 = row["bbox"]
        step = LoggedStep(
            id=str(at),
            screen=Size(*row["img_size"]),
            output=row["raw_response"],
            truth=[Action("click", Box(x0, y0, x1, y1).center, Box(x0, y0, x1, y1))],
            tags={"task": "grounding", "group": row["group"], "kind": row["ui_type"]},
        )
        step.prediction = form.parse(row["raw_response"], step.view).reply.action
        results.append(Result(id=str(at), steps=[step], turns=1))
    table = table_of(bench_of("screenspot-pro"), results)[0]
    assert [name for name, _ in table.groups] == [
        "Development",
        "Creative",
        "CAD",
        "Scientific",
        "Office",
        "OS",
        "Overall",
    ]
    whole = table.rows[0].cells[-1]
    assert whole is not None and whole.n == 790 and whole.value == pytest.approx(100 * right / 790)
    assert sum(cell.n or 0 for cell in table.rows[0].cells[:12] if cell) == 790


def test_names_of_a_megabyte_are_cut_in_every_output(tmp_path: Path) -> None:
    """Tags of data become names of columns and rows."""
    long = "x" * 10**6
    table = Table(long, ["All", f"{long} (s)"], [TableRow(long, [Cell(50.0), Cell(2.0)])], notes=[long])
    assert len(markdown(table)) < 3_000 and len(html(table)) < 3_500
    assert shortened(table).columns[1] == "x" * 71 + "…xxxx (s)"
    picture(table, tmp_path / "table.png")
    with Image.open(tmp_path / "table.png") as drawn:
        assert max(drawn.size) < 6_000
