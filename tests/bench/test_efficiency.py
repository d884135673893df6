"""What an agent takes: tokens, seconds, turns and money, with intervals over cases."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image
from test_tables import measured, recorded

from saccade.bench.cases import Result
from saccade.bench.efficiency import COLUMNS, accuracy_against_tokens, cost_cells, efficiency_table
from saccade.bench.figures import load_measurement, mean, ratio
from saccade.bench.suites import get_suite
from saccade.bench.table import Cell, markdown
from saccade.errors import InputError
from saccade.models.base import Usage


def case(at: int, turns: int, *, cost: float = 0.0, first: float | None = None) -> Result:
    """A case whose steps take 1,000 tokens in and 50 out, in half a second of the model's time each."""
    return Result(
        id=f"c{at}",
        turns=turns,
        usage=Usage(1000 * turns, 50 * turns, cost, turns),
        seconds=2.0 * turns,
        model_seconds=0.5 * turns,
        first_token=first,
    )


def values(results: list[Result]) -> dict[str, float | None]:
    return {name: cell.value if cell else None for name, cell in cost_cells(results).items()}


def test_a_step_and_a_task() -> None:
    """Tokens of a step are over all steps: a long case weighs more. Those of a task are a mean over cases."""
    results = [case(0, 2, cost=0.01, first=0.1), case(1, 8, cost=0.03, first=0.3), Result(id="b", status="broken")]
    assert values(results) == pytest.approx(
        {
            "input": 1000.0,
            "output": 50.0,
            "first": 0.2,
            "speed": 100.0,
            "turns": 5.0,
            "tokens": 5250.0,
            "cost": 0.02,
            "time": 10.0,
        }
    )
    taken = cost_cells(results)
    assert taken["input"] == Cell(1000.0, 1000.0, 1000.0, 2), "the broken case counts nowhere"
    assert taken["turns"] is not None and (taken["turns"].low, taken["turns"].high) == (2.0, 8.0)


def test_intervals_are_over_cases() -> None:
    results = [case(at, 1 + at % 5) for at in range(100)]
    turns = cost_cells(results)["turns"]
    assert (
        turns is not None and turns.value == 3.0 and turns.n == 100 and turns.low is not None and turns.high is not None
    )
    assert 2.6 < turns.low < 2.85 and 3.15 < turns.high < 3.4, "1.96 · 1.41 / 10 to either side"
    assert cost_cells(results) == cost_cells(results), "seeded"
    assert mean([]) is None and ratio([1.0], [0.0]) is None


def test_what_is_not_known_is_said() -> None:
    table = efficiency_table(get_suite("phone"), [case(0, 3), case(1, 3)], "mini btl")
    cells = dict(zip(COLUMNS, table.rows[0].cells, strict=True))
    assert cells["cost"] is None and cells["first"] is None and len(table.rows) == 1
    said = " ".join(table.notes)
    assert "No price is known" in said and "does not stream" in said and "bootstrap over tasks" in said
    nothing = efficiency_table(get_suite("phone"), [Result(id="b", status="broken")], "mini btl")
    assert nothing.rows[0].cells == [None] * len(COLUMNS) and "| – |" in markdown(nothing)


def test_the_papers_stand_beside_it() -> None:
    """SecAgent's Table 4 counts steps, GuidNav's tasks."""
    secagent = efficiency_table(get_suite("cmgui-bench"), [case(0, 3)], "mini secagent")
    rows = {row.label: dict(zip(COLUMNS, row.cells, strict=True)) for row in secagent.rows if row.published}
    assert len(rows) == 7 and rows["N=1"]["input"] == Cell(2239.0) and rows["N=1"]["tokens"] is None
    guidnav = efficiency_table(get_suite("aitw"), [case(0, 3)], "mini guidnav")
    rows = {row.label: dict(zip(COLUMNS, row.cells, strict=True)) for row in guidnav.rows if row.published}
    assert rows["GuidNav"]["tokens"] == Cell(53_400.0) and rows["GuidNav"]["turns"] == Cell(9.8)
    assert "GuidNav, Table 4" in " ".join(guidnav.notes)
    assert len(efficiency_table(get_suite("aitw"), [case(0, 3)], "x", beside=False).rows) == 1


def test_a_real_measurement(tmp_path: Path) -> None:
    """Each number of what the model says it used arrives here, the second asking of unreadable answers included."""
    out = measured(tmp_path / "one", "androidcontrol-high", recorded(30))
    _, results = load_measurement(out)
    taken = values(results)
    asked = sum(result.usage.calls for result in results)
    assert asked > 30 and taken["turns"] == 3.0 and taken["first"] == pytest.approx(0.05)
    assert taken["input"] == pytest.approx(sum(result.usage.input for result in results) / 30)
    assert taken["cost"] and taken["time"] and taken["speed"] is not None


def test_accuracy_against_tokens(tmp_path: Path) -> None:
    one = measured(tmp_path / "one", "androidcontrol-high", recorded(30))
    other = measured(tmp_path / "two", "androidcontrol-high", recorded(30), "btl")
    accuracy_against_tokens([one, other], tmp_path / "scatter.png")
    with Image.open(tmp_path / "scatter.png") as image:
        assert image.format == "PNG" and image.width > 600
    grounding = measured(tmp_path / "three", "steps", recorded(6))
    with pytest.raises(InputError, match="of one suite"):
        accuracy_against_tokens([one, grounding], tmp_path / "x.png")
    with pytest.raises(InputError, match="no measurement"):
        accuracy_against_tokens([tmp_path], tmp_path / "x.png")
