"""The contract of all engines: results, files, workers that die, errors that must travel. Ray is started once."""

from __future__ import annotations

import importlib.util
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest
from sample_workers import Doubler, Surrounded

from saccade.engines import ENGINES, Engine, Finished, open_engine, publish
from saccade.engines.base import TRIES_FOLDER, JobQueue
from saccade.engines.travelling_files import pack, unpack
from saccade.errors import InputError, MissingError
from saccade.plugins import plugins_loaded
from saccade.worlds.base import InfrastructureError

PLUGIN = Path(__file__).parents[2] / "examples" / "plugins" / "counter_world.py"


PROCESSES = ["local", pytest.param("ray", marks=pytest.mark.slow)]
"""Engines whose workers are processes of their own, which can die."""


@pytest.fixture(scope="module")
def works(request: pytest.FixtureRequest) -> Iterator[Engine]:
    if request.param == "ray" and importlib.util.find_spec("ray") is None:
        pytest.skip("Ray is not installed: pip install 'saccade[ray]'")
    with open_engine(request.param) as engine:
        yield engine


@pytest.mark.parametrize("works", PROCESSES, indirect=True)
def test_every_job_is_done_once_also_if_a_worker_dies(works: Engine, tmp_path: Path) -> None:
    jobs, out, found = [1, 2, 13, 4, 5], tmp_path / "out", dict[int, int]()
    for job, result, folder in works.work_through(iter(jobs), partial(Doubler, tmp_path), 2, out):
        assert job not in found and folder.exists() == (job % 2 == 0) and not (folder / "half").exists()
        found[job] = result
        if folder.exists():
            publish(folder, out / "files" / str(job))
    assert found == {job: 2 * job for job in jobs} and (tmp_path / "died").exists()
    assert {path.parts[-3]: path.read_text() for path in out.rglob("*.txt")} == {"2": "4", "4": "8"}
    assert [each.name for each in out.iterdir()] == ["files"], "no try is left behind"
    assert list(tmp_path.glob("closed-*"))


def test_inline_the_jobs_are_done_in_this_process(tmp_path: Path) -> None:
    out, found = tmp_path / "out", dict[int, int]()
    for job, result, folder in open_engine("inline").work_through(iter([1, 2, 4]), partial(Doubler, tmp_path), 2, out):
        found[job] = result
        assert folder.exists() == (job % 2 == 0)
    assert found == {1: 2, 2: 4, 4: 8} and not list(out.iterdir())
    assert [each.name for each in tmp_path.glob("closed-*")] == [f"closed-{os.getpid()}"]


@pytest.mark.parametrize("works", PROCESSES, indirect=True)
def test_a_job_that_kills_every_worker_is_named(works: Engine, tmp_path: Path) -> None:
    with pytest.raises(InfrastructureError, match=r"3 processes died over the same job \(66\)"):
        list(works.work_through([66], partial(Doubler, tmp_path), 1))


@pytest.mark.parametrize("works", ["inline", *PROCESSES], indirect=True)
def test_errors_come_back_as_they_are_or_at_least_in_words(works: Engine, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the eighth is wrong"):
        list(works.work_through([8], partial(Doubler, tmp_path), 1))
    with pytest.raises(RuntimeError, match="OddError: 7 and more"):
        list(works.work_through([7], partial(Doubler, tmp_path), 1))


@pytest.mark.parametrize("works", ["inline", *PROCESSES], indirect=True)
def test_plug_ins_and_the_address_of_the_model_reach_the_workers(
    works: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    with plugins_loaded([str(PLUGIN)]):
        (done,) = works.work_through(["OPENAI_BASE_URL"], Surrounded, 1)
    assert done.result == (True, "http://127.0.0.1:9/v1")


@pytest.mark.parametrize("works", ["inline", *PROCESSES], indirect=True)
def test_no_jobs_no_workers(works: Engine, tmp_path: Path) -> None:
    assert list(works.work_through([], partial(Doubler, tmp_path), 4)) == []


@pytest.mark.parametrize("name", PROCESSES)
def test_workers_end_when_their_driver_is_killed(name: str, tmp_path: Path) -> None:
    if name == "ray":
        pytest.importorskip("ray", reason="Ray is not installed: pip install 'saccade[ray]'")
    program = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from functools import partial; from pathlib import Path\n"
        "from sample_workers import Sleeper; from saccade.engines import open_engine\n"
        "if __name__ == '__main__':\n"
        "    list(open_engine(sys.argv[3]).work_through([600.0], partial(Sleeper, Path(sys.argv[2])), 1))\n"
    )
    (tmp_path / "driver.py").write_text(program)
    words = [sys.executable, str(tmp_path / "driver.py"), str(Path(__file__).parent), str(tmp_path), name]
    driver = subprocess.Popen(words, stderr=subprocess.DEVNULL)
    try:
        worker = wait_for(lambda: next((int(each.name[4:]) for each in tmp_path.glob("pid-*")), 0), 90)
    finally:
        driver.send_signal(signal.SIGKILL)
        driver.wait()
    assert wait_for(lambda: not is_alive(worker), 30)


def wait_for(condition, seconds: float):  # type: ignore[no-untyped-def]
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end
        time.sleep(0.02)
    return found


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.mark.parametrize("works", PROCESSES, indirect=True)
def test_nothing_listens_for_other_machines(works: Engine, tmp_path: Path) -> None:
    list(works.work_through([1], partial(Doubler, tmp_path), 1))
    own = set[str]()
    for pid in family(os.getpid()):
        for file in Path(f"/proc/{pid}/fd").iterdir() if Path(f"/proc/{pid}/fd").exists() else ():
            with suppress(OSError):
                own.add(str(file.readlink()))
    addresses = {address for inode, address in listening() if f"socket:[{inode}]" in own}
    assert addresses <= {"127.0.0.1", "::1"}, addresses


def family(pid: int) -> set[int]:
    """A process and all below it."""
    found = set[int]()
    for file in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            found |= set(map(int, file.read_text().split()))
    return {pid}.union(*map(family, found))


def listening() -> Iterator[tuple[str, str]]:
    """Of every socket that listens: its inode, and the address."""
    for name, kind in (("tcp", socket.AF_INET), ("tcp6", socket.AF_INET6)):
        for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]:
            words = line.split()
            if words[3] == "0A":
                raw = bytes.fromhex(words[1].partition(":")[0])
                raw = b"".join(raw[at : at + 4][::-1] for at in range(0, len(raw), 4))
                yield words[9], socket.inet_ntop(kind, raw).removeprefix("::ffff:")


