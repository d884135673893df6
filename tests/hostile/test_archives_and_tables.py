"""Zip archives whose names lead elsewhere and whose files are not what the directory says, and parquet files of
kilobytes that unpack to gigabytes: what is damaged is told for the picture or the rows that it concerns, in bounded
time and memory. Tar archives are read by nothing in Saccade.
"""

from __future__ import annotations

import json
import stat
import struct
import subprocess
import sys
import threading
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fuzz_inputs import picture
from saccade import memory_limit, untrusted
from saccade.data.readers import archives
from saccade.data.readers.archives import Archive, ScreenshotFinder
from saccade.data.readers.base import DataError
from saccade.data.readers.tables import BrokenError, ParquetTable

# -- zip ---------------------------------------------------------------------------------------------------------------


def zipped(files: dict[str, bytes], path: Path, links: dict[str, str] | None = None) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
        for name, target in (links or {}).items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr = (stat.S_IFLNK | 0o777) << 16
            archive.writestr(entry, target)
    return path


def edited(path: Path, mark: bytes, at: int, value: bytes, last: bool = False) -> Path:
    """Other bytes in a record of the archive: `PK\\1\\2` is an entry of the directory, `PK\\5\\6` its end."""
    data = bytearray(path.read_bytes())
    place = (data.rfind(mark) if last else data.find(mark)) + at
    data[place : place + len(value)] = value
    path.write_bytes(data)
    return path


NAMES = ("../../1.png", "/etc/1.png", "a/../../../1.png", "..\\..\\1.png", "C:\\1.png", "a\0b/1.png", "//h/1.png")


def test_names_that_lead_elsewhere_stay_names(tmp_path: Path) -> None:
    """Nothing is unpacked to the disk: a name is only looked up."""
    shot = picture()
    path = zipped(dict.fromkeys(NAMES, shot), tmp_path / "a.zip", {"2.png": "/etc/passwd"})
    before = sorted(tmp_path.parent.rglob("*"))
    finder = ScreenshotFinder([tmp_path / "none"], [path])
    for name in ("../../1.png", "../1.png", "/../1.png", "a/..", "..", "", "/"):
        with pytest.raises(ValueError, match="is not the name of a file"):
            finder.picture(name)
    with pytest.raises(ValueError, match=r"is in \d places"):
        finder.picture("1.png")
    archive = Archive(path)
    assert [archive.read(name) for name in archive.entries if name != "2.png"] == [shot] * len(NAMES)
    with pytest.raises(ValueError, match="cannot be read"):  # a link is a file that holds a path: no picture
        finder.picture("2.png")
    assert sorted(tmp_path.parent.rglob("*")) == before


def test_a_name_of_a_record_finds_no_file_outside_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "1.png").write_bytes(picture())
    finder = ScreenshotFinder([tmp_path / "data"], [])
    for name in (f"{tmp_path}/1.png", "../1.png", "x/../../1.png", "..\\1.png"):
        with pytest.raises(ValueError, match=r"nowhere in|is not the name"):
            finder.picture(name)


def bomb(path: Path) -> Path:
    """Its directory says 100 bytes; 60 MB would come."""
    zipped({"1.png": bytes(60_000_000)}, path)
    return edited(path, b"PK\x01\x02", 24, struct.pack("<I", 100))


def honest_bomb(path: Path) -> Path:
    return edited(zipped({"1.png": b"x" * 100}, path), b"PK\x01\x02", 24, struct.pack("<I", 2**31))


