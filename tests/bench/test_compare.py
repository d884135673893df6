"""Two measurements of the same cases: better, worse, or not distinguishable."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saccade.actions import Action
from saccade.agents.records import Outcome
from saccade.agents.settings import Settings
from saccade.bench.cases import Bench, Result
from saccade.bench.compare import compare, comparison_table, exact_p, mcnemar
from saccade.bench.figures import load_measurement
from saccade.bench.results_store import ResultsStore
from saccade.bench.runner import BenchRequest, measure
from saccade.bench.suites import get_suite
from saccade.bench.table import markdown
from saccade.bench.tables import table_of
from saccade.errors import InputError
from saccade.geometry import Box, Point, Size
from saccade.models.base import Ask, Completion, Model, ModelError, Usage
from saccade.paradigms import Reply, get_paradigm
from saccade.records import write_steps
from saccade.types import Element, Message, Screen, Step

SIZE = Size(308, 616)
BUTTON = Element(1, Box(20, 100, 280, 160), "button", "Search", "opens the search")


def questions(folder: Path, count: int, per: int = 1) -> Path:
    """`count` steps, `per` to an episode; each is to tap the same button."""
    folder.mkdir(parents=True)
    truth = [Action("click", BUTTON.center, BUTTON.box)]
    steps = [
        Step(
            id=f"s{at}",
            episode=f"e{at // per}" if per > 1 else "",
            step=at % per,
            screen=SIZE,
            truth=truth,
            instruction=f"Tap number {at}",
            elements=[BUTTON],
            key_elements=[BUTTON],
        )
        for at in range(count)
    ]
    write_steps(folder / "steps.jsonl", steps)
    return folder


class Wobbly(Model):
    """Right with a chance, by a seed; the same question gets the same answer, whoever asks first."""

    reads = "elements"

    def __init__(self, right: float, seed: int = 0, tokens: int = 100, breaks: Sequence[int] = ()) -> None:
        self.name = "wobbly"
        self.right, self.seed, self.tokens, self.breaks = right, seed, tokens, breaks

    def complete(self, messages: Sequence[Message], ask: Ask) -> list[Completion]:
        number = int(messages[-1].text.split("Tap number ")[1].split()[0])
        if number in self.breaks:
            raise ModelError("the server is down")
        y = 130 if random.Random(f"{self.seed}/{number}").random() < self.right else 500
        text = get_paradigm("btl").render(Reply(Action("click", Point(150, y)), think="so"), Screen(SIZE))
        return [Completion(text, Usage(self.tokens, 20, self.tokens / 1e5, 1), 0.01)]


def measured(out: Path, data: Path, model: Model, label: str = "", limit: int | None = None) -> Path:
    settings = Settings(world="steps", model=model.name, coordinates="pixel")
    measure(BenchRequest(get_suite("steps"), settings, out, data, limit=limit, label=label, model=model))
    return out


def test_mcnemar_is_the_binomial_by_hand() -> None:
    for one, other in [(0, 0), (1, 0), (0, 6), (5, 5), (3, 9), (12, 2)]:
        chances = [sum(flips) for flips in itertools.product((0, 1), repeat=one + other)]
        far = [each for each in chances if abs(2 * each - one - other) >= abs(one - other)]
        assert mcnemar(one, other) == pytest.approx(len(far) / len(chances))
        assert mcnemar(one, other) == mcnemar(other, one)
    assert 0 < mcnemar(1000, 1200) < 1e-4


@given(st.lists(st.integers(-4, 4), max_size=9))
def test_the_exact_p_is_that_of_all_signs(differences: list[int]) -> None:
    sums = [
        sum(sign * each for sign, each in zip(signs, differences, strict=True))
        for signs in itertools.product((1, -1), repeat=len(differences))
    ]
    far = [each for each in sums if abs(each) >= abs(sum(differences))]
    assert exact_p(differences) == pytest.approx(len(far) / len(sums))
    single = [max(-1, min(1, each)) for each in differences]
    assert exact_p(single) == pytest.approx(mcnemar(single.count(-1), single.count(1)))


def test_equal_runs_are_rarely_called_different() -> None:
    """Steps of an episode go wrong together: counted singly, far more than one in 20 would be called different."""
    chance = np.random.default_rng(3)
    ps, naive = [], []
    for _ in range(400):
        rates = np.clip(chance.normal(0.5, 0.4, (2, 30)), 0, 1)  # an agent's own good and bad episodes
        right = chance.random((2, 30, 8)) < rates[:, :, None]
        ps.append(exact_p([int(each) for each in (right[1].astype(int) - right[0]).sum(axis=1)]))
        naive.append(mcnemar(int((right[0] & ~right[1]).sum()), int((right[1] & ~right[0]).sum())))
    assert np.mean(np.array(ps) < 0.05) < 0.075
    assert np.mean(np.array(naive) < 0.05) > 0.2


def test_better_worse_and_not_distinguishable(tmp_path: Path) -> None:
    data = questions(tmp_path / "data", 90)
    weak = measured(tmp_path / "weak", data, Wobbly(0.4, 1), "weak")
    strong = measured(tmp_path / "strong", data, Wobbly(0.9, 2, tokens=150), "strong")
    other = measured(tmp_path / "other", data, Wobbly(0.4, 3), "other")
    up, down = compare(weak, strong), compare(strong, weak)
    assert (up.verdict, down.verdict) == ("better", "worse")
    assert up.difference.value == pytest.approx(-down.difference.value)
    assert up.p == pytest.approx(down.p) and up.p == pytest.approx(up.mcnemar)
    assert up.difference.low > 0.3 and up.n == up.cases == 90
    assert (up.both, up.only_one, up.only_other, up.none) == (down.both, down.only_other, down.only_one, down.none)
    assert up.both + up.only_one + up.only_other + up.none == 90
    assert up.sentence.startswith("strong is better than weak: ") and "90 samples right by the rule btl" in up.sentence
    assert down.sentence.startswith("weak is worse than strong: ")
    even = compare(weak, other)
    assert even.verdict == "not distinguishable" and even.difference.low < 0 < even.difference.high
    assert even.sentence.startswith("other and weak are not distinguishable: ") and "p = 0." in even.sentence
    assert compare(weak, strong, "screenspot").profile == "screenspot"


def test_the_rates_are_those_of_the_tables(tmp_path: Path) -> None:
    data = questions(tmp_path / "data", 60, per=4)
    first, second = (measured(tmp_path / str(seed), data, Wobbly(0.6, seed)) for seed in (1, 2))
    made = compare(first, second)
    for folder, rate in ((first, made.rate_one), (second, made.rate_other)):
        table = table_of(*load_measurement(folder))[0]
        cell = table.rows[0].cells[table.columns.index("SR")]
        assert cell is not None and (cell.value, cell.low, cell.high) == pytest.approx(
            (100 * rate.value, 100 * rate.low, 100 * rate.high)
        )


def test_episodes_are_drawn_as_a_whole(tmp_path: Path) -> None:
    """Forty steps that differ are no proof if they are only four episodes."""
    data = questions(tmp_path / "data", 40, per=10)
    never, always = measured(tmp_path / "a", data, Wobbly(0)), measured(tmp_path / "b", data, Wobbly(1))
    made = compare(never, always)
    assert made.difference.value == 1 and made.cases == 4 and made.n == 40
    assert made.mcnemar < 1e-10 and made.p == pytest.approx(2 / 2**4)
    assert made.verdict == "not distinguishable" and "40 steps in 4 episodes" in made.sentence


def test_tokens_seconds_and_money(tmp_path: Path) -> None:
    data = questions(tmp_path / "data", 30, per=3)
    made = compare(measured(tmp_path / "a", data, Wobbly(1)), measured(tmp_path / "b", data, Wobbly(1, tokens=250)))
    tokens = made.spent["input"]
    assert (tokens.one, tokens.other) == (300, 750)
    assert (tokens.difference.value, tokens.difference.low, tokens.difference.high) == (450, 450, 450)
    assert made.spent["cost"].difference.value == pytest.approx(0.0045) and made.spent["seconds"].one > 0
    assert made.spent["turns"].difference.value == 0 and made.verdict == "not distinguishable" and made.p == 1
    table = comparison_table(made)
    assert [row.label for row in table.rows] == ["a", "b", "difference"], "runs of one name are told apart by folder"
    assert "input (tokens)" in table.columns and "450" in markdown(table)


def test_what_cannot_be_paired_is_left_out_and_counted(tmp_path: Path) -> None:
    data = questions(tmp_path / "data", 20)
    few = measured(tmp_path / "few", data, Wobbly(0.5, 1, breaks=(3, 4)), limit=12)
    all_of_them = measured(tmp_path / "all", data, Wobbly(0.5, 2, breaks=(4, 5)))
    made = compare(few, all_of_them)
    assert (made.left_out.only_one, made.left_out.only_other, made.left_out.broken) == (0, 8, 3)
    assert made.n == 9 and "8 that only all has" in comparison_table(made).notes[2]


def test_a_chinese_sentence(tmp_path: Path) -> None:
    data = questions(tmp_path / "data", 60, per=3)
    weak, strong = (
        measured(tmp_path / name, data, Wobbly(right, 1), name) for name, right in (("弱", 0.3), ("强", 0.9))
    )
    made = compare(weak, strong, language="zh")
    assert made.sentence.startswith("强 优于 弱：20 个任务中的 60 步，规则 btl，正确率分别为 ")
    assert "95 % 区间" in made.sentence and made.sentence.endswith("）。")
    table = comparison_table(made, "zh")
    assert table.rows[2].label == "相差" and table.notes[1].startswith("两者都对")
    assert "没有可分辨的差异" in compare(weak, weak, language="zh").sentence


def live(folder: Path, won: Sequence[bool], options: dict[str, str] | None = None, **tags: str) -> Path:
    """Results of live tasks, as the runner leaves them."""
    bench = Bench("phone", {"model": "m", "paradigm": "btl"}, {}, data_options=options or {})
    with ResultsStore(folder, bench) as store:
        for at, well in enumerate(won):
            outcome = Outcome("success" if well else "failure", "world", steps=4)
            store.add(Result(id=f"{at:05}-a", tags={"app": "clock", **tags}, outcome=outcome, turns=4, seconds=2.0))
        store.finish([])
    return folder


def test_live_tasks_are_compared_by_success(tmp_path: Path) -> None:
    one = live(tmp_path / "one", [at % 2 == 0 for at in range(40)])
    other = live(tmp_path / "other", [at % 2 == 0 or at % 4 == 1 for at in range(40)])
    made = compare(one, other)
    assert (made.only_one, made.only_other, made.both, made.none) == (0, 10, 20, 10)
    assert made.verdict == "better" and made.p == pytest.approx(2 / 2**10)
    assert "75.0 % against 50.0 % of 40 tasks done, a difference of +25.0 points" in made.sentence
    assert "成功率分别为 75.0 % 和 50.0 %" in compare(one, other, language="zh").sentence


def test_what_is_not_the_same_is_refused(tmp_path: Path) -> None:
    data = questions(tmp_path / "data", 6)
    one = measured(tmp_path / "one", data, Wobbly(1))
    with pytest.raises(InputError, match=r"measures steps and .* phone: only runs of the same suite"):
        compare(one, live(tmp_path / "phone", [True]))
    back, shown = [Action("press", key="back")], [BUTTON]
    step = Step(id="s0", screen=SIZE, instruction="Tap number 0", truth=back, elements=shown)
    (tmp_path / "changed").mkdir()
    write_steps(tmp_path / "changed/steps.jsonl", [step])
    with pytest.raises(InputError, match="s0 does not have the same steps"):
        compare(one, measured(tmp_path / "two", tmp_path / "changed", Wobbly(1)))
    step = Step(id="elsewhere", screen=SIZE, instruction="Tap number 0", truth=back, elements=shown)
    write_steps(tmp_path / "changed/steps.jsonl", [step])
    with pytest.raises(InputError, match="no case in common"):
        compare(one, measured(tmp_path / "three", tmp_path / "changed", Wobbly(1)))
    with pytest.raises(InputError, match="there is no measurement"):
        compare(one, tmp_path / "nowhere")
    with pytest.raises(InputError, match="unknown profile 'bltl'"):
        compare(one, one, "bltl")
    with pytest.raises(InputError, match=r"has group=app, .* has no option"):
        compare(live(tmp_path / "a", [True], {"group": "app"}), live(tmp_path / "b", [True]))
    with pytest.raises(InputError, match="judged by its world"):
        compare(tmp_path / "b", tmp_path / "b", "btl")
    with pytest.raises(InputError, match="the task 00000-a is not the same"):
        compare(tmp_path / "b", live(tmp_path / "c", [True], language="zh"))


def test_the_same_data_elsewhere_is_the_same_data(tmp_path: Path) -> None:
    here, there = questions(tmp_path / "here", 12), questions(tmp_path / "there", 12)
    made = compare(measured(tmp_path / "a", here, Wobbly(0.5)), measured(tmp_path / "b", there, Wobbly(0.5)))
    assert made.n == 12 and made.difference.value == 0
