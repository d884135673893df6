"""What the mini that ships does on a screen: in which app, with which words, and which candidates it has."""

from __future__ import annotations

import re
import time
from collections.abc import Collection
from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import pytest

from saccade.models import Ask
from saccade.models.base import Usage
from saccade.types import Message
from saccade_mini.alternatives import Mulling, Thought, joined
from saccade_mini.codec import Sheet
from saccade_mini.controller import Acting, as_app, named_apps
from saccade_mini.generator import Writer, Written
from saccade_mini.model import WEIGHTS, MiniModel
from saccade_mini.next_action_model import Routine, Scene
from saccade_mini.retry_policy import action_of, app_in, typed_in
from saccade_mini.task_habits import Deed
from saccade_mini.task_normalizer import Plainly, Told

HOME = """@btl en
task: {task}
#1 text "09:30" [90, 18] [44, 6, 136, 29]
#2 button "Music" [154, 191] [44, 132, 264, 250]
#3 button "Shop" [385, 191] [275, 132, 494, 250]
#4 button "Chat" [615, 191] [506, 132, 725, 250]
#5 button "Back" [211, 970] [88, 940, 333, 1000]
#6 button "Home" [500, 970] [377, 940, 622, 1000]
"""
MESSAGE = """@btl en
task: Tell Ann in Chat: {body}
done: tapped "Message"
#1 heading "Ann" [500, 60] [100, 40, 900, 80]
#2 field focused "Message" [400, 900] [50, 880, 800, 920]
"""
TYPED = """<blink>
<element><id>1</id><bbox>[50, 880, 800, 920]</bbox><caption>dynamic</caption></element>
</blink>
<think>"Message" has the focus; I type "{text}".</think>
<link>{{"Plan": "type \\"{text}\\"", "Action": {{"function": "Type", "text": "{text}"}}}}</link>"""


@pytest.fixture(scope="module")
def writer() -> Writer:
    return Writer(WEIGHTS, "mini", 2)


def mull(writer: Writer, prompt: str, told: Told) -> Mulling:
    return Mulling(writer, told, Sheet.read(prompt), Ask(), time.monotonic())


@pytest.mark.parametrize(
    ("task", "apps"),
    [
        ("Find “Thaw” in the music app", ["Music"]),
        ("Ask in Chat what the Shop sells", ["Shop", "Chat"]),
        ("Find “Thaw”", []),
        ("Find “Thaw” and come back home", []),
        ("Delete the note “Music for the chat”", []),
    ],
)
def test_apps_that_a_task_names(task: str, apps: list[str]) -> None:
    assert named_apps(Sheet.read(HOME.format(task=task))) == apps


def test_it_opens_the_app_that_the_task_names_or_needs(writer: Writer) -> None:
    """It was never taught an app of that name."""
    prompt = HOME.format(task="Find the record “Thaw” in the music app")
    named, mulling = Acting(writer, Plainly(writer, None)).one(Sheet.read(prompt), Ask(), time.monotonic())
    assert app_in(named.text) == "Music"
    assert mulling.told.apps == ["Music"]
    needed = mull(writer, prompt, Told(apps=["Radio"]))
    assert app_in(next(needed.thoughts()).text) == "Radio"


def test_a_task_of_an_app_that_it_does_not_know_is_none_that_it_knows() -> None:
    """“Mark as a favourite” reads like what shops and contacts have."""
    task = "That track called “Thaw” is lovely, so mark it as one of my favourites in the music app"
    mini, ask = MiniModel(WEIGHTS), Ask()
    sheet = Sheet.read(HOME.format(task=task))
    mini.restate(sheet)
    assert sheet.part("step"), "it is taken for a known one"
    asked = [Message("user", (HOME.format(task=task),))]
    assert app_in(mini.complete(asked, ask)[0].text) == "Music"
    again = Sheet.read(HOME.format(task=task))
    mini.restate(again)
    assert not again.part("step")
    resumed = HOME.format(task="Call Ann").replace("#1", "done: pressed home\n#1", 1)
    mini.complete([Message("user", (resumed,))], ask)
    assert not mini._acting._strange, "what another task named is no matter here"
    known = Sheet.read(HOME.format(task="Buy “Thaw” in the Shop"))
    mini.restate(known)
    assert (
        app_in(mini.complete([Message("user", (HOME.format(task="Buy “Thaw” in the Shop"),))], ask)[0].text) != "Music"
    )


