"""Approval policies: YAML files of rules; the first rule that matches decides.

    default: ask
    rules:
      - {name: intranet, decision: allow, action: click, url: "https://wiki.example/*"}
      - include: careful

All conditions of a rule must hold. A rule that allows must cover everything the action does (typing may also submit); a
rule that asks or denies matches if it covers any part of it.
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
from saccade.agents.approval.action_effect import ActionEffect
from saccade.agents.approval.word_lists import WordList, word_lists
from saccade.errors import InputError, readable
from saccade.typed_values import to_type
from saccade.worlds.base import key_name
from saccade.worlds.strict_yaml import read_yaml

Risk = Literal["", "pay", "order", "delete", "send", "permission", "password", "leave", "install"]
Decision = Literal["allow", "ask", "deny"]
RISKS: tuple[Risk, ...] = get_args(Risk)
DECISIONS: tuple[Decision, ...] = get_args(Decision)
FOLDER = Path(__file__).parent
BUILT_IN = ("careful", "browse")
DEEPEST = 5
"""How deep policies may include one another."""


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, dict=True):
    """One rule. A condition that is not given always holds; of a list, one entry must match."""

    name: str
    decision: Decision
    risk: Risk = ""
    action: tuple[str, ...] = ()
    """Types (click), keys (press:enter), directions (swipe:up), and `submit` for everything that submits a form."""
    text: tuple[str, ...] = ()
    """Words or phrases in the target's text, type or link."""
    words: tuple[str, ...] = ()
    """The same, from the lists in word_lists.yaml: pay, order, delete, send, permission, password, install, …"""
    typed: tuple[str, ...] = ()
    """Words in the typed text."""
    app: tuple[str, ...] = ()
    """App or package, as a pattern: com.android.*"""
    url: tuple[str, ...] = ()
    """Addresses, as patterns: https://*.example.com/docs/*"""
    scheme: tuple[str, ...] = ()
    """Schemes of the addresses that the action opens: javascript, intent …"""
    field: tuple[Literal["password", "search", "text"], ...] = ()
    host: Literal["inside", "outside"] | None = None
    """inside: all addresses are on allowed hosts; outside: at least one is not."""
    target: Literal["known", "unknown", "control", "value"] | None = None
    """known: there is a target whose whole text can be read; control: it is interactive and has a short text; value: it
    has a value that turning the wheel over it, or a finger that moves on it, changes.
    """
    evidence: tuple[Literal["link", "page", "search"], ...] = ()
    """What shows that every node that is hit is harmless: a plain link, a control that only changes what the page
    shows, a search. Only web pages have it.
    """

    def matches(self, effect: ActionEffect) -> bool:
        """Do all conditions hold? Cheap ones come first, so that an action such as `wait` needs no look at the page."""
        return (
            self._acts(effect)
            and (not self.typed or self._typed.find((effect.typed,)))
            and (not (self.text or self.words) or self._said.find(effect.texts))
            and (not self.field or bool(effect.fields & set(self.field)))
            and (self.host is None or effect.outside == (self.host == "outside"))
            and (not self.app or any(fnmatchcase(effect.app.lower(), each.lower()) for each in self.app))
            and (not self.url or self._addressed(effect))
            and (not self.scheme or bool(effect.schemes & {each.rstrip(":").lower() for each in self.scheme}))
            and (self.target is None or self._aimed(effect))
            and (not self.evidence or (bool(effect.evidence) and set(effect.evidence) <= set(self.evidence)))
        )

    def _acts(self, effect: ActionEffect) -> bool:
        if not self.action:
            return True
        covered = [bool(part & self._actions) for part in effect.parts]
        return all(covered) if self.decision == "allow" else any(covered)

    def _aimed(self, effect: ActionEffect) -> bool:
        if self.target in ("control", "value"):
            return effect.control if self.target == "control" else effect.adjustable
        return effect.known == (self.target == "known")

    def _addressed(self, effect: ActionEffect) -> bool:
        covered = [any(address_matches(url, each) for each in self.url) for url in effect.addresses]
        return bool(covered) and (all(covered) if self.decision == "allow" else any(covered))

    @cached_property
    def _actions(self) -> frozenset[str]:
        return frozenset(f"press:{key_name(a[6:])}" if a.startswith("press:") else a for a in self.action)

    @cached_property
    def _said(self) -> WordList:
        return compiled((*self.text, *(word for name in self.words for word in word_lists()[name])))

    @cached_property
    def _typed(self) -> WordList:
        return compiled(self.typed)


