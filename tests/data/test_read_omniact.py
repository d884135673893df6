"""OmniACT: scripts as data, tasks as steps; and scripts of mouse and keyboard calls in general."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

from grounding_sets import mangled, picture, steps
from saccade.actions import Action
from saccade.data.readers import open_dataset
from saccade.data.readers.base import DataError
from saccade.data.readers.omniact import OmniACT
from saccade.data.readers.scripts import Call, action_of, actions_of, parse_script
from saccade.errors import InputError
from saccade.geometry import Box, Point, Size

SCREEN = Size(1000, 500)


def read(script: str, unit: bool = False) -> list[Action]:
    return actions_of(parse_script(script), SCREEN, unit)


# -- scripts ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("script", "action"),
    [
        ("pyautogui.click(1881.5,116.0)", Action("click", point=Point(1881.5, 116.0))),
        ("pyautogui.click(x=10, y=20, button='right')", Action("right_click", point=Point(10, 20))),
        ("pyautogui.click((10, 20))", Action("click", point=Point(10, 20))),
        ("pyautogui.click(10, 20, clicks=2)", Action("double_click", point=Point(10, 20))),
        ("pyautogui.doubleClick(10, 20,)", Action("double_click", point=Point(10, 20))),
        ("computer.tripleClick(x=10, y=20)", Action("double_click", point=Point(10, 20))),
        ("pyautogui.rightClick( 10 , 20 )", Action("right_click", point=Point(10, 20))),
        ("pyautogui.moveTo(10, 20)", Action("hover", point=Point(10, 20))),
        ("pyautogui.scroll(-10)", Action("swipe", direction="up")),
        ("pyautogui.scroll(10)", Action("swipe", direction="down")),
        ('pyautogui.hscroll("10")', Action("swipe", direction="left")),
        ("pyautogui.hscroll(-10)", Action("swipe", direction="right")),
        ("pyautogui.scroll(-5, x=3, y=4)", Action("swipe", direction="up", start=Point(3, 4))),
        ('pyautogui.hotkey("command", "shift", "n")', Action("press", key="meta+shift+n")),
        ("pyautogui.hotkey(['ctrl','c'])", Action("press", key="ctrl+c")),
        ("pyautogui.hotKey(keys=['ctrl', 'c'])", Action("press", key="ctrl+c")),
        ('pyautogui.press("Return")', Action("press", key="enter")),
        ("pyautogui.press(keys=['enter'])", Action("press", key="enter")),
        ('pyautogui.write("it\'s \\"so\\" \\u4e2d\\\\")', Action("type", text='it\'s "so" 中\\')),
        ("pyautogui.write(message='a\\nb\\n')", Action("type", text="a\nb", submit=True)),
        ("pyautogui.typewrite(r'C:\\new')", Action("type", text="C:\\new")),
        ("pyautogui.write('''two\nlines''' 'and \\\nmore')", Action("type", text="two\nlinesand more")),
        ("time.sleep(0.5)", Action("wait", seconds=0.5)),
        ("computer.wait()", Action("wait")),
        ("computer.terminate(status='success')", Action("terminate", status="success")),
        ("computer.terminate('failure', 'no way')", Action("terminate", status="failure", text="no way")),
    ],
)
def test_a_call_is_an_action(script: str, action: Action) -> None:
    assert read(script) == [action]


def test_calls() -> None:
    script = "import pyautogui\n# first\npyautogui.press('tab', presses=2, interval=-.5) ; \\\n\ntime.sleep(1e1)\n"
    assert parse_script(script) == [
        Call("press", ("tab",), {"presses": 2, "interval": -0.5}, 3),
        Call("sleep", (10.0,), {}, 5),
    ]
    assert parse_script("```python\nf(True, [None, (1, 'a')])\n```") == [Call("f", (True, [None, [1, "a"]]), {}, 2)]
    assert parse_script("") == []


def test_shares_of_the_screen() -> None:
    call = parse_script("pyautogui.click(x=0.25, y=0.5)")[0]
    assert action_of(call, SCREEN, unit=True) == Action("click", point=Point(250, 250))
    assert read("pyautogui.moveTo(.1,.1)\npyautogui.dragRel(.1, .2)", unit=True) == [
        Action("drag", start=Point(100, 50), end=Point(200, 150))
    ]


def test_the_pointer_stays_where_it_was_left() -> None:
    assert read("pyautogui.moveTo(1, 2)\npyautogui.dragTo(30, 40, button='left')\npyautogui.rightClick()") == [
        Action("drag", start=Point(1, 2), end=Point(30, 40)),
        Action("right_click", point=Point(30, 40)),
    ]
    assert read("pyautogui.moveTo(1, 2)\npyautogui.scroll(-3)\npyautogui.scroll(-3)") == [
        Action("swipe", direction="up", start=Point(1, 2)),
        Action("swipe", direction="up", start=Point(1, 2)),
    ]
    assert read("pyautogui.moveTo(1, 2)\npyautogui.click(5, 6)")[0].type == "hover", "going elsewhere is a deed"
    assert read("pyautogui.press(['tab', 'a'], presses=2)") == [
        Action("press", key=key) for key in "tab a tab a".split()
    ]


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("pyautogui.click(1,2", "line 1: '(' was never closed"),
        ("pyautogui.click(1,2)\nx = 3", "line 2: expected a call"),
        ("pyautogui.click(1,2) or 3", "line 1: expected a call"),
        ("pyautogui.click(__import__('os').getpid(), 2)", "line 1: expected a text, a number or a list"),
        ("pyautogui.write(f'{1}')", "line 1: expected a text"),
        ("pyautogui.write('open)", "line 1: unterminated string literal"),
        ("pyautogui.click(x=1, x=2)", "`x` is given twice"),
        ("pyautogui.click(x=1, 2)", "positional argument follows keyword argument"),
        ("pyautogui.click([[[[[[1]]]]]])", "line 1: expected"),
        ("pyautogui.click(1 2)", "a comma"),
        ("pyautogui.click()", "click: `x` or `y` is missing"),
        ("pyautogui.click('here', 2)", "click: `x` is 'here': expected a number"),
        ("pyautogui.click(1e400, 2)", "on no screen"),
        ("pyautogui.click(10**9, 2)", "expected a text, a number or a list"),
        ("pyautogui.click(1, 2, button='middle')", "button"),
        ("pyautogui.dragTo(1, 2)", "nothing says where the drag begins"),
        ("pyautogui.scroll(0)", "no direction"),
        ("pyautogui.press('a', presses=10000)", "press: `presses` is '10000'"),
        ("pyautogui.press(7)", "`keys` is not one key"),
        ("pyautogui.hotkey()", "hotkey: `keys` must be a list"),
        ("pyautogui.write(7)", "write: `message` is missing or no text"),
        ("time.sleep(-1)", "sleep: `seconds`"),
        ("computer.terminate('perhaps')", "terminate: `status`"),
        ("os.system('true')", "system: no such call is known"),
    ],
)
def test_what_is_no_script_is_told(script: str, reason: str) -> None:
    with pytest.raises(ValueError, match=re.escape(reason)):
        read(script)


def test_any_text_is_read_or_refused() -> None:
    rng = random.Random(7)
    pieces = [
        "pyautogui.",
        "click",
        "write",
        "press",
        "(",
        ")",
        "[",
        "]",
        "'",
        '"',
        "\\",
        "\n",
        ";",
        ",",
        "=",
        "x",
        "1",
        "-",
        ".",
        "e9",
        "#",
        "'''",
        "import ",
        "```",
        "中",
        "\0",
        "r'",
        " ",
        "9" * 400,
    ]
    good = 0
    for _ in range(3000):
        text = "".join(rng.choices(pieces, k=rng.randrange(1, 14)))
        try:
            read(text)
            good += 1
        except ValueError as error:
            assert str(error)
    assert good
    with pytest.raises(ValueError, match="line 1"):
        parse_script("f(" + "[" * 100_000)
    assert len(parse_script("f(" + "'a' " * 10_000 + ")")[0].args[0]) == 10_000
    with pytest.raises(ValueError, match="line 1: the script has 80,003 characters"):
        parse_script("f(" + "'a' " * 20_000 + ")")


# -- OmniACT ----------------------------------------------------------------------------------------------------------

TASKS = {
    "desktop/ibooks/task_1.30": "Task: Navigate to see the  next titles\nOutput Script:\npyautogui.moveTo(150,116.0)",
    "desktop/ibooks/task_1.31": "Task: Search for Dune\nOutput Script:\npyautogui.click(60, 60)\n"
    'pyautogui.write("Dune")\npyautogui.press("enter")',
    "web/asics/task_1.1": "Task: Scroll down\npyautogui.scroll(-10)\n",
    "web/asics/task_1.2": "Task: Copy\r\nOutput Script:\r\npyautogui.hotkey('ctrl','c')\r\n",
}
BOXES = {
    "search_bar": {"top_left": [20, 20], "bottom_right": [200, 100], "label": "search_bar", "valid": 1},
    "window": {"top_left": [0, 0], "bottom_right": [1000, 500], "label": "window", "valid": 1},
    "next": {"top_left": [120, 110], "bottom_right": [160, 130], "label": "next"},
}


def omniact(folder: Path) -> Path:
    """Names of web screens differ from the list, as in the published files."""
    listed = {}
    for at, (name, text) in enumerate(TASKS.items()):
        platform, app, _ = name.split("/")
        listed[str(2849 + at)] = {
            "task": f"data/tasks/{name}.txt",
            "image": f"data/data/{platform}/{app}/screen_1.png",
            "box": f"data/metadata/{platform}/boxes/{app}/screen_1.json",
        }
        web = platform == "web"
        screen, boxes = ("screen1", "screen1_boxes") if web else ("screen_1", "screen_1")
        picture(folder / "data" / "data" / platform / app / f"{screen}.png", SCREEN)
        for path, content in [
            (folder / "data" / "tasks" / f"{name}.txt", text),
            (folder / "data" / "metadata" / platform / "boxes" / app / f"{boxes}.json", json.dumps(BOXES)),
        ]:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode())
    (folder / "test.json").write_text(json.dumps(listed, indent=2))
    (folder / "train.json").write_text(json.dumps(dict(list(listed.items())[:1])))
    return folder


def test_omniact(tmp_path: Path) -> None:
    dataset = open_dataset(omniact(tmp_path / "o"))
    assert isinstance(dataset, OmniACT)
    samples = list(dataset.samples())
    found = [sample.step for sample in samples]
    assert [step.id for step in found] == [
        "test_2849_0",
        "test_2850_0",
        "test_2850_1",
        "test_2850_2",
        "test_2851_0",
        "test_2852_0",
    ]
    assert found[0].instruction == "Navigate to see the next titles" and found[0].screen == SCREEN
    assert found[0].truth == [Action("hover", point=Point(150, 116.0), box=Box(120, 110, 160, 130))]
    assert found[0].tags == {"platform": "desktop", "app": "ibooks", "split": "test"} and not found[0].grounding
    search = found[1:4]
    assert [step.episode for step in search] == ["test_2850"] * 3 and [step.step for step in search] == [0, 1, 2]
    assert [step.truth[0].type for step in search] == ["click", "type", "press"]
    assert search[0].truth[0].box == Box(20, 20, 200, 100), "the smallest box that holds the point"
    assert search[2].history == ['tapped "search bar"', 'typed "Dune"']
    assert found[4].truth == [Action("swipe", direction="up")] and found[4].tags["platform"] == "web"
    assert found[4].image == "data/data/web/asics/screen1.png", "as the file is really called"
    assert found[5].truth == [Action("press", key="ctrl+c")]
    assert not found[0].elements and samples[0].picture is not None and "record 2849" in samples[0].where
    assert dataset.progress.done == dataset.progress.total > 0
    shown = steps(open_dataset(tmp_path / "o", elements="yes", split="train"))
    assert [element.text for element in shown[0].elements] == ["search bar", "window", "next"] and len(shown) == 1
    assert len(steps(open_dataset(tmp_path / "o", split="all"))) == 7


def test_wrong_folders_and_splits(tmp_path: Path) -> None:
    (tmp_path / "test.json").write_text("{}")
    with pytest.raises(InputError, match=r"is not OmniACT: expected train\.json.*; found test\.json"):
        OmniACT(tmp_path)
    folder = omniact(tmp_path / "o")
    with pytest.raises(InputError, match="split is 'dev': use test, train, val, all"):
        OmniACT(folder, split="dev")
    with pytest.raises(InputError, match=r"there is no file .*val\.json: set split to one of test, train"):
        steps(OmniACT(folder, split="val"))


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("data/tasks/desktop/ibooks/task_1.31.txt", "Do: x", r"task: expected `Task: …`"),
        ("data/tasks/desktop/ibooks/task_1.31.txt", "Task: x\nOutput Script:\n", "task: .*the script does nothing"),
        (
            "data/tasks/desktop/ibooks/task_1.31.txt",
            "Task: x\nOutput Script:\npyautogui.fly(1)",
            "task: .*script, fly: no",
        ),
        ("data/tasks/desktop/ibooks/task_1.31.txt", b"Task: \xff\xfe", "task: .* is not UTF-8"),
        ("data/tasks/desktop/ibooks/task_1.31.txt", None, "task: there is no file"),
    ],
)
def test_a_broken_task_costs_only_itself(tmp_path: Path, file: str, content: Any, message: str) -> None:
    folder = omniact(tmp_path / "o")
    if content is None:
        (folder / file).unlink()
    else:
        (folder / file).write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(DataError, match=rf"test\.json, record 2850: {message}"):
        steps(OmniACT(folder))
    dataset = OmniACT(folder, keep_going=True)
    assert len(steps(dataset)) == 3 and len(dataset.problems) == 1


@pytest.mark.parametrize(
    ("boxes", "message"),
    [
        ('{"a": {"top_left": [1, 2]}}', "entry a: .*bottom_right"),
        ('{"a": {"top_left": [1], "bottom_right": [2, 3]}}', "entry a: top_left"),
        ('{"a": {"top_left": [1, 2], "bott', "entry 0: .*cut off"),
        ("", "an empty file"),
    ],
)
def test_broken_boxes_are_named(tmp_path: Path, boxes: str, message: str) -> None:
    folder = omniact(tmp_path / "o")
    (folder / "data/metadata/web/boxes/asics/screen1_boxes.json").write_text(boxes)
    with pytest.raises(DataError, match=rf"record 2851: box: .*screen1_boxes\.json, .*{message}"):
        steps(OmniACT(folder))
    assert len(steps(OmniACT(folder, keep_going=True))) == 4


def test_fuzz_omniact(tmp_path: Path) -> None:
    rng = random.Random(11)
    folder = omniact(tmp_path / "o")
    files = [folder / "test.json", *sorted((folder / "data").rglob("*.json")), *sorted(folder.rglob("*.txt"))]
    complaints = 0
    for _ in range(120):
        file = rng.choice(files)
        raw = file.read_bytes()
        if file.suffix == ".txt":
            at = rng.randrange(len(raw))
            file.write_bytes(rng.choice([raw[:at], raw[:at] + bytes([rng.randrange(256)]) + raw[at + 1 :]]))
        else:
            file.write_bytes(mangled(raw, rng))
        try:
            steps(OmniACT(folder))
        except InputError as error:
            complaints += 1
            assert not isinstance(error, DataError) or ("test.json, record" in str(error) and ":" in str(error))
        try:
            dataset = OmniACT(folder, keep_going=True)
        except InputError as error:
            assert not isinstance(error, DataError)
        else:
            assert steps(dataset) or dataset.problems
        file.write_bytes(raw)
    assert complaints > 30
