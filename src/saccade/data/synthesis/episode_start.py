"""Where an episode of a walk began: its world, options and seed, so that a task can be played from there.

A walk writes it as the tag `start` of each episode's first record. The file may come from a stranger, so a start is
only followed into worlds that records may open (`worlds.record_options`), and those that the user names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from saccade.agents.hidden_settings import hidden
from saccade.data.synthesis.records import Record
from saccade.errors import InputError, readable
from saccade.untrusted import decode_json
from saccade.worlds.record_options import record_options
from saccade.worlds.tasks import Task

START = "start"
"""The tag."""
LONGEST_SHOWN = 120
Value = str | int | float | bool | None


class EpisodeStart(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The value of the tag, as JSON."""

    world: str
    """As on the command line: phone/TASK, an address …"""
    seed: int
    options: dict[str, Value] = msgspec.field(default_factory=dict)


def start_tags(task: Task, seed: int) -> dict[str, str]:
    """The tag of an episode that begins with another seed than its task; without the secrets among the options."""
    start = {"world": hidden(task.world), "seed": seed, "options": hidden(task.options)}
    return {START: msgspec.json.encode(start).decode()}


def start_of(record: Record) -> EpisodeStart | None:
    """Where the record's episode began; None where its records do not say."""
    told = record.step.tags.get(START)
    if told is None:
        return None
    try:
        return decode_json(told, EpisodeStart)
    except msgspec.ValidationError as error:
        raise InputError(f"{record.step.id}: the tag {START} is not as a walk writes it: {readable(error)}") from None
    except msgspec.DecodeError as error:
        raise InputError(f"{record.step.id}: the tag {START} is not JSON: {error}") from None


def playable_task(name: str, start: EpisodeStart, worlds: Sequence[str], options: Mapping[str, Value]) -> Task:
    """The start as a task. `InputError` for a world that neither records may open nor the user named (`worlds`), and
    for an option that the user would have to give (`options`) as the walk was given it.
    """
    free, world = record_options(start.world), shown(start.world)
    if free is None and start.world not in worlds:
        raise InputError(
            f"the walk says that it began in {world}, which is not opened because a file says so: name it just so with "
            "--world to play there"
        )
    for option, value in start.options.items():
        if option not in (free or ()) and (option not in options or options[option] != value):
            raise InputError(
                f"the walk says that it began in {world} with {shown(option)} = {shown(value)}, which a file may not "
                "set: give the same with --option to play there"
            )
    return Task(name, start.world, start.seed, {**start.options, **options})


def shown(value: Value) -> str:
    """As an error says it: what a stranger wrote is neither long nor moves the cursor."""
    text = ascii(value)
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"
