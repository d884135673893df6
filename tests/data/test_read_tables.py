"""Parquet tables and JSON files, read a little at a time: whatever is damaged costs only itself."""

from __future__ import annotations

import base64
import io
import random
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from saccade.data.readers.base import DataError
from saccade.data.readers.tables import ParquetTable, gathered, json_records, names_columns, picture_bytes, picture_size
from saccade.geometry import Size

pa: Any = pytest.importorskip("pyarrow")
pq: Any = pytest.importorskip("pyarrow.parquet")


def picture() -> bytes:
    data = io.BytesIO()
    Image.new("RGB", (30, 20)).save(data, "JPEG")
    return data.getvalue()


def test_a_damaged_row_group_costs_only_itself(tmp_path: Path) -> None:
    file = tmp_path / "a.parquet"
    pq.write_table(pa.table({"a": [random.Random(at).randbytes(2000) for at in range(40)]}), file, row_group_size=10)
    start = pq.ParquetFile(file).metadata.row_group(1).column(0).data_page_offset
    data = bytearray(file.read_bytes())
    data[start : start + 40] = b"\xff" * 40
    file.write_bytes(data)
    records = list(ParquetTable(file).records(["a"]))
    assert [record.row for record in records if record.error] == [10]
    assert "rows 10 to 19" in records[10].where and records[10].size == 10
    assert [record.row for record in records if not record.error] == [*range(10), *range(20, 40)]
    cells = ParquetTable(file).cells("a")
    assert cells[35] == random.Random(35).randbytes(2000)
    with pytest.raises(DataError, match=r"a\.parquet, row 12: a: "):
        cells[12]
    assert cells[3] == random.Random(3).randbytes(2000)


def test_text_that_is_not_utf8_costs_only_its_row(tmp_path: Path) -> None:
    file = tmp_path / "a.parquet"
    table = pa.table({"a": pa.array([b"good", b"\xff\xfe", b"fine"])})
    pq.write_table(table.set_column(0, "a", table.column(0).cast(pa.string(), safe=False)), file)
    assert [(record.value, bool(record.error)) for record in ParquetTable(file).records(["a"])] == [
        ({"a": "good"}, False),
        (None, True),
        ({"a": "fine"}, False),
    ]


def test_cells_in_any_order(tmp_path: Path) -> None:
    file = tmp_path / "a.parquet"
    pq.write_table(pa.table({"a": list(range(100)), "b": [str(at) for at in range(100)]}), file, row_group_size=30)
    cells, order = ParquetTable(file).cells("b"), list(range(100))
    random.Random(3).shuffle(order)
    assert [cells[at] for at in [*range(100), *order]] == [str(at) for at in [*range(100), *order]]


def test_columns_are_told_from_the_foot_alone(tmp_path: Path) -> None:
    file = tmp_path / "a.parquet"
    pq.write_table(pa.table({"uid": ["x"], "question": ["y"]}), file)
    assert names_columns(file, "uid", "question") and not names_columns(file, "uid", "answer")
    assert not names_columns(file, "ui")
    file.write_bytes(file.read_bytes()[:-1])
    assert not names_columns(file, "uid")


def test_pictures_as_tables_hold_them() -> None:
    data = picture()
    text = base64.b64encode(data).decode()
    for value in (data, text, text.encode(), f"data:image/jpeg;base64,{text}", {"bytes": data, "path": None}):
        assert picture_bytes(value) == data
    for wrong in (None, "", "?!", {}, {"bytes": None}, 5):
        with pytest.raises(ValueError, match="image: "):
            picture_bytes(wrong)


def test_the_size_is_in_the_head() -> None:
    assert picture_size(picture()) == Size(30, 20)
    with pytest.raises(ValueError, match="shot: it cannot be read"):
        picture_size(b"\x89PNG and no more", "shot")


@pytest.mark.parametrize(
    ("text", "values", "errors"),
    [
        (b'\xef\xbb\xbf[{"a": 1}, {"a": 2}]', [{"a": 1}, {"a": 2}], 0),
        (b'{"a": 1}\n\n{"a": \n{"a": 2}', [{"a": 1}, {"a": 2}], 1),
        (b'[{"a": 1}, {"a": "\xff"}, {"a": 2}]', [{"a": 1}, {"a": 2}], 1),
        (b'[{"a": 1}, {"a": 2}, {"a', [{"a": 1}, {"a": 2}], 1),
        (b"", [], 1),
    ],
)
def test_json_as_a_list_or_in_lines(tmp_path: Path, text: bytes, values: list[Any], errors: int) -> None:
    file = tmp_path / "a.json"
    file.write_bytes(text)
    records = list(json_records(file))
    assert [record.value for record in records if not record.error] == values
    assert sum(bool(record.error) for record in records) == errors
    assert all(record.where.startswith(str(file)) for record in records)


def test_episodes_are_gathered_as_soon_as_they_are_whole() -> None:
    def records() -> Any:
        for name, step in [("a", 1), ("a", 0), ("b", 0), ("c", 1), ("b", 1), ("c", 0)]:
            seen.append(name)
            yield name, step, f"{name}{step}"

    seen: list[str] = []
    stream = gathered(records(), {"a": 2, "b": 2, "c": 3})
    assert next(stream) == ("a", ["a0", "a1"]) and seen == ["a", "a"]
    assert list(stream) == [("b", ["b0", "b1"]), ("c", ["c0", "c1"])]
