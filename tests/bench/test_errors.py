"""Why steps failed: Locate, Lingualize, Leverage; and samples that can be looked at."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from PIL import Image
from recordings import BUTTONS, DONE, SIZE, TAP, record, say
from replay_runs import chromium, until

from saccade.actions import Action
from saccade.agents.log import read_run, read_steps
from saccade.agents.records import LoggedStep
from saccade.agents.run import RunOverrides, start_run
from saccade.agents.settings import Settings
from saccade.bench.cases import Bench, Result
from saccade.bench.errors import Analysis, analyse, error_table, examples, write_errors
from saccade.bench.results_store import ResultsStore
from saccade.bench.runner import BenchRequest, measure
from saccade.bench.samples import keep_sample, sample_name, wrong_steps
from saccade.bench.step_errors import ERRORS, NEAR, SAME, diagnose
from saccade.bench.suites import get_suite
from saccade.bench.table import Table
from saccade.errors import InputError
from saccade.geometry import Box, Point, Size
from saccade.models.scripted import ScriptedModel
from saccade.paradigms import Reply, get_paradigm
from saccade.scoring.profiles import get_profile
from saccade.types import Element, Picture, Screen

SEARCH, SETTINGS, FIELD, DELETE = BUTTONS
RIGHT = Action("click", Point(150, 130), SEARCH.box)
ELSEWHERE = Action("click", Point(150, 430))


def step(
    prediction: Action | None, named: Sequence[Element] = (), paradigm: str = "uiloop", **fields: Any
) -> LoggedStep:
    told: dict[str, Any] = {"truth": [RIGHT], "elements": BUTTONS, "key_elements": [SEARCH]} | fields
    return LoggedStep(
        screen=SIZE, instruction="Look for hats", prediction=prediction, named=list(named), paradigm=paradigm, **told
    )


def at(x: float, y: float, caption: str) -> Element:
    return Element(1, Box.at(Point(x, y)), caption=caption)


@pytest.mark.parametrize(
    ("failed", "error", "basis"),
    [
        # UILoop: what the answer names decides
        (step(ELSEWHERE, [at(150, 430, "opens the search")]), "locate", "elements"),
        (step(ELSEWHERE), "locate", "elements"),
        (step(ELSEWHERE, [at(150, 130, "a photo of a mountain lake")]), "lingualize", "elements"),
        (step(ELSEWHERE, [at(150, 130, "the button that opens the search")]), "leverage", "elements"),
        (step(Action("wait"), [at(150, 430, "x"), at(140, 125, "Search")]), "leverage", "elements"),
        (step(Action("press", key="back"), [at(150, 240, "opens the search")]), "locate", "elements"),
        (
            step(
                Action("swipe", direction="up"),
                [at(10, 110, "opens the search")],
                elements=[],
                key_elements=[Element(1, Box(20, 100, 40, 120), caption="opens the search")],
            ),
            "leverage",
            "elements",
        ),
        # BTL: the xml dialect describes nothing, so there is nothing to describe wrongly
        (step(ELSEWHERE, [Element(1, SEARCH.box)], "btl"), "leverage", "elements"),
        (step(ELSEWHERE, [Element(1, DELETE.box)], "btl"), "locate", "elements"),
        (step(ELSEWHERE, [Element(1, SEARCH.box, caption="settings of the camera")], "btl"), "lingualize", "elements"),
        # SecAgent, GuidNav and others: where it taps
        (step(ELSEWHERE, paradigm="secagent"), "locate", "tap"),
        (step(Action("long_press", Point(150, 130)), paradigm="secagent"), "leverage", "tap"),
        (step(Action("type", text="hats"), paradigm="guidnav"), "not named", "action"),
        (step(Action("swipe", direction="down", start=Point(150, 130)), paradigm="guidnav"), "not named", "action"),
        (step(Action("drag", start=Point(150, 130), end=Point(150, 500)), paradigm="qwen"), "leverage", "tap"),
        (
            step(Action("open_app", text="Maps"), paradigm="secagent", truth=[RIGHT, Action("open_app", text="Hats")]),
            "leverage",
            "action",
        ),
        # no element was to be touched
        (step(ELSEWHERE, paradigm="secagent", truth=[Action("wait")], key_elements=[]), "leverage", "action"),
        (step(Action("type", text="cats"), paradigm="btl", truth=[Action("type", text="hats")]), "leverage", "action"),
        (step(Action("wait"), [at(150, 430, "x")], truth=[Action("swipe", direction="up")]), "locate", "elements"),
        # nothing that can be read
        (step(None, paradigm="secagent", problem="no tool call"), "not named", "action"),
        (step(None), "not named", "action"),
        (step(None, [at(150, 130, "opens the search")]), "leverage", "elements"),
        # data without key elements: the truth's own box or point
        (step(ELSEWHERE, paradigm="point", key_elements=[], elements=[]), "locate", "tap"),
        (
            step(
                Action("hover", Point(150, 131)),
                paradigm="point",
                key_elements=[],
                elements=[],
                truth=[Action("click", Point(150, 130))],
            ),
            "leverage",
            "tap",
        ),
        (step(ELSEWHERE, [at(150, 130, "a photo of a mountain lake")], key_elements=[]), "lingualize", "elements"),
    ],
)
def test_the_first_thing_that_went_wrong(failed: LoggedStep, error: str, basis: str) -> None:
    found = diagnose(failed)
    assert (found.error, found.basis) == (error, basis), found.why
    assert len(found.why) > 10


def test_near_is_a_share_of_the_diagonal() -> None:
    far = NEAR * (1080**2 + 2400**2) ** 0.5
    target = Element(1, Box(500, 1000, 510, 1010), caption="opens the search")
    for distance, error in ((far - 1, "leverage"), (far + 1, "locate")):
        failed = LoggedStep(
            screen=Size(1080, 2400),
            truth=[Action("click", target.center, target.box)],
            key_elements=[target],
            prediction=Action("wait"),
            paradigm="uiloop",
            named=[at(505, 1005 + distance, "opens the search")],
        )
        assert diagnose(failed).error == error


def test_another_element_is_not_near_however_close() -> None:
    """Two small icons side by side: the neighbour is within reach of the distance, but it is another element."""
    icons = [Element(1, Box(100, 100, 110, 110), text="A"), Element(2, Box(112, 100, 122, 110), text="B")]
    truth = [Action("click", icons[0].center, icons[0].box)]
    tap = step(
        Action("click", Point(114, 105)), paradigm="secagent", elements=icons, key_elements=icons[:1], truth=truth
    )
    assert diagnose(tap).error == "locate" and diagnose(tap).why == 'it tapped "B", not "A"'
    gap = step(
        Action("long_press", Point(111, 105)), paradigm="secagent", elements=icons, key_elements=icons[:1], truth=truth
    )
    assert diagnose(gap).error == "leverage"


def test_the_threshold_of_descriptions_divides_the_golden_triples() -> None:
    from saccade.scoring.similarity import similarity  # noqa: PLC0415

    rows = msgspec.json.Decoder(dict[str, Any]).decode_lines(
        (Path(__file__).parents[1] / "golden/similarity.jsonl").read_bytes()
    )
    same = [similarity(row["a"], row["b"]) < SAME for row in rows]
    other = [similarity(row["a"], row["c"]) < SAME for row in rows]
    assert sum(same) / len(rows) < 0.16 and sum(other) / len(rows) > 0.71


# -- whole measurements ------------------------------------------------------------------------------------------------


def answers() -> list[str]:
    """Of six taps of the search: two right, one at the wrong element, one badly described, one wrong deed, one mute."""
    form = get_paradigm("uiloop")
    screen = Screen(SIZE, None, BUTTONS)

    def answer(action: Action, element: Element) -> str:
        return form.render(Reply(action, (element,), "so"), screen)

    return [
        answer(TAP, SEARCH),
        answer(ELSEWHERE, DELETE),
        answer(ELSEWHERE, at(150, 130, "a photo of a mountain lake")),
        answer(Action("press", key="back"), SEARCH),
        answer(TAP, SEARCH),
        "I do not know.",
        "I really do not.",
    ]


def static(tmp_path: Path) -> tuple[Path, list[Picture | None]]:
    data = record(tmp_path / "data", (TAP,) * 6)
    settings = Settings(world="steps", model="scripted", paradigm="uiloop", coordinates="pixel")
    out = tmp_path / "out"
    measure(BenchRequest(get_suite("steps"), settings, out, data, label="six taps", model=ScriptedModel(answers())))
    return out, [Picture(str(data / f"shots/{number}.png"), SIZE) for number in range(6)]


def counts(analysis: Analysis) -> dict[str, int]:
    return {error: sum(each.error == error for each in analysis.failed) for error in ERRORS}


def test_a_recording_is_analysed(tmp_path: Path) -> None:
    out, _ = static(tmp_path)
    found = analyse(out)
    assert (found.judged, found.label, found.profile, found.unjudged) == (6, "six taps", "btl", 0)
    assert counts(found) == {"locate": 1, "lingualize": 1, "leverage": 1, "not named": 1}
    assert [each.at for each in found.failed] == [1, 2, 3, 5]
    assert found.shares["failed"].value == pytest.approx(4 / 6) and found.of_failed["locate"].value == 0.25
    assert sum(found.of_failed[error].value for error in ERRORS) == pytest.approx(1)
    assert found.failed[0].did == 'tapped "Delete"' and found.failed[0].right == 'tapped "Search"'
    table = error_table(found)
    assert isinstance(table, Table) and [len(row.cells) for row in table.rows] == [5, 5]
    cell = table.rows[0].cells[0]
    assert cell is not None and cell.n == 6 and cell.low is not None and cell.low < cell.value
    assert "4 of 6 steps failed by the rule btl" in table.notes[0]
    assert {error: len(items) for error, items in examples(found, 1).items()} == dict.fromkeys(ERRORS, 1)


def test_a_class_that_never_came_up_has_an_interval(tmp_path: Path) -> None:
    data = record(tmp_path / "data", (TAP,) * 6)
    settings = Settings(world="steps", model="scripted", paradigm="uiloop", coordinates="pixel")
    measure(BenchRequest(get_suite("steps"), settings, tmp_path / "out", data, model=ScriptedModel(answers()[:1] * 6)))
    found = analyse(tmp_path / "out")
    assert not found.failed and not found.of_failed and found.shares["locate"].high > 0.3
    assert error_table(found).rows[1].cells == [None] * 5
    assert "<h2>" not in write_errors(tmp_path / "out").read_text()


def test_the_papers_own_count_stands_beside_its_own_suite() -> None:
    found = Analysis(
        suite="androidcontrol-high",
        label="x",
        profile="btl",
        judged=1,
        unjudged=0,
        broken=0,
        shares={},
        of_failed={},
        resampled="case",
        failed=[],
    )
    row = error_table(found).rows[-1]
    assert row.published and [cell and cell.value for cell in row.cells] == [1, 8, 31, None, None]


def live(tmp_path: Path, said: list[str], **settings: Any) -> Path:
    """A run on a recording, as one live task of a measurement."""
    data, out = record(tmp_path / "data", (TAP,) * 5), tmp_path / "out"
    told = Settings(world=f"replay:{data}", model="scripted", **settings)
    with ResultsStore(out, Bench("phone", {"model": "scripted"}, {})) as store:
        for task in ("00000-a", "00001-b"):
            log = start_run(told, out / "runs" / task, RunOverrides(model=ScriptedModel(said)))
            store.add(Result(id=task, outcome=log.run.outcome, turns=len(log.steps), run=f"runs/{task}"))
        store.add(Result(id="00002-c", status="broken", problem="the world broke", run="runs/00002-c"))
        store.finish([])
    return out


def test_live_runs_are_analysed_from_their_logs(tmp_path: Path) -> None:
    wrong = say("secagent", ELSEWHERE)
    out = live(tmp_path, [say("secagent", TAP), wrong, say("secagent", DONE)], paradigm="secagent")
    found = analyse(out)
    assert found.broken == 1 and found.profile == "cmgui" and found.judged == 6
    assert counts(found) == {"locate": 2, "lingualize": 0, "leverage": 0, "not named": 2}
    assert [each.replay for each in found.failed[:2]] == [
        "runs/00000-a/replay.html#2",
        "runs/00000-a/replay.html#3",
    ]
    page = write_errors(out, most=2).read_text()
    assert (out / "runs/00000-a/replay.html").exists(), "pages that examples lead to are written"
    assert 'href="runs/00000-a/replay.html#2"' in page and "1 broken cases" in page
    assert "[00001-b, step 2](runs/00001-b/replay.html#2)" in (out / "errors.md").read_text()
    saved = msgspec.json.decode((out / "errors.json").read_bytes(), type=Analysis)
    assert [each.case for each in examples(saved, 2)["locate"]] == ["00000-a", "00001-b"], "of different cases first"


def test_attempts_are_told_apart(tmp_path: Path) -> None:
    wrong = [say("secagent", ELSEWHERE), say("secagent", Action("terminate", status="failure"))]
    out = live(tmp_path, wrong * 2, paradigm="secagent", retries=1, reflect=False, judge="world")
    steps = read_steps(out / "runs/00000-a")[0]
    assert [each.attempt for each in steps] == [0, 0, 1, 1]
    found = [each.replay for each in analyse(out).failed if each.case == "00000-a"]
    assert found == [f"runs/00000-a/replay.html#{at}" for at in ("1.1", "1.2", "2.1", "2.2")]


def test_without_a_truth_there_is_nothing_to_class(tmp_path: Path) -> None:
    with ResultsStore(tmp_path / "out", Bench("miniwob", {"model": "x"}, {})) as store:
        store.add(Result(id="a", turns=3))
        store.finish([])
    with pytest.raises(InputError, match=r"of no step in .* is it known"):
        analyse(tmp_path / "out")
    with pytest.raises(InputError, match="there is no measurement"):
        write_errors(tmp_path / "nowhere")


def test_what_models_say_is_only_text(tmp_path: Path) -> None:
    out, _ = static(tmp_path)
    results = [msgspec.json.decode(line, type=Result) for line in (out / "results.jsonl").read_bytes().splitlines()]
    results[0].steps[1].instruction = "<script>alert(1)</script> [x](javascript:1)"
    (out / "results.jsonl").write_bytes(b"".join(msgspec.json.encode(result) + b"\n" for result in results))
    page = write_errors(out).read_text()
    assert "<script>alert" not in page and "&lt;script&gt;alert" in page


# -- samples -----------------------------------------------------------------------------------------------------------


@pytest.mark.browser
def test_a_sample_is_a_run_that_the_replay_page_opens(tmp_path: Path) -> None:
    out, pictures = static(tmp_path)
    result = msgspec.json.decode((out / "results.jsonl").read_bytes().splitlines()[0], type=Result)
    assert wrong_steps(result, get_profile("btl")) == [1, 2, 3, 5]
    kept = keep_sample(out, result, pictures)
    assert kept == out / "runs/e" and keep_sample(out, result, pictures) == kept, "twice is once"
    run, steps = read_run(kept), read_steps(kept)[0]
    assert run.outcome is not None and run.outcome.status == "failure"
    assert run.outcome.reason == "4 of 6 steps are not right by the rule btl" and run.usage == result.usage
    assert [each.image for each in steps] == [f"screens/0-{number:03}.png" for number in range(6)]
    assert [each.prediction for each in steps] == [each.prediction for each in result.steps]
    assert result.steps[0].image == "shots/0.png", "the result itself is left alone"
    page = write_errors(out)
    with chromium() as browser:
        shown = browser.new_page()
        complaints: list[str] = []
        shown.on("pageerror", lambda error: complaints.append(str(error)))
        shown.goto(page.as_uri())
        assert shown.locator("h2").all_text_contents() == ["Locate", "Lingualize", "Leverage", "Not named"]
        shown.click("text=e, step 3")
        assert shown.evaluate("location.hash") == "#3" and shown.url.startswith(kept.as_uri())
        until(shown, "document.querySelector('#shot').naturalWidth > 0")
        assert shown.locator("#instruction").inner_text() == "Look for hats" and complaints == []


def test_pictures_are_kept_as_they_are(tmp_path: Path) -> None:
    out, pictures = static(tmp_path)
    result = msgspec.json.decode((out / "results.jsonl").read_bytes().splitlines()[0], type=Result)
    jpeg = io.BytesIO()
    Image.new("RGB", SIZE, "red").save(jpeg, "JPEG")
    mixed = [Picture(jpeg.getvalue(), SIZE), None, Picture(str(tmp_path / "gone.png")), *pictures[3:]]
    steps = read_steps(keep_sample(out, result, mixed))[0]
    assert [each.image for each in steps][:4] == ["screens/0-000.jpg", "", "", "screens/0-003.png"]
    assert (out / "runs/e/screens/0-000.jpg").read_bytes() == jpeg.getvalue()
    assert (out / "runs/e/replay.html").exists()


def test_a_sample_that_is_all_right_and_one_that_is_none(tmp_path: Path) -> None:
    out, pictures = static(tmp_path)
    result = msgspec.json.decode((out / "results.jsonl").read_bytes().splitlines()[0], type=Result)
    result.steps = result.steps[:1]
    run = read_run(keep_sample(out, result, pictures[:1]))
    assert run.outcome is not None and run.outcome.status == "success"
    with pytest.raises(InputError, match="1 steps and 6 pictures"):
        keep_sample(out, result, pictures)
    with pytest.raises(InputError, match="has no answered step"):
        keep_sample(out, Result(id="x"), [])


def test_names_of_cases_become_names_of_folders() -> None:
    ids = ["e1", "a/b", "a_b", "../../etc", "", "x" * 300, "设置/蓝牙", "设置_蓝牙", "a b", "..", "CON ", "e1."]
    names = [sample_name(id) for id in ids]
    assert len(set(names)) == len(ids) and names[0] == "e1" and names[2] == "a_b"
    for name in names:
        assert name and "/" not in name and not name.startswith(".") and len(name.encode()) < 255
