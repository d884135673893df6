"""`saccade score`: scores predictions under one or all published match rules."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from functools import partial
from operator import ne
from typing import Annotated

import typer

from saccade.bench.chunked_scoring import Predict, judge_in_chunks
from saccade.cli.common import (
    CoordinatesOption,
    EngineOption,
    FileArgument,
    JsonOption,
    KeepGoingOption,
    SwipeOption,
    as_json,
    configured,
    console,
    load_steps,
    percent,
    table,
)
from saccade.engines import open_engine
from saccade.errors import InputError
from saccade.paradigms import Paradigm
from saccade.scoring.evaluate import Evaluation, judge_by
from saccade.scoring.judge import JudgedStep, Prediction, assumption_note, assumptions, prediction_of
from saccade.scoring.metrics import ScoreReport, report
from saccade.scoring.profiles import Profile
from saccade.types import Step

MOST_GROUPS = 24
COLUMNS = {
    "type": "Type",
    "gr": "GR",
    "sr": "SR",
    "task_accuracy": "Task",
    "oracle_top_k": "Oracle",
    "accuracy": "Accuracy",
}


def score(
    file: FileArgument,
    profile: Annotated[
        str, typer.Option("--profile", "-p", help="Match profile, several with commas, or `all`.")
    ] = "btl",
    json_lines: JsonOption = False,
    keep_going: KeepGoingOption = False,
    coordinates: CoordinatesOption = None,
    swipe: SwipeOption = None,
    seed: Annotated[int, typer.Option(help="Seed of the bootstrap intervals.")] = 0,
    workers: Annotated[int, typer.Option(min=1, help="Of a large file: judge in so many processes.")] = 1,
    engine: EngineOption = "local",
) -> None:
    """Score predictions against their truth under published match rules.

    FILE contains step records with a parsed `prediction`, or with a raw `output` and its `paradigm`. Result files of
    the ScreenSpot-Pro evaluation are read as they are.

    Examples:

        saccade score steps.jsonl --profile btl

        saccade score steps.jsonl --profile all

        saccade score results.jsonl --profile screenspot --json
    """
    steps = load_steps(file, keep_going, "truth", "prediction|output")
    predicted = partial(predict, coordinates=coordinates, swipe=swipe)
    results, left_out = judge(profile, steps, predicted, workers, engine)
    for name, reason in left_out.items():
        typer.echo(f"saccade: the profile {name} is left out: {reason}", err=True)
    if not results:
        raise InputError(f"{file} has no step that {profile} can judge")
    for rule, judged in results:
        if json_lines:
            typer.echo(json.dumps(_as_object(rule, judged, seed), ensure_ascii=False))
        else:
            show(rule, judged, seed)
    if not json_lines and len(results) > 1:
        show_disagreement(results)


def judge(profile: str, steps: Sequence[Step], predicted: Predict, workers: int, engine: str) -> Evaluation:
    """Verdicts: in this process, or in those of an engine."""
    with open_engine(engine) as works:
        if workers == 1 and works.shares_disk:
            return judge_by(profile, steps, predicted(steps))
        return judge_in_chunks(profile, steps, predicted, works, workers)


def predict(steps: Sequence[Step], coordinates: str | None, swipe: str | None) -> list[Prediction]:
    """The recorded predictions, or those parsed from the raw outputs."""
    paradigms: dict[str, Paradigm] = {}
    predictions = []
    for step in steps:
        paradigm = None
        if step.prediction is None and step.output is not None:
            if not step.paradigm:
                raise InputError(f"step {step.id}: paradigm: missing, so its raw output cannot be parsed")
            if step.paradigm not in paradigms:
                paradigms[step.paradigm] = configured(step.paradigm, coordinates, swipe)
            paradigm = paradigms[step.paradigm]
        predictions.append(prediction_of(step, paradigm))
    return predictions


def groups(judged: Sequence[JudgedStep]) -> dict[str, list[JudgedStep]]:
    """Subsets by tag, for tags with between 2 and `MOST_GROUPS` values."""
    found: dict[str, list[JudgedStep]] = {}
    for key in dict.fromkeys(key for item in judged for key in item.step.tags):
        values = sorted({item.step.tags[key] for item in judged if key in item.step.tags})
        if 2 <= len(values) <= MOST_GROUPS:
            for value in values:
                found[f"{key}={value}"] = [item for item in judged if item.step.tags.get(key) == value]
    for name, (first, second) in _cells(judged).items():
        found[name] = [
            item for item in judged if item.step.tags.get("platform") == first and item.step.tags.get("kind") == second
        ]
    return {name: items for name, items in found.items() if items}


def _cells(judged: Sequence[JudgedStep]) -> dict[str, tuple[str, str]]:
    """Platform × kind, the rows and columns of the ScreenSpot tables."""
    values = [sorted({item.step.tags[key] for item in judged if key in item.step.tags}) for key in ("platform", "kind")]
    if min(map(len, values)) < 2:
        return {}
    return {f"platform={a},kind={b}": (a, b) for a, b in itertools.product(*values)}


def _as_object(rule: Profile, judged: Sequence[JudgedStep], seed: int) -> dict[str, object]:
    whole = report(judged, rule, seed)
    parts = {name: report(items, rule, seed) for name, items in groups(judged).items()}
    return {
        "profile": whole.profile,
        "n": whole.n,
        "metrics": as_json(whole.metrics),
        "resampled": whole.resampled,
        "assumptions": assumptions(judged, rule),
        "groups": {name: {"n": part.n, "metrics": as_json(part.metrics)} for name, part in parts.items()},
    }


def show(rule: Profile, judged: Sequence[JudgedStep], seed: int) -> None:
    """Print one profile's table: all steps, by tag, by action."""
    whole = report(judged, rule, seed)
    rows: dict[str, ScoreReport] = {"all": whole} | {
        name: report(part, rule, seed) for name, part in groups(judged).items()
    }
    columns = [name for name in COLUMNS if name in whole.metrics]
    columns += [name for name in whole.metrics if "pass_at_" in name]
    titles = [COLUMNS.get(name, name.replace("pass_at_", "pass@").replace("_", " ")) for name in columns]
    console.print(f"[bold]{rule.name}[/]  [dim]{rule.source}[/]")
    made = table("steps", ["n", *titles])
    for name, row in rows.items():
        made.add_row(name, f"{row.n:,}", *(percent(row.metrics.get(column)) for column in columns))
    console.print(made)
    actions = {name.removeprefix("accuracy_"): figure for name, figure in whole.metrics.items() if "accuracy_" in name}
    actions.pop("task_accuracy", None)
    if actions:
        made = table("action", ["n", "right"])
        for name, figure in sorted(actions.items(), key=lambda item: -item[1].n):
            made.add_row(name, f"{figure.n:,}", percent(figure))
        console.print(made)
    console.print(f"[dim]per cent, with 95 % bootstrap intervals over {whole.resampled}s[/]")
    if note := assumption_note(judged, rule):
        console.print(f"[dim]{note}[/]")
    console.print()


