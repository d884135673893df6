"""Keeps the stack on which this thread handles signals.

OpenVINO 2026.4 gives the thread that compiles its first network another one (`sigaltstack`) and then frees that memory.
Python asks for its handlers to run there, so the next Ctrl-C, or the end of a child where somebody handles SIGCHLD,
would end the process with SIGSEGV, without a trace.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator
from contextlib import contextmanager


class SignalStack(ctypes.Structure):
    """`stack_t` of Linux."""

    _fields_ = (("memory", ctypes.c_void_p), ("flags", ctypes.c_int), ("size", ctypes.c_size_t))


@contextmanager
def kept_signal_stack() -> Iterator[None]:
    """Whatever is called in here, this thread handles signals on the same stack afterwards. Only Linux needs it."""
    if sys.platform != "linux":
        yield
        return
    system, before = ctypes.CDLL(None), SignalStack()
    system.sigaltstack(None, ctypes.byref(before))
    try:
        yield
    finally:
        system.sigaltstack(ctypes.byref(before), None)
