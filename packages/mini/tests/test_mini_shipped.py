"""The mini that ships: it fits the package, needs no torch, and does what `make demo` shows."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from saccade.actions import Action
from saccade.agents.guidance import Case
from saccade.agents.run import start_run
from saccade.agents.settings import Settings
from saccade.agents.trained_reward import TrainedReward, open_beside
from saccade.geometry import Box, Size
from saccade.models import Ask, open_model
from saccade.paradigms.base import Candidate
from saccade.paradigms.guidnav import GuidNav
from saccade.types import Element, Message, Screen
from saccade.worlds.base import Observation
from saccade_mini.card import read_card
from saccade_mini.codec import SPECIAL, Sheet
from saccade_mini.model import WEIGHTS, MiniModel

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
from saccade_mini.codec import Sheet
sheet = Sheet("btl", "en", parts=[("task", "Call Yusuf Demir")])
open_model("mini").restate(sheet)
print(sheet.part("step"))
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
    assert sheet.part("step") == plain


def test_the_demo_is_in_both_languages() -> None:
    assert len(DEMO) == 3
    assert {language for _, _, language, _ in DEMO} == {"en", "zh"}
    assert len({paradigm for _, paradigm, _, _ in DEMO}) == 3


@pytest.mark.parametrize(("world", "paradigm", "language", "seed"), DEMO)
def test_it_does_what_the_demo_shows(world: str, paradigm: str, language: str, seed: str, tmp_path: Path) -> None:
    settings = Settings(
        world=world, paradigm=paradigm, model="mini", seed=int(seed), world_options={"language": language}
    )
    log = start_run(settings, tmp_path / "run")
    assert log.run.outcome is not None
    assert log.run.outcome.status == "success", log.run.outcome


def test_what_it_cannot_read_is_said() -> None:
    with pytest.raises(Exception, match="reads only its own template"):
        open_model("mini").complete([Message("user", ("Hello",))], Ask())


GUIDED = """@guidnav en k{k}
task: Call Yusuf Demir
done: open the app Contacts
#1 text "Contacts" [500, 60] [100, 40, 900, 80]
#2 button "Search contacts" [500, 130] [50, 110, 950, 150]
#3 list-item "Yusuf Demir" [500, 300] [0, 270, 1000, 330]
#4 list-item "Yusuf Brandt" [500, 360] [0, 330, 1000, 390]
#5 scroll "" [500, 500] [0, 160, 1000, 900]
"""


def test_candidates_do_different_things_the_likeliest_first() -> None:
    screen = Screen(Size(1000, 1000), elements=[
        Element(id=at, box=Box(0, 100 * at, 1000, 100 * at + 60), text=f"row {at}", type="button") for at in range(1, 6)
    ])  # fmt: skip
    guidnav = GuidNav(k=3)

    def asked(k: int) -> list[Candidate]:
        text = MiniModel(WEIGHTS).complete([Message("user", (GUIDED.format(k=k),))], Ask())[0].text
        parsed = guidnav.parse(text, screen)
        assert not parsed.problem, parsed
        return list(parsed.reply.candidates)

    (alone,), three, four = asked(1), asked(3), asked(4)
    assert [len(three), len(four)] == [3, 4], "it was taught no prompt that asks for four"
    assert len({str(each.action) for each in four}) == 4
    assert three[0].action == four[0].action == alone.action
    assert three[0].action.point == (500, 330), "the element with the task's name"
    assert all(three[0].probability > each.probability > 0 for each in three[1:])
    assert sum(each.probability for each in three) == pytest.approx(1, abs=0.02)


def test_what_was_twice_the_first_candidate_is_none_any_more() -> None:
    mini, asked = MiniModel(WEIGHTS), [Message("user", (GUIDED.format(k=3),))]
    once, twice, thrice = (mini.complete(asked, Ask())[0].text for _ in range(3))
    first = once.partition("\n")[0]
    assert once == twice and first.startswith("G1: ") and first not in thrice


# -- its reward model ------------------------------------------------------------------------------------------------

PHONE = Size(1080, 2400)
HOME = [
    Element(id=at, box=Box(48 + 249 * (at % 4), 318, 285 + 249 * (at % 4), 608), text=name, type="button")
    for at, name in enumerate(("Mail", "Clock", "Contacts", "Files"))
]
LISTED = [Element(id=at, box=Box(0, 400 + 160 * at, 1080, 560 + 160 * at), text=name, type="list-item")
          for at, name in enumerate(("Ann Berg", "Ben Cole", "Dora Falk"))]  # fmt: skip


def judged(task: str, elements: list[Element], past: str, actions: list[Action], mini: MiniModel | None = None
           ) -> list[float]:  # fmt: skip
    screen = Screen(PHONE, None, elements)
    return TrainedReward.open("mini", policy=mini).scores(Case(task, past, screen, Observation(screen)), actions)


@pytest.mark.parametrize(
    ("task", "right"),
    [("Call Ann Berg", "Contacts"), ("Wake me at 16:50 once", "Clock"), ("Start a timer for 20 minutes", "Clock")],
)
def test_its_reward_model_knows_which_app_a_task_needs(task: str, right: str) -> None:
    names = [each.text for each in HOME]
    scores = judged(task, HOME, "", [Action("open_app", text=name) for name in names])
    assert names[scores.index(max(scores))] == right
    assert max(scores) > 0.7 and sorted(scores)[-2] < 0.3


def test_its_reward_model_knows_who_is_meant_and_what_comes_too_soon() -> None:
    taps = [Action("click", each.center) for each in LISTED]
    scores = judged("Call Ben Cole", LISTED, "opened the app Contacts", [*taps, Action("terminate", status="success")])
    assert scores[1] > 0.7 and max(scores[:1] + scores[2:]) < 0.3, scores


def test_its_reward_model_is_told_what_the_policy_takes_a_task_for() -> None:
    """Which may change while it acts. No second mini reads the task once more for that."""
    mini, before = MiniModel(WEIGHTS), open_beside.cache_info()

    def understood() -> str:
        mini.understand(sheet := Sheet("guidnav", "en", parts=[("task", "Call Yusuf Demir")]))
        return sheet.part("step")

    mini.complete([Message("user", (GUIDED.format(k=1),))], Ask())
    assert understood() == "Call Yusuf Demir"
    tap = [Action("click", LISTED[0].center)]
    (first,) = judged("Call Yusuf Demir", LISTED, "", tap, mini)
    mini._acting._attempts.reread(1.0)
    assert understood() == mini._plainly.text(1) != "Call Yusuf Demir"
    assert judged("Call Yusuf Demir", LISTED, "", tap, mini) != [first]
    assert open_beside.cache_info() == before
