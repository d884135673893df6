"""How well and how fast text is read from pixels: ours beside `rapidocr` as it is installed (`use_cls=False`).

    python -m saccade_vision.training.text_screens --set test --screens 48 --out SCREENS/test
    python packages/vision/benchmarks/text.py --screens SCREENS/test --results results.jsonl
    python packages/vision/benchmarks/text.py --pictures FOLDER --results desktop.jsonl      # time only
    python packages/vision/benchmarks/text.py --droidbot FOLDER --results android.jsonl      # recall on real view trees

Screens: apps music and travel, and all apps in the Material theme, which neither the filter nor any setting was chosen
on, from phones of test seeds, in Chinese and English, 1080x2400. Truth: the lines that the page says it shows. When a
line counts as found and a reading as right is said in `saccade_vision.training.text_matching` (similarity >= 0.8 in the
same place); "equal" is the share of true lines whose place reads exactly the same but for spaces and case. Precision
leaves out readings without a letter or digit. Time is CPU time of the process with one thread; each reader has read one
picture before. Intervals are Wilson's, 95 %. Of DroidBot's view trees the texts of views without children
are asked for; the status bar is not in the tree and not counted.

Results are kept in a file, one line for each reader and picture, so that a run can be continued.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image as Pictures

from saccade.bench.figures import wilson
from saccade.geometry import Box
from saccade_vision.runtime import Backend
from saccade_vision.text import TextReader
from saccade_vision.training.text_matching import compare, joined, plain, together
from saccade_vision.training.text_screens import TextScreen, TrueLine, read_screens
from saccade_vision.types import Image, TextLine

Reader = Callable[[Image], list[TextLine]]
Cases = Iterator[tuple[Image, TextScreen]]
STATUS_BAR = 0.04
"""Share of an Android screen's height."""


def open_ours(backend: Backend | None = None) -> Reader:
    """Reads every picture as if it were the first."""
    reader = TextReader(threads=1, backend=backend)

    def read(image: Image) -> list[TextLine]:
        reader.memory.clear()
        return reader.read(image)

    return read


def open_onnxruntime() -> Reader:
    return open_ours("onnxruntime")


def open_rapidocr() -> Reader:
    """Its defaults, without the network that looks for lines that are upside down."""
    from rapidocr import RapidOCR  # noqa: PLC0415  (loads OpenCV)

    threads = {f"EngineConfig.onnxruntime.{which}_op_num_threads": 1 for which in ("intra", "inter")}
    engine = RapidOCR(params={"Global.use_cls": False, "Global.log_level": "error", **threads})

    def read(image: Image) -> list[TextLine]:
        found = engine(np.ascontiguousarray(image[:, :, ::-1]))
        if found.boxes is None:
            return []
        lines = zip(found.boxes, found.txts, found.scores, strict=True)
        return [TextLine(_around(corners), text, float(score)) for corners, text, score in lines]

    return read


def _around(corners: Any) -> Box:
    (x0, y0), (x1, y1) = corners.min(axis=0).tolist(), corners.max(axis=0).tolist()
    return Box(x0, y0, x1, y1)


READERS = {"ours": open_ours, "ours, onnxruntime": open_onnxruntime, "rapidocr": open_rapidocr}


def pictures(folder: Path) -> Cases:
    """Pictures of which the text is not known."""
    for path in sorted(folder.glob("*.png")):
        yield np.asarray(Pictures.open(path).convert("RGB")), TextScreen(path.name, "", "", "picture", [])


def droidbot(folder: Path) -> Cases:
    """Real Android screens: the texts of views without children, where no other view covers them."""
    for path in sorted(folder.glob("states/state_*.json")):
        image = np.asarray(Pictures.open(path.with_name(path.stem.replace("state", "screen") + ".png")).convert("RGB"))
        lines = []
        for view in json.loads(path.read_text(encoding="utf-8"))["views"]:
            (x0, y0), (x1, y1) = view["bounds"]
            if view.get("text") and not view.get("children") and x1 > x0 and y1 > y0:
                inside = x0 >= 0 and y0 >= 0 and x1 <= image.shape[1] and y1 <= image.shape[0]
                box = Box(max(0, x0), max(0, y0), x1, y1)
                lines.append(TrueLine(view["text"], box, bool(view.get("visible")) and inside))
        yield image, TextScreen(path.name, "yelp", "en", "android", lines)