@pytest.mark.parametrize(
    ("said", "typed"),
    [
        ("brkw zzt qoo", "I will be late"),
        ("Ann", "Ann"),  # stands there
        ("I will be late", "I will be late"),
    ],
)
def test_a_text_that_stands_nowhere_gives_way_to_what_is_told(writer: Writer, said: str, typed: str) -> None:
    mulling = mull(writer, MESSAGE.format(body="I will be late"), Told(slots={"name": "Ann", "body": "I will be late"}))
    answer = TYPED.format(text=said).replace('\\"', "“", 1).replace('\\"', "”", 1)
    tokens = writer.encode(mulling.sheet.compress(answer).removesuffix("<end>"))
    prompt = writer.prompt(mulling.sheet)
    thought = mulling._thought(prompt, Written(tokens, len(tokens), whole=True), 1.0)
    assert typed_in(thought.text) == typed
    assert thought.text.count(typed) >= 3, "in the thought and in the plan too"


@pytest.mark.parametrize(
    ("name", "task", "meant"),
    [
        ("Music", "Play “Thaw” in Music", True), ("Music", "I am tired of that music, choose another", False),
        ("音乐", "在音乐里播放“融化”", True), ("音乐", "打开音乐应用", True),
        ("Music", "Mark it in the music app", True), ("音乐", "来电时响的那段音乐都听腻了", False),
        ("地图", "用地图查路线", True),
    ],
)  # fmt: skip
def test_an_app_and_what_it_is_called_after(name: str, task: str, meant: bool) -> None:
    assert as_app(name, task) == meant


def test_what_is_to_be_typed_is_typed_letter_for_letter(writer: Writer) -> None:
    told = Told(slots={"name": "Ann", "noted": "XK-7741-Q", "odd": 'a "b"'})
    mulling = mull(writer, MESSAGE.format(body="the code"), told)
    thought = mulling.aimed("type =noted")
    assert thought is not None
    assert typed_in(thought.text) == "XK-7741-Q"
    assert mulling.aimed("type =odd") is None, "no format can say that plainly"
    assert mulling.aimed("type =gone") is None


def test_candidates_in_one_answer() -> None:
    one, two = (
        Thought(f'G1: {each}. So the next one action is:{{"action_type": "{each}"}}\nP1: 1', each, chance, True)
        for each, chance in (("enter", 1.0), ("back", 0.004))
    )
    assert joined([one, two]).splitlines() == [
        'G1: enter. So the next one action is:{"action_type": "enter"}', "P1: 0.99",
        'G2: back. So the next one action is:{"action_type": "back"}', "P2: 0.01",
    ]  # fmt: skip
    assert joined([one, Thought("nonsense", "", 0.1, True)]) == ""


class Fixed:
    """A routine that says what it is told to."""

    def __init__(self, **chances: float) -> None:
        self.told = {name.replace("_", " "): chance for name, chance in chances.items()}

    def chances(self, scene: Scene, known: Collection[str]) -> dict[str, float]:
        return self.told


@pytest.mark.parametrize(
    ("chances", "function"),
    [
        ({"open_Shop": 0.9, "touch_Back": 0.1}, "Open"),
        ({"open_Shop": 0.001, "touch_Back": 0.99}, "Tap"),
        ({"open_Shop": 0.2, "touch_Back": 0.8}, "Open"),  # it may be
        ({"open_Shop": 0.001, "touch_Back": 0.3}, "Open"),  # nobody is sure
        ({"open_Shop": 0.001, "touch_Send": 0.99}, "Open"),  # it is not there
    ],
)
def test_what_is_usual_takes_the_place_of_what_is_hardly_ever_done(chances: dict[str, float], function: str) -> None:
    mini = MiniModel(WEIGHTS)
    assert mini.reader is not None
    mini.reader.routine = cast(Routine, Fixed(**chances))
    prompt = HOME.format(task="Remove Trail mix nuts from my shopping cart")
    assert f'"function": "{function}"' in mini.complete([Message("user", (prompt,))], Ask())[0].text


def test_candidates_are_what_such_tasks_may_do() -> None:
    mini = MiniModel(WEIGHTS)
    assert mini.reader is not None
    mini.reader.routine = cast(Routine, Fixed(open_Shop=0.7, touch_Back=0.2, press_back=0.09, swipe_left=0.01))
    prompt = HOME.format(task="Remove Trail mix nuts from my shopping cart").replace("@btl en", "@guidnav en k3")
    text = mini.complete([Message("user", (prompt,))], Ask())[0].text
    verbs = re.findall(r'"action_type": "(\w+)"', text)
    assert verbs == ["open_app", "click", "navigate_back"]


def test_an_attempt_that_failed_is_not_repeated() -> None:
    mini, asked = MiniModel(WEIGHTS), [Message("user", (HOME.format(task="Call Ann"),))]
    first = mini.complete(asked, Ask())[0].text
    assert mini.complete(asked, Ask())[0].text == first
    assert mini.complete(asked, Ask(purpose="reflect"))[0].text.startswith("I ")
    assert action_of(mini.complete(asked, Ask())[0].text) != action_of(first)


