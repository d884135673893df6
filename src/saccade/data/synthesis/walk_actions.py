"""Which action a random walk does next (UILoop App. A: random click, scroll, type).

Elements that were not tried yet come first, and what did nothing comes last. All chance comes from one seeded source.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from saccade.actions import Action, ActionType, Direction
from saccade.data.synthesis.walk_words import looks_for_something, screen_language, words_for
from saccade.paradigms.verbs import Space
from saccade.types import Element
from saccade.worlds.observation import Observation

WEIGHTS: dict[ActionType, float] = {
    "click": 60,
    "type": 14,
    "swipe": 14,
    "press": 6,
    "long_press": 3,
    "right_click": 2,
    "double_click": 1,
}
"""How often each type of action is drawn where all are possible."""
TOUCHES: tuple[ActionType, ...] = ("click", "long_press", "right_click", "double_click")
SWIPES: dict[Direction, float] = {"up": 6, "down": 2, "left": 1, "right": 1}
"""Most screens go on below."""
KEYS: dict[Space, dict[str, float]] = {
    "phone": {"back": 6, "home": 1, "recent": 1},
    "web": {"back": 1},
    "desktop": {"escape": 2, "tab": 1},
}
"""Keys that lead elsewhere, by kind of world; in other kinds no key is pressed."""
FIELDS = frozenset(("input", "spinbutton", "date", "time"))
"""Types of elements that text is typed into; passwords are not."""
LEFT_ALONE = frozenset(("frame", "file", "scroll"))
"""Types of elements that are not touched: a file chooser belongs to the system, the others hold elements."""
BROAD = 0.4
"""An element that covers more than this share of the screen is background."""
SUBMIT = 0.35
"""How often a text is sent off; in a search field always."""


@dataclass(frozen=True)
class Proposal:
    """An action that could be done next."""

    action: Action
    place: str
    name: str
    """What is counted as tried: the type of the action, and the type and text of its element."""
    element: Element | None = None

    @property
    def key(self) -> str:
        return f"{self.place}|{self.name}"


class ActionChooser:
    """Proposes actions in one episode, and remembers what was tried."""

    def __init__(self, actions: frozenset[ActionType], space: Space, chance: random.Random) -> None:
        self.actions, self.chance = actions, chance
        self.keys = KEYS.get(space, {})
        self.tried: Counter[str] = Counter()
        self.tried_anywhere: Counter[str] = Counter()
        self.useless: Counter[str] = Counter()

    def propose(self, seen: Observation) -> Proposal:
        """A random action; whether it is done or not, `tell` what came of it."""
        place = place_of(seen)
        targets = [element for element in seen.screen.elements if self._touchable(element, seen)]
        options = list(self._options(place, targets))
        kinds = {kind: WEIGHTS[kind] * max(weight for weight, _ in found) for kind, found in options}
        if not kinds:
            return Proposal(Action("wait", seconds=1), place, "wait")
        kind = self.chance.choices(list(kinds), list(kinds.values()))[0]
        found = dict(options)[kind]
        proposal = self.chance.choices([each for _, each in found], [weight for weight, _ in found])[0]
        return self._filled(proposal, seen)

    def tell(self, proposal: Proposal, changed: bool) -> None:
        """What came of a proposal: it was done, or it was refused (`changed` is then no)."""
        self.tried[proposal.key] += 1
        self.tried_anywhere[proposal.name] += 1
        if not changed:
            self.useless[proposal.key] += 1

    def _touchable(self, element: Element, seen: Observation) -> bool:
        width, height = seen.screen.size
        box = element.box
        return (
            element.interactive
            and element.type not in LEFT_ALONE
            and "disabled" not in element.state.split()
            and 0 < box.area <= BROAD * width * height
            and 0 <= box.center.x < width
            and 0 <= box.center.y < height
        )

    def _options(
        self, place: str, targets: Sequence[Element]
    ) -> Iterator[tuple[ActionType, list[tuple[float, Proposal]]]]:
        """For each type of action that is possible here: its proposals with their weights."""
        fields = [element for element in targets if element.type in FIELDS]
        for kind in WEIGHTS:
            if kind not in self.actions:
                continue
            found: list[Proposal] = []
            if kind in TOUCHES:
                found = [Proposal(Action(kind, e.center), place, _name(kind, e), e) for e in targets]
            elif kind == "type":
                found = [Proposal(Action("type", text="", point=e.center), place, _name(kind, e), e) for e in fields]
            elif kind == "swipe":
                found = [Proposal(Action("swipe", direction=way), place, f"swipe:{way}") for way in SWIPES]
            elif kind == "press":
                found = [Proposal(Action("press", key=key), place, f"press:{key}") for key in self.keys]
            if found:
                yield kind, [(self._weight(each), each) for each in found]

    def _weight(self, proposal: Proposal) -> float:
        """Less for an element that was tried here, or under the same name elsewhere (the buttons below every screen of
        a phone), and for what did nothing here; a part of an element rather than the whole.
        """
        failures = 2 * self.useless[proposal.key]
        if (element := proposal.element) is not None:
            weight = 1 / (1 + self.tried[proposal.key] + failures) ** 2 / (1 + self.tried_anywhere[proposal.name])
            return weight if element.leaf else weight / 2
        weight = 1 / (1 + failures) ** 2
        if proposal.action.direction is not None:
            return weight * SWIPES[proposal.action.direction] / max(SWIPES.values())
        return weight * self.keys[str(proposal.action.key)] / max(self.keys.values())

    def _filled(self, proposal: Proposal, seen: Observation) -> Proposal:
        """With a text, where one is typed."""
        if proposal.action.type != "type" or proposal.element is None:
            return proposal
        field = proposal.element
        elements = list(seen.screen.elements)
        text = words_for(field, elements, screen_language(elements), self.chance)
        submit = looks_for_something(field) or self.chance.random() < SUBMIT
        return Proposal(
            Action("type", text=text, point=field.center, submit=submit), proposal.place, proposal.name, field
        )


def place_of(seen: Observation) -> str:
    """Where the screen is: the app, and the address without what changes from visit to visit."""
    parts = urlsplit(seen.url)
    return f"{seen.app}|{parts.netloc}{parts.path}"


def _name(kind: ActionType, element: Element) -> str:
    """Numbers do not count: a counter or a date in a text makes no other element. The text of a field is what was typed
    into it, so its caption counts. Where there is neither, the position does.
    """
    said = element.caption if element.type in FIELDS else element.text or element.caption
    text = re.sub(r"\d+", "0", said)[:60]
    where = text or f"{element.center.x // 40:.0f},{element.center.y // 40:.0f}"
    return f"{kind}|{element.type}|{where}"
