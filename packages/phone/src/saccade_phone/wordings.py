"""Tasks in other words than their templates': a file that names each by its template, seed and language.

    {"contacts.call/500003/en": "I would like to speak with Ann"}

Whoever measures how far an agent understands what nobody taught it brings wordings of their own.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import msgspec

from saccade.errors import InputError, readable
from saccade_phone.seeded_random import Language

KEPT = 4


def key_of(task: str, seed: int, language: Language) -> str:
    return f"{task}/{seed}/{language}"


def read_wordings(file: str) -> dict[str, str]:
    """All wordings of a file."""
    path = Path(file).expanduser()
    if not path.is_file():
        raise InputError(f"there is no file of wordings {file}: it is JSON, by TASK/SEED/LANGUAGE")
    return _read(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=KEPT)
def _read(path: Path, stamp: int) -> dict[str, str]:
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, str])
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: wordings are texts by TASK/SEED/LANGUAGE ({readable(error)})") from None
