"""Two measurements of the same cases: is one better than the other?

Two rates with overlapping intervals may still differ for certain, and two far apart may not, because both were measured
on the same cases. So cases are paired: what counts is where only one of the two was right.

- p is exact: were the two alike, each difference could as well have gone the other way. Steps of one episode belong
  together, so an episode's difference is turned round as a whole. With one step a case this is McNemar's exact test.
- The interval of the difference comes from a bootstrap over whole cases, both runs drawn together.
- "Better" needs both: p below 0.05, and an interval without 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec
import numpy as np
from scipy.special import bdtr

from saccade.bench.cases import Bench, Result
from saccade.bench.figures import done, judged, load, success
from saccade.bench.suites import Suite, get_suite
from saccade.bench.table import Cell, Table, TableRow, cell_of
from saccade.errors import InputError
from saccade.paradigms.base import Language
from saccade.scoring.intervals import Figure, Floats, Ratio, figures
from saccade.scoring.profiles import Profile, get_profile

LEVEL = 0.05
"""A p below this is taken for a difference."""
Verdict = Literal["better", "worse", "not distinguishable"]
SPENT = {
    "input": ("input (tokens)", "输入 (tokens)"),
    "output": ("output (tokens)", "输出 (tokens)"),
    "turns": ("turns (steps)", "步数 (steps)"),
    "seconds": ("time (s)", "时间 (s)"),
    "cost": ("cost ($)", "费用 ($)"),
}
"""What a case takes, in English and Chinese."""


class Change(msgspec.Struct, frozen=True):
    """What a case took on average under each of the two, and the difference of other to one."""

    one: float
    other: float
    difference: Figure


class LeftOut(msgspec.Struct, frozen=True):
    """Cases that cannot be paired."""

    only_one: int = 0
    only_other: int = 0
    broken: int = 0
    """In either of the two the world or the model failed, not the agent."""


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """All differences are `other` less `one`: the first is the measure of the second."""

    suite: str
    one: str
    other: str
    """How the two are called."""
    counted: Literal["step", "task"]
    profile: str = ""
    """The match rule; none for live tasks, which their world judges."""
    n: int
    cases: int
    """Episodes or single samples: what was drawn."""
    both: int
    only_one: int
    only_other: int
    none: int
    rate_one: Figure
    rate_other: Figure
    difference: Figure
    mcnemar: float
    """McNemar's exact p over single steps, as if they did not belong together."""
    p: float
    """Exact, whole cases turned round: what the verdict rests on."""
    verdict: Verdict
    """What `other` is, measured by `one`."""
    spent: dict[str, Change]
    left_out: LeftOut
    sentence: str


class Pair(NamedTuple):
    """One case under both, with what was right in it."""

    one: Result
    other: Result
    right_one: list[bool]
    right_other: list[bool]


def compare(one: Path, other: Path, profile: str | None = None, language: Language = "en", seed: int = 0) -> Comparison:
    """Compare the measurements in two folders, on the cases that both have."""
    folders = one, other
    benches, loaded = zip(*map(load, folders), strict=True)
    suite = same_suite(folders, benches)
    if suite.kind == "live" and profile:
        raise InputError(f"{suite.name} is judged by its world: leave the rule {profile} out")
    rule = None if suite.kind == "live" else get_profile(profile or suite.profile)
    results = [{result.id: result for result in found} for found in loaded]
    shared = [id for id in results[0] if id in results[1]]
    well = [id for id in shared if len(done(found[id] for found in results)) == 2]
    pairs = [paired(results[0][id], results[1][id], rule) for id in well]
    pairs = [pair for pair in pairs if pair.right_one]
    if not pairs:
        raise InputError(f"{one} and {other} have no case in common that could be judged: nothing can be compared")
    left = LeftOut(len(results[0]) - len(shared), len(results[1]) - len(shared), len(shared) - len(well))
    made = _compared(suite, labels(folders, benches), rule, pairs, left, seed)
    return msgspec.structs.replace(made, sentence=sentence(made, language))


def same_suite(folders: Sequence[Path], benches: Sequence[Bench]) -> Suite:
    first, second = benches
    if first.suite != second.suite:
        raise InputError(f"{folders[0]} measures {first.suite} and {folders[1]} {second.suite}: only runs of the same "
                         "suite can be compared")  # fmt: skip
    suite = get_suite(first.suite)
    if suite.kind == "live" and first.data_options != second.data_options:
        told = [", ".join(f"{name}={value}" for name, value in bench.data_options.items()) or "no option"
                for bench in benches]  # fmt: skip
        raise InputError(f"the tasks are not the same: {folders[0]} has {told[0]}, {folders[1]} has {told[1]}")
    return suite


