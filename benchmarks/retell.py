"""The phone's tasks in words that no training reads, as a file for `wordings`.

python benchmarks/retell.py --split validation --tasks 60 --out fresh.json
saccade bench phone --model mini --option split=validation --option wordings=fresh.json --with scale=1 --limit 60

python benchmarks/retell.py --split train --seed 99 --tasks 1200 --held-back --out told.json
saccade data collect phone --episodes 1200 --player mini --paradigm guidnav --option wordings=told.json --out own
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from pathlib import Path

from saccade_mini.training.paraphrase import Ways, other_words, read_slots, slots_of, wordings
from saccade_phone.seeded_random import SPLITS, Language
from saccade_phone.session import Session
from saccade_phone.splits import episode
from saccade_phone.wordings import key_of

FRESH = Path(__file__).parent / "wordings.json"
"""Four wordings of each task and language that no training reads."""
Known = dict[tuple[str, int, str], list[str]]
"""Fresh wordings by template, side and language."""


def fresh_words(text: str, task: str, language: Language, chance: random.Random, known: Known) -> str:
    """A task in one of the fresh wordings of its side; in its own words where none fits."""
    if (read := read_slots(text, task, language)) is None:
        return text
    sides: list[Ways] = [each.ways(language) for each in wordings()[task]]
    able = [way for way in known.get((task, sides.index(read[0]), language), ()) if slots_of(way) <= read[1].keys()]
    return chance.choice(able).format(**read[1]) if able else text


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--split", choices=SPLITS, default="validation")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--tasks", type=int, default=60)
    parser.add_argument("--held-back", action="store_true", help="in held-back wordings instead of fresh ones")
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    listed = json.loads(FRESH.read_text(encoding="utf-8"))
    known: Known = {(each["task"], each["side"], tongue): each[tongue] for each in listed for tongue in ("en", "zh")}
    told: dict[str, str] = {}
    for at in range(given.tasks):
        task, seed, language, _, _ = episode(given.split, at, seed=given.seed)
        text, chance = Session.begin(task, seed, language, split=given.split).goal.instruction, random.Random(at)
        if given.held_back:
            said = other_words(text, task, language, chance, held=True)
        else:
            said = fresh_words(text, task, language, chance, known)
        if said != text:
            told[key_of(task, seed, language)] = said
    given.out.write_text(json.dumps(told, ensure_ascii=False, indent=1), encoding="utf-8")
    print(f"{len(told)} of {given.tasks} tasks in other words → {given.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
