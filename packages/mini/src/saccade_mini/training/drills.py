"""Made-up screens with made-up tasks: what any list of elements teaches, whatever app it is from.

Find the element that the task names, fill in a field, tick what is asked for and confirm, read an answer off, scroll
when something is not there yet, say that it is done, or that it cannot be. Words come from a large vocabulary, so that
a small model learns to match and to copy rather than to know. The wording follows phones and MiniWoB's pages alike.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache

from msgspec.structs import replace

from saccade.actions import Action
from saccade.geometry import Box, Point, Size
from saccade.paradigms.wording import quoted
from saccade.scoring.similarity import vocabulary
from saccade.types import Element, Step

SCREEN = Size(360, 800)
KINDS = ("button", "button", "button", "tab", "link", "radio", "option", "checkbox", "switch", "menuitem")
BARS = {"en": ("Back", "Home", "Recent apps"), "zh": ("返回", "主屏幕", "最近任务")}
SEND = {"en": ("Save", "OK", "Submit", "Done", "Send", "Confirm", "Add", "Create"),
        "zh": ("保存", "确定", "提交", "完成", "发送", "确认", "添加", "新建")}  # fmt: skip


@cache
def words(language: str) -> tuple[str, ...]:
    """English words, or single Chinese characters."""
    if language == "zh":
        return tuple(sorted(word for word in vocabulary() if len(word) == 1 and "一" <= word <= "鿿"))
    return tuple(sorted(word for word in vocabulary() if word.isascii() and word.isalpha() and 3 <= len(word) <= 9))


@dataclass
class Drill:
    """One screen that is being made up, and what is wanted on it."""

    chance: random.Random
    zh: bool
    elements: list[Element] = field(default_factory=list)
    used: set[str] = field(default_factory=set)

    def t(self, en: str, zh: str) -> str:
        return zh if self.zh else en

    def say(self, text: str) -> str:
        return quoted(text, self.zh)

    def term(self) -> str:
        """A label that no other element has: words, now and then with a number, a time or a price."""
        chance = self.chance
        while True:
            if self.zh:
                text = "".join(chance.choices(words("zh"), k=chance.choice((2, 2, 2, 3, 3, 4, 5))))
            else:
                text = " ".join(chance.choices(words("en"), k=chance.choice((1, 1, 1, 2, 2, 3))))
                text = text.capitalize() if chance.random() < 0.8 else text
            kind = chance.random()
            if kind < 0.08:
                text += f" {chance.randint(1, 99)}"
            elif kind < 0.13:
                text = f"{chance.randint(0, 23):02}:{chance.randint(0, 59):02}"
            elif kind < 0.17:
                text += f" {chance.choice('¥$')}{chance.randint(1, 400)}.{chance.randint(0, 99):02}"
            elif kind < 0.22:
                text = str(chance.randint(0, 60))
            if text not in self.used and not any(text in other or other in text for other in self.used):
                self.used.add(text)
                return text

    def add(self, kind: str, text: str, state: str = "", column: int = 0, columns: int = 1) -> Element:
        """The next element: below the last one, or beside it."""
        below = max((each.box.y1 for each in self.elements if each.type != "scroll"), default=20.0)
        if column and self.elements:
            below = self.elements[-1].box.y0 - 4
        width = SCREEN.width / columns
        box = Box(8 + column * width, below + 4, (column + 1) * width - 8, below + 4 + self.height)
        interactive = kind not in ("text", "heading", "scroll")
        element = Element(len(self.elements) + 1, box, kind, text, "", interactive, True, state)
        self.elements.append(element)
        return element

    height: float = 34.0

    def fill(self, count: int, kinds: tuple[str, ...] = KINDS) -> list[Element]:
        """Elements of one or two kinds that nobody asked for."""
        kind, columns = self.chance.choice(kinds), self.chance.choice((1, 1, 1, 2, 3))
        found = []
        for at in range(count):
            if self.chance.random() < 0.15:
                kind = self.chance.choice(kinds)
            state = self.chance.choice(("", "", "", "checked")) if kind in ("checkbox", "switch") else ""
            found.append(self.add(kind, self.term(), state, at % columns, columns))
        return found

    def finish(self) -> list[Element]:
        """Scatter: some in another order of the list, and a phone's bar at the foot for half of them."""
        if self.chance.random() < 0.5:
            for at, label in enumerate(BARS["zh" if self.zh else "en"]):
                box = Box(120.0 * at, 770, 120.0 * at + 110, 796)
                self.elements.append(Element(0, box, "button", label))
        low = max((each.box.y1 for each in self.elements), default=800)
        if low > SCREEN.height:  # squeeze what does not fit
            share = SCREEN.height / low
            self.elements = [replace(each, box=Box(each.box.x0, each.box.y0 * share, each.box.x1, each.box.y1 * share))
                             for each in self.elements]  # fmt: skip
        self.elements = [
            replace(each, id=at, box=Box(*(float(round(side)) for side in each.box)))
            for at, each in enumerate(self.elements)
        ]
        return self.elements


