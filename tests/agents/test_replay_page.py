"""The replay page of a run, opened from disk in real Chromium."""

from __future__ import annotations

from pathlib import Path

import pytest
from replay_runs import DESKTOP, EVIL, HOSTILE, PAY, PHONE, SAVE, Opening, a_run, all_kinds, write_run

from saccade.actions import ACTION_TYPES, Action
from saccade.agents.records import LoggedStep
from saccade.agents.replay_page import write_replay
from saccade.geometry import Point

pytestmark = pytest.mark.browser

pytest_plugins = ["replay_fixtures"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write_run(tmp_path_factory.mktemp("run"), all_kinds(), a_run())
    write_replay(folder)
    return folder


def test_every_step_is_shown_with_its_picture(folder: Path, opening: Opening) -> None:
    one = opening(folder)
    assert one.text("#instruction") == "设一个 7:30 的闹钟"
    assert one.text("#badge") == "Success"
    for said in ("phone/clock.add_alarm", "btl", "openai/some", "1 min 14 s", "33.3k", "$0.021"):
        assert said in one.text("#summary")
    assert "First problem: step 4, refused" in one.text("#outcome")
    for _ in range(2):
        for at in range(one.page.locator(".step").count()):
            assert one.current() == str(at + 1)
            row_has_picture = one.page.locator(".step").nth(at).locator("img").count() == 1
            loaded = "document.querySelector('#shot').complete && document.querySelector('#shot').naturalWidth > 0"
            if row_has_picture:
                one.until(loaded)
                assert one.page.locator("#shot").get_attribute("alt")
            else:
                assert not one.page.locator("#shot").is_visible()
                assert one.page.locator("#nothing").is_visible()
            one.page.keyboard.press("ArrowRight")
        one.page.keyboard.press("]")
    one.until("[...document.querySelectorAll('.strip img')].every(i => i.naturalWidth > 0)")


def test_keys_and_buttons_move(folder: Path, opening: Opening) -> None:
    one = opening(folder)
    page = one.page
    seen = []
    for key in ["ArrowRight", "ArrowRight", "ArrowLeft", "End", "ArrowRight", "Home", "ArrowLeft"]:
        page.keyboard.press(key)
        seen.append(one.current())
    assert seen == ["2", "3", "2", "8", "8", "1", "1"]
    page.keyboard.press("ArrowDown")
    assert "Attempt 2" in one.text(".tab[aria-current]")
    assert page.evaluate("location.hash") == "#2.1"
    page.keyboard.press("[")
    assert "the alarm is missing" in one.text("#judgement")
    assert "Save before you leave." in one.text("#judgement")
    for id, where in [("next", "2"), ("last", "8"), ("previous", "7"), ("first", "1")]:
        page.click(f"#{id}")
        assert one.current() == where
    troubles = []
    for _ in range(4):
        page.keyboard.press("e")
        troubles.append(one.current())
    assert troubles == ["4", "5", "6", "4"]
    page.locator(".step").nth(1).click()
    page.locator(".column").nth(2).click()
    assert one.current() == "3"
    page.keyboard.press("Shift+?")
    assert page.locator("#help").is_visible()
    page.keyboard.press("ArrowRight")
    assert one.current() == "3"
    page.keyboard.press("Escape")
    assert not page.locator("#help").is_visible()


def test_it_plays(folder: Path, opening: Opening) -> None:
    one = opening(folder, "#7")
    one.page.locator(".step").nth(5).click()
    one.page.keyboard.press(" ")
    assert one.page.locator("#play").get_attribute("aria-label") == "Pause"
    one.until("document.querySelector('[aria-current=step] .number').textContent === '7'")
    one.page.keyboard.press(" ")
    assert one.page.locator("#play").get_attribute("aria-label") == "Play"


@pytest.mark.parametrize(
    ("hash", "tab", "step"),
    [("#3", "1", "3"), ("#2.2", "2", "2"), ("#99", "1", "8"), ("#x", "1", "1"), ("#0", "1", "1")],
)
def test_a_hash_opens_a_step(folder: Path, opening: Opening, hash: str, tab: str, step: str) -> None:
    one = opening(folder, hash)
    assert f"Attempt {tab}" in one.text(".tab[aria-current]")
    assert one.current() == step
    one.page.evaluate("location.hash = '#1.5'")
    one.until("document.querySelector('[aria-current=step] .number').textContent === '5'")


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (1000, 700), (390, 844)])
def test_marks_lie_where_the_action_was(folder: Path, opening: Opening, width: int, height: int) -> None:
    one = opening(folder, "#1", width, height)
    one.page.wait_for_selector(".tap")
    assert one.centre(".tap") == pytest.approx(one.place(Point(540, 2075)), abs=1.5)
    assert one.centre(".box.hit") == pytest.approx(one.place(SAVE.center), abs=1.5)
    assert one.centre(".box.named:has-text('2')") == pytest.approx(one.place(PAY.center), abs=1.5)
    assert one.centre(".box.key") == pytest.approx(one.place(SAVE.center), abs=1.5)
    one.page.keyboard.press("ArrowRight")
    assert one.centre(".begin") == pytest.approx(one.place(Point(540, 1800)), abs=1.5)
    assert one.centre(".trail") == pytest.approx(one.place(Point(540, 1200)), abs=1.5)
    one.page.keyboard.press("]")
    assert one.centre(".tap") == pytest.approx(one.place(Point(650, 400), DESKTOP), abs=1.5)
    one.page.keyboard.press("ArrowRight")
    assert one.centre(".trail") == pytest.approx(one.place(Point(500, 300), DESKTOP), abs=1.5)


