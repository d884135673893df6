"""Parents that are killed, disks that are full, logs that are not text: nothing outlives, nothing done is lost."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from command import saccade
from recordings import DONE, TAP, record, run, say

from saccade.agents.log import read_run, read_steps
from saccade.agents.replay_page import leave_replay, write_replay
from saccade.engines.travelling_files import pack, unpack
from saccade.errors import InputError
from saccade.records import write_whole
from saccade.worlds.base import InfrastructureError

DRIVER = """
import functools, sys, time
from pathlib import Path
from saccade.engines import open_engine

class Sleeper:
    def do(self, job, folder):
        print("at work", flush=True)
        time.sleep(120)
    def close(self): ...

if __name__ == "__main__":
    print("starts", flush=True)
    list(open_engine("local").work_through(range(2), Sleeper, 2, Path(sys.argv[1])))
"""
DEATH_SECONDS = 2.0


def belonging(mark: str) -> list[int]:
    """Processes that have this in their environment, and have not ended."""
    found = []
    for process in Path("/proc").iterdir():
        try:
            if process.name.isdigit() and mark.encode() in (process / "environ").read_bytes():
                found += [int(process.name)] if ") Z " not in (process / "stat").read_text() else []
        except OSError:
            continue
    return found


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks into /proc")
@pytest.mark.parametrize("wait_for", ["starts", "at work"])
def test_workers_end_within_two_seconds_of_their_parent(tmp_path: Path, wait_for: str) -> None:
    """Killed while its workers start (none of their own code runs yet), and while they are in the middle of a job."""
    mark = f"SACCADE_TEST_MARK={tmp_path}"
    (tmp_path / "driver.py").write_text(DRIVER)
    command = [sys.executable, str(tmp_path / "driver.py"), str(tmp_path / "out")]
    environment = os.environ | {"SACCADE_TEST_MARK": str(tmp_path)}
    driver = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    try:
        assert driver.stdout is not None
        while driver.stdout.readline().strip() != wait_for:
            assert driver.poll() is None
        end = time.monotonic() + 20
        while len(belonging(mark)) < 3 and time.monotonic() < end:
            time.sleep(0.02)
        driver.send_signal(signal.SIGKILL)
        end = time.monotonic() + DEATH_SECONDS
        while belonging(mark) and time.monotonic() < end:
            time.sleep(0.05)
        assert not belonging(mark)
    finally:
        for process in belonging(mark):
            os.kill(process, signal.SIGKILL)
        driver.wait()


def in_a_process(work: Callable[[], object], largest_file: int) -> int:
    """The exit status of a fork in which no file may grow beyond a size, as on a disk that is full."""
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, largest_file))
        try:
            work()
        except BaseException:  # noqa: BLE001  (told by the status)
            os._exit(9)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_a_page_that_the_disk_has_no_room_for_changes_nothing_about_the_run(tmp_path: Path) -> None:
    log, _ = run(tmp_path, [say("btl", TAP)] * 6)
    before = read_run(log.folder), read_steps(log.folder)
    told = tmp_path / "told"

    def leave() -> None:
        said: list[str] = []
        assert leave_replay(log.folder, said.append) is None
        told.write_text(said[0])

    assert in_a_process(leave, 2_000) == 0
    assert "the replay page could not be written (" in told.read_text()
    assert f"saccade view {log.folder}" in told.read_text()
    assert (read_run(log.folder), read_steps(log.folder)) == before
    assert not list(log.folder.glob("*.part"))
    assert write_replay(log.folder).stat().st_size > 2_000


@pytest.mark.parametrize(("answers", "code"), [((say("btl", TAP), say("btl", DONE)), 0), (("no answer",) * 5, 1)])
def test_the_exit_code_of_a_run_is_its_own_where_its_page_finds_no_room(
    tmp_path: Path, answers: tuple[str, ...], code: int
) -> None:
    """The command as a whole: it succeeds, or fails, as it would have with room for the page."""
    recording, script, told = record(tmp_path / "recording", [TAP, DONE]), tmp_path / "script.jsonl", tmp_path / "told"
    script.write_bytes(b"".join(msgspec.json.encode(each) + b"\n" for each in answers))
    words = ["run", "--world", f"replay:{recording}", "--model", f"scripted/{script}", "--out"]
    assert saccade(*words, tmp_path / "whole").returncode == code
    size = (tmp_path / "whole" / "replay.html").stat().st_size

    def full() -> None:
        done = saccade(*words, tmp_path / "full")
        told.write_text(done.stderr)
        assert done.returncode == code

    assert in_a_process(full, size // 2) == 0
    assert "the replay page could not be written" in told.read_text()
    assert read_run(tmp_path / "full").outcome == read_run(tmp_path / "whole").outcome


def test_a_file_that_is_replaced_is_whole_or_as_before(tmp_path: Path) -> None:
    write_whole(tmp_path / "a", b"before")
    assert in_a_process(lambda: write_whole(tmp_path / "a", b"x" * 5_000), 1_000) == 9
    assert [file.name for file in tmp_path.iterdir()] == ["a"]
    assert (tmp_path / "a").read_bytes() == b"before"


def test_invalid_utf8_in_a_log_is_told_with_its_line(tmp_path: Path) -> None:
    log, _ = run(tmp_path, [say("btl", TAP)] * 6)
    file = log.folder / "steps.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join([*lines[:2], lines[2].replace(b"because", b"\xff\xfe"), *lines[3:]]))
    with pytest.raises(InputError, match=r"steps.jsonl:3 is damaged: it is not UTF-8 text"):
        read_steps(log.folder)
    page = write_replay(log.folder).read_text(encoding="utf-8")
    assert "steps.jsonl, line 3" in page


@pytest.mark.parametrize("name", ["../out.txt", "/tmp/out.txt", "a/../../out.txt", "..\\out.txt", ""])
def test_a_worker_cannot_place_files_outside_its_folder(tmp_path: Path, name: str) -> None:
    with pytest.raises(InfrastructureError, match="outside its folder"):
        unpack({"a.txt": b"", name: b"x"}, tmp_path / "try")
    assert not (tmp_path / "out.txt").exists()


def test_links_that_a_worker_leaves_do_not_travel_and_are_not_written_through(tmp_path: Path) -> None:
    made, target = tmp_path / "made", tmp_path / "target"
    made.mkdir()
    (tmp_path / "secret").write_text("s3cr3t")
    (made / "link").symlink_to(tmp_path / "secret")
    (made / "folder").symlink_to(tmp_path)
    (made / "file").write_text("x")
    assert pack(made) == {"file": b"x"}
    target.mkdir()
    (target / "a").symlink_to(tmp_path)
    with pytest.raises(InfrastructureError, match="link"):
        unpack({"a/secret": b"overwritten"}, target)
    assert (tmp_path / "secret").read_text() == "s3cr3t"
