"""Runs on disk for the tests of the replay page, with everything that a log can hold, and a browser to open them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
from PIL import Image, ImageDraw
from playwright.sync_api import Browser, Page, sync_playwright

from saccade.actions import Action
from saccade.agents.records import Approval, Attempt, LoggedStep, Outcome, Run, ScoredCandidate, StepSeconds
from saccade.geometry import Box, Point, Size
from saccade.models.base import Usage
from saccade.types import Element
from saccade.worlds.browser.engine import QUIET, find_chromium

PHONE, DESKTOP = Size(1080, 2400), Size(1280, 800)
HOSTILE = (
    "</script><script>window.hacked = 1</script><img src=x onerror='window.hacked = 1'><!-- $title ]]> \u2028 \u202e"
)
SAVE = Element(1, Box(90, 2000, 990, 2150), "button", "Save", "Saves the alarm")
NAME = Element(2, Box(90, 600, 990, 720), "field", "姓名", state="focused")
PAY = Element(3, Box(300, 900, 780, 1020), "button", "立即支付 ¥128")
EVIL = Element(4, Box(60, 1200, 1020, 1320), "text", HOSTILE, interactive=False)
ELEMENTS = [SAVE, NAME, PAY, EVIL]


def draw_screen(path: Path, size: Size, elements: list[Element], tone: int = 0) -> None:
    """A picture with something to recognise: what the elements say, in their boxes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    image = Image.new("RGB", size, (246, 247, 250 - tone % 40))
    draw = ImageDraw.Draw(image)
    draw.text((40, 40), f"screen {tone}", fill="#5a6274", font_size=44)
    for element in elements:
        draw.rounded_rectangle(element.box, 24, fill="#dfe5f7", outline="#8a96ba", width=3)
        draw.text((element.box.x0 + 24, element.box.y0 + 30), element.text[:30], fill="#20242f", font_size=44)
    image.save(path, compress_level=1)


def spent(model: float, person: float = 0.0) -> StepSeconds:
    return StepSeconds(
        model=model, world=0.4, elements=0.1, person=person, total=model + person + 0.53, first_token=0.2
    )


def all_kinds() -> list[LoggedStep]:
    """All four paradigms, everything that can go wrong, and two attempts."""
    common: dict[str, Any] = {
        "screen": PHONE,
        "elements": ELEMENTS,
        "instruction": "设一个 7:30 的闹钟",
        "episode": "e",
    }
    save = Action("click", SAVE.center, SAVE.box)
    used = Usage(input=2100, output=140, cost=0.0021, calls=1)
    first = [
        LoggedStep(
            **common,
            paradigm="btl",
            image="screens/0.png",
            prediction=Action("click", Point(540, 2075)),
            truth=[save],
            key_elements=[SAVE],
            named=[Element(0, SAVE.box), PAY],
            thought="Save it.",
            plan="Then finish",
            approval=Approval(True),
            acted=True,
            outputs=["<blink>…</blink>"],
            usage=used,
            prompt=[("system", "You operate a device."), ("user", f"Do it. {HOSTILE}")],
            seconds=spent(1.2),
            rewards={"format": 1.0, "blink": 0.5, "link": -0.25},
            app="com.example.clock",
        ),
        LoggedStep(
            **common,
            paradigm="uiloop",
            image="screens/1.png",
            thought="要找的不在这里，向上滑动。",
            acted=True,
            prediction=Action("swipe", start=Point(540, 1800), end=Point(540, 600), direction="up"),
            approval=Approval(True),
            repairs=["a missing </ui> was added"],
            seconds=spent(0.9),
        ),
        LoggedStep(
            **common,
            paradigm="secagent",
            image="screens/2.png",
            summary="已打开时钟。",
            context="None",
            prediction=Action("type", text=HOSTILE),
            thought=HOSTILE,
            plan=HOSTILE,
            events=[HOSTILE],
            notes=[HOSTILE],
            url=f"http://x/{HOSTILE}",
            output=HOSTILE,
            outputs=[HOSTILE],
            history=[HOSTILE],
            approval=Approval(True, why=HOSTILE),
            acted=True,
            seconds=spent(1.0),
        ),
        LoggedStep(
            **common,
            paradigm="guidnav",
            image="screens/3.png",
            prediction=Action("click", PAY.center),
            candidates=[
                ScoredCandidate(Action("click", SAVE.center), "keep", 0.5, 0.2),
                ScoredCandidate(Action("click", PAY.center), "buy", 0.3, 0.9),
                ScoredCandidate(Action("press", key="back"), "", 0.2),
            ],
            chosen=1,
            choice="highest score",
            seconds=spent(2.5, person=4.0),
            approval=Approval(False, "paying needs approval", "pay-words", "pay", "nobody"),
        ),
        LoggedStep(
            **common,
            paradigm="btl",
            image="screens/3.png",
            problem="there is no <link> section",
            outputs=["I cannot", "still not"],
            seconds=spent(2.0),
        ),
        LoggedStep(
            **common,
            paradigm="btl",
            image="screens/4.png",
            prediction=Action("click", Point(100, 100)),
            truth=[save],
            approval=Approval(True),
            acted=True,
            error="nothing is there",
            seconds=spent(0.5),
        ),
        LoggedStep(**common, paradigm="btl", prediction=Action("press", key="back"), acted=True, seconds=spent(0.3)),
        LoggedStep(**common, paradigm="btl", image="screens/gone.png", prediction=Action("wait"), acted=True),
    ]
    link = Element(7, Box(600, 380, 700, 420), "link", "More")
    common |= {"screen": DESKTOP, "elements": [link], "attempt": 1}
    second = [
        LoggedStep(**common, image="screens/5.png", prediction=Action("click", Point(650, 400)), acted=True),
        LoggedStep(
            **common,
            image="screens/5.png",
            acted=True,
            seconds=spent(0.4),
            prediction=Action("drag", start=Point(100, 100), end=Point(900, 500)),
        ),
        LoggedStep(
            **common,
            image="screens/5.png",
            prediction=Action("terminate", status="success", text="done"),
            reward=1.0,
            done=True,
            seconds=spent(0.4),
        ),
    ]
    for steps in (first, second):
        for at, step in enumerate(steps):
            step.step, step.id = at, f"{step.attempt}-{at}"
    return first + second


