"""Miniatures of the grounding sets, in the very forms in which they are published."""

from __future__ import annotations

import json
import random
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped, unused-ignore]
import pyarrow.parquet as pq  # type: ignore[import-untyped, unused-ignore]
import pytest
from PIL import Image

from saccade.data.readers.base import Dataset
from saccade.geometry import Box
from saccade.types import Step

SIZES = {"mobile": (360, 800), "desktop": (960, 540), "web": (1280, 720)}
PREFIX = {"mobile": "mobile", "desktop": "pc", "web": "web"}
SOURCE = {"mobile": "ios", "desktop": "windows", "web": "shop"}
CORNERS = [(300, 440, 350, 500), (12, 40, 200, 90), (100, 300, 130, 330), (250, 400, 350, 430)]
"""Boxes as two corners in pixels; they fit all three screens."""


def picture(path: Path, size: tuple[int, int]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("1", size).save(path, "PNG", compress_level=1)


def head(path: Path, size: tuple[int, int]) -> None:
    """A PNG without its pixels, for many large ones: a reader looks no further."""
    path.parent.mkdir(parents=True, exist_ok=True)
    shape = struct.pack(">IIBBBBB", *size, 1, 0, 0, 0, 0)
    chunks = [struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
              for name, data in [(b"IHDR", shape), (b"IDAT", b""), (b"IEND", b"")]]  # fmt: skip
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(chunks))


def written(box: tuple[int, ...], form: str, size: tuple[int, int]) -> list[float]:
    x0, y0, x1, y1 = box
    if form == "unit":
        return [x0 / size[0], y0 / size[1], x1 / size[0], y1 / size[1]]
    return [x0, y0, x1 - x0, y1 - y0] if form == "xywh" else [x0, y0, x1, y1]


def records(platform: str, form: str = "xywh") -> list[dict[str, Any]]:
    return [
        {
            "img_filename": f"{PREFIX[platform]}_{at % 2}.png",
            "bbox": written(box, form, SIZES[platform]),
            "instruction": f"choose item {at}",
            "data_type": "text" if at % 2 else "icon",
            "data_source": SOURCE[platform],
        }
        for at, box in enumerate(CORNERS)
    ]  # fmt: skip


def screenspot(folder: Path, form: str = "xywh", mark: str = "", images: str = "screenspot_imgs") -> Path:
    for platform, size in SIZES.items():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"screenspot_{platform}{mark}.json").write_text(json.dumps(records(platform, form), indent=1))
        for at in range(2):
            picture(folder / images / f"{PREFIX[platform]}_{at}.png", size)
    return folder


def screenspot_v2(folder: Path, form: str = "xywh") -> Path:
    return screenspot(folder, form, "_v2", "screenspotv2_image")


def rows(platform: str, form: str) -> list[dict[str, Any]]:
    found = []
    for record in records(platform, form):
        picture(path := Path(record["img_filename"]), SIZES[platform])
        found.append({**record, "image": {"bytes": path.read_bytes(), "path": path.name}})
    return found


def parquet(folder: Path, form: str, monkeypatch: pytest.MonkeyPatch, name: str = "file_name") -> Path:
    """As Hugging Face exports it: an image struct, and shards in data/."""
    (folder / "data").mkdir(parents=True)
    (scratch := folder.parent / "scratch").mkdir(exist_ok=True)
    with monkeypatch.context() as context:
        context.chdir(scratch)
        for at, platform in enumerate(SIZES):
            table = [{name if key == "img_filename" else key: value for key, value in row.items()}
                     for row in rows(platform, form)]  # fmt: skip
            pq.write_table(pa.Table.from_pylist(table), folder / "data" / f"test-0000{at}-of-00003.parquet")
    return folder


def pro(folder: Path) -> Path:
    (folder / "annotations").mkdir(parents=True)
    for app, system in {"vscode": "macos", "excel": "windows"}.items():
        listed = [
            {
                "img_filename": f"{app}_{system}/screenshot_{at}.png",
                "bbox": [10 + at, 20, 50, 60 + at],
                "instruction": f"press button {at}",
                "instruction_cn": f"按第{at}个按钮",
                "id": f"{app}_{system}_{at}",
                "application": app,
                "platform": system,
                "img_size": [3840, 2160],
                "ui_type": "icon" if at else "text",
                "group": "Dev",
            }
            for at in range(3)
        ]
        (folder / "annotations" / f"{app}_{system}.json").write_text(json.dumps(listed, ensure_ascii=False, indent=2))
        picture(folder / "images" / f"{app}_{system}" / "screenshot_0.png", (3840, 2160))
    return folder


