"""Compares two measurements of the same cases with a paired test.

Both were measured on the same cases, so overlapping intervals of the two rates say little. Cases are paired: what
matters are the cases in which only one of the two was right.

- p comes from an exact sign-flip (permutation) test: if the two were equally good, each difference could have had the
  opposite sign. Steps of one episode are dependent, so the difference of a whole episode is flipped. With one step per
  case this is McNemar's exact test.
- The interval of the difference comes from a bootstrap over whole cases, drawn for both runs together.
- The verdict "better" needs both: p < 0.05, and an interval that excludes 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec
import numpy as np

from saccade.bench.agent_notes import judge_mark
from saccade.bench.cases import Bench, Result
from saccade.bench.figures import done, judge_answers, load_measurement, success
from saccade.bench.notes import blind_mark, caveats_of
from saccade.bench.suites import Suite, get_suite
from saccade.bench.table import Cell, Table, TableRow, cell_of
from saccade.errors import InputError
from saccade.paradigms.base import Language
from saccade.scoring.intervals import Figure, Floats, Ratio, figures
from saccade.scoring.profiles import Profile, get_profile

LEVEL = 0.05
"""Significance level: a p below this counts as a difference."""
ComparisonVerdict = Literal["better", "worse", "not distinguishable"]
COST_NAMES = {
    "input": ("input (tokens)", "输入 (tokens)"),
    "output": ("output (tokens)", "输出 (tokens)"),
    "turns": ("turns (steps)", "步数 (steps)"),
    "seconds": ("time (s)", "时间 (s)"),
    "cost": ("cost ($)", "费用 ($)"),
}
"""Column names of what a case costs, in English and Chinese."""


class CostChange(msgspec.Struct, frozen=True):
    """The mean cost of a case in each of the two runs, and the difference (other minus one)."""

    one: float
    other: float
    difference: Figure


class LeftOut(msgspec.Struct, frozen=True):
    """Numbers of cases that could not be paired."""

    only_one: int = 0
    only_other: int = 0
    broken: int = 0
    """Cases in which the world or the model failed, not the agent, in either run."""


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a comparison. All differences are `other` minus `one`."""

    suite: str
    one: str
    other: str
    """Names of the two runs."""
    counted: Literal["step", "task"]
    profile: str = ""
    """The match profile; empty for live tasks, which their world judges."""
    n: int
    cases: int
    """Number of episodes or single samples: the unit of the bootstrap."""
    both: int
    only_one: int
    only_other: int
    none: int
    rate_one: Figure
    rate_other: Figure
    difference: Figure
    mcnemar: float
    """McNemar's exact p over single steps, ignoring that steps of an episode are dependent."""
    p: float
    """p of the exact sign-flip test over whole cases, on which the verdict is based."""
    verdict: ComparisonVerdict
    """Whether `other` is better or worse than `one`."""
    spent: dict[str, CostChange]
    left_out: LeftOut
    sentence: str
    caveats: list[str] = []
    """What the model of each run lacked, and what the rule had to assume."""


class Pair(NamedTuple):
    """One case in both runs, and which of its steps were right."""

    one: Result
    other: Result
    right_one: list[bool]
    right_other: list[bool]


def compare(one: Path, other: Path, profile: str | None = None, language: Language = "en", seed: int = 0) -> Comparison:
    """Compare the measurements in two folders, on the cases that both have."""
    folders = one, other
    benches, loaded = zip(*map(load_measurement, folders), strict=True)
    suite = same_suite(folders, benches)
    if suite.kind == "live" and profile:
        raise InputError(f"{suite.name} is judged by its world: omit --profile {profile}")
    rule = None if suite.kind == "live" else get_profile(profile or suite.profile)
    results = [{result.id: result for result in found} for found in loaded]
    shared = [id for id in results[0] if id in results[1]]
    completed = [id for id in shared if len(done(found[id] for found in results)) == 2]
    pairs = [paired(results[0][id], results[1][id], rule) for id in completed]
    pairs = [pair for pair in pairs if pair.right_one]
    if not pairs:
        raise InputError(f"{one} and {other} have no case in common that could be judged, so they cannot be compared")
    left = LeftOut(len(results[0]) - len(shared), len(results[1]) - len(shared), len(shared) - len(completed))
    names = [name + blind_mark(found) for name, found in zip(labels(folders, benches), loaded, strict=True)]
    made = _compared(suite, (names[0], names[1]), rule, pairs, left, seed)
    said = zip(names, benches, loaded, strict=True)
    lacked = [f"{name}: {note}" for name, bench, found in said for note in caveats_of(bench, found, profile)]
    return msgspec.structs.replace(made, sentence=sentence(made, language), caveats=lacked)


def same_suite(folders: Sequence[Path], benches: Sequence[Bench]) -> Suite:
    first, second = benches
    if first.suite != second.suite:
        raise InputError(
            f"{folders[0]} measures {first.suite} and {folders[1]} {second.suite}: only runs of the same suite can be "
            "compared"
        )
    suite = get_suite(first.suite)
    if suite.kind == "live" and first.data_options != second.data_options:
        options = [
            ", ".join(f"{name}={value}" for name, value in bench.data_options.items()) or "no option"
            for bench in benches
        ]
        raise InputError(f"the tasks are not the same: {folders[0]} has {options[0]}, {folders[1]} has {options[1]}")
    return suite


