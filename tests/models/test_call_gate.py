"""Many threads that ask one server with few slots: nothing is lost, and the server is not left idle."""

from __future__ import annotations

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from fake_openai import FINE, Handler, ask, asking, failing, forget_environment

from saccade.models import openai as client
from saccade.models.call_gate import CallGate

SLOTS, CALLERS, SECONDS = 4, 24, 0.1


@pytest.fixture(autouse=True)
def on_a_bare_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    forget_environment(monkeypatch, tmp_path)
    monkeypatch.setattr(client, "FIRST_WAIT", 0.02)


class FewSlots:
    """A server's behaviour: it refuses what comes while all slots are taken."""

    def __init__(self) -> None:
        self.free, self.answered, self.refused = threading.Semaphore(SLOTS), 0, 0

    def __call__(self, handler: Handler) -> None:
        if not self.free.acquire(blocking=False):
            self.refused += 1
            failing(429)(handler)
            return
        try:
            time.sleep(SECONDS)
            self.answered += 1
            FINE(handler)
        finally:
            self.free.release()


def test_a_server_with_few_slots_loses_no_call_and_stays_busy() -> None:
    slots = FewSlots()
    with asking(slots) as (model, _), ThreadPoolExecutor(CALLERS) as threads:
        began = time.monotonic()
        answers = list(threads.map(lambda _: ask(model, deadline=30), range(2 * CALLERS)))
        seconds = time.monotonic() - began
    assert len(answers) == 2 * CALLERS == slots.answered
    assert seconds < 2.5 * 2 * CALLERS * SECONDS / SLOTS, f"{seconds:.2f} s, {slots.refused} refused"


def test_the_limit_falls_to_what_was_taken_and_grows_by_one() -> None:
    async def use() -> None:
        gate = CallGate(most=8)
        for _ in range(5):
            await gate.__aenter__()
        await gate.__aexit__()
        gate.refused()
        assert gate.limit == 4
        waiting = asyncio.create_task(gate.__aenter__())
        await asyncio.sleep(0.01)
        assert not waiting.done() and gate.in_flight == 4, "the fifth waits"
        for _ in range(4):
            gate.answered(1.0)
        assert gate.limit == 5 and gate.usual_seconds == 1.0
        await gate.__aexit__()
        await waiting
        assert gate.in_flight == 4
        for _ in range(4):
            await gate.__aexit__()
        gate.refused()
        assert gate.limit == 1, "at least one"

    asyncio.run(use())
