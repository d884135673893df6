"""Models without a network, the ceiling and the floor of any figure: the oracle answers with the truth, `random` by
chance. They look at the run's current screen in place of the pictures in their messages.
"""

from __future__ import annotations

from collections.abc import Callable

from saccade.models.base import Model, ModelError
from saccade.paradigms.base import Paradigm
from saccade.worlds.base import Observation

ORACLE, RANDOM = "oracle", "random"
REFERENCE_MODELS = (ORACLE, RANDOM)
"""Their names on the command line."""


class ReferenceModel(Model):
    """Made anew for each run."""

    per_run = True
    judges = False

    def __init__(self, paradigm: Paradigm, look: Callable[[], Observation] | None = None) -> None:
        self.paradigm, self.look = paradigm, look

    def begin(self) -> None:
        """Start a new episode: forget the one before."""

    def current(self) -> Observation:
        if self.look is None:
            raise ModelError(f"the model {self.name} has no world to look at")
        return self.look()