# -- without starting anything -----------------------------------------------------------------------------------------


def test_each_try_has_a_folder_of_its_own_and_a_late_one_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / TRIES_FOLDER / "old").mkdir(parents=True)
    with JobQueue(["a", "b"], tmp_path) as queue:
        assert not (tmp_path / TRIES_FOLDER / "old").exists(), "of a driver that was killed"
        first = queue.take()
        assert first is not None and not first.folder.exists()
        first.folder.mkdir()
        (first.folder / "late").touch()
        queue.lost(first)
        again = queue.take()
        assert again is not None and again.job == "a" and again.number == 2 and again.folder != first.folder
        again.folder.mkdir()
        (again.folder / "good").touch()
        for done in queue.finished(again, "result"):
            assert done == Finished("a", "result", again.folder)
            publish(done.folder, tmp_path / "a")
        other = queue.take()
        assert other is not None and other.job == "b" and queue.take() is None
    assert sorted(str(each.relative_to(tmp_path)) for each in tmp_path.rglob("*")) == ["a", "a/good"]


def test_publishing_replaces_what_is_there(tmp_path: Path) -> None:
    for name in ("old/place/x", "new/y"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).touch()
    publish(tmp_path / "new", tmp_path / "old/place")
    assert [each.name for each in (tmp_path / "old/place").iterdir()] == ["y"]


def test_files_travel_and_none_leads_out_of_its_folder(tmp_path: Path) -> None:
    (tmp_path / "from/deep").mkdir(parents=True)
    (tmp_path / "from/deep/file").write_bytes(b"\x00\x01")
    (tmp_path / "from/link").symlink_to("/etc/hostname")
    packed = pack(tmp_path / "from")
    assert packed == {"deep/file": b"\x00\x01"} and pack(tmp_path / "nothing") == {}
    unpack(packed, tmp_path / "to")
    assert (tmp_path / "to/deep/file").read_bytes() == b"\x00\x01"
    for name in ("../out", "/etc/out", "a/../../out", "", "a\\..\\b"):
        with pytest.raises(InfrastructureError, match="outside its folder"):
            unpack({name: b""}, tmp_path / "to")


def test_the_engine_is_named_on_the_command_line(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ENGINES.names()[:2] == ["local", "inline"]
    with pytest.raises(InputError, match="unknown engine 'spark'"):
        open_engine("spark")
    with pytest.raises(InputError, match="takes no address"):
        open_engine("local:10.0.0.1")
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingError, match=r"pip install 'saccade\[ray\]'"):
        open_engine("ray")


def test_workers_share_cores_so_that_all_find_room() -> None:
    from saccade.engines.ray_cluster import cpu_share  # noqa: PLC0415

    assert cpu_share([2.0, 2.0], 3) == 1.0
    assert cpu_share([2.0, 2.0], 5) == 0.6666
    assert cpu_share([1.0, 4.0], 64) == 0.0769
    assert cpu_share([], 3) == 1.0
