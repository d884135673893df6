"""What is said about a step in a made-up app, worded as on the sandbox phone (`worlds.phone.narration`)."""

from __future__ import annotations

from msgspec.structs import replace

from saccade.geometry import Box
from saccade.paradigms.wording import quoted
from saccade.train.madeup.machine import Machine
from saccade.train.madeup.policy import Move, leads_to
from saccade.train.madeup.widgets import Op, Widget
from saccade.types import Element

DONE = ("flag", "delete", "save", "void", "takeout")
CHOSEN = ("chip", "choose", "put", "sorted", "set", "listed")


def name_of(widget: Widget) -> str:
    return widget.caption if widget.type == "input" else widget.text


def thought(m: Machine, move: Move, widget: Widget | None) -> str:
    """Why this move: one sentence."""
    t, zh = m.app.t, m.app.zh
    name = quoted(name_of(widget), zh) if widget else ""
    match move.kind:
        case "open":
            return t(f"The task needs {m.app.name}, so I open it.", f"任务要用到{m.app.name}，去打开它。")
        case "up" | "down":
            if move.about == "?":
                return t("What I need to know is further on, so I scroll.", "要找的信息还在别处，需要继续滑动。")
            sought = quoted(move.about, zh)
            return t(f"{sought} is not in view yet, so I scroll to it.", f"还没看到{sought}，需要滑动屏幕找到它。")
        case "back":
            return t("This is not where it is done, so I go back.", "要做的事不在这个界面，先返回。")
        case "answer":
            return t(f"I have seen what was asked: {move.text}.", f"已经找到问题的答案：{move.text}。")
        case "fail":
            return t("This cannot be done here: what was asked for is not there.", "这里没有任务要求的内容，无法完成。")
        case "done":
            return t("All that was asked for is done.", "任务要求的都已完成。")
        case "type":
            text = quoted(move.text, zh)
            return t(f"{name} has the focus; I type {text}.", f"{name}已获得焦点，输入{text}。")
        case "enter":
            return t(f"{name} is filled in; Enter starts the search.", f"{name}已填好，按回车开始搜索。")
    return tapping(m, move.op, name)


def tapping(m: Machine, op: Op, name: str) -> str:
    t = m.app.t
    if op[0] == "dismiss":
        return t(f"A dialog is in the way; {name} makes it go away.", f"有弹窗挡住了界面，用{name}关掉它。")
    if op[0] == "focus":
        return t(f"{name} is to be filled in, so I tap it.", f"需要填写{name}，先点一下它。")
    if op[0] == "clear":
        return t("What stands in the field is wrong, so I clear it.", "输入框里的内容不对，先清空。")
    if op[0] in ("go", "tab"):
        title = quoted(leads_to(m, op), m.app.zh)
        return t(f"What is needed lies behind {name}, which opens {title}.", f"需要的内容在{name}里，它会打开{title}。")
    if op[0] in CHOSEN:
        return t(f"{name} is what is wanted here.", f"这里需要的是{name}。")
    if op[0] in DONE:
        return t(f"Everything is set; {name} does it.", f"都已就绪，点{name}即可完成这一步。")
    return t(f"{name} brings the task forward.", f"点{name}可以推进任务。")


def caption(m: Machine, widget: Widget) -> str:
    """What a widget is and does, in UILoop's words."""
    t, op = m.app.t, widget.op
    name = quoted(name_of(widget), m.app.zh)
    if widget.type == "input":
        return t(f"Text field {name}", f"输入框{name}")
    if not op:
        return t(f"Says {name}", f"内容是{name}")
    if op[0] == "open":
        return t(f"Opens the app {widget.text}", f"打开应用{widget.text}")
    if op[0] in ("go", "tab"):
        title = quoted(leads_to(m, op), m.app.zh)
        return t(f"Opens {title}", f"打开{title}")
    if op[0] == "back":
        return t("Closes this", "关闭当前界面")
    if widget.type == "switch":
        on = t("off", "关闭") if widget.state else t("on", "开启")
        return t(f"Switches {name} {on}", f"将{name}切换为{on}")
    if op[0] in CHOSEN:
        return t(f"Chooses {name}", f"选择{name}")
    return t(f"Does {name}", f"执行{name}")


def keyed(m: Machine, elements: list[Element], widgets: list[Widget]) -> list[Element]:
    """The elements of these widgets, each with what it does."""
    boxes = {id(widget): Box(*(round(side) for side in box)) for widget, box in m.page.walk()}
    found = []
    for widget in widgets:
        same = (each for each in elements if each.box == boxes[id(widget)] and each.type == widget.type)
        found += [replace(each, caption=caption(m, widget)) for each in same][:1]
    return found
