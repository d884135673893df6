"""Measures how many completions per second the BTL reward scores on one core, with 5 and 20 boxes on each side.
CPU time is counted, so that other programs on the machine change little.

Run: python benchmarks/reward.py
"""

from __future__ import annotations

import random
import time
from typing import Any

from saccade.actions import Action
from saccade.geometry import Box, Point, Size
from saccade.paradigms.base import Reply
from saccade.paradigms.btl import BTL
from saccade.scoring.rewards.btl import BTLReward
from saccade.types import Element, Screen

SIZE = Size(1080, 2400)
GOALS = {5: 15_000, 20: 7_000}


def batch(boxes: int, count: int, dialect: str) -> tuple[list[str], dict[str, Any]]:
    """Completions whose boxes are near the annotated ones, in another order; a quarter have unrelated boxes."""
    rng = random.Random(boxes)
    paradigm = BTL(dialect=dialect)  # type: ignore[arg-type]
    completions, truth, key = [], [], []
    for _ in range(count):
        annotated = [random_box(rng) for _ in range(boxes)]
        shaken = [Box(*(v + rng.randint(-12, 12) for v in box)) for box in annotated]
        if rng.random() < 0.25:
            shaken = [random_box(rng) for _ in range(boxes)]
        rng.shuffle(shaken)
        target = annotated[0]
        x, y = (target.x0 + target.x1) // 2, (target.y0 + target.y1) // 2
        reply = Reply(
            Action("click", Point(x + rng.randint(-60, 60), y)),
            tuple(Element(i, box) for i, box in enumerate(shaken, 1)),
            "the second entry leads to the settings, so that is where to go " * 4,
            "open the settings",
        )
        completions.append(paradigm.render(reply, Screen(SIZE)))
        truth.append([{"type": "click", "point": [x, y], "box": list(target)}])
        key.append([{"id": i, "box": list(box), "type": "button"} for i, box in enumerate(annotated, 1)])
    return completions, {"truth": truth, "screen": [list(SIZE)] * count, "key_elements": key}


def random_box(rng: random.Random) -> Box:
    x, y = rng.randint(0, 900), rng.randint(0, 2200)
    return Box(x, y, x + rng.randint(40, 180), y + rng.randint(40, 180))


def rate(boxes: int, dialect: str, count: int = 2000, rounds: int = 5) -> float:
    completions, columns = batch(boxes, count, dialect)
    reward = BTLReward(paradigm=BTL(max_elements=boxes))
    best = float("inf")
    for _ in range(rounds):
        start = time.process_time()
        reward(completions, **columns)
        best = min(best, time.process_time() - start)
    return count / best


def main() -> None:
    for boxes, goal in GOALS.items():
        for dialect in ("xml", "json"):
            measured = rate(boxes, dialect)
            verdict = "ok" if measured >= goal else "BELOW THE GOAL"
            print(
                f"BTL reward, {boxes:2d} boxes a side, {dialect:4s}: {measured:9,.0f} completions/s "
                f"(goal {goal:,}) {verdict}"
            )


if __name__ == "__main__":
    main()
