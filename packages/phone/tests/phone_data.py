"""Episodes on the phone, collected for a test."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from saccade.bench.suites import training_tasks
from saccade.data.collect.collector import Request, collect
from saccade.types import Step


def phone_request(episodes: int, player: str = "oracle", seed: int = 0, **options: Any) -> Request:
    return Request("phone", episodes, player, options, seed)


def collect_phone(request: Request, out: Path, workers: int = 1) -> list[Step]:
    """As `saccade data collect phone` does it."""
    tasks = training_tasks(request.world, request.episodes, request.options, request.seed)
    return collect(request, tasks, out, workers)
