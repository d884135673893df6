"""TFRecord files, examples in them, and the wire format below: right ones, broken ones, long ones."""

from __future__ import annotations

import random
import struct
import tracemalloc
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readers import example, field, shard, varint
from saccade.data import tfrecord
from saccade.data.tf_example import names_in, pick
from saccade.data.tfrecord import BLOCK, TFRecord, checksum_of, crc32c, frame, head, records
from saccade.screens.protobuf import FOUR, VARINT, fields, signed, tag, text

MESSAGES = [b"", b"one", b"x" * (3 * BLOCK + 5), random.Random(1).randbytes(BLOCK), b"last"]


def contents(path: Path, check: bool = False) -> list[bytes]:
    return [bytes(each.data[each.at : each.end]) for each in records(path, check)]


# -- checksums: the vectors of RFC 3720 -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "checksum"),
    [
        (b"", 0),
        (b"123456789", 0xE3069283),
        (bytes(32), 0x8A9136AA),
        (b"\xff" * 32, 0x62A8AB43),
        (bytes(range(32)), 0x46DD794E),
        (bytes(range(31, -1, -1)), 0x113FDB5C),
    ],
)
def test_known_checksums(data: bytes, checksum: int) -> None:
    assert crc32c()(data) == checksum


# -- files ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("gzip", [False, True])
@pytest.mark.parametrize("check", [False, True])
def test_every_record_comes_back(tmp_path: Path, gzip: bool, check: bool) -> None:
    path = shard(tmp_path / "shard", MESSAGES, gzip)
    assert contents(path, check) == MESSAGES
    found = list(records(path, check))
    assert [each.number for each in found] == [1, 2, 3, 4, 5]
    assert found[-1].read == path.stat().st_size
    assert found[2].where == f"{path}: record 3" and not found[2].fault


def test_gzip_members_follow_each_other_and_zeros_may_end_them(tmp_path: Path) -> None:
    data = b"".join(map(frame, MESSAGES))
    path = tmp_path / "shard"
    for cut in (0, 7, 12, 40, len(data) // 2, len(data)):
        path.write_bytes(zlib.compress(data[:cut], 6, 31) + zlib.compress(data[cut:], 1, 31) + bytes(700))
        assert contents(path) == MESSAGES


def test_records_stay_when_the_reading_goes_on(tmp_path: Path) -> None:
    """Also if there are more of them than files that may be open."""
    messages = [*MESSAGES, *(b"%d" % number for number in range(2000)), *MESSAGES]
    path = shard(tmp_path / "shard", messages, gzip=False)
    views = [memoryview(each.data)[each.at : each.end] for each in records(path)]
    path.unlink()
    assert [bytes(view) for view in views] == messages


def test_records_longer_than_a_window_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tfrecord, "WINDOW", 1000)
    messages = MESSAGES + [b"some text"] * 300 + MESSAGES
    assert contents(shard(tmp_path / "shard", messages, gzip=False), check=True) == messages


