"""How the teacher of reverse synthesis words low-level instructions and tasks, in English and Chinese.

Names stand in quotes, so that `state_claims` can read a task back; it shares nothing with this module.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from saccade.actions import Action, swipe_direction
from saccade.data.synthesis.grounding_rules import grounding_words
from saccade.data.synthesis.transitions import Effect
from saccade.types import Language

ClauseKind = Literal["on", "off", "choose", "enter", "do", "open"]
_QUOTES = {"en": ("'", "'"), "zh": ("“", "”")}
_CONTENT = {
    "up": ("scroll down", "向下滚动"),
    "down": ("scroll up", "向上滚动"),
    "left": ("go to the next page", "翻到下一页"),
    "right": ("go to the previous page", "翻到上一页"),
}
_KEYS = {
    "back": ("go back", "返回"),
    "home": ("go to the home screen", "回到主屏幕"),
    "enter": ("press enter", "按回车键"),
}
_TOUCHES = {
    "click": ("tap {}", "点击{}"),
    "long_press": ("press and hold {}", "长按{}"),
    "double_click": ("double-click {}", "双击{}"),
    "right_click": ("right-click {}", "右键点击{}"),
}
LONGEST_VERB = 3
"""Words of a button's label that is used as the verb of a sentence: "Follow", "Add to cart"."""


class Clause(NamedTuple):
    """One thing that a task asks for."""

    kind: ClauseKind
    name: str
    about: str = ""


_CLAUSES: dict[Language, dict[ClauseKind, tuple[str, ...]]] = {
    "en": {
        "on": ("turn on {name}", "switch on {name}", "enable {name}"),
        "off": ("turn off {name}", "switch off {name}", "disable {name}"),
        "choose": ("choose {name}", "select {name}", "pick {name}"),
        "enter": ("enter {name}", "type {name}"),
        "do": ("use {name}", "press {name}"),
        "open": ("open {name}", "show me {name}", "go to {name}", "bring up {name}"),
    },
    "zh": {
        "on": ("开启{name}", "启用{name}", "把{name}打开"),
        "off": ("关闭{name}", "关掉{name}", "把{name}关掉"),
        "choose": ("选择{name}", "选中{name}"),
        "enter": ("输入{name}", "填写{name}"),
        "do": ("点一下{name}", "使用{name}"),
        "open": ("打开{name}", "查看{name}", "看看{name}", "进入{name}"),
    },
}
_ABOUT: dict[Language, dict[ClauseKind, str]] = {
    "en": {"on": "{} for {about}", "off": "{} for {about}", "choose": "{} for {about}", "do": "{} for {about}"},
    "zh": {"on": "为{about}{}", "off": "为{about}{}", "choose": "为{about}{}", "do": "对{about}{}"},
}
_SENTENCES: dict[Language, tuple[str, ...]] = {
    "en": ("In {app}, {what}.", "{What} in {app}.", "Please {what} in {app}.", "Can you {what} in {app}?"),
    "zh": ("在{app}里{what}。", "请在{app}中{what}。", "帮我在{app}里{what}。", "打开{app}，{what}。"),
}
_WITHOUT_APP: dict[Language, tuple[str, ...]] = {
    "en": ("{What}.", "Please {what}.", "Can you {what}?"),
    "zh": ("{what}。", "请{what}。", "帮我{what}。"),
}


def quote(name: str, language: Language) -> str:
    first, last = _QUOTES[language]
    return f"{first}{name}{last}"


def low_level(effect: Effect, action: Action, language: Language) -> str:
    """One instruction for one action; empty where the thing that was touched has no name."""
    zh = language == "zh"
    if effect.kind == "move":
        if action.type in ("swipe", "drag"):
            return _CONTENT[str(swipe_direction(action))][zh]
        key = str(action.key or "").lower()
        return _KEYS.get(key, (f"press {key}", f"按下 {key}"))[zh] if key else ("wait", "等待")[zh]
    if not effect.name and effect.kind != "enter":
        return ""
    name = quote(effect.name, language)
    if effect.kind == "enter":
        text = quote(effect.value, language)
        if not effect.name:
            return f"输入{text}" if zh else f"type {text}"
        return f"在{name}中输入{text}" if zh else f"type {text} into {name}"
    if effect.kind == "switch":
        return clause(Clause("on" if effect.value == "on" else "off", effect.name), language, 0.0)
    if effect.kind == "choose":
        return clause(Clause("choose", effect.value or effect.name), language, 0.0)
    return _TOUCHES[action.type][zh].format(name)


def is_verb(label: str, language: Language) -> bool:
    """Can a button's label be the verb of a sentence? "Follow" can, "OK" and "Grid" cannot."""
    verbs = grounding_words()[language].verbs.split()
    if language == "zh":
        return any(label.startswith(verb) for verb in verbs) and len(label) <= 2 * LONGEST_VERB
    words = label.lower().split()
    return 0 < len(words) <= LONGEST_VERB and words[0] in verbs and all(word.isalpha() for word in words)


def clause(asked: Clause, language: Language, draw: float) -> str:
    """One thing that is asked for, in words; `draw` (0 ≤ draw < 1) chooses the wording."""
    about = quote(asked.about, language) if asked.about else ""
    if asked.kind == "do" and about and is_verb(asked.name, language):
        return f"{asked.name}{about}" if language == "zh" else f"{asked.name.lower()} {about}"
    wordings = _CLAUSES[language][asked.kind]
    said = wordings[int(draw * len(wordings))].format(name=quote(asked.name, language))
    form = _ABOUT[language].get(asked.kind)
    return form.format(said, about=about) if about and form else said


def task(asked: list[Clause], app: str, language: Language, draw: float) -> str:
    """A task: all that is asked for, and in which app; `app` may be unknown."""
    parts = [clause(each, language, draw) for each in asked]
    if language == "zh":
        what = "，".join(parts[:-1]) + ("，然后" if len(parts) > 1 else "") + parts[-1]
    else:
        what = ", ".join(parts[:-1]) + (" and " if len(parts) > 1 else "") + parts[-1]
    forms = (_SENTENCES if app else _WITHOUT_APP)[language]
    form = forms[int(draw * 7919 % len(forms))]  # another choice than that of the clauses
    return form.format(app=app, what=what, What=what[:1].upper() + what[1:])
