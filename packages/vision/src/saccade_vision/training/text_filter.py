"""Fit the weights of the text filter (`text/line_filter.py`) on screens with known text.

What the reader takes for text on training screens is right or wrong by `text_matching`. A logistic regression with a
quadratic penalty tells the two apart. The threshold keeps 99.5 % of the right lines, judged on apps that were left
out of the fit (one app at a time), so that it does not depend on how well the training apps were learned.

    python -m saccade_vision.training.text_screens --set train --screens 160 --out SCREENS/train
    python -m saccade_vision.training.text_filter --screens SCREENS/train --fonts FONTS

Single characters are rare on these screens, and icons that are read as one are not: some are drawn
(`drawn_characters.py`). They are in every fit, and neither in the threshold nor in the figures that are printed.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable
from itertools import chain
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

import saccade_vision
from saccade_vision.text.line_filter import NAMES, WEIGHTS, Floats, LineFilter, statistics
from saccade_vision.text.reader import TextReader
from saccade_vision.training.drawn_characters import DRAWN, pages
from saccade_vision.training.text_matching import compare
from saccade_vision.training.text_screens import TextScreen, read_screens
from saccade_vision.types import Image, TextLine

KEPT = 0.995
PENALTY = 3.0
OUT = Path(saccade_vision.__file__).parent / "weights" / WEIGHTS


def examples(screens: Iterable[tuple[Image, TextScreen]]) -> tuple[Floats, Floats, list[str]]:
    """Statistics, whether right, and app of each line that was read."""
    reader = TextReader(threads=1, line_filter=keep_all())
    tables, right, apps = [], [], []
    for image, screen in screens:
        boxes, readings = reader.candidates(image)
        lines = [TextLine(box.box, reading.text, 1.0) for box, reading in zip(boxes, readings, strict=True)]
        judged = compare(screen.lines, lines).right
        kept = [at for at, good in enumerate(judged) if good is not None]
        if kept:
            tables.append(statistics(image, boxes, readings)[kept])
            right += [float(bool(judged[at])) for at in kept]
            apps += [screen.app] * len(kept)
    return np.vstack(tables), np.array(right), apps


def keep_all() -> LineFilter:
    """A filter that leaves nothing out."""
    n = 2 * len(NAMES)
    return LineFilter(np.zeros(n), np.zeros(n), np.ones(n), 0.0)


def fit(table: Floats, right: Floats) -> LineFilter:
    """Penalised logistic regression; the threshold is left at one half."""
    mean, deviation = table.mean(axis=0), table.std(axis=0)
    mean, deviation = np.where(deviation < 1e-9, 0, mean), np.where(deviation < 1e-9, 1, deviation)
    scaled = (table - mean) / deviation

    def loss(weights: Floats) -> tuple[float, Floats]:
        values = scaled @ weights
        wrong = 1 / (1 + np.exp(-values)) - right
        penalty = PENALTY * weights[1:]
        total = np.logaddexp(0, values).sum() - right @ values + penalty @ weights[1:] / 2
        return float(total), scaled.T @ wrong + np.concatenate([[0.0], penalty])

    found = minimize(loss, np.zeros(table.shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": 2000})
    return LineFilter(found.x, mean, deviation, 0.5)


def left_out(table: Floats, right: Floats, apps: list[str]) -> Floats:
    """Probabilities for each app's lines by a filter that was fitted on the other apps and the drawn lines."""
    names = np.array(apps)
    found = np.zeros(len(right))
    for app in sorted(set(apps) - {DRAWN}):
        here = names == app
        found[here] = fit(table[~here], right[~here]).probabilities(table[here])
    return found


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("--screens", type=Path, required=True, help="what text_screens wrote")
    options.add_argument("--fonts", type=Path, required=True, help="a folder of fonts to draw single characters in")
    options.add_argument("--drawn", type=int, default=5, help="pages of single characters, about 50 each")
    options.add_argument("--out", type=Path, default=OUT)
    given = options.parse_args()
    cached = given.screens / "examples.npz"
    if not cached.exists():
        table, right, apps = examples(chain(read_screens(given.screens), pages(given.drawn, given.fonts)))
        np.savez_compressed(cached, table=table, right=right, apps=np.array(apps))
    with np.load(cached) as stored:
        table, right, apps = stored["table"], stored["right"], stored["apps"].tolist()
    whole = fit(table, right)
    screens = np.array(apps) != DRAWN
    sure, right, apps = left_out(table, right, apps)[screens], right[screens], np.array(apps)[screens].tolist()
    threshold = round(float(np.quantile(sure[right == 1], 1 - KEPT)), 4)
    kept = sure >= threshold
    print(f"{len(right)} lines, {int(right.sum())} right: precision {right.mean():.3f} without a filter")
    print(
        f"apps left out one at a time: precision {right[kept].mean():.3f}, kept {kept[right == 1].mean():.4f} of right"
    )
    print("wrong lines kept, by app:", dict(Counter(np.array(apps)[kept & (right == 0)].tolist())))
    weights = {
        "names": NAMES,
        "weights": [round(float(one), 5) for one in whole.weights],
        "mean": [round(float(one), 5) for one in whole.mean],
        "deviation": [round(float(one), 5) for one in whole.deviation],
        "threshold": threshold,
    }
    given.out.parent.mkdir(parents=True, exist_ok=True)
    given.out.write_text(json.dumps(weights, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
