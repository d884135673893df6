"""Kills processes as soon as the one that started them is dead: `python -I -S guard_process.py SECONDS`, its standard
input a pipe from that one. They have so many seconds to end by themselves.

Each line is `+NUMBER` for a process to be killed, or `-NUMBER` for one that is no longer. The pipe ends when its writer
does, however it ends. A worker cannot do this for itself: for seconds after its start, and inside a long computation,
none of its own code runs. Only the standard library is imported, so that this process is there at once.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time

_BY_HANDLE = hasattr(os, "pidfd_open") and hasattr(signal, "pidfd_send_signal")
"""On Linux a handle names a process for good; elsewhere its number could be given to another one."""


def main() -> None:
    guarded: dict[int, int] = {}
    for line in sys.stdin:
        number = int(line[1:])
        if line.startswith("+"):
            with contextlib.suppress(OSError):  # it has ended
                guarded[number] = os.pidfd_open(number) if _BY_HANDLE else number
        elif (handle := guarded.pop(number, None)) is not None and _BY_HANDLE:
            os.close(handle)
    if guarded:
        time.sleep(float(sys.argv[1]))
    for handle in guarded.values():
        with contextlib.suppress(OSError):
            _kill(handle)


def _kill(handle: int) -> None:
    if _BY_HANDLE:
        signal.pidfd_send_signal(handle, signal.SIGKILL)
    else:
        os.kill(handle, signal.SIGKILL)


if __name__ == "__main__":
    main()
