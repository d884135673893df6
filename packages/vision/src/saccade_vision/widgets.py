"""Find the widgets on a screen: buttons, fields, switches, icons, pictures, with their boxes, from pixels alone.

    detector = WidgetDetector(threads=1)
    for widget in detector.find(image): ...

The network (`training/widget_net.py`) sees phone screens 432 pixels wide and others at 1280 on the longer side, about
0.2 CPU-seconds a phone screen.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from saccade.geometry import Box
from saccade_vision.element_types import TYPES
from saccade_vision.int8 import with_integers
from saccade_vision.runtime import Backend, open_network
from saccade_vision.types import DetectedWidget, Image
from saccade_vision.widget_boxes import decode, network_input

WEIGHTS = Path(__file__).parent / "weights" / "widgets.onnx"
LIMIT = 100
INTERACTIVE = 0.5
LEAST_SIDE = 2


class WidgetDetector:
    """Opens the network once; `find` may then be called from several threads."""

    def __init__(self, weights: Path = WEIGHTS, *, threads: int = 0, backend: Backend | None = None) -> None:
        self.network = open_network(weights, threads, backend, rewrites=with_integers(weights))

    def find(self, image: Image, limit: int = LIMIT, least_score: float = 0.1) -> list[DetectedWidget]:
        """The widgets of an RGB picture, most certain first, in its pixels."""
        height, width = image.shape[:2]
        prepared, scale = network_input(image)
        found = decode(self.network(prepared), limit, least_score)
        boxes = np.clip(found.boxes / scale, 0, [width, height, width, height]).round(1)
        widgets = []
        for box, score, interactive, type in zip(
            boxes.tolist(), found.scores, found.interactive, found.types, strict=True
        ):
            x0, y0, x1, y1 = box
            if x1 - x0 >= LEAST_SIDE and y1 - y0 >= LEAST_SIDE:
                pressed = bool(interactive >= INTERACTIVE)
                widgets.append(DetectedWidget(Box(x0, y0, x1, y1), TYPES[type], pressed, round(float(score), 3)))
        return widgets
