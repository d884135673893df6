"""A folder that DroidBot wrote: the screens of a random walk, and what was done on them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple

import msgspec

from saccade.actions import DIRECTIONS, Action, direction_between, to_finger
from saccade.data.readers.base import Dataset, Sample, convert, image_size
from saccade.data.readers.tables import decoded
from saccade.geometry import Box, Number, Point, Size
from saccade.paradigms.wording import in_words
from saccade.screens.droidbot import State, droidbot_elements, scale_of
from saccade.typed_values import to_type
from saccade.types import Element, Picture, Screen, Step
from saccade.untrusted import read_bytes

PICTURES = (".png", ".jpg", ".jpeg")
REACH = 2 / 5
"""A scroll goes from this share of its view on one side of the centre to as much on the other."""
LARGEST = 1 << 26
_Bounds = tuple[tuple[Number, Number], tuple[Number, Number]]


class _View(msgspec.Struct):
    bounds: _Bounds
    kind: str | None = msgspec.field(default=None, name="class")


class _Event(msgspec.Struct):
    """What DroidBot sent. Places are numbers, or the view whose centre was meant."""

    event_type: str
    x: float | None = None
    y: float | None = None
    view: _View | None = None
    direction: str | None = None
    text: str | None = None
    name: str | None = None
    start_x: float | None = None
    start_y: float | None = None
    start_view: _View | None = None
    end_x: float | None = None
    end_y: float | None = None
    end_view: _View | None = None


class _Log(msgspec.Struct):
    event: _Event
    tag: str = ""
    start_state: str | None = None


class _Shot(NamedTuple):
    """A saved state with its screenshot."""

    value: dict[str, Any]
    image: Path
    size: Size
    elements: list[Element]
    scale: tuple[float, float]
    """Pixels of the image for each unit of `bounds`."""

    @property
    def picture(self) -> Picture:
        return Picture(str(self.image), self.size)

    def box(self, bounds: _Bounds) -> Box | None:
        """A view's place in the image; None if nothing of it is on the screen."""
        (x0, y0), (x1, y1), (across, down) = *bounds, self.scale
        box = Box(
            max(0, x0 * across), max(0, y0 * down), min(self.size.width, x1 * across), min(self.size.height, y1 * down)
        )
        return box if box.width > 0 and box.height > 0 else None

    def point(self, x: float, y: float) -> Point | None:
        point = Point(x * self.scale[0], y * self.scale[1])
        return point if Box(0, 0, *self.size).contains(point) else None


