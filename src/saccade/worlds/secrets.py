"""Secrets: a model knows only a secret's name; the world types its value, and only at the place it belongs to.

The value is filled in at the moment of typing, after the field has the focus. Agents and logs never see it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from saccade.errors import InputError
from saccade.worlds.secret_spellings import value_pattern
from saccade.worlds.strict_yaml import read_yaml

PLACEHOLDER = re.compile(r"\{secret\.([A-Za-z][\w-]{0,63})\}")
"""How a secret is written in a prompt and in an answer: `{secret.mail_password}`."""
SHORTEST = 4
"""Shortest value: a shorter one would occur by chance in many texts and be redacted there."""
LONGEST = 4096

_NAME = re.compile(r"[A-Za-z][\w-]{0,63}")
_KEYS = {"value", "env", "place", "about"}
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PLACE = re.compile(r"(\*\.)?[\w-]+(\.[\w-]+)*\.?(:\d{1,5})?|\[[0-9a-f:.]+\](:\d{1,5})?", re.IGNORECASE)
_LOOPBACK = re.compile(r"localhost|[\w.-]+\.localhost|127(\.\d{1,3}){3}|::1")
_BROWSERS = frozenset(
    "com.android.chrome com.chrome.beta com.android.browser com.brave.browser com.microsoft.emmx com.opera.browser "
    "com.sec.android.app.sbrowser com.UCMobile com.uc.browser.en com.tencent.mtt com.baidu.browser.apps "
    "com.duckduckgo.mobile.android com.huawei.browser com.mi.globalbrowser com.vivaldi.browser com.kiwibrowser.browser "
    "org.chromium.chrome org.mozilla.firefox org.mozilla.focus org.mozilla.fenix".split()
)


class SecretError(Exception):
    """A secret may not be typed here. The message says why, and never contains the value."""


@dataclass(frozen=True, repr=False)
class Secret:
    """A value and the only place that may get it: a host (`bank.example`, `*.bank.example`) or an Android package."""

    value: str
    place: str
    about: str = ""

    def __repr__(self) -> str:
        return f"Secret(place={self.place!r})"


@dataclass(frozen=True)
class Vault:
    """Secrets by name."""

    secrets: Mapping[str, Secret] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.secrets)

    def joined(self, other: Vault) -> Vault:
        """The secrets of both."""
        return Vault({**self.secrets, **other.secrets}) if other else self

    def fill(self, text: str, place: str) -> str:
        """The text with names replaced by values, if all secrets in it belong to `place`: the host of the frame, or the
        package of the app, that has the focus. Raises `SecretError` otherwise.
        """
        for name in PLACEHOLDER.findall(text):
            secret = self.secrets.get(name)
            if secret is None:
                known = ", ".join(f"{{secret.{each}}}" for each in self.secrets) or "none"
                raise SecretError(f"there is no secret {name}: the known ones are {known}")
            if not belongs(place, secret.place):
                here = f"not to {place[:80]}" if place else "and the current place is unknown"
                raise SecretError(f"{{secret.{name}}} was not typed: it belongs to {secret.place}, {here}")
        return PLACEHOLDER.sub(lambda match: self.secrets[match[1]].value, text)

    def redact(self, text: str) -> str:
        """The text with values replaced by names."""
        for name, pattern in self._patterns:
            text = pattern.sub(f"{{secret.{name}}}", text)
        return text

    def redact_cut(self, text: str) -> str:
        """The same for a cut text, which may end with the beginning of a value."""
        text = self.redact(text)
        whole = text.rstrip(" .…")
        low = whole.lower()
        for name, secret in self.secrets.items():
            for length in range(len(secret.value) - 1, SHORTEST - 1, -1):
                if low.endswith(secret.value[:length].lower()):
                    return whole[:-length] + f"{{secret.{name}}}"
        return text

    @cached_property
    def _patterns(self) -> list[tuple[str, re.Pattern[str]]]:
        """Names and patterns, longest value first: one value may be part of another."""
        longest = sorted(self.secrets.items(), key=lambda item: -len(item[1].value))
        return [(name, value_pattern(secret.value)) for name, secret in longest]


NO_SECRETS = Vault()


# -- where a secret belongs -------------------------------------------------------------------------------------------


def belongs(place: str, pattern: str) -> bool:
    """Does `place` match `pattern`? A pattern without a port matches any port; `*.` matches a host and its subdomains.

    >>> belongs("login.bank.example", "*.bank.example"), belongs("bank.example.evil.net", "bank.example")
    (True, False)
    """
    (name, port), (wanted, wanted_port) = _parts(place), _parts(pattern)
    if not name or (wanted_port and port != wanted_port):
        return False
    if wanted.startswith("*."):
        return name == wanted[2:] or name.endswith(wanted[1:])
    return name == wanted


def _parts(place: str) -> tuple[str, str]:
    """Name and port in lower case, without the final dot of a full name."""
    name, colon, port = place.casefold().rpartition(":")
    if not colon or not port.isdigit():
        name, port = place.casefold(), ""
    return name.strip("[]").removesuffix("."), port


def web_place(url: str) -> str:
    """The place of a frame with this address: its host, with the port if it is not the default one. Raises
    `SecretError` for unencrypted http to another machine.
    """
    try:
        parts = urlsplit(url)
        host, port = (parts.hostname or "").lower(), parts.port
    except ValueError:
        return ""
    if parts.scheme not in ("http", "https") or not host:
        return ""
    if parts.scheme == "http" and not _LOOPBACK.fullmatch(host):
        raise SecretError(f"a secret is not typed into {host[:80]}: http is not encrypted; use https")
    return f"[{host}]:{port}" if port and ":" in host else f"{host}:{port}" if port else host


# -- the file ---------------------------------------------------------------------------------------------------------


def load_secrets(path: str | Path) -> Vault:
    """Read a YAML file with `name: {value: … or env: VARIABLE, place: host or package, about: "…"}` for each secret. An
    `InputError` names the wrong entry and never quotes it.
    """
    file = Path(path)
    entries = read_yaml(file, "secrets file", quote=False)
    if not isinstance(entries, dict) or not entries:
        raise InputError(f"{file} contains no secrets: each is a line `name: {{value: …, place: host or package}}`")
    secrets: dict[str, Secret] = {}
    for number, (name, entry) in enumerate(entries.items(), 1):
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise InputError(
                f"{file}: the name of entry {number} is not valid: use letters, digits, - and _, starting with a letter"
            )
        try:
            secrets[name] = _secret(entry)
        except ValueError as error:
            raise InputError(f"{file}: secret {name}: {error}") from None
    return Vault(secrets)


def _secret(entry: Any) -> Secret:
    """Check one entry. Raises `ValueError` with what is wrong."""
    if not isinstance(entry, dict):
        raise ValueError("it needs `value` or `env`, and `place`")
    if not set(entry) <= _KEYS:
        raise ValueError("it has a key other than value, env, place and about (is there a space after each colon?)")
    for key, text in entry.items():
        if not isinstance(text, str):
            raise ValueError(f"`{key}` must be text: put it in quotes")
    if ("value" in entry) == ("env" in entry):
        raise ValueError("it needs either `value` or `env`")
    value = entry["value"] if "value" in entry else _from_environment(entry["env"])
    if len(value.strip()) < SHORTEST or len(value) > LONGEST:
        raise ValueError(f"its value must have {SHORTEST} to {LONGEST} characters")
    if not value.isprintable():
        raise ValueError("its value contains a line break or another character that cannot be typed")
    return Secret(value, _checked_place(entry.get("place", "")), entry.get("about", ""))


def _from_environment(variable: str) -> str:
    if not _VARIABLE.fullmatch(variable):
        raise ValueError("`env` is the name of an environment variable, not a value")
    if variable not in os.environ:
        raise ValueError("the environment variable that `env` names is not set")
    return os.environ[variable]


def _checked_place(place: str) -> str:
    place = place.strip()
    if not _PLACE.fullmatch(place):
        raise ValueError("`place` must be one host (bank.example, *.bank.example) or one Android package")
    if place.startswith("*.") and "." not in place[2:].strip("."):
        raise ValueError("`place` is too wide: name a host below it")
    if place in _BROWSERS:
        raise ValueError(
            "`place` is a browser, which shows any site: bind the secret to a host or to an app of its own"
        )
    return place
