"""What all tests share: one hypothesis profile, and the folder of real samples."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings

from loopback import serve

if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # workers side by side, each with threads for every core, take turns
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background would ignore Ctrl-C

settings.register_profile(
    "saccade",
    derandomize=True,
    deadline=None,
    max_examples=100,
    phases=[phase for phase in Phase if phase is not Phase.explain],  # it can take minutes on a parser
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("saccade")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The real samples that are kept beside the repository, never in it."""
    folder = Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the real samples are not here: they lie in `shared/data` beside the repository")
    return folder


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The address of tests/worlds/pages."""
    with serve(Path(__file__).parent / "worlds" / "pages") as port:
        yield f"http://127.0.0.1:{port}"
