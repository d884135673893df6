"""GuidNav: k candidate actions with stated probabilities, for a process reward model to choose from.

Paper §4.3 (temperature), appendix 8.3 (Table 6, prompt) and 8.4 (action space). Elements are named by the number of
their mark, so reading and writing a click needs the screen's elements.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice
from typing import Any

from saccade.actions import Action
from saccade.geometry import PIXEL
from saccade.paradigms.base import AnswerPart, Candidate, Notes, Paradigm, Parsed, Reply, Situation
from saccade.paradigms.lenient import FULL_WIDTH, loads
from saccade.paradigms.prompts import build_messages
from saccade.paradigms.verbs import Verb, Vocabulary, dumps
from saccade.types import Element, Message, Picture, Screen

MAX_CANDIDATES = 10
"""An answer with more candidates than this, and than were asked for, is refused."""
LEAD = "So the next one action is:"
_HEAD = re.compile(r"^[ \t]*\(?([GP])(\d{1,3})[ \t]*[:：][ \t]*", re.MULTILINE)
_HEAD_LIKE = re.compile(r"^([ \t]*\(?\\*)(?=[GP]\d{1,3}[ \t]*[:：])", re.MULTILINE)
_GUARDED = re.compile(r"^([ \t]*\(?\\*)\\(?=[GP]\d{1,3}[ \t]*[:：])", re.MULTILINE)
_PROBABILITY = re.compile(r"\s*([01](?:\.\d+)?|\.\d+)\s*\Z", re.ASCII)
_LOOSE_PROBABILITY = re.compile(r"(?<![-−\d.])(\d{1,3}(?:\.\d+)?|\.\d+)(?:[eE]([-+]?\d{1,3}))?(?!\.?\d)\s*([%％]?)")

_TARGET = {"id": "point"}
VERBS = Vocabulary(
    "action_type",
    [
        Verb("click", "click", _TARGET),
        Verb("type", "type", {"text": "text"}),
        Verb("scroll", "swipe", {"direction": "direction", "id": "start"}, optional=frozenset({"id"})),
        Verb("enter", "press", fixed={"key": "enter"}),
        Verb("navigate_home", "press", fixed={"key": "home"}),
        Verb("navigate_back", "press", fixed={"key": "back"}),
        Verb("task_complete", "terminate", {"text": "text"}, {"status": "success"}, optional=frozenset({"text"})),
        Verb("task_impossible", "terminate", {"text": "text"}, {"status": "failure"}, optional=frozenset({"text"})),
        Verb("long_press", "long_press", _TARGET, paper=False),
        Verb("double_click", "double_click", _TARGET, paper=False),
        Verb("right_click", "right_click", _TARGET, paper=False),
        Verb("hover", "hover", _TARGET, paper=False),
        Verb("select", "select", {**_TARGET, "text": "text"}, paper=False),
        Verb("menu", "press", fixed={"key": "menu"}, paper=False),
        Verb("recent", "press", fixed={"key": "recent"}, paper=False),
        Verb("press", "press", {"key": "key"}, paper=False),
        Verb("open_app", "open_app", {"text": "text"}, paper=False),
        Verb("open_url", "open_url", {"text": "text"}, paper=False),
        Verb("wait", "wait", {"seconds": "seconds"}, paper=False, optional=frozenset({"seconds"})),
        Verb("answer", "answer", {"text": "text"}, paper=False),
    ],
)


@dataclass(frozen=True, kw_only=True)
class GuidNav(Paradigm):
    """Candidates G1/P1 … Gk/Pk."""

    name = "guidnav"
    vocabulary = VERBS
    marks = True
    candidates = True
    temperature = 0.8

    k: int = 3
    """How many candidates are asked for."""

    @property
    def answer_parts(self) -> frozenset[AnswerPart]:
        return frozenset({"think", "candidates"})

    @property
    def candidate_count(self) -> int:
        return self.k

    @classmethod
    def candidate_switches(cls, count: int) -> dict[str, Any]:
        return {"k": count}

    def variables(self, situation: Situation) -> dict[str, Any]:
        variables = super().variables(situation) | {"k": self.k}
        for action in variables["actions"]:
            action["format"] = action["format"].replace('"id": [x, y]', '"id": n')
        return variables

    def summary_messages(self, context: str, thought: str, action: str, after: Picture | None) -> list[Message] | None:
        """Multimodal self-summarisation (paper §3.2, Table 5): h_{t+1} from h_t, thought, action and its effect."""
        variables = {"image": after, "context": context, "thought": thought, "action": action}
        return build_messages(self.find_template("summary"), variables)

    def describe(self, element: Element, screen: Screen) -> str:
        """The mark's number stands for the place."""
        said = element.text or element.caption
        return " ".join(filter(None, [str(element.id), element.type, dumps(said[:200]) if said else ""]))

    def _read(self, text: str, screen: Screen) -> Parsed:
        notes = Notes()
        most = max(self.k, MAX_CANDIDATES)
        heads = list(islice(_HEAD.finditer(text), 2 * most + 1))
        if not heads:
            raise ValueError("there is no line that begins with G1:")
        if len(heads) > 2 * most:
            raise ValueError(f"there are more than {most} candidates")
        if any("：" in head[0] for head in heads):
            notes.repairs.append(FULL_WIDTH)
        if text[: heads[0].start()].strip():
            notes.repairs.append("ignored text before G1")
        bodies: dict[tuple[str, int], str] = {}
        for at, head in enumerate(heads):
            end = heads[at + 1].start() if at + 1 < len(heads) else len(text)
            bodies.setdefault((head[1], int(head[2])), text[head.end() : end].strip())
        wanted = [(letter, i) for i in range(1, len(heads) // 2 + 1) for letter in "GP"]
        if [(head[1], int(head[2])) for head in heads] != wanted:
            notes.repairs.append("the lines are not G1, P1, G2, P2 … in order")
        candidates = self._candidates(bodies, screen, notes)
        if not candidates:
            notes.fail("there is no line that begins with G1:")
            return notes.parsed(Reply())
        notes.problem = ""
        best = max(candidates, key=lambda c: c.probability)
        return notes.parsed(Reply(best.action, think=best.thought, candidates=tuple(candidates)))

    def _candidates(self, bodies: dict[tuple[str, int], str], screen: Screen, notes: Notes) -> list[Candidate]:
        candidates = []
        for (letter, number), body in bodies.items():
            if letter != "G":
                continue
            try:
                thought, action = self._proposal(body, screen, notes.repairs)
            except ValueError as error:
                notes.fail(f"G{number}: {error}")
                notes.repairs.append(f"dropped G{number}: {error}")
                continue
            probability = _probability(bodies.get(("P", number)), number, notes.repairs)
            candidates.append(Candidate(action, thought, probability))
        return candidates

    def _proposal(self, body: str, screen: Screen, repairs: list[str]) -> tuple[str, Action]:
        thought, lead, rest = body.rpartition(LEAD)
        if not lead:
            at = body.find("{")
            if at < 0:
                raise ValueError("it names no action")
            thought, rest = body[:at], body[at:]
            repairs.append(f"did without {LEAD!r}")
        call = loads(rest, repairs)
        if not isinstance(call, dict):
            raise ValueError("its action is not an object")
        return _unguard(thought.strip()), self._decode(call, screen, repairs)

    def _decode(self, call: Mapping[str, Any], screen: Screen, repairs: list[str]) -> Action:
        if "id" in call:
            call = {**call, "id": list(self._target(call["id"], screen, repairs).center)}
        return VERBS.decode(call, screen.size, PIXEL, self.swipe, self.space, repairs)

    def _target(self, id: Any, screen: Screen, repairs: list[str]) -> Element:
        if isinstance(id, str) and re.fullmatch(r"\d{1,9}", id.strip()):
            repairs.append("read an id from a string")
            id = int(id)
        if type(id) is not int:
            raise ValueError(f"{str(id)[:20]!r} is not the number of an element")
        if (element := screen.element(id)) is None:
            raise ValueError(f"there is no element {id} on the screen")
        return element

    def _mark(self, action: Action, screen: Screen) -> int | None:
        """The number of the element that is meant; a swipe that begins on none begins anywhere."""
        place = action.point or action.start
        element = screen.element_at(place) if place is not None else None
        if element is None and action.type != "swipe":
            raise ValueError(f"no element stands at {list(place or ())}")
        return element.id if element else None

    def render(self, reply: Reply, screen: Screen) -> str:
        candidates = reply.candidates
        if not candidates:
            if reply.action is None:
                raise ValueError("there is no action to write")
            candidates = (Candidate(reply.action, reply.think, 1.0),)
        lines = []
        for at, candidate in enumerate(candidates, 1):
            call = VERBS.encode(candidate.action, screen.size, PIXEL, self.swipe)
            if "id" in call:
                call["id"] = self._mark(candidate.action, screen)
            if call.get("id", 0) is None:
                del call["id"]
            if not 0 <= candidate.probability <= 1:
                raise ValueError(f"{candidate.probability} is not a probability")
            action = dumps(call).replace(LEAD, LEAD.replace(":", r"\u003a"))
            lines.append(f"G{at}: {_guard(candidate.thought.strip())} {LEAD}{action}")
            lines.append(f"P{at}: {Decimal(str(candidate.probability)):f}")
        return "\n".join(lines)


def _probability(body: str | None, number: int, repairs: list[str]) -> float:
    if body is not None:
        if exact := _PROBABILITY.match(body):
            if (value := float(exact[1])) <= 1:
                return value
        elif loose := _LOOSE_PROBABILITY.search(body[:200]):
            value = float(f"{loose[1]}e{loose[2] or 0}")
            value /= 100 if loose[3] or value > 1 else 1
            if value <= 1:
                repairs.append(f"read P{number} from {body[:20]!r}")
                return value
    repairs.append(f"P{number} is no probability: took 0")
    return 0.0


def _guard(thought: str) -> str:
    """A thought must not begin a line with what looks like the next candidate: such a line gets a backslash."""
    return _HEAD_LIKE.sub(r"\1\\", thought)


def _unguard(thought: str) -> str:
    return _GUARDED.sub(r"\1", thought) if "\\" in thought else thought
