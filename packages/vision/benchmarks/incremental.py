"""Measures the incremental parser: its time, and whether it finds what a full parse finds.

    python packages/vision/benchmarks/incremental.py                     # a short run
    python packages/vision/benchmarks/incremental.py --episodes 40       # the figures of docs/VISION.md

The oracle does tasks of the sandbox phone (1080×2400, both languages; apps music and travel by default, which no
training data has) and scrolls up and down on the way. Each screen is parsed in full and incrementally. An element of
the full parse is found again if the incremental parse has one of the same type and text whose box has an IoU of at
least 0.7; the share counts elements of both sides. Times are CPU seconds of one thread (`time.process_time`).
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from phone_screens import parse_all, pixels, tasks_of

from saccade.actions import Action
from saccade.types import Element, Language
from saccade.worlds import open_world
from saccade.worlds.base import World
from saccade_vision.incremental import IncrementalParser
from saccade_vision.parser import Parser, open_parser
from saccade_vision.text import TextReader
from saccade_vision.types import Image

LOCAL = 0.15
"""A change of less than this share of the screen is local."""
SAME_BOX = 0.7
SCROLLS = (Action("swipe", direction="up"), Action("swipe", direction="up"), Action("swipe", direction="down"))


@dataclass
class ChangeTally:
    """Counts and times of one kind of change."""

    full: list[float] = field(default_factory=list)
    incremental: list[float] = field(default_factory=list)
    read: list[float] = field(default_factory=list)
    same: int = 0
    elements: int = 0


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--episodes", type=int, default=6)
    options.add_argument("--apps", default="music,travel", help="tasks that need one of these apps")
    options.add_argument("--scale", type=float, default=3.0, help="3 gives 1080×2400")
    given = options.parse_args()
    full = open_parser(threads=1)
    reader = TextReader(threads=1)
    incremental = IncrementalParser(Parser(reader, full.widgets, full.icons))
    tallies: dict[str, ChangeTally] = defaultdict(ChangeTally)
    for language, screens in episodes(given.episodes, given.apps.split(","), given.scale):
        incremental.reset()
        reader.memory.clear()
        before: Image | None = None
        for image, scrolled in screens:
            tally = tallies[kind_of(before, image, scrolled)]
            expected, spent = timed(lambda: parse_all(full, image, language))  # noqa: B023
            tally.full.append(spent)
            asked, known = reader.memory.asked, reader.memory.known
            found, spent = timed(lambda: incremental.parse(image, language))  # noqa: B023
            tally.incremental.append(spent)
            asked, known = reader.memory.asked - asked, reader.memory.known - known
            tally.read.append(1 - known / asked if asked else 0.0)
            tally.same += 2 * matches(expected, found)
            tally.elements += len(expected) + len(found)
            before = image
    report(tallies)


def episodes(count: int, apps: Sequence[str], scale: float) -> Iterator[tuple[Language, list[tuple[Image, bool]]]]:
    """The screens of tasks that the oracle does, with some scrolling; for each, whether it was scrolled to."""
    names = tasks_of(apps)
    for at in range(count):
        language: Language = "zh" if at % 2 else "en"
        name = names[at * 7 % len(names)]
        with open_world(f"phone/{name}", language=language, scale=scale) as world:
            yield language, list(screens_of(world, at))


def screens_of(world: World, seed: int) -> Iterator[tuple[Image, bool]]:
    seen = world.reset(seed)
    teacher = world.teacher()
    assert teacher is not None
    for step in range(12):
        yield pixels(seen), False
        for scroll in SCROLLS if step % 3 == 1 else ():
            seen = world.act(scroll)
            yield pixels(seen), True
        lesson = teacher.teach(seen)
        if seen.done or lesson.lost or not lesson.truth or lesson.truth[0].type in ("terminate", "answer"):
            return
        seen = world.act(lesson.truth[0])


def kind_of(before: Image | None, after: Image, scrolled: bool) -> str:
    if before is None:
        return "first"
    changed = float((before != after).any(axis=2).mean())
    if changed == 0:
        return "nothing changed"
    if scrolled:
        return "scrolled"
    return "local change" if changed < LOCAL else "other screen"


def timed(work: Callable[[], list[Element]]) -> tuple[list[Element], float]:
    began = time.process_time()
    return work(), time.process_time() - began


def matches(full: Sequence[Element], found: Sequence[Element]) -> int:
    """How many elements both have."""
    left = list(found)
    count = 0
    for element in full:
        for other in left:
            alike = (other.type, other.text, other.caption) == (element.type, element.text, element.caption)
            if alike and (other.box == element.box or other.box.iou(element.box) >= SAME_BOX):
                left.remove(other)
                count += 1
                break
    return count


def report(tallies: dict[str, ChangeTally]) -> None:
    print(f"{'change':16} {'screens':>7} {'full':>6} {'mean':>6} {'p95':>6} {'read':>6} {'same elements':>22}")
    for kind, tally in sorted(tallies.items()):
        slow = float(np.quantile(tally.incremental, 0.95))
        share = tally.same / tally.elements if tally.elements else 1.0
        full, partly = statistics.fmean(tally.full), statistics.fmean(tally.incremental)
        print(
            f"{kind:16} {len(tally.full):7} {full:6.2f} {partly:6.2f} {slow:6.2f} {statistics.fmean(tally.read):6.0%}"
            f" {tally.same:9} of {tally.elements} {share:7.2%}"
        )


if __name__ == "__main__":
    main()
