"""Reads arrays that NumPy saved, whoever wrote the file: none of Python's objects, and no more than it may have."""

from __future__ import annotations

import io
import math
import struct
import tokenize
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.format import read_array_header_1_0, read_array_header_2_0, read_magic

from saccade.untrusted import open_file

_BROKEN = (
    *(ValueError, LookupError, EOFError, TypeError, OverflowError, MemoryError, SyntaxError, RuntimeError),
    *(zipfile.BadZipFile, zlib.error, struct.error, tokenize.TokenError),
)
"""What `zipfile` and NumPy raise about broken archives and heads, beside errors of files."""


def read_arrays(path: str | Path, most: int) -> dict[str, Any]:
    """The arrays of a file that NumPy's `savez` wrote, by name; they unpack to at most `most` bytes together. Arrays of
    Python objects are none: they are pickles. `OSError` of a file that cannot be opened, else `ValueError`.
    """
    arrays: dict[str, Any] = {}
    left = most
    try:
        with open_file(path) as file, zipfile.ZipFile(file) as packed:
            for entry in packed.infolist():
                if entry.file_size > left:
                    raise ValueError(f"it unpacks to more than {most:,} bytes")
                with packed.open(entry) as stream:  # it ends where the directory says, whatever is packed
                    arrays[entry.filename.removesuffix(".npy")] = _array(stream.read())
                left -= entry.file_size
    except _BROKEN as error:
        raise ValueError(f"it holds no arrays that can be read: {error or type(error).__name__}") from None
    return arrays


def _array(data: bytes) -> Any:
    """NumPy takes the memory for whatever shape is claimed, so that is compared with the bytes that are there."""
    stream = io.BytesIO(data)
    heads: dict[tuple[int, int], Any] = {(1, 0): read_array_header_1_0, (2, 0): read_array_header_2_0}
    version = read_magic(stream)
    if version not in heads:
        raise ValueError(f"an array of the unknown version {version}")
    shape, fortran, kind = heads[version](stream)
    if kind.hasobject or math.prod(shape) * kind.itemsize != len(data) - stream.tell():
        raise ValueError(f"an array of the kind {kind} and the shape {shape} is not what its bytes are")
    return np.frombuffer(data, kind, offset=stream.tell()).reshape(shape, order="F" if fortran else "C")
