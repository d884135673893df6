"""The papers' metrics over judged steps, each with its count and interval.

- `accuracy`: share of grounding samples whose point is right (ScreenSpot).
- `type`, `gr`, `sr`: the type is right; a click's place is right, over what the profile counts; all is right.
- `step_accuracy` (= `sr`), `task_accuracy` (all steps of an episode), `accuracy_<action>` per action type of the truth.
- `partial_match`: per-episode share of right steps, averaged (GuidNav); `goal_progress`: right steps before the first
  wrong one over the episode's length (AITZ).
- `oracle_top_k`: any of the k candidates is right; `pass_at_n` (GuidNav Table 1): per-episode share of actions that are
  right in any of n tries, averaged; `episode_pass_at_n`: any of n tries at an episode is right throughout.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import msgspec
import numpy as np

from saccade.scoring.intervals import RESAMPLES, Figure, Floats, Ratio, figures, product_of_means
from saccade.scoring.judge import JudgedStep
from saccade.scoring.profiles.base import Profile

FEWEST_EPISODES = 10
"""With fewer episodes than this, resampling whole episodes says nothing, and steps are resampled."""


class ScoreReport(msgspec.Struct, frozen=True):
    """One profile's figures over one set of steps."""

    profile: str
    n: int
    metrics: dict[str, Figure]
    resampled: str = "step"
    """What the bootstrap drew: single steps, or whole episodes."""


def attempts(judged: Sequence[JudgedStep]) -> dict[tuple[str, str], list[JudgedStep]]:
    """Judged steps by episode and attempt, in step order; steps without an episode are left out."""
    found: dict[tuple[str, str], list[JudgedStep]] = {}
    for item in judged:
        if item.step.episode:
            found.setdefault((item.step.episode, item.step.tags.get("attempt", "")), []).append(item)
    for items in found.values():
        items.sort(key=lambda item: item.step.step)
    return found


def report(judged: Sequence[JudgedStep], profile: Profile, seed: int = 0, resamples: int = RESAMPLES) -> ScoreReport:
    """All figures that these steps allow under this profile."""
    by_attempt = attempts(judged)
    whole = len(by_attempt) >= FEWEST_EPISODES
    clusters = [[item] for item in judged]
    if whole:
        clusters = [*by_attempt.values(), *([item] for item in judged if not item.step.episode)]
    ratios = _grounding(clusters) if profile.metrics == "grounding" else _step_ratios(clusters, judged, profile)
    metrics = figures(ratios, seed, resamples)
    if profile.metrics != "grounding":
        metrics |= figures(_episode_ratios(list(by_attempt.values())), seed, resamples)
    metrics |= figures(_pass_at(by_attempt), seed, resamples)
    return ScoreReport(profile.name, len(judged), metrics, "episode" if whole else "step")


def _ratio(clusters: Sequence[Sequence[JudgedStep]], right: Sequence[bool], asked: Sequence[bool]) -> Ratio:
    """Sum a yes/no per step into clusters; both lists run through the clusters in order."""
    sizes = [len(cluster) for cluster in clusters]
    at = np.repeat(np.arange(len(sizes)), sizes)
    counted = np.asarray(asked, dtype=float)
    hits = np.asarray(right, dtype=float) * counted
    return Ratio(
        np.bincount(at, hits, minlength=len(sizes)).astype(float),
        np.bincount(at, counted, minlength=len(sizes)).astype(float),
    )


def _grounding(clusters: Sequence[Sequence[JudgedStep]]) -> dict[str, Ratio]:
    items = [item for cluster in clusters for item in cluster]
    return {"accuracy": _ratio(clusters, [item.right for item in items], [True] * len(items))}


