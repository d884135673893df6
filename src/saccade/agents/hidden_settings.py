"""Keeps API keys and passwords among the settings out of all files that a run or a measurement writes.

They are found by the names of their options (`api_key`, `authorization` …) and as the user and password of an address,
and written as the names of secrets are: `{secret.api_key}`. Their values are replaced in all other texts as well.
"""

from __future__ import annotations

import os
import re
from base64 import b64encode
from collections.abc import Container, Iterator, Mapping
from typing import Any, TypeVar
from urllib.parse import unquote

import msgspec

from saccade.errors import InputError
from saccade.typed_values import to_type
from saccade.worlds.secrets import PLACEHOLDER, Secret, Vault

Record = TypeVar("Record")
SHORTEST = 6
"""Shorter values (`EMPTY`, as local servers want it) are hidden in the settings only: they occur in other texts."""
OPTIONS = {"base_url": "--base-url", "world": "--world", "model_options": "--model-with", "world_options": "--with"}
"""Settings that may be hidden, and the option of the command line that gives them again."""
ENVIRONMENT = {"api_key": "OPENAI_API_KEY", "base_url": "OPENAI_BASE_URL"}
"""Where a model finds an option that is not given."""

_SECRET_NAME = re.compile(
    r"(api[_-]?key|token|secret|password|passwd|passphrase|authorization|credentials?|cookie)$|(^|[_.\W])(key|auth|pwd)$",
    re.IGNORECASE,
)
_USER = re.compile(r"(?<=://)[^/?#\s]+(?=@)")
_QUERY = re.compile(r"(?<=[?&])([^=&#\s]+)=([^&#\s]+)")


def hidden(value: Any, name: str = "") -> Any:
    """Settings with all that is secret replaced by its name."""
    if isinstance(value, Mapping):
        return {key: hidden(item, str(key)) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [hidden(item, name) for item in value]
    if _is_secret(name, value):
        return _placeholder(name)
    if isinstance(value, str) and "://" in value:
        value = _USER.sub(_placeholder(name or "address"), value)
        return _QUERY.sub(lambda m: f"{m[1]}={_placeholder(m[1])}" if _SECRET_NAME.search(m[1]) else m[0], value)
    return value


def settings_vault(settings: Mapping[str, Any]) -> Vault:
    """The secrets among the settings, and the model's key in the environment, by their names."""
    found = {name: value for name, value in _secrets(settings) if len(value) >= SHORTEST}
    if len(key := os.environ.get("OPENAI_API_KEY", "").strip()) >= SHORTEST:
        found.setdefault("OPENAI_API_KEY", key)
    return Vault({_plain(name): Secret(value, "") for name, value in found.items()})


def cleaned(record: Record, vault: Vault) -> Record:
    """The record without the values of the vault."""
    if not vault:
        return record
    return to_type(_clean(msgspec.to_builtins(record), vault), type(record))


def restored(settings: dict[str, Any], again: Mapping[str, Any], needed: Container[str]) -> dict[str, Any]:
    """Settings from a file, with what was hidden in them as it is given `again`, or left out where the environment has
    it. Only `needed` settings must be complete.
    """
    whole = dict(settings)
    for name, option in OPTIONS.items():
        value, given = settings.get(name), again.get(name) or {}
        if name in needed and isinstance(value, Mapping):
            parts = {key: _restored(key, item, given.get(key), f"{option} {key}=…") for key, item in value.items()}
            whole[name] = {key: item for key, item in parts.items() if item is not None}
        elif name in needed:
            whole[name] = _restored(name, value, given, f"{option} …")
    return {name: value for name, value in whole.items() if value is not None}


def _restored(name: str, value: Any, given: Any, option: str) -> Any:
    if not PLACEHOLDER.search(msgspec.json.encode(value).decode()):
        return value
    if given:
        return given
    if name in ENVIRONMENT and os.environ.get(ENVIRONMENT[name]):
        return None
    variable = f", or set {ENVIRONMENT[name]}" if name in ENVIRONMENT else ""
    raise InputError(f"the run was begun with {option}, of which no secret is kept on disk: give it again{variable}")


def _secrets(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """All secrets among the settings, by name."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _secrets(item, str(key))
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _secrets(item, name)
    elif _is_secret(name, value):
        yield name, str(value).strip()
    elif isinstance(value, str) and "://" in value:
        for match in _USER.finditer(value):
            user, colon, password = map(unquote, match[0].partition(":"))
            yield name or "address", password if colon else user
            yield f"{name or 'address'}_login", b64encode(f"{user}:{password}".encode()).decode()  # as HTTP sends it
        yield from ((match[1], unquote(match[2])) for match in _QUERY.finditer(value) if _SECRET_NAME.search(match[1]))


def _is_secret(name: str, value: Any) -> bool:
    return isinstance(value, str | int | float) and value not in ("", True, False) and bool(_SECRET_NAME.search(name))


def _plain(name: str) -> str:
    """The name as one of a secret: letters, digits, _ and -."""
    return re.sub(r"[^\w-]", "_", name, flags=re.ASCII).lstrip("_-0123456789")[:64] or "value"


def _placeholder(name: str) -> str:
    return f"{{secret.{_plain(name)}}}"


def _clean(value: Any, vault: Vault) -> Any:
    if isinstance(value, str):
        return vault.redact(value)
    if isinstance(value, dict):
        return {key: _clean(item, vault) for key, item in value.items()}
    return [_clean(item, vault) for item in value] if isinstance(value, list) else value
