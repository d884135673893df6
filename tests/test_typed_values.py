"""Types that several threads meet for the first time at once: msgspec alone ends the process."""

from __future__ import annotations

import subprocess
import sys

import msgspec
import pytest

from saccade.typed_values import convert

PROGRAM = """
import sys
import threading
import types
import msgspec
from saccade.typed_values import convert
from saccade.untrusted import decode_json

sys.setswitchinterval(1e-6)
plain = {f"part_{at}": {"count": 1} for at in range(30)}
data = msgspec.json.encode(plain)
for number in range(150):
    module = types.ModuleType(f"made_{number}")
    sys.modules[module.__name__] = module
    exec(compile(sys.argv[1], "made", "exec"), module.__dict__)
    gate = threading.Barrier(4)

    def read() -> None:
        gate.wait()
        READ

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
print("all read")
"""
PART = "    count: int | None = None\n    names: list[str] | None = None"
NESTED = "\n".join(
    [
        "from __future__ import annotations",
        "import msgspec",
        *(f"class Part{at}(msgspec.Struct):\n{PART}" for at in range(30)),
        "class Outer(msgspec.Struct):",
        *(f"    part_{at}: Part{at} | None = None" for at in range(30)),
    ]
)


@pytest.mark.parametrize("read", ["decode_json(data, module.Outer)", "convert(plain, module.Outer)"])
def test_threads_that_meet_a_type_at_once_all_read_it(read: str) -> None:
    """With `msgspec.json.decode` and `msgspec.convert` in place of ours, this ends with SIGSEGV."""
    words = [sys.executable, "-c", PROGRAM.replace("READ", read), NESTED]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "all read"), done.stderr


class Point(msgspec.Struct):
    x: int
    y: int = 0


def test_values_are_checked() -> None:
    assert convert({"x": 1}, Point) == Point(1)
    assert convert([{"x": "2"}], list[Point], strict=False) == [Point(2)]
    assert convert(Point(3, 4), Point, from_attributes=True) == Point(3, 4)
    with pytest.raises(msgspec.ValidationError, match=r"\$\.x"):
        convert({"x": "1"}, Point)
