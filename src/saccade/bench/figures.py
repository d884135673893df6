"""Computes figures from results. Answers to recordings are judged by the same functions as in `saccade score`, so that
a suite and `saccade score steps.jsonl` always agree; live tasks are counted.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np
from msgspec.structs import replace

from saccade.agents.log import read_steps
from saccade.agents.records import LoggedStep
from saccade.bench.cases import Bench, Result
from saccade.bench.results_store import read_bench, read_results
from saccade.bench.suites import Suite
from saccade.models.embeddings import open_similarity
from saccade.records import read_grown
from saccade.scoring.embedding_similarity import EmbeddingSimilarity, similarity_name
from saccade.scoring.intervals import Figure, Ratio, figures
from saccade.scoring.judge import JudgedStep, Prediction, judge_steps, match_context
from saccade.scoring.metrics import FEWEST_EPISODES, attempts, part_means, report
from saccade.scoring.profiles import Profile
from saccade.scoring.rewards.uiloop import UILoopReward, leverage, locate_and_lingualize
from saccade.scoring.similarity import Similarity, similarity
from saccade.types import SEVERAL

Z = 1.959964
"""95 % of a normal distribution lie within this many standard deviations."""
ENDS = {
    "agent": "ended by the agent",
    "world": "ended by the world",
    "steps": "out of steps",
    "seconds": "out of time",
    "tokens": "out of tokens",
    "cost": "out of money",
    "loop": "loop",
    "unreadable": "unreadable answer",
    "refused": "action refused",
}
"""Column names for what ended a failed task."""


class _Place(msgspec.Struct):
    """The fields that tell to which case a line of `steps.jsonl` belongs."""

    id: str = ""
    episode: str = ""


def load_measurement(folder: Path) -> tuple[Bench, list[Result]]:
    """Read a measurement, with its results in the order of the data. Bootstrap intervals depend on the order, and a
    table must not depend on the order in which cases were completed.
    """
    bench = read_bench(folder)
    results, _ = read_results(folder)
    file = folder / "steps.jsonl"
    lines, _ = read_grown(file, _Place)
    order = {id: at for at, id in enumerate(dict.fromkeys(line.episode or line.id for line in lines))}
    return bench, sorted(results, key=lambda result: (order.get(result.id, len(order)), result.id))


def done(results: Iterable[Result]) -> list[Result]:
    """Completed cases. Cases in which the world or the model failed are not counted."""
    return [result for result in results if result.status == "done"]


def broken(results: Iterable[Result]) -> list[Result]:
    return [result for result in results if result.status == "broken"]


# -- recordings --------------------------------------------------------------------------------------------------------


def answers(results: Iterable[Result]) -> list[LoggedStep]:
    """All answered steps of completed cases."""
    return [step for result in done(results) for step in result.steps]


def judge_answers(steps: Sequence[LoggedStep], profile: Profile) -> list[JudgedStep]:
    """Judge the logged answers. An answer that could not be parsed during the run is wrong; it is not parsed again."""
    given = [Prediction(step.prediction, tuple(each.action for each in step.candidates)) for step in steps]
    return judge_steps(steps, given, profile)


def metrics(items: Sequence[JudgedStep], profile: Profile, seed: int = 0) -> dict[str, Figure]:
    """All figures of `saccade score`. A grounding profile has only accuracy, which is also reported as SR."""
    if not items:
        return {}
    found = dict(report(items, profile, seed).metrics)
    return {"sr": found["accuracy"], **found} if "accuracy" in found else found


def resampled(items: Sequence[JudgedStep]) -> str:
    """The unit of the bootstrap: single steps, or whole episodes."""
    return "episode" if len(attempts(items)) >= FEWEST_EPISODES else "step"


def part(items: Iterable[JudgedStep], **tags: str) -> list[JudgedStep]:
    """The steps with these tags, ignoring upper and lower case: one data set writes Dev, another dev. A tag with
    several values has each of them.
    """
    return [
        item
        for item in items
        if all(v.lower() in item.step.tags.get(k, "").lower().split(SEVERAL) for k, v in tags.items())
    ]


def best_of_candidates(items: Iterable[JudgedStep]) -> list[JudgedStep]:
    """The steps as if an oracle had chosen among the candidates (GuidNav, Table 1); empty if there were none."""
    found = list(items)
    if all(item.oracle is None for item in found):
        return []
    return [item if item.oracle is None else item._replace(right=item.oracle) for item in found]


def comprehension(steps: Sequence[LoggedStep], sim: Similarity = similarity, seed: int = 0) -> dict[str, Figure]:
    """UILoop's Locate, Lingualize, Leverage, and Overall, the product of their means; steps without key elements are
    left out. Lingualize compares descriptions with `sim`. Elements and action are the ones parsed during the run, in
    pixels: the reward would parse the answer again without knowing the coordinate frame of the model.
    """
    reward = UILoopReward(sim=sim)
    if isinstance(sim, EmbeddingSimilarity):
        sim.prepare(each.caption for step in steps for each in (*step.named, *(step.key_elements or ())))
    parts = []
    for step in steps:
        if step.key_elements and step.truth:
            location, words = locate_and_lingualize(step.named, step.key_elements, step.screen, reward.sim)
            used = leverage(step.prediction, step.truth, match_context(step), reward.profile)
            parts.append(
                {
                    "format": float(not step.repairs and step.prediction is not None),
                    "location": location,
                    "lingualisation": words,
                    "leverage": float(used),
                }
            )
    found = part_means(parts, [reward.total(each) for each in parts], seed)
    names = {"locate": "location", "lingualize": "lingualisation", "leverage": "leverage", "overall": "overall"}
    return {name: found[own] for name, own in names.items() if own in found}


def pass_key(found: Mapping[str, Figure]) -> str:
    """The name of pass@n per action among the figures; empty where each episode was answered once."""
    return next((name for name in found if name.startswith("pass_at_")), "")


def pass_title(key: str) -> str:
    """A figure's name in words: `pass@3`, `episode pass@3`, `partial match`."""
    return key.replace("pass_at_", "pass@").replace("_", " ")


