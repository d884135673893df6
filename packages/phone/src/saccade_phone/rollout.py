"""Play tasks without a browser: does the oracle finish them, and are wrong outcomes rejected?

python -m saccade_phone.rollout clock --seeds 30
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
import traceback

from saccade_phone.session import Session, roll_out
from saccade_phone.tasks import tasks
from saccade_phone.wrong import wrong_outcomes


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("app", nargs="*", help="apps or whole task names; all without one")
    options.add_argument("--seeds", type=int, default=10)
    options.add_argument("--trace", action="store_true", help="print every move")
    given = options.parse_args()
    names = [name for name in tasks() if not given.app or name in given.app or name.partition(".")[0] in given.app]
    bad = 0
    for name in names:
        steps: list[int] = []
        began = time.perf_counter()
        for seed in range(given.seeds):
            for language in ("en", "zh"):
                for split in ("train", "test"):
                    bad += not check(name, seed, language, split, steps, given.trace)
        took = 1000 * (time.perf_counter() - began) / max(sum(steps), 1)
        told = f"{statistics.median(steps):.0f} steps ({min(steps)}–{max(steps)}), {took:.0f} ms/step" if steps else "–"
        sys.stdout.write(f"{name}: {told}\n")
    sys.stdout.write(f"{len(names)} tasks, {bad} bad\n")
    return 1 if bad else 0


def check(name: str, seed: int, language: str, split: str, steps: list[int], trace: bool) -> bool:
    where = f"{name} seed {seed} {language} {split}"
    try:
        session = Session.begin(name, seed, language, split=split)  # type: ignore[arg-type]
        outcome = roll_out(session)
        steps.append(len(outcome.moves))
        if trace:
            sys.stdout.write(f"{where}: {session.goal.instruction}\n")
            for move in outcome.moves:
                sys.stdout.write(f"    {move.kind} {move.id} {move.text}\n")
        if not outcome.success or len(outcome.moves) > 16:
            why = outcome.lost or f"{len(outcome.moves)} moves, success={outcome.success}"
            sys.stdout.write(f"FAIL {where}: {session.goal.instruction!r}: {why}\n")
            for move in outcome.moves[:18]:
                sys.stdout.write(f"    {move.kind} {move.id} {move.text}\n")
            return False
        passed = [what for what, accepted in wrong_outcomes(session, outcome) if accepted]
        for what in passed:
            sys.stdout.write(f"ACCEPTS A WRONG OUTCOME {where}: {what}\n")
        return not passed
    except Exception:  # noqa: BLE001  (whatever an app raises is to be seen here)
        sys.stdout.write(f"ERROR {where}\n{traceback.format_exc()}\n")
        return False


if __name__ == "__main__":
    sys.exit(main())