class DroidBotFolder(Dataset):
    """`states/state_*.json` with `screen_*`, and `events/event_*.json`; a folder of states alone is read as screens.

    `what=steps` (the usual): one step for each event, on the screen where it began, in the order of time. Touches, long
    touches, scrolls, swipes, typed texts and keys become the truth; of other events (intents, the end) the step has
    none. A view that lies outside the image cannot be touched there: such a step has no truth either, and is tagged
    `target: off-screen`. DroidBot's scroll DOWN drags upwards, so its word is the content's direction.
    `what=screens`: each saved state once, without truth.

    DroidBot saves a state once, when its policy first looks at it, and looks again before it acts: an event belongs to
    the state with its `start_state`, else to the one that was saved in the same second and shows the view that was
    touched. Events on screens that were never saved (the launcher, before the app is there) are left out; `unseen`
    names them. A walk has no instruction, and its actions are right for no task: they say what was done.

    The image decides about the size: `width` and `height` of a state may be swapped or missing.
    """

    name = "droidbot"
    title = "a DroidBot output folder"
    layout = "states/ with state_*.json and screen_*.png, and events/ with event_*.json"
    choices: ClassVar = {"what": ("steps", "screens")}

    def __init__(self, folder: Path, *, keep_going: bool = False, **options: str) -> None:
        super().__init__(folder, keep_going=keep_going, **options)
        self.unseen: list[str] = []
        """Event files without a screen, of the last reading."""

    @classmethod
    def recognises(cls, folder: Path) -> bool:
        return folder.is_dir() and next(_states(folder), None) is not None

    def samples(self) -> Iterator[Sample]:
        self.unseen = []
        states = sorted(_states(self.folder))
        events = sorted((self.folder / "events").glob("event_*.json"))
        if events and self.options["what"] == "steps":
            yield from self._steps(states, events)
        else:
            yield from self._screens(states)

    def _screens(self, states: list[Path]) -> Iterator[Sample]:
        self.progress.total, self.progress.done = len(states), 0
        for file in states:
            self.progress.done += 1
            try:
                shot = _shot(file)
                step = self._step(shot, file.stem.removeprefix("state_"))
            except ValueError as error:
                self.bad(str(file), str(error))
                continue
            yield Sample(step, shot.picture, str(file))

    def _steps(self, states: list[Path], events: list[Path]) -> Iterator[Sample]:
        self.progress.total, self.progress.done = len(states) + len(events), 0
        by_state, by_tag = self._index(states)
        look = lru_cache(maxsize=32)(_start)
        history: list[str] = []
        at = 0
        for file in events:
            self.progress.done += 1
            try:
                log: _Log = convert(_object(file), _Log)
                tag = log.tag or file.stem.removeprefix("event_")
                start = by_state.get(log.start_state or "")
                if start is None and tag in by_tag and _shows(look(by_tag[tag]), log.event.view):
                    start = by_tag[tag]
                if start is None:
                    self.unseen.append(str(file))
                    continue
                shot = look(start)
                step = self._step(shot, "")
                action, note = _action(log.event, shot)
            except ValueError as error:
                self.bad(str(file), str(error))
                continue
            step.episode, step.step, step.history = self.folder.resolve().name, at, list(history)
            step.id = f"{step.episode}-{file.stem.removeprefix('event_')}"
            step.truth = [action] if action else []
            step.tags |= {"event": log.event.event_type} | ({"target": note} if note else {})
            if action is not None:
                history.append(in_words(action, Screen(shot.size, None, step.elements)))
            at += 1
            yield Sample(step, shot.picture, str(file))

    def _index(self, states: list[Path]) -> tuple[dict[str, Path], dict[str, Path]]:
        """Files by state and by time."""
        by_state: dict[str, Path] = {}
        by_tag: dict[str, Path] = {}
        for file in states:
            self.progress.done += 1
            try:
                name = _object(file).get("state_str")
            except ValueError as error:
                self.bad(str(file), str(error))
                continue
            if isinstance(name, str):
                by_state.setdefault(name, file)
            by_tag[file.stem.removeprefix("state_")] = file
        return by_state, by_tag

    def _step(self, shot: _Shot, id: str) -> Step:
        activity = shot.value.get("foreground_activity")
        app = activity.partition("/")[0] if isinstance(activity, str) else ""
        return Step(
            id=id,
            screen=shot.size,
            image=shot.image.relative_to(self.folder).as_posix(),
            elements=list(shot.elements),
            tags={"platform": "mobile"} | ({"app": app} if app else {}),
        )


# -- files ------------------------------------------------------------------------------------------------------------


def _states(folder: Path) -> Iterator[Path]:
    inner = folder / "states"
    return (inner if inner.is_dir() else folder).glob("state_*.json")


def _object(file: Path) -> dict[str, Any]:
    try:
        if file.stat().st_size > LARGEST:
            raise ValueError(f"it has more than {LARGEST:,} bytes")
        data = read_bytes(file)
    except OSError as error:
        raise ValueError(f"it cannot be read: {error.strerror}") from None
    value, error_text = decoded(data)
    if error_text:
        raise ValueError(error_text)
    if not isinstance(value, dict):
        raise ValueError(f"expected an object, found {type(value).__name__}")
    return value