def touch(element: Element, kind: str = "click") -> Action:
    return Action("long_press" if kind == "long_press" else "click", element.center, element.box)


@dataclass
class Scene:
    """A screen of an episode: what is right there, and why."""

    elements: list[Element]
    action: Action
    thought: str
    key: list[Element] = field(default_factory=list)
    noted: str = ""


def sizes(chance: random.Random, most: int) -> int:
    return chance.randint(1, max(1, most))


def tap(d: Drill, most: int) -> tuple[str, list[Scene]]:
    """Tap what is named, then say that it is done."""
    d.fill(sizes(d.chance, most))
    target = d.chance.choice([each for each in d.elements if each.interactive])
    name, at = d.say(target.text), d.elements.index(target)
    kind = "long_press" if d.chance.random() < 0.1 else "click"
    if kind == "click":
        wish = d.chance.choice((
            d.t(f"Tap {name}", f"点击{name}"), d.t(f"Open {target.text}", f"打开{target.text}"),
            d.t(f"Click on the {name} {target.type}.", f"请点{name}这一项"),
            d.t(f"Choose {name}", f"选择{target.text}"),
            d.t(f"Go to {target.text}", f"进入{target.text}"), d.t(f"I want {name}", f"我要{name}"),
        ))  # fmt: skip
    else:
        wish = d.t(f"Press and hold {name}", f"长按{name}")
    target = d.finish()[at]
    thought = d.chance.choice((
        d.t(f"{name} is what is wanted here.", f"这里需要的是{name}。"),
        d.t(f"{name} brings the task forward.", f"点{name}可以推进任务。"),
    ))  # fmt: skip
    first = Scene(d.elements, touch(target, kind), thought, [target])
    after = [replace(each, state="selected focused" if each.id == target.id else each.state) for each in d.elements]
    return wish, [first, done(d, after)]


def done(d: Drill, elements: list[Element]) -> Scene:
    thought = d.t("All that was asked for is done.", "任务要求的都已完成。")
    return Scene(elements, Action("terminate", status="success"), thought)


