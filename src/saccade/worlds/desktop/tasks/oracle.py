"""The words in which scripted oracles speak: what is on the screen, and single steps on it.

An oracle is asked anew on every screen, so it also knows the way when somebody else did the last step. What a screen
does not show, as whether a text is selected, it takes from the actions that were done.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from saccade.actions import Action
from saccade.screens.widgets import squeeze
from saccade.types import Element
from saccade.worlds.desktop.tasks.home_files import Files

Clicking = Literal["click", "double_click", "right_click"]
_CLICKS: dict[Clicking, tuple[str, str]] = {
    "click": ("click on", "点击"),
    "double_click": ("double-click on", "双击"),
    "right_click": ("right-click on", "右键点击"),
}


@dataclass(frozen=True)
class OracleStep:
    """One step: the action, the elements that matter for it, why, and what it will have done."""

    action: Action
    elements: tuple[Element, ...]
    thought: str
    phrase: str


@dataclass(frozen=True)
class TaskScreen:
    """What an oracle knows on one screen."""

    elements: Sequence[Element]
    files: Files
    """The user's files as they are now."""
    done: Sequence[Action] = ()
    """The actions since the start."""
    language: str = "en"
    app: str = ""
    """The application that has the focus."""
    notes: dict[str, str] = field(default_factory=dict)
    """What was seen on earlier screens, as an oracle wrote it down."""

    # -- looking ------------------------------------------------------------------------------------------------------

    def find(self, text: str, *types: str) -> Element | None:
        """The first element with this text or, where it has none, this caption."""
        for element in self.elements:
            if (not types or element.type in types) and text in (element.text, element.text or element.caption):
                return element
        return None

    def get(self, text: str, *types: str) -> Element:
        """As `find`, but `LookupError` if there is none."""
        found = self.find(text, *types)
        if found is None:
            raise LookupError(f"{text!r} is not on the screen")
        return found

    def field(self, caption: str = "") -> Element:
        """The text field with this caption, or the one with the focus, or the first of the topmost dialog."""
        fields = [element for element in self.elements if element.type == "input"]
        fields = [element for element in fields if element.caption == caption] if caption else fields
        fields.sort(key=lambda element: "focused" not in element.state)
        if not fields:
            raise LookupError("there is no text field on the screen")
        return fields[0]

    def titled(self, title: str) -> bool:
        """Is a window or dialog with this title, or one that contains it, on the screen?"""
        return any(element.type in ("dialog", "window") and title in element.text for element in self.elements)

    def pressed(self, key: str) -> bool:
        """Was it pressed since the start?"""
        return Action("press", key=key) in self.done

    def just_pressed(self, key: str) -> bool:
        return bool(self.done) and self.done[-1] == Action("press", key=key)

    def just_clicked(self, element: Element) -> bool:
        point = self.done[-1].point if self.done else None
        return point is not None and element.box.contains(point)

    # -- acting -------------------------------------------------------------------------------------------------------

    def say(self, en: str, zh: str) -> str:
        return zh if self.language == "zh" else en

    def click(self, what: str | Element, *types: str, how: Clicking = "click") -> OracleStep:
        element = self.get(what, *types) if isinstance(what, str) else what
        name = element.text or element.caption or element.type
        name = name if len(name) <= 40 else f"{name[:40]}…"
        en, zh = _CLICKS[how]
        thought = self.say(f"I {en} “{name}”.", f"我{zh}“{name}”。")
        done = self.say(f"{en.replace('click on', 'clicked on')} “{name}”", f"{zh}了“{name}”")
        return OracleStep(Action(how, element.center, element.box), (element,), thought, done)

    def press(self, key: str, *elements: Element) -> OracleStep:
        thought = self.say(f"I press {key}.", f"我按下 {key}。")
        return OracleStep(Action("press", key=key), elements, thought, self.say(f"pressed {key}", f"按了 {key}"))

    def type(self, text: str, *elements: Element) -> OracleStep:
        """Without the enter key, which not every model can write in one action with the text."""
        action = Action("type", text=text)
        shown = squeeze(text)
        thought, phrase = (
            self.say(f"I type “{shown}”.", f"我输入“{shown}”。"),
            self.say(f"typed “{shown}”", f"输入了“{shown}”"),
        )
        return OracleStep(action, elements, thought, phrase)

    def open(self, app: str) -> OracleStep:
        thought = self.say(f"I open the {app}.", f"我打开 {app}。")
        return OracleStep(Action("open_app", text=app), (), thought, self.say(f"opened the {app}", f"打开了 {app}"))

    def menu(self, *path: str) -> OracleStep:
        """The next click on the way through a menu."""
        for name in reversed(path):
            found = self.find(name, "menuitem")
            if found is not None:
                return self.click(found)
        raise LookupError(f"there is no menu {path[0]!r} on the screen")

    def fill(self, element: Element, text: str) -> OracleStep | None:
        """Replace what a text field contains; None if it contains this already."""
        if element.text == squeeze(text):
            return None
        if self.just_pressed("ctrl+a"):
            return self.type(text, element)
        return self.press("ctrl+a", element) if "focused" in element.state else self.click(element)

    def by_keyboard(self, *steps: OracleStep) -> OracleStep:
        """The next one of steps that only the keyboard does, by how many of them were done last."""
        actions = [step.action for step in steps]
        for count in range(len(steps) - 1, 0, -1):
            if list(self.done[-count:]) == actions[:count]:
                return steps[count]
        return steps[0]
