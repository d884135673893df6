"""The mini as a chat model: the same messages get the same answer, with declared actions only."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from golden_cases import golden
from msgspec.structs import replace

from saccade.errors import InputError, MissingError
from saccade.geometry import PERMILLE, Box, Size
from saccade.models import Ask, open_model
from saccade.paradigms import get_paradigm
from saccade.paradigms.base import Paradigm, Situation
from saccade.types import Element, Message, Screen
from saccade_mini import model as mini_model
from saccade_mini.codec import PROMPT
from saccade_mini.decode import sampling
from saccade_mini.model import REFLECTIONS, WEIGHTS, MiniModel

HOT = Ask(n=3, temperature=1.5, max_tokens=80, seed=1)
LABELS = enumerate(("Search contacts", "Ada Moss", "Ben Cole", "New contact"))
BUTTONS = [Element(at + 1, Box(0, 200 * at, 1000, 200 * at + 180), "button", label) for at, label in LABELS]
SCREEN = Screen(Size(1000, 1000), None, BUTTONS)


@pytest.fixture(scope="module")
def mini() -> MiniModel:
    opened = open_model("mini", base_url="what other kinds of models take")
    assert isinstance(opened, MiniModel)
    return opened


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The shipped one, by links that a test may replace."""
    return Path(shutil.copytree(WEIGHTS, tmp_path / "copy", copy_function=os.symlink))


def paradigm(name: str = "btl", space: str = "phone") -> Paradigm:
    switches: dict[str, Any] = {"k": 1} if name == "guidnav" else {}
    return get_paradigm(name, frame=PERMILLE, template=PROMPT, space=space, **switches)


def asked(task: str = "Call Ada Moss", name: str = "btl", space: str = "phone") -> list[Message]:
    return paradigm(name, space).messages(Situation(task, SCREEN, elements=SCREEN.elements))


# -- the same messages, the same answer --------------------------------------------------------------------------------


def test_an_answer_does_not_depend_on_the_calls_before(mini: MiniModel) -> None:
    prompts = [asked(task) for task in ("Call Ada Moss", "Delete Ben Cole", "Call Ada Moss")]
    first = [mini.complete(each, Ask())[0].text for each in prompts]
    again = [mini.complete(each, Ask())[0].text for each in reversed(prompts)]
    assert first == again[::-1] and first[0] == first[2] != first[1]
    with ThreadPoolExecutor(3) as pool:
        assert [each[0].text for each in pool.map(lambda each: mini.complete(each, Ask()), prompts)] == first
    fresh = MiniModel(WEIGHTS, threads=1)
    assert [fresh.complete(each, Ask())[0].text for each in prompts] == first


def test_samples_depend_on_the_seed_alone(mini: MiniModel) -> None:
    hot = replace(HOT, temperature=4.0, max_tokens=30, seed=5)
    first, again = (mini.complete(asked(), hot) for _ in range(2))
    assert [each.text for each in first] == [each.text for each in again]
    assert len({each.text for each in first}) > 1
    assert (first[1].usage.calls, first[0].usage.calls) == (0, 1)
    assert mini.complete(asked(), replace(hot, seed=6))[0].text != first[0].text


def test_a_repair_is_another_answer_and_always_the_same_one(mini: MiniModel) -> None:
    again = [*asked(), Message("assistant", ("nonsense",)), Message("user", ("That could not be read.",))]
    repaired = [mini.complete(again, Ask(purpose="repair"))[0] for _ in range(2)]
    assert repaired[0].text == repaired[1].text
    assert repaired[0].usage.input == mini.complete(asked(), Ask())[0].usage.input


def test_top_p_leaves_out_the_unlikely() -> None:
    logits = np.log(np.array([[0.5, 0.3, 0.15, 0.05]] * 4000, dtype=np.float32))
    for top_p, wanted in ((1.0, [0.5, 0.3, 0.15, 0.05]), (0.7, [0.625, 0.375, 0, 0])):
        shares = np.bincount(sampling(1.0, top_p, 0)(logits), minlength=4) / 4000
        assert shares == pytest.approx(wanted, abs=0.03), top_p
    assert set(sampling(0.01, 1.0, 0)(logits)) == {0}


# -- what it answers ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["btl", "uiloop", "secagent", "guidnav"])
@pytest.mark.parametrize("space", ["phone", "web", "paper", "grounding"])
def test_it_answers_only_with_declared_actions(mini: MiniModel, name: str, space: str) -> None:
    """Sampled hot, so that it would try others."""
    for answer in mini.complete(asked("Open Clock and wait", name, space), HOT):
        read = paradigm(name, space).parse(answer.text, SCREEN)
        assert not any("declared" in each for each in read.repairs), answer.text