def test_a_task_that_was_misread_is_read_otherwise() -> None:
    said = "13028084538是南宫雁的号码，单位极地航运，请建一个联系人"
    mini = MiniModel(WEIGHTS)

    def plain(at: int) -> str:
        sheet = Sheet("btl", "zh", parts=[("task", said)])
        mini.restate(sheet)
        assert sheet.part("step") == mini._plainly.read(sheet, 0).part("step")
        return mini._plainly.read(sheet, at).part("step")

    first = plain(0)
    assert "" != first != plain(1) != ""
    assert mini._plainly.chance(0) == 1.0 > mini._plainly.chance(1) > 0.01
    assert plain(99) == "", "nothing is left"
    known = Sheet("btl", "en", parts=[("task", "Call Ann")])
    mini.restate(known)
    assert known.part("step") == "Call Ann"
    assert plain(0) == first, "another task came between"
    other = Sheet("btl", "en", parts=[("task", "Call Ann"), ("step", "Call Ann now")])
    mini.restate(other)
    assert mini._plainly.chance(0) == 0.0
    assert mini._plainly.read(other, 1).part("step") == "Call Ann now", "it was told, and stays"


class Readings:
    """A task of which three readings are known. Nothing else is."""

    routine, apps, language = None, frozenset[str](), "en"

    def __init__(self, *alike: int) -> None:
        self.alike = alike
        """Those that have one wording."""

    def chance(self, at: int) -> float:
        return (1.0, 0.4, 0.1, 0.01)[at] if at < 4 else 0.0

    def text(self, at: int) -> str:
        return f"reading {at}"

    def wording(self, at: int) -> str:
        return "Pin {name}" if at in self.alike else f"wording {at}"

    def read(self, sheet: Sheet, at: int) -> Sheet:
        return replace(sheet, parts=[*(each for each in sheet.parts if each[0] != "step"), ("step", self.text(at))])


class Scripted(Acting):
    """What comes to its mind is told, for each reading."""

    def __init__(self, *names: str, alike: tuple[int, ...] = ()) -> None:
        super().__init__(cast(Writer, None), cast(Plainly, Readings(*alike)))
        self.names = names

    def _choose(self, sheet: Sheet, ask: Ask, began: float, tries: int) -> tuple[Thought, Mulling, bool]:
        name = self.names[int((sheet.part("step") or "0")[-1])]
        told = SimpleNamespace(doing={}, slots={}, wording="")
        both, usage = [thought(name), thought("press back")], Usage(calls=1)
        mulling = SimpleNamespace(sheet=sheet, usage=usage, aimed=thought, doubt=0.0, told=told, ask=ask, began=began,
                                  thoughts=lambda: iter(both))  # fmt: skip
        return thought(name), cast(Mulling, mulling), name != "stuck"


def thought(name: str) -> Thought:
    return Thought(f"G1: {name}\nP1: 1", name, 1.0, True, Deed(name, name.partition(" ")[2]))


LIST = """@btl en
task: Pin Ann
done: swiped up
{still}#1 heading "Chat" [500, 60] [100, 40, 900, 80]
#2 button "{button}" [900, 60] [800, 40, 1000, 80]
"""


@pytest.mark.parametrize(
    ("names", "button", "still", "does", "reading"),
    [
        (("swipe up", "open Mail"), "Search", "", "swipe up", 0),  # the list goes on
        (("swipe up", "open Mail"), "Search", "done: nothing changed\n", "touch Search", 0),  # here it ends
        (("swipe up", "open Mail"), "Menu", "done: nothing changed\n", "open Mail", 1),  # nothing to search with
        (("touch Ann", "open Mail"), "Menu", "done: nothing changed\n", "touch Ann", 0),
        (("end failure", "open Mail"), "Menu", "", "open Mail", 1),  # something else was meant
        (("end failure", "end failure", "open Chat"), "Menu", "", "end failure", 1),  # the third is too unlikely
        (("stuck", "stuck", "open Chat"), "Menu", "", "open Chat", 2),
        (("stuck", "stuck", "stuck", "open Chat"), "Menu", "", "stuck", 2),
        (("stuck", "touch Ann"), "Menu", "", "touch Ann", 1),
        (("end success", "touch Ann"), "Menu", "", "end success", 0),
    ],
)  # fmt: skip
def test_before_it_gives_up_it_searches_and_reads_the_task_again(
    names: tuple[str, ...], button: str, still: str, does: str, reading: int
) -> None:
    acting = Scripted(*names)
    first = Sheet.read(LIST.format(still="", button=button).replace("done: swiped up\n", ""))
    acting._turn_to(first)
    acting._tried.add(first, "swipe up", [Deed("swipe up")])
    chosen, mulling = acting.one(Sheet.read(LIST.format(still=still, button=button)), Ask(), 0.0)
    assert chosen.deed is not None and chosen.deed.name == does
    assert acting._at == reading
    assert mulling.usage.calls == reading + 1
    assert acting._tried.deeds == ([] if reading else ["swipe up"]), "what was done was of another kind"
    if does == "touch Search":
        again, _ = acting.one(Sheet.read(LIST.format(still=still, button=button)), Ask(), 0.0)
        assert again.action == "swipe up", "it was touched, and nothing was swiped since"


