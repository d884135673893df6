"""Reads arrays that NumPy saved, whoever wrote the file: none of Python's objects, and no more than it may have."""

from __future__ import annotations

import struct
import tokenize
import zipfile
import zlib
from pathlib import Path
from typing import Any

from numpy.lib.format import read_array

from saccade.memory_limit import bounded_memory
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
    try:
        with open_file(path) as file, zipfile.ZipFile(file) as packed, bounded_memory():  # an array may claim any shape
            if sum(entry.file_size for entry in packed.infolist()) > most:
                raise ValueError(f"it unpacks to more than {most:,} bytes")
            for entry in packed.infolist():
                with packed.open(entry) as stream:  # it ends where the directory says, whatever is packed
                    arrays[entry.filename.removesuffix(".npy")] = read_array(stream, allow_pickle=False)
    except _BROKEN as error:
        raise ValueError(f"it holds no arrays that can be read: {error or type(error).__name__}") from None
    return arrays
