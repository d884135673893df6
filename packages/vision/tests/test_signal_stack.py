"""A program that has read a picture still handles signals."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import os, signal
import numpy as np
from saccade_vision.text import TextReader
TextReader(threads=2, backend="openvino").read(np.full((300, 300, 3), 255, np.uint8))
try:
    os.kill(os.getpid(), signal.SIGINT)
except KeyboardInterrupt:
    print("interrupted")
"""


def test_ctrl_c_after_a_picture_was_read() -> None:
    """In a process of its own: OpenVINO takes the stack of signals away when it compiles its first network."""
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "interrupted"), done.stderr
