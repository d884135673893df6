"""Checks a model's folder before a library reads it. Libraries follow links to devices, wait for pipes, and take memory
for whatever a configuration claims.
"""

from __future__ import annotations

import math
import os
import re
import stat
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from saccade.errors import InputError
from saccade.models.torch_support import libraries
from saccade.typed_values import to_type
from saccade.untrusted import decode_json, open_file, read_bytes

MOST_JSON = 1 << 26
"""Bytes of a configuration or a tokenizer; large ones have 20 MB."""
MOST_TEMPLATE = 1 << 18
MOST_HEAD = 1 << 26
"""Bytes of the list of tensors that a file of weights begins with."""
MOST_FILES = 10_000
SPARE = 1.5
"""How many times the weights of its files a configuration may ask for: heads that are added, tensors that are tied."""
SMALL = 1 << 27
"""Weights that any machine has room for: tables of positions, which no file holds."""
_REPEATED = re.compile(r"depth|n_layers?|(num|encoder|decoder)_\w*(layers|blocks)|(encoder|decoder)_layers")


class TensorEntry(msgspec.Struct):
    """What the head of a file of weights says of a tensor."""

    shape: list[int]


class StoredWeights(NamedTuple):
    """What the files of weights hold together."""

    tensors: int
    numbers: int


def check_model_files(folder: Path) -> None:
    """Regular files of bounded size, and configurations that are JSON. Links are followed, as model stores use them."""
    listed = (Path(place, name) for place, _, names in os.walk(folder) for name in names)
    files = list(islice(listed, MOST_FILES + 1))
    if len(files) > MOST_FILES:
        raise InputError(f"{folder} holds more than {MOST_FILES:,} files: it is no model's folder")
    for file in files:
        try:
            found = file.stat()
        except OSError as error:
            raise InputError(f"{file} cannot be read: {error.strerror}") from None
        if not stat.S_ISREG(found.st_mode):
            raise InputError(f"{file} is a pipe or a device, not a file")
        most = {".json": MOST_JSON, ".jinja": MOST_TEMPLATE, ".txt": MOST_JSON, ".model": MOST_JSON}.get(file.suffix)
        if most is not None and found.st_size > most:
            raise InputError(f"{file} has {found.st_size:,} bytes: no model's folder needs more than {most:,}")
    for file in folder.glob("*.json"):
        try:
            decode_json(read_bytes(file, MOST_JSON))
        except (OSError, msgspec.DecodeError) as error:
            raise InputError(f"{file} cannot be read: {getattr(error, 'strerror', None) or error}") from None


def stored_weights(folder: Path) -> StoredWeights:
    """Counted from the heads of the files; the numbers themselves are not read."""
    tensors = numbers = 0
    for file in sorted(folder.glob("*.safetensors")):
        try:
            with open_file(file) as stream:
                size = os.fstat(stream.fileno()).st_size
                length = int.from_bytes(stream.read(8), "little")
                if not 0 < length <= min(size - 8, MOST_HEAD):
                    raise ValueError(f"its list of tensors has {length:,} bytes, and the file {size:,}")
                head = decode_json(stream.read(length), dict[str, Any])
            found = [to_type(head[name], TensorEntry).shape for name in head if name != "__metadata__"]
            if any(side < 0 for shape in found for side in shape):
                raise ValueError("a tensor has a negative size")
        except (OSError, ValueError, msgspec.MsgspecError) as error:
            raise InputError(f"{file} holds no weights that can be read: {error}") from None
        tensors += len(found)
        numbers += sum(min(math.prod(shape), size) for shape in found)  # a number takes at least a byte
    return StoredWeights(tensors, numbers)


def check_claims(folder: Path, config: Any, kind: str = "AutoModelForImageTextToText") -> None:
    """Does a configuration ask for what the files hold? Weights that they lack would be made up, and layers by the
    million take hours to make. `kind` is the class of transformers that will load them.
    """
    stored = stored_weights(folder)
    for name, value in _numbers(config.to_dict()):
        if _REPEATED.fullmatch(name) and value > max(64, stored.tensors):
            raise InputError(f"{folder}: its config.json asks for {name} {value:,}, and its files hold "
                             f"{stored.tensors:,} tensors")  # fmt: skip
    torch, transformers = libraries()
    with torch.device("meta"):  # shapes without numbers
        model = getattr(transformers, kind).from_config(config)
    wanted = sum(math.prod(each.shape) for part in (model.parameters(), model.buffers()) for each in part)
    if wanted > SPARE * stored.numbers + SMALL:
        raise InputError(
            f"{folder}: its config.json asks for {wanted:,} weights, and its files hold {stored.numbers:,}"
        )


def _numbers(value: Any, name: str = "") -> Iterator[tuple[str, int]]:
    """All whole numbers of a configuration with their names; it nests a hundred levels at most (`decode_json`)."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _numbers(item, str(key))
    elif isinstance(value, int) and not isinstance(value, bool):
        yield name, value
