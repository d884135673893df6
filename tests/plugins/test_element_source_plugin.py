"""examples/plugins/my_element_source.py from elsewhere: parse, run, bench, read; and sources that do not work."""

from __future__ import annotations

import io
import json
import shutil
from pathlib import Path

import msgspec
import pytest
from command import CommandResult, saccade
from PIL import Image, ImageDraw

from saccade import Action, Point
from saccade.agents.redact import redact
from saccade.geometry import Box, Size
from saccade.plugins import plugins_loaded
from saccade.records import write_steps
from saccade.screens import element_source
from saccade.screens.element_source import ELEMENT_SOURCES, elements_in_picture, open_element_source
from saccade.types import Element, Picture, Screen, Step
from saccade.worlds import open_world
from saccade.worlds.base import Observation
from saccade.worlds.element_source_world import ElementSourceWorld, seen_through
from saccade.worlds.secrets import Secret, Vault

PLUGIN = Path(__file__).parents[2] / "examples" / "plugins" / "my_element_source.py"
SIZE = Size(100, 200)
BLOCK, OTHER = Box(10, 20, 60, 50), Box(10, 100, 60, 130)


def screen(*boxes: Box, size: Size = SIZE) -> Image.Image:
    image = Image.new("RGB", size, "white")
    for box in boxes:
        ImageDraw.Draw(image).rectangle((box.x0, box.y0, box.x1 - 1, box.y1 - 1), fill="navy")
    return image


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """An episode of two steps: the first has an element of its own, the second has none."""
    shutil.copy(PLUGIN, tmp_path / "mine.py")
    screen(BLOCK).save(tmp_path / "0.png")
    screen(BLOCK, OTHER).save(tmp_path / "1.png")
    own = [Element(1, Box(0, 0, 20, 20), "button", "own")]
    truths = [Action("click", Point(30, 30), BLOCK), Action("terminate", status="success")]
    steps = [
        Step(
            id=f"e-{at}",
            episode="e",
            step=at,
            instruction="点一下",
            screen=SIZE,
            image=f"{at}.png",
            elements=own if at == 0 else [],
            truth=[truth],
        )
        for at, truth in enumerate(truths)
    ]
    write_steps(tmp_path / "steps.jsonl", steps)
    return tmp_path


def call(folder: Path, *words: str | Path) -> CommandResult:
    return saccade(*words, "--plugin", "mine.py", folder=folder, SACCADE_CACHE=str(folder / "cache"))


def read(file: Path) -> list[Step]:
    return [msgspec.json.decode(line, type=Step) for line in file.read_bytes().splitlines()]


def test_parse_a_picture(data: Path) -> None:
    done = call(data, "parse", "1.png", "--elements", "blocks", "--language", "zh", "--json")
    assert done.returncode == 0, done.stderr
    first, second = json.loads(done.stdout)["elements"]
    assert first == {"id": 1, "box": [10, 20, 60, 50], "type": "button", "caption": "块"}
    assert second["box"] == [10, 100, 60, 130]


def test_parse_a_folder_leaves_out_what_is_no_picture(data: Path) -> None:
    (data / "words.png").write_text("no picture", encoding="utf-8")
    done = call(data, "parse", ".", "--elements", "blocks", "--out", "out")
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1 and "words.png: it is not an image" in done.stderr
    assert "2 pictures, 3 elements" in done.stdout
    assert sorted(file.name for file in (data / "out" / "1.png").iterdir()) == [
        "elements.json",
        "marked.png",
        "screen.png",
    ]