def test_zoom_brings_the_deed_into_view(folder: Path, opening: Opening) -> None:
    one = opening(folder, "#1")
    before = one.page.locator("#shot").bounding_box()
    one.page.keyboard.press("z")
    after, room = one.page.locator("#shot").bounding_box(), one.page.locator("#room").bounding_box()
    assert before is not None and after is not None and room is not None
    assert after["width"] > 1.5 * before["width"]
    assert room["y"] < one.centre(".tap")[1] < room["y"] + room["height"]
    assert one.centre(".tap") == pytest.approx(one.place(Point(540, 2075)), abs=1.5)
    one.page.keyboard.press("]")
    after = one.page.locator("#shot").bounding_box()
    assert after is not None and after["width"] == pytest.approx(DESKTOP.width, abs=1)
    assert room["x"] < one.centre(".tap")[0] < room["x"] + room["width"]
    assert one.centre(".tap") == pytest.approx(one.place(Point(650, 400), DESKTOP), abs=1.5)


def test_layers_switch(folder: Path, opening: Opening) -> None:
    page = opening(folder, "#1").page

    def drawn() -> list[int]:
        return [page.locator(selector).count() for selector in (".tap", ".box.named", ".box.key", ".box.any")]

    page.wait_for_selector(".tap")
    assert drawn() == [1, 2, 1, 0]
    page.click(".layer.all")
    page.click(".layer.named")
    assert drawn() == [1, 0, 1, 4]
    assert page.locator(".layer.named").get_attribute("aria-pressed") == "false"
    seen = []
    for _ in range(4):
        page.keyboard.press("l")
        seen.append(drawn())
    assert seen == [[1, 2, 1, 4], [1, 0, 0, 0], [0, 0, 0, 0], [1, 2, 1, 0]]


def test_pointing_at_an_element_tells_what_it_is(folder: Path, opening: Opening) -> None:
    one = opening(folder, "#2")
    one.page.mouse.move(*one.place(SAVE.center))
    assert "Saves the alarm" in one.text("#tip")
    assert one.centre(".pointed") == pytest.approx(one.place(SAVE.center), abs=1.5)
    one.page.mouse.move(5, 5)
    assert not one.page.locator("#tip").is_visible()


def test_hostile_text_is_only_text(folder: Path, opening: Opening) -> None:
    one = opening(folder, "#3")
    page = one.page
    for summary in page.locator(".fold summary").all():
        summary.click()
    panel = page.locator("#panel").evaluate("node => node.textContent")
    assert panel.count(HOSTILE) >= 8
    assert HOSTILE in page.locator(".typed .text").evaluate("node => node.textContent")
    assert page.locator("#where").evaluate("node => node.textContent") == f"http://x/{HOSTILE}"
    one.page.mouse.move(*one.place(EVIL.center))
    assert "<script>window.hacked" in one.text("#tip")
    assert one.text("code.json").endswith('\\u2028 \\u202e"}'), "what turns a line around is spelled out"
    assert page.evaluate("window.hacked") is None
    assert page.locator("img[src='x']").count() == 0
    assert page.evaluate("document.querySelectorAll('script:not([type])').length") == 1


def test_the_page_cannot_reach_the_network(folder: Path, opening: Opening, server: str) -> None:
    one = opening(folder)
    blocked = one.page.evaluate(
        """async (address) => {
            const seen = [];
            document.addEventListener("securitypolicyviolation", (event) => seen.push(event.effectiveDirective));
            await fetch(address).catch(() => {});
            const image = new Image();
            image.src = address;
            const script = document.createElement("script");
            script.textContent = "window.hacked = 1";
            document.body.append(image, script);
            await new Promise((done) => setTimeout(done, 100));
            return [...seen, window.hacked ?? "safe"];
        }""",
        f"{server}/hands.html",
    )
    assert sorted(blocked) == ["connect-src", "img-src", "safe", "script-src-elem"]
    one.complaints.clear()
    one.requests = [url for url in one.requests if not url.startswith(server)]


