"""What the tests of all packages share: what makes them fast, a hypothesis profile, the real samples, and a check that
markers are true.
"""

from __future__ import annotations

import faulthandler
import gc
import os
import re
import shutil
import signal
import sys
import tempfile
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any, TextIO

import pytest
from hypothesis import HealthCheck, Phase, settings

from loopback import serve

HERE = Path(__file__).resolve().parent

# -- speed ------------------------------------------------------------------------------------------------------------


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Twice as many workers as cores: half of the time, tests wait for pages, servers and processes. Without browsers
    half as many again: they wait less, and each worker imports all files.
    """
    cores = os.cpu_count() or 1
    return max(2, cores * 3 // 2) if "browser" in _left_out(config) else 2 * cores


def crash_file(run: str, worker: str) -> Path:
    """The file to which Python writes where a worker was when it crashed: nobody reads a worker's stderr."""
    return Path(tempfile.gettempdir()) / f"saccade-tests-{run}-{worker}.txt"


crash_files: list[TextIO] = []
"""The one that is open, where this process is a worker; else none."""


@pytest.hookimpl(trylast=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    worker = getattr(session.config, "workerinput", None)
    if worker is not None:
        crash_files.append(crash_file(worker["testrunuid"], worker["workerid"]).open("w"))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """Enable the report of crashes anew for every test: Ray removes the signal handlers of others when it ends."""
    for file in crash_files:
        faulthandler.disable()
        faulthandler.enable(file)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    worker = getattr(session.config, "workerinput", None)
    if worker is not None:
        crash_file(worker["testrunuid"], worker["workerid"]).unlink(missing_ok=True)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    """Tell how a worker ended that went away in the middle of a test, and where it was."""
    if error:
        status = node.gateway._io.popen.wait(10)
        file = crash_file(node.workerinput["testrunuid"], node.gateway.id)
        where = file.read_text(errors="replace") if file.exists() else ""
        file.unlink(missing_ok=True)
        sys.stderr.write(f"\n{node.gateway.id} ended with status {status}\n{where}\n")


MEMORY = Path("/dev/shm")
if os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > 4e9:
    # Runs and results are fsynced line by line: in the tests, thousands of times. That takes milliseconds on a disk.
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))

# Playwright's driver keeps its compiled code there, and starts in four fifths of the time.
os.environ.setdefault("NODE_COMPILE_CACHE", str(Path(tempfile.gettempdir()) / "saccade-tests-node"))

# Workers side by side, each with threads for every core, take turns. And a fork would wait for threads that it lacks.
os.environ.setdefault("OMP_NUM_THREADS", "1")
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background would ignore Ctrl-C

settings.register_profile(
    "saccade",
    derandomize=True,
    deadline=None,
    max_examples=60,
    phases=[phase for phase in Phase if phase is not Phase.explain],  # it can take minutes on a parser
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("quick", settings.get_profile("saccade"), max_examples=12)
settings.load_profile("saccade")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The real samples that are kept beside the repository, never in it."""
    folder = HERE.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the real samples are not here: they lie in `shared/data` beside the repository")
    return folder


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The address of tests/worlds/pages."""
    with serve(HERE / "tests" / "worlds" / "pages") as port:
        yield f"http://127.0.0.1:{port}"


# -- markers ----------------------------------------------------------------------------------------------------------

BROWSER_FIXTURES = {"engine", "android_engine", "browser"}
"""A test that uses one of these, also through another fixture, gets the marker `browser`."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if BROWSER_FIXTURES & set(getattr(item, "fixturenames", ())):
            item.add_marker("browser")
    deal(items, getattr(config, "workerinput", {}).get("workercount", 1))


def deal(items: list[pytest.Item], workers: int) -> None:
    """Put files with slow tests first in each worker's share (`--dist worksteal` cuts the list into equal parts), so
    that no worker has one left when the others are done. A file's tests stay together: they share fixtures.
    """
    files: dict[Path, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(item.path, []).append(item)
    shares: list[list[pytest.Item]] = [[] for _ in range(workers)]
    for tests in sorted(files.values(), key=lambda tests: not any(test.get_closest_marker("slow") for test in tests)):
        min(shares, key=len).extend(tests)
    if workers > 1:
        items[:] = [item for share in shares for item in share]


def _left_out(config: pytest.Config) -> set[str]:
    """The markers that `-m "not this and not that"` leaves out."""
    expression = config.getoption("markexpr")
    return set() if " or " in expression else set(re.findall(r"not (\w+)", expression))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """A file whose `pytestmark` is left out need not be imported: torch alone takes seconds."""
    if collection_path.suffix == ".py" and (markers := _left_out(config)):
        marked = re.search(r"^pytestmark = .*", collection_path.read_text(encoding="utf-8"), re.MULTILINE)
        if marked and markers & set(re.findall(r"mark\.(\w+)", marked[0])):
            return True
    return None


class MarkerGuard:
    """Fails a test that starts a browser or a desktop without the marker of that name, or imports torch without the
    marker `train`.

    Files may import torch for all their tests if they say `pytestmark = pytest.mark.train`. What a test does in a
    process of its own is not seen.
    """

    def __init__(self) -> None:
        self.collecting_without: set[str] = set()
        self.test: pytest.Item | None = None
        self.fault = ""

    def __call__(self, event: str, args: tuple[Any, ...]) -> None:
        """An audit hook of Python, called at every import and every new process."""
        if event == "import" and args[0] == "torch":
            self.check("imports torch", "train")
        elif event == "subprocess.Popen" and "run-driver" in args[1]:  # Playwright's own process
            self.check("starts a browser", "browser")
        elif event == "subprocess.Popen" and any(str(word).endswith("desktop/supervisor.py") for word in args[1]):
            self.check("starts a desktop", "desktop")

    def check(self, does: str, marker: str) -> None:
        if marker in self.collecting_without:
            raise RuntimeError(f"this file {does} at import: it needs `pytestmark = pytest.mark.{marker}`")
        if self.test is not None and self.test.get_closest_marker(marker) is None:
            self.fault = f"{self.test.nodeid} {does}: it needs @pytest.mark.{marker}"


guard = MarkerGuard()
sys.addaudithook(guard)


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Iterator[None]:
    guard.collecting_without = _left_out(session.config)
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()  # a million objects of imported modules, that no collection of garbage need look at again
        guard.collecting_without = set()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    guard.test = item
    try:
        return (yield)
    finally:
        guard.test = None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.when == "teardown" and guard.fault:
        report.outcome, report.longrepr, guard.fault = "failed", guard.fault, ""
    return report
