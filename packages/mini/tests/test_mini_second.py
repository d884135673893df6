"""Second thoughts: nothing is tried thrice on the same screen, and what is typed is what the task tells."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from random_mini import make_random_mini

from saccade.models import Ask
from saccade.types import Message
from saccade_mini.codec import Sheet
from saccade_mini.decode import chooser
from saccade_mini.model import MiniModel
from saccade_mini.retry_policy import Attempts, Did, Doubts, Tried, action_of, screen_of, typed_as_told

SCREEN = '#1 button "Save" [500, 120] [400, 100, 600, 140]\n#2 button "Back" [50, 950] [0, 900, 100, 1000]\n'
LATER = f"@btl en\ntask: Call Ann\ndone: tapped Save\n{SCREEN}"


@pytest.mark.parametrize(
    ("answer", "action"),
    [
        ('<link>{"Plan": "x", "Action": {"function": "Click", "position": [5, 6]}}</link>',
         "Click [5, 6]"),
        ('[{"action": "open_app", "point": [-100, -100], "input_text": "Chat"}]', "open_app Chat"),
        ('{"action_type": "open_app", "text": "Chat"}', "open_app Chat"),
        ('{"Action": {"function": "Swipe", "direction": "up", "position": [500, 719]}}', "swipe up"),
        ('{"Action": {"function": "Swipe", "direction": "up"}}', "swipe up"),
        ('[{"action": "scroll", "point": [1, 2], "input_text": "down"}]', "swipe up"),
        ('{"arguments": {"action": "swipe", "coordinate": [500, 800], "coordinate2": [510, 200]}}', "swipe up"),
        ('{"arguments": {"action": "swipe", "coordinate": [100, 500], "coordinate2": [900, 510]}}', "swipe right"),
        ('{"arguments": {"action": "swipe", "coordinate": "here"}}', '{"action": "swipe", "coordinate": "here"}'),
        ('{"action": "swipe", broken}', '{"action": "swipe", broken}'),
        ("I do nothing.", ""),
    ],
)  # fmt: skip
def test_what_an_answer_does(answer: str, action: str) -> None:
    assert action_of(answer) == action


def test_what_was_done_twice_is_enough_until_the_task_begins_anew() -> None:
    tried, sheet = Tried(), Sheet.read(LATER)
    tried.begin(sheet)
    tried.add(sheet, "tap", [])
    assert not tried.enough(sheet, "tap")
    tried.begin(sheet)
    tried.add(sheet, "tap", [])
    assert tried.enough(sheet, "tap") and not tried.enough(sheet, "swipe up")
    other = Sheet.read(LATER.replace('"Save"', '"Saved"'))
    tried.begin(other)
    assert not tried.enough(other, "tap")
    tried.begin(sheet)
    assert tried.enough(sheet, "tap")
    tried.begin(Sheet.read(LATER.replace("done: tapped Save\n", "")))  # nothing was done yet: another attempt
    assert not tried.enough(sheet, "tap")
    tried.add(sheet, "tap", [])
    tried.begin(Sheet.read(LATER.replace("Ann", "Ben")))
    tried.add(sheet, "tap", [])
    assert not tried.enough(sheet, "tap")


def test_other_answers_begin_where_it_was_most_in_doubt() -> None:
    doubts = Doubts(chooser(0.0, 1.0, None))
    for logits in ([5.0, 1.0, 0.0], [0.0, 3.0, 2.9], [-np.inf, -np.inf, 1.0], [2.0, 0.0, 1.0]):
        doubts(np.array([logits], dtype=np.float32))
    assert doubts.tokens == [0, 1, 2, 0]
    found = list(doubts.others(end=9, most=5))
    begun = [tokens for _, tokens in found]
    assert begun == [[0, 2], [0, 1, 2, 2], [1]], "where there was no choice, there is no other"
    assert found[0][0] == pytest.approx(np.exp(2.9) / (1 + np.exp(2.9) + np.exp(3.0)))
    assert [tokens for _, tokens in doubts.others(end=2, most=5)] == [[1]]
    assert [tokens for _, tokens in doubts.others(end=9, most=1)] == [[0, 2]]


def test_asked_again_on_the_same_screen_it_does_something_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With random weights no answer can be read, so what counts as the action is its first word."""
    mini = MiniModel(make_random_mini(tmp_path / "mini"))
    monkeypatch.setattr("saccade_mini.alternatives.action_of", lambda text: text[:6])
    ask, asked = Ask(max_tokens=12), [Message("user", (LATER,))]
    first, second, third = (mini.complete(asked, ask)[0] for _ in range(3))
    assert first.text == second.text and second.usage.calls == 1
    assert third.usage.calls > 1 and third.usage.input > first.usage.input
    drawn = [mini.complete(asked, Ask(max_tokens=12, temperature=0.5, seed=3))[0] for _ in range(2)]
    assert drawn[0].text == drawn[1].text, "what is drawn is drawn: chance gives other answers already"
    fresh = [Message("user", (LATER.replace("done: tapped Save\n", ""),))]
    one, _, three = (mini.complete(fresh, ask)[0] for _ in range(3))
    assert one.text == three.text and three.usage.calls == 1, "a first step has no past"