def _step_ratios(
    clusters: Sequence[Sequence[JudgedStep]], judged: Sequence[JudgedStep], profile: Profile
) -> dict[str, Ratio]:
    items = [item for cluster in clusters for item in cluster]
    types = [item.step.truth[0].type for item in items]
    right, everything = [item.right for item in items], [True] * len(items)
    in_gr = [
        type in profile.gr_types and (item.type_right or not profile.gr_given_type)
        for type, item in zip(types, items, strict=True)
    ]
    ratios = {
        "type": _ratio(clusters, [item.type_right for item in items], everything),
        "gr": _ratio(clusters, right, in_gr),
        "sr": _ratio(clusters, right, everything),
        "step_accuracy": _ratio(clusters, right, everything),
    }
    for name in dict.fromkeys(item.step.truth[0].type for item in judged):
        ratios[f"accuracy_{name}"] = _ratio(clusters, right, [type == name for type in types])
    offered = [item.oracle is not None for item in items]
    ratios["oracle_top_k"] = _ratio(clusters, [bool(item.oracle) for item in items], offered)
    return ratios


def _episode_ratios(tries: Sequence[Sequence[JudgedStep]]) -> dict[str, Ratio]:
    if not tries:
        return {}
    ones = np.ones(len(tries))
    progress = [next((at for at, item in enumerate(items) if not item.right), len(items)) for items in tries]
    lengths = np.array([len(items) for items in tries], dtype=float)
    right = np.array([sum(item.right for item in items) for items in tries], dtype=float)
    return {
        "task_accuracy": Ratio((right == lengths).astype(float), ones),
        "partial_match": Ratio(right / lengths, ones),
        "goal_progress": Ratio(np.array(progress, dtype=float) / lengths, ones),
    }


def _pass_at(by_attempt: Mapping[tuple[str, str], Sequence[JudgedStep]]) -> dict[str, Ratio]:
    """Only where every episode was tried more than once."""
    episodes: dict[str, list[Sequence[JudgedStep]]] = {}
    for (episode, _), items in by_attempt.items():
        episodes.setdefault(episode, []).append(items)
    fewest = min((len(tries) for tries in episodes.values()), default=0)
    if fewest < 2:
        return {}
    actions, whole = list[float](), list[float]()
    for tries in episodes.values():
        right: dict[tuple[int, str], list[bool]] = {}
        for item in (item for items in tries for item in items):
            right.setdefault((item.step.step, item.step.id), []).append(item.right)
        shares = [pass_at(sum(each), len(each), min(fewest, len(each))) for each in right.values()]
        actions.append(sum(shares) / len(shares))
        whole.append(pass_at(sum(all(item.right for item in items) for items in tries), len(tries), fewest))
    ones = np.ones(len(episodes))
    return {
        f"pass_at_{fewest}": Ratio(np.array(actions), ones),
        f"episode_pass_at_{fewest}": Ratio(np.array(whole), ones),
    }


def pass_at(right: int, tried: int, n: int) -> float:
    """Chance that at least one of n attempts drawn from `tried` is among the `right` ones.

    >>> pass_at(1, 3, 3), pass_at(1, 4, 2)
    (1.0, 0.5)
    """
    if not 0 <= right <= tried or not 1 <= n <= tried:
        raise ValueError(f"pass@{n} needs at least {n} attempts and no more right than tried, got {right} of {tried}")
    return 1 - math.comb(tried - right, n) / math.comb(tried, n)


def part_means(
    parts: Sequence[Mapping[str, float]], totals: Sequence[float], seed: int = 0, resamples: int = RESAMPLES
) -> dict[str, Figure]:
    """Means of a reward's parts and total, each over the rows that have it; for UILoop's also Overall, the product of
    the three means over the rows that have all three.
    """
    if not parts:
        return {}
    ratios = {}
    for name in dict.fromkeys(name for part in parts for name in part):
        there = np.array([name in part for part in parts], dtype=float)
        ratios[name] = Ratio(np.array([part.get(name, 0.0) for part in parts], dtype=float), there)
    ratios["total"] = Ratio(np.asarray(totals, dtype=float), np.ones(len(parts)))
    result = figures(ratios, seed, resamples)
    three = ("location", "lingualisation", "leverage")
    whole = [part for part in parts if all(name in part for name in three)]
    if whole:
        columns: dict[str, Floats] = {name: np.array([part[name] for part in whole], dtype=float) for name in three}
        result["overall"] = product_of_means(columns, seed, resamples)
    return result
