"""The oracle: the planner's moves as actions on the screen, with boxes, a thought and the elements that matter.

It sees the phone's state; the agent never does. It answers for any state, also for one that a wrong action led to, or
says that the task is lost.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from saccade.actions import SWIPE_SLOP, Action
from saccade.geometry import Box, Point
from saccade.types import Element
from saccade.worlds.browser.world import Device
from saccade_phone.goal_changes import Need
from saccade_phone.narration import Narrator
from saccade_phone.path_search import FirstLook, Move, arrived
from saccade_phone.planner import Plan
from saccade_phone.session import Session

KEYS = {"back": "nav:back", "home": "nav:home", "recent": "nav:recents"}
MOST_KEY_ELEMENTS = 5
SLOP = 16
"""How far a finger moves before the page follows it, in the page's own pixels."""
EDGE = 60
REACH = 384
"""What a swipe brings into view, in the page's own pixels."""


class ShownPhone(Protocol):
    """A phone on a screen, as the oracle needs it; `PhoneWorld` is one."""

    device: Device

    @property
    def session(self) -> Session: ...

    def ground(self, ids: list[str], text: str = "") -> dict[str, Any]:
        """Where widgets are on the screen, which one has the focus, and where a text stands."""
        ...


@dataclass
class Advice:
    """What to do now: any of `actions` is right. `lost` says why none is any more."""

    actions: list[Action] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    """Why, for each action."""
    phrases: list[str] = field(default_factory=list)
    """What each action will have done, for the summary of later steps."""
    key_elements: list[Element] = field(default_factory=list)
    lost: str = ""
    done: bool = False


