"""How many steps of recorded episodes does a mini do rightly, told the task plainly? For models before and after GRPO.

saccade data collect phone --episodes 130 --option split=test --option pictures=no --option scale=1 --out runs/test
python benchmarks/step_accuracy.py --data runs/test --model mini/runs/sft --model mini/runs/grpo --limit 800
"""

from __future__ import annotations

import argparse
import random
import sys
import time

from saccade.errors import InputError
from saccade.models import Ask, Model, open_model
from saccade.scoring.profiles import MatchContext, get_profile
from saccade.train.recipe import Recipe, Variant
from saccade.train.rows import TrainingRow
from saccade.train.samples import read_rows
from saccade_mini.model import WEIGHTS
from saccade_mini.training.backbone import MiniBackbone, MiniOptions, load_tokenizer


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, help="step records, as saccade data collect phone writes them")
    parser.add_argument("--model", action="append", required=True, help="mini, or mini/PATH; may be given again")
    parser.add_argument("--paradigm", default="btl")
    parser.add_argument("--limit", type=int, default=800)
    given = parser.parse_args()
    variant = Variant(paradigm=given.paradigm, switches={"space": "phone"})
    recipe = Recipe(stage="grpo", data=(given.data,), variants=(variant,), elements="parsed", longest=1280)
    backbone = MiniBackbone(None, load_tokenizer(WEIGHTS / "tokenizer.json"), MiniOptions(restate=1))
    rows = list(read_rows(recipe, backbone).train)
    random.Random(0).shuffle(rows)
    found: list[list[bool]] = []
    for name in given.model:
        began, model = time.monotonic(), open_model(name)
        found.append([is_right(model, row) for row in rows[: given.limit]])
        share, seconds = sum(found[-1]) / len(found[-1]), time.monotonic() - began
        both = sum(one and not other for one, other in zip(found[-1], found[0], strict=True))
        lost = sum(other and not one for one, other in zip(found[-1], found[0], strict=True))
        against = f"against the first, {both} won and {lost} lost"
        print(f"{name}: {share:.1%} of {len(found[-1])} steps right; {against}; {seconds:.0f} s", flush=True)
    return 0


def is_right(model: Model, row: TrainingRow) -> bool:
    text = model.complete(row.messages, Ask(temperature=0, max_tokens=200))[0].text
    reply = row.paradigm.parse(text, row.step.view).reply
    action = reply.action if reply else None
    scene = MatchContext(row.step.screen, row.step.elements, False)
    return action is not None and bool(get_profile("cmgui").judge(action, row.step.truth, scene).right)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except InputError as error:
        print(f"step_accuracy: {error}", file=sys.stderr)
        sys.exit(2)
