"""Read the tables of names, dishes, mails, goods … from the JSON files in `data/`.

English and Chinese stand side by side, as `[en, zh]` or `{"en": …, "zh": …}`. Order matters: a phone is drawn from
these tables with a seeded random generator, so inserting or moving an entry changes which phone a seed gives.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

from saccade.errors import InputError, readable
from saccade.typed_values import prepare_type

T = TypeVar("T")
DATA = Path(__file__).parent / "data"
Words = tuple[str, str]
"""The same in English and in Chinese."""


class ByLanguage(msgspec.Struct, Generic[T], forbid_unknown_fields=True):
    """A table that is not the same in the two languages: other names, other cities, other dishes."""

    en: T
    zh: T

    def of(self, language: str) -> T:
        return self.zh if language == "zh" else self.en


class Entry(msgspec.Struct, forbid_unknown_fields=True):
    """Base class of the entries of a table: a field that is missing, misspelt or of a wrong type is an error."""


@cache
def _tables(file: str) -> dict[str, msgspec.Raw]:
    path = DATA / f"{file}.json"
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, msgspec.Raw])
    except (OSError, msgspec.DecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}") from None


def table(file: str, name: str, kind: type[T]) -> T:
    """The table `name` of `data/<file>.json`, checked against the type `kind`."""
    tables = _tables(file)
    if name not in tables:
        raise InputError(f"{DATA / file}.json has no table {name!r}: it has {', '.join(tables)}")
    prepare_type(kind)
    try:
        return msgspec.json.decode(tables[name], type=kind)
    except msgspec.DecodeError as error:
        where = readable(error).replace("[...]", f"[{_wrong_key(tables[name], kind)!r}]", 1)
        raise InputError(f"{DATA / file}.json: {name}{where}") from None


def _wrong_key(text: msgspec.Raw, kind: type[T]) -> str:
    """The key of the wrong entry of a table that is an object: msgspec says only `[...]`."""
    entries = msgspec.json.decode(text)
    for key in entries if isinstance(entries, dict) else ():
        try:
            msgspec.json.decode(msgspec.json.encode({key: entries[key]}), type=kind)
        except msgspec.DecodeError:
            return str(key)
    return "..."