def osworld_g(folder: Path) -> Path:
    """Two boxes, a polygon with a dent, a refusal; only the first screenshot is there."""
    (folder / "benchmark").mkdir(parents=True)
    corners = [0, 0, 100, 0, 100, 20, 20, 20, 20, 100, 0, 100]
    kinds = [("bbox", [10.5, 20, 30, 40.5], ["Button", "Icon", "Label"]), ("polygon", corners, ["Tab"]),
             ("refusal", [0, 0, 0, 0], ["Table"]),
             ("bbox", [1, 2, 3, 4], ["Toolbar", "Accordion/Collapsible Panel"])]  # fmt: skip
    listed = [
        {
            "id": f"s-{at}",
            "image_path": f"s{at}.png",
            "image_size": [1280, 720],
            "instruction": f"do {at}",
            "box_type": kind,
            "box_coordinates": numbers,
            "GUI_types": types,
        }
        for at, (kind, numbers, types) in enumerate(kinds)
    ]
    (folder / "benchmark" / "OSWorld-G.json").write_text(json.dumps(listed, indent=2))
    picture(folder / "benchmark" / "images" / "s0.png", (1280, 720))
    return folder


def showui(folder: Path) -> Path:
    (folder / "metadata").mkdir(parents=True)
    listed = [
        {
            "img_url": f"screen_{at}.png",
            "img_size": [1920, 1080],
            "element": [
                {"instruction": "Galerie", "bbox": [0.25, 0.25, 0.5, 0.5], "data_type": "text", "point": [0.38, 0.37]},
                {"instruction": "the red cross", "bbox": [0.9, 0.0, 1.0, 0.05], "data_type": "icon"},
            ],
            "element_size": 2,
        }
        for at in range(3)
    ]
    (folder / "metadata" / "hf_train.json").write_text(json.dumps(listed))
    picture(folder / "images" / "screen_0.png", (1920, 1080))
    return folder


def os_atlas(folder: Path) -> Path:
    nested: list[dict[str, Any]] = [
        {
            "img_filename": f"screen_{at}.png",
            "elements": [
                {"instruction": "Save \"as\" [x] {y}", "bbox": [0.1, 0.2, 0.3, 0.4], "data_type": "Button"},
                {"instruction": "保存", "bbox": [0.5, 0.5, 0.6, 0.7]},
            ],
        }
        for at in range(3)
    ]  # fmt: skip
    flat: list[dict[str, Any]] = [
        {"img_filename": f"m_{at}.png", "instruction": "go back", "bbox": [0.0, 0.1, 0.2, 0.3]} for at in range(4)
    ]
    for domain, name, listed in [
        ("desktop", "linux_splited", nested), ("web", "seeclick_web", nested), ("mobile", "uibert_raw", flat),
    ]:  # fmt: skip
        (place := folder / f"{domain}_domain").mkdir(parents=True)
        (place / f"{name}.json").write_text(json.dumps(listed, ensure_ascii=False))
        for record in listed:
            picture(place / f"{domain}_images" / str(record["img_filename"]), (1000, 500))
    return folder


MAKERS: dict[str, Callable[[Path], Path]] = {
    "screenspot": screenspot,
    "screenspot-v2": screenspot_v2,
    "screenspot-pro": pro,
    "osworld-g": osworld_g,
    "showui-desktop": showui,
    "os-atlas": os_atlas,
}


def steps(dataset: Dataset) -> list[Step]:
    return [sample.step for sample in dataset.samples()]


def truth_box(step: Step) -> Box:
    (action,) = step.truth
    assert action.type == "click" and action.box is not None
    return action.box


WRONG: list[Any] = [None, True, -1, 1e308, 10**30, "", "x", [], {}, [[]], {"a": [1]}, [1, 2, 3, 4, 5], ["a"] * 4]


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every container with every key of it."""
    if not isinstance(value, dict | list):
        return []
    own = [(value, key) for key in (value if isinstance(value, dict) else range(len(value)))]
    return own + [place for holder, key in own for place in places(holder[key])]


def mangled(raw: bytes, rng: random.Random) -> bytes:
    """A JSON file cut off, with bytes changed, or with its content changed."""
    way = rng.randrange(7)
    if way == 0:
        return raw[: rng.randrange(len(raw))]
    if way == 1:
        at = rng.randrange(len(raw))
        return raw[:at] + bytes([rng.randrange(256)]) + raw[at + 1 :]
    value = json.loads(raw)
    holder, key = rng.choice(places(value))
    if way == 2 and isinstance(holder, dict):
        del holder[key]
    elif way == 3 and isinstance(value, list):
        rng.shuffle(value)
    elif way == 4:
        holder[key] = [holder[key]]
    elif way == 5:
        value = rng.choice([{"data": value}, [value], value[0] if isinstance(value, list) else [value]])
    else:
        holder[key] = rng.choice(WRONG)
    return json.dumps(value).encode()
