"""What the index keeps of a measurement: of `bench.json`, and of each line of `results.jsonl`."""

from __future__ import annotations

import hashlib
from collections import Counter
from pathlib import Path
from typing import Any

from saccade.bench.cases import Result
from saccade.bench.samples import sample_name
from saccade.bench.suites import get_suite
from saccade.errors import InputError
from saccade.scoring.judge import Prediction, judge_steps
from saccade.studio.index.growing_file import read_whole
from saccade.studio.index.run_reader import LONGEST_TEXT, UNREADABLE, error_class, plain, profile_named
from saccade.untrusted import JsonDecoder, decode_json

_results = JsonDecoder(Result)


def id_of(path: str | Path) -> str:
    """The id of a run or a measurement: addresses carry it in place of the path."""
    return hashlib.sha256(str(path).encode("utf-8", "surrogateescape")).hexdigest()[:12]


def read_bench(file: Path) -> tuple[dict[str, Any], str]:
    """The columns that `bench.json` fills, and what was wrong with it."""
    try:
        value = decode_json(read_whole(file))
    except (OSError, *UNREADABLE) as error:
        return {}, f"bench.json: {plain(str(error))}"
    if not isinstance(value, dict):
        return {}, "bench.json: not an object"
    settings = value.get("settings")
    settings = settings if isinstance(settings, dict) else {}
    cases = value.get("cases")
    return {
        "suite": plain(value.get("suite")),
        "label": plain(value.get("label")),
        "model": plain(settings.get("model")),
        "paradigm": plain(settings.get("paradigm")),
        "planned": cases if isinstance(cases, int) and 0 <= cases < 2**31 else 0,
    }, ""


def rule_of(suite: str) -> str:
    """The rule by which a suite judges steps; empty where the suite is not known here."""
    try:
        return get_suite(suite).profile
    except InputError:
        return ""


def read_case(folder: Path, offset: int, data: bytes, rule: str) -> dict[str, Any]:
    """A row of `MeasuredCase` without measurement and position; raises one of `UNREADABLE`, or `ValueError`."""
    result = _results.decode(data)
    run = result.run or f"runs/{sample_name(result.id)}"
    kept = ".." not in Path(run).parts and (folder / run / "steps.jsonl").is_file()
    end, what, classes = _end(result, rule)
    return {
        "case": plain(result.id, LONGEST_TEXT),
        "end": end,
        "what": plain(what, LONGEST_TEXT),
        "app": plain(result.tags.get("app")),
        "language": plain(result.tags.get("language")),
        "turns": max(0, min(result.turns or len(result.steps), 2**31 - 1)),
        "tokens": max(0, min(result.usage.tokens, 2**53)),
        "cost": result.usage.cost,
        "seconds": result.seconds,
        "run": id_of(folder / run) if kept else "",
        "classes": classes,
        "offset": offset,
        "length": len(data),
    }


def _end(result: Result, rule: str) -> tuple[str, str, dict[str, int]]:
    """How a case ended, why or what it was about, and the classes of its wrong steps."""
    if result.status == "broken":
        return "broken", result.problem, {}
    if result.outcome is not None:
        why = result.outcome.reason or f"ended by {result.outcome.ended_by}"
        return "right" if result.success else "failed", why, {}
    profile = profile_named(rule)
    judged = judge_steps(result.steps, [Prediction(step.prediction) for step in result.steps], profile)
    classes = Counter(filter(None, (error_class(step, profile) for step in result.steps)))
    asked = result.steps[0].instruction if result.steps else ""
    if all(item.right for item in judged):
        return "right", asked, {}
    return "failed", asked, dict(classes)
