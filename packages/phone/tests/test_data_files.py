"""The data files: every table is used and right, and a mistake in one is reported with file and entry."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from saccade.errors import InputError
from saccade_phone import data_files
from saccade_phone.data_files import DATA, Entry, Words, table

SOURCE = DATA.parent


class Thing(Entry):
    name: str
    price: int


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(data_files, "DATA", tmp_path)
    data_files._tables.cache_clear()
    yield tmp_path
    data_files._tables.cache_clear()


@pytest.mark.parametrize(
    ("things", "says"),
    [
        ([{"name": "a", "price": 1}, {"name": "b"}], r"toys.json: things\[1\]: .*missing required field `price`"),
        ([{"name": "a", "price": "1"}], r"toys.json: things\[0\].price: Expected `int`, got `str`"),
        ([{"name": "a", "price": 1, "colour": "red"}], r"toys.json: things\[0\]: .*unknown field `colour`"),
    ],
)
def test_a_wrong_entry_is_named(folder: Path, things: object, says: str) -> None:
    (folder / "toys.json").write_text(json.dumps({"things": things}), encoding="utf-8")
    with pytest.raises(InputError, match=says):
        table("toys", "things", list[Thing])


def test_a_wrong_entry_of_an_object_is_named(folder: Path) -> None:
    sounds = {"dawn": ["Dawn", "晨光"], "drum": ["Drum", 3]}
    (folder / "clock.json").write_text(json.dumps({"sounds": sounds}), encoding="utf-8")
    with pytest.raises(InputError, match=r"clock.json: sounds\['drum'\]\[1\]: Expected `str`, got `int`"):
        table("clock", "sounds", dict[str, Words])


def test_a_missing_table_or_file_is_named(folder: Path) -> None:
    (folder / "toys.json").write_text('{"things": []}', encoding="utf-8")
    with pytest.raises(InputError, match=r"toys.json has no table 'tools': it has things"):
        table("toys", "tools", list[Thing])
    with pytest.raises(InputError, match=r"games.json cannot be read"):
        table("games", "things", list[Thing])
    (folder / "broken.json").write_text("{", encoding="utf-8")
    with pytest.raises(InputError, match=r"broken.json cannot be read"):
        table("broken", "things", list[Thing])


def test_every_table_of_every_file_is_read_by_the_code() -> None:
    code = "\n".join(file.read_text(encoding="utf-8") for file in SOURCE.rglob("*.py"))
    used = set(re.findall(r'table\(\s*"([\w/]+)",\s*"(\w+)"', code))
    used |= {("mail", name) for name in re.findall(r'letters\("(\w+)"\)', code)}
    there = {
        (str(file.relative_to(DATA).with_suffix("")), name)
        for file in DATA.rglob("*.json")
        for name in json.loads(file.read_text(encoding="utf-8"))
    }
    assert used == there


def test_words_stand_side_by_side() -> None:
    for en, zh in table("contacts", "companies", tuple[Words, ...]):
        assert not re.search("[一-鿿]", en) and re.search("[一-鿿]", zh), (en, zh)
