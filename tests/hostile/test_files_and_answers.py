"""Files without an end, YAML and JSON that multiply or nest, pictures that claim to be huge, pages of servers that take
square time: each is told in one sentence, soon.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from command import saccade
from PIL import Image

from fuzz_inputs import DUMP, STEP, YAMLS, fuzz, picture, png_claiming
from saccade import untrusted
from saccade.errors import InputError
from saccade.models.chat_response import read_refusal, without_tags
from saccade.records import LONGEST_LINE, read_grown, read_lines
from saccade.types import Picture, Step

BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{other}: &{other} [{', '.join([f'*{one}'] * 9)}]\n" for one, other in zip("abcdefgh", "bcdefghi", strict=True)
)
MERGES = "a: &a {k: 1}\n" + "".join(
    f"{other}: &{other} {{<<: [{', '.join([f'*{one}'] * 9)}]}}\n"
    for one, other in zip("abcdefgh", "bcdefghi", strict=True)
)


# -- files -------------------------------------------------------------------------------------------------------------


def pipe(path: Path) -> None:
    os.mkfifo(path)


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def link_to_itself(path: Path) -> None:
    path.symlink_to(path.name)


def folder(path: Path) -> None:
    path.mkdir()


def huge(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(3 << 30)  # takes no room on the disk


@pytest.mark.parametrize("make", [pipe, device, link_to_itself, folder, huge])
@pytest.mark.parametrize(
    "read",
    [
        untrusted.read_bytes,
        untrusted.read_yaml,
        untrusted.picture_head,
        untrusted.read_picture,
        lambda path: Picture(str(path)).data(),
        lambda path: list(read_lines(path)),
        lambda path: read_grown(path, Step),
    ],
)
def test_only_regular_files_of_bounded_size_are_read(
    tmp_path: Path, make: Callable[[Path], None], read: Callable[[Path], object]
) -> None:
    path = tmp_path / "file"
    make(path)
    began = time.process_time()
    with pytest.raises((OSError, ValueError, InputError)) as told:
        read(path)
    assert "\n" not in str(told.value)
    assert time.process_time() - began < 3


def test_a_link_is_followed_unless_it_must_not_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "link").symlink_to("file")
    assert untrusted.read_text(tmp_path / "link") == "x"
    with pytest.raises(OSError, match="it is a link"):
        untrusted.open_file(tmp_path / "link", links=False)


def test_a_line_without_an_end_is_told(tmp_path: Path) -> None:
    huge(tmp_path / "steps.jsonl")
    with pytest.raises(InputError, match=f"longer than {LONGEST_LINE:,} bytes"):
        read_grown(tmp_path / "steps.jsonl", Step)


# -- JSON, YAML, XML ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [b"[" * 100_000, b'{"a":' * 300 + b"1" + b"}" * 300, b'"\xff"', b"", b"9" * 100_000, b'{"a": [1,}', "\ud800"],
)
def test_json_has_one_kind_of_error(data: bytes | str) -> None:
    with pytest.raises(msgspec.DecodeError):
        untrusted.decode_json(data)


def test_json_nests_a_hundred_levels_and_no_more() -> None:
    assert untrusted.decode_json(b"[" * 100 + b"]" * 100)
    with pytest.raises(msgspec.DecodeError, match="nests more than 100"):
        untrusted.decode_json(b"[" * 101 + b"[]" + b"]" * 101)


@pytest.mark.parametrize(
    "text",
    [
        *(BOMB, MERGES, "&a [*a]", "[" * 100_000, "- " * 100_000, "{" * 5_000, "? " * 100_000, "k: " + "9" * 100_000),
        *("k: " + "1:" * 100_000, "!!python/object/apply:os.system [id]", "!!bool maybe", "a: 2001-13-13", "!!int ''"),
        *("\0", "{a, " * 60_000, "- x\n" * 60_000, " " * (1 << 20)),
    ],
    ids=lambda text: text[:12].strip(),
)
def test_yaml_is_bounded_in_size_depth_and_time(text: str) -> None:
    began = time.process_time()
    with pytest.raises(untrusted.YamlError):
        untrusted.decode_yaml(text)
    assert time.process_time() - began < 3


def test_aliases_may_be_used() -> None:
    assert untrusted.decode_yaml("a: &a {k: 1}\nb: {<<: *a, m: 2}\nc: [*a, *a]") == {
        "a": {"k": 1}, "b": {"k": 1, "m": 2}, "c": [{"k": 1}, {"k": 1}],
    }  # fmt: skip


@pytest.mark.parametrize("kind", sorted(YAMLS))
def test_each_command_that_takes_yaml_tells_of_a_bomb(tmp_path: Path, kind: str) -> None:
    file = tmp_path / f"{kind}.yaml"
    file.write_text(BOMB)
    (tmp_path / "script.jsonl").write_text('"x"\n')
    (tmp_path / "steps.jsonl").write_text(json.dumps({**STEP, "image": ""}) + "\n")
    words: list[Any] = ["run", "--world", f"replay:{tmp_path}", "--out", tmp_path / "out", "--model"]
    script, server = f"scripted/{tmp_path}/script.jsonl", ["openai/x", "--base-url", "http://127.0.0.1:1/v1"]
    commands: dict[str, list[str | Path]] = {
        "policy": [*words, script, "--policy", file],
        "secrets": [*words, script, "--secrets", file],
        "recipe": ["train", "sft", "--config", file],
        "mix": ["data", "mix", file, "--out", tmp_path / "out"],
        "plan": ["data", "navigate", file, "--policy", "oracle", "--out", tmp_path / "out"],
        "prices": [*words, *server, "--model-with", f"prices={file}"],
    }
    done = saccade(*commands[kind])
    assert done.returncode == 2 and done.stderr.count("\n") == 1, done.stderr
    assert "YAML" in done.stderr and str(file) in done.stderr


def test_xml_declares_no_entities() -> None:
    for text in ('<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', '<?xml version="1.0" encoding="no-such"?><a/>', "<a>"):
        with pytest.raises(ValueError, match=r"XML|document type"):
            untrusted.parse_xml(text.encode())
    utf16 = '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'.encode("utf-16")
    with pytest.raises(ValueError, match="document type"):
        untrusted.parse_xml(utf16)


def test_packed_data_unpack_to_a_bound() -> None:
    packed = gzip.compress(bytes(50_000_000))
    assert untrusted.inflate(gzip.compress(b"abc"), 3) == b"abc"
    with pytest.raises(ValueError, match="more than 1,000 bytes"):
        untrusted.inflate(packed, 1_000)
    with pytest.raises(ValueError, match="cannot be unpacked"):
        untrusted.inflate(b"\x1f\x8bx", 1_000)


# -- pictures ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        png_claiming(12_000, 12_000),
        png_claiming(2**31 - 1, 2**31 - 1),
        png_claiming(0, 5),
        picture()[:60],
        picture(form="JPEG")[:300],
        b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\nshowpage\n",
        b"",
    ],
    ids=["12000", "2 to the 31", "no width", "cut PNG", "cut JPEG", "a program", "nothing"],
)
def test_a_picture_that_is_none_is_told_before_it_is_decoded(data: bytes) -> None:
    began = time.process_time()
    with pytest.raises(untrusted.PictureError):
        untrusted.read_picture(data)
    assert time.process_time() - began < 1


@pytest.mark.parametrize(
    ("mode", "form"), [("CMYK", "JPEG"), ("1", "PNG"), ("LA", "PNG"), ("I;16", "PNG"), ("P", "GIF"), ("RGB", "WEBP")]
)
def test_odd_but_whole_pictures_are_read(mode: str, form: str) -> None:
    read = untrusted.read_picture(picture(mode, form, (20, 10)))
    assert read.convert("RGB").size == (20, 10)
    assert untrusted.check_picture(picture(mode, form, (20, 10))).size == (20, 10)


def test_of_an_animation_the_first_image_counts_and_of_a_turned_photo_its_pixels() -> None:
    frames = [Image.new("RGB", (20, 10), colour) for colour in ("red", "lime", "blue")]
    file = io.BytesIO()
    frames[0].save(file, "GIF", save_all=True, append_images=frames[1:])
    assert untrusted.read_picture(file.getvalue()).convert("RGB").getpixel((5, 5)) == (255, 0, 0)
    exif = Image.Exif()
    exif[0x0112] = 6
    assert untrusted.read_picture(picture(form="JPEG", size=(20, 10), exif=exif)).size == (20, 10)


def test_parse_tells_of_a_huge_picture_and_of_a_tree_that_multiplies(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(png_claiming(12_000, 12_000))
    (tmp_path / "b.png").write_bytes(picture(size=(200, 100)))
    (tmp_path / "tree.xml").write_text('<!DOCTYPE a [<!ENTITY b "c">]>' + DUMP.partition("?>")[2])
    for image in ("a.png", "b.png"):
        done = saccade("parse", tmp_path / image, "--tree", tmp_path / "tree.xml", "--out", tmp_path / "out")
        assert done.returncode == 2 and done.stderr.count("\n") == 1


# -- servers -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        b"<" * 600_000,
        b"<html>" + b"<script" * 90_000,
        b"<style>" * 90_000,
        b"<p>" * 300_000,
        b"[" * 600_000,
        b'{"error":' * 60_000,
        json.dumps({"error": {"message": "x " * 300_000}}).encode(),
    ],
    ids=lambda body: str(body[:12]),
)
def test_the_error_of_a_server_is_read_in_linear_time_and_cut(body: bytes) -> None:
    began = time.process_time()
    assert len(str(read_refusal(500, body))) <= 2_000
    assert time.process_time() - began < 1


def test_an_error_page_is_told_by_its_words() -> None:
    page = "<html><STYLE>p {}</style ><script>if (a < b) {}</script><h1>Bad <b>gateway</b></h1> 1 < 2"
    assert " ".join(without_tags(page).split()) == "Bad gateway 1 < 2"
    assert without_tags("<p>a<script>never closed").split() == ["a"]


# -- a sample of benchmarks/fuzz_inputs.py -----------------------------------------------------------------------------


def test_a_sample_of_the_fuzzed_inputs(tmp_path: Path) -> None:
    """All 500: `python benchmarks/fuzz_inputs.py`."""
    bad = [verdict for verdict in fuzz(range(3_000, 3_010), seed=2) if verdict.problem]
    assert not bad, "\n".join(f"{each.name}: {each.problem}\n{each.said}" for each in bad)
