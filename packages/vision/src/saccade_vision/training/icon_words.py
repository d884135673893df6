"""How pages of the sandbox phone call their icon buttons, by the icons' meanings: a table for agents that know pages.

    python -m saccade_vision.training.icon_words --screens 400 --out packages/mini/src/saccade_mini/icon_names.json

An agent that learned from page trees knows "New contact" and "Search settings", where a picture shows a plus sign and a
lens. Screens of all apps but the held-out ones are shown; each button without text is named by
`IconNamer` and counted with the name that the page gives it. The table has, for each meaning in each language as the
parser writes it, the page's names, the most frequent first, without those seen less than twice.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from saccade.geometry import Size
from saccade.worlds.base import InfrastructureError, Observation
from saccade_phone.screenshots import browser, picture
from saccade_vision.icons import IconNamer
from saccade_vision.parser import SQUARE
from saccade_vision.phone_conventions import names_by_place
from saccade_vision.training.collect_phone import VALIDATION_APP, PhoneScreens, screen_sets

LARGEST = 0.3
"""An icon button is at most so large, as a share of the screen's width."""
LEAST = 2
MOST_NAMES = 12


def named_icons(seen: Observation, namer: IconNamer, language: str) -> Iterator[tuple[str, str]]:
    """The meaning and the page's name of each button that shows an icon only."""
    image = np.asarray(picture(seen.screen.picture))
    buttons = [
        each
        for each in seen.screen.elements
        if each.interactive
        and each.type == "button"  # what is beside a box to tick is no name of the tick
        and each.caption
        and each.text == each.caption
        and max(each.box.width, each.box.height)
        <= min(SQUARE * min(each.box.width, each.box.height), LARGEST * image.shape[1])
    ]
    boxes = [each.box for each in buttons]
    named = list(zip(boxes, namer.name(image, boxes), strict=True)) if boxes else []
    for button, meaning in zip(buttons, names_by_place(Size(image.shape[1], image.shape[0]), named, ()), strict=True):
        if meaning is not None:
            yield (meaning.zh if language == "zh" else meaning.en), button.text


def collect(screens: int, seed: int) -> dict[str, dict[str, list[str]]]:
    namer = IconNamer(threads=1)
    counts: dict[str, dict[str, Counter[str]]] = {"en": defaultdict(Counter), "zh": defaultdict(Counter)}
    shown = number = 0
    with browser() as engine:
        trained = screen_sets()["train"]
        source = PhoneScreens(engine, replace(trained, apps=trained.apps | {VALIDATION_APP}), seed)
        while shown < screens:
            number += 1
            try:
                for world, seen in source.phone(number):
                    language = world.session.state["language"]
                    if source.shows_allowed_app(world):
                        shown += 1
                        for meaning, name in named_icons(seen, namer, language):
                            counts[language][meaning][name] += 1
            except InfrastructureError as error:
                sys.stderr.write(f"phone {number}: {error}\n")
            sys.stderr.write(f"\r{shown}/{screens} screens ")
        source.close()
    return {
        language: {meaning: _frequent(names) for meaning, names in sorted(table.items()) if _frequent(names)}
        for language, table in counts.items()
    }


def _frequent(names: Counter[str]) -> list[str]:
    return [name for name, count in names.most_common(MOST_NAMES) if count >= LEAST]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--screens", type=int, default=400)
    parser.add_argument("--seed", type=int, default=7)
    given = parser.parse_args()
    table = collect(given.screens, given.seed)
    given.out.write_text(json.dumps(table, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
