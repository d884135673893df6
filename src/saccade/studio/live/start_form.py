"""The form that starts a run or a recording: what it offers, and how its fields become settings."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import msgspec
from pydantic import BaseModel

from saccade.agents.approval.policy import BUILT_IN
from saccade.agents.reference_model import REFERENCE_MODELS
from saccade.agents.settings import read_option, read_settings
from saccade.errors import InputError, MissingError
from saccade.models import MODELS
from saccade.paradigms import PARADIGMS
from saccade.screens.element_source import source_names
from saccade.studio.live.messages import Start
from saccade.studio.live.recording import PERSON
from saccade.worlds import WORLDS, split_name, takes_option
from saccade.worlds.readiness import Readiness, readiness_of
from saccade.worlds.tasks import TASKS

LONGEST_TEXT = 4_000


class StartForm(BaseModel):
    """The fields as they come from the page: all texts, empty where nothing was entered."""

    kind: str = "run"
    world: str = ""
    instruction: str = ""
    model: str = ""
    paradigm: str = "btl"
    base_url: str = ""
    language: str = "auto"
    elements: str = "tree"
    policy: str = ""
    seed: str = ""
    max_steps: str = "30"
    may_ask: str = ""
    """May the agent ask for a person?"""
    person: str = "300"
    answer: str = "120"
    paused: str = ""
    world_options: str = ""
    model_options: str = ""
    switches: str = ""


class Choices(msgspec.Struct):
    """What the form offers."""

    worlds: list[tuple[str, Readiness]]
    tasks: list[str]
    models: list[str]
    paradigms: list[str]
    sources: list[str]
    policies: list[str]


@cache
def choices() -> Choices:
    """Read from the registries once: plug-ins are loaded when the studio starts."""
    tasks: list[str] = []
    for name in TASKS.names():
        try:
            catalog = TASKS.get(name)
        except (MissingError, ImportError):
            continue
        tasks += [f"{catalog.world}/{each.name}" for each in catalog.templates()]
    return Choices(
        [(name, readiness_of(name)) for name in WORLDS.names()],
        tasks,
        [*REFERENCE_MODELS, *(f"{name}/" for name in MODELS.names())],
        [name for name in PARADIGMS.names() if PARADIGMS.get(name).has_prompt],
        source_names(),
        list(BUILT_IN),
    )


def start_of(form: StartForm, folders: tuple[Path, ...]) -> Start:
    """What the form asks for. Raises `InputError` with the field that is wrong."""
    record = form.kind == "record"
    world = form.world.strip()
    if not world:
        raise InputError("say where: a world such as phone/clock.add_alarm, an address, or android:")
    check_world(world, folders)
    model = PERSON if record else form.model.strip()
    if not model:
        raise InputError("say who: a model such as oracle or openai/NAME")
    if not record:
        check_model(model)
    world_options = options("the world's options", form.world_options)
    if form.language != "auto" and takes_option(world, "language"):  # then its task is told in that language too
        world_options = {"language": form.language} | world_options
    settings = {
        "world": world,
        "instruction": form.instruction.strip()[:LONGEST_TEXT],
        "model": model,
        "paradigm": form.paradigm,
        "base_url": form.base_url.strip() or None,
        "language": form.language,
        "elements": form.elements,
        "policy": form.policy.strip(),
        "seed": int(number("seed", form.seed, 2**31 - 1)) if form.seed.strip() else random.randrange(2**31),
        "limits": {"steps": 0 if record else int(number("most steps", form.max_steps, 10_000))},
        "person": number("wait for a person", form.person, 86_400) if form.may_ask and not record else 0.0,
        "world_options": world_options,
        "model_options": options("the model's options", form.model_options),
        "switches": options("the paradigm's options", form.switches),
    }
    PARADIGMS.get(form.paradigm)
    read = read_settings(settings)
    answer = number("wait for an answer", form.answer, 86_400)
    paused = bool(form.paused) and not record
    return Start(msgspec.to_builtins(read), "", record, paused, answer_seconds=answer)


def check_world(world: str, folders: tuple[Path, ...]) -> None:
    """Is there such a kind of world? Files are only shown from the folders that the studio was given."""
    kind, rest = split_name(world)
    WORLDS.get(kind)
    parts = urlsplit(world)
    if parts.scheme == "file":
        shown = Path(unquote(parts.path))
    elif kind == "replay":
        shown = Path(rest)
    else:
        return
    try:
        inside = any(shown.resolve(strict=True).is_relative_to(folder) for folder in folders)
    except (OSError, ValueError, RuntimeError):
        inside = False
    if not inside:
        raise InputError(f"{rest[:200]} is not in a folder that the studio was given")


def check_model(model: str) -> None:
    if model not in REFERENCE_MODELS:
        MODELS.get(model.partition("/")[0])


def number(name: str, text: str, most: float) -> float:
    """A field that is a number from 0 on."""
    try:
        value = float(text or 0)
    except ValueError:
        value = -1.0
    if not 0 <= value <= most:
        raise InputError(f"{name} is {text[:40]!r}: write a number from 0 to {most:g}")
    return value


def options(name: str, text: str) -> dict[str, Any]:
    """`NAME=VALUE`, one a line."""
    try:
        return dict(read_option(line.strip()) for line in text.splitlines() if line.strip())
    except InputError as error:
        raise InputError(f"{name}: {error}") from None
