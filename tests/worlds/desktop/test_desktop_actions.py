"""Every action on real applications: what it does is seen in files, texts and states."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from desktop_helpers import EditorWorld, the, wait_until
from PIL import Image

from saccade.actions import ACTION_TYPES, Action
from saccade.agents.approval import Gate, load_approval_policy
from saccade.errors import InputError
from saccade.geometry import Point
from saccade.worlds import open_world
from saccade.worlds.base import CurrentTarget
from saccade.worlds.desktop.world import DesktopWorld

pytest_plugins = ["desktop_fixtures"]
pytestmark = [pytest.mark.desktop, pytest.mark.usefixtures("installed")]

LOOK = Action("wait", seconds=0)
MIXED = (
    "Hello, World! äöüß éè ñ çÇ “quoted” €£¥\n你好，世界！中文输入。 日本語テキスト 한국어 문장\n"
    "русский ελληνικά עברית العربية हिन्दी ไทย 😀🎉👨‍👩‍👧\t½²∑√→ {}[]()<>|\\~`@#$%^&*_+-=;:'\",./?"
)


def saved(editor: EditorWorld) -> str:
    """Save the file and read it. Mousepad ends a file with a line break."""
    assert editor.session is not None
    file = editor.session.home / "notes.txt"
    before = file.stat().st_mtime_ns
    editor.act(Action("press", key="ctrl+s"))
    assert wait_until(lambda: file.stat().st_mtime_ns != before)
    return file.read_text(encoding="utf-8").removesuffix("\n")


def test_any_text_is_typed_exactly(editor: EditorWorld) -> None:
    editor.text = ""
    seen = editor.reset()
    seen = editor.act(Action("type", point=the(seen.screen, type="input").center, text=MIXED))
    assert not seen.error
    assert saved(editor) == MIXED


def test_more_characters_than_there_are_unused_keys(editor: EditorWorld) -> None:
    """The keyboard has 19 unused keys of two characters each. A character whose key is about to be given away comes
    after a new one, in one text.
    """
    editor.text = ""
    editor.reset()
    many = "".join(chr(0x4E00 + 7 * number) for number in range(50))
    for text in (many, "新" + many[:20], many[10:45] + "再" + many):
        editor.act(Action("type", text=text))
    assert saved(editor) == many + "新" + many[:20] + many[10:45] + "再" + many


def test_keys_and_chords(editor: EditorWorld) -> None:
    editor.text = "one two"
    editor.reset()
    for key in ("ctrl+end", "shift+ctrl+Left", "Delete", "enter", "tab", "A", "plus", "ctrl+z", "ctrl+y", "home", "é"):
        assert not editor.act(Action("press", key=key)).error, key
    assert saved(editor) == "one \né\tA+"
    assert "there is no key" in editor.act(Action("press", key="ctrl+nonsense")).error


def test_mouse_buttons(editor: EditorWorld) -> None:
    """A double click selects a word, a drag a range; the right button opens a menu."""
    editor.text = "alpha beta gamma\n"
    seen = editor.reset()
    field = the(seen.screen, type="input").box
    line = Point(field.x0 + 20, field.y0 + 10)
    editor.act(Action("double_click", point=line))
    editor.act(Action("type", text="OMEGA"))
    assert saved(editor) == "OMEGA beta gamma"
    editor.act(Action("drag", start=Point(field.x0 + 2, line.y), end=Point(field.x0 + 300, line.y)))
    editor.act(Action("type", text="all"))
    assert saved(editor) == "all"
    seen = editor.act(Action("right_click", point=line))
    assert the(seen.screen, "Select All").interactive
    editor.act(Action("press", key="escape"))
    assert not editor.act(Action("hover", point=line)).error
    assert not editor.act(Action("long_press", point=line)).error


def test_the_wheel_moves_the_content_as_a_finger_would(editor: EditorWorld) -> None:
    editor.text = "\n".join(f"line {number}" for number in range(300))
    seen = editor.reset()
    field = the(seen.screen, type="input")
    first = seen.screen.picture
    seen = editor.act(Action("swipe", direction="up", start=field.center))
    assert first is not None and seen.screen.picture is not None
    assert seen.screen.picture.data() != first.data()
    seen = editor.act(
        Action("swipe", direction="down", start=field.center, end=Point(field.center.x, field.box.y1 - 1))
    )
    seen = editor.act(Action("hover", point=field.center))
    assert seen.screen.picture is not None and difference(seen.screen.picture.data(), first.data()) < 0.01


def difference(one: bytes, other: bytes) -> float:
    """Which share of the pixels differs."""
    first, second = (Image.open(io.BytesIO(png)).convert("L").tobytes() for png in (one, other))
    return sum(a != b for a, b in zip(first, second, strict=True)) / len(first)


def test_menus_and_dialogs(editor: EditorWorld) -> None:
    editor.text = ""
    seen = editor.reset()
    seen = editor.act(Action("click", the(seen.screen, "File").center))
    assert "selected" in the(seen.screen, "File").state
    seen = editor.act(Action("click", the(seen.screen, "Save As...").center))
    assert the(seen.screen, "Cancel", "button").interactive
    assert not [e for e in seen.screen.elements if e.text == "Search"], "the window below the dialog is covered there"
    seen = editor.act(Action("press", key="escape"))
    assert not [e for e in seen.screen.elements if e.text == "Cancel"]


def test_every_calculator_key_is_where_its_element_says(calculator: DesktopWorld) -> None:
    seen = calculator.act(Action("wait", seconds=0))
    for key in "1234567890":
        calculator.act(Action("click", the(seen.screen, "AC", "button").center))
        after = calculator.act(Action("click", the(seen.screen, key, "button").center))
        assert the(after.screen, type="input").text.split()[0] == key
    for key in ("AC", "1", "2", "*", "3", "="):
        after = calculator.act(Action("click", the(seen.screen, key, "button").center))
    assert "36" in the(after.screen, type="input").text


def test_another_application_is_opened_and_lists_are_chosen_from(calculator: DesktopWorld) -> None:
    seen = calculator.act(Action("open_app", text="text editor"))
    assert not seen.error and seen.app == "mousepad"
    assert the(seen.screen, type="input").text == ""
    assert "there is no application 'doom'" in calculator.act(Action("open_app", text="doom")).error
    assert (
        "has no entry 'Pluto'"
        in calculator.act(Action("select", point=the(seen.screen, "Search").center, text="Pluto")).error
    )
    seen = calculator.act(Action("select", point=the(seen.screen, "Search").center, text="Find and Replace..."))
    assert not seen.error and the(seen.screen, "Replace", "button")
    calculator.reset()


def test_every_action_type_is_done_or_refused(calculator: DesktopWorld) -> None:
    point = Point(5, 5)
    fields: dict[str, dict[str, Any]] = {
        "swipe": {"direction": "up"},
        "drag": {"start": point, "end": Point(9, 9)},
        "type": {"text": "x"},
        "press": {"key": "escape"},
        "select": {"point": point, "text": "x"},
        "open_app": {"text": "x"},
        "open_url": {"text": "example.org"},
        "wait": {"seconds": 0},
        "answer": {"text": "x"},
        "terminate": {"status": "success"},
    }
    errors = {type: calculator.act(Action(type, **fields.get(type, {"point": point}))).error for type in ACTION_TYPES}
    assert {type for type, error in errors.items() if error} == {"select", "open_app", "open_url"}
    assert errors["open_url"] == "this world cannot do open_url"
    assert "outside the screen of 1280×800" in calculator.act(Action("click", Point(1280, 5))).error


def test_what_an_action_would_hit_now(calculator: DesktopWorld) -> None:
    calculator.reset()
    target = calculator.current_target(Action("click", Point(5, 5)))
    assert isinstance(target, CurrentTarget)
    assert target.app == "galculator" and any(element.text == "sqrt" for element in target.elements)


def test_the_picture_has_the_size_of_the_screen_and_is_not_blank() -> None:
    with open_world("desktop/galculator", size="1920x1080") as world:
        screen = world.reset().screen
        assert screen.picture is not None
        image = Image.open(io.BytesIO(screen.picture.data())).convert("RGB")
        assert image.size == screen.size == (1920, 1080)
        colors = image.getcolors(1 << 24)
        assert colors is not None and len(colors) > 100
        button = the(screen, "7", "button").box
        key = image.crop((int(button.x0), int(button.y0), int(button.x1), int(button.y1)))
        assert len(key.getcolors(10_000) or ()) > 5, "there is a key where its element is"


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("desktop/doom", {}, "there is no application 'doom' for the desktop: use desktop/mousepad"),
        ("desktop/mousepad", {"size": "huge"}, "size is 'huge': use WIDTHxHEIGHT"),
        ("desktop/mousepad", {"colour": "red"}, "the world desktop/mousepad: "),
    ],
)
def test_wrong_input_is_told_in_one_sentence(name: str, options: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message.replace("(", r"\(")):
        open_world(name, **options)


def test_keys_of_menus_are_judged_by_what_they_press(tmp_path: Path) -> None:
    """A policy that forbids deleting also forbids the letter that presses Delete in an open menu."""
    rules = tmp_path / "policy.yaml"
    rules.write_text("default: allow\nrules: [{name: never, risk: delete, decision: deny, words: delete}]", "utf-8")
    gate = Gate(load_approval_policy(str(rules)))
    with EditorWorld("mousepad") as world:
        seen = world.reset()
        for key in ("ctrl+a", "alt+e"):
            action = Action("press", key=key)
            assert gate.check(action, seen, world).allowed
            seen = world.act(action)
        assert wait_until(lambda: any("Delete" in each.text for each in world.act(LOOK).screen.elements))
        seen = world.act(LOOK)
        pressed = Action("press", key="d")
        assert not gate.check(pressed, seen, world).allowed
        assert not gate.check(Action("type", text="d"), seen, world).allowed
        assert gate.check(Action("press", key="escape"), seen, world).allowed