def test_what_happened_is_told(folder: Path, opening: Opening) -> None:
    one = opening(folder, "#4")
    page = one.page
    for said in (
        "The action was refused",
        "paying needs approval",
        "nobody to ask",
        "Risk: pay",
        "highest score",
        "0.90",
        "30 %",
        "chosen",
        "Approval 4.0 s",
    ):
        assert said in one.text("#panel")
    assert page.locator(".tap.refused").count() == 1
    assert page.locator(".ghost").all_inner_texts() == ["A"]
    page.keyboard.press("ArrowRight")
    assert "there is no <link> section" in one.text(".callout")
    assert page.locator(".fold summary").first.inner_text() == "Raw answers (2)"
    page.keyboard.press("ArrowRight")
    for said in ("nothing is there", "rule: cmgui", "Right: Tap “Save”"):
        assert said in one.text("#panel")
    marks = [mark.inner_text() for mark in page.locator(".strip .mark").all()]
    assert marks == ["repaired", "refused", "unreadable", "error", "wrong"]
    page.keyboard.press("End")
    assert one.text("#nothing") == "screens/gone.png: there is no such file"


def test_both_languages(tmp_path: Path, opening: Opening) -> None:
    one = opening(write_replay(write_run(tmp_path, all_kinds(), a_run("zh"))).parent, "#4")
    assert one.page.evaluate("document.documentElement.lang") == "zh-CN"
    assert one.text("#badge") == "成功"
    assert "动作被拒绝" in one.text("#panel")
    assert "点击“立即支付 ¥128”" in one.text("[aria-current=step]")
    one.page.click("#language")
    assert one.text("#badge") == "Success"
    assert "The action was refused" in one.text("#panel")
    assert one.current() == "4"


def test_every_action_has_words(tmp_path: Path, opening: Opening) -> None:
    texts = {
        "point": Point(540, 2075),
        "start": Point(1, 2),
        "end": Point(30, 40),
        "direction": "left",
        "text": "abc",
        "key": "back",
        "status": "failure",
        "seconds": 2,
    }
    needs = {
        "swipe": ["direction"],
        "drag": ["start", "end"],
        "type": ["text"],
        "press": ["key"],
        "wait": ["seconds"],
        "select": ["point", "text"],
        "terminate": ["status"],
    }
    steps = []
    for type in ACTION_TYPES:
        names = needs.get(type, ["text"] if type in ("open_app", "open_url", "answer") else ["point"])
        action = Action(type, **{name: texts[name] for name in names})  # type: ignore[arg-type]
        steps.append(LoggedStep(screen=PHONE, prediction=action, elements=[SAVE]))
    page = opening(write_replay(write_run(tmp_path, steps, None)).parent, locale="zh-CN").page
    chinese = page.locator(".words").all_inner_texts()
    page.keyboard.press("t")
    english = page.locator(".words").all_inner_texts()
    for words in (chinese, english):
        assert len(set(words)) == len(ACTION_TYPES)
        assert not [said for said in words if "undefined" in said or "_" in said]
    assert english[:6] == [
        "Tap “Save”",
        "Long-press “Save”",
        "Double-click “Save”",
        "Right-click “Save”",
        "Hover over “Save”",
        "Swipe left",
    ]
    assert chinese[5] == "向左滑动"
    assert page.locator("#badge").inner_text() == "Unfinished"


@pytest.mark.parametrize("width", [360, 390, 800, 1100])
def test_nothing_overflows(folder: Path, opening: Opening, width: int) -> None:
    one = opening(folder, "#3", width, 800)
    for _ in range(4):
        one.page.keyboard.press("ArrowRight")
        assert one.page.evaluate("document.documentElement.scrollWidth") <= width
    box = one.page.locator("#next").bounding_box()
    assert box is not None and box["y"] + box["height"] <= 800


CONTRAST = """() => {
  const paint = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    paint.clearRect(0, 0, 1, 1);
    paint.fillStyle = colour;
    paint.fillRect(0, 0, 1, 1);
    return [...paint.getImageData(0, 0, 1, 1).data];
  };
  const light = (colour) => {
    const [r, g, b] = colour.map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const colour = rgba(getComputedStyle(at).backgroundColor);
      if (colour[3] === 255) return colour;
    }
    return [255, 255, 255, 255];
  };
  const low = [];
  for (const node of document.querySelectorAll("body *")) {
    const own = [...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim());
    if (!own || !node.checkVisibility() || node.closest("script, noscript, #overlay, :disabled")) continue;
    const [a, b] = [light(rgba(getComputedStyle(node).color)), light(behind(node))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) low.push(`${node.tagName}.${node.className} ${ratio.toFixed(2)} ${node.textContent.slice(0, 30)}`);
  }
  return low;
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out(folder: Path, opening: Opening, scheme: str) -> None:
    page = opening(folder, color_scheme=scheme).page
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (ground == "rgb(245, 245, 248)") == (scheme == "light")
    for _ in range(7):
        assert page.evaluate(CONTRAST) == []
        page.keyboard.press("ArrowRight")
    unnamed = "[...document.querySelectorAll('button')].filter(b => !b.innerText.trim() && !b.ariaLabel).length"
    assert page.evaluate(unnamed) == 0
