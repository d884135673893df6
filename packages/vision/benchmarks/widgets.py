"""How many widgets are found on screens that were never trained or chosen on, and how fast.

    python -m saccade_vision.training.collect_phone --set apps --screens 120 --out SCREENS/apps
    python -m saccade_vision.training.collect_phone --set material --screens 120 --out SCREENS/material
    python packages/vision/benchmarks/widgets.py --screens SCREENS/apps SCREENS/material --osworld FOLDER

Recall at IoU 0.5 with at most 100 boxes a screen, with Wilson's interval (95 %). Of our own screens the truth is the
page's elements (boxes thinner than 7 pixels, slivers of something scrolled away, are left out): "interactive" are those
that can be pressed or typed into. Of OSWorld-G (`benchmark/OSWorld-G.json`, `benchmark/images`) it is the box of each
sample. `--boxes NAME=FILE` measures another detector by what it found, one JSON line a picture:
{"image": "a.png", "boxes": [[x0, y0, x1, y1, score], ...]}. Time is CPU time with one thread, after one screen.

`--types` tells instead, for each type of our own screens, how many interactive boxes are found with that type, among
the widgets that the parser keeps.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from saccade.bench.figures import wilson
from saccade_vision.parser import LEAST_CONFIDENCE
from saccade_vision.training.screen_folder import read_lines
from saccade_vision.widget_boxes import iou_matrix
from saccade_vision.widgets import LIMIT, WEIGHTS, WidgetDetector

Boxes = NDArray[np.float32]
Detector = Callable[[str, NDArray[np.uint8]], Boxes]
THINNEST = 7
RIGHT = 0.5


class WidgetCase(NamedTuple):
    """A picture and its true boxes, by group."""

    name: str
    picture: Path
    groups: dict[str, Boxes]


def own_screens(folder: Path) -> Iterator[WidgetCase]:
    for line in read_lines(folder):
        kept = [element for element in line["elements"] if _thickness(element["box"]) >= THINNEST]
        pressed = [element["box"] for element in kept if element["interactive"]]
        pictures = [element["box"] for element in kept if not element["interactive"] and element["type"] != "text"]
        groups = {"interactive": _array(pressed), "pictures and icons that do nothing": _array(pictures)}
        yield WidgetCase(line["image"], folder / line["image"], groups)


def osworld_screens(folder: Path) -> Iterator[WidgetCase]:
    samples = json.loads((folder / "benchmark" / "OSWorld-G.json").read_text(encoding="utf-8"))
    by_picture: dict[str, list[list[float]]] = {}
    for sample in samples:
        if sample["box_type"] == "bbox":
            x, y, width, height = sample["box_coordinates"]
            by_picture.setdefault(sample["image_path"], []).append([x, y, x + width, y + height])
    for name, boxes in sorted(by_picture.items()):
        yield WidgetCase(name, folder / "benchmark" / "images" / name, {"targets": _array(boxes)})


def _thickness(box: list[float]) -> float:
    return min(box[2] - box[0], box[3] - box[1])


def _array(boxes: list[list[float]]) -> Boxes:
    return np.array(boxes, np.float32).reshape(-1, 4)


def ours(weights: Path, backend: str) -> Detector:
    detector = WidgetDetector(weights, threads=1, backend=backend or None)  # type: ignore[arg-type]
    return lambda _, pixels: _array([list(widget.box) for widget in detector.find(pixels, LIMIT, 0.03)])


def told(file: Path) -> Detector:
    """Another detector's boxes, the 100 best of each picture."""
    found: dict[str, list[list[float]]] = {}
    for text in file.read_text(encoding="utf-8").splitlines():
        line = json.loads(text)
        best = sorted(line["boxes"], key=lambda box: -box[4])[:LIMIT]
        found[line["image"]] = [box[:4] for box in best]
    return lambda name, _: _array(found.get(name, []))


