"""What needs a yes: a YAML file of rules, of which the first that matches decides.

    default: ask
    rules:
      - {name: intranet, decision: allow, action: click, url: "https://wiki.example/*"}
      - include: careful

A rule's conditions must all hold. One that allows must cover all that an action does; one that asks or denies, any of
it.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Literal, get_args
from urllib.parse import urlsplit

import msgspec

from saccade.actions import ACTION_TYPES, DIRECTIONS, STATUSES
from saccade.agents.approval.action_effect import Deed
from saccade.agents.approval.words import Words, word_lists
from saccade.errors import InputError, readable
from saccade.worlds.base import key_name
from saccade.worlds.strict import read_yaml

Risk = Literal["", "pay", "order", "delete", "send", "permission", "password", "leave", "install"]
Decision = Literal["allow", "ask", "deny"]
RISKS: tuple[Risk, ...] = get_args(Risk)
DECISIONS: tuple[Decision, ...] = get_args(Decision)
FOLDER = Path(__file__).parent
BUILT_IN = ("careful", "browse")
DEEPEST = 5


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, dict=True):
    """Conditions that are not given always hold; of a list, one entry must."""

    name: str
    decision: Decision
    risk: Risk = ""
    action: tuple[str, ...] = ()
    """Types (click), keys (press:enter), directions (swipe:up), and `submit` for all that sends a form off."""
    text: tuple[str, ...] = ()
    """Words or phrases in what the target says, is or leads to."""
    words: tuple[str, ...] = ()
    """The same, from lists that come with the package: pay, order, delete, send, permission, password, install, …"""
    typed: tuple[str, ...] = ()
    """Words in the text that is typed."""
    app: tuple[str, ...] = ()
    """App or package, as a pattern: com.android.*"""
    url: tuple[str, ...] = ()
    """Addresses, as patterns: https://*.example.com/docs/*"""
    scheme: tuple[str, ...] = ()
    """How the address begins that it leads to: javascript, intent …"""
    field: tuple[Literal["password", "search", "text"], ...] = ()
    host: Literal["inside", "outside"] | None = None
    """Is everything on allowed hosts, or something not?"""
    target: Literal["known", "unknown", "control"] | None = None
    """Is there something at the place whose text can be read; is it something to press, with a short name?"""

    def matches(self, deed: Deed) -> bool:
        """Cheap conditions first: who only waits needs no look at the page."""
        return (
            self._acts(deed)
            and (not self.typed or self._typed.find((deed.typed,)))
            and (not (self.text or self.words) or self._said.find(deed.texts))
            and (not self.field or bool(deed.fields & set(self.field)))
            and (self.host is None or deed.outside == (self.host == "outside"))
            and (not self.app or any(fnmatchcase(deed.app.lower(), each.lower()) for each in self.app))
            and (not self.url or self._addressed(deed))
            and (not self.scheme or bool(deed.schemes & {each.rstrip(":").lower() for each in self.scheme}))
            and (self.target is None or self._aimed(deed))
        )

    def _acts(self, deed: Deed) -> bool:
        if not self.action:
            return True
        covered = [bool(part & self._actions) for part in deed.parts]
        return all(covered) if self.decision == "allow" else any(covered)

    def _aimed(self, deed: Deed) -> bool:
        return deed.control if self.target == "control" else deed.known == (self.target == "known")

    def _addressed(self, deed: Deed) -> bool:
        covered = [any(address_matches(url, each) for each in self.url) for url in deed.addresses]
        return bool(covered) and (all(covered) if self.decision == "allow" else any(covered))

    @cached_property
    def _actions(self) -> frozenset[str]:
        return frozenset(f"press:{key_name(a[6:])}" if a.startswith("press:") else a for a in self.action)

    @cached_property
    def _said(self) -> Words:
        return compiled((*self.text, *(word for name in self.words for word in word_lists()[name])))

    @cached_property
    def _typed(self) -> Words:
        return compiled(self.typed)


@lru_cache
def compiled(entries: tuple[str, ...]) -> Words:
    return Words(entries)


def address_matches(url: str, pattern: str) -> bool:
    """Scheme, host and path each on their own: `https://*.example.com/*` does not match a path that holds a host.

    >>> address_matches("https://evil.net/x.example.com/", "https://*.example.com/*")
    False
    """
    scheme, slashes, rest = pattern.partition("://")
    wanted_host, slash, path = (rest if slashes else pattern).partition("/")
    try:
        parts = urlsplit(url)
        place, port = (parts.hostname or "").lower(), parts.port
    except ValueError:
        return False
    hosts = {place, f"{place}:{port}"} if port else {place}
    query = f"?{parts.query}" if parts.query else ""
    return (
        (not slashes or fnmatchcase(parts.scheme, scheme.lower()))
        and any(fnmatchcase(each, wanted_host.lower()) for each in hosts)
        and (not slash or path in ("", "*") or fnmatchcase(parts.path.lstrip("/") + query, path))
    )


