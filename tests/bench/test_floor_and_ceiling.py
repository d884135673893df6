"""Every suite of recordings with a blind model, with one that answers at random, and with the truth itself: the first
is marked, the second near chance, the third at 100 %.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from saccade.actions import Action
from saccade.agents.settings import Settings
from saccade.bench.figures import load_measurement, main_figure
from saccade.bench.runner import BenchRequest, measure
from saccade.bench.suites import Suite, suites
from saccade.bench.tables import table_of
from saccade.errors import InputError
from saccade.geometry import Box, Size
from saccade.models.base import Ask, Completion, Model, Usage
from saccade.paradigms import Reply, get_paradigm
from saccade.records import write_steps
from saccade.scoring.profiles import get_profile
from saccade.types import Element, Message, Screen, Step

SIZE = Size(1000, 2000)
RECORDED = [suite for suite in suites() if suite.kind == "static"]


class Blind(Model):
    """Taps the middle of a screen that it is not shown."""

    def __init__(self, paradigm: str) -> None:
        self.name = "blind"
        centre = Action("click", Box(0, 0, *SIZE).center)
        element = Element(1, Box(0, 0, *SIZE), caption="the middle")
        self.text = get_paradigm(paradigm).render(Reply(centre, (element,), "so", "tap", "none"), Screen(SIZE))

    def complete(self, messages: Sequence[Message], ask: Ask) -> list[Completion]:
        return [Completion(self.text, Usage(10, 5, 0, 1))] * ask.n


def paradigm_of(suite: Suite) -> str:
    return "uiloop" if suite.table == "comprehension" else "secagent"


def recording(folder: Path, suite: Suite) -> Path:
    """24 episodes of one step: small targets at random places, and other actions where the suite has them."""
    folder.mkdir()
    chance, grounding = random.Random(suite.name), "grounding" in suite.space
    steps = []
    for at in range(24):
        x, y = chance.uniform(0, 940), chance.uniform(0, 1940)
        element = Element(1, Box(x, y, x + 60, y + 60), "button", f"Item {at}", f"opens item number {at}")
        actions = [Action("click", element.center, element.box), Action("type", text=f"words {at}")]
        actions.append(Action("swipe", direction=chance.choice(["up", "down"])))
        step = Step(
            id=f"s{at}",
            episode="" if grounding else f"e{at}",
            screen=SIZE,
            instruction=f"Do number {at}",
            truth=[actions[0] if grounding else actions[at % 3]],
            elements=[element],
            key_elements=[element],
            tags={"task": "grounding", "kind": "icon"} if grounding else {"source": "general"},
        )
        steps.append(step)
    write_steps(folder / "steps.jsonl", steps)
    return folder


def measured(out: Path, data: Path, suite: Suite, model: str) -> float:
    """The main figure of the suite."""
    chosen = dataclasses.replace(suite, datasets=("steps",), options={})
    settings = Settings(world="data", model=model, paradigm=paradigm_of(suite))
    blind = Blind(settings.paradigm) if model == "blind" else None
    request = BenchRequest(chosen, settings, out, data, model=blind)
    if blind is not None:
        with pytest.raises(InputError, match="--blind"):
            measure(request)
    measure(dataclasses.replace(request, blind=blind is not None))
    _, figure = main_figure(suite, load_measurement(out)[1], get_profile(suite.profile))
    assert figure is not None
    return figure.value


@pytest.mark.parametrize("suite", RECORDED, ids=lambda suite: suite.name)
def test_blind_random_and_truth(tmp_path: Path, suite: Suite) -> None:
    data = recording(tmp_path / "data", suite)
    assert measured(tmp_path / "truth", data, suite, "oracle") == 1
    # A target is 0.2 % of the screen; elsewhere one in nine actions is of the right type, and one in four swipes right.
    assert measured(tmp_path / "random", data, suite, "random") < (0.05 if suite.space == "grounding" else 0.25)
    assert measured(tmp_path / "blind", data, suite, "blind") < 0.25
    for name in ("truth", "random", "blind"):
        tables = table_of(*load_measurement(tmp_path / name))
        assert all(table.title.endswith(", blind") == (name == "blind") for table in tables)
        assert tables[0].rows[0].label.endswith(", blind") == (name == "blind")
