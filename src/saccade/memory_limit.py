"""Bounds the memory of libraries that unpack what others wrote without limits of their own, such as pyarrow."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from saccade.untrusted import read_bytes

MOST_MEMORY = 1280 << 20
"""By how much the process may grow while a library unpacks something."""
_LIMITING = threading.Lock()


@contextmanager
def bounded_memory(most: int = MOST_MEMORY) -> Iterator[None]:
    """For libraries that unpack without limits: while it lasts, the process may grow by so many bytes and no more; else
    `ValueError`. Linux tells and keeps to such a limit; elsewhere there is none. Keep it short: other threads have part
    in it.
    """
    with _limit(most):
        try:
            yield
        except MemoryError:
            raise ValueError(f"it unpacks to more than {most >> 20} MB") from None


@contextmanager
def _limit(most: int) -> Iterator[None]:
    if sys.platform != "linux" or not _LIMITING.acquire(blocking=False):
        yield  # another thread has set one
        return
    import resource  # noqa: PLC0415  (there is none on Windows)

    try:
        soft, hard = resource.getrlimit(resource.RLIMIT_AS)
        pages = int(read_bytes("/proc/self/statm").split()[0])
        limit = pages * os.sysconf("SC_PAGE_SIZE") + most
        if soft == resource.RLIM_INFINITY or limit < soft:
            resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
    finally:
        _LIMITING.release()
