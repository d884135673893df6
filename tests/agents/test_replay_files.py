"""What the replay page is made of: logs of all lengths, whole and damaged, and their pictures."""

from __future__ import annotations

import io
import random
import time
from pathlib import Path

import msgspec
import pytest
from PIL import Image
from replay_runs import DESKTOP, ELEMENTS, PHONE, Opening, a_run, all_kinds, write_run

from saccade.actions import Action
from saccade.agents.records import LoggedStep, Outcome
from saccade.agents.replay_page import read_recording, shrink, write_replay
from saccade.errors import InputError
from saccade.geometry import Size

pytest_plugins = ["replay_fixtures"]


def test_a_killed_run_is_shown_to_its_last_whole_step(tmp_path: Path, opening: Opening) -> None:
    steps = [step for step in all_kinds() if not step.attempt][:4]
    write_run(tmp_path, steps, None)
    log = tmp_path / "steps.jsonl"
    whole = log.read_bytes()
    start = whole[:-1].rindex(b"\n") + 1
    for cut in random.Random(5).sample(range(start, len(whole) - 1), 60):
        log.write_bytes(whole[:cut])
        recording = read_recording(tmp_path)
        assert (len(recording.steps), recording.trouble) == (3, [])
    one = opening(write_replay(tmp_path).parent)
    assert one.page.locator(".step").count() == 3
    assert one.text("#badge") == "Unfinished"
    assert one.text("#instruction") == "设一个 7:30 的闹钟"


def test_a_bad_line_spoils_only_itself(tmp_path: Path, opening: Opening) -> None:
    write_run(tmp_path, all_kinds()[:2], None)
    log = tmp_path / "steps.jsonl"
    first, second, _ = log.read_bytes().split(b"\n")
    log.write_bytes(b"\n".join([first, b'{"screen": [0, 5]}', b"\xff\xfe", second, b""]))
    (tmp_path / "run.json").write_text("{")
    (tmp_path / "screens/1.png").write_bytes(b"not a picture")
    one = opening(write_replay(tmp_path).parent, "#2")
    assert one.page.locator(".step").count() == 2
    assert "run.json" in one.text("#trouble")
    assert "line 2" in one.text("#trouble") and "line 3" in one.text("#trouble")
    assert one.text("#nothing") == "screens/1.png: it is not an image that can be read"


def test_a_run_without_steps(tmp_path: Path, opening: Opening) -> None:
    write_run(
        tmp_path, [], msgspec.structs.replace(a_run(), attempts=[], outcome=Outcome("broken", "error", "no phone"))
    )
    one = opening(write_replay(tmp_path).parent)
    assert one.text("#badge") == "Broken"
    assert one.text("#nothing") == "This run has no steps."
    for key in ["ArrowRight", "End", "e", "l", " ", "]", "z"]:
        one.page.keyboard.press(key)


def test_what_is_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"neither steps\.jsonl nor run\.json"):
        write_replay(tmp_path)
    with pytest.raises(InputError, match="no such folder"):
        write_replay(tmp_path / "nowhere")


def test_pictures_are_small_and_keep_their_shape(tmp_path: Path) -> None:
    for size, wanted in [
        (PHONE, (540, 1200)),
        (Size(160, 210), (160, 210)),
        (DESKTOP, DESKTOP),
        (Size(1920, 1080), (1349, 759)),
    ]:
        for mode in ("RGB", "RGBA", "P", "L"):
            path = tmp_path / f"{mode}.png"
            Image.new("RGB", size, "#336699").convert(mode).save(path)
            small = shrink(path)
            assert isinstance(small, bytes)
            picture = Image.open(io.BytesIO(small))
            assert abs(picture.width - wanted[0]) <= 1 and abs(picture.height - wanted[1]) <= 1


def test_a_long_run_is_small_written_fast_and_opened_fast(tmp_path: Path, opening: Opening) -> None:
    few = [
        LoggedStep(
            screen=PHONE,
            image=f"screens/{at}.png",
            elements=ELEMENTS,
            prediction=Action("wait"),
            step=at,
            prompt=[("user", "x" * 6000)],
        )
        for at in range(30)
    ]
    write_run(tmp_path / "few", few, None)
    begun = time.process_time()
    page = write_replay(tmp_path / "few")
    assert time.process_time() - begun < 6, "seconds of work, whoever else works here"
    assert page.stat().st_size < 4_000_000
    many = [msgspec.structs.replace(few[at % 30], step=at) for at in range(300)]
    (tmp_path / "few" / "steps.jsonl").write_bytes(b"".join(msgspec.json.encode(step) + b"\n" for step in many))
    write_replay(tmp_path / "few")
    begun = time.perf_counter()
    one = opening(tmp_path / "few", "#300")
    one.until("document.querySelector('#shot').naturalWidth > 0")
    assert time.perf_counter() - begun < 10, "half a second on an idle machine"
    assert one.page.locator(".step").count() == 300
    assert one.page.locator(".strip img[src]").count() < 60, "only what is in sight is decoded"