def measure(cases: Cases, readers: list[str], results: Path) -> list[dict[str, Any]]:
    """Read every picture with every reader that has not read it yet."""
    known = [json.loads(line) for line in results.read_text().splitlines()] if results.exists() else []
    done = {(one["reader"], one["image"]) for one in known}
    opened: dict[str, Reader] = {}
    with results.open("a", encoding="utf-8") as file:
        for image, screen in cases:
            for name in readers:
                if (name, screen.image) in done:
                    continue
                if name not in opened:
                    opened[name] = READERS[name]()
                    opened[name](image)
                begin = time.process_time()
                lines = opened[name](image)
                seconds = time.process_time() - begin
                row = {"reader": name, "image": screen.image, "seconds": seconds, "size": image.shape[1::-1]}
                row |= judge(screen, lines, image.shape[0])
                known.append(row)
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
                file.flush()
    return known


def judge(screen: TextScreen, lines: list[TextLine], height: int) -> dict[str, Any]:
    """Counts for one picture, and what was missed and wrongly read."""
    if screen.look == "android":
        lines = [line for line in lines if line.box.y0 > STATUS_BAR * height]
    true = [line for line in screen.lines if plain(line.text)]
    verdict = compare(true, lines)
    asked = [line for line, found in zip(true, verdict.found, strict=True) if found is not None]
    read = [line for line, right in zip(lines, verdict.right, strict=True) if right is not None]
    equal = [
        plain(line.text) in joined([(one.box, one.text) for one in lines if together(line.box, one.box)])
        for line in asked
    ]
    return {
        "group": f"{'unseen look' if 'f7-md' in screen.look else 'unseen app'} {screen.language}".strip()
        if screen.look not in ("android", "picture")
        else screen.look,
        "asked": len(asked),
        "found": sum(found is True for found in verdict.found),
        "equal": sum(equal),
        "read": len(read),
        "right": sum(right is True for right in verdict.right),
        "missed": [line.text for line, found in zip(true, verdict.found, strict=True) if found is False],
        "wrong": [line.text for line, right in zip(lines, verdict.right, strict=True) if right is False],
    }


def report(rows: list[dict[str, Any]]) -> None:
    """One line for each group of pictures and reader."""
    groups = sorted({row["group"] for row in rows})
    for group in ["all", *groups] if len(groups) > 1 else groups:
        for reader in READERS:
            kept = [row for row in rows if row["reader"] == reader and group in ("all", row["group"])]
            if not kept:
                continue
            seconds = np.array([row["seconds"] for row in kept])
            time_of = f"{seconds.mean():5.2f} CPU-s (p95 {np.quantile(seconds, 0.95):5.2f}, most {seconds.max():5.2f})"
            parts = [f"{group:16} {reader:18} {len(kept):3} screens  {time_of}"]
            for name, good, of in (
                ("recall", "found", "asked"),
                ("equal", "equal", "asked"),
                ("precision", "right", "read"),
            ):
                n = sum(row[of] for row in kept)
                if n and sum(row["asked"] for row in kept):
                    share = wilson(sum(row[good] for row in kept), n)
                    parts.append(f"{name} {share.value:.3f} [{share.low:.3f}, {share.high:.3f}] of {n}")
            print("  ".join(parts))


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    source = options.add_mutually_exclusive_group(required=True)
    source.add_argument("--screens", type=Path, help="what saccade_vision.training.text_screens wrote")
    source.add_argument("--pictures", type=Path, help="a folder of PNG files, for time only")
    source.add_argument("--droidbot", type=Path, help="a folder that DroidBot wrote")
    options.add_argument("--readers", default="ours,rapidocr", help="comma-separated: " + "; ".join(READERS))
    options.add_argument("--results", type=Path, required=True, help="a file to keep results in, and to continue from")
    options.add_argument("--limit", type=int, default=10**6, help="read only so many pictures")
    given = options.parse_args()
    cases = read_screens(given.screens) if given.screens else None
    cases = cases or (pictures(given.pictures) if given.pictures else droidbot(given.droidbot))
    limited = (case for _, case in zip(range(given.limit), cases, strict=False))
    report(measure(limited, given.readers.split(","), given.results))


if __name__ == "__main__":
    main()