def write_run(folder: Path, steps: list[LoggedStep], run: Run | None) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for at, name in enumerate(dict.fromkeys(step.image for step in steps if step.image)):
        step = next(step for step in steps if step.image == name)
        if "gone" not in name:
            draw_screen(folder / name, step.screen, list(step.elements), at)
    (folder / "steps.jsonl").write_bytes(b"".join(msgspec.json.encode(step) + b"\n" for step in steps))
    if run is not None:
        (folder / "run.json").write_bytes(msgspec.json.encode(run))
    return folder


def a_run(language: str = "en") -> Run:
    failed = Outcome("failure", "steps", "the limit of 8 steps was reached", steps=8)
    settings = {"world": "phone/clock.add_alarm", "model": "openai/some", "seed": 3, "language": language}
    return Run(
        id="r1",
        settings=settings,
        versions={"saccade": "0.1.0"},
        started="2025-11-15T12:00:00Z",
        instruction="设一个 7:30 的闹钟",
        attempts=[
            Attempt(failed, False, "the alarm is missing", "Save before you leave."),
            Attempt(Outcome("success", "world")),
        ],
        usage=Usage(31_400, 1_900, 0.021, 12),
        seconds=74.2,
        resumed=1,
        outcome=Outcome("success", "world", "the state is as asked", 1.0, steps=3),
    )


# -- the browser -------------------------------------------------------------------------------------------------------


def until(page: Page, condition: str) -> None:
    """Playwright's own way to wait evaluates text in the page, which the page's policy forbids (except at once)."""
    ended = time.monotonic() + 10
    while not page.evaluate(condition):
        assert time.monotonic() < ended, condition
        time.sleep(0.02)


@contextmanager
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=[*QUIET, "--no-sandbox"])
        yield browser
        browser.close()


@dataclass
class Opened:
    """A page and what it complained about."""

    page: Page
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def until(self, condition: str) -> None:
        until(self.page, condition)

    def text(self, selector: str) -> str:
        return self.page.locator(selector).inner_text()

    def current(self) -> str:
        return self.page.locator('.step[aria-current="step"] .number').inner_text()

    def centre(self, selector: str) -> tuple[float, float]:
        box = self.page.locator(selector).bounding_box()
        assert box is not None
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def place(self, point: Point, screen: Size = PHONE) -> tuple[float, float]:
        """Where a point of the screen is shown, by the picture's own box."""
        box = self.page.locator("#shot").bounding_box()
        assert box is not None
        return box["x"] + point.x / screen.width * box["width"], box["y"] + point.y / screen.height * box["height"]


class Opening:
    """Opens pages; `check` says whether any of them complained or wanted something from outside."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self.opened: list[Opened] = []

    def __call__(self, folder: Path, hash: str = "", width: int = 1440, height: int = 900, **options: Any) -> Opened:
        size = {"width": width, "height": height}
        context = self.browser.new_context(viewport=size, reduced_motion="reduce", **options)  # type: ignore[arg-type]
        page = context.new_page()
        one = Opened(page)
        page.on("console", lambda said: one.complaints.append(said.text) if said.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: one.complaints.append(str(error)))
        page.on("requestfailed", lambda request: one.complaints.append(f"failed: {request.url[:80]}"))
        page.on("request", lambda request: one.requests.append(request.url[:80]))
        page.goto(f"{(folder / 'replay.html').as_uri()}{hash}")
        self.opened.append(one)
        return one

    def check(self) -> None:
        for one in self.opened:
            one.page.context.close()
            assert one.complaints == []
            assert all(url.startswith(("file:", "data:")) for url in one.requests), one.requests
