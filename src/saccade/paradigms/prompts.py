"""Prompt templates: a paradigm brings its own, as files beside it or as text, and a user's own file works the same way.

A template is a Jinja file whose lines `=== system ===`, `=== user ===` and `=== assistant ===` begin a message.
Pictures are variables like the others: `{{ image }}` puts the screenshot there. docs/PROMPTS.md lists the variables.
"""

from __future__ import annotations

import re
from functools import lru_cache
from inspect import getfile
from pathlib import Path
from typing import Any, cast

import jinja2
import jinja2.meta
from jinja2.sandbox import ImmutableSandboxedEnvironment

from saccade.errors import InputError
from saccade.types import Message, Part, Picture, Role
from saccade.untrusted import read_text

_ROLE = re.compile(r"^=== (system|user|assistant) ===$", re.MULTILINE)
_MARK = "\x00"


@lru_cache
def _environment() -> jinja2.Environment:
    environment = ImmutableSandboxedEnvironment(
        undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=False
    )
    environment.filters["flat"] = lambda text: " ".join(str(text).split())
    return environment


def find_template(kind: type, language: str, purpose: str = "") -> Path | str:
    """The template of a paradigm's class for a language and a purpose (none: the step's own prompt): the text in its
    `templates`, else a file beside the class's module. Parents are asked after it, and English after `language`.
    """
    tried = []
    for spoken in dict.fromkeys((language, "en")):
        for owner in kind.__mro__:
            key = f"{purpose}.{spoken}" if purpose else spoken
            if text := owner.__dict__.get("templates", {}).get(key):
                return str(text)
            if (name := owner.__dict__.get("name")) is None:
                continue
            file = f"{name}-{purpose}.{spoken}.j2" if purpose else f"{name}.{spoken}.j2"
            folder = Path(getfile(owner)).parent
            for path in (folder / file, folder / "templates" / file):
                if path.is_file():
                    return path
                tried.append(path)
    places = f": there is no file {tried[0]}" if tried else ""
    raise InputError(
        f"the paradigm {getattr(kind, 'name', kind.__name__)} has no prompt template{places}; put one there, or give "
        "the class `templates`, or name a file with --set template=FILE"
    )


def _text(source: str | Path) -> str:
    if isinstance(source, str):
        return source.strip("\n")
    try:
        return read_text(source)
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read the template {source}: {error}") from None


def _called(source: str | Path) -> str:
    """A template in a message: its file, or how its text begins."""
    return str(source) if isinstance(source, Path) else f"that begins {source.strip()[:40]!r}"


@lru_cache
def _load(source: str | Path) -> list[tuple[Role, jinja2.Template]]:
    head, *pieces = _ROLE.split(_text(source))
    if not pieces or head.strip():
        raise InputError(f"the template {_called(source)} must begin with a line === system === or === user ===")
    try:
        return [
            (cast(Role, role), _environment().from_string(body.strip("\n")))
            for role, body in zip(pieces[::2], pieces[1::2], strict=True)
        ]
    except jinja2.TemplateSyntaxError as error:
        raise InputError(f"the template {_called(source)}, near line {error.lineno}: {error.message}") from None


@lru_cache
def _named(source: str | Path) -> frozenset[str]:
    """The variables that a template speaks of."""
    return frozenset(jinja2.meta.find_undeclared_variables(_environment().parse(_text(source))))


def build_messages(source: str | Path, variables: dict[str, Any]) -> list[Message]:
    """Fill a template: a file, or the text of one. A variable may be a function without arguments, which is called if
    the template speaks of it.
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
            raise InputError(f"the template {_called(source)}: {error.message}; a template may use {known}") from None
        except (jinja2.TemplateError, TypeError, ValueError) as error:
            raise InputError(f"the template {_called(source)} does not work: {error}") from None
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
