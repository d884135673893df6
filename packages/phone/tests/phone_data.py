"""Phones, and episodes collected on them, for tests."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from saccade.bench.suites import training_tasks
from saccade.data.collect.collector import Request, collect
from saccade.engines.inline import InlineEngine
from saccade.types import Step
from saccade_phone.app import State
from saccade_phone.apps import apps
from saccade_phone.phone_state import new_phone


def phone_request(episodes: int, player: str = "oracle", seed: int = 0, **options: Any) -> Request:
    return Request("phone", episodes, player, options, seed)


def collect_phone(request: Request, out: Path) -> list[Step]:
    """As `saccade data collect phone` does it, in this process."""
    tasks = training_tasks(request.world, request.episodes, request.options, request.seed)
    return collect(request, tasks, out, engine=InlineEngine())


@lru_cache(maxsize=16)
def made(seed: int, language: Any) -> tuple[State, list[Any]]:
    """A phone and its people: to be copied, not changed."""
    return new_phone(apps(), seed, language)