def show_disagreement(results: Sequence[tuple[Profile, Sequence[JudgedStep]]]) -> None:
    """Print how much the rules differ on the same predictions. Rules that judged only some of the steps are
    left out.
    """
    most = max(len(judged) for _, judged in results)
    verdicts = {rule.name: [item.right for item in judged] for rule, judged in results if len(judged) == most}
    if len(verdicts) < 2:
        return
    names = list(verdicts)
    shares = {name: sum(right) / most for name, right in verdicts.items()}
    console.print(
        f"[bold]The same {most:,} predictions under {len(names)} rules[/]  [dim]per cent judged differently[/]"
    )
    made = table("rule", ["right", *(str(at) for at, _ in enumerate(names, 1))])
    for at, row in enumerate(names, 1):
        differing = [sum(map(ne, verdicts[row], verdicts[other])) / most for other in names]
        cells = [f"{100 * share:.1f}" if share else "·" for share in differing]
        made.add_row(f"{at} {row}", f"{100 * shares[row]:.1f}", *cells)
    console.print(made)
    split = sum(len(set(found)) > 1 for found in zip(*verdicts.values(), strict=True))
    low, high = min(names, key=lambda name: shares[name]), max(names, key=lambda name: shares[name])
    console.print(
        f"{split:,} of {most:,} predictions ({100 * split / most:.1f} %) are right under some rules and wrong under "
        f"others: the same answers score from {100 * shares[low]:.1f} ({low}) to {100 * shares[high]:.1f} ({high})."
    )