@lru_cache
def compiled(entries: tuple[str, ...]) -> WordList:
    return WordList(entries)


def address_matches(url: str, pattern: str) -> bool:
    """Match scheme, host and path separately: `https://*.example.com/*` does not match a path that contains a host.

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
class RuleDecision:
    """What a policy decides for one action effect, and by which rule."""

    decision: Decision
    rule: str = ""
    risk: Risk = ""

    def stricter(self, other: RuleDecision) -> RuleDecision:
        """The stricter of two decisions; of two equal ones, the one that names a risk or a rule."""
        return max(self, other, key=lambda each: (DECISIONS.index(each.decision), bool(each.risk), bool(each.rule)))


@dataclass(frozen=True)
class ApprovalPolicy:
    """Rules in order, and the decision if none matches."""

    rules: tuple[Rule, ...] = ()
    default: Decision = "ask"
    name: str = ""

    def judge(self, effect: ActionEffect) -> RuleDecision:
        for rule in self.rules:
            if rule.matches(effect):
                return RuleDecision(rule.decision, rule.name, rule.risk)
        return RuleDecision(self.default)


# -- reading ----------------------------------------------------------------------------------------------------------

_CHOICES: dict[str, tuple[str, ...]] = {
    "decision": DECISIONS,
    "risk": RISKS[1:],
    "host": ("inside", "outside"),
    "target": ("known", "unknown", "control", "value"),
    "evidence": ("link", "page", "search"),
    "field": ("password", "search", "text"),
}
_LISTS = ("action", "text", "words", "typed", "app", "url", "scheme", "field", "evidence")


def load_approval_policy(name: str) -> ApprovalPolicy:
    """Load a built-in policy (careful, browse) or a YAML file."""
    return _load(name, Path(), 0)


def _load(name: str, folder: Path, depth: int) -> ApprovalPolicy:
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
    return ApprovalPolicy(tuple(rules), default, name)


def _rule(entry: Any, where: str) -> Rule:
    if not isinstance(entry, dict):
        raise InputError(f"{where} must be a mapping of keys to values")
    where += f" ({entry['name']})" if isinstance(entry.get("name"), str) else ""
    _known(entry, Rule.__struct_fields__, where, "a rule")
    for key, options in _CHOICES.items():
        if isinstance(entry.get(key), str):
            _one_of([entry[key]], options, f"{where}: `{key}`")
    lists = {key: [entry[key]] if isinstance(entry[key], str) else entry[key] for key in _LISTS if key in entry}
    try:
        rule = to_type(entry | lists, Rule)
    except msgspec.ValidationError as error:
        raise InputError(f"{where}: {readable(error)}") from None
    for key, values in lists.items():
        if not values or "" in values:
            raise InputError(f"{where}: `{key}` is empty: leave it out, or give it a value")
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
            raise InputError(f"{where}: {what} has no key `{key}`{hint}")


def _one_of(values: Iterable[str], known: Iterable[str], where: str) -> None:
    names = list(known)
    for value in values:
        if value not in names:
            near = difflib.get_close_matches(value, names, n=1)
            hint = f"did you mean {near[0]}?" if near else f"use one of {', '.join(names)}"
            raise InputError(f"{where} is {value!r}: {hint}")
