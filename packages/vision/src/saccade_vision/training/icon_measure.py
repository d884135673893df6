"""Measure the written icon network on icons of one package, by onnxruntime as at run time."""

from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import torch

from saccade_vision.training.icon_pictures import IconPictures


def scores_of(path: Path, crops: torch.Tensor) -> np.ndarray:
    """The network's scores for crops, 256 at a time."""
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    parts = [session.run(None, {"crops": part.cpu().numpy()})[0] for part in crops.split(256)]
    return np.concatenate(parts)


def looks(pictures: IconPictures, rows: np.ndarray) -> dict[str, torch.Tensor]:
    """The same icons dark on light, light on dark, in colours, and drawn with everything that training draws."""
    chosen = torch.from_numpy(rows).to(pictures.device)
    pictures.random.manual_seed(20240)
    return {
        "dark on light": pictures.plain(chosen, ink=0.13, ground=1.0),
        "light on dark": pictures.plain(chosen, ink=0.95, ground=0.1),
        "coloured grounds": pictures.coloured(chosen),
        "as drawn in training": pictures.draw(chosen),
    }


def interval(right: int, count: int) -> list[float]:
    """Wilson's 95 % interval of a share (Wilson, 1927)."""
    z = 1.96
    share = right / count
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z * np.sqrt(share * (1 - share) / count + z * z / (4 * count * count)) / (1 + z * z / count)
    return [round(float(middle - half), 4), round(float(middle + half), 4)]


def ranks_of(scores: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """How many meanings score higher than the right one."""
    own = scores[np.arange(len(labels)), labels]
    return np.asarray((scores[:, :-1] > own[:, None]).sum(1))


def choose_threshold(path: Path, pictures: IconPictures, rows: np.ndarray, labels: np.ndarray) -> float:
    """The "known" score from which on an icon is named: the best mean of known kept and unknown refused."""
    known = labels[rows] >= 0
    found = scores_of(path, looks(pictures, rows)["coloured grounds"])[:, -1]
    candidates = np.linspace(-6, 6, 241)
    balance = [((found >= limit)[known].mean() + (found < limit)[~known].mean()) / 2 for limit in candidates]
    return round(float(candidates[int(np.argmax(balance))]), 3)


def measure(
    path: Path, pictures: IconPictures, rows: np.ndarray, labels: np.ndarray, names: np.ndarray, threshold: float
) -> dict[str, Any]:
    """Shares of icons whose meaning comes first, is among the first five, and is answered at all, for each look."""
    known = labels[rows] >= 0
    own = labels[rows][known]
    folders = np.array([str(name).split("/")[0] for name in names[rows][known]])
    result: dict[str, Any] = {
        "icons": int(known.sum()),
        "meanings": len(set(own)),
        "unknown icons": int((~known).sum()),
    }
    for look, crops in looks(pictures, rows).items():
        scores = scores_of(path, crops)
        ranks = ranks_of(scores[known], own)
        named = scores[:, -1] >= threshold
        by_meaning = [float((ranks[own == label] == 0).mean()) for label in set(own)]
        result[look] = {
            "top-1": round(float((ranks == 0).mean()), 4),
            "top-1 interval": interval(int((ranks == 0).sum()), len(ranks)),
            "top-5": round(float((ranks < 5).mean()), 4),
            "top-5 interval": interval(int((ranks < 5).sum()), len(ranks)),
            "top-1, mean over meanings": round(float(np.mean(by_meaning)), 4),
            "named and right": round(float(((ranks == 0) & named[known]).mean()), 4),
            "known but refused": round(float((~named[known]).mean()), 4),
            "unknown refused": round(float((~named[~known]).mean()), 4),
            "top-1 by folder": {f: round(float((ranks[folders == f] == 0).mean()), 4) for f in sorted(set(folders))},
        }
    return result
