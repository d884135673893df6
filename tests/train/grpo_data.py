"""Data for GRPO, a model that can be taught it by heart, and readers of what a run leaves."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw

from saccade.actions import Action
from saccade.geometry import Box, Point, Size
from saccade.records import write_steps
from saccade.train.backbone import open_backbone
from saccade.train.recipe import Grpo, Recipe
from saccade.types import Element, Step
from tiny_vl import make_tiny

SCREEN = Size(90, 180)
NAMES = ("Save", "Open")
SHORT = "=== user ===\n{{ instruction }}\n{{ image }}\n"
"""A prompt of the user's own: a short one is quick."""
PHRASES = (
    "<blink>\n<element><id>",
    "</id><bbox>[",
    "]</bbox>",
    "<caption>dynamic</caption></element>\n</blink>\n",
    "<think>It is there.</think>\n",
    '<link>{"Plan": "tapped \\"',
    '\\"", "Action": {"function": "Tap", "position": [',
    "]}}</link>",
)
"""Parts of the right answers in the words of BTL-UI."""


def screenshot(file: Path, name: str, at: int) -> None:
    image = Image.new("RGB", SCREEN, "white")
    draw = ImageDraw.Draw(image)
    draw.rectangle((10, at, 80, at + 30), fill="navy")
    draw.text((30, at + 8), name, fill="white")
    image.save(file)


def record(number: int, image: str = "") -> Step:
    name, at = NAMES[number % 2], 30 + 80 * (number % 2)
    button = Element(1, Box(10, at, 80, at + 30), "button", name)
    return Step(
        id=f"s{number}",
        episode=f"e{number}",
        instruction=f"Tap {name}.",
        screen=SCREEN,
        image=image,
        elements=[button],
        key_elements=[button],
        truth=[Action("click", Point(45, at + 15), button.box)],
        thought="It is there.",
    )


@dataclass
class World:
    """Records on disk, and a model that knows their answers by heart, more or less."""

    data: Path
    model: Path

    def recipe(self, **changes: Any) -> Recipe:
        grpo = Grpo(**{"generations": 4, "temperature": 1.3, "longest": 50} | changes.pop("grpo", {}))
        usual: dict[str, Any] = {"batch": 1, "accumulate": 2, "steps": 2, "learning_rate": 1e-3, "warmup": 0.0}
        usual |= {"schedule": "constant", "model": str(self.model), "data": (str(self.data),), "checkpointing": False}
        usual["switches"] = {"template": str(self.data.with_name("short.j2"))}
        return Recipe(stage="grpo", grpo=grpo, **usual | changes)


def learn(recipe: Recipe, out: Path, steps: int = 35) -> None:
    """Answers by heart, in a second: what a random model says is never right, and gives nothing to compare."""
    import torch  # noqa: PLC0415

    from saccade.train.samples import read_rows  # noqa: PLC0415

    backbone = open_backbone(recipe)
    rows = read_rows(recipe, backbone).train
    batch = backbone.collate([backbone.encode(row.messages, row.answer) for row in rows])
    optimizer = torch.optim.AdamW(backbone.model.parameters(), lr=7e-3)
    for _ in range(steps):
        loss = backbone.model(**batch).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    assert loss.item() < 0.3, loss.item()
    backbone.save(out)


def random_world(folder: Path) -> World:
    """Two records with pictures, and a model with random weights."""
    for number in range(2):
        screenshot(folder / f"{number}.png", NAMES[number], 30 + 80 * number)
    write_steps(folder / "steps.jsonl", [record(number, f"{number}.png") for number in range(2)])
    (folder / "short.j2").write_text(SHORT, encoding="utf-8")
    return World(folder / "steps.jsonl", make_tiny(folder / "random", phrases=PHRASES))


def taught_world(folder: Path) -> World:
    """Two records with pictures, and a model that knows their answers, more or less."""
    found = random_world(folder)
    learn(found.recipe(), folder / "taught")
    return World(found.data, folder / "taught")


def weights(folder: Path) -> dict[str, Any]:
    from safetensors.torch import load_file  # noqa: PLC0415

    return {name: value for file in folder.glob("*.safetensors") for name, value in load_file(file).items()}


def changed(before: Path, after: Path) -> set[str]:
    old, new = weights(before), weights(after)
    assert old.keys() == new.keys()
    return {name for name in old if not old[name].equal(new[name])}


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def group_advantages(world: World, out: Path, rewards: list[float], **grpo: Any) -> list[float]:
    """The advantages that the trainer gives the answers to one row, if these are their rewards."""
    from saccade.train.grpo import make_trainer  # noqa: PLC0415
    from saccade.train.rewards import CompletionScorer  # noqa: PLC0415
    from saccade.train.samples import read_rows  # noqa: PLC0415
    from saccade.train.training_session import TrainingSession  # noqa: PLC0415

    recipe = world.recipe(accumulate=1, grpo={"generations": len(rewards), "longest": 2} | grpo)
    backbone = open_backbone(recipe)
    rows, session = read_rows(recipe, backbone), TrainingSession(recipe, out, quiet=True)
    trainer = make_trainer(recipe, out, backbone, rows, CompletionScorer({}, {"btl"}), session)
    usual, given = trainer.scorer.score, iter(rewards)
    trainer.scorer.score = lambda *asked: usual(*asked)._replace(total=next(given))
    trainer.model.train()
    found: list[float] = trainer._generate_and_score_completions([{"row": 0}] * len(rewards))["advantages"].tolist()
    return found
