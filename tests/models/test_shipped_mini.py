"""The mini that ships: it fits the package, needs no torch, and does what `make demo` shows."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from saccade.agents.run import start
from saccade.agents.settings import Settings
from saccade.models import Ask, open_model
from saccade.models.mini.card import read_card
from saccade.models.mini.model import WEIGHTS, MiniModel
from saccade.models.mini.text import SPECIAL, Sheet
from saccade.types import Message

ROOT = Path(__file__).parents[2]
DEMO = re.findall(r"--world (phone/\S+) --model mini --paradigm (\w+) --language (\w+) --seed (\d+)",
                  (ROOT / "Makefile").read_text(encoding="utf-8"))  # fmt: skip


def test_it_fits() -> None:
    assert sum(file.stat().st_size for file in WEIGHTS.iterdir()) < 64e6
    card, mini = read_card(WEIGHTS), open_model("mini")
    assert isinstance(mini, MiniModel)
    assert card.restates
    assert [mini.tokenizer.token_to_id(mark) for mark in SPECIAL] == list(range(len(SPECIAL)))


def test_it_needs_no_torch() -> None:
    """It opens and answers where torch cannot be imported."""
    code = """
import sys
sys.modules["torch"] = None
from saccade.models import open_model
from saccade.models.mini.text import Sheet
sheet = Sheet("btl", "en", parts=[("task", "Call Yusuf Demir")])
open_model("mini").restate(sheet)
print(dict(sheet.parts)["step"])
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "Call Yusuf Demir"


@pytest.mark.parametrize(
    ("language", "said", "plain"),
    [
        ("en", "Call Yusuf Demir", "Call Yusuf Demir"),
        ("en", "Count down 20 minutes", "Start a timer for 20 minutes"),
        ("zh", "把13812345678拉黑", "把号码13812345678加入黑名单"),
    ],
)
def test_it_puts_tasks_plainly(language: str, said: str, plain: str) -> None:
    mini = open_model("mini")
    assert isinstance(mini, MiniModel)
    sheet = Sheet("btl", language, parts=[("task", said)])
    assert mini.restate(sheet).calls >= 1
    assert dict(sheet.parts)["step"] == plain


def test_the_demo_is_in_both_languages() -> None:
    assert len(DEMO) == 3
    assert {language for _, _, language, _ in DEMO} == {"en", "zh"}
    assert len({paradigm for _, paradigm, _, _ in DEMO}) == 3


@pytest.mark.parametrize(("world", "paradigm", "language", "seed"), DEMO)
def test_it_does_what_the_demo_shows(world: str, paradigm: str, language: str, seed: str, tmp_path: Path) -> None:
    settings = Settings(
        world=world, paradigm=paradigm, model="mini", seed=int(seed), world_options={"language": language}
    )
    log = start(settings, tmp_path / "run")
    assert log.run.outcome is not None
    assert log.run.outcome.status == "success", log.run.outcome


def test_what_it_cannot_read_is_said() -> None:
    with pytest.raises(Exception, match="reads only its own template"):
        open_model("mini").complete([Message("user", ("Hello",))], Ask())
