"""See what the layers of the networks are given on training screens, for `int8`.

    python -m saccade_vision.training.collect_phone --set train --screens 60 --seed 5 --out SCREENS/phone
    python -m saccade_vision.training.text_screens --set train --screens 44 --out SCREENS/text
    python -m saccade_vision.training.collect_desktop --screens 40 --seed 77 --out SCREENS/desktop
    python -m saccade_vision.training.int8_ranges --screens SCREENS/phone SCREENS/text SCREENS/desktop

writes `weights/int8_ranges.json` anew. A layer's range is the mean, over the pictures, of the least and of the largest
number that it is given: a number that one picture alone has is cut off, and the others are kept more exactly.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image as Pictures
from rich.progress import track

from saccade_vision.graph_rewrites import replace_gelu, split_upsampling
from saccade_vision.int8 import RANGES, Range, exact_zero, fingerprint, rounded_layers
from saccade_vision.runtime import Array, OnnxNetwork, Rewrites, import_openvino
from saccade_vision.text import TextReader
from saccade_vision.text.models import DETECTOR, RECOGNISER, model_file
from saccade_vision.widgets import WEIGHTS, WidgetDetector

ENDINGS = (".png", ".webp", ".jpg")


class WatchedNetwork:
    """A network in 32-bit floats that notes what its layers are given."""

    def __init__(self, path: Path, rewrites: Rewrites = ()) -> None:
        openvino, operations = import_openvino(), import_module("openvino.opset13")
        self.path = path
        model = openvino.Core().read_model(path)
        for rewrite in rewrites:
            rewrite(model)
        self._count = len(model.outputs)
        self._names = []
        ends = []
        for layer, _ in list(rounded_layers(model)):
            self._names.append(layer.get_friendly_name())
            value = layer.input_value(0)
            axes = operations.constant(np.arange(len(value.get_partial_shape()), dtype=np.int64))
            for reduce in (operations.reduce_min, operations.reduce_max):
                ends.append(operations.result(reduce(value, axes)))
        model.add_results(ends)
        self._model = openvino.compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
        self._seen: list[Array] = []

    def network(self) -> OnnxNetwork:
        return OnnxNetwork("openvino", [each.get_any_name() for each in self._model.inputs], self._run)

    def _run(self, inputs: dict[str, Array]) -> list[Array]:
        found = list(self._model(inputs).values())
        self._seen.append(np.array(found[self._count :], np.float64).reshape(-1, 2))
        return [np.array(each) for each in found[: self._count]]

    def ranges(self) -> dict[str, Range]:
        mean = np.mean(self._seen, axis=0)
        return {name: exact_zero(float(low), float(high)) for name, (low, high) in zip(self._names, mean, strict=True)}


def watch(pictures: Sequence[Path]) -> list[WatchedNetwork]:
    """The networks, after they have seen all pictures."""
    detector = WatchedNetwork(model_file(DETECTOR), (split_upsampling, replace_gelu))
    recogniser = WatchedNetwork(model_file(RECOGNISER), (replace_gelu,))
    boxes = WatchedNetwork(WEIGHTS)
    reader, widgets = TextReader(), WidgetDetector()
    reader.detector, reader.recogniser, widgets.network = detector.network(), recogniser.network(), boxes.network()
    looks: tuple[Callable[[Any], object], ...] = (reader.read, widgets.find)
    for picture in track(pictures, "pictures"):
        with Pictures.open(picture) as file:
            pixels = np.asarray(file.convert("RGB"))
        for look in looks:
            look(pixels)
    return [detector, recogniser, boxes]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--screens", type=Path, nargs="+", required=True, help="folders with pictures")
    options.add_argument("--out", type=Path, default=RANGES)
    given = options.parse_args()
    pictures = [file for folder in given.screens for file in sorted(folder.iterdir()) if file.suffix in ENDINGS]
    if not pictures:
        options.error(f"there are no pictures in {', '.join(map(str, given.screens))}")
    written = [
        {"network": each.path.name, "fingerprint": fingerprint(each.path), "layers": each.ranges()}
        for each in watch(pictures)
    ]
    given.out.write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")
    print(f"{given.out}: what {sum(len(each['layers']) for each in written)} layers are given")


if __name__ == "__main__":
    main()
