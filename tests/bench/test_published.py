"""What others published: as it stands in their papers, and all of it shown beside ours."""

from __future__ import annotations

import msgspec
import pytest

from saccade.bench.efficiency import COLUMNS
from saccade.bench.published import FILE, Published, all_published, published, published_notes, published_rows
from saccade.bench.suites import get_suite
from saccade.bench.table import source
from saccade.bench.tables import AXES, COMPREHENSION, PLANNING, SUBSETS
from saccade.scoring.profiles import get_profile

KEYS = {
    "screenspot": [f"{place} {kind}" for place in AXES["screenspot"][1] for kind in ("text", "icon")] + ["avg"],
    "screenspot-pro": [f"{group} {kind}" for group in (*AXES["screenspot-pro"][1], "all") for kind in ("text", "icon")]
    + ["avg"],
    "androidcontrol-low": list(PLANNING),
    "androidcontrol-high": list(PLANNING),
    "gui-odyssey": list(PLANNING),
    "ui-comprehension": list(COMPREHENSION),
    "cmgui-bench": ["step", "task", "click", "type", "swipe", "terminate"],
    "aitw": [*SUBSETS, "average"],
}
KEYS["screenspot-v2"] = KEYS["screenspot"]
COUNTS = {"screenspot": (273, 229, 194, 140, 230, 206), "screenspot-v2": (290, 211, 194, 140, 234, 203)}
"""Samples by platform and kind, in the order of the columns."""


def figure(suite: str, paper: str, label: str, column: str, beside: str = "main") -> float | None:
    (value,) = [
        dict(zip(table.columns, table.rows[label], strict=True))[column]
        for table in published(suite, beside)
        if table.paper == paper and label in table.rows and column in table.columns
    ]
    return value


@pytest.mark.parametrize(
    ("suite", "paper", "label", "values"),
    [
        ("screenspot", "BTL-UI", "BTL-UI-7B, RFT", {"avg": 87.2}),
        ("screenspot-v2", "BTL-UI", "BTL-UI-7B, RFT", {"avg": 89.1}),
        ("screenspot-pro", "BTL-UI", "BTL-UI-7B, RFT", {"avg": 33.7}),
        ("androidcontrol-low", "BTL-UI", "BTL-UI-7B, RFT", {"type": 96.8, "gr": 88.5, "sr": 88.0}),
        ("androidcontrol-high", "BTL-UI", "BTL-UI-7B, RFT", {"type": 88.2, "gr": 76.9, "sr": 69.2}),
        ("gui-odyssey", "BTL-UI", "BTL-UI-7B, RFT", {"type": 71.0, "gr": 60.2, "sr": 45.2}),
        ("screenspot-pro", "UILoop", "UILoop-7B", {"avg": 31.8}),
        ("androidcontrol-high", "UILoop", "UILoop-7B", {"type": 88.9, "sr": 76.3, "gr": 81.8}),
        (
            "ui-comprehension",
            "UILoop",
            "UILoop-7B",
            {"locate": 86.4, "lingualize": 49.3, "leverage": 61.3, "overall": 26.1},
        ),
        ("cmgui-bench", "SecAgent", "SecAgent-3B", {"step": 96.4, "task": 80.0}),
        ("androidcontrol-high", "SecAgent", "SecAgent-3B", {"sr": 69.5}),
        ("gui-odyssey", "SecAgent", "SecAgent-3B", {"sr": 74.3}),
        ("aitw", "GuidNav", "DP", {"average": 34.3}),
        ("aitw", "GuidNav", "GuidNav", {"average": 38.9}),
        ("aitw", "GuidNav", "GuidNav Pass@N", {"average": 46.8}),
        ("aitw", "GuidNav", "TopK w/ Oracle Eval", {"average": 53.7}),
    ],
)
def test_the_figures_that_the_specification_names(suite: str, paper: str, label: str, values: dict[str, float]) -> None:
    assert {column: figure(suite, paper, label, column) for column in values} == values


def test_live_and_efficiency_figures() -> None:
    live = {label: figure("aitw", "GuidNav", label, "average", "live") for label in ("DP", "GuidNav", "Integration")}
    assert live == {"DP": 38.8, "GuidNav": 54.0, "Integration": 75.9}
    tokens = [figure("aitw", "GuidNav", label, "tokens", "efficiency") for label in ("DP", "GuidNav")]
    assert tokens == [41_000, 53_400]
    taken = {
        column: figure("cmgui-bench", "SecAgent", "N=1", column, "efficiency") for column in ("input", "first", "speed")
    }
    assert taken == {"input": 2239, "first": 0.11, "speed": 140}
    assert figure("cmgui-bench", "SecAgent", "N=5 w/o SC", "input", "efficiency") == 3507