def labels(folders: Sequence[Path], benches: Sequence[Bench]) -> tuple[str, str]:
    """Names of the two runs; their folders if the names are equal."""
    found = [label_of(bench) for bench in benches]
    if found[0] == found[1]:
        found = [folder.resolve().name for folder in folders]
    if found[0] == found[1]:
        found = [str(folder) for folder in folders]
    return found[0], found[1]


def label_of(bench: Bench) -> str:
    """The label the user gave, or model and paradigm; marked where the world judged its attempts."""
    label = bench.label or f"{bench.settings.get('model', 'mini')} ({bench.settings.get('paradigm', 'btl')})"
    return label + judge_mark(bench)


def paired(one: Result, other: Result, rule: Profile | None) -> Pair:
    """A case in both runs. Raises `InputError` if the data differ."""
    if rule is None:
        if one.tags != other.tags:
            raise InputError(f"the task {one.id} is not the same in both runs: run both measurements again")
        return Pair(one, other, [one.success], [other.success])
    asked = [[(step.id, step.instruction, step.screen, step.truth) for step in result.steps] for result in (one, other)]
    if asked[0] != asked[1]:
        raise InputError(f"the two runs used different data: {one.id} does not have the same steps and truths in both")
    return Pair(one, other, rights(one, rule), rights(other, rule))


def rights(result: Result, rule: Profile) -> list[bool]:
    return [each.right for each in judge_answers(result.steps, rule)]


# -- figures -----------------------------------------------------------------------------------------------------------


def _compared(
    suite: Suite, names: tuple[str, str], rule: Profile | None, pairs: Sequence[Pair], left: LeftOut, seed: int
) -> Comparison:
    sizes = np.array([len(pair.right_one) for pair in pairs], dtype=float)
    first = np.array([sum(pair.right_one) for pair in pairs], dtype=float)
    second = np.array([sum(pair.right_other) for pair in pairs], dtype=float)
    ratios = {"one": Ratio(first, sizes), "other": Ratio(second, sizes), "difference": Ratio(second - first, sizes)}
    found = figures(ratios, seed)
    if rule is None:
        won = [success(pair.one for pair in pairs), success(pair.other for pair in pairs)]
        found |= {name: figure for name, figure in zip(("one", "other"), won, strict=True) if figure is not None}
    steps = [each for pair in pairs for each in zip(pair.right_one, pair.right_other, strict=True)]
    only_one, only_other = steps.count((True, False)), steps.count((False, True))
    p = exact_p([int(each) for each in second - first])
    return Comparison(
        suite=suite.name,
        one=names[0],
        other=names[1],
        counted="task" if rule is None else "step",
        profile=rule.name if rule else "",
        n=len(steps),
        cases=len(pairs),
        both=steps.count((True, True)),
        only_one=only_one,
        only_other=only_other,
        none=steps.count((False, False)),
        rate_one=found["one"],
        rate_other=found["other"],
        difference=found["difference"],
        mcnemar=mcnemar(only_one, only_other),
        p=p,
        verdict=verdict_of(found["difference"], p),
        spent=cost_changes(pairs, seed),
        left_out=left,
        sentence="",
    )


def mcnemar(only_one: int, only_other: int) -> float:
    """McNemar's exact two-sided test: p that the pairs that differ are split evenly between the two.

    >>> mcnemar(0, 5), mcnemar(3, 3), mcnemar(0, 0)
    (0.0625, 1.0, 1.0)
    """
    from scipy.special import bdtr  # noqa: PLC0415  (a fifth of a second, and few commands compare)

    differing = only_one + only_other
    return min(1.0, 2 * float(bdtr(min(only_one, only_other), differing, 0.5))) if differing else 1.0


def exact_p(differences: Sequence[int]) -> float:
    """Exact two-sided sign-flip test: the probability of a sum at least as far from 0 if each difference had a random
    sign.

    The distribution of the sum is built up one difference at a time; nothing is sampled.

    >>> exact_p([1, 1, 1, 1, 1, 0]) == mcnemar(0, 5)
    True
    >>> exact_p([3, 2])  # of 3+2, 3-2, -3+2, -3-2 two are as far from 0 as 5
    0.5
    """
    sizes = [abs(each) for each in differences if each]
    reach = sum(sizes)
    chances: Floats = np.zeros(2 * reach + 1)
    chances[reach] = 1.0
    for size in sizes:
        chances = (np.roll(chances, size) + np.roll(chances, -size)) / 2
    far = abs(sum(differences))
    return min(1.0, float(chances[np.abs(np.arange(-reach, reach + 1)) >= far].sum()))


def verdict_of(difference: Figure, p: float) -> ComparisonVerdict:
    if p < LEVEL and difference.low > 0:
        return "better"
    if p < LEVEL and difference.high < 0:
        return "worse"
    return "not distinguishable"


