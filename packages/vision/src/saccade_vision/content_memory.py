"""Remember what pieces of a screen were found to be, by their pixels: the next screen shows most of them again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from hashlib import blake2b
from threading import Lock
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

Answer = TypeVar("Answer")
Pixels = NDArray[np.uint8] | NDArray[np.float32]


class ContentMemory(Generic[Answer]):
    """Answers about pieces of pictures. Only exactly the same pixels are the same piece."""

    def __init__(self, most: int = 4096) -> None:
        self.most = most
        self.asked = self.known = 0
        """Pieces that were asked for since it was opened or cleared, and how many of them were known."""
        self._answers: OrderedDict[bytes, Answer] = OrderedDict()
        self._lock = Lock()

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._answers.clear()
            self.asked = self.known = 0

    def answers(self, pieces: Sequence[Pixels], find: Callable[[list[int]], Sequence[Answer]]) -> list[Answer]:
        """An answer for each piece. `find` gives those for the pieces with these indices, which are not known yet."""
        keys = [_key(piece) for piece in pieces]
        with self._lock:
            have = {key: self._answers[key] for key in keys if key in self._answers}
        new = {key: at for at, key in reversed(list(enumerate(keys))) if key not in have}
        places = sorted(new.values())
        fresh = dict(zip((keys[at] for at in places), find(places) if places else (), strict=True))
        have.update(fresh)
        with self._lock:
            self.asked += len(keys)
            self.known += len(keys) - len(fresh)
            for key in keys:
                self._answers[key] = have[key]
                self._answers.move_to_end(key)
            while len(self._answers) > self.most:
                self._answers.popitem(last=False)
        return [have[key] for key in keys]


def _key(piece: Pixels) -> bytes:
    return blake2b(str(piece.shape).encode() + np.ascontiguousarray(piece).tobytes(), digest_size=16).digest()