@pytest.mark.parametrize(
    "make",
    [
        bomb,
        honest_bomb,
        lambda path: edited(zipped({"1.png": b"x" * 100}, path), b"PK\x01\x02", 20, struct.pack("<I", 2**31)),
        lambda path: edited(zipped({"1.png": b"x" * 100}, path), b"PK\x01\x02", 42, struct.pack("<I", 2**31)),
        lambda path: edited(zipped({"1.png": b"x" * 100}, path), b"PK\x01\x02", 42, struct.pack("<I", 7)),
        lambda path: edited(zipped({"1.png": b"x" * 100}, path), b"PK\x01\x02", 34, struct.pack("<H", 3)),
        lambda path: edited(zipped({"1.png": b"x" * 100}, path), b"PK\x01\x02", 8, struct.pack("<H", 1)),
        lambda path: edited(zipped({"1.png": b"x" * 100}, path), b"PK\x01\x02", 10, struct.pack("<H", 14)),
        lambda path: edited(zipped({"1.png": b"x" * 100}, path), b"PK\x03\x04", 26, struct.pack("<HH", 65535, 65535)),
        lambda path: edited(zipped({"1.png": b"x" * 100}, path), b"PK\x03\x04", 35, b"\xff\xff\xff"),
    ],
    ids=["bomb", "2 GB", "packed 2 GB", "beyond the end", "elsewhere", "another part", "encrypted", "LZMA", "long name",
         "broken"],
)  # fmt: skip
def test_a_file_that_is_not_what_the_directory_says(tmp_path: Path, make: Callable[[Path], Path]) -> None:
    archive = Archive(make(tmp_path / "a.zip"))
    tracemalloc.start()
    try:
        with pytest.raises(DataError, match=r"a\.zip: 1\.png: "):
            archive.read("1.png")
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "make",
    [
        lambda path: edited(path, b"PK\x05\x06", 4, struct.pack("<H", 20)),
        lambda path: edited(path, b"PK\x05\x06", 4, struct.pack("<H", 65534)),
        lambda path: edited(path, b"PK\x05\x06", 12, struct.pack("<I", 2**31)),
        lambda path: edited(path, b"PK\x05\x06", 12, struct.pack("<I", 47)),
        lambda path: edited(path, b"PK\x05\x06", 16, struct.pack("<I", 2**32 - 2)),
        lambda path: edited(path, b"PK\x01\x02", 28, struct.pack("<HH", 65535, 65535)),
        lambda path: edited(path, b"PK\x05\x06", 0, b"XXXX"),
        lambda path: edited(path, b"PK\x05\x06", 8, b"\xff" * 12),
    ],
    ids=["parts", "many parts", "large", "short", "beyond", "long names", "no end", "64 bits"],
)
def test_a_directory_that_lies_is_told(tmp_path: Path, make: Callable[[Path], Path]) -> None:
    path = zipped({"1.png": b"x" * 100, "2.png": b"y"}, tmp_path / "a.zip")
    make(path)
    try:
        found = Archive(path)
    except DataError as error:
        assert "a.zip: not a zip archive, or damaged" in str(error)
    else:
        with pytest.raises(DataError):
            found.read("2.png")


def test_an_archive_has_a_bounded_number_of_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = zipped({f"{at}.png": b"" for at in range(50)}, tmp_path / "a.zip")
    assert len(Archive(path).entries) == 50
    monkeypatch.setattr(archives, "MOST_FILES", 49)
    with pytest.raises(DataError, match="it has more than 49 files"):
        Archive(path)


# -- parquet -----------------------------------------------------------------------------------------------------------

WRITES = """
import pyarrow, pyarrow.parquet, sys

def one(value, times):
    rows = pyarrow.nulls(times, pyarrow.int32()).fill_null(0)
    return pyarrow.DictionaryArray.from_arrays(rows, pyarrow.array([value]))

def listed(values):
    return pyarrow.ListArray.from_arrays(pyarrow.array([0, len(values)]), values)

columns = {
    "page": pyarrow.array([bytes(10_000_000)] * 40, pyarrow.large_binary()),
    "nothing": listed(pyarrow.nulls(40_000_000, pyarrow.int8())),
    "word": listed(one("x" * 1_000_000, 1_000)),
    "dictionary": one(bytes(80_000_000), 100),
    "honest": one("x" * 100_000, 5_000_000),
}
for name, column in columns.items():
    options = {"use_dictionary": name != "page", "data_page_size": 1 << 30, "dictionary_pagesize_limit": 1 << 30}
    table = pyarrow.table({"image": column})
    pyarrow.parquet.write_table(table, f"{sys.argv[1]}/{name}.parquet", compression="zstd", **options)
"""
"""Forty cells of 10 MB in one page; one row of 40 million empty values; one row that names a word of a megabyte a
thousand times; a hundred rows of the same 80 MB. And five million rows of one word, which is long, but honest.
"""
READS = """
import functools, itertools, json, sys
from pathlib import Path
from saccade import memory_limit
from saccade.data.readers import tables

tables.bounded_memory = functools.partial(memory_limit.bounded_memory, 200 << 20)
table = tables.ParquetTable(Path(sys.argv[1]))
read = list(itertools.islice(table.records(["image"]), 1_000))
try:
    table.cells("image")[0]
    cell = ""
except tables.BrokenError as error:
    cell = str(error)
told = {"rows": table.rows, "covered": sum(each.size for each in read), "errors": [each.error for each in read]}
most = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
print(json.dumps(told | {"cell": cell, "peak": int(most.split()[1]) >> 10}))
"""
"""With a sixth of the real limit. In a process of its own: what another has used and given back is room for more. The
system gives `ru_maxrss` of the process that started it, if that had more; so `VmHWM`.
"""