def test_no_published_figure_is_lost_on_the_way_into_a_table() -> None:
    """Our columns are theirs: each of their figures has a place."""
    for suite, keys in KEYS.items():
        theirs = [
            value for table in published(suite) for row in table.rows.values() for value in row if value is not None
        ]
        shown = [cell.value for row in published_rows(suite, keys) for cell in row.cells if cell is not None]
        assert sorted(shown) == sorted(theirs) and len(shown) > 10, suite
    for suite in ("cmgui-bench", "aitw"):
        rows = published_rows(suite, list(COLUMNS), "efficiency")
        assert len(rows) in (6, 7) and all(sum(cell is not None for cell in row.cells) == 3 for row in rows)


def test_each_table_names_its_paper_and_its_rule() -> None:
    for table in all_published():
        get_suite(table.suite)
        assert table.paper in ("BTL-UI", "UILoop", "SecAgent", "GuidNav") and table.metric
        if table.profile:
            get_profile(table.profile)
        values = [value for row in table.rows.values() for value in row if value is not None]
        assert table.unit != "%" or all(0 <= value <= 100 for value in values)
    for row in published_rows("screenspot-pro", KEYS["screenspot-pro"]):
        assert row.published and row.note in ("BTL-UI, Table 6", "UILoop, Table 2")
    notes = published_notes("screenspot-pro")
    assert "they were not measured here" in notes[0] and "rule screenspot" in notes[1] and "not stated" in notes[2]
    assert published_notes("phone") == [] and published_rows("phone", ["all"]) == []


def test_rows_of_the_own_rule_come_first_and_others_are_marked() -> None:
    """BTL-UI's planning tables by os-atlas, UILoop's by gui-r1; SecAgent does not state its rule."""
    for suite in ("androidcontrol-low", "androidcontrol-high", "gui-odyssey"):
        assert get_suite(suite).profile == "os-atlas"
    keys = list(PLANNING)
    for rule, own in {"os-atlas": "BTL-UI, Table 4", "gui-r1": "UILoop, Table 2"}.items():
        rows = published_rows("androidcontrol-high", keys, rule=rule)
        marks = [row.rule for row in rows]
        assert {row.note for row in rows if not row.rule} == {own} and marks == sorted(marks, key=bool)
        other = {"os-atlas": "rule gui-r1", "gui-r1": "rule os-atlas"}[rule]
        assert set(marks) == {"", other, "rule not stated"}
        assert "published, SecAgent, Table 3, rule not stated" in {source(row) for row in rows}
    assert all(row.rule for row in published_rows("gui-odyssey", keys, rule="btl")), "btl is the reward's rule"


def test_their_own_sums_come_out() -> None:
    """Read wrongly, they would not: UILoop's Overall is a product, BTL-UI's averages are over all samples."""
    (comprehension,) = published("ui-comprehension")
    for locate, lingualize, leverage, overall in comprehension.rows.values():
        assert locate and lingualize and leverage and overall
        assert overall == pytest.approx(locate * lingualize * leverage / 1e4, abs=0.15)
    for suite, counts in COUNTS.items():
        (table,) = published(suite)
        for label in ("BTL-UI-3B, RFT", "BTL-UI-7B, RFT"):
            *cells, average = table.rows[label]
            whole = sum((cell or 0) * count for cell, count in zip(cells, counts, strict=True)) / 1272
            assert average == pytest.approx(whole, abs=0.15)


def test_a_wrong_file_is_noticed() -> None:
    line = {"paper": "P", "table": "1", "suite": "aitw", "metric": "m", "columns": ["a", "b"], "rows": {"x": [1.0]}}
    with pytest.raises(msgspec.ValidationError, match="1 figures for 2 columns"):
        msgspec.convert(line, Published)
    with pytest.raises(msgspec.ValidationError, match="tabel"):
        msgspec.convert({**line, "rows": {}, "tabel": "2"}, Published)
    assert FILE.read_text(encoding="utf-8").startswith("# Figures that others published")