@dataclass(frozen=True)
class Verdict:
    """What the rules say of one deed."""

    decision: Decision
    rule: str = ""
    risk: Risk = ""

    def stricter(self, other: Verdict) -> Verdict:
        """Of two views the worse; of two that ask, the one that says why."""
        return max(self, other, key=lambda each: (DECISIONS.index(each.decision), bool(each.risk), bool(each.rule)))


@dataclass(frozen=True)
class Policy:
    """Rules in their order, and what holds where none matches."""

    rules: tuple[Rule, ...] = ()
    default: Decision = "ask"
    name: str = ""

    def judge(self, deed: Deed) -> Verdict:
        for rule in self.rules:
            if rule.matches(deed):
                return Verdict(rule.decision, rule.name, rule.risk)
        return Verdict(self.default)


# -- reading ----------------------------------------------------------------------------------------------------------

_CHOICES: dict[str, tuple[str, ...]] = {
    "decision": DECISIONS,
    "risk": RISKS[1:],
    "host": ("inside", "outside"),
    "target": ("known", "unknown", "control"),
    "field": ("password", "search", "text"),
}
_LISTS = ("action", "text", "words", "typed", "app", "url", "scheme", "field")


def load_policy(name: str) -> Policy:
    """A policy that comes with the package, or a file."""
    return _load(name, Path(), 0)


def _load(name: str, folder: Path, depth: int) -> Policy:
    path = FOLDER / f"{name}.yaml" if name in BUILT_IN else folder / name
    if not path.is_file():
        near = difflib.get_close_matches(name, BUILT_IN, n=1)
        hint = f" (did you mean {near[0]}?)" if near else ""
        raise InputError(f"there is no policy {name}{hint}: use {', '.join(BUILT_IN)}, or a YAML file")
    value = read_yaml(path, "policy")
    if not isinstance(value, dict) or not isinstance(value.get("rules", []), list):
        raise InputError(f"{path}: a policy has `default` and a list of `rules`")
    _known(value, ("about", "default", "rules"), str(path), "a policy")
    default = value.get("default", "ask")
    if default not in DECISIONS:
        raise InputError(f"{path}: `default` is {default!r}: use one of {', '.join(DECISIONS)}")
    if depth > DEEPEST:
        raise InputError(f"{path}: policies include each other in a circle")
    rules: list[Rule] = []
    for number, entry in enumerate(value.get("rules", []), 1):
        if isinstance(entry, dict) and set(entry) == {"include"}:
            rules += _load(str(entry["include"]), path.parent, depth + 1).rules
        else:
            rules.append(_rule(entry, f"{path}: rule {number}"))
    return Policy(tuple(rules), default, name)


def _rule(entry: Any, where: str) -> Rule:
    if not isinstance(entry, dict):
        raise InputError(f"{where} is no list of keys and values")
    where += f" ({entry['name']})" if isinstance(entry.get("name"), str) else ""
    _known(entry, Rule.__struct_fields__, where, "a rule")
    for key, options in _CHOICES.items():
        if isinstance(entry.get(key), str):
            _one_of([entry[key]], options, f"{where}: `{key}`")
    lists = {key: [entry[key]] if isinstance(entry[key], str) else entry[key] for key in _LISTS if key in entry}
    try:
        rule = msgspec.convert(entry | lists, Rule)
    except msgspec.ValidationError as error:
        raise InputError(f"{where}: {readable(error)}") from None
    for key, values in lists.items():
        if not values or "" in values:
            raise InputError(f"{where}: `{key}` is empty: leave it out, or say what it holds")
    _one_of(rule.words, word_lists(), f"{where}: `words`")
    _one_of((each for each in rule.action if not _is_key(each)), _action_names(), f"{where}: `action`")
    return rule


def _is_key(name: str) -> bool:
    return name.startswith("press:") and bool(name[6:].strip())


def _action_names() -> list[str]:
    return [*ACTION_TYPES, "submit", *(f"swipe:{d}" for d in DIRECTIONS), *(f"terminate:{s}" for s in STATUSES)]


def _known(entry: dict[Any, Any], keys: Iterable[str], where: str, what: str) -> None:
    for key in entry:
        if key not in (names := list(keys)):
            near = difflib.get_close_matches(str(key), names, n=1)
            hint = f" (did you mean `{near[0]}`?)" if near else f": use {', '.join(names)}"
            raise InputError(f"{where}: `{key}` is no key of {what}{hint}")


def _one_of(values: Iterable[str], known: Iterable[str], where: str) -> None:
    names = list(known)
    for value in values:
        if value not in names:
            near = difflib.get_close_matches(value, names, n=1)
            hint = f"did you mean {near[0]}?" if near else f"use one of {', '.join(names)}"
            raise InputError(f"{where} is {value!r}: {hint}")