def labels(folders: Sequence[Path], benches: Sequence[Bench]) -> tuple[str, str]:
    """What the runs are called; by their folders where that is the same."""
    found = [label_of(bench) for bench in benches]
    if found[0] == found[1]:
        found = [folder.resolve().name for folder in folders]
    if found[0] == found[1]:
        found = [str(folder) for folder in folders]
    return found[0], found[1]


def label_of(bench: Bench) -> str:
    """Model and paradigm, unless the user gave it a name."""
    return bench.label or f"{bench.settings.get('model', 'mini')} ({bench.settings.get('paradigm', 'btl')})"


def paired(one: Result, other: Result, rule: Profile | None) -> Pair:
    """A case under both runs. The data must be the same, wherever it lay."""
    if rule is None:
        if one.tags != other.tags:
            raise InputError(f"the task {one.id} is not the same in both runs: measure both anew")
        return Pair(one, other, [one.success], [other.success])
    asked = [[(step.id, step.instruction, step.screen, step.truth) for step in result.steps] for result in (one, other)]
    if asked[0] != asked[1]:
        raise InputError(f"the two runs had other data: {one.id} does not have the same steps and truths in both")
    return Pair(one, other, rights(one, rule), rights(other, rule))


def rights(result: Result, rule: Profile) -> list[bool]:
    return [each.right for each in judged(result.steps, rule)]


# -- figures -----------------------------------------------------------------------------------------------------------


def _compared(suite: Suite, names: tuple[str, str], rule: Profile | None, pairs: Sequence[Pair], left: LeftOut,
              seed: int) -> Comparison:  # fmt: skip
    sizes = np.array([len(pair.right_one) for pair in pairs], dtype=float)
    first = np.array([sum(pair.right_one) for pair in pairs], dtype=float)
    second = np.array([sum(pair.right_other) for pair in pairs], dtype=float)
    found = figures({"one": Ratio(first, sizes), "other": Ratio(second, sizes),
                     "difference": Ratio(second - first, sizes)}, seed)  # fmt: skip
    if rule is None:
        won = [success(pair.one for pair in pairs), success(pair.other for pair in pairs)]
        found |= {name: figure for name, figure in zip(("one", "other"), won, strict=True) if figure is not None}
    steps = [each for pair in pairs for each in zip(pair.right_one, pair.right_other, strict=True)]
    only_one, only_other = steps.count((True, False)), steps.count((False, True))
    p = exact_p([int(each) for each in second - first])
    return Comparison(
        suite=suite.name, one=names[0], other=names[1], counted="task" if rule is None else "step",
        profile=rule.name if rule else "", n=len(steps), cases=len(pairs), both=steps.count((True, True)),
        only_one=only_one, only_other=only_other, none=steps.count((False, False)), rate_one=found["one"],
        rate_other=found["other"], difference=found["difference"], mcnemar=mcnemar(only_one, only_other), p=p,
        verdict=verdict_of(found["difference"], p), spent=spent(pairs, seed), left_out=left, sentence="",
    )  # fmt: skip


def mcnemar(only_one: int, only_other: int) -> float:
    """McNemar's exact test, two-sided: of the pairs that differ, are as many for the one as for the other?

    >>> mcnemar(0, 5), mcnemar(3, 3), mcnemar(0, 0)
    (0.0625, 1.0, 1.0)
    """
    differing = only_one + only_other
    return min(1.0, 2 * float(bdtr(min(only_one, only_other), differing, 0.5))) if differing else 1.0


