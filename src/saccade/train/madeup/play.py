"""Plays tasks in made-up apps: the steps of an episode, right ones and now and then a wrong one with the way back."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from saccade.actions import Action
from saccade.geometry import Box, Point
from saccade.models.mini.text import stroke
from saccade.train.drills import SCREEN
from saccade.train.madeup.app import draw
from saccade.train.madeup.goals import Goal, done
from saccade.train.madeup.machine import Machine
from saccade.train.madeup.narration import keyed, thought
from saccade.train.madeup.policy import Move, next_move
from saccade.train.madeup.tasks import Asker, about_app
from saccade.train.madeup.widgets import Op, Widget
from saccade.train.madeup.words import brand, domains
from saccade.types import Step

REAL = (("Mail", "Contacts", "Clock", "Settings", "Notes", "Chat", "Files", "Shop", "Tasty", "Calendar"),
        ("邮箱", "通讯录", "时钟", "设置", "便签", "微聊", "文件管理", "优购", "饱饱外卖", "日历"))  # fmt: skip
POPUPS = (
    (("A gift for you", "$8 off your next order, today only.", "Close", "Claim"),
     ("送你一份好礼", "今日专享，下单立减5元。", "关闭", "领取")),
    (("System update", "Version 7.2 brings repairs.", "Later", "Update now"),
     ("系统更新", "版本7.2修复了一些问题。", "稍后", "立即更新")),
    (("Allow {app} to use your location?", "You can change this later.", "Don't allow", "Allow"),
     ("允许“{app}”使用位置信息吗？", "以后可以修改。", "不允许", "允许")),
    (("Do you like {app}?", "Rate us in the store.", "Not now", "Rate"),
     ("喜欢{app}吗？", "去商店给我们评分吧。", "以后再说", "去评分")),
    (("Allow notifications?", "Never miss any news.", "No thanks", "Allow"),
     ("允许发送通知吗？", "不错过任何消息。", "不用了", "允许")),
)  # fmt: skip
MOST = 40
"""Steps that no task needs."""
INSIDE, WRONG, POPPED = 0.25, 0.32, 0.18
STRAY = ("item", "cat", "booking", "collection", "order", "new")


@dataclass
class Play:
    """One episode and how it came about."""

    machine: Machine
    """As it is at the end."""
    goals: list[Goal]
    steps: list[Step] = field(default_factory=list)


def start(chance: random.Random) -> tuple[Machine, list[Goal], str]:
    """A phone with an app on it, and a task."""
    zh = chance.random() < 0.5
    m = Machine(draw(chance, zh), opened=chance.random() < INSIDE)
    m.clock = (f"{chance.randint(0, 23):02}:{chance.randint(0, 59):02}", f"{chance.randint(5, 100)}%")
    asker = Asker(m, chance)
    wish, goals = asker.task()
    seen = m.app.plain and chance.random() < 0.6
    others = [
        *REAL[zh],
        *(chance.choice(each.apps) for each in chance.sample(domains(zh), 5)),
        *(brand(chance, zh) for _ in range(4)),
    ]
    others = [each for each in dict.fromkeys(others) if each != m.app.name and each not in m.app.domain.apps]
    m.icons = chance.sample(others, chance.choice((8, 8, 12, 12, 16)))
    if seen or chance.random() < 0.5:
        m.icons[chance.randrange(len(m.icons))] = m.app.name
    must = not m.opened and (not m.app.plain or m.app.name not in m.icons or asker.needs_app(goals))
    return m, goals, about_app(m, wish, must, chance)


def episode(seed: int) -> list[Step]:
    """One episode. The same seed gives the same."""
    return play(seed).steps


def play(seed: int) -> Play:
    """One episode, with the app as it was left."""
    chance = random.Random(f"madeup/{seed}")
    m, goals, wish = start(chance)
    found = Play(m, goals)
    stray = chance.randint(1, 6) if chance.random() < WRONG else -1
    popped = chance.randint(1, 6) if chance.random() < POPPED else -1
    name, noted = f"madeup-{seed}", ""
    for at in range(MOST):
        if at == popped and m.opened:
            heading, text, away, on = chance.choice(POPUPS)[m.app.zh]
            m.popup = (heading.format(app=m.app.name), text, away, on)
        goal = next((each for each in goals if not done(each, m)), None)
        move = next_move(m, goal or goals[0]) if goal or m.popup else Move("done")
        truth, widgets = actions(m, move, goal, chance)
        elements = m.elements()
        widget = widgets[0] if widgets else None
        noted = move.noted or noted
        tags = {"policy": "madeup", "language": "zh" if m.app.zh else "en"} | ({"noted": noted} if noted else {})
        did = truth[0]
        if move.kind == "tap" and len(truth) > 1 and truth[1].type == "long_press" and chance.random() < 0.3:
            did = truth[1]
        if at >= stray > 0 and (wrong := astray(m, move, chance)) is not None:
            stray, did = -1, wrong
        key = keyed(m, elements, widgets)
        found.steps.append(Step(
            id=f"{name}-{at}", episode=name, step=at, instruction=wish, screen=SCREEN, elements=elements,
            key_elements=key, truth=truth, prediction=did, thought=thought(m, move, widget), tags=tags))  # fmt: skip
        if move.kind in ("answer", "fail", "done"):
            return found
        m.apply(did)
    raise RuntimeError(f"{name}: {wish} came to no end at {m.top}")


def click(box: Box, kind: str = "click") -> Action:
    whole = Box(*(round(side) for side in box))
    return Action("long_press" if kind == "long_press" else "click", whole.center, whole)


def actions(m: Machine, move: Move, goal: Goal | None, chance: random.Random) -> tuple[list[Action], list[Widget]]:
    """Everything that is right, the best first; and the widgets that matter."""
    page = m.page
    back = [Action("press", key="back"), click(Box(32, 752, 120, 800))]
    match move.kind:
        case "open":
            name = m.app.name
            icon = page.find(("open", name))
            first = Action("open_app", text=name)
            return ([first, click(icon[1])], [icon[0]]) if icon else ([first, Action("swipe", direction="left")], [])
        case "up" | "down":
            begin, end = stroke(Box(0, page.y0, 360, page.y1), move.kind)
            begin, end = (Point(round(each.x), round(each.y)) for each in (begin, end))
            return [Action("swipe", direction="up" if move.kind == "up" else "down", start=begin, end=end)], []
        case "answer":
            said = [each for each, _ in page.walk() if each.text == move.text or each.text.endswith(f". {move.text}")]
            return [Action("answer", text=move.text)], said[:1]
        case "fail" | "done":
            return [Action("terminate", status="success" if move.kind == "done" else "failure")], []
        case "type":
            return [Action("type", text=move.text)], focused(m)
        case "enter":
            return [Action("press", key="enter")], focused(m)
        case "back":
            shown = page.find(("back",))
            return (back[:1] + ([click(shown[1])] if shown else []) + back[1:]), [shown[0]] if shown else []
    return taps(m, move, goal, back)


def focused(m: Machine) -> list[Widget]:
    return [each for each, _ in m.page.walk() if each.state == "focused"]


def taps(m: Machine, move: Move, goal: Goal | None, back: list[Action]) -> tuple[list[Action], list[Widget]]:
    page = m.page
    found = page.find(move.op)
    assert found is not None
    if move.op == ("dismiss",):  # its own button, not the space around it
        found = next((each, box) for each, box in page.walk() if each.op == move.op and not each.caption)
        return [click(found[1]), *back], [found[0]]
    widget, box = found
    truth, widgets = [click(box)], [widget]
    if goal and held(m, widget, goal):
        truth.append(click(box, "long_press"))
    if move.op[0] == "focus" and move.op[1] in m.form and goal:
        for other, place in page.walk():
            wanted = other.op and other.op[0] == "focus" and other.op != move.op and goal.values.get(other.op[1])
            if wanted and not m.form[other.op[1]].value:
                truth.append(click(place))
                widgets.append(other)
    if m.top.name in ("new", "edit", "order"):
        widgets += [each for each, _ in page.walk() if each.op and each is not widget and sends(each.op)]
    return truth, widgets[:4]


def sends(op: Op) -> bool:
    return op[0] == "save" or op[:2] == ("go", "pay")


def held(m: Machine, widget: Widget, goal: Goal) -> bool:
    """Does the menu behind a long press hold what is wanted?"""
    inside = {"flag": goal.label, "edit": "edit", "delete": "delete", "list": "addto"}.get(goal.kind, "")
    return bool(widget.hold) and widget.op == ("go", "item", str(goal.key)) and m.app.place.get(inside) == "more"


def astray(m: Machine, move: Move, chance: random.Random) -> Action | None:
    """A tap on something else that leads somewhere else."""
    if move.kind not in ("tap", "up") or m.popup or not m.opened or m.page.sheet or m.form:
        return None
    wrong = [box for each, box in m.page.walk() if each.op and each.op != move.op and box.height > 20 and (
             (each.op[0] == "tab" and not each.state) or (each.op[0] == "go" and each.op[1] in STRAY))]  # fmt: skip
    return click(chance.choice(wrong)) if wrong else None
