"""What a teacher says about elements and actions, put together from what is known of them: nothing is invented.

English and Chinese. Used for descriptions in the form of UILoop's data, and for its reasoning (appendix A, step 4).
"""

from __future__ import annotations

from collections.abc import Sequence

from saccade.actions import Action, swipe_direction
from saccade.paradigms.wording import quoted
from saccade.types import Element, Language, Step

BEGINNING: dict[Language, str] = {"en": "this element", "zh": "该元素"}
"""How a description begins after `Located at [x, y], `."""
_TYPES: dict[str, tuple[str, str]] = {
    "button": ("button", "按钮"),
    "input": ("text field", "输入框"),
    "password": ("password field", "密码框"),
    "tab": ("tab", "标签页"),
    "switch": ("switch", "开关"),
    "checkbox": ("checkbox", "复选框"),
    "radio": ("radio button", "单选按钮"),
    "option": ("option", "选项"),
    "text": ("text", "文字"),
    "heading": ("heading", "标题"),
    "icon": ("icon", "图标"),
    "image": ("image", "图片"),
    "link": ("link", "链接"),
    "slider": ("slider", "滑块"),
    "gridcell": ("cell", "单元格"),
    "scroll": ("list that can be scrolled", "可滚动的列表"),
}
_STATES = {
    "checked": "已勾选",
    "selected": "已选中",
    "focused": "已获得焦点",
    "disabled": "不可用",
    "expanded": "已展开",
    "collapsed": "已收起",
}
_DIRECTIONS = {"up": "上", "down": "下", "left": "左", "right": "右"}
_TOUCHES: dict[str, tuple[str, str]] = {
    "click": ("tap", "点击"),
    "long_press": ("press and hold", "长按"),
    "double_click": ("double-click", "双击"),
    "right_click": ("right-click", "右键点击"),
    "hover": ("point at", "指向"),
}
_WRITINGS: dict[str, tuple[str, str]] = {
    "type": ("type", "输入"),
    "open_app": ("open the app", "打开应用"),
    "open_url": ("open the page", "打开网页"),
    "answer": ("answer", "回答"),
}
_KEYS = {
    "back": ("go back", "返回上一级"),
    "home": ("go to the home screen", "回到主屏幕"),
    "enter": ("press enter", "按回车键"),
}


def type_word(element: Element, language: Language) -> str:
    """The kind of an element in words."""
    unknown = (element.type or "element", element.type or "元素")
    return _TYPES.get(element.type, unknown)[language == "zh"]


def name(element: Element, language: Language) -> str:
    """An element as a sentence speaks of it: the button "Save", 按钮“保存”."""
    zh = language == "zh"
    said = element.text or element.caption
    word = type_word(element, language)
    if zh:
        return word + (quoted(said, zh) if said else "")
    return f"the {word}" + (f" {quoted(said)}" if said else "")


def describe(element: Element, caption: str, language: Language) -> str:
    """One sentence: what the element is, what it says, its state, and what it does where that is known.

    >>> from saccade.geometry import Box
    >>> describe(Element(1, Box(0, 0, 9, 9), "button", "Mail"), "Opens the app Mail", "en")
    'this element is a button that says "Mail": opens the app Mail.'
    >>> describe(Element(1, Box(0, 0, 9, 9), "switch", "蓝牙", state="checked"), "", "zh")
    '该元素是显示“蓝牙”的开关，已勾选。'
    """
    zh, word = language == "zh", type_word(element, language)
    does = " ".join(caption.split()).rstrip(".。")
    does = "" if does == element.text else does
    states = element.state.split()
    if zh:
        says = f"显示{quoted(element.text, zh)}的" if element.text else ""
        state = "".join(f"，{_STATES.get(each, each)}" for each in states)
        return f"{BEGINNING[language]}是{says}{word}{state}" + (f"：{does}。" if does else "。")
    article = "an" if word[0] in "aeiou" else "a"
    says = f" that says {quoted(element.text)}" if element.text else ""
    state = ", " + " and ".join(states) if states else ""
    does = does[:1].lower() + does[1:] if does[1:2].islower() else does
    return f"{BEGINNING[language]} is {article} {word}{says}{state}" + (f": {does}." if does else ".")


def next_action(action: Action, step: Step, language: Language) -> str:
    """What is to be done, as the rest of a sentence: tap the button "Save"."""
    zh = language == "zh"
    if action.type in ("swipe", "drag"):
        direction = str(swipe_direction(action))
        return f"向{_DIRECTIONS[direction]}滑动" if zh else f"swipe {direction}"
    if action.type == "press":
        key = str(action.key)
        return _KEYS.get(key, (f"press {key}", f"按 {key}"))[zh]
    if action.type == "wait":
        return "等待" if zh else "wait"
    if action.type == "terminate":
        done = action.status == "success"
        return (
            ("结束任务，任务已完成" if done else "结束任务，任务无法完成")
            if zh
            else ("end the task as done" if done else "end the task as impossible")
        )
    said = _in_quotes(action.text, zh) if action.text is not None else ""
    place = _target(action, step, language)
    if action.type == "select":
        return f"在{place}中选择{said}" if zh else f"choose {said} in {place}"
    if action.type in _TOUCHES:
        verb = _TOUCHES[action.type][zh]
        return f"{verb}{place}" if zh else f"{verb} {place}"
    verb = _WRITINGS[action.type][zh]
    return f"{verb}{said}" if zh else f"{verb} {said}"


def reasoning(step: Step, action: Action, key: Sequence[Element], thought: str, language: Language) -> list[str]:
    """UILoop's sentences: the task, the elements, why they help (the teacher's thought, if any), the action."""
    zh = language == "zh"
    task, done = _in_quotes(step.instruction, zh), [" ".join(line.split()) for line in step.history[-3:]]
    names = [name(element, language) for element in key]
    if zh:
        told = [f"任务是{task}" + (f"，此前的操作：{'；'.join(done)}。" if done else "。")]
        told.append(f"这个界面上重要的元素是{'、'.join(names)}。")
        return [*told, *filter(None, [thought]), f"因此下一步：{next_action(action, step, language)}。"]
    told = [f"The task is {task}" + (f"; done before: {', then '.join(done)}." if done else ".")]
    listed = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    told.append(f"On this screen {listed} {'matters' if len(names) == 1 else 'matter'}.")
    return [*told, *filter(None, [thought]), f"So the next action is to {next_action(action, step, language)}."]


def _target(action: Action, step: Step, language: Language) -> str:
    """What the action is aimed at: of key elements and elements, the one with the action's own box, else at its
    point.
    """
    elements = [*(step.key_elements or ()), *step.elements]
    exact = next((each for each in elements if action.box is not None and each.box == action.box), None)
    found = exact or (step.view.element_at(action.point) if action.point is not None else None)
    return name(found, language) if found is not None else ("目标位置" if language == "zh" else "that place")


def _in_quotes(text: str, zh: bool) -> str:
    """A whole text on one line, in quotes."""
    line = " ".join(text.split())
    return f"“{line}”" if zh else f'"{line}"'
