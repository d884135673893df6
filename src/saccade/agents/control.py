"""A person beside the agent: the loop asks a `RunControl` before each step and after each decision.

The default lets the agent go on. The studio's pauses the run, lets a person edit the proposed action, act instead of
the agent, and give hints. What a person did is in the log (`LoggedStep.by`, `edited_from`, `hint`).

An agent that was told so (`Settings.person`) may ask for a person where only a person can go on: to log in, to solve a
captcha, to enter a code. No format has an action for it, so the request is a final action (`answer` or `terminate`)
whose text begins with `{person}`; every format can write one.
"""

from __future__ import annotations

import select
from contextlib import ExitStack
from dataclasses import dataclass

from saccade.actions import Action
from saccade.agents.approval.ask import open_terminal
from saccade.agents.records import LoggedStep
from saccade.types import Language
from saccade.worlds.base import Observation, World

REQUEST = "{person}"
"""What the text of a request for a person begins with."""
LONGEST_REASON = 300


@dataclass(frozen=True)
class NextStep:
    """What a person wants of the next step."""

    action: Action | None = None
    """The person acts: this is done, and the agent is not asked."""
    look: bool = False
    """The person acted outside of the run (on the device, in the browser's window): the screen is read again first."""
    ask_again: bool = False
    """Nobody acts yet: `next_step` is asked again, with the new screen."""
    hint: str = ""
    """A sentence for this prompt and all later ones of the attempt."""
    instruction: str = ""
    """What is to be done from now on, in place of the instruction so far."""


@dataclass(frozen=True)
class Review:
    """What a person says to a step that the agent proposes."""

    action: Action | None = None
    """Done in place of the proposed action; None: the proposed one is done."""
    again: bool = False
    """The proposal is dropped, and `next_step` is asked again."""


class RunControl:
    """Lets the agent go on alone. Subclasses may wait in any method, and end the run by raising `StoppedByPerson`."""

    def begin(self, world: World) -> None:
        """The run begins in this world."""

    def next_step(self, seen: Observation) -> NextStep:
        """Asked before each step, with the screen that the step begins on."""
        return NextStep()

    def review(self, step: LoggedStep, seen: Observation) -> Review:
        """Asked after each decision of the agent; `step.prediction` is the proposed action, None if there is none."""
        return Review()

    def ask_person(self, why: str, seconds: float) -> bool:
        """The agent asks for a person. Did one come within so many seconds? What the person does is asked for with
        `next_step`.
        """
        return False


def request_of(action: Action | None) -> str | None:
    """Why this action asks for a person; None if it does not."""
    if action is None or action.type not in ("answer", "terminate"):
        return None
    text = (action.text or "").strip()
    if not text.startswith(REQUEST):
        return None
    why = " ".join(text[len(REQUEST) :].split())[:LONGEST_REASON]
    return why or "it does not say why"


def hint_note(hint: str, language: Language) -> str:
    """A person's hint, as prompts tell it."""
    return f"有人提示：{hint}" if language == "zh" else f"A person says: {hint}"


def request_note(language: Language) -> str:
    """Tells the model how to ask for a person."""
    if language == "zh":
        return (
            f"如果只有人才能继续（登录、验证码、邮件里的代码），请以 {REQUEST} 开头的文本结束任务并说明原因；"
            "有人处理之后，你会从那时的屏幕继续。"
        )
    return (
        f"If only a person can go on (a log-in, a captcha, a code by mail), end the task with a text that begins with "
        f"{REQUEST} and says why; a person will act, and you go on from the screen that is there then."
    )


def request_answer(came: bool, seconds: float, language: Language) -> str:
    """What the next prompt says about a request."""
    if language == "zh":
        return "有人来处理过了，请从现在的屏幕继续。" if came else f"{seconds:g} 秒内没有人来：请另想办法，或结束任务。"
    if came:
        return "A person has helped: go on from the screen that is there now."
    return f"Nobody came within {seconds:g} seconds: find another way, or end the task."


class TerminalControl(RunControl):
    """Shows requests for a person on the terminal. The person acts on the device or in the browser's window."""

    def __init__(self) -> None:
        self._look = False

    def next_step(self, seen: Observation) -> NextStep:
        look, self._look = self._look, False
        return NextStep(look=look)

    def ask_person(self, why: str, seconds: float) -> bool:
        with ExitStack() as stack:
            opened = open_terminal(stack)
            if opened is None:
                return False
            read, write = opened
            shown = "".join(c if c.isprintable() else " " for c in why)
            write.write(f"\n  The agent asks for a person: {shown}\n")
            write.write(f"  Do it there, then press Enter within {seconds:g} s (n and Enter: nobody can): ")
            write.flush()
            ready, _, _ = select.select([read], [], [], seconds)
            self._look = bool(ready) and not read.readline().strip().casefold().startswith("n")
        return self._look
