"""How many of the phone's tasks does a mini put plainly, in exactly the words of its training?

python benchmarks/restate.py --split test --tasks 130
python benchmarks/restate.py --split validation --tasks 60 --model mini/runs/mini --wrong 20
python benchmarks/restate.py --split validation --tasks 300 --held-back
python benchmarks/restate.py --fresh
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

from rich.progress import track

from saccade.models import open_model
from saccade_mini.codec import Sheet
from saccade_mini.model import MiniModel
from saccade_mini.slots import SLOT
from saccade_mini.training.paraphrase import other_words, read_slots, wordings
from saccade_phone.seeded_random import Language, Split
from saccade_phone.session import Session
from saccade_phone.splits import episode
from saccade_phone.tasks.base import Params

SAY = Params.say
FRESH = Path(__file__).parent / "wordings.json"
"""Four wordings of each task and language, written by people who saw neither those of the training nor of the test."""
SEEDS = range(500_000, 500_006)


class Said(NamedTuple):
    """A task as it is told, and as it should be put."""

    text: str
    wanted: str
    language: Language


def plainest(params: Params, en: Sequence[str], zh: Sequence[str]) -> str:
    """The first wording, after the same draws of chance."""
    SAY(params, en, zh)
    return params.t(en, zh)[0]


def told(split: Split, count: int, held_back: bool) -> Iterator[Said]:
    """Tasks of a split, in its own words or in held-back ones."""
    for at in range(count):
        task, seed, language, _, _ = episode(split, at, group="seen")
        text = Session.begin(task, seed, language, split=split).goal.instruction
        with patch.object(Params, "say", plainest):
            wanted = Session.begin(task, seed, language, split=split).goal.instruction
        if held_back:
            text = other_words(text, task, language, random.Random(at), held=True)
        yield Said(text, wanted, language)


def fresh() -> Iterator[Said]:
    """Each of the fresh wordings, about what some task of the validation split speaks of."""
    languages: tuple[Language, ...] = ("en", "zh")
    for at, each in enumerate(json.loads(FRESH.read_text(encoding="utf-8"))):
        for language in languages:
            ways = wordings()[each["task"]][each["side"]].ways(language)
            said = (Session.begin(each["task"], seed, language, split="validation").goal.instruction for seed in SEEDS)
            read = (read_slots(text, each["task"], language) for text in said)
            named = set(SLOT.findall(ways.known[0]))
            slots = [found[1] for found in read if found is not None and found[0] == ways and named <= {*found[1]}]
            chance = random.Random(at)
            for way in each[language] if slots else ():
                filled = chance.choice(slots)
                yield Said(way.format(**filled), ways.known[0].format(**filled), language)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="mini")
    parser.add_argument("--split", choices=("validation", "test"), default="test")
    parser.add_argument("--tasks", type=int, default=130)
    parser.add_argument("--wrong", type=int, default=0, help="show so many that went wrong")
    parser.add_argument("--held-back", action="store_true", help="say them in wordings that no training reads")
    parser.add_argument("--fresh", action="store_true", help="all of wordings.json instead")
    given = parser.parse_args()
    mini = open_model(given.model)
    if not isinstance(mini, MiniModel):
        parser.error(f"{given.model} is no mini")
    asked = list(fresh() if given.fresh else told(given.split, given.tasks, given.held_back))
    right = shown = 0
    for text, wanted, language in track(asked, "putting tasks plainly", transient=True):
        sheet = Sheet("btl", language, parts=[("task", text)])
        mini.restate(sheet)
        put = sheet.part("step")
        right += put == wanted
        if put != wanted and shown < given.wrong:
            shown += 1
            print(f"{text}\n  put:    {put}\n  wanted: {wanted}")
    what = "fresh wordings" if given.fresh else f"split {given.split}"
    print(f"{given.model}, {what}: {right} of {len(asked)} put plainly")
    return 0


if __name__ == "__main__":
    sys.exit(main())
