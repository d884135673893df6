"""A data set of one's own in one file: how its folder is read, and how a model is measured on it.

    saccade data read DIR --plugin my_reader.py --as clicks --out records
    saccade bench clicks --plugin my_reader.py --data DIR --model openai/NAME --paradigm btl

The folder holds `clicks.csv` and the screenshots that it names:

    id,image,instruction,kind,area
    1,home.png,Open the clock,box,60 300 300 560
    2,home.png,The red part of the pie,polygon,500 500 700 520 610 700
    3,home.png,The fourth tab,none,

`kind` says what is right: a click into a box (left, top, right, bottom in pixels), a click into a polygon (corners one
after the other), or to refuse, because there is no such thing on the screen.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from saccade import Action, Box, Point, Step
from saccade.data.readers import Dataset, Sample
from saccade.geometry import inner_point

FILE = "clicks.csv"


class Clicks(Dataset):
    """One row a sample; each asks for a place."""

    name = "clicks"
    title = "Clicks of our own"
    layout = f"a folder with {FILE} (id, image, instruction, kind, area) and the screenshots"

    # What makes it a suite: the rule that says what is right, the actions that a model is told of, the table.
    profile = "screenspot"
    space = "phone"
    table = "grounding"

    @classmethod
    def recognises(cls, folder: Path) -> bool:
        return (folder / FILE).is_file()

    def samples(self) -> Iterator[Sample]:
        with (self.folder / FILE).open(encoding="utf-8", newline="") as file:
            for line, row in enumerate(csv.DictReader(file), 2):
                where = f"{self.folder / FILE}:{line}"
                try:
                    picture = self.picture(row["image"])
                    truth = right_action(row["kind"], [float(number) for number in row["area"].split()])
                except KeyError as error:
                    self.bad(where, f"the column {error} is missing")
                    continue
                except ValueError as error:  # with --keep-going such a row is left out and counted
                    self.bad(where, str(error))
                    continue
                assert picture.size is not None
                step = Step(
                    id=row["id"],
                    instruction=row["instruction"],
                    screen=picture.size,
                    image=row["image"],
                    truth=[truth],
                    tags={"task": "grounding", "kind": row["kind"]},
                )
                yield Sample(step, picture, where)


def right_action(kind: str, numbers: list[float]) -> Action:
    """What is right; `ValueError` with the column that is wrong."""
    if kind == "none":
        return Action("terminate", status="failure")  # a refusal
    if kind == "box" and len(numbers) == 4:
        return Action("click", Box(*numbers).center, box=Box(*numbers))
    if kind == "polygon" and len(numbers) >= 6 and len(numbers) % 2 == 0:
        corners = tuple(Point(x, y) for x, y in zip(numbers[::2], numbers[1::2], strict=True))
        return Action("click", inner_point(corners), polygon=corners)
    raise ValueError(f"area: {len(numbers)} numbers are no {kind}")


SACCADE = {"readers": {"clicks": Clicks}}
