"""Are the places that the oracle taps among the parsed elements? Measures the parser as an agent needs it.

    python packages/vision/benchmarks/targets.py --seeds 2

The oracle does every task of some apps of the sandbox phone (1080×2400; by default music and travel, which no training
data has) in both languages. At each step whose right action has a place, the screen is parsed in full: the target is
found if the centre of a parsed element lies in the target's true box, and found as interactive if that element is said
to be interactive. Times are CPU seconds of one thread for a whole parse (`time.process_time`).
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterator

import numpy as np
from phone_screens import parse_all, pixels, tasks_of
from rich.progress import track

from saccade.actions import Action
from saccade.bench.figures import wilson
from saccade.types import Element, Language
from saccade.worlds import open_world
from saccade.worlds.base import Observation, World
from saccade_vision.parser import open_parser

LONGEST = 25
LANGUAGES: tuple[Language, Language] = ("en", "zh")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--apps", default="music,travel", help="tasks of these apps")
    options.add_argument("--seeds", type=int, default=1)
    options.add_argument("--tasks", type=int, default=0, help="at most so many task templates")
    options.add_argument("--misses", action="store_true", help="tell each target that is missed")
    given = options.parse_args()
    parser = open_parser(threads=1)
    counts: Counter[str] = Counter()
    times: list[float] = []
    names = tasks_of(given.apps.split(","))[: given.tasks or None]
    runs = [(name, seed, language) for name in names for seed in range(given.seeds) for language in LANGUAGES]
    for name, seed, language in track(runs, "episodes"):
        with open_world(f"phone/{name}", language=language, scale=3.0) as world:
            for seen, action in steps(world, seed):
                image = pixels(seen)
                began = time.process_time()
                elements = parse_all(parser, image, language)
                times.append(time.process_time() - began)
                hit = [each for each in elements if inside(each, action)]
                counts["steps"] += 1
                counts["found"] += bool(hit)
                counts["interactive"] += any(each.interactive for each in hit)
                if not hit and given.misses:
                    print(name, seed, language, action)
    for what in ("found", "interactive"):
        figure = wilson(counts[what], counts["steps"])
        print(f"{what}: {figure.value:.1%} [{figure.low:.1%}, {figure.high:.1%}] of {figure.n}")
    print(f"a whole parse: mean {np.mean(times):.2f} CPU-s, p95 {np.quantile(times, 0.95):.2f}, {len(times)} screens")


def steps(world: World, seed: int) -> Iterator[tuple[Observation, Action]]:
    """The screens on the oracle's way at which it taps something, with the right action."""
    seen = world.reset(seed)
    teacher = world.teacher()
    assert teacher is not None
    for _ in range(LONGEST):
        lesson = teacher.teach(seen)
        if seen.done or lesson.lost or not lesson.truth or lesson.truth[0].type in ("terminate", "answer"):
            return
        if lesson.truth[0].point is not None:
            yield seen, lesson.truth[0]
        seen = world.act(lesson.truth[0])


def inside(element: Element, action: Action) -> bool:
    """Is the element's centre in the true box? Without a box, does the element hold the point?"""
    if action.box is not None:
        return action.box.contains(element.center)
    return action.point is not None and element.box.contains(action.point)


if __name__ == "__main__":
    main()