def exact_p(differences: Sequence[int]) -> float:
    """How likely is a sum at least as far from 0, if each difference could as well have the other sign? Two-sided.

    The chances of all sums are built up one difference at a time, so nothing is drawn at random.

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


def verdict_of(difference: Figure, p: float) -> Verdict:
    if p < LEVEL and difference.low > 0:
        return "better"
    if p < LEVEL and difference.high < 0:
        return "worse"
    return "not distinguishable"


def spent(pairs: Sequence[Pair], seed: int) -> dict[str, Change]:
    """Tokens, turns, seconds and money a case; what neither run knows is left out."""
    made = {}
    for name in SPENT:
        first, second = (np.array([_of(result, name) for result in side], dtype=float)
                         for side in ([pair.one for pair in pairs], [pair.other for pair in pairs]))  # fmt: skip
        if first.any() or second.any():
            change = figures({name: Ratio(second - first, np.ones(len(pairs)))}, seed)[name]
            made[name] = Change(float(first.mean()), float(second.mean()), change)
    return made


def _of(result: Result, name: str) -> float:
    return float(getattr(result if name in ("seconds", "turns") else result.usage, name))


# -- in words ----------------------------------------------------------------------------------------------------------


def sentence(made: Comparison, language: Language = "en") -> str:
    """Better, worse or not distinguishable: one sentence."""
    rates = f"{100 * made.rate_other.value:.1f} %", f"{100 * made.rate_one.value:.1f} %"
    points, low, high = (f"{100 * value:+.1f}" for value in
                         (made.difference.value, made.difference.low, made.difference.high))  # fmt: skip
    p = "p < 0.001" if made.p < 0.001 else f"p = {made.p:.3f}"
    if language == "zh":
        known = {"better": f"{made.other} 优于 {made.one}", "worse": f"{made.other} 不如 {made.one}",
                 "not distinguishable": f"{made.other} 与 {made.one} 没有可分辨的差异"}  # fmt: skip
        rule = f"，规则 {made.profile}" if made.profile else ""
        what = "成功率" if made.counted == "task" else "正确率"
        return (f"{known[made.verdict]}：{_counted(made, 'zh')}{rule}，{what}分别为 {rates[0]} 和 {rates[1]}，"
                f"相差 {points} 个百分点（95 % 区间 {low} 至 {high}，{p}）。")  # fmt: skip
    said = {"better": f"{made.other} is better than {made.one}", "worse": f"{made.other} is worse than {made.one}",
            "not distinguishable": f"{made.other} and {made.one} are not distinguishable"}  # fmt: skip
    rule = f" by the rule {made.profile}" if made.profile else ""
    what = "done" if made.counted == "task" else f"right{rule}"
    return (f"{said[made.verdict]}: {rates[0]} against {rates[1]} of {_counted(made, 'en')} {what}, a difference of "
            f"{points} points (95 % interval {low} to {high}, {p}).")  # fmt: skip


def _counted(made: Comparison, language: Language) -> str:
    if made.counted == "task":
        return f"{made.n:,} 个任务" if language == "zh" else f"{made.n:,} tasks"
    if made.cases == made.n:
        return f"{made.n:,} 个样本" if language == "zh" else f"{made.n:,} samples"
    if language == "zh":
        return f"{made.cases:,} 个任务中的 {made.n:,} 步"
    return f"{made.n:,} steps in {made.cases:,} episodes"


def comparison_table(made: Comparison, language: Language = "en") -> Table:
    """The two runs and their difference, in rates and in what they took a case."""
    zh = language == "zh"
    what = ("成功" if zh else "done") if made.counted == "task" else ("正确" if zh else "right")
    columns = [f"{what} (%)", *(SPENT[name][zh] for name in made.spent)]
    taken = list(made.spent.values())
    changes = [cell_of(each.difference, 1) for each in taken]
    rows = [
        TableRow(made.one, [cell_of(made.rate_one), *(Cell(each.one, n=made.cases) for each in taken)]),
        TableRow(made.other, [cell_of(made.rate_other), *(Cell(each.other, n=made.cases) for each in taken)]),
        TableRow("相差" if zh else "difference", [cell_of(made.difference), *changes]),
    ]
    return Table(f"{made.suite}: {made.other} / {made.one}", columns, rows, notes=notes(made, language))


def notes(made: Comparison, language: Language = "en") -> list[str]:
    """The sentence, the counts behind it, and what was left out."""
    left = made.left_out
    if language == "zh":
        return [
            made.sentence,
            f"两者都对 {made.both:,}，只有 {made.one} 对 {made.only_one:,}，"
            f"只有 {made.other} 对 {made.only_other:,}，"
            f"都不对 {made.none:,}；McNemar 精确检验（逐步）p = {made.mcnemar:.3g}。",
            f"未计入：只有 {made.one} 有 {left.only_one:,}，只有 {made.other} 有 {left.only_other:,}，"
            f"运行出错 {left.broken:,}。",
        ]
    return [
        made.sentence,
        f"Both right {made.both:,}, only {made.one} {made.only_one:,}, only {made.other} {made.only_other:,}, neither "
        f"{made.none:,}. McNemar's exact test over single {made.counted}s: p = {made.mcnemar:.3g}.",
        f"Left out: {left.only_one:,} cases that only {made.one} has, {left.only_other:,} that only {made.other} has, "
        f"{left.broken:,} that broke. Tokens, time and money are means over the {made.cases:,} cases of both.",
    ]
