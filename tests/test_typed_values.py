"""Types that several threads meet for the first time at once: msgspec alone ends the process."""

from __future__ import annotations

import subprocess
import sys

import msgspec
import pytest

from saccade.typed_values import to_type

PROGRAM = """
import sys
import threading
import types
import msgspec
from saccade.typed_values import to_type
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


@pytest.mark.parametrize("read", ["decode_json(data, module.Outer)", "to_type(plain, module.Outer)"])
def test_threads_that_meet_a_type_at_once_all_read_it(read: str) -> None:
    """With `msgspec.json.decode` and `msgspec.convert` in place of ours, this ends with SIGSEGV."""
    words = [sys.executable, "-c", PROGRAM.replace("READ", read), NESTED]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "all read"), done.stderr


class Place(msgspec.Struct):
    x: int
    y: int = 0


def test_values_are_checked() -> None:
    assert to_type({"x": 1}, Place) == Place(1)
    assert to_type([{"x": "2"}], list[Place], strict=False) == [Place(2)]
    assert to_type(Place(3, 4), Place, from_attributes=True) == Place(3, 4)
    with pytest.raises(msgspec.ValidationError, match=r"\$\.x"):
        to_type({"x": "1"}, Place)