def test_it_points_at_elements_only(mini: MiniModel) -> None:
    for answer in mini.complete(asked(space="grounding"), replace(HOT, seed=2)):
        action = paradigm().parse(answer.text, SCREEN).reply.action
        assert action is None or action.point in [element.center for element in SCREEN.elements]


def test_an_answer_ends_by_itself_at_a_stop_or_in_time(mini: MiniModel) -> None:
    (whole,) = mini.complete(asked(), Ask())
    assert whole.finish == "stop" and whole.text.endswith("</link>")
    (cut,) = mini.complete(asked(), Ask(stop=("</think>", "")))
    assert (cut.text, cut.finish) == (whole.text.partition("</think>")[0], "stop")
    assert mini.complete(asked(), Ask(max_tokens=5))[0].finish == "length"
    assert mini.complete(asked(), Ask(deadline=0))[0].usage.output == 1


def test_purposes_and_prompts_that_it_was_not_trained_for(mini: MiniModel) -> None:
    for language, said in (("en", "The attempt failed."), ("zh", "这次失败了。")):
        reflected = mini.complete([Message("user", (said,))], Ask(purpose="reflect", n=2))
        assert [each.text for each in reflected] == [REFLECTIONS[language]] * 2
    for purpose in ("judge", "reward", "summarise"):
        with pytest.raises(InputError, match="only trained to act"):
            mini.complete(asked(), Ask(purpose=purpose))
    for wrong in ([], [Message("user", ("What is on the screen?",))]):
        with pytest.raises(InputError, match="its own template"):
            mini.complete(wrong, Ask())


def test_a_list_that_is_too_long_is_cut(folder: Path) -> None:
    card = json.loads((folder / "mini.json").read_text())
    (folder / "mini.json").unlink()
    (folder / "mini.json").write_text(json.dumps(card | {"positions": 400}))
    small = MiniModel(folder)
    items = "\n".join(f'#{at} button "Number {at}" [500, {at}] [0, {at}, 999, {at + 1}]' for at in range(90))
    (answer,) = small.complete([Message("user", (f"@btl en\ntask: Call Ada\n{items}",))], Ask())
    assert 200 < answer.usage.input <= 272
    with pytest.raises(InputError, match="shorten it"):
        small.complete([Message("user", ("@btl en\ntask: " + "really " * 400,))], Ask())


def test_it_warns_of_worlds_that_it_does_not_know(mini: MiniModel) -> None:
    assert mini.warning("phone") == "" and "sandbox phone" in mini.warning("miniwob")


# -- folders -----------------------------------------------------------------------------------------------------------


def test_the_shipped_one_or_one_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, folder: Path) -> None:
    monkeypatch.setattr(mini_model, "WEIGHTS", tmp_path / "none")
    with pytest.raises(MissingError, match="has no weights: name a folder"):
        open_model("mini")
    assert open_model(f"mini/{folder}").name == "mini/copy"
    with pytest.raises(InputError, match="threads is 0"):
        open_model(f"mini/{folder}", threads=0)


def test_a_wrong_folder_is_one_sentence(folder: Path) -> None:
    for case in golden("wrong_folders"):
        file, old, new = folder / case["file"], case["old"].encode(), case["new"]
        content = file.read_bytes()
        file.unlink()
        if new is not None:
            file.write_bytes(content.replace(old, new.encode()) if old else new.encode())
        with pytest.raises(InputError, match=case["error"]) as caught:
            open_model(f"mini/{folder}")
        assert "\n" not in str(caught.value), case
        file.unlink(missing_ok=True)
        file.symlink_to(WEIGHTS / file.name)


def test_a_folder_without_a_classifier_takes_the_shipped_one(folder: Path, mini: MiniModel) -> None:
    (folder / "reader.npz").unlink()
    assert MiniModel(folder).classifier.habits == mini.classifier.habits


def test_it_needs_no_torch() -> None:
    code = (
        "import sys; sys.modules.update(dict.fromkeys(('torch', 'transformers', 'onnx')))\n"
        "from saccade.models import open_model\n"
        "print(open_model('mini').normalizer.readings('Count down 20 minutes', 'en')[0][0].text)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, env=os.environ)
    assert done.stdout.strip() == "Start a timer for 20 minutes"