@pytest.fixture(scope="module")
def bombs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("pyarrow")
    folder = tmp_path_factory.mktemp("bombs")
    subprocess.run([sys.executable, "-c", WRITES, str(folder)], check=True)
    return folder


def read_elsewhere(file: Path) -> dict[str, Any]:
    assert file.stat().st_size < 1 << 20
    done = subprocess.run([sys.executable, "-c", READS, str(file)], check=True, capture_output=True)
    told: dict[str, Any] = json.loads(done.stdout)
    return told


@pytest.mark.parametrize("name", ["page", "nothing", "word", "dictionary"])
def test_a_table_that_unpacks_to_too_much_is_told(bombs: Path, name: str) -> None:
    told = read_elsewhere(bombs / f"{name}.parquet")
    assert told["covered"] == told["rows"] and all(told["errors"])
    for said in (told["errors"][0], told["cell"]):
        assert "unpacks to more than 200 MB" in said or "no record does" in said
    assert told["peak"] < 800


def test_what_is_long_but_honest_is_read(bombs: Path) -> None:
    told = read_elsewhere(bombs / "honest.parquet")
    assert (told["rows"], told["covered"], told["cell"]) == (5_000_000, 1_000, "")
    assert not any(told["errors"]) and told["peak"] < 800


def parquet(path: Path, column: Any) -> ParquetTable:
    arrow, writer = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    writer.write_table(arrow.table({"image": column}), path)
    return ParquetTable(path)


def nested(depth: int) -> Any:
    arrow = pytest.importorskip("pyarrow")
    kind = arrow.int8()
    for _ in range(depth):
        kind = arrow.struct([("a", kind)])
    return arrow.nulls(1, kind)


def test_deep_schemas_and_wrong_lengths_are_told(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    with pytest.raises(BrokenError, match="too deeply nested"):
        parquet(tmp_path / "deep.parquet", nested(2_000))
    parquet(tmp_path / "a.parquet", arrow.array(["x" * 2_000] * 50))
    data = (tmp_path / "a.parquet").read_bytes()
    length = int.from_bytes(data[-8:-4], "little")
    foot = len(data) - 8 - length
    damaged = {
        "a foot longer than the file": data[:-8] + struct.pack("<I", 2**31) + b"PAR1",
        "a foot of nothing": data[:-8] + struct.pack("<I", 0) + b"PAR1",
        "half a foot": data[:-8] + struct.pack("<I", length // 2) + b"PAR1",
        "another end": data[:-4] + b"PARE",
        "zeros for a foot": data[:foot] + bytes(length) + data[-8:],
        "a foot of long numbers": data[:foot] + b"\xff" * length + data[-8:],
        "only its ends": b"PAR1" + data[-8:],
    }
    for name, content in damaged.items():
        (tmp_path / "b.parquet").write_bytes(content)
        with pytest.raises(BrokenError, match="not a parquet file, or cut off"):
            raise AssertionError((name, list(ParquetTable(tmp_path / "b.parquet").records(["image"]))))
    for at in range(4, foot - 4, 7):  # the heads of pages: their lengths and counts
        (tmp_path / "c.parquet").write_bytes(data[:at] + b"\xff\xff\xff\x7f" + data[at + 4 :])
        read = list(ParquetTable(tmp_path / "c.parquet").records(["image"]))
        assert sum(record.size for record in read) == 50


def test_the_limit_of_memory_is_taken_back_and_shared(tmp_path: Path) -> None:
    import resource  # noqa: PLC0415

    before = resource.getrlimit(resource.RLIMIT_AS)
    with pytest.raises(ValueError, match="more than 64 MB"), memory_limit.bounded_memory(64 << 20):
        bytearray(1 << 30)
    assert resource.getrlimit(resource.RLIMIT_AS) == before
    inside, leave = threading.Event(), threading.Event()

    def other() -> None:
        with memory_limit.bounded_memory(1 << 30):
            inside.set()
            leave.wait(10)

    thread = threading.Thread(target=other)
    thread.start()
    inside.wait(10)
    with memory_limit.bounded_memory(1 << 20):
        assert len(bytearray(8 << 20)) == 8 << 20, "another thread's limit holds"
    leave.set()
    thread.join()
    assert resource.getrlimit(resource.RLIMIT_AS) == before


def test_no_tar_archive_is_opened() -> None:
    """If a reader ever does: names, links and sizes of what is in it are another's, too."""
    source = Path(untrusted.__file__).parent
    assert not [file for file in source.rglob("*.py") if "import tarfile" in file.read_text(encoding="utf-8")]
