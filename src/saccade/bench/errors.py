"""The error analysis of a whole measurement: every failed step classed (`step_errors`), shares with intervals, examples
with links to their replay.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

import msgspec
import numpy as np

from saccade.agents.log import read_steps
from saccade.agents.records import LoggedStep
from saccade.agents.replay_page import write_replay
from saccade.bench.cases import Result
from saccade.bench.compare import label_of
from saccade.bench.figures import judge_answers, load_measurement, wilson
from saccade.bench.notes import blind_mark
from saccade.bench.published import published_notes, published_rows
from saccade.bench.report import page
from saccade.bench.samples import sample_name
from saccade.bench.step_errors import BASES, ERRORS, NEAR, SAME, Basis, Error, diagnose
from saccade.bench.suites import get_suite
from saccade.bench.table import Table, TableRow, cell_of, markdown
from saccade.errors import InputError
from saccade.paradigms.wording import in_words, language_of, quoted
from saccade.records import write_whole
from saccade.scoring.intervals import Figure, Floats, Ratio, figures
from saccade.scoring.metrics import FEWEST_EPISODES
from saccade.scoring.profiles import Profile, get_profile
from saccade.scoring.similarity import similarity


class Failed(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A failed step with its class."""

    case: str
    step: str
    at: int
    """Which of the case's steps; the first is 0."""
    error: Error
    basis: Basis
    why: str
    instruction: str
    did: str
    right: str
    replay: str = ""
    """The replay page at this step, relative to the measurement; empty where there is none."""


class Analysis(msgspec.Struct, frozen=True, kw_only=True):
    """All failed steps of a measurement."""

    suite: str
    label: str
    profile: str
    judged: int
    unjudged: int
    """Steps of which nobody knows what would have been right."""
    broken: int
    shares: dict[str, Figure]
    """Each class over all judged steps, and `failed` for all of them."""
    of_failed: dict[str, Figure]
    """Each class over the failed steps."""
    resampled: str
    failed: list[Failed]


# -- a whole measurement -----------------------------------------------------------------------------------------------


class JudgedCase(NamedTuple):
    """A case with its steps, and which of those that can be judged are right."""

    result: Result
    steps: list[LoggedStep]
    right: dict[int, bool]


def analyse(folder: Path, profile: str | None = None, seed: int = 0) -> Analysis:
    """Class every failed step of the measurement in a folder."""
    bench, results = load_measurement(folder)
    rule = get_profile(profile or get_suite(bench.suite).profile)
    cases = [case_of(result, steps_of(folder, result), rule) for result in results if result.status == "done"]
    if not any(case.right for case in cases):
        raise InputError(f"of no step in {folder} is it known what would have been right: errors cannot be classed")
    failed = [_failed(folder, case, at) for case in cases for at, right in case.right.items() if not right]
    shares, of_failed, resampled = _shares(cases, failed, seed)
    return Analysis(
        suite=bench.suite,
        label=label_of(bench) + blind_mark(results),
        profile=rule.name,
        judged=sum(len(case.right) for case in cases),
        unjudged=sum(len(case.steps) - len(case.right) for case in cases),
        broken=sum(result.status == "broken" for result in results),
        shares=shares,
        of_failed=of_failed,
        resampled=resampled,
        failed=failed,
    )


def steps_of(folder: Path, result: Result) -> list[LoggedStep]:
    """Of a recording the result has them; those of a live task are in its own folder."""
    return result.steps or (read_steps(folder / result.run)[0] if result.run else [])


def case_of(result: Result, steps: list[LoggedStep], rule: Profile) -> JudgedCase:
    verdicts = {at: judge_answers([step], rule) for at, step in enumerate(steps)}
    return JudgedCase(result, steps, {at: found[0].right for at, found in verdicts.items() if found})


def _failed(folder: Path, case: JudgedCase, at: int) -> Failed:
    step = case.steps[at]
    language = language_of(step.instruction)
    error, basis, why = diagnose(step)
    return Failed(
        case=case.result.id,
        step=step.id,
        at=at,
        error=error,
        basis=basis,
        why=why,
        instruction=step.instruction,
        did=in_words(step.prediction, step.view, language) if step.prediction else step.problem,
        right=" / ".join(dict.fromkeys(in_words(truth, step.view, language) for truth in step.truth[:3])),
        replay=replay_of(folder, case, at),
    )


def replay_of(folder: Path, case: JudgedCase, at: int) -> str:
    """The page of the case, at the step. Of recordings only some cases are kept."""
    run = case.result.run or f"runs/{sample_name(case.result.id)}"
    if not (folder / run / "steps.jsonl").exists():
        return ""
    step = case.steps[at]
    before = sum(other.attempt == step.attempt for other in case.steps[:at])
    attempt = f"{step.attempt + 1}." if case.steps[-1].attempt else ""
    return f"{run}/replay.html#{attempt}{before + 1}"


