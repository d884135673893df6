"""Asks a person whether an action may be done."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from io import TextIOWrapper
from typing import Literal, TextIO

from saccade.actions import Action, swipe_direction
from saccade.paradigms.wording import language_of

Answer = Literal["yes", "no", "always", "stop", "nobody"]
"""`nobody`: no answer came in time, which counts as no."""
TRIES = 3
"""How often the prompt is repeated after an answer that is none of the choices."""


class StoppedByPerson(Exception):  # noqa: N818  (nothing went wrong)
    """The person who was asked for approval chose to end the run."""


@dataclass(frozen=True)
class ApprovalQuestion:
    """Everything a person needs to decide. Texts from the screen are cut to one line each."""

    instruction: str
    """What the agent was told to do."""
    action: Action
    target: str = ""
    """The text of the action's target when the agent looked."""
    now: str = ""
    """The text of the target now, if it has changed since."""
    leads: str = ""
    """Addresses that the action opens."""
    risk: str = ""
    rule: str = ""
    place: str = ""
    """Host or app."""


Asker = Callable[[ApprovalQuestion], Answer]

_VERBS = {
    "click": ("tap", "点击"),
    "long_press": ("press and hold", "长按"),
    "double_click": ("double-click", "双击"),
    "right_click": ("right-click", "右键点击"),
    "hover": ("point at", "指向"),
    "type": ("type", "输入"),
    "select": ("choose", "选择"),
    "open_app": ("open the app", "打开应用"),
    "open_url": ("open", "打开"),
    "press": ("press", "按下"),
    "swipe": ("swipe", "滑动"),
    "drag": ("drag", "拖动"),
    "wait": ("wait", "等待"),
    "answer": ("answer", "回答"),
    "terminate": ("end the task", "结束任务"),
}
_RISKS = {
    "pay": ("it pays or moves money", "会付款或转移资金"),
    "order": ("it orders or books something", "会下单或预订"),
    "delete": ("it deletes or ends something", "会删除或终止某些内容"),
    "send": ("it sends or publishes something", "会发送或发布内容"),
    "permission": ("it grants a permission", "会授予权限"),
    "password": ("it types a password or another secret", "会输入密码或其他机密"),
    "leave": ("it leaves the allowed hosts", "会离开允许的网站"),
    "install": ("it installs or runs something", "会安装或运行程序"),
}
_LABELS = (
    ("Task", "Wants to", "At", "But now it says", "Leads to", "On", "Risk"),
    ("任务", "想要", "位置", "但现在显示", "通向", "所在", "风险"),
)
_PROMPTS = (
    "Allow? [y]es, [n]o, [a]lways in this run, [q]uit: ",
    "允许吗？[y] 是，[n] 否，[a] 本次运行一直允许，[q] 停止：",
)
_ANSWERS: dict[str, Answer] = {
    "y": "yes",
    "yes": "yes",
    "是": "yes",
    "允许": "yes",
    "n": "no",
    "no": "no",
    "否": "no",
    "a": "always",
    "always": "always",
    "总是": "always",
    "q": "stop",
    "quit": "stop",
    "stop": "stop",
    "停止": "stop",
}


def risk_in_words(risk: str, zh: bool = False) -> str:
    """The risk as part of a sentence: "it pays or moves money"."""
    other = ("it is not allowed without asking", "未经询问不允许")
    return _RISKS.get(risk, other)[zh]


def describe(question: ApprovalQuestion) -> str:
    """The question as text for a terminal, in the language of the instruction."""
    zh = language_of(question.instruction) == "zh"
    risk = risk_in_words(question.risk, zh) + (f" ({question.rule})" if question.rule else "")
    values = (
        question.instruction,
        action_in_words(question.action, zh),
        question.target,
        question.now,
        question.leads,
        question.place,
        risk,
    )
    lines = [f"  {label}: {value}" for label, value in zip(_LABELS[zh], values, strict=True) if value]
    return "\n".join(["", *lines, ""])


def action_in_words(action: Action, zh: bool = False) -> str:
    """The action as a phrase: "tap @ [10, 20]"."""
    said = _VERBS[action.type][zh]
    detail = action.key if action.type == "press" else swipe_direction(action) or action.text or ""
    shown = "".join(c if c.isprintable() else "⏎" for c in str(detail))
    if shown:
        said += f" {shown if len(shown) <= 200 else shown[:199] + '…'}"
    if action.submit:
        said += " ⏎"
    place = action.point or action.start
    return f"{said} @ [{place.x:.0f}, {place.y:.0f}]" if place else said


def refused_in_words(action: Action, target: str = "", zh: bool = False) -> str:
    """What a refused action would have done; `target` names what is at its point.

    >>> refused_in_words(Action("press", key="enter"))
    'would press enter: refused'
    """
    said = action_in_words(action, zh)
    if target:
        verb, _, _ = said.partition(" @ ")
        said = f"{verb}{target}" if zh else f"{verb} {target}"
    return f"本要{said}：被拒绝" if zh else f"would {said}: refused"


class TerminalAsker:
    """Asks on the terminal from which the run was started, even if output is redirected to a file."""

    def __call__(self, question: ApprovalQuestion) -> Answer:
        prompt = _PROMPTS[language_of(question.instruction) == "zh"]
        with ExitStack() as stack:
            opened = open_terminal(stack)
            if opened is None:
                return "no"
            read, write = opened
            write.write(describe(question))
            try:
                for _ in range(TRIES):
                    write.write(prompt)
                    write.flush()
                    line = read.readline()
                    if not line:
                        return "stop"
                    if (answer := _ANSWERS.get(line.strip().casefold())) is not None:
                        return answer
            except (KeyboardInterrupt, OSError):
                return "stop"
        return "no"


def terminal_asker() -> Asker | None:
    """A `TerminalAsker`, or None if the program has no terminal."""
    with ExitStack() as stack:
        return TerminalAsker() if open_terminal(stack) is not None else None


def open_terminal(stack: ExitStack) -> tuple[TextIO, TextIO] | None:
    """Streams to read from and write to: the controlling terminal, else stdin and stderr if stdin is a terminal."""
    try:
        raw = stack.enter_context(open("/dev/tty", "r+b", buffering=0))  # noqa: PTH123, SIM115  (a device)
    except OSError:
        return (sys.stdin, sys.stderr) if sys.stdin is not None and sys.stdin.isatty() else None
    stream = stack.enter_context(TextIOWrapper(raw, encoding="utf-8", errors="replace", write_through=True))
    return stream, stream