@pytest.mark.parametrize("gzip", [False, True])
def test_a_file_that_ends_too_early_says_after_which_record(tmp_path: Path, gzip: bool) -> None:
    path = shard(tmp_path / "shard", [b"first", b"second" * 50, b"third"], gzip)
    whole, chance = path.read_bytes(), random.Random(3)
    for cut in sorted(chance.sample(range(1, len(whole)), 30)):
        path.write_bytes(whole[:cut])
        read: list[TFRecord] = []
        try:
            read += records(path)
        except ValueError as error:
            assert str(error).startswith(f"record {len(read) + 1}: the file ends in the middle")
        else:
            assert not gzip and len(read) < 3  # a plain file that ends between two records looks whole


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "record 1: the file ends in the middle (it is empty)"),
        (b"<html>404 not found</html>", "record 1: its head is wrong, so this is no TFRecord file"),
        (b"\x1f\x8b\x08broken gzip, really", "record 1: GZIP cannot be inflated"),
        (zlib.compress(b"no records in here", 6, 31), "record 1: its head is wrong"),
        (frame(b"good") + b"short", "record 2: the file ends in the middle (its head has 5 of 12 bytes)"),
        (frame(b"good") + bytes(12) + b"good", "record 2: its head is wrong"),
        (
            struct.pack("<QI", 1 << 40, checksum_of(struct.pack("<Q", 1 << 40))),
            "record 1: it has 1,099,511,627,776 bytes: no record is so long",
        ),
    ],
)
def test_what_is_no_tfrecord_file_is_told(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "shard"
    path.write_bytes(content)
    with pytest.raises(ValueError) as told:
        list(records(path))
    assert says in str(told.value)


def test_gzip_with_a_wrong_checksum_is_told(tmp_path: Path) -> None:
    path = shard(tmp_path / "shard", [b"some text"])
    whole = bytearray(path.read_bytes())
    whole[-6] ^= 1
    path.write_bytes(whole)
    with pytest.raises(ValueError, match="GZIP cannot be inflated"):
        list(records(path))


def test_a_damaged_record_is_found_if_asked_for_and_its_neighbours_stay(tmp_path: Path) -> None:
    path = shard(tmp_path / "shard", [b"first", b"second", b"third"], gzip=False)
    path.write_bytes(path.read_bytes().replace(b"second", b"secund"))
    assert [each.fault for each in records(path)] == ["", "", ""]
    assert [each.fault for each in records(path, check=True)] == ["", "its checksum is wrong: it is damaged", ""]


def test_a_missing_file_and_a_folder_are_told(tmp_path: Path) -> None:
    for path in (tmp_path / "none", tmp_path):
        with pytest.raises(ValueError, match="record 1: the file cannot be read"):
            list(records(path))


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    member = zlib.compress(frame(b"\0" * 4_000_000), 1, 31)
    path = tmp_path / "shard"
    path.write_bytes(member * 60)
    tracemalloc.start()
    try:
        assert sum(1 for _ in records(path)) == 60
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 20_000_000, "240 MB were read, one record has 4 MB"


def test_zlib_is_used_where_zlib_ng_is_not(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def absent(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(tfrecord, "import_module", absent)
    tfrecord.inflater.cache_clear()
    try:
        assert tfrecord.inflater() is zlib
        assert contents(shard(tmp_path / "shard", MESSAGES)) == MESSAGES
    finally:
        tfrecord.inflater.cache_clear()


def test_the_first_bytes_of_the_first_record(tmp_path: Path) -> None:
    for gzip in (False, True):
        assert head(shard(tmp_path / "shard", [b"abc", b"def"], gzip)) == b"abc"
        assert head(shard(tmp_path / "long", [b"abc" * 100_000], gzip)).startswith(b"abcabc")
    (tmp_path / "text").write_text("hello, this is not one of them")
    assert head(tmp_path / "text") == head(tmp_path) == head(tmp_path / "none") == b""


# -- examples ---------------------------------------------------------------------------------------------------------

FEATURES = st.dictionaries(
    st.text(max_size=8),
    st.one_of(
        st.lists(st.binary(max_size=300), max_size=5),
        st.lists(st.integers(-(2**63), 2**63 - 1), max_size=5),
        st.lists(st.floats(width=32, allow_nan=False), max_size=5),
    ),
    max_size=6,
)


@given(FEATURES, st.binary(max_size=3))
def test_examples_come_back(features: dict[str, list[bytes] | list[int] | list[float]], before: bytes) -> None:
    data = example(features)
    found = pick(before + data + b"?", len(before), len(before) + len(data), features)
    assert names_in(data) == set(features)
    for name, values in features.items():
        if not values:
            assert not found[name].views() and not found[name].integers() and not found[name].floats()
        elif isinstance(values[0], bytes):
            assert [bytes(view) for view in found[name].views()] == values
        elif isinstance(values[0], int):
            assert found[name].integers() == values
        else:
            assert found[name].floats() == values


def test_numbers_may_be_unpacked() -> None:
    integers = field(3, field(1, 5) + field(1, -7))
    floats = field(2, varint(tag(1, FOUR)) + struct.pack("<f", 0.5))
    data = field(1, field(1, field(1, "i") + field(2, integers)) + field(1, field(1, "f") + field(2, floats)))
    found = pick(data, 0, len(data), ("i", "f"))
    assert found["i"].integers() == [5, -7]
    assert found["f"].floats() == [0.5]


def test_a_list_of_another_kind_is_told_by_its_name() -> None:
    data = example({"goal": [1, 2], "text": [b"\xff\xfe"]})
    found = pick(data, 0, len(data), ("goal", "text", "absent"))
    with pytest.raises(ValueError, match="goal: it holds integers, not bytes"):
        found["goal"].texts()
    with pytest.raises(ValueError, match=r"text\[0\]: not UTF-8 text"):
        found["text"].texts()
    assert found["absent"].texts() == []


def test_pictures_are_not_copied() -> None:
    data = example({"picture": [b"p" * 1000]})
    (view,) = pick(data, 0, len(data), ("picture",))["picture"].views()
    assert view.obj is data


@pytest.mark.parametrize("data", [b"\x0a", b"\x0a\x05abc", b"\x0b", b"\x0d\x01", b"\xff" * 12, b"\x08\x80", b"\x09abc"])
def test_what_is_no_message_is_told(data: bytes) -> None:
    with pytest.raises(ValueError):
        list(fields(data, 0, len(data)))
    with pytest.raises(ValueError):
        pick(data, 0, len(data), ("goal",))


@given(st.binary(max_size=200))
def test_random_bytes_are_a_message_or_a_value_error(data: bytes) -> None:
    names_in(data)
    try:
        found = pick(data, 0, len(data), ("goal",))
        found["goal"].integers()
    except ValueError as error:
        assert str(error)


def test_signs_and_texts() -> None:
    assert signed((1 << 64) - 1) == -1 and signed((1 << 64) - 5, 32) == -5 and signed(7, 32) == 7
    assert list(fields(field(2, -1), 0, 11)) == [(tag(2, VARINT), (1 << 64) - 1, 11)]
    assert text("xé好x".encode(), 1, 6) == "é好"
    with pytest.raises(ValueError, match="missing"):
        list(fields(b"ab", 0, 5))
