"""A small run to review: three screens with three buttons each."""

from __future__ import annotations

from pathlib import Path

from PIL import Image, ImageDraw
from sqlalchemy import Engine

from saccade.actions import Action
from saccade.geometry import Box, Point, Size
from saccade.records import write_steps
from saccade.studio.database.engine import open_database
from saccade.studio.review.queue import add_items
from saccade.studio.review.sources import items_of
from saccade.types import Element, Step

SIZE = Size(400, 600)
NAMES = ("Alarm", "Clock", "Timer")
BOXES = tuple(Box(40, 60 + 160 * at, 360, 160 + 160 * at) for at in range(3))
INSTRUCTION = "Set an alarm <script>alert(1)</script>"


def sample_steps() -> list[Step]:
    """Three clicks; the second one misses."""
    elements = [Element(at + 1, box, "button", name) for at, (box, name) in enumerate(zip(BOXES, NAMES, strict=True))]
    points = (Point(200, 110), Point(390, 590), Point(200, 430))
    return [
        Step(
            id=f"run-{at}",
            episode="run",
            step=at,
            instruction=INSTRUCTION,
            screen=SIZE,
            image=f"screens/{at}.png",
            elements=elements,
            prediction=Action("click", point),
        )
        for at, point in enumerate(points)
    ]


def make_run(folder: Path) -> Path:
    """The run on disk."""
    run = folder / "run"
    (run / "screens").mkdir(parents=True)
    for step in sample_steps():
        picture = Image.new("RGB", SIZE, "white")
        draw = ImageDraw.Draw(picture)
        for element in step.elements:
            draw.rectangle(element.box, fill="lightblue")
            draw.text((element.box.x0 + 10, element.box.y0 + 10), f"{element.text} {step.step}", fill="black")
        picture.save(run / step.image)
    write_steps(run / "steps.jsonl", sample_steps())
    return run


def database(folder: Path) -> str:
    """The address of a database beside the run."""
    return f"sqlite:///{folder / 'studio.db'}"


def filled(folder: Path, *kinds: str, opinions: int = 1, address: str = "") -> Engine:
    """A database with the run as items of these kinds."""
    run = folder / "run" if (folder / "run").exists() else make_run(folder)
    engine = open_database(address or database(folder))
    for kind in kinds:
        add_items(engine, kind, items_of(kind, run, [folder.resolve()]), opinions)
    return engine