def test_what_is_chosen_among_candidates_tells_what_the_task_means() -> None:
    acting = Scripted("open Files", "open Chat", "open Mail")
    home = '@guidnav en k3\ntask: Tell Ann\n#1 text "09:30" [90, 18] [44, 6, 136, 29]\n'
    offered, mulling = acting.several(Sheet.read(home), Ask(), 0.0)
    assert re.findall(r"G\d: (.*)", offered.text) == ["open Files", "open Chat", "press back"]
    assert "P2: 0.4" in offered.text and mulling.usage.calls == 2
    later = home.replace("#1", "done: opened Chat\n#1")
    again, _ = acting.several(Sheet.read(later), Ask(), 0.0)
    assert acting._at == 1, "it was not the first that was done"
    assert re.findall(r"G\d: (.*)", again.text)[0] == "open Chat"
    assert acting.reflect() == "I do something else where I was most in doubt."
    acting.several(Sheet.read(home), Ask(), 0.0)
    assert acting._at == 1 and acting._tried.barred, "so it is meant, but another way"
    acting.several(Sheet.read(home), Ask(), 0.0)
    assert acting._at == 0, "somebody begins anew"
    acting.several(Sheet.read(home.replace("#1", "done: opened Files\n#1")), Ask(), 0.0)
    assert acting._at == 0


def test_what_is_learned_from_a_failure_is_said_in_words() -> None:
    acting, sheet = Scripted("open Files", "open Chat", "open Mail"), Sheet.read("@btl zh\ntask: Tell Ann\n")
    acting.one(sheet, Ask(), 0.0)
    assert acting.reflect() == "I took the task for “reading 0”. Now I take it for “reading 1”."
    cast(Readings, acting._plainly).language = "zh"
    acting.one(sheet, Ask(), 0.0)
    assert acting.reflect() == "我把任务理解成了“reading 1”，这次理解为“reading 2”。"


@pytest.mark.parametrize(
    ("deeds", "name", "kind", "found"),
    [
        (["type =name"], "press enter", "button", True),
        (["type =name", "press enter"], "end failure", "button", True),
        (["type =name"], "press enter", "text", False),  # nothing can be touched but the field itself
        (["type =name"], "touch Clear", "button", False),
        (["type =name", "press enter"], "end success", "button", False),  # what was typed may have been added
        (["touch Search"], "press enter", "button", False),
        (["type =words"], "press enter", "button", False),  # another thing was typed
    ],
)
def test_what_was_searched_for_and_is_there_is_touched(deeds: list[str], name: str, kind: str, found: bool) -> None:
    sheet = Sheet.read(
        "@btl en\ntask: Add Rome to the world clock\ndone: typed\n"
        f'#1 input focused "Rome" [500, 129] [33, 102, 967, 155]\n#2 {kind} "Rome" [500, 221] [33, 180, 967, 262]\n'
    )
    acting, told = Scripted("press enter"), Told({"name": "Rome"}, ["Clock"], {"touch =name": ()})
    acting._tried.deeds = deeds
    mulling = cast(Mulling, SimpleNamespace(sheet=sheet, told=told, aimed=thought))
    meant = acting._found(mulling, thought(name))
    assert (meant is not None and meant.action == "touch =name") == found


@pytest.mark.parametrize(("name", "does"), [("stuck", "touch Ann"), ("end failure", "end failure")])
def test_where_only_a_name_was_misread_what_was_done_counts(name: str, does: str) -> None:
    """But what does not exist under one name is not looked for under another."""
    acting, sheet = Scripted(name, "touch Ann", alike=(0, 1)), Sheet.read(LIST.format(still="", button="Menu"))
    acting._turn_to(sheet)
    acting._tried.add(sheet, "swipe up", [Deed("swipe up")])
    assert acting.one(sheet, Ask(), 0.0)[0].action == does
    assert acting._tried.deeds == ["swipe up"]