@pytest.mark.parametrize(
    ("said", "typed"),
    [
        ('{"function": "Type", "text": "柠檬全麦"}', "柠檬小院"),
        ('{"action": "type", "text": "74"}', "blue-anchor-74"),
        ('[{"action": "type", "point": [-100, -100], "input_text": "blue-anchor"}]', "blue-anchor-74"),
        ('{"action": "type", "text": "柠檬小院"}', "柠檬小院"),
        ('{"action": "type", "text": "2025-08-28"}', "2025-08-28"),
        ('{"action": "open_app", "text": "柠檬"}', "柠檬"),
        ('{"action": "answer", "text": "74"}', '"74"'),
    ],
)
def test_what_is_typed_is_what_the_task_tells(said: str, typed: str) -> None:
    mended = typed_as_told(said, ["柠檬小院", "blue-anchor-74", "x"])
    assert typed in mended
    assert mended.count('"') == said.count('"')
    assert typed_as_told(said, ()) == said


def test_where_an_attempt_was_most_in_doubt() -> None:
    first, later = (Sheet("btl", "en", parts=[("task", "Call Ann"), *more]) for more in ([], [("done", "tapped")]))
    later.items = [*Sheet.read('@btl en\n#1 button "Save" [5, 6] [0, 0, 9, 9]').items]
    tried = Tried()
    assert tried.doubt is None
    for doubt, sheet, action in ((0.1, first, "open"), (0.4, later, "tap")):
        tried.begin(sheet)
        tried.add(sheet, action, [], doubt)
    assert tried.doubt == (0.4, (screen_of(later), "tap"))
    tried.begin(first)
    assert tried.doubt is None and not tried.enough(later, "tap"), "nobody said that it failed"
    tried.barred = frozenset({(screen_of(later), "tap")})
    assert tried.enough(later, "tap") and not tried.enough(first, "open")


def test_after_a_failure_the_likeliest_way_is_next_that_was_not_tried() -> None:
    open_mail, tap, none = (1, "open Mail"), (2, "tap"), frozenset[Did]()
    attempts = Attempts()
    assert attempts.now == (1.0, 0, none)
    assert attempts.reflect((0.3, tap), 0.5) == (0.5, 1, none), "the task may mean something else"
    assert attempts.reflect((0.9, open_mail), 0.1) == (0.45, 1, frozenset({open_mail})), (
        "as it was understood last, another way"
    )
    assert attempts.reflect((0.1, tap), 0.1) == (0.3, 0, frozenset({tap})), "back to what it seemed to mean"
    assert attempts.reflect(None, 0.5) == (0.1, 2, none)
    assert attempts.reflect(None, 0.0).barred == {open_mail, tap}
    assert attempts.reflect(None, 0.0) == attempts.now, "nothing else comes to mind"
