"""All that makes a run what it is, in one record: written to `run.json`, enough to do it again or go on with it."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Literal

import msgspec

from saccade.agents.elements import ElementHints
from saccade.agents.ledger import Limits
from saccade.errors import InputError, readable
from saccade.screens.element_source import TREE
from saccade.typed_values import to_type


class Settings(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, kw_only=True):
    """The defaults are GuidNav's and SecAgent's own where the papers name one."""

    world: str
    """As on the command line: phone/TASK, an address, miniwob/TASK, android:SERIAL, replay:FOLDER."""
    instruction: str = ""
    """Empty: what the world itself asks for."""
    world_options: dict[str, Any] = msgspec.field(default_factory=dict)
    paradigm: str = "btl"
    switches: dict[str, Any] = msgspec.field(default_factory=dict)
    """Of the paradigm: dialect, window, semantic_context, thought, template."""
    language: Literal["auto", "en", "zh"] = "auto"
    model: str = "mini"
    base_url: str | None = None
    model_options: dict[str, Any] = msgspec.field(default_factory=dict)
    """Of the model: device, dtype, max_batch (hf), prices, stream (openai)."""
    agent: str = ""
    """The policy that drives the model (registry `saccade.policies`); empty: the model's own choice."""
    coordinates: str | None = None
    """How the model writes places; by default as its family does."""
    elements: str = TREE
    """Where elements come from: the world's own tree, or the name of an element source that finds them in the picture
    (registry `saccade.element_sources`).
    """
    hints: ElementHints = "none"
    """What the prompt tells of the screen's elements (UILoop Table 3). A model that sees nothing else is told all."""
    context: Literal["own", "annotated"] = "own"
    """Of recordings, the summary C_{t-1} that a prompt shows: the model's own previous one, or the record's."""

    k: int = 1
    """Candidates at each step."""
    reward: str = ""
    """The process reward model: empty for none, `oracle`, `model` for the policy's own, or another model's name."""
    floor: float = 0.0
    """Scores at or below this are bad."""
    margin: float | None = None
    """By so much another candidate must score higher than the policy's first choice to be taken in its place. Empty, as
    `prior`: what the reward model was made with, else 0, which is the paper's rule.
    """
    prior: float | None = None
    """How much the policy's own probability counts beside a score."""
    retries: int = 0
    """How often a failed attempt is repeated (GuidNav: up to 3)."""
    judge: str = ""
    """Who decides whether an attempt is repeated: `model` (also if empty; GuidNav §3.3: the chat model itself), another
    model's name, or `world`, which is an oracle.
    """
    reflect: bool = True
    """Does a failed attempt leave a lesson for the next?"""
    tries: int = 1
    """How often each recorded episode is answered (pass@n: GuidNav Table 1, n = 3)."""
    profile: str = ""
    """The match rule by which steps are marked right or wrong, also for the oracle's choice; empty: the world's own."""

    limits: Limits = Limits()
    temperature: float | None = None
    """Empty: the paradigm's own (0.8 for GuidNav, else 0), or 0.8 where several samples are wanted."""
    top_p: float = 1.0
    max_tokens: int = 1024
    deadline: float = 120.0
    """Seconds for one call of the model, retries included."""
    seed: int = 0

    person: float = 0.0
    """Seconds that the run waits where the agent asks for a person; 0: prompts do not say that it can ask."""
    policy: str = ""
    """What is asked before it is done: `careful`, `browse` or a file; empty: careful on real sites and devices."""
    secrets: str = ""
    """A file of secrets; only its name is kept."""

    @property
    def judged_by_world(self) -> bool:
        """Did the world, an oracle, decide which attempts were repeated? Tables and pages must say so."""
        return self.judge == "world" and self.retries > 0


def read_settings(value: dict[str, Any]) -> Settings:
    try:
        return to_type(value, Settings)
    except msgspec.ValidationError as error:
        raise InputError(f"the run's settings: {readable(error)}") from None


def read_option(text: str) -> tuple[str, Any]:
    """`NAME=VALUE` with the value as what it looks like: `window=2` is a number, `thought=no` is false."""
    name, equals, value = text.partition("=")
    if not equals or not name.isidentifier():
        raise InputError(f"{text!r} is no option: write NAME=VALUE")
    words = {"yes": True, "true": True, "on": True, "no": False, "false": False, "off": False}
    if value.lower() in words:
        return name, words[value.lower()]
    for number in (int, float):
        with suppress(ValueError):
            return name, number(value)
    return name, value
