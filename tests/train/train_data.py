"""Small data for trainings: a few steps on drawn screens, with everything a paradigm may ask for, as PNG files."""

from __future__ import annotations

from pathlib import Path

from PIL import Image, ImageDraw

from saccade.actions import Action
from saccade.geometry import Box, Point, Size
from saccade.records import write_steps
from saccade.train.recipe import Recipe
from saccade.train.recipe_files import load_recipe
from saccade.types import Element, Step

SIZE = Size(112, 196)
TINY_QWEN3 = {
    "vocab_size": 40,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "num_key_value_heads": 2,
    "head_dim": 16,
    "pad_token_id": 0,
    "eos_token_id": 1,
    "bos_token_id": None,
    "initializer_range": 0.3,
}
"""A text model that is large enough to compute with."""
ROWS = ("Wi-Fi", "Bluetooth", "Display", "Sound")
TASKS = {"en": "Turn on Bluetooth and go back", "zh": "打开蓝牙然后返回"}


def elements() -> list[Element]:
    heading = Element(0, Box(4, 4, 108, 24), "heading", "Settings", "the page's heading", interactive=False)
    found = [heading]
    for at, text in enumerate(ROWS, 1):
        top = 32 + 40 * (at - 1)
        found.append(Element(at, Box(4, top, 108, top + 32), "button", text, f"opens {text}"))
    return found


def draw(file: Path, scrolled: int) -> None:
    """A screen on which every step looks different."""
    image = Image.new("RGB", SIZE, (240, 240, 250 - 20 * scrolled))
    pen = ImageDraw.Draw(image)
    for element in elements():
        pen.rectangle(element.box, outline=(30, 60, 40 * scrolled), width=2)
        pen.text((element.box.x0 + 6, element.box.y0 + 6), element.text, fill=(0, 0, 0))
    file.parent.mkdir(parents=True, exist_ok=True)
    image.save(file)


def episode(name: str, language: str = "en") -> list[Step]:
    """Scroll, touch, done: each with thought, key elements and a screenshot's name."""
    found = elements()
    target = found[2]
    truths = [
        Action("swipe", direction="up", start=Point(56, 150), end=Point(56, 50)),
        Action("click", target.center, box=target.box),
        Action("terminate", status="success"),
    ]
    return [
        Step(
            id=f"{name}-{at}",
            episode=name,
            step=at,
            instruction=TASKS[language],
            screen=SIZE,
            image=f"screens/{at}.png",
            elements=found,
            key_elements=[target, found[1]] if at < 2 else [],
            truth=[truth],
            thought=("Bluetooth is further down.", "Here it is.", "All is done.")[at],
        )
        for at, truth in enumerate(truths)
    ]


def bare(name: str) -> list[Step]:
    """A recording as public data sets have them: no thought, no elements, swipes by their direction alone."""
    truths = [Action("swipe", direction="up"), Action("wait"), Action("click", Point(50, 90))]
    return [
        Step(
            id=f"{name}-{at}",
            episode=name,
            step=at,
            instruction="Find Bluetooth",
            screen=SIZE,
            step_instruction="look further down",
            image=f"screens/{at}.png",
            truth=[truth],
        )
        for at, truth in enumerate(truths)
    ]


def grounding(id: str) -> Step:
    """A place is asked for."""
    box = elements()[3].box
    truth = Action("click", Point(box.x0 + 1, box.y0 + 1), box=box)
    return Step(
        id=id,
        instruction="Display settings",
        screen=SIZE,
        image="screens/0.png",
        truth=[truth],
        tags={"task": "grounding"},
    )


def write_data(folder: Path, episodes: int = 4, steps: list[Step] | None = None) -> Path:
    """A file of step records with its screenshots; every second episode is in Chinese."""
    for at in range(3):
        draw(folder / "screens" / f"{at}.png", at)
    if steps is None:
        names = [(f"e{at}", "zh" if at % 2 else "en") for at in range(episodes)]
        steps = [step for name, language in names for step in episode(name, language)]
    write_steps(folder / "steps.jsonl", steps)
    return folder / "steps.jsonl"


RECIPE = """\
stage: sft
paradigm: secagent
switches: {space: phone}
pixels: [3136, 25088]
learning_rate: 1.0e-3
warmup: 0.0
batch: 2
steps: 4
save_every: 3
longest: 3000
checkpointing: false
"""


def recipe(folder: Path, model: Path, data: Path, text: str = RECIPE, **changes: object) -> Recipe:
    """A recipe in a file of its own, as a user would write it."""
    file = folder / "recipe.yaml"
    folder.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return load_recipe(str(file), model=str(model), data=[str(data)], **changes)
