"""What a pipeline is asked to make, from what, and by which model."""

from __future__ import annotations

import msgspec

from saccade.data.synthesis.definition import Definition
from saccade.data.synthesis.roles.respondents import ModelSettings


class Request(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is to be made."""

    pipeline: str
    sources: list[str]
    model: ModelSettings
    definition: Definition
    seed: int = 0
    policy: str = ""
    max_items: int = 0
    """Records taken from the source; 0: all."""
