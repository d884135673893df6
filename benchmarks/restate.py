"""How many of the phone's tasks does a mini put plainly, in exactly the words of its training?

python benchmarks/restate.py --split test --tasks 130
python benchmarks/restate.py --split validation --tasks 60 --model mini/runs/mini --wrong 20
python benchmarks/restate.py --split validation --tasks 300 --held-back
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Sequence
from unittest.mock import patch

from saccade.models import open_model
from saccade.models.mini.model import MiniModel
from saccade.models.mini.text import Sheet
from saccade.train.paraphrase import other_words
from saccade.worlds.phone.session import Session
from saccade.worlds.phone.splits import episode
from saccade.worlds.phone.tasks.base import Params

SAY = Params.say


def plainest(params: Params, en: Sequence[str], zh: Sequence[str]) -> str:
    """The first wording, after the same draws of chance."""
    SAY(params, en, zh)
    return params.t(en, zh)[0]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="mini")
    parser.add_argument("--split", choices=("validation", "test"), default="test")
    parser.add_argument("--tasks", type=int, default=130)
    parser.add_argument("--wrong", type=int, default=0, help="show so many that went wrong")
    parser.add_argument("--held-back", action="store_true", help="say them in wordings that no training reads")
    given = parser.parse_args()
    mini = open_model(given.model)
    if not isinstance(mini, MiniModel):
        parser.error(f"{given.model} is no mini")
    right = shown = 0
    for at in range(given.tasks):
        task, seed, language, _, _ = episode(given.split, at, group="seen")
        said = Session.begin(task, seed, language, split=given.split).goal.instruction
        with patch.object(Params, "say", plainest):
            wanted = Session.begin(task, seed, language, split=given.split).goal.instruction
        if given.held_back:
            said = other_words(said, task, language, random.Random(at), held=True)
        sheet = Sheet("btl", language, parts=[("task", said)])
        mini.restate(sheet)
        put = dict(sheet.parts).get("step", "")
        right += put == wanted
        if put != wanted and shown < given.wrong:
            shown += 1
            print(f"{said}\n  put:    {put}\n  wanted: {wanted}")
    print(f"{given.model}, split {given.split}: {right} of {given.tasks} put plainly")
    return 0


if __name__ == "__main__":
    sys.exit(main())
