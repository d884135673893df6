"""Episodes as they are taught."""

from saccade.actions import Action
from saccade.geometry import Box, Size
from saccade.paradigms import get_paradigm
from saccade.types import Element, Step
from saccade_mini.training.episode_cleanup import by_name, unrepeated
from saccade_mini.training.restating import restating

ICON = Element(3, Box(10, 10, 60, 60), "button", "Chat")
HOME, PAGE, INSIDE = (
    [Element(at, Box(0, 0, 90, 90), "text", text), ICON] for at, text in ((1, "A"), (2, "B"), (4, "C"))
)
OPEN, TAP = Action("open_app", text="Chat"), Action("click", ICON.center, box=ICON.box)
TURN, SCROLL = Action("swipe", direction="left"), Action("swipe", direction="up")


def step(at: int, done: Action, *truth: Action, elements: list[Element] = HOME, task: str = "Pin the chat") -> Step:
    return Step(instruction=task, screen=Size(360, 800), step=at, prediction=done, truth=list(truth), elements=elements,
                key_elements=[ICON, elements[0]], thought="first to the home screen")  # fmt: skip


def test_an_app_is_opened_by_name_and_the_way_to_its_icon_left_out() -> None:
    told = by_name([step(0, TURN, OPEN, TURN), step(1, TAP, OPEN, TAP, elements=PAGE), step(2, SCROLL, SCROLL)])
    assert [each.step for each in told] == [0, 2]
    assert told[0].prediction == OPEN
    assert told[0].truth == [OPEN]
    assert told[0].key_elements == [ICON], "nothing else is looked at"
    assert told[0].thought == "The task needs Chat, so I open it."
    assert told[1].thought == "first to the home screen", "other steps stay"


def test_what_went_wrong_on_the_way_stays() -> None:
    told = by_name([step(0, SCROLL, OPEN, TURN), step(1, TAP, OPEN, TAP, task="置顶会话")])
    assert [each.prediction for each in told] == [SCROLL, OPEN]
    assert [each.truth for each in told] == [[OPEN], [OPEN]]
    assert told[1].thought == "任务要用到Chat，去打开它。"


def test_each_app_is_opened() -> None:
    other = Action("open_app", text="Notes")
    told = by_name(
        [step(0, TAP, OPEN, TAP), step(1, TAP, other, TAP), step(2, SCROLL, SCROLL), step(3, TAP, OPEN, TAP)]
    )
    assert [each.prediction for each in told] == [OPEN, other, SCROLL, OPEN]


def test_what_is_done_again_and_again_is_taught_a_few_times() -> None:
    played = [step(at, SCROLL, TAP) for at in range(9)] + [step(9, SCROLL, TAP, elements=PAGE), step(10, TAP, TAP)]
    assert [each.step for each in unrepeated(played)] == [0, 1, 2, 3, 9, 10]


def test_the_same_on_other_screens_is_no_repetition() -> None:
    played = [step(at, SCROLL, TAP, elements=PAGE if at % 2 else HOME) for at in range(8)]
    assert unrepeated(played) == played


def test_where_little_was_noted_nothing_counts_as_repeated() -> None:
    """Recordings of screenshots have no elements, and demonstrations may not say what was done beside what is right."""
    bare = [step(at, SCROLL, SCROLL, elements=[ICON]) for at in range(8)]
    for each in bare:
        each.elements = []
    assert unrepeated(bare) == bare
    shown = [step(at, SCROLL, SCROLL) for at in range(8)]
    for each in shown:
        each.prediction = None
    assert unrepeated(shown) == shown


def test_slots_are_to_be_filled_and_wordings_of_other_tasks_are_not() -> None:
    told = step(0, TAP, TAP, task="Call Ada Moss")
    told.tags.update(task="contacts.call", language="en")
    rows = [each for at in range(20) for each in restating(told, get_paradigm("btl"), 40, f"seed {at}")]
    kinds: dict[str, list[str]] = {"own": [], "other": [], "none": []}
    for row in rows:
        lines = row.messages[0].text.split("\n")
        given = lines[2].removeprefix("step: ") if len(lines) > 2 else ""
        kinds["own" if given == "Call {name}" else "other" if given else "none"].append(row.answer)
    assert all(answer.startswith("Call ") for answer in kinds["own"])
    assert set(kinds["other"]) == {""}
    assert any(answer.startswith("Call ") for answer in kinds["none"])
    assert len(kinds["own"]) > len(kinds["other"]) > 0
