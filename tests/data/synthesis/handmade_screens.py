"""Two screens by hand, English and Chinese, as a world's teacher would have annotated them."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import msgspec
from PIL import Image

from saccade.actions import Action
from saccade.geometry import Box, Size
from saccade.records import write_steps
from saccade.types import Element, Step

SIZE = Size(100, 200)
CLOCK, SEARCH, MAIL, HOME = Box(0, 0, 20, 8), Box(10, 20, 90, 40), Box(10, 60, 50, 100), Box(40, 190, 60, 200)


def mail_step() -> Step:
    """Mail is to be opened: one key element, one right action beside a shortcut."""
    mail = Element(3, MAIL, "button", "Mail")
    return Step(
        id="m-0",
        episode="m",
        instruction='Send Ann a mail that says "hello"',
        screen=SIZE,
        image="screens/0.png",
        history=['tapped "Home"'],
        context='Tapped "Home".',
        elements=[
            Element(1, CLOCK, "text", "16:05", interactive=False),
            Element(2, SEARCH, "button", "Search apps"),
            mail,
            Element(4, HOME, "button", "Home"),
        ],
        key_elements=[Element(3, MAIL, "button", "Mail", "Opens the app Mail")],
        truth=[Action("open_app", text="Mail"), Action("click", point=MAIL.center, box=MAIL)],
        thought="The task needs Mail.",
        tags={"split": "train", "language": "en"},
    )


def scroll_step() -> Step:
    """Nothing on this screen matters: it has to be scrolled."""
    elements = [
        Element(1, SEARCH, "heading", "设置", interactive=False),
        Element(2, MAIL, "switch", "蓝牙", state="checked"),
    ]
    return Step(
        id="s-0",
        episode="s",
        instruction="打开勿扰模式",
        screen=SIZE,
        image="screens/1.png",
        elements=elements,
        key_elements=[],
        truth=[Action("swipe", direction="up")],
        thought="需要的内容在下面。",
        tags={"split": "train", "language": "zh"},
    )


def switch_step() -> Step:
    """A switch to be turned off; the field beside it matters, too."""
    step = scroll_step()
    field = Element(3, Box(10, 110, 90, 130), "input", "名称", state="focused")
    return Step(
        id="s-1",
        episode="s",
        step=1,
        instruction="关闭蓝牙",
        screen=SIZE,
        image="screens/2.png",
        history=["向上滑动"],
        elements=[*step.elements, field],
        key_elements=[
            Element(2, MAIL, "switch", "蓝牙", "将“蓝牙”切换为关闭", state="checked"),
            Element(3, field.box, "input", "名称", "输入框“名称”", state="focused"),
        ],
        truth=[Action("click", point=MAIL.center, box=MAIL)],
        thought="这里需要的是“蓝牙”。",
        tags={"split": "train", "language": "zh"},
    )


def unannotated_step() -> Step:
    """Nobody said what matters."""
    step = mail_step()
    step.id, step.episode, step.key_elements, step.image = "u-0", "u", None, "screens/3.png"
    return step


def write(folder: Path) -> Path:
    """All four as a data set, each with a picture of its own."""
    (folder / "screens").mkdir(parents=True)
    steps = [mail_step(), scroll_step(), switch_step(), unannotated_step()]
    for at, _ in enumerate(steps):
        picture, drawn = Image.new("RGB", SIZE, (20, 30, 40)), BytesIO()
        picture.paste((200, 40 * at, 20), (10 + 15 * at, 20, 60 + 10 * at, 60 + 40 * at))
        picture.save(drawn, "PNG")
        (folder / "screens" / f"{at}.png").write_bytes(drawn.getvalue())
    write_steps(folder / "steps.jsonl", steps)
    return folder


def made(out: Path) -> dict[str, Step]:
    """The steps of a made data set, by their ids."""
    lines = (out / "steps.jsonl").read_bytes().splitlines()
    return {step.id: step for step in (msgspec.json.decode(line, type=Step) for line in lines)}
