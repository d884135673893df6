"""Small recordings to run agents on, without a browser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw

from saccade.actions import Action
from saccade.agents.log import RunLog
from saccade.agents.run import RunOverrides, start_run
from saccade.agents.settings import Settings
from saccade.geometry import Box, Point, Size
from saccade.models.scripted import ScriptedAnswer, ScriptedModel
from saccade.paradigms import Reply, get_paradigm
from saccade.records import write_steps
from saccade.types import Element, Screen, Step

SIZE = Size(308, 616)
COLOURS = ("white", "lightblue", "khaki", "pink", "palegreen", "lavender")
BUTTONS = [
    Element(1, Box(20, 100, 280, 160), "button", "Search", "opens the search"),
    Element(2, Box(20, 200, 280, 260), "button", "设置", "打开设置"),
    Element(3, Box(20, 300, 280, 360), "input", "", "a field to type into"),
    Element(4, Box(20, 400, 280, 460), "button", "Delete", "deletes everything"),
]
TAP = Action("click", Point(150, 130))
DONE = Action("terminate", status="success")


def record(folder: Path, truths: Sequence[Action], colours: Sequence[str] = COLOURS) -> Path:
    """A recording with a screen for each right action; screens of the same colour look the same."""
    (folder / "shots").mkdir(parents=True)
    steps = []
    for at, truth in enumerate(truths):
        image = Image.new("RGB", SIZE, colours[at % len(colours)])
        for button in BUTTONS:
            ImageDraw.Draw(image).rectangle(tuple(button.box), outline="black")
        image.save(folder / f"shots/{at}.png")
        boxed = Action(truth.type, truth.point, BUTTONS[0].box) if truth == TAP else truth
        steps.append(
            Step(
                id=f"s{at}",
                episode="e",
                step=at,
                instruction="Look for hats",
                screen=SIZE,
                truth=[boxed],
                image=f"shots/{at}.png",
                elements=BUTTONS,
                key_elements=BUTTONS[:1],
            )
        )
    write_steps(folder / "steps.jsonl", steps)
    return folder


def say(
    paradigm: str, action: Action, think: str = "because", summary: str = "", plan: str = "", **switches: Any
) -> str:
    """An answer in a paradigm's own format, places as a default model writes them."""
    from saccade.models.families import VisionSettings  # noqa: PLC0415

    form = get_paradigm(paradigm, **switches)
    form = get_paradigm(paradigm, frame=VisionSettings.of("scripted", form.pixels).frame, **switches)
    reply = Reply(action, tuple(BUTTONS[:1]), think, plan, summary)
    return form.render(reply, Screen(SIZE, None, BUTTONS))


def run(
    tmp_path: Path,
    answers: Sequence[ScriptedAnswer],
    truths: Sequence[Action] = (TAP,) * 6,
    colours: Sequence[str] = COLOURS,
    others: Mapping[str, Sequence[ScriptedAnswer]] | None = None,
    **settings: Any,
) -> tuple[RunLog, ScriptedModel]:
    """A scripted run on a recording; the log, and the model with all it was asked."""
    folder = tmp_path / "recording"
    if not folder.exists():
        record(folder, truths, colours)
    model = ScriptedModel(answers, "scripted", **(others or {}))
    made = Settings(world=f"replay:{folder}", model="scripted", **settings)
    return start_run(made, tmp_path / f"run{len(list(tmp_path.iterdir()))}", RunOverrides(model=model)), model
