"""`saccade data read|describe|check|list` as a person or a script calls them: right and wrong input, and Ctrl-C."""

from __future__ import annotations

import io
import json
import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from typer.testing import CliRunner

from saccade.cli import app
from saccade.cli.datasets import open_with_options
from saccade.data.check import check
from saccade.data.readers import DATASETS, Sample, open_dataset
from saccade.data.readers.steps import StepsFile
from saccade.data.write import write_dataset
from saccade.errors import InputError
from saccade.types import Picture


def png(colour: str, size: tuple[int, int] = (200, 400)) -> bytes:
    stream = io.BytesIO()
    Image.new("RGB", size, colour).save(stream, "PNG")
    return stream.getvalue()


def record(at: int, **changes: Any) -> dict[str, Any]:
    whole = {
        "id": f"s{at}",
        "episode": f"e{at // 2}",
        "step": at % 2,
        "instruction": f"打开应用 {at // 2}",
        "screen": [200, 400],
        "image": f"shots/{at}.png",
        "truth": [{"type": "click", "point": [50, 50], "box": [0, 0, 100, 100]}],
        "tags": {"app": "shop"},
    }
    return whole | changes


def write(folder: Path, *records: Any, pictures: bool = True) -> Path:
    (folder / "shots").mkdir(parents=True)
    lines = [each if isinstance(each, str) else json.dumps(each, ensure_ascii=False) for each in records]
    (folder / "steps.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for at in range(len(records) if pictures else 0):
        (folder / "shots" / f"{at}.png").write_bytes(png(f"#{at:06x}"))
    return folder


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return write(tmp_path / "source", *(record(at) for at in range(6)))


def call(*arguments: str | Path, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["data", *map(str, arguments)])
    assert result.exit_code == code, (result.output, result.exception)
    return result.stdout


def refused(*arguments: str | Path) -> str:
    result = CliRunner().invoke(app, ["data", *map(str, arguments)])
    assert isinstance(result.exception, InputError), (result.output, result.exception)
    return str(result.exception)


def files(folder: Path) -> list[str]:
    return sorted(each.relative_to(folder).as_posix() for each in folder.rglob("*") if not each.is_dir())


# -- read -------------------------------------------------------------------------------------------------------------


def test_read_writes_records_with_their_pictures(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "new" / "out"
    told = json.loads(call("read", source, "--as", "steps", "--out", out, "--json"))
    assert told == {
        "dataset": "steps",
        "options": {"pictures": "inside"},
        "steps": 6,
        "left_out": 0,
        "no_steps": {},
        "episodes": 3,
        "pictures": 6,
        "file": str(out / "steps.jsonl"),
    }
    assert files(out) == [*(f"screens/shots/{at}.png" for at in range(6)), "steps.jsonl"]
    before, after = list(StepsFile(source).samples()), list(StepsFile(out).samples())
    for old, new in zip(before, after, strict=True):
        assert new.step.image == f"screens/{old.step.image}"
        assert new.picture is not None and old.picture is not None
        assert new.picture.data() == old.picture.data()
        new.step.image = old.step.image
        assert new.step == old.step
    assert list(check(StepsFile(out))) == []


def test_read_into_a_file_with_links_and_a_limit(source: Path, tmp_path: Path) -> None:
    said = call("read", source, "--as", "steps", "--out", tmp_path / "few.jsonl", "--images", "link", "--limit", "3")
    assert "3 steps" in said and "few.jsonl" in said
    assert files(tmp_path / "few-screens") == ["shots/0.png", "shots/1.png", "shots/2.png"]
    assert (tmp_path / "few-screens" / "shots" / "0.png").readlink() == (source / "shots" / "0.png").resolve()
    assert list(check(StepsFile(tmp_path / "few.jsonl"))) == []


def test_read_without_pictures(source: Path, tmp_path: Path) -> None:
    call("read", source, "--as", "steps", "--out", tmp_path / "out", "--images", "none")
    assert files(tmp_path / "out") == ["steps.jsonl"]
    assert all(sample.picture is None for sample in StepsFile(tmp_path / "out").samples())


class Inside(StepsFile):
    """Pictures that lie in the records, as in TFRecord and parquet files; two of them are the same."""

    def samples(self) -> Iterator[Sample]:
        for at, sample in enumerate(super().samples()):
            yield sample._replace(picture=Picture(partial(png, f"#{at // 2:06x}")))


def test_pictures_inside_records_are_written_once(source: Path, tmp_path: Path) -> None:
    written = write_dataset(Inside(source), tmp_path / "out")
    assert (written.steps, written.pictures, written.episodes) == (6, 3, 3)
    assert len(files(tmp_path / "out")) == 4
    assert list(check(StepsFile(tmp_path / "out"))) == []
    with pytest.raises(InputError, match="are inside its records: use --images copy, or none"):
        write_dataset(Inside(source), tmp_path / "linked", "link")
    assert not (tmp_path / "linked").exists()


def test_pictures_of_elsewhere_get_other_names(source: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere.png").write_bytes(png("red"))
    file = write(tmp_path / "other", record(0, image="../elsewhere.png"), record(1), pictures=True)
    assert "outside of the record's folder" in refused("read", file, "--as", "steps", "--out", tmp_path / "out")
    for images in ("copy", "link"):
        anywhere = ("--as", "steps", "--set", "pictures=anywhere")
        call("read", file, *anywhere, "--images", images, "--out", tmp_path / images)
        assert not any(".." in name for name in files(tmp_path / images))
        assert list(check(StepsFile(tmp_path / images))) == []


def test_bad_records_end_it_or_are_left_out(source: Path, tmp_path: Path) -> None:
    lines = (source / "steps.jsonl").read_text(encoding="utf-8").splitlines()
    lines[2] = '{"id": "s2"'
    lines[4] = json.dumps(record(4, image="shots/none.png"))
    (source / "steps.jsonl").write_text("\n".join(lines), encoding="utf-8")
    said = refused("read", source, "--as", "steps", "--out", tmp_path / "out")
    assert f"{source / 'steps.jsonl'}:3: not JSON" in said and "--keep-going" in said
    assert not (tmp_path / "out").exists()
    result = CliRunner().invoke(
        app, ["data", "read", str(source), "--as", "steps", "--out", str(tmp_path / "out"), "--keep-going"]
    )
    assert result.exit_code == 0
    assert "left out 2 records" in result.stderr and "none.png" in result.stderr and "4 steps" in result.stdout
    assert [sample.step.id for sample in StepsFile(tmp_path / "out").samples()] == ["s0", "s1", "s3", "s5"]


def test_half_a_letter_is_a_bad_record(source: Path, tmp_path: Path) -> None:
    class Broken(StepsFile):
        def samples(self) -> Iterator[Sample]:
            for at, sample in enumerate(super().samples()):
                sample.step.thought = "\ud83d" if at == 1 else ""
                yield sample

    with pytest.raises(InputError, match=r"steps\.jsonl:2: the record contains a lone surrogate"):
        write_dataset(Broken(source), tmp_path / "out")
    assert not (tmp_path / "out").exists()
    assert write_dataset(Broken(source, keep_going=True), tmp_path / "out").steps == 5


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--out", "OUT", "--images", "move"], "--images is 'move': use copy, link, none"),
        (["--out", "OUT", "--as", "step"], "unknown data set 'step' (did you mean steps?)"),
        (["--out", "OUT", "--set", "split"], "--set is 'split': write NAME=VALUE"),
        (["--out", "OUT", "--set", "split=test", "--set", "split=train"], "--set split is given twice"),
        (["--out", "OUT", "--set", "split=test"], "steps has no option 'split'"),
        (["--out", "OUT", "--set", "keep_going=yes"], "no data set has such an option"),
        (["--out", "SOURCE"], "steps.jsonl already exists"),
        (["--out", "SOURCE/shots/0.png"], "is a file: give a folder"),
        (["--out", "SOURCE/shots/0.png/x"], "cannot write"),
        (["--out", "/proc/none/x"], "cannot write"),
    ],
)
def test_bad_options_get_one_sentence(source: Path, tmp_path: Path, arguments: list[str], says: str) -> None:
    before = files(source)
    filled = [each.replace("OUT", str(tmp_path / "out")).replace("SOURCE", str(source)) for each in arguments]
    named = [] if "--as" in filled else ["--as", "steps"]
    assert says in refused("read", source, *named, *filled)
    assert files(source) == before
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("command", [["read", "--out", "x"], ["describe"], ["check"]])
def test_wrong_folders_say_what_was_expected(tmp_path: Path, command: list[str]) -> None:
    assert "there is no folder" in refused(command[0], tmp_path / "nowhere", *command[1:], "--as", "steps")
    (tmp_path / "photo.jpg").write_bytes(b"")
    said = refused(command[0], tmp_path, *command[1:], "--as", "steps")
    assert "expected a .jsonl file of step records" in said and "found photo.jpg" in said


def test_a_file_without_a_record_is_bad_input(tmp_path: Path) -> None:
    (tmp_path / "steps.jsonl").write_text("\n\n", encoding="utf-8")
    assert "contains no record" in refused("read", tmp_path, "--as", "steps", "--out", tmp_path / "out")
    assert "contains no record" in refused("describe", tmp_path, "--as", "steps")
    assert not (tmp_path / "out").exists()


def slow(folder: Path, count: int = 12_000) -> Path:
    """A data set that takes a while, with a picture for each record."""
    folder.mkdir()
    (folder / "one.png").write_bytes(png("red"))
    with (folder / "steps.jsonl").open("w", encoding="utf-8") as file:
        for at in range(count):
            (folder / f"{at}.png").symlink_to("one.png")
            file.write(json.dumps(record(at, image=f"{at}.png")) + "\n")
    return folder


def started(*arguments: str | Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "saccade", "data", *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_ctrl_c_leaves_nothing_and_a_kill_is_cleared_away(tmp_path: Path) -> None:
    source, out = slow(tmp_path / "source"), tmp_path / "out"
    for sign, code in ((signal.SIGINT, 130), (signal.SIGKILL, -signal.SIGKILL)):
        process = started("read", source, "--as", "steps", "--out", out)
        deadline = time.monotonic() + 30
        while not list(out.glob("screens.part/1??.png")) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert process.poll() is None, "it was done too soon to be interrupted"
        process.send_signal(sign)
        _, said = process.communicate(timeout=30)
        assert process.returncode == code
        if sign == signal.SIGINT:
            assert said == "saccade: interrupted; no partial output was left\n"
            assert not out.exists()
    assert (out / "steps.jsonl.part").exists() and not (out / "steps.jsonl").exists()
    call("read", source, "--as", "steps", "--out", out, "--limit", "5")
    assert files(out) == [*(f"screens/{at}.png" for at in range(5)), "steps.jsonl"]


def test_the_bar_moves_on_a_terminal(source: Path) -> None:
    master, slave = pty.openpty()
    command = [sys.executable, "-m", "saccade", "data", "describe", str(source), "--as", "steps"]
    environment = os.environ | {"TERM": "xterm-256color", "COLUMNS": "100"}
    process = subprocess.run(command, stdout=subprocess.PIPE, stderr=slave, timeout=60, env=environment, check=False)
    os.close(slave)
    drawn = os.read(master, 1 << 16).decode(errors="replace")
    os.close(master)
    assert process.returncode == 0 and "source" in drawn and "100%" in drawn


# -- describe, check, list --------------------------------------------------------------------------------------------


def test_describe_as_table_json_and_sheet(source: Path, tmp_path: Path) -> None:
    table = call("describe", source, "--as", "steps")
    for expected in ("steps", "6", "episodes", "3 of 2 steps", "click", "200×400", "chinese", "tag app", "100.0"):
        assert expected in table
    sheet = tmp_path / "sheets" / "some.png"
    told = json.loads(
        call("describe", source, "--as", "steps", "--limit", "4", "--sheet", sheet, "--samples", "2", "--json")
    )
    assert (told["steps"], told["whole"], told["actions"]["counts"]) == (4, False, {"click": 4})
    with Image.open(sheet) as image:
        assert image.size[0] >= 900
    again = sheet.read_bytes()
    call("describe", source, "--as", "steps", "--limit", "4", "--sheet", sheet, "--samples", "2")
    assert sheet.read_bytes() == again
    call("describe", source, "--as", "steps", "--limit", "4", "--sheet", sheet, "--samples", "2", "--seed", "1")
    assert sheet.read_bytes() != again
    assert "use .png or .jpg" in refused("describe", source, "--as", "steps", "--sheet", tmp_path / "sheet.pdf")


def test_check_says_clean_and_counts_findings(source: Path, tmp_path: Path) -> None:
    assert "no findings" in call("check", source, "--as", "steps")
    last = json.loads(call("check", source, "--as", "steps", "--json"))
    assert last == {"dataset": "steps", "findings": 0, "counts": {}}
    faulty = write(tmp_path / "faulty", *(record(0, id=f"s{at}", episode="", instruction="") for at in range(8)), "{}")
    said = call("check", faulty, "--as", "steps", code=1)
    assert "instruction 8: the instruction is empty" in said and "… and 3 more" in said and "9 findings" in said
    assert f"{faulty / 'steps.jsonl'}:9: missing" in said
    lines = [json.loads(line) for line in call("check", faulty, "--as", "steps", "--json", code=1).splitlines()]
    assert len(lines) == 10
    assert lines[-1] == {"dataset": "steps", "findings": 9, "counts": {"instruction": 8, "record": 1}}
    assert lines[0] == {
        "kind": "instruction",
        "where": f"{faulty / 'steps.jsonl'}:1",
        "what": "instruction: it is empty",
    }


def test_check_against_training_data(source: Path, tmp_path: Path) -> None:
    test = write(tmp_path / "test", record(0, id="t0", image="shots/0.png"))
    lines = call("check", test, "--as", "steps", "--against", source, "--against-as", "steps", "--json", code=1)
    counts = json.loads(lines.splitlines()[-1])["counts"]
    assert counts == {"shared-instruction": 1, "shared-episode": 1, "shared-screen": 1}
    without = call(
        "check", test, "--as", "steps", "--against", source, "--against-as", "steps", "--no-pictures", "--json", code=1
    )
    assert json.loads(without.splitlines()[-1])["counts"] == {"shared-instruction": 1, "shared-episode": 1}
    assert "need --against" in refused("check", test, "--as", "steps", "--against-set", "split=train")


def test_findings_before_a_fatal_fault_are_shown(tmp_path: Path) -> None:
    folder = write(tmp_path / "data", record(0, instruction=""), pictures=True)
    with (folder / "steps.jsonl").open("ab") as file:
        file.write(b"\n" * 100_000 + b"\xff\xfe not text")
    result = CliRunner().invoke(app, ["data", "check", str(folder), "--as", "steps"])
    assert isinstance(result.exception, InputError) and "not UTF-8" in str(result.exception)
    assert "instruction 1: the instruction is empty" in result.stdout


def test_list_names_every_reader() -> None:
    rows = [json.loads(line) for line in call("list", "--json").splitlines()]
    assert [row["name"] for row in rows] == DATASETS.names()
    assert all(row["title"] and row["layout"] and row["profile"] for row in rows)
    table = call("list")
    assert all(name in table for name in DATASETS.names())


def test_folders_are_recognised_by_their_content(source: Path) -> None:
    assert open_dataset(source).name == "steps"
    assert open_with_options(source, "", None, keep_going=True).keep_going
    assert json.loads(call("describe", source, "--json"))["dataset"] == "steps"


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "steps"),
    [
        ("agentnet", 21),
        ("aitz", 4),
        ("androidcontrol_std", 1614),
        ("btl", 2),
        ("droidbot_yelp", None),
        ("osworld_g", 91),
        ("screenagent", 25),
    ],
)
def test_real_samples_are_read_and_read_again(shared_data: Path, tmp_path: Path, name: str, steps: int | None) -> None:
    images = "none" if name == "androidcontrol_std" else "copy"
    told = json.loads(call("read", shared_data / name, "--images", images, "--out", tmp_path / "out", "--json"))
    assert told["steps"] == (steps or told["steps"]) > 0
    again = json.loads(call("describe", tmp_path / "out", "--as", "steps", "--json"))
    first = json.loads(call("describe", shared_data / name, "--json"))
    for figure in ("steps", "episodes", "actions", "directions", "screens", "scripts", "instruction_words", "tags"):
        assert again[figure] == first[figure]
