"""The oracle's words for a step in the phone's language: a thought before it, a summary phrase after it.

Templates over state: what the thing touched is called, what it does, and what for. They are the demonstrations' think
text (BTL-UI), captions (UILoop) and semantic context (SecAgent).
"""

from __future__ import annotations

from dataclasses import dataclass

from saccade_phone.goal_changes import Need
from saccade_phone.path_search import Move
from saccade_phone.planner import Plan
from saccade_phone.state_machine import Machine
from saccade_phone.widgets import Op, Page, Widget

SIGNS = {"clear": "×", "minus": "−", "plus": "+", "earlier": "‹", "later": "›"}


@dataclass
class Narrator:
    """Words about one state of the phone."""

    machine: Machine

    def __post_init__(self) -> None:
        self.zh = self.machine.state["language"] == "zh"
        self.page: Page = self.machine.shown()
        self.widgets = {widget.id: widget for widget in self.page.walk() if widget.id}

    def t(self, en: str, zh: str) -> str:
        return zh if self.zh else en

    def quoted(self, words: str) -> str:
        return self.t(f'"{words}"', f"“{words}”")

    # -- names ----------------------------------------------------------------------------------------------------

    def label(self, id: str) -> str:
        """What a widget is called."""
        fixed = {
            "bar:back": ("Back", "返回"),
            "back": ("Back", "返回"),
            "scrim": ("outside", "空白处"),
            "banner:close": ("×", "×"),
        }
        if id in fixed:
            return self.t(*fixed[id])
        widget = self.widgets.get(id)
        if widget is None:
            return id
        return widget.text or SIGNS.get(widget.kind, "") or widget.sub or str(widget.value or "") or widget.emoji

    def app_name(self, app: str) -> str:
        return self.machine.apps[app].name(self.machine.state["language"])

    def leads_to(self, op: Op) -> str:
        """The title of the screen that a move opens."""
        to = self.machine.trial()
        to.apply(op)
        page = to.shown()
        return page.title or self.app_name(to.front)

    def caption(self, widget: Widget, held: bool = False) -> str:
        """What a widget is and does when it is tapped, or held, in words."""
        op = widget.hold if held else widget.tap or widget.hold
        name = self.quoted(self.label(widget.id))
        if widget.kind == "field":
            return self.t(f"Text field {name}", f"输入框{name}")
        if op is None:
            return name
        if op.kind in ("go", "tab"):
            title = self.quoted(self.leads_to(op))
            return self.t(f"Opens {title}", f"打开{title}")
        if op.kind == "open":
            return self.t(f"Opens the app {self.app_name(op.name)}", f"打开应用{self.app_name(op.name)}")
        if op.kind == "back":
            return self.t("Closes this", "关闭当前界面")
        if op.kind in ("put", "pick"):
            return self.t(f"Chooses {name}", f"选择{name}")
        if isinstance(widget.value, bool):
            on = self.t("on", "开启"), self.t("off", "关闭")
            return self.t(f"Switches {name} {on[widget.value]}", f"将{name}切换为{on[widget.value]}")
        return self.t(f"Does {name}", f"执行{name}")

    # -- before and after a step ----------------------------------------------------------------------------------

    def thought(self, plan: Plan, move: Move, hidden: bool) -> str:
        """Why this move: one sentence."""
        t, name = self.t, self.quoted(self.label(move.id))
        if self.machine.front == "system":
            return t(f"A dialog is in the way; {name} makes it go away.", f"有弹窗挡住了界面，用{name}关掉它。")
        if hidden:
            return t(f"{name} is not in view yet, so I scroll to it.", f"还没看到{name}，需要滑动屏幕找到它。")
        if move.kind == "answer":
            return t(f"I have seen what was asked: {move.text}.", f"已经找到问题的答案：{move.text}。")
        if move.kind == "terminate":
            done = t("All that was asked for is done.", "任务要求的都已完成。")
            return (
                done
                if move.id == "success"
                else t(
                    "This cannot be done here: what was asked for is not there.", "这里没有任务要求的内容，无法完成。"
                )
            )
        app = plan.aim.app if plan.aim else ""
        if self.machine.front != app:
            if move.kind == "press" and move.id == "home":
                return t(
                    f"The task goes on in {self.app_name(app)}; first to the home screen.",
                    f"接下来要用{self.app_name(app)}，先回到主屏幕。",
                )
            return t(
                f"The task needs {self.app_name(app)}, so I look for it.", f"任务要用到{self.app_name(app)}，去打开它。"
            )
        if move.kind == "type":
            return t(
                f"{name} has the focus; I type {self.quoted(move.text)}.",
                f"{name}已获得焦点，输入{self.quoted(move.text)}。",
            )
        if move.kind == "press":
            return t("This is not where it is done, so I go back.", "要做的事不在这个界面，先返回。")
        kind = self.widgets[move.id].kind if move.id in self.widgets else ""
        if kind == "field":
            return t(f"{name} is to be filled in, so I tap it.", f"需要填写{name}，先点一下它。")
        if kind in ("earlier", "later"):
            return t("The day is in another month, so I turn the page.", "要选的日子在别的月份，先翻页。")
        if kind == "clear":
            return t("What stands in the field is wrong, so I clear it.", "输入框里的内容不对，先清空。")
        op = self.op(move)
        if op is not None and isinstance(plan.aim, Need) and op == plan.aim.commit:
            return t(f"Everything is set; {name} does it.", f"都已就绪，点{name}即可完成这一步。")
        if op is not None and op.kind in ("put", "pick"):
            return t(f"{name} is what is wanted here.", f"这里需要的是{name}。")
        if op is not None and op.kind in ("go", "tab"):
            title = self.quoted(self.leads_to(op))
            return t(
                f"What is needed lies behind {name}, which opens {title}.", f"需要的内容在{name}里，它会打开{title}。"
            )
        return t(f"{name} brings the task forward.", f"点{name}可以推进任务。")

    def unread(self) -> str:
        return self.t("What I need to know is further on, so I scroll.", "要找的信息还在别处，需要继续滑动。")

    def scrolled(self) -> str:
        return self.t("scrolled", "滑动屏幕")

    def op(self, move: Move) -> Op | None:
        widget = self.widgets.get(move.id)
        if widget is None:
            return None
        return widget.hold if move.kind == "hold" else widget.submit if move.kind == "enter" else widget.tap

    def phrase(self, move: Move, hidden: bool) -> str:
        """What a step did, for the summary of those after it."""
        t, name = self.t, self.quoted(self.label(move.id))
        if hidden:
            return self.scrolled()
        if move.kind == "press":
            words = {"back": ("went back", "返回上一级"), "home": ("went to the home screen", "回到主屏幕")}
            return t(*words.get(move.id, ("opened the recent apps", "打开最近任务")))
        if move.kind == "open_app":
            return t(f"opened {move.text}", f"打开{move.text}")
        if move.kind == "type":
            return t(f"typed {self.quoted(move.text)}", f"输入{self.quoted(move.text)}")
        if move.kind == "enter":
            return t("confirmed the text", "确认输入")
        if move.kind == "swipe":
            return t("turned the page", "翻到另一页")
        if move.kind == "pull":
            return t("refreshed the list", "下拉刷新列表")
        op = self.op(move)
        if op is not None and op.kind == "open":
            return t(f"opened {self.app_name(op.name)}", f"打开{self.app_name(op.name)}")
        if move.kind == "hold":
            return t(f"long-pressed {name}", f"长按{name}")
        return t(f"tapped {name}", f"点击{name}")
