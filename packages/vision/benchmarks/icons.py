"""How well and how fast icons are named, on the icon package that was neither trained nor chosen on.

    npm install --prefix CACHE lucide-static @tabler/icons @mdi/svg @phosphor-icons/core bootstrap-icons \
        @fortawesome/fontawesome-free remixicon
    python -m saccade_vision.training.icon_rasters --packages CACHE/node_modules --out icons.npz
    python packages/vision/benchmarks/icons.py --data icons.npz

Each drawing is painted on a screen and named by `IconNamer` from its box, as the parser does it: dark on light at three
sizes, light on dark, and white on a coloured disc. Top-1 and top-5 rank the meanings whether or not the icon is
answered; "named and right" counts an icon that is refused as wrong; "unknown refused" is about icons that no meaning
names. All six weights of Phosphor count. Intervals are Wilson's, 95 %.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from PIL import Image as Pictures
from PIL import ImageDraw

from saccade.bench.figures import wilson
from saccade.geometry import Box
from saccade_vision.icons import BATCH, WEIGHTS, IconNamer, cut
from saccade_vision.training.icon_rasters import CHOOSE, NO_MEANING, REPORT, unpack
from saccade_vision.types import Image

Colour = tuple[int, int, int]
WHITE, NEAR_BLACK, BLACK, BLUE = (255, 255, 255), (33, 33, 33), (0, 0, 0), (25, 118, 210)
# name: side of the icon in pixels, ink, ground, disc behind the icon
LOOKS: dict[str, tuple[int, Colour, Colour, Colour | None]] = {
    "dark on light, 72 px": (72, NEAR_BLACK, WHITE, None),
    "dark on light, 40 px": (40, NEAR_BLACK, WHITE, None),
    "dark on light, 20 px": (20, NEAR_BLACK, WHITE, None),
    "light on dark, 40 px": (40, WHITE, NEAR_BLACK, None),
    "on a coloured disc, 40 px": (40, WHITE, WHITE, BLUE),
}


def paint(mask: np.ndarray, side: int, ink: Colour, ground: Colour, disc: Colour | None) -> tuple[Image, Box]:
    """A screen with the icon in its middle, and the icon's box."""
    screen = Pictures.new("RGB", (side * 2, side * 2), ground)
    if disc:
        reach = side * 0.25
        ImageDraw.Draw(screen).ellipse((reach, reach, 2 * side - reach, 2 * side - reach), fill=disc)
    opacity = Pictures.fromarray(mask).resize((side, side), Pictures.Resampling.LANCZOS)
    screen.paste(ink, (side // 2, side // 2), opacity)
    return np.asarray(screen), Box.from_xywh(side // 2, side // 2, side, side)


def figure(right: np.ndarray) -> str:
    found = wilson(int(right.sum()), len(right))
    return f"{found.value:.3f} ({found.low:.3f}-{found.high:.3f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="the .npz file of training/icon_rasters.py")
    parser.add_argument("--weights", type=Path, default=WEIGHTS, help="another .onnx file with its .json file")
    parser.add_argument("--backend", choices=("openvino", "onnxruntime"))
    parser.add_argument("--choose", action="store_true", help=f"measure on {CHOOSE}, which settings are chosen on")
    parser.add_argument("--every", type=int, default=1, help="measure only each so many-th drawing")
    given = parser.parse_args()
    data = np.load(given.data, allow_pickle=False)
    package = CHOOSE if given.choose else REPORT
    rows = np.flatnonzero(data["packages"] == list(data["package_names"]).index(package))[:: given.every]
    namer = IconNamer(given.weights, threads=1, backend=given.backend)
    masks, labels = unpack(data["masks"][rows]), data["labels"][rows]
    place = {key: number for number, key in enumerate(namer.keys)}
    own = np.array([place[str(data["keys"][label])] if label != NO_MEANING else -1 for label in labels])
    known = own >= 0
    print(
        f"{package}: {known.sum()} drawings of {len(set(own[known]))} meanings (the network knows {len(place)}), ",
        end="",
    )
    print(f"{(~known).sum()} drawings of no meaning; {namer.network.backend}")
    print("| look | top-1 | top-5 | named and right | unknown refused | CPU-ms an icon |\n|---|---|---|---|---|---|")
    for look, (side, ink, ground, disc) in LOOKS.items():
        painted = [paint(mask, side, ink, ground, disc) for mask in masks]
        began = time.process_time()
        crops = np.stack([cut(screen, box) for screen, box in painted])
        scores = np.concatenate([namer.scores(crops[start : start + BATCH]) for start in range(0, len(crops), BATCH)])
        spent = (time.process_time() - began) * 1000 / len(crops)
        ranks = (scores[known, :-1] > scores[known, own[known]][:, None]).sum(1)
        named = scores[:, -1] >= namer.known_above
        parts = (ranks == 0, ranks < 5, (ranks == 0) & named[known], ~named[~known])
        print(f"| {look} | {' | '.join(figure(part) for part in parts)} | {spent:.2f} |", flush=True)


if __name__ == "__main__":
    main()
