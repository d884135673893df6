"""An action in words, for histories, questions to a person, and live progress: `tapped "Search"`, 点击“搜索”."""

from __future__ import annotations

from saccade.actions import Action, swipe_direction
from saccade.types import Element, Language, Screen

LONGEST = 60
"""Characters that are quoted of a text."""

_VERBS: dict[str, tuple[str, str]] = {
    "click": ("tapped", "点击"),
    "long_press": ("pressed and held", "长按"),
    "double_click": ("double-clicked", "双击"),
    "right_click": ("right-clicked", "右键点击"),
    "hover": ("pointed at", "指向"),
    "type": ("typed", "输入"),
    "select": ("chose", "选择"),
    "open_app": ("opened the app", "打开应用"),
    "open_url": ("opened", "打开"),
    "answer": ("answered", "回答"),
}
_DIRECTIONS = {"up": "上", "down": "下", "left": "左", "right": "右"}
_KEYS = {
    "back": ("went back", "返回上一级"),
    "home": ("went to the home screen", "回到主屏幕"),
    "enter": ("pressed enter", "按回车键"),
    "recent": ("opened the recent apps", "打开最近任务"),
}


def in_words(action: Action, screen: Screen, language: Language = "en") -> str:
    """What was done, as a person would say it."""
    zh = language == "zh"
    if action.type in ("swipe", "drag"):
        direction = swipe_direction(action)
        word = ("滑动", "拖动") if zh else ("swiped", "dragged")
        said = word[action.type == "drag"]
        return f"向{_DIRECTIONS[str(direction)]}{said}" if zh else f"{said} {direction}"
    if action.type == "press":
        key = str(action.key).lower()
        return _KEYS.get(key, (f"pressed {action.key}", f"按下 {action.key}"))[zh]
    if action.type == "wait":
        return "等待" if zh else "waited"
    if action.type == "terminate":
        done = action.status == "success"
        if zh:
            return "任务完成" if done else "任务无法完成"
        return "said it is done" if done else "said it cannot be done"
    verb = _VERBS[action.type][zh]
    said = quoted(action.text, zh) if action.text is not None else ""
    place = at(action, screen, zh) if action.point is not None else ""
    if said and place:
        return f"在{place}{verb}{said}" if zh else f"{verb} {said} in {place}"
    return f"{verb}{said or place}" if zh else f"{verb} {said or place}"


def language_of(text: str) -> Language:
    """`zh` if the text has a Chinese character, else `en`."""
    return "zh" if any("一" <= letter <= "鿿" for letter in text) else "en"


def at(action: Action, screen: Screen, zh: bool) -> str:
    """The name of the element at the action's point, else its type and place."""
    assert action.point is not None
    element = screen.element_at(action.point)
    name = (element.text or element.caption) if element else ""
    if name:
        return quoted(name, zh)
    if element is not None and element.type:
        return f"{element.type} [{round(action.point.x)}, {round(action.point.y)}]"
    return f"[{round(action.point.x)}, {round(action.point.y)}]"


def quoted(text: str, zh: bool = False) -> str:
    """A text on one line, in quotes, not too long."""
    line = " ".join(text.split())
    line = line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"
    return f"“{line}”" if zh else f'"{line}"'


def description(element: Element) -> str:
    """What an element is: its caption, else its type and what it says. Empty if none of them is known.

    >>> from saccade.geometry import Box
    >>> description(Element(1, Box(0, 0, 9, 9), "button", "Save"))
    'button "Save"'
    """
    return element.caption or " ".join(filter(None, [element.type, quoted(element.text) if element.text else ""]))