def _shot(file: Path) -> _Shot:
    value = _object(file)
    stem = file.stem.replace("state_", "screen_", 1)
    for suffix in PICTURES:
        image = file.with_name(stem + suffix)
        if image.is_file():
            size = image_size(image)
            elements = droidbot_elements(value, size)
            return _Shot(value, image, size, elements, scale_of(to_type(value, State), size))
    raise ValueError(f"image: there is no {stem}.png or .jpg beside it")


def _start(file: Path) -> _Shot:
    """The state where an event began."""
    try:
        return _shot(file)
    except ValueError as error:
        raise ValueError(f"start_state: {file}: {error}") from None


def _shows(shot: _Shot, view: _View | None) -> bool:
    """Has the state a view of this class in this place?"""
    if view is None:
        return False
    views = shot.value.get("views")
    wanted = [list(corner) for corner in view.bounds], view.kind
    return isinstance(views, list) and any(
        isinstance(one, Mapping) and (one.get("bounds"), one.get("class")) == wanted for one in views
    )


# -- events -----------------------------------------------------------------------------------------------------------


def _action(event: _Event, shot: _Shot) -> tuple[Action | None, str]:
    """The action of an event, or none and the reason."""
    match event.event_type:
        case "touch" | "long_touch":
            type: Literal["click", "long_press"] = "click" if event.event_type == "touch" else "long_press"
            point, box = _target(event, shot)
            return (Action(type, point=point, box=box), "") if point else (None, "off-screen")
        case "set_text":
            if event.text is None:
                raise ValueError("event.text: missing")
            point, box = _target(event, shot)
            return Action("type", text=event.text, point=point, box=box), "" if point else "off-screen"
        case "key":
            if not event.name:
                raise ValueError("event.name: missing")
            return Action("press", key=event.name.lower().removeprefix("keycode_")), ""
        case "scroll":
            return _scroll(event, shot), ""
        case "swipe":
            start = _spot(event.start_x, event.start_y, event.start_view, shot, "start")
            end = _spot(event.end_x, event.end_y, event.end_view, shot, "end")
            if start is None or end is None:
                return None, "off-screen"
            return Action("swipe", start=start, end=end, direction=direction_between(start, end)), ""
    return None, ""


def _target(event: _Event, shot: _Shot) -> tuple[Point | None, Box | None]:
    """Where a touch went: its own numbers outrank the view's centre, unless they are 0 (as in DroidBot)."""
    box = shot.box(event.view.bounds) if event.view else None
    point = _spot(event.x, event.y, event.view, shot, "")
    return point, box if point and box and box.contains(point) else None


def _spot(x: float | None, y: float | None, view: _View | None, shot: _Shot, which: str) -> Point | None:
    if x and y:
        return shot.point(x, y)
    if view is not None:
        (x0, y0), (x1, y1) = view.bounds
        return shot.point((x0 + x1) / 2, (y0 + y1) / 2)
    if x is None or y is None:
        name = f"{which}_" if which else ""
        raise ValueError(f"event.{name}view: missing, and there is no {name}x and {name}y")
    return shot.point(x, y)


def _scroll(event: _Event, shot: _Shot) -> Action:
    word = (event.direction or "down").lower()
    direction = next((each for each in DIRECTIONS if each == word), None)
    if direction is None:
        raise ValueError(f"event.direction: {word[:40]!r} is not one of {', '.join(DIRECTIONS)}")
    finger = to_finger(direction, "content")
    box = shot.box(event.view.bounds) if event.view else Box(0, 0, *shot.size)
    if box is None:
        return Action("swipe", direction=finger)
    dx = {"left": -1, "right": 1}.get(finger, 0) * box.width * REACH
    dy = {"up": -1, "down": 1}.get(finger, 0) * box.height * REACH
    center = (shot.point(event.x, event.y) if event.x and event.y else None) or box.center
    return Action(
        "swipe",
        direction=finger,
        start=Point(center.x - dx, center.y - dy),
        end=Point(center.x + dx, center.y + dy),
    )