def main_figure(
    suite: Suite, results: Sequence[Result], profile: Profile, similarity: str = ""
) -> tuple[str, Figure | None]:
    """The main figure of a measurement, with its name; where it depends on a similarity, by the one of that name."""
    if suite.kind == "live":
        return "success", success(results)
    if suite.table == "comprehension":
        sim = open_similarity(similarity)
        return f"Overall (sim: {similarity_name(sim)})", comprehension(answers(results), sim).get("overall")
    found = metrics(judge_answers(answers(results), profile), profile)
    if suite.table == "aitw":
        key = pass_key(found) or "partial_match"
        return pass_title(key), found.get(key)
    return ("accuracy" if profile.metrics == "grounding" else "SR"), found.get("sr")


# -- live tasks --------------------------------------------------------------------------------------------------------


def wilson(right: int, n: int) -> Figure:
    """A share with Wilson's interval, which has a width even if all or none were right: 6 of 6 do not prove 100 %.

    >>> found = wilson(6, 6)
    >>> round(found.low, 3), found.high
    (0.61, 1.0)
    """
    share = right / n
    middle = (share + Z * Z / (2 * n)) / (1 + Z * Z / n)
    half = Z / (1 + Z * Z / n) * math.sqrt(share * (1 - share) / n + Z * Z / (4 * n * n))
    low, high = max(0.0, middle - half), min(1.0, middle + half)
    return Figure(share, 0.0 if right == 0 else low, 1.0 if right == n else high, n)


def success(results: Iterable[Result]) -> Figure | None:
    """The share of live tasks that succeeded."""
    found = done(results)
    return wilson(sum(result.success for result in found), len(found)) if found else None


def ended_by(results: Iterable[Result]) -> dict[str, Figure]:
    """How live tasks ended, as shares of all: success first, then the causes of failure."""
    found = [result.outcome for result in done(results) if result.outcome is not None]
    ends = ["success" if outcome.successful else ENDS.get(outcome.ended_by, outcome.ended_by) for outcome in found]
    order = sorted(set(ends) - {"success"}, key=lambda end: (-ends.count(end), end))
    return {end: wilson(ends.count(end), len(ends)) for end in ("success", *order)} if ends else {}


def step_accuracy(results: Iterable[Result], seed: int = 0) -> Figure | None:
    """The share of right actions, among steps for which the oracle knows the right ones; bootstrap over whole tasks."""
    found = done(results)
    right = np.array([result.right_steps for result in found], dtype=float)
    asked = np.array([result.judged_steps for result in found], dtype=float)
    return figures({"steps": Ratio(right, asked)}, seed).get("steps") if found else None


def live_steps(folder: Path, results: Iterable[Result]) -> list[LoggedStep]:
    """The steps of live tasks whose right actions are known, from the logs of their runs."""
    found = [result for result in done(results) if result.run and not result.steps]
    logged = [(result, step) for result in found for step in read_steps(folder / result.run)[0] if step.truth]
    return [replace(step, tags={**step.tags, **result.tags}) for result, step in logged]


def mean(values: Sequence[float], seed: int = 0) -> Figure | None:
    """A mean over cases, with a bootstrap over cases."""
    if not values:
        return None
    return figures({"mean": Ratio(np.array(values, dtype=float), np.ones(len(values)))}, seed).get("mean")


def ratio(over: Sequence[float], under: Sequence[float], seed: int = 0) -> Figure | None:
    """A ratio of two sums, with a bootstrap over cases. `n` is the number of cases."""
    found = figures({"ratio": Ratio(np.array(over, dtype=float), np.array(under, dtype=float))}, seed).get("ratio")
    return replace(found, n=len(over)) if found else None
