"""A program on a real terminal, with somebody who types."""

from __future__ import annotations

import os
import pty
import select
import signal
import sys
import time
from pathlib import Path


def on_a_terminal(program: str, prompt: bytes, typed: bytes, result: Path) -> tuple[bytes, str]:
    """What a program says on its terminal up to a prompt, and what it writes to the file `result`, its argument, after
    somebody has typed. What it reads and prints goes elsewhere.
    """
    child, terminal = pty.fork()
    if child == 0:  # pragma: no cover
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1):
            os.dup2(nowhere, stream)
        os.execv(sys.executable, [sys.executable, "-c", program, str(result)])
    said, end = b"", time.monotonic() + 30
    try:
        while prompt not in said and time.monotonic() < end:
            if select.select([terminal], [], [], 0.1)[0]:
                said += os.read(terminal, 4096)
        os.write(terminal, typed)
        while not result.exists() or not result.read_text():
            assert time.monotonic() < end, said
            time.sleep(0.02)
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(terminal)
    return said, result.read_text()
