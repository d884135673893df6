"""A walk through a small settings app by hand, English or Chinese, with what changed in its state after each action."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image

from saccade.actions import Action
from saccade.geometry import Box, Size
from saccade.records import write_steps
from saccade.types import Element, Language, Step

SIZE = Size(100, 200)
ICON, BACK, HEADING = Box(10, 20, 40, 50), Box(2, 10, 12, 20), Box(20, 10, 90, 20)
ROWS = [Box(5, top, 95, top + 20) for top in (30, 60, 90)]
WORDS: dict[Language, dict[str, str]] = {
    "en": {"app": "Settings", "sound": "Sound", "vibrate": "Vibrate", "tone": "Dawn", "back": "Back", "name": "Name"},
    "zh": {"app": "设置", "sound": "声音", "vibrate": "振动", "tone": "晨曦", "back": "返回", "name": "名称"},
}
Change = list[Any]


def page(language: Language, name: str, on: bool = False, chosen: bool = False, text: str = "") -> list[Element]:
    """The elements of a screen: the home screen, the list of settings, the page Sound, or a form."""
    said = WORDS[language]
    if name == "home":
        return [Element(1, ICON, "icon", said["app"])]
    head = [Element(1, HEADING, "heading", said["app"], interactive=False)]
    if name == "list":
        return [*head, Element(2, ROWS[0], "button", said["sound"]), Element(3, ROWS[1], "button", said["name"])]
    head = [Element(1, HEADING, "heading", said[name], interactive=False), Element(2, BACK, "button", said["back"])]
    if name == "sound":
        return [
            *head,
            Element(3, ROWS[0], "switch", said["vibrate"], state="checked" if on else ""),
            Element(4, ROWS[1], "radio", said["tone"], state="checked" if chosen else ""),
        ]
    return [*head, Element(3, ROWS[0], "input", text or said["name"], said["name"])]


def front(before: str, after: str) -> Change:
    return ["front.screen", before, after]


def click(element: Element) -> Action:
    return Action("click", point=element.box.center)


def walk_steps(language: Language) -> list[Step]:
    """Into the app, to Sound, the switch, the tone, back, and to the form."""
    home, first, sound = page(language, "home"), page(language, "list"), page(language, "sound")
    on, both = page(language, "sound", on=True), page(language, "sound", on=True, chosen=True)
    form, filled = page(language, "name"), page(language, "name", text="Ada")
    vibrates = ["apps.settings.sound.vibrate", False, True]
    rings = ["apps.settings.sound.tone", "Noon", "Dawn"]
    done: list[tuple[str, list[Element], Action | None, Element | None, list[Change], bool]] = [
        ("launcher", home, click(home[0]), home[0], [["front.app", "launcher", "settings"]], True),
        ("settings", first, click(first[1]), first[1], [front("list", "sound")], True),
        ("settings", sound, click(sound[2]), sound[2], [vibrates], True),
        ("settings", on, Action("wait", seconds=1), None, [], False),
        ("settings", on, click(on[3]), on[3], [rings], True),
        ("settings", both, click(both[1]), both[1], [front("sound", "list")], True),
        ("settings", first, click(first[2]), first[2], [front("list", "name")], True),
        ("settings", form, Action("type", text="Ada", point=form[2].box.center), form[2], [], True),
        ("settings", filled, None, None, [], False),
    ]
    done[7] = (*done[7][:4], [["apps.settings.owner", "", "Ada"]], True)
    steps = []
    for at, (app, elements, action, element, changes, changed) in enumerate(done):
        tags = {"language": language, "app": app}
        if action is not None:
            tags |= {"changed": "yes" if changed else "no", "state_changes": json.dumps(changes, ensure_ascii=False)}
        if element is not None:
            tags["element"] = str(element.id)
        episode = f"w-{language}"
        steps.append(
            Step(
                id=f"{episode}-{at:02}",
                episode=episode,
                step=at,
                screen=SIZE,
                image=f"screens/{language}-{at}.png",
                elements=elements,
                prediction=action,
                tags=tags,
            )
        )
    return steps


def write_walk(folder: Path) -> Path:
    """Both languages as a data set, each screen with a picture of its own."""
    (folder / "screens").mkdir(parents=True)
    steps = [*walk_steps("en"), *walk_steps("zh")]
    for number, step in enumerate(steps):
        picture, drawn = Image.new("RGB", SIZE, (20, 30, 40)), BytesIO()
        for element in step.elements:
            x0, y0, x1, y1 = map(int, element.box)
            picture.paste((40 + 10 * number, 200, 90 + 20 * element.id), (x0, y0, x1, y1))
        picture.save(drawn, "PNG")
        (folder / step.image).write_bytes(drawn.getvalue())
    write_steps(folder / "steps.jsonl", steps)
    return folder