class Oracle:
    """Advises on the phone that a world shows."""

    def __init__(self, world: ShownPhone, by_sight: bool = False) -> None:
        """`by_sight`: advise what makes sense to one who knows what was told and sees what is shown, and nothing else.
        An agent that learns from one who knows where things lie learns to guess.
        """
        self.world, self.by_sight = world, by_sight

    def advise(self, elements: Sequence[Element] = (), noted: Iterable[str] = ()) -> Advice:
        """All actions that make progress. With the screen's elements, also which of them matter, most first. `noted`:
        what was read on the way.
        """
        world = self.world
        focus = str(world.ground([])["focus"])
        plan = world.session.plan(focus, self.sight(noted))
        if plan.lost:
            return Advice(lost=plan.lost)
        narrator = Narrator(world.session.machine)
        if (unread := self.unread(plan)) is not None:
            return Advice([unread], [narrator.unread()], [narrator.scrolled()])
        related = self.related(narrator, plan)
        ids = [move.id for move in plan.moves if move.kind in ("tap", "hold")] + related
        places = world.ground([*ids, *KEYS.values()])["places"]
        advice = Advice(done=plan.done)
        for move in self.reachable(plan.moves, places):
            try:
                found = self.actions(move, places)
            except LookupError as error:
                advice.lost = advice.lost or str(error)
                continue
            for action, hidden in found:
                advice.actions.append(action)
                advice.thoughts.append(narrator.thought(plan, move, hidden))
                advice.phrases.append(narrator.phrase(move, hidden))
        if advice.actions:
            advice.lost = ""
        boxes = [action.box for action in advice.actions if action.box is not None]
        boxes += [self.box(places[id]["box"]) for id in related if places.get(id) and places[id]["seen"]]
        held = {action.box for action in advice.actions if action.type == "long_press"}
        advice.key_elements = self.key_elements(elements, boxes, narrator, places, held)
        return advice

    def told(self, noted: Iterable[str]) -> FirstLook | None:
        """What is known without a look at the glass: the task, and what was read on the way. None: everything is."""
        return FirstLook("\n".join([self.world.session.goal.instruction, *noted])) if self.by_sight else None

    def sight(self, noted: Iterable[str]) -> FirstLook | None:
        """What was told, and how far away on this page everything is. None: everything is known."""
        if (told := self.told(noted)) is None:
            return None
        touched = [each.id for each in self.world.session.machine.shown().walk() if each.tap or each.hold]
        places = self.world.ground(touched)["places"]
        away = {id: abs(place["scroll"]["away"]) for id, place in places.items() if place and "scroll" in place}
        return replace(told, swipes={id: math.ceil(far / REACH) for id, far in away.items()})

    def unread(self, plan: Plan) -> Action | None:
        """What was to be looked up stands on this screen, but not in view, and the plan would go on: scroll first."""
        machine = self.world.session.machine
        for look in self.world.session.goal.sees:
            here = machine.front == look.app and arrived(machine.top, look)
            if look.widget and here and not (plan.aim and arrived(machine.top, plan.aim)):
                place = self.world.ground([], look.widget)["text"]
                if place and not place["seen"] and "scroll" in place:
                    return self.swipe(place["scroll"]["frame"], place["scroll"]["away"])
        return None

    def reachable(self, moves: list[Move], places: dict[str, Any]) -> list[Move]:
        """What can be done at once; what must be scrolled to only if there is nothing else."""
        touches = [move for move in moves if move.kind in ("tap", "hold")]
        seen = [move for move in touches if (places.get(move.id) or {}).get("seen")]
        others = [move for move in moves if move.kind not in ("tap", "hold")]
        return seen + others or touches

    def related(self, narrator: Narrator, plan: Plan) -> list[str]:
        """Other widgets that matter here: those of the form that is to be filled in, and what ends it."""
        if not isinstance(plan.aim, Need):
            return []
        found = []
        for widget in narrator.page.walk():
            op = widget.tap
            named = widget.id in plan.aim.values or (op is not None and op.args.get("field") in plan.aim.values)
            if named or (op is not None and op == plan.aim.commit):
                found.append(widget.id)
        return found

    # -- from moves to actions ------------------------------------------------------------------------------------

    def actions(self, move: Move, places: dict[str, Any]) -> list[tuple[Action, bool]]:
        """A move as actions, and whether it must be scrolled to first."""
        if move.kind in ("tap", "hold"):
            return [self.touch(move, places.get(move.id))]
        if move.kind == "type":
            return [(Action("type", text=move.text), False)]
        if move.kind == "enter":
            return [(Action("press", key="enter"), False)]
        if move.kind == "press":
            button = self.box(places[KEYS[move.id]]["box"])
            return [(Action("press", key=move.id), False), (Action("click", button.center, button), False)]
        if move.kind == "swipe":
            return [(Action("swipe", direction="left" if move.id == "left" else "right"), False)]
        if move.kind == "pull":
            return [(Action("swipe", direction="down"), False)]
        if move.kind == "open_app":
            return [(Action("open_app", text=move.text), False)]
        if move.kind == "answer":
            return [(Action("answer", text=move.text), False)]
        return [(Action("terminate", status="failure" if move.id == "failure" else "success"), False)]

    def touch(self, move: Move, place: dict[str, Any] | None) -> tuple[Action, bool]:
        if place is None:
            raise LookupError(f"{move.id!r} is not drawn")
        if place["seen"]:
            box = self.box(place["box"])
            return Action("click" if move.kind == "tap" else "long_press", box.center, box), False
        if "scroll" in place:
            return self.swipe(place["scroll"]["frame"], place["scroll"]["away"]), True
        close = self.world.ground(["banner:close"])["places"]["banner:close"]
        if close is None:
            raise LookupError(f"{move.id!r} cannot be reached")
        box = self.box(close["box"])  # a notification lies over it
        return Action("click", box.center, box), False

    def swipe(self, frame: list[float], away: float) -> Action:
        """Bring what lies beyond the frame's edge into it: the finger begins inside, and may end outside. It goes far
        enough not to be a click.
        """
        box, size = self.box(frame), self.world.device.pixels
        length = min((abs(away) + SLOP) * self.world.device.scale, 0.5 * size.height)
        length = max(length, 1.2 * SWIPE_SLOP * min(size))
        x, up = round(box.center.x), away > 0
        begin = box.y1 - 0.2 * box.height if up else box.y0 + 0.2 * box.height
        end = min(max(begin - length if up else begin + length, EDGE), size.height - EDGE)
        return Action("swipe", direction="up" if up else "down", start=Point(x, round(begin)), end=Point(x, round(end)))

    def box(self, css: list[float]) -> Box:
        scale, size = self.world.device.scale, self.world.device.pixels
        x0, y0, x1, y1 = (round(side * scale) for side in css)
        return Box(max(0, x0), max(0, y0), min(size.width, x1), min(size.height, y1))

    # -- the elements that matter ---------------------------------------------------------------------------------

    def key_elements(
        self,
        elements: Sequence[Element],
        boxes: list[Box],
        narrator: Narrator,
        places: dict[str, Any],
        held: set[Box | None],
    ) -> list[Element]:
        """The elements behind the boxes, in their order, with what they do as caption."""
        captions = {tuple(self.box(place["box"])): id for id, place in places.items() if place and place["seen"]}
        found: dict[int, Element] = {}
        for box in boxes:
            element = max(elements, key=lambda each: each.box.iou(box), default=None)
            if element is None or element.box.iou(box) < 0.5 or element.id in found:
                continue
            widget = narrator.widgets.get(captions.get(tuple(box), ""))
            caption = narrator.caption(widget, box in held) if widget else element.caption
            found[element.id] = Element(
                element.id,
                element.box,
                element.type,
                element.text,
                caption,
                element.interactive,
                element.leaf,
                element.state,
            )
            if len(found) == MOST_KEY_ELEMENTS:
                break
        return list(found.values())