def enter(d: Drill, most: int) -> tuple[str, list[Scene]]:
    """Fill in a field, or two, and send it off."""
    d.fill(sizes(d.chance, most) // 2)
    count = d.chance.choice((1, 1, 2))
    fields = [(d.term(), d.term()) for _ in range(count)]
    spots = []
    for label, _ in fields:
        if d.chance.random() < 0.5:
            d.add("text", label)
        spots.append(len(d.elements))
        d.add("input", label)
    send = d.chance.choice(SEND["zh" if d.zh else "en"])
    spot = len(d.elements)
    d.add("button", send)
    d.used.add(send)
    d.fill(sizes(d.chance, most) // 2)
    elements = list(d.finish())
    said = [d.chance.choice((
        d.t(f"type {d.say(text)} into {d.say(label)}", f"在{d.say(label)}里输入{d.say(text)}"),
        d.t(f"enter {d.say(text)} as {label}", f"{label}填{d.say(text)}"),
        d.t(f"set {label} to {d.say(text)}", f"把{label}改为{d.say(text)}"),
    )) for label, text in fields]  # fmt: skip
    wish = d.t(" and ", "，").join(said) + d.t(f", then {send.lower()}", f"，然后{send}")
    scenes = []
    for (label, text), at in zip(fields, spots, strict=True):
        target, name = elements[at], d.say(label)
        key = [target, elements[spot]]
        thought = d.t(f"{name} is to be filled in, so I tap it.", f"需要填写{name}，先点一下它。")
        scenes.append(Scene(list(elements), touch(target), thought, key))
        elements[at] = replace(target, state="focused")
        thought = d.t(f"{name} has the focus; I type {d.say(text)}.", f"{name}已获得焦点，输入{d.say(text)}。")
        scenes.append(Scene(list(elements), Action("type", text=text), thought, key))
        elements[at] = replace(target, text=text, state="focused")
    name = d.say(send)
    thought = d.t(f"Everything is set; {name} does it.", f"都已就绪，点{name}即可完成这一步。")
    scenes.append(Scene(list(elements), touch(elements[spot]), thought, [elements[spot]]))
    return wish[0].upper() + wish[1:], [*scenes, done(d, elements[: spots[0]])]


def tick(d: Drill, most: int) -> tuple[str, list[Scene]]:
    """Tick what is asked for and nothing else, then send it off."""
    kind = d.chance.choice(("checkbox", "switch", "option"))
    for _ in range(max(2, sizes(d.chance, most))):
        d.add(kind, d.term())
    send = d.chance.choice(SEND["zh" if d.zh else "en"])
    d.add("button", send)
    count = min(d.chance.choice((1, 2, 2, 3)), len(d.elements) - 1)
    wanted = d.chance.sample(range(len(d.elements) - 1), count)
    last = len(d.elements) - 1
    elements = list(d.finish())
    names = [d.say(elements[at].text) for at in wanted]
    wish = d.t(f"Select {', '.join(names)} and tap {send}", f"勾选{'、'.join(names)}，再点{send}")
    scenes = []
    for at in wanted:
        thought = d.t(
            f"{d.say(elements[at].text)} is what is wanted here.", f"这里需要的是{d.say(elements[at].text)}。"
        )
        scenes.append(Scene(list(elements), touch(elements[at]), thought, [elements[at]]))
        elements[at] = replace(elements[at], state="checked")
    name = d.say(send)
    thought = d.t(f"Everything is set; {name} does it.", f"都已就绪，点{name}即可完成这一步。")
    scenes.append(Scene(list(elements), touch(elements[last]), thought, [elements[last]]))
    return wish, [*scenes, done(d, elements[:1])]


def look_up(d: Drill, most: int) -> tuple[str, list[Scene]]:
    """Read something off, after scrolling to it now and then; or say that it is not there."""
    missing, hidden = d.chance.random() < 0.15, d.chance.random() < 0.3
    if hidden:
        d.elements.append(Element(0, Box(0, 60, 360, 760), "scroll", "", "", False))
    for _ in range(max(2, sizes(d.chance, most) // 2)):
        label = d.term()
        d.add("text", label)
        d.add("text", d.term(), column=1, columns=2)
    pairs = [at for at in range(len(d.elements) - 1) if d.elements[at].type == "text"][::2]
    at = d.chance.choice(pairs)
    label, value = d.elements[at].text, d.elements[at + 1].text
    elements = list(d.finish())
    wish = d.chance.choice((
        d.t(f"What is {label}?", f"{label}是多少？"), d.t(f"Tell me {d.say(label)}", f"告诉我{d.say(label)}的内容"),
        d.t(f"Which value stands at {label}?", f"{label}写的是什么？"),
    ))  # fmt: skip
    without = [each for each in elements if each.text not in (label, value)]
    scenes = []
    if hidden:
        thought = d.t("What I need to know is further on, so I scroll.", "要找的信息还在别处，需要继续滑动。")
        swipe = Action("swipe", direction="up", start=Point(180, 620), end=Point(180, 200))
        scenes.append(Scene(without, swipe, thought))
    if missing and not hidden:
        thought = d.t(
            "This cannot be done here: what was asked for is not there.", "这里没有任务要求的内容，无法完成。"
        )
        return wish, [Scene(without, Action("terminate", status="failure"), thought)]
    thought = d.t(f"I have seen what was asked: {value}.", f"已经找到问题的答案：{value}。")
    key = [each for each in elements if each.text == value][:1]
    return wish, [*scenes, Scene(elements, Action("answer", text=value), thought, key, value)]


DRILLS: tuple[tuple[float, Callable[[Drill, int], tuple[str, list[Scene]]]], ...] = (
    (0.4, tap), (0.25, enter), (0.15, tick), (0.2, look_up),
)  # fmt: skip


def drill(seed: int, most: int = 40) -> list[Step]:
    """One episode. The same seed gives the same."""
    chance = random.Random(f"drill/{seed}")
    zh = chance.random() < 0.5
    shares, kinds = zip(*DRILLS, strict=True)
    make = chance.choices(kinds, shares)[0]
    limit = chance.choice((4, 10, 20, most))
    wish, scenes = make(Drill(chance, zh, height=chance.choice((20.0, 34.0, 48.0))), limit)
    name, noted, steps = f"drill-{seed}", "", []
    for at, scene in enumerate(scenes):
        noted = noted or scene.noted
        tags = {"policy": "drill", "language": "zh" if zh else "en"} | ({"noted": noted} if noted else {})
        steps.append(Step(id=f"{name}-{at}", episode=name, step=at, instruction=wish, screen=SCREEN,
                          elements=scene.elements, key_elements=captioned(scene, zh), truth=[scene.action],
                          prediction=scene.action, thought=scene.thought, tags=tags))  # fmt: skip
    return steps


def captioned(scene: Scene, zh: bool) -> list[Element]:
    """What each does, in UILoop's words."""
    words = {"input": ("Text field ", "输入框"), "text": ("Says ", "内容是")}
    return [
        replace(each, caption=words.get(each.type, ("Does ", "执行"))[zh] + quoted(each.text, zh)) for each in scene.key
    ]