def _shares(
    cases: Sequence[JudgedCase], failed: Sequence[Failed], seed: int
) -> tuple[dict[str, Figure], dict[str, Figure], str]:
    """Shares with intervals: whole cases are drawn, or steps where there are too few cases."""
    classes = {(each.case, each.at): each.error for each in failed}
    clusters = [[classes.get((case.result.id, at)) for at in case.right] for case in cases if case.right]
    whole = len(clusters) >= FEWEST_EPISODES
    if not whole:
        clusters = [[error] for cluster in clusters for error in cluster]
    sizes = np.array([len(cluster) for cluster in clusters], dtype=float)
    wrong = np.array([sum(error is not None for error in cluster) for cluster in clusters], dtype=float)
    counts: dict[str, Floats] = {
        name: np.array([cluster.count(name) for cluster in clusters], dtype=float) for name in ERRORS
    }
    over_all = {name: Ratio(count, sizes) for name, count in counts.items()} | {"failed": Ratio(wrong, sizes)}
    over_failed = {name: Ratio(count, wrong) for name, count in counts.items()}
    drawn = figures(over_all, seed), figures(over_failed, seed)
    return _wide(drawn[0]), _wide(drawn[1]), "case" if whole else "step"


def _wide(found: dict[str, Figure]) -> dict[str, Figure]:
    """A class that never, or always, came up has an interval too, though no draw can show it."""
    return {
        name: wilson(round(each.value * each.n), each.n) if each.value in (0, 1) else each
        for name, each in found.items()
    }


# -- shown -------------------------------------------------------------------------------------------------------------


def error_table(analysis: Analysis) -> Table:
    """Shares of all judged steps and of the failed ones; the paper's own count too, where it is of this data."""
    columns = [*(name if name == "not named" else name.capitalize() for name in ERRORS), "all failed"]
    rows = [
        TableRow(
            analysis.label, [cell_of(analysis.shares.get(name)) for name in (*ERRORS, "failed")], note="of all steps"
        ),
        TableRow(
            analysis.label,
            [*(cell_of(analysis.of_failed.get(name)) for name in ERRORS), None],
            note="of the failed steps",
        ),
    ]
    rows += published_rows(analysis.suite, [*ERRORS, "failed"], "errors")
    return Table(f"{analysis.suite}: why steps failed", columns, rows, notes=notes(analysis))


def notes(analysis: Analysis) -> list[str]:
    """What the shares rest on."""
    basis = Counter(each.basis for each in analysis.failed)
    told = ", ".join(f"{count:,} from {BASES[name]}" for name, count in basis.most_common())
    found = [
        f"{len(analysis.failed):,} of {analysis.judged:,} steps failed by the rule {analysis.profile}; 95 % bootstrap "
        f"intervals over {analysis.resampled}s.",
        f"Locate: nothing named or tapped within {NEAR:.0%} of the diagonal of an element that a right action touches. "
        f"Lingualize: found, but described with a similarity ({similarity.name}) below {SAME}. "
        "Leverage: all else that can be told.",
    ]
    if told:
        found.append(f"The class was told {told}. Answers that describe no element have no Lingualize errors.")
    if analysis.unjudged or analysis.broken:
        found.append(f"Left out: {analysis.unjudged:,} steps without a known truth, {analysis.broken:,} broken cases.")
    return found + published_notes(analysis.suite, "errors")


def examples(analysis: Analysis, most: int) -> dict[Error, list[Failed]]:
    """Some of each class: those that can be looked at first, and of as many cases as possible."""
    found: dict[Error, list[Failed]] = {}
    for error in ERRORS:
        seen: Counter[str] = Counter()
        ranked = []
        for at, each in enumerate(item for item in analysis.failed if item.error == error):
            ranked.append((not each.replay, seen[each.case], at, each))
            seen[each.case] += 1
        if ranked:
            found[error] = [item[-1] for item in sorted(ranked, key=lambda item: item[:3])[:most]]
    return found


def write_errors(folder: Path, profile: str | None = None, most: int = 5) -> Path:
    """Write `errors.html`, `errors.md` and `errors.json` beside the results; returns the page."""
    analysis = analyse(folder, profile)
    table, shown = error_table(analysis), examples(analysis, most)
    for each in (item for items in shown.values() for item in items if item.replay):
        run = (folder / each.replay).parent
        if not (run / "replay.html").exists():
            write_replay(run)
    text, parts = [markdown(table)], list[str]()
    for error, items in shown.items():
        text += [f"### {error.capitalize()}", "", *map(_markdown, items), ""]
        parts += [f"<h2>{error.capitalize()}</h2>", "<ul>", *map(_html, items), "</ul>"]
    whole = page(f"{analysis.label}: error analysis", [table], []).replace("</body>", "\n".join([*parts, "</body>"]))
    write_whole(folder / "errors.json", msgspec.json.format(msgspec.json.encode(analysis), indent=2))
    write_whole(folder / "errors.md", "\n".join(text).encode())
    write_whole(folder / "errors.html", whole.encode())
    return folder / "errors.html"


def _markdown(each: Failed) -> str:
    where, link = _where(each)
    return f"- [{where}]({link}): {_said(each)}" if link else f"- {where}: {_said(each)}"


def _html(each: Failed) -> str:
    where, link = map(escape, _where(each))
    return (
        f'<li><a href="{link}">{where}</a>: {escape(_said(each))}</li>'
        if link
        else f"<li>{where}: {escape(_said(each))}</li>"
    )


def _where(each: Failed) -> tuple[str, str]:
    """Case and step, and the address of the replay page."""
    path, _, step = each.replay.partition("#")
    return f"{each.case}, step {each.at + 1}", f"{quote(path)}#{step}" if path else ""


def _said(each: Failed) -> str:
    why = f"{each.why[:1].upper()}{each.why[1:]}."
    return f"{quoted(each.instruction)}: {each.did or 'no answer'}; right: {each.right}. {why}"
