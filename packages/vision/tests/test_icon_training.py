"""Training of the icon network: the table's check, what is drawn from, and a whole training of three steps."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image as Pictures
from PIL import ImageDraw

from saccade.geometry import Box
from saccade_vision.icons import IconNamer
from saccade_vision.training.icon_rasters import LETTERS, NO_MEANING, PACKAGES, SIZE, check, labelled, pack, unpack


def test_packed_masks_come_back_in_sixteen_levels() -> None:
    mask = np.random.default_rng(1).integers(0, 256, (SIZE, SIZE), np.uint8)
    packed = pack(mask)
    assert packed.nbytes == SIZE * SIZE // 2
    back = unpack(packed[None])[0]
    assert np.abs(back.astype(int) - mask).max() <= 9
    assert set(np.unique(back)) <= {17 * level for level in range(16)}


FILES = {
    "lucide-static": {name: [Path(f"icons/{name}.svg")] for name in ("bell", "bell-dot", "tent", "phone-bell")},
    "remixicon": {"bell": [Path("System/bell-line.svg"), Path("System/bell-fill.svg")]},
}


def test_the_table_is_checked_against_the_packages() -> None:
    good = [{"key": "ring", "icons": {"lucide-static": ["bell"], "remixicon": ["bell", "!bell-fill"]}}]
    assert check(good, FILES) == []
    twice = [*good, {"key": "sound", "icons": {"lucide-static": ["bell"], "remixicon": ["horn", "!bell-thin"]}}]
    assert check(twice, FILES) == [
        "lucide-static bell means ring and sound",
        "sound: remixicon has no icon horn",
        "sound: remixicon has no drawing bell-thin",
    ]


def test_icons_that_add_to_a_named_one_are_neither_known_nor_unknown() -> None:
    table = [{"key": "ring", "icons": {"lucide-static": ["bell"], "remixicon": ["bell", "!bell-fill"]}}]
    found = {(package, file.stem): label for package, label, file in labelled(table, FILES)}
    assert found == {
        ("lucide-static", "bell"): 0,
        ("lucide-static", "tent"): NO_MEANING,
        ("remixicon", "bell-line"): 0,
    }


def small_data(path: Path) -> None:
    """Four drawings in each package: two meanings, one icon without and, once, a letter."""
    masks, labels, packages, names = [], [], [], []
    for package in range(len(PACKAGES)):
        for label, line in ((0, (8, 32, 56, 32)), (1, (32, 8, 32, 56)), (NO_MEANING, (8, 8, 56, 56))):
            picture = Pictures.new("L", (SIZE, SIZE))
            ImageDraw.Draw(picture).line(line, fill=255, width=4 + package)
            masks.append(pack(np.asarray(picture)))
            labels.append(label)
            packages.append(package)
            names.append(f"icons/{label}")
    masks.append(masks[0])
    np.savez_compressed(
        path,
        masks=np.stack(masks),
        labels=np.array([*labels, LETTERS], np.int16),
        packages=np.array([*packages, -1], np.int8),
        names=np.array([*names, "C"]),
        keys=np.array(["remove", "pause"]),
        package_names=np.array(list(PACKAGES)),
    )


@pytest.mark.train
def test_training_writes_a_network_that_names_icons(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch  # noqa: PLC0415

    from saccade_vision.training import icon_train  # noqa: PLC0415

    torch.set_num_threads(1)
    data, out = tmp_path / "icons.npz", tmp_path / "weights" / "icons.onnx"
    small_data(data)
    options = f"--data {data} --out {out} --steps 3 --batch 16 --every 1"
    monkeypatch.setattr(sys, "argv", ["icon_train", *options.split()])
    icon_train.main()
    facts = json.loads(out.with_suffix(".json").read_text())
    assert facts["keys"] == ["remove", "pause"]
    assert facts["measured"]["report"]["package"] == "@phosphor-icons/core"
    assert facts["measured"]["report"]["icons"] == 2
    assert 500_000 < facts["measured"]["parameters"] < 1_000_000
    assert out.stat().st_size < 2_000_000
    namer = IconNamer(out, threads=1)
    namer.known_above = -1e9
    found = namer.name(np.full((50, 50, 3), 255, np.uint8), [Box(0, 0, 40, 40)] * 3)
    assert {meaning.name for meaning in found if meaning} <= {"remove", "pause"} and len(found) == 3
    final = tmp_path / "final.onnx"
    options = f"--data {data} --out {final} --steps 1 --batch 16 --chosen {out.with_suffix('.json')}"
    monkeypatch.setattr(sys, "argv", ["icon_train", *options.split()])
    icon_train.main()
    again = json.loads(final.with_suffix(".json").read_text())
    assert again["known_above"] == facts["known_above"]
    assert again["measured"]["choose"] == facts["measured"]["choose"]
    assert len(again["measured"]["train"]) == len(facts["measured"]["train"]) + 1
