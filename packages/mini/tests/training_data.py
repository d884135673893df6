"""Small recorded episodes, and a mini far smaller than the real one, for tests of training."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from saccade.actions import Action
from saccade.geometry import Box, Point, Size
from saccade.records import write_steps
from saccade.train.recipe import Recipe
from saccade.types import Element, Step
from saccade_mini.card import TOKENIZER, Card
from saccade_mini.model import WEIGHTS
from saccade_mini.training.backbone import VOCABULARY, MiniBackbone, load_tokenizer
from saccade_mini.training.onnx_weights import config_of

SIZE = Size(360, 800)
NAMES = ("Ada Moss", "Ben Ode", "Cy Webb", "Di Park")


def screen(at: int = 0) -> list[Element]:
    boxes = [Box(0, 100.0 * place, 360, 100.0 * place + 80) for place in range(1, 5)]
    named = enumerate(zip(boxes, NAMES[at:] + NAMES[:at], strict=True), 1)
    buttons = [Element(place, box, "button", name) for place, (box, name) in named]
    return [Element(0, Box(0, 0, 360, 760), "scroll", "", interactive=False), *buttons]


def call(at: int = 0) -> list[Step]:
    """A task of the phone: scroll, touch who is called, done."""
    name, elements = NAMES[at % len(NAMES)], screen(at % 3)
    target = next(each for each in elements if each.text == name)
    truths = [
        Action("swipe", direction="up", start=Point(180, 500), end=Point(180, 200)),
        Action("click", target.center, box=target.box),
        Action("terminate", status="success"),
    ]
    told: dict[str, Any] = {"episode": f"c{at}", "instruction": f"Call {name}", "screen": SIZE, "elements": elements}
    told |= {"key_elements": [target], "thought": "So be it.", "tags": {"task": "contacts.call", "language": "en"}}
    return [
        Step(id=f"c{at}-{number}", step=number, truth=[truth], prediction=truth, **told)
        for number, truth in enumerate(truths)
    ]


def write_calls(folder: Path, count: int = 4) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    write_steps(folder / "steps.jsonl", [step for at in range(count) for step in call(at)])
    return folder


def small_mini(folder: Path) -> Path:
    """Two narrow layers with random weights and the shipped tokenizer."""
    import torch  # noqa: PLC0415
    from transformers import Qwen3ForCausalLM  # noqa: PLC0415

    sizes = {"vocabulary": VOCABULARY, "layers": 2, "width": 64, "heads": 2, "key_heads": 2, "head_size": 32}
    config = config_of(Card(**sizes, inner=128, positions=2048))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        MiniBackbone(Qwen3ForCausalLM(config), load_tokenizer(WEIGHTS / TOKENIZER)).save(folder)
    return folder


def learn(recipe: Recipe, out: Path, steps: int = 70) -> Path:
    """Teach a small mini the recipe's rows by heart, in a few seconds: what a random one says is never right."""
    import torch  # noqa: PLC0415

    from saccade.train.backbone import open_backbone  # noqa: PLC0415
    from saccade.train.samples import read_rows  # noqa: PLC0415

    backbone: Any = open_backbone(recipe)
    rows = read_rows(recipe, backbone).train
    batch = backbone.collate_answers([backbone.encode(row.messages, row.answer) for row in rows])
    targets = batch.pop("targets").flatten()
    optimizer = torch.optim.AdamW(backbone.model.parameters(), lr=7e-3)
    for _ in range(steps):
        loss = torch.nn.functional.cross_entropy(backbone.model(**batch).logits.flatten(0, 1), targets)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    assert loss.item() < 0.5, loss.item()
    backbone.save(out)
    return out
