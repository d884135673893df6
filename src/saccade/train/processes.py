"""Several devices, one process each, as `accelerate launch` or `torchrun` starts them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from saccade.models.torch_support import libraries


def process_count() -> int:
    """How many processes train together."""
    return int(os.environ.get("WORLD_SIZE", "1"))


def process_number() -> int:
    """Which of them this one is; 0 writes the files."""
    return int(os.environ.get("RANK", "0"))


def own_device() -> Any:
    """The device that this process computes on."""
    torch, _ = libraries()
    return torch.device(f"cuda:{os.environ.get('LOCAL_RANK', '0')}" if torch.cuda.is_available() else "cpu")


@contextmanager
def first_process_first() -> Iterator[None]:
    """What stands within is done by the first process, and then by the others, which find its files."""
    if process_count() == 1:
        yield
        return
    from accelerate import PartialState  # noqa: PLC0415  (an extra)

    torch, _ = libraries()
    with PartialState(cpu=not torch.cuda.is_available()).main_process_first():
        yield