def test_a_run_sees_the_pictures_and_its_teacher_the_tree(data: Path) -> None:
    words = ["run", "--world", "replay:.", "--model", "oracle", "--elements", "blocks", "--out", "run", "--json"]
    done = call(data, *words)
    assert done.returncode == 0, done.stdout + done.stderr
    logged = [json.loads(line) for line in (data / "run" / "steps.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [len(step["elements"]) for step in logged] == [1, 2]
    assert logged[0]["elements"][0] == {"id": 1, "box": [10, 20, 60, 50], "type": "button", "caption": "块"}
    assert json.loads((data / "run" / "run.json").read_text(encoding="utf-8"))["settings"]["elements"] == "blocks"


def test_a_measurement_sees_the_pictures_of_a_recording(data: Path) -> None:
    words = ["bench", "steps", "--data", "steps.jsonl", "--model", "oracle", "--elements", "blocks", "--out", "out"]
    done = call(data, *words)
    assert done.returncode == 0, done.stderr
    steps = [json.loads(line) for line in (data / "out" / "steps.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [len(step["elements"]) for step in steps] == [1, 2]
    assert "elements blocks" in (data / "out" / "report.md").read_text(encoding="utf-8")


def test_records_without_elements_are_filled_and_kept_on_disk(data: Path) -> None:
    words = ["data", "read", "steps.jsonl", "--elements", "blocks", "--workers", "1", "--out"]
    done = call(data, *words, "filled")
    assert done.returncode == 0, done.stderr
    first, second = read(data / "filled" / "steps.jsonl")
    assert [element.text for element in first.elements] == ["own"]
    assert [element.box for element in second.elements] == [BLOCK, OTHER]
    (kept,) = (data / "cache").rglob("*.json")
    assert kept.parts[-3] == "blocks-1-zh"
    kept.write_bytes(msgspec.json.encode([Element(1, BLOCK, text="from the cache")]))
    assert call(data, *words, "again").returncode == 0
    assert read(data / "again" / "steps.jsonl")[1].elements[0].text == "from the cache"


def test_any_world_is_seen_through_a_source(data: Path) -> None:
    with plugins_loaded([str(data / "mine.py")]):
        source = open_element_source("blocks")
    world = seen_through(open_world(f"replay:{data}"), source)
    assert isinstance(world, ElementSourceWorld)
    assert (world.name, world.rule, world.judges) == ("replay", "cmgui", world.world.judges)
    seen = world.reset()
    assert [element.box for element in seen.screen.elements] == [BLOCK]
    assert [element.text for element in seen.world_elements] == ["own"]
    teacher = world.teacher()
    assert teacher is not None and teacher.teach(seen).truth[0].box == BLOCK
    assert [element.box for element in world.act(Action("wait")).screen.elements] == [BLOCK, OTHER]
    assert seen_through(world, None) is world


def test_boxes_are_in_pixels_of_the_screen(data: Path) -> None:
    with plugins_loaded([str(data / "mine.py")]):
        source = open_element_source("blocks")
    assert source is not None
    found = elements_in_picture(source, screen(BLOCK), Size(300, 400), "en")
    assert found == [Element(1, Box(30, 40, 180, 100), "button", caption="block")]


def test_a_secret_that_only_the_tree_shows_is_covered() -> None:
    """What was read in the picture may be the secret, misread: the world's own element tells where it stands."""
    vault = Vault({"pin": Secret("hunter2", "example.org")})
    misread, far = Element(1, Box(12, 22, 58, 48), text="hunter 2"), Element(2, OTHER, text="other")
    file = io.BytesIO()
    screen(BLOCK).save(file, "PNG")
    shown = Screen(SIZE, Picture(file.getvalue(), SIZE), [misread, far])
    seen = redact(Observation(shown, world_elements=[Element(1, BLOCK, text="hunter2")]), vault)
    assert [element.text for element in seen.screen.elements] == ["{secret.pin}", "other"]
    assert seen.world_elements[0].text == "{secret.pin}"
    assert seen.screen.picture is not None
    assert Image.open(io.BytesIO(seen.screen.picture.data())).getpixel((59, 49)) == (58, 58, 58)


def test_a_source_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ELEMENT_SOURCES, "names", lambda: [])
    done = saccade("parse", "screen.png")
    assert done.returncode == 3
    assert "pip install 'saccade[vision]'" in done.stderr and done.stderr.count("\n") == 1
    assert element_source.source_names() == ["tree"]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return 5", "it opens the element source 'mine' and returned int"),
        ("return Wrong()", "the element source mine must return Elements"),
    ],
)
def test_a_source_that_does_not_work(data: Path, body: str, said: str) -> None:
    (data / "mine.py").write_text(
        "from saccade.screens.element_source import ElementSource\n"
        "class Wrong(ElementSource):\n    name = 'mine'\n    def find(self, image, language): return [1]\n"
        f"def open_mine(): {body}\nSACCADE = {{'element_sources': {{'mine': open_mine}}}}\n",
        encoding="utf-8",
    )
    done = call(data, "parse", "1.png", "--elements", "mine")
    assert done.returncode == 2
    assert said in done.stderr and "mine.py" in done.stderr and done.stderr.count("\n") == 1
