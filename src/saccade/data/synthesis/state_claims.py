"""Is a written task true? The task's text is read as claims, and the claims are compared with what really changed.

The teacher of reverse synthesis writes a task from what the screens show (`roles.task_writer`). Nothing of that is
used here: claims are read back from the finished sentence, and checked against the difference of the sandbox's state
(`state_changes`) alone. So a name taken from the wrong row, on for off, or a change that another action made shows.

A sandbox calls things otherwise than its screens do (`apps.clock.alarms.a3.on`, "07:30"). Who knows both names gives a
`Names`; without it, names are compared only with texts that stand in the changes themselves.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, NamedTuple

import msgspec

from saccade.data.synthesis.state_changes import Change, changes_of
from saccade.types import Language, Step

LASTING = "apps."
"""Where a sandbox keeps its data; what else it tells (`front.`) is the screen that it shows."""
FRONT = "front."
FORM = "front.form."

ClaimKind = Literal["on", "off", "choose", "enter", "do", "open"]
Verdict = Literal["true", "false", "unclear"]
Names = Callable[[Change], Iterable[str]]
"""What a person may call the thing that a change is about."""


class Claim(NamedTuple):
    """Something that is so when the task is done."""

    kind: ClaimKind
    name: str
    """The thing that is switched, chosen, entered, pressed or opened, as the screen calls it."""
    about: str = ""
    """What it is done to, where the task says so."""


_QUOTED = r"'(?P<{0}>(?:[^']|'(?=\w))+)'"
_MARKED = r"“(?P<{0}>[^”]+)”"


def _patterns(quoted: str, parts: Sequence[tuple[ClaimKind, str]]) -> list[tuple[ClaimKind, re.Pattern[str]]]:
    name, about = quoted.format("name"), quoted.format("about")
    other, about_other = quoted.format("name2"), quoted.format("about2")
    parts = [(kind, part.replace("NAME2", other).replace("ABOUT2", about_other)) for kind, part in parts]
    return [(kind, re.compile(part.replace("NAME", name).replace("ABOUT", about))) for kind, part in parts]


_READ: dict[Language, list[tuple[ClaimKind, re.Pattern[str]]]] = {
    "en": _patterns(
        _QUOTED,
        [
            ("on", r"\b(?:turn on|switch on|enable) NAME(?: for ABOUT)?"),
            ("off", r"\b(?:turn off|switch off|disable) NAME(?: for ABOUT)?"),
            ("choose", r"\b(?:choose|select|pick) NAME(?: for ABOUT)?"),
            ("enter", r"\b(?:enter|type) NAME(?: for ABOUT)?"),
            ("do", r"\b(?:use|press) NAME(?: for ABOUT)?"),
            ("open", r"\b(?:open|show me|go to|bring up) NAME"),
            ("do", r"(?:^|, |and |please |can you )(?!please |can you |and )(?P<name>[a-z]+(?: [a-z]+){0,2}) ABOUT"),
        ],
    ),
    "zh": _patterns(
        _MARKED,
        [
            ("on", r"(?:为ABOUT)?(?:开启|启用)NAME|(?:为ABOUT2)?把NAME2打开"),
            ("off", r"(?:为ABOUT)?(?:关闭|关掉)NAME|(?:为ABOUT2)?把NAME2关掉"),
            ("choose", r"(?:为ABOUT)?(?:选择|选中)NAME"),
            ("enter", r"(?:为ABOUT)?(?:输入|填写)NAME"),
            ("do", r"(?:对ABOUT)?(?:使用|点一下)NAME"),
            ("open", r"(?:打开|查看|看看|进入)NAME"),
            ("do", r"(?:^|里|中|，|然后|请|帮我)(?!然后|请|帮我)(?P<name>[^“”，里中]{1,6}?)ABOUT"),
        ],
    ),
}
"""The last one is that of a button whose label is the verb: "follow 'Pixel Parade'"."""


def read_claims(text: str, language: Language) -> list[Claim]:
    """The claims of a task in the teacher's wording, in the order of the text; none for a free wording.

    >>> read_claims("In Settings, turn on 'Bluetooth' and choose 'Dawn' for 'Sound'.", "en")
    [Claim(kind='on', name='Bluetooth', about=''), Claim(kind='choose', name='Dawn', about='Sound')]
    """
    said = text[:1].lower() + text[1:]
    found: list[tuple[int, int, Claim]] = []
    for kind, pattern in _READ[language]:
        for match in pattern.finditer(said):
            if all(match.end() <= start or match.start() >= end for start, end, _ in found):
                parts = match.groupdict()
                name = parts["name"] or parts.get("name2") or ""
                about = parts.get("about") or parts.get("about2") or ""
                found.append((match.start(), match.end(), Claim(kind, name, about)))
    return [claim for _, _, claim in sorted(found, key=lambda each: each[0])]


# -- what really changed -----------------------------------------------------------------------------------------------


def net_changes(changes: Iterable[Change]) -> list[Change]:
    """What several changes, one after another, come to. Entries are compared value by value; what ends as it began is
    no change.

    >>> net_changes([("a.x", 1, 2), ("a.y", False, True), ("a.x", 2, 1)])
    [('a.y', False, True)]
    """
    first: dict[str, Any] = {}
    last: dict[str, Any] = {}
    for path, before, after in changes:
        old, new = dict(_leaves(path, before)), dict(_leaves(path, after))
        for leaf in dict.fromkeys((*old, *new)):
            first.setdefault(leaf, old.get(leaf))
            last[leaf] = new.get(leaf)
    return [(leaf, first[leaf], last[leaf]) for leaf in first if first[leaf] != last[leaf]]


def changes_of_steps(steps: Sequence[Step]) -> list[Change] | None:
    """What the actions of a trajectory came to, up to the screen of its last step; None where the world does not tell
    it of every action in full.
    """
    if not all("state_changes" in step.tags and "state_changes_left_out" not in step.tags for step in steps[:-1]):
        return None
    return net_changes(change for step in steps[:-1] for change in changes_of(step.tags))


def comparable_changes(steps: Sequence[Step]) -> list[Change] | None:
    """As `changes_of_steps`, for comparing two trajectories: new entries are called by their order. Their ids depend on
    what was made before, and a walk made other things before than who plays its task.
    """
    if changes_of_steps(steps) is None:
        return None
    return net_changes(new_entries_by_order([change for step in steps[:-1] for change in changes_of(step.tags)]))


def new_entries_by_order(changes: Iterable[Change]) -> list[Change]:
    """The changes, with another name for each entry that comes up among them.

    >>> new_entries_by_order([("apps.clock.alarms.a7", None, {"on": True}), ("apps.clock.alarms.a7.on", True, False)])
    [('apps.clock.alarms.new1', None, {'on': True}), ('apps.clock.alarms.new1.on', True, False)]
    """
    names: dict[str, str] = {}
    made = Counter[str]()
    found: list[Change] = []
    for path, before, after in changes:
        entry = next((each for each in names if f"{path}.".startswith(f"{each}.")), "")
        if not entry and path.startswith(LASTING) and before is None and isinstance(after, dict):
            entry, place = path, path.rpartition(".")[0]
            made[place] += 1
            names[entry] = f"{place}.new{made[place]}"
        found.append((names[entry] + path[len(entry) :] if entry else path, before, after))
    return found


def _leaves(path: str, value: Any) -> Iterable[tuple[str, Any]]:
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from _leaves(f"{path}.{key}", inner)
    elif value is not None:
        yield path, value


def lasting(changes: Iterable[Change], app: str = "") -> list[Change]:
    """Those of the data, of one app or of all; not of the screen in front."""
    prefix = f"{LASTING}{app}." if app else LASTING
    return [change for change in changes if change[0].startswith(prefix)]


# -- claims against changes --------------------------------------------------------------------------------------------


def texts_of(change: Change) -> list[str]:
    """The texts in a change: all that can be known of names without the sandbox."""
    found: list[str] = []
    for value in change[1:]:
        found += _texts(value)
    return found


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for inner in value.values() for text in _texts(inner)]
    return [text for inner in value for text in _texts(inner)] if isinstance(value, list) else []


def fold(text: str) -> str:
    """For comparing names: letters and digits alone, in lower case.

    >>> fold("Wi-Fi ")
    'wifi'
    """
    return "".join(letter for letter in text.casefold() if letter.isalnum())


def is_called(name: str, names: Iterable[str]) -> bool:
    """Is this one of the names, or a part of one that a row shows in full?"""
    wanted = fold(name)
    return bool(wanted) and any(wanted == known or wanted in known for known in map(fold, names))


_SWITCHED: dict[str, tuple[Any, Any]] = {"on": (False, True), "off": (True, False)}


def candidates(claim: Claim, changes: Sequence[Change]) -> list[Change]:
    """The changes that have the form that the claim asks for, whatever the things are called."""
    if claim.kind in _SWITCHED:
        before, after = _SWITCHED[claim.kind]
        return [each for each in lasting(changes) if (each[1] or False) is before and (each[2] or False) is after]
    if claim.kind == "open":
        return [each for each in changes if each[0].startswith(FRONT)]
    return lasting(changes)


def check_claim(claim: Claim, changes: Sequence[Change], names: Names | None = None) -> Verdict:
    """`true` if a change of the right form is about the thing that the claim names, `false` if there is no change of
    that form or it is about something else, `unclear` if it has the form and nobody knows what its thing is called.
    """
    formed = candidates(claim, changes)
    if not formed:
        return "false"
    if claim.kind == "enter":
        return "true" if any(is_called(claim.name, texts_of(each)) for each in formed) else "false"
    if names is None:
        return "true" if any(is_called(claim.name, texts_of(each)) for each in formed) else "unclear"
    return "true" if any(is_called(claim.name, names(each)) for each in formed) else "false"


def wanted_changes(text: str, language: Language, changes: Sequence[Change]) -> list[Change]:
    """Of the changes of a trajectory that a task was written from, those that the task asks for the form of. Of a
    screen that is to be opened: which one it is, not how its form is filled, nor what was in front before.
    """
    asked = {change[0] for claim in read_claims(text, language) for change in candidates(claim, changes)}
    found = [change for change in changes if change[0] in asked]
    return [change for change in found if not _by_the_way(change)] or found


def _by_the_way(change: Change) -> bool:
    path, _, after = change
    return path.startswith(FORM) or (path.startswith(FRONT) and after is None)


class TaskTruth(msgspec.Struct, frozen=True):
    """How a written task and what really changed agree."""

    claims: int
    true: int
    false: int
    beside: int
    """Lasting changes that no claim asks for the form of."""

    @property
    def holds(self) -> bool:
        return self.claims > 0 and self.false == 0


def task_truth(text: str, language: Language, changes: Sequence[Change], names: Names | None = None) -> TaskTruth:
    """Read a task and compare it with the net changes of its trajectory."""
    claims = read_claims(text, language)
    verdicts = [check_claim(claim, changes, names) for claim in claims]
    covered = {change[0] for claim in claims for change in candidates(claim, changes)}
    beside = [change for change in lasting(changes) if change[0] not in covered]
    return TaskTruth(len(claims), verdicts.count("true"), verdicts.count("false"), len(beside))


def wanted_truth(wanted: Sequence[Change], changes: Sequence[Change]) -> TaskTruth:
    """How what another trajectory changed agrees with the changes that the task was written from. It knows what no
    claim says: which switch is called 'Bluetooth'.

    >>> wanted_truth([("apps.a", False, True)], [("apps.a", False, True), ("apps.b", 1, 2), ("front.app", "x", "y")])
    TaskTruth(claims=1, true=1, false=0, beside=1)
    """
    reached = {path: after for path, _, after in changes}
    true = sum(path in reached and reached[path] == after for path, _, after in wanted)
    asked = {path for path, _, _ in wanted}
    beside = [change for change in lasting(changes) if change[0] not in asked]
    return TaskTruth(len(wanted), true, len(wanted) - true, len(beside))
