"""Records that name pictures outside of their folder: nobody but the user chooses which pictures of the machine a
model's server gets, or an export or a replay page holds.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import saccade

from fuzz_inputs import STEP, picture
from saccade.agents.log import read_steps
from saccade.data.readers import open_dataset
from saccade.data.readers.base import DataError
from saccade.data.recorded_episodes import read_episodes
from saccade.errors import InputError
from saccade.records import check_image


@pytest.fixture
def received(tmp_path: Path) -> Path:
    """A folder that somebody else wrote, beside a picture of ours."""
    (tmp_path / "private.png").write_bytes(picture())
    (tmp_path / "received" / "screens").mkdir(parents=True)
    (tmp_path / "received" / "screens" / "1.png").write_bytes(picture())
    return tmp_path / "received"


def outside(folder: Path) -> list[str]:
    return [str(folder.parent / "private.png"), "../private.png", "screens/../../private.png", "./..//private.png",
            f"{folder}-not/1.png", "/", ".."]  # fmt: skip


def test_names_that_lead_out_of_the_folder(received: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(received)
    for folder in (received, Path(), Path("../received")):
        for name in ("", "1.png", "screens/1.png", "screens/../1.png", str(received / "screens" / "1.png"), "a..b.png"):
            check_image(name, folder)
        for name in outside(received):
            with pytest.raises(ValueError, match="is outside of the record's folder"):
                check_image(name, folder)


def test_no_reader_of_records_opens_them(received: Path) -> None:
    file = received / "steps.jsonl"
    for at, name in enumerate(outside(received)):
        file.write_text(json.dumps(STEP | {"image": name, "tags": {}}) + "\n", encoding="utf-8")
        for read in (
            lambda: list(open_dataset(file, "steps").samples()),
            lambda: list(read_episodes([file])),
            lambda: read_steps(received),
        ):
            with pytest.raises((InputError, DataError), match="outside of the record's folder"):
                read()
        done = saccade(
            "run", "x", "--world", f"replay:{file}", "--model", "oracle", "--out", received.parent / f"out{at}"
        )
        assert done.returncode == 2 and "outside of the record's folder" in done.stderr, done.stderr
