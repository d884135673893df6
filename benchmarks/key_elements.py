"""Measure the heuristic analyser: python benchmarks/key_elements.py --data DIR [--elements tree vision]

DIR holds step records with key elements (saccade data collect phone …). The table gives, for λ = 1 … 6, how many of the
teacher's key elements and of the right targets are among the first λ elements; `all` is what any ranking of these
elements could reach, `chance` what a random order reaches. --json adds 95 % intervals, by a bootstrap over episodes,
because the steps of one episode are alike. --fit prints weights fitted on DIR instead: choose them on
one seed's data and measure on another's.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from msgspec.structs import replace

from saccade.data.element_filling import ElementFinder, PictureJob
from saccade.data.readers import open_dataset
from saccade.data.synthesis.element_list import SAME_PLACE, find_again
from saccade.data.synthesis.heuristic_analyser import FEATURES, Floats, features, rank
from saccade.paradigms.wording import language_of
from saccade.screens.element_source import TREE
from saccade.types import Element, Step

MOST = 6
RESAMPLES = 2000


def screens(data: Path, source: str, limit: int, seed: int) -> Iterator[Step]:
    """Steps with elements of a source; of many, a random choice."""
    finder = ElementFinder(source) if source != TREE else None
    samples = [sample for sample in open_dataset(data).samples() if sample.step.key_elements]
    if limit and len(samples) > limit:
        samples = random.Random(seed).sample(samples, limit)
    for sample in samples:
        step = sample.step
        if finder is None or sample.picture is None:
            yield step
            continue
        job = PictureJob(sample.picture.data(), step.screen, language_of(step.instruction))
        yield replace(step, elements=finder.find(job))


def same(found: Element, key: Element) -> bool:
    """The same box, or, as pixels show a row in parts, a part that is touched for the whole."""
    inside = key.box.contains(found.center) and found.box.area <= key.box.area
    return inside or found.box.iou(key.box) >= SAME_PLACE


def recall(step: Step, ranking: Sequence[Element]) -> tuple[list[float], list[float]]:
    """For λ = 1 … 6 and all: key elements found, and whether a right target is."""
    cuts = [*range(1, MOST + 1), len(ranking)]
    targets = [action.box for action in step.truth if action.box is not None]
    key = [sum(any(same(each, wanted) for each in ranking[:cut]) for wanted in step.key_elements or ()) for cut in cuts]
    aimed = [any(box.contains(each.center) for each in ranking[:cut] for box in targets) for cut in cuts]
    return list(map(float, key)), list(map(float, aimed)) if targets else []


def measure(steps: Sequence[Step], seed: int) -> list[dict[str, object]]:
    """A row for each language and order."""
    sums: dict[tuple[str, str, str], dict[str, Floats]] = defaultdict(lambda: defaultdict(lambda: np.zeros(MOST + 2)))
    chance = random.Random(seed)
    for step in steps:
        shuffled = list(step.elements)
        chance.shuffle(shuffled)
        for order, ranking in (("heuristic", rank(step)), ("chance", shuffled)):
            key, aimed = recall(step, ranking)
            for language in (language_of(step.instruction), "both"):
                sums[language, order, "key elements"][step.episode] += [*key, len(step.key_elements or ())]
                if aimed:
                    sums[language, order, "target"][step.episode] += [*aimed, 1]
    return [row_of(*key, np.array(list(found.values())), seed) for key, found in sorted(sums.items())]


def row_of(language: str, order: str, of: str, episodes: Floats, seed: int) -> dict[str, object]:
    """Shares with intervals. An episode's row counts what was found among the first 1 … 6, among all, and what is."""
    total = episodes.sum(axis=0)
    drawn = np.random.default_rng(seed).integers(len(episodes), size=(RESAMPLES, len(episodes)))
    again = episodes[drawn].sum(axis=1)
    low, high = np.quantile(again[:, :MOST] / again[:, -1:], (0.025, 0.975), axis=0)
    return {
        "language": language,
        "order": order,
        "of": of,
        **{f"λ={at + 1}": round(value, 4) for at, value in enumerate(total[:MOST] / total[-1])},
        "all": round(total[MOST] / total[-1], 4),
        "intervals": [[round(float(each), 4) for each in pair] for pair in zip(low, high, strict=True)],
        "n": int(total[-1]),
        "episodes": len(episodes),
    }


def fit(steps: Sequence[Step], rounds: int = 1500, pull: float = 2e-3, rate: float = 0.3) -> list[float]:
    """Weights by gradient descent on −log of the softmax share of the key elements, with an L2 pull to 0. The first
    key element counts fully, the next ones half, a third …
    """
    tables, wanted = [], []
    for step in steps:
        share = np.zeros(len(step.elements))
        for order, key in enumerate(step.key_elements or ()):
            found = find_again(key, step.elements)
            for at, each in enumerate(step.elements):
                if each is found or (found is None and same(each, key)):
                    share[at] += 1 / (order + 1)
        if share.sum():
            tables.append(features(step, step.elements))
            wanted.append(share / share.sum())
    weights = np.zeros(len(FEATURES))
    for _ in range(rounds):
        slope = 2 * pull * weights
        for table, share in zip(tables, wanted, strict=True):
            score = np.exp(table @ weights - (table @ weights).max())
            slope += table.T @ (score / score.sum() - share) / len(tables)
        weights -= rate * slope
    return [round(float(value), 2) for value in weights]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--elements", nargs="+", default=[TREE])
    parser.add_argument("--limit", type=int, default=0, help="so many steps at most, chosen by chance; 0: all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = {each: list(screens(options.data, each, options.limit, options.seed)) for each in options.elements}
    if options.fit:
        for name, weight in zip(FEATURES, fit([step for steps in found.values() for step in steps]), strict=True):
            print(f"{weight:7.2f}  {name}")
        return
    for source, steps in found.items():
        count = sum(len(step.elements) for step in steps) / max(1, len(steps))
        for line in measure(steps, options.seed):
            row = {"elements": source, **line, "steps": len(steps), "elements_per_screen": round(count, 1)}
            if options.json:
                print(json.dumps(row, ensure_ascii=False))
                continue
            cells = [f"{row[f'λ={at}']:6.1%}" for at in range(1, MOST + 1)] + [f"{row['all']:6.1%}"]
            print(f"{source:7} {row['language']:5} {row['order']:10} {row['of']:13} {' '.join(cells)}  n={row['n']}")


if __name__ == "__main__":
    main()