def measure(cases: list[WidgetCase], detect: Detector) -> dict[str, Any]:
    counts: dict[str, list[int]] = {}
    seconds = []
    for number, case in enumerate(cases):
        with Image.open(case.picture) as file:
            pixels = np.asarray(file.convert("RGB"))
        if number == 0:
            detect(case.name, pixels)
        began = time.process_time()
        found = detect(case.name, pixels)
        seconds.append(time.process_time() - began)
        for group, boxes in case.groups.items():
            hits = iou_matrix(boxes, found).max(1, initial=0) >= RIGHT
            counted = counts.setdefault(group, [0, 0])
            counted[0] += int(hits.sum())
            counted[1] += len(hits)
    shares = {group: {"right": right, "of": whole} for group, (right, whole) in counts.items() if whole}
    return {"screens": len(cases), "seconds": round(float(np.mean(seconds)), 3), "recall": shares}


def count_types(folder: Path, detector: WidgetDetector) -> dict[str, Counter[str]]:
    """Of each true type, as what the boxes are found; `""` where none is in the same place."""
    counts: dict[str, Counter[str]] = {}
    for line in read_lines(folder):
        with Image.open(folder / line["image"]) as file:
            pixels = np.asarray(file.convert("RGB"))
        found = [each for each in detector.find(pixels) if each.confidence >= LEAST_CONFIDENCE]
        boxes = _array([list(each.box) for each in found])
        for element in line["elements"]:
            if element["interactive"] and _thickness(element["box"]) >= THINNEST:
                overlaps = iou_matrix(_array([element["box"]]), boxes)[0]
                best = found[int(overlaps.argmax())].type if overlaps.max(initial=0) >= RIGHT else ""
                counts.setdefault(element["type"], Counter())[best] += 1
    return counts


def print_types(folder: Path, counts: dict[str, Counter[str]]) -> None:
    right, whole = sum(found[name] for name, found in counts.items()), sum(map(Counter.total, counts.values()))
    print(f"{folder.name}: {right} of {whole} interactive boxes found with their type")
    for name, found in sorted(counts.items(), key=lambda each: -each[1].total()):
        others = ", ".join(f"{other or 'nothing'} {count}" for other, count in found.most_common() if other != name)
        print(f"  {name}: {found[name]} of {found.total()}" + (f"; else {others}" if others else ""))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--screens", type=Path, nargs="*", default=[], help="folders written by the collectors")
    parser.add_argument("--osworld", type=Path, default=None, help="the folder that holds benchmark/OSWorld-G.json")
    parser.add_argument("--boxes", nargs="*", default=[], help="NAME=FILE: what another detector found on OSWorld-G")
    parser.add_argument("--weights", type=Path, default=WEIGHTS)
    parser.add_argument("--backend", default="", help="openvino or onnxruntime")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--types", action="store_true", help="the types of --screens, not the recall")
    given = parser.parse_args()
    if given.types:
        detector = WidgetDetector(given.weights, threads=1, backend=given.backend or None)
        for folder in given.screens:
            print_types(folder, count_types(folder, detector))
        return
    detect = ours(given.weights, given.backend)
    runs = [(folder.name, "ours", measure(list(own_screens(folder)), detect)) for folder in given.screens]
    if given.osworld:
        cases = list(osworld_screens(given.osworld))
        runs.append(("OSWorld-G", "ours", measure(cases, detect)))
        for pair in given.boxes:
            name, _, file = pair.partition("=")
            runs.append(("OSWorld-G", name, measure(cases, told(Path(file)))))
    for where, who, result in runs:
        if given.json:
            print(json.dumps({"screens": where, "detector": who, **result}))
            continue
        print(f"{where}, {who}: {result['screens']} screens, {result['seconds']} CPU-s each")
        for group, count in result["recall"].items():
            figure = wilson(count["right"], count["of"])
            share = f"{100 * figure.value:.1f} % [{100 * figure.low:.1f}, {100 * figure.high:.1f}]"
            print(f"  {group}: {share} of {count['of']}")


if __name__ == "__main__":
    main()
