"""Prompt templates: ours ship with the package, a user's own file works the same way.

A template is a Jinja file whose lines `=== system ===`, `=== user ===` and `=== assistant ===` begin a message.
Pictures are variables like the others: `{{ image }}` puts the screenshot there. docs/PROMPTS.md lists the variables.
"""

from __future__ import annotations

import re
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, cast

import jinja2
import jinja2.meta
from jinja2.sandbox import ImmutableSandboxedEnvironment

from saccade.errors import InputError
from saccade.types import Message, Part, Picture, Role

_ROLE = re.compile(r"^=== (system|user|assistant) ===$", re.MULTILINE)
_MARK = "\x00"


@lru_cache
def _environment() -> jinja2.Environment:
    environment = ImmutableSandboxedEnvironment(
        undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=False
    )
    environment.filters["flat"] = lambda text: " ".join(str(text).split())
    return environment


def _shipped(name: str) -> str:
    return files("saccade.paradigms").joinpath("templates", f"{name}.j2").read_text(encoding="utf-8")


@lru_cache
def _load(source: str | Path) -> list[tuple[Role, jinja2.Template]]:
    if isinstance(source, Path):
        try:
            text = source.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"cannot read the template {source}: {error}") from None
    else:
        text = _shipped(source)
    head, *pieces = _ROLE.split(text)
    if not pieces or head.strip():
        raise InputError(f"the template {source} must begin with a line === system === or === user ===")
    try:
        return [
            (cast(Role, role), _environment().from_string(body.strip("\n")))
            for role, body in zip(pieces[::2], pieces[1::2], strict=True)
        ]
    except jinja2.TemplateSyntaxError as error:
        raise InputError(f"the template {source}, near line {error.lineno}: {error.message}") from None


@lru_cache
def _named(source: str | Path) -> frozenset[str]:
    """The variables that a template speaks of."""
    text = source.read_text(encoding="utf-8") if isinstance(source, Path) else _shipped(source)
    return frozenset(jinja2.meta.find_undeclared_variables(_environment().parse(text)))


def build_messages(source: str | Path, variables: dict[str, Any]) -> list[Message]:
    """Fill a template: the name of one of ours, or a path to the user's. A variable may be a function without
    arguments, which is called if the template speaks of it.
    """
    pictures: list[Picture] = []
    pieces = _load(source)
    wanted = {name: value for name, value in variables.items() if name in _named(source)}
    shown = {name: _shown(value() if callable(value) else value, pictures) for name, value in wanted.items()}
    messages = []
    for role, template in pieces:
        try:
            text = template.render(shown)
        except jinja2.UndefinedError as error:
            known = ", ".join(sorted(variables))
            raise InputError(f"the template {source}: {error.message}; a template may use {known}") from None
        except (jinja2.TemplateError, TypeError, ValueError) as error:
            raise InputError(f"the template {source} does not work: {error}") from None
        messages.append(Message(role, _parts(re.sub(r"\n{3,}", "\n\n", text).strip(), pictures)))
    return messages


def _shown(value: Any, pictures: list[Picture]) -> Any:
    """A value as the template sees it: pictures become marks, and no text can pass for one."""
    if isinstance(value, Picture):
        pictures.append(value)
        return f"{_MARK}{len(pictures) - 1}{_MARK}"
    if isinstance(value, str):
        return value.replace(_MARK, "")
    if isinstance(value, list):
        return [_shown(item, pictures) for item in value]
    if isinstance(value, dict):
        return {key: _shown(item, pictures) for key, item in value.items()}
    if hasattr(value, "picture") and hasattr(value, "action"):
        return {"picture": _shown(value.picture, pictures), "action": _shown(value.action, pictures)}
    return value


def _parts(text: str, pictures: list[Picture]) -> tuple[Part, ...]:
    pieces = text.split(_MARK)
    parts = [pictures[int(piece)] if at % 2 else piece for at, piece in enumerate(pieces)]
    return tuple(part for part in parts if part != "")