def cost_changes(pairs: Sequence[Pair], seed: int) -> dict[str, CostChange]:
    """Changes in tokens, turns, seconds and cost per case; figures that neither run has are left out."""
    made = {}
    for name in COST_NAMES:
        first = np.array([_of(pair.one, name) for pair in pairs], dtype=float)
        second = np.array([_of(pair.other, name) for pair in pairs], dtype=float)
        if first.any() or second.any():
            change = figures({name: Ratio(second - first, np.ones(len(pairs)))}, seed)[name]
            made[name] = CostChange(float(first.mean()), float(second.mean()), change)
    return made


def _of(result: Result, name: str) -> float:
    return float(getattr(result if name in ("seconds", "turns") else result.usage, name))


# -- as text -----------------------------------------------------------------------------------------------------------


def sentence(made: Comparison, language: Language = "en") -> str:
    """The verdict with its figures, as one sentence."""
    rates = f"{100 * made.rate_other.value:.1f} %", f"{100 * made.rate_one.value:.1f} %"
    difference = made.difference
    points, low, high = (f"{100 * value:+.1f}" for value in (difference.value, difference.low, difference.high))
    p = "p < 0.001" if made.p < 0.001 else f"p = {made.p:.3f}"
    if language == "zh":
        verdicts = {
            "better": f"{made.other} 优于 {made.one}",
            "worse": f"{made.other} 不如 {made.one}",
            "not distinguishable": f"{made.other} 与 {made.one} 没有可分辨的差异",
        }
        rule = f"，规则 {made.profile}" if made.profile else ""
        what = "成功率" if made.counted == "task" else "正确率"
        return (
            f"{verdicts[made.verdict]}：{_counted(made, 'zh')}{rule}，{what}分别为 {rates[0]} 和 {rates[1]}，"
            f"相差 {points} 个百分点（95 % 区间 {low} 至 {high}，{p}）。"
        )
    verdicts = {
        "better": f"{made.other} is better than {made.one}",
        "worse": f"{made.other} is worse than {made.one}",
        "not distinguishable": f"{made.other} and {made.one} are not distinguishable",
    }
    rule = f" by the rule {made.profile}" if made.profile else ""
    what = "done" if made.counted == "task" else f"right{rule}"
    return (
        f"{verdicts[made.verdict]}: {rates[0]} against {rates[1]} of {_counted(made, 'en')} {what}, a difference of "
        f"{points} points (95 % interval {low} to {high}, {p})."
    )


def _counted(made: Comparison, language: Language) -> str:
    if made.counted == "task":
        return f"{made.n:,} 个任务" if language == "zh" else f"{made.n:,} tasks"
    if made.cases == made.n:
        return f"{made.n:,} 个样本" if language == "zh" else f"{made.n:,} samples"
    if language == "zh":
        return f"{made.cases:,} 个任务中的 {made.n:,} 步"
    return f"{made.n:,} steps in {made.cases:,} episodes"


def comparison_table(made: Comparison, language: Language = "en") -> Table:
    """A table of the two runs and their difference: rates and costs per case."""
    zh = language == "zh"
    what = ("成功" if zh else "done") if made.counted == "task" else ("正确" if zh else "right")
    columns = [f"{what} (%)", *(COST_NAMES[name][zh] for name in made.spent)]
    taken = list(made.spent.values())
    changes = [cell_of(each.difference, 1) for each in taken]
    rows = [
        TableRow(made.one, [cell_of(made.rate_one), *(Cell(each.one, n=made.cases) for each in taken)]),
        TableRow(made.other, [cell_of(made.rate_other), *(Cell(each.other, n=made.cases) for each in taken)]),
        TableRow("相差" if zh else "difference", [cell_of(made.difference), *changes]),
    ]
    return Table(f"{made.suite}: {made.other} / {made.one}", columns, rows, notes=notes(made, language))


def notes(made: Comparison, language: Language = "en") -> list[str]:
    """Notes below the table: the sentence, the counts, and what was left out."""
    left = made.left_out
    if language == "zh":
        return [
            made.sentence,
            f"两者都对 {made.both:,}，只有 {made.one} 对 {made.only_one:,}，"
            f"只有 {made.other} 对 {made.only_other:,}，"
            f"都不对 {made.none:,}；McNemar 精确检验（逐步）p = {made.mcnemar:.3g}。",
            f"未计入：只有 {made.one} 有 {left.only_one:,}，只有 {made.other} 有 {left.only_other:,}，"
            f"运行出错 {left.broken:,}。",
            *made.caveats,
        ]
    return [
        made.sentence,
        f"Both right {made.both:,}, only {made.one} {made.only_one:,}, only {made.other} {made.only_other:,}, neither "
        f"{made.none:,}. McNemar's exact test over single {made.counted}s: p = {made.mcnemar:.3g}.",
        f"Left out: {left.only_one:,} cases that only {made.one} has, {left.only_other:,} that only {made.other} has, "
        f"{left.broken:,} that broke. Tokens, time and money are means over the {made.cases:,} cases of both.",
        *made.caveats,
    ]
