"""What the studio and the process of a run tell each other: one JSON object a line."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from saccade.actions import Action
from saccade.agents.approval import Answer
from saccade.types import Element

LONGEST_LINE = 96 * 2**20
"""Bytes. A line with a screenshot is by far the longest."""
MOST_ROWS = 100
"""Steps that a state lists; the run's page has all of them."""
MOST_ELEMENTS = 2_000

Phase = Literal["starting", "agent", "paused", "person", "question", "request", "ended"]
"""`agent`: it decides or acts; `paused`: its proposal waits; `person`: the person acts; `question`: the gate asks for
approval; `request`: the agent asks for a person.
"""
Do = Literal[
    "pause",
    "resume",
    "step",
    "edit",
    "again",
    "stop",
    "take_over",
    "hand_back",
    "act",
    "look",
    "hint",
    "instruction",
    "answer",
    "decline",
    "finish",
]


class Start(msgspec.Struct, forbid_unknown_fields=True):
    """The first line to the process."""

    settings: dict[str, Any]
    folder: str
    record: bool = False
    """A person does the task, and there is no agent."""
    paused: bool = False
    """Wait at the first proposal."""
    resume: bool = False
    """Go on with the run in the folder; the settings are its own."""
    answer_seconds: float = 120.0
    """How long a question of the approval gate waits; then the action is refused."""


class Command(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """What a person wants."""

    do: Do
    action: Action | None = None
    """Of `edit` and `act`, and the last action of `finish`."""
    secret: bool = False
    """Of `act`: the typed text goes to the world alone, and is known by a name everywhere else."""
    text: str = ""
    """Of `hint` and `instruction`; of `finish`, the task in the person's words, and empty if it stays."""
    answer: Answer = "no"
    """To a question of the gate."""
    succeeded: bool = True
    """Of `finish`: was the task done?"""
    question: int = 0
    """Of `answer`: which question is answered. Another one may have come up since the page was drawn."""


class Row(msgspec.Struct):
    """One line of the list of steps."""

    step: int
    by: str
    words: dict[str, str]
    """In English and Chinese."""
    trouble: str = ""
    """Why it was not done, or did not work."""
    edited: bool = False
    asked: str = ""


class Question(msgspec.Struct):
    """The approval gate asks. Texts of the screen are cut to one line each."""

    number: int
    words: dict[str, str]
    risk: dict[str, str]
    rule: str = ""
    target: str = ""
    now: str = ""
    leads: str = ""
    place: str = ""


class State(msgspec.Struct):
    """All that the page shows, but the picture."""

    phase: Phase = "starting"
    record: bool = False
    paused: bool = False
    """Does it wait after each decision?"""
    taken: bool = False
    """Does the person act?"""
    instruction: str = ""
    screen: int = 0
    """Number of the picture; 0: there is none yet."""
    size: tuple[int, int] = (0, 0)
    place: str = ""
    """Address or app."""
    actions: list[str] = msgspec.field(default_factory=list)
    """What this world can do."""
    space: str = ""
    proposal: Action | None = None
    words: dict[str, str] = msgspec.field(default_factory=dict)
    """The proposal's."""
    thought: str = ""
    question: Question | None = None
    request: str = ""
    """Why the agent asks for a person."""
    until: float = 0.0
    """When question or request end unanswered, in seconds of the clock."""
    trouble: str = ""
    """What the last action of the person met."""
    rows: list[Row] = msgspec.field(default_factory=list)
    steps: int = 0
    outcome: dict[str, Any] | None = None
    error: str = ""
    """Why the run could not begin or go on, in a sentence."""
    records: int = 0
    """Step records that a recording left."""


class Event(msgspec.Struct, omit_defaults=True):
    """One line from the process."""

    state: State | None = None
    picture: bytes = b""
    """Of the screen that `state` names; kept until the next."""
    elements: list[Element] = msgspec.field(default_factory=list)
