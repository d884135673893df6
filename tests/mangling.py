"""Files that are wrong in a thousand ways, and what every reader owes its user when it meets one."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from saccade.data.readers.base import DataError, Dataset, Sample
from saccade.errors import InputError

WRONG: tuple[Any, ...] = (
    None,
    0,
    -1,
    1.5,
    1e300,
    10**25,
    "",
    "?",
    "NaN",
    [],
    [[]],
    {},
    {"x": {}},
    True,
    "\x00",
    ["a", 1],
)


def twisted(value: Any, chance: random.Random) -> Any:
    """A copy of parsed JSON in which one place is not as it should be."""
    value = copy.deepcopy(value)
    places = list(_places(value, []))
    holder, key = chance.choice(places) if places else ([value], 0)
    match chance.randrange(5):
        case 0 if isinstance(holder, dict):
            del holder[key]
        case 1 if isinstance(holder, dict):
            holder[f"{key}_x"] = holder.pop(key)
        case 2 if isinstance(holder[key], list) and len(holder[key]) > 1:
            chance.shuffle(holder[key])
        case 3:
            holder[key] = [holder[key]]
        case _:
            holder[key] = chance.choice(WRONG)
    return value


def _places(value: Any, found: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inside:
        found.append((value, key))
        _places(item, found)
    return found


def damaged(data: bytes, chance: random.Random) -> bytes:
    """Bytes cut off, or with a few of them changed."""
    if not data or chance.random() < 0.5:
        return data[: chance.randrange(len(data) + 1)]
    changed = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        changed[chance.randrange(len(data))] = chance.randrange(256)
    return bytes(changed)


def reads(make: Callable[..., Dataset], folder: Path, **options: str) -> tuple[list[Sample], str]:
    """Read a folder that may be broken, strictly and leniently, and check what every reader promises.

    Returns what could be read, and the message of the strict reading: empty if all is well.
    """
    message = ""
    try:
        list(make(folder, **options).samples())
    except InputError as error:
        message = str(error)
        assert str(folder) in message, f"the message does not name the file: {message}"
        assert ": " in message, f"the message does not say what is wrong: {message}"
    try:
        lenient = make(folder, keep_going=True, **options)
        samples = list(lenient.samples())
    except DataError as error:
        raise AssertionError(f"--keep-going did not go on: {error}") from error
    except InputError as error:
        assert message, f"only the lenient reading fails: {error}"
        return [], message
    assert bool(message) == bool(lenient.problems), (message, lenient.problems)
    for sample in samples:
        assert min(sample.step.screen) > 0
        assert sample.where
    return samples, message
