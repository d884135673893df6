"""Label Studio's JSON: tasks with predictions and annotations, rectangles in per cent of the picture.

An item is a task; each opinion that stands is an annotation, what the records suggest is a prediction. A rectangle's
text is a `textarea` result with the rectangle's id; of a trajectory, `item_index` says which picture is meant
(`<Image valueList=…>`). A rejected item is a skipped one (`was_cancelled`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import parse_qs, urlsplit
from xml.sax.saxutils import quoteattr

import msgspec
from sqlalchemy.orm import Session

from saccade.actions import Action
from saccade.data.readers.base import image_size
from saccade.errors import InputError, readable
from saccade.geometry import Box, Size
from saccade.studio.database.review import ReviewItem
from saccade.studio.review.decision_files import StoredEvent, StoredItem
from saccade.studio.review.decisions import slots_of, standing
from saccade.studio.review.kinds import KINDS, Decision, ReviewKind
from saccade.studio.review.marks import Choice, Mark, Rectangle, Words
from saccade.studio.served_files import file_inside
from saccade.types import Step
from saccade.untrusted import decode_json

LOCAL_FILES = "/data/local-files/?d="
"""How Label Studio names files of the folder that it serves itself."""
REASON = "rejected"
SKIPPED = "skipped in Label Studio"
DIGITS = 6


class Result(msgspec.Struct):
    """One result of an annotation, as far as we read it."""

    type: str
    value: dict[str, Any]
    id: str = ""
    from_name: str = ""
    original_width: int = 0
    original_height: int = 0
    item_index: int = 0


class Annotation(msgspec.Struct):
    """What one person, or a model, said about a task."""

    result: list[Result] = msgspec.field(default_factory=list)
    id: int | str = 0
    completed_by: int | str | dict[str, Any] | None = None
    was_cancelled: bool = False
    created_at: str = ""


class Task(msgspec.Struct):
    """A task."""

    data: dict[str, Any]
    annotations: list[Annotation] = msgspec.field(default_factory=list)
    predictions: list[Annotation] = msgspec.field(default_factory=list)


# -- writing ----------------------------------------------------------------------------------------------------------


def task_of(session: Session, item: ReviewItem, records: Sequence[Step], prefix: str = LOCAL_FILES) -> dict[str, Any]:
    """An item as a task; `records` have the names of the pictures as they were written."""
    kind = KINDS.get(item.kind)
    images = [prefix + step.image for step in records]
    data = {"instruction": item.title, "image": images[0], "images": images, "saccade_item": item.key}
    said = [(slot.person, standing(session, item, slot, records)) for slot in slots_of(session, item.id)]
    proposed = kind.proposal(records)
    return {
        "data": data | {"saccade_kind": item.kind},
        "annotations": [annotation(kind, decision, records, who or "") for who, decision in said if decision],
        "predictions": []
        if proposed is None
        else [{"model_version": "record", "result": _proposed(proposed, kind, records)}],
    }


def _proposed(proposed: Decision, kind: type[ReviewKind], records: Sequence[Step]) -> list[dict[str, Any]]:
    """The rectangles that the records suggest; answers to questions are for people to give."""
    try:
        marks = kind.to_marks(proposed, records)
    except AssertionError:
        return []
    return results([mark for mark in marks if isinstance(mark, Rectangle)], records)


def annotation(kind: type[ReviewKind], decision: Decision, records: Sequence[Step], who: str) -> dict[str, Any]:
    """One opinion."""
    marks = [Words(0, REASON, decision.rejected)] if decision.rejected else kind.to_marks(decision, records)
    return {
        "completed_by": {"email": who},
        "was_cancelled": bool(decision.rejected),
        "result": results(marks, records),
    }


def results(marks: Sequence[Mark], records: Sequence[Step]) -> list[dict[str, Any]]:
    """Marks as Label Studio writes them."""
    found: list[dict[str, Any]] = []
    for at, mark in enumerate(marks):
        size = records[mark.page].screen
        base = {"id": f"mark{at}", "to_name": "image", "item_index": mark.page}
        if isinstance(mark, Rectangle):
            shape = percent(mark.box, size) | {"rotation": 0}
            place = base | {"original_width": size.width, "original_height": size.height, "image_rotation": 0}
            labels = place | {"from_name": "label", "type": "rectanglelabels"}
            found.append(labels | {"value": shape | {"rectanglelabels": [mark.label]}})
            if mark.text:
                words = place | {"from_name": "description", "type": "textarea"}
                found.append(words | {"value": shape | {"text": [mark.text]}})
        elif isinstance(mark, Choice):
            found.append(base | {"from_name": mark.name, "type": "choices", "value": {"choices": [mark.value]}})
        else:
            found.append(base | {"from_name": mark.name, "type": "textarea", "value": {"text": [mark.text]}})
    return found


def percent(box: Box, size: Size) -> dict[str, float]:
    """A box as shares of the picture.

    >>> percent(Box(10, 20, 60, 70), Size(200, 100))
    {'x': 5.0, 'y': 20.0, 'width': 25.0, 'height': 50.0}
    """
    values = (box.x0 / size.width, box.y0 / size.height, box.width / size.width, box.height / size.height)
    return dict(zip(("x", "y", "width", "height"), (round(100 * each, DIGITS) for each in values), strict=True))


def labelling_interface(kind: type[ReviewKind]) -> str:
    """The XML that Label Studio's project settings need for this kind."""
    asked = kind.interface
    lines = [
        "<View>",
        '  <Text name="instruction" value="$instruction"/>',
        '  <Image name="image" valueList="$images"/>',
    ]
    if asked.labels:
        lines.append('  <RectangleLabels name="label" toName="image">')
        lines += [f"    <Label value={quoteattr(label)}/>" for label in asked.labels]
        lines.append("  </RectangleLabels>")
    if asked.described:
        lines.append('  <TextArea name="description" toName="image" perRegion="true"/>')
    for name, options in asked.choices.items():
        lines.append(f'  <Choices name={quoteattr(name)} toName="image" perItem="true">')
        lines += [f"    <Choice value={quoteattr(option)}/>" for option in options]
        lines.append("  </Choices>")
    texts = [*asked.texts, REASON]
    lines += [f'  <TextArea name={quoteattr(name)} toName="image" perItem="true"/>' for name in texts]
    return "\n".join([*lines, "</View>"]) + "\n"


# -- reading ----------------------------------------------------------------------------------------------------------


def parse_tasks(data: bytes, where: str) -> list[Task]:
    """Label Studio's export: a JSON array of tasks."""
    try:
        return decode_json(data, list[Task])
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where}: this is not Label Studio's JSON: {readable(error)}") from None


def marks_of(found: Annotation, pages: Sequence[Size]) -> list[Mark]:
    """The marks of an annotation, rectangles in pixels of the record's screen."""
    texts = {each.id: _first(each, "text") for each in found.result if each.type == "textarea" and "x" in each.value}
    marks: list[Mark] = []
    for each in found.result:
        if not 0 <= each.item_index < len(pages):
            raise ValueError(f"item_index {each.item_index}: the item has {len(pages)} pictures")
        if each.type == "rectanglelabels":
            box = pixels(each.value, pages[each.item_index])
            marks.append(Rectangle(each.item_index, box, _first(each, "rectanglelabels"), texts.get(each.id, "")))
        elif each.type == "choices":
            marks.append(Choice(each.item_index, each.from_name, _first(each, "choices")))
        elif each.type == "textarea" and "x" not in each.value:
            marks.append(Words(each.item_index, each.from_name, _first(each, "text")))
    return marks


def _first(result: Result, name: str) -> str:
    values = result.value.get(name)
    value = values[0] if isinstance(values, list) and values else values
    if not isinstance(value, str):
        raise ValueError(f"{result.type}: `{name}` holds no text")
    return value


def pixels(value: Mapping[str, Any], size: Size) -> Box:
    """A box in pixels, from shares of the picture in per cent; a rotated one cannot be read."""
    if value.get("rotation"):
        raise ValueError("a rotated rectangle cannot be read: draw it upright")
    numbers = [value.get(name) for name in ("x", "y", "width", "height")]
    if not all(isinstance(each, int | float) and not isinstance(each, bool) for each in numbers):
        raise ValueError("a rectangle needs the numbers x, y, width and height")
    x, y, width, height = (float(each) / 100 for each in numbers)  # type: ignore[arg-type]
    corners = (x * size.width, y * size.height, (x + width) * size.width, (y + height) * size.height)
    limits = (size.width, size.height, size.width, size.height)
    return Box(*(_plain(min(max(each, 0), most)) for each, most in zip(corners, limits, strict=True)))


def _plain(value: float) -> int | float:
    rounded = round(value, 2)
    return int(rounded) if rounded == int(rounded) else rounded


def stored_items(
    tasks: Sequence[Task], known: Mapping[str, tuple[str, list[Step], int]], kind: str, folder: Path | None, where: str
) -> Iterator[StoredItem]:
    """Tasks as items with events. `known`: kind, records and opinions of the items that are in the database, by key.
    A task that is none of ours becomes an item of `kind`, its picture in `folder`.
    """
    for at, task in enumerate(tasks):
        place = f"{where}, task {at + 1}"
        key = task.data.get("saccade_item")
        try:
            if isinstance(key, str) and key in known:
                name, records, opinions = known[key]
            else:
                name, records = kind, [foreign_step(task, folder, at)]
                opinions = max(1, min(2, len(task.annotations)))
                key = sha256(f"{name}/{folder}/{msgspec.json.encode(records[0])!r}".encode()).hexdigest()
            events = [
                event_of(key, number, each, KINDS.get(name), records) for number, each in enumerate(task.annotations)
            ]
        except ValueError as error:
            raise InputError(f"{place}: {readable(error)}") from None
        yield StoredItem(key, name, opinions, records, events)


def event_of(key: str, number: int, found: Annotation, kind: type[ReviewKind], records: Sequence[Step]) -> StoredEvent:
    """An annotation as an event. Its uid comes from its content, so that the same file can be imported again."""
    marks = marks_of(found, [step.screen for step in records])
    if found.was_cancelled:
        reason = next((mark.text for mark in marks if isinstance(mark, Words) and mark.name == REASON), SKIPPED)
        decision = kind.decision(rejected=reason)
    else:
        decision = kind.from_marks(marks, records)
        kind.check(decision, records)
    data = msgspec.json.encode(decision)
    who = author_of(found)
    uid = sha256(f"{key}/{who}/{found.id}/".encode() + data).hexdigest()[:32]
    return StoredEvent(uid, number, who, _moment(found.created_at), "decide", decode_json(data))


def author_of(found: Annotation) -> str:
    """Who made an annotation: the e-mail or the number that Label Studio has."""
    who = found.completed_by
    if isinstance(who, dict):
        who = who.get("email") or who.get("username") or who.get("id")
    return str(who) if who not in (None, "") else "label studio"


def _moment(text: str) -> float:
    from datetime import datetime  # noqa: PLC0415

    try:
        return datetime.fromisoformat(text).timestamp()
    except ValueError:
        return 0.0


def foreign_step(task: Task, folder: Path | None, at: int) -> Step:
    """A record for a task that was made in Label Studio."""
    given = task.data.get("image") or next(iter(task.data.get("images") or []), None)
    if not isinstance(given, str):
        raise ValueError("data: it has no `image`")
    if folder is None:
        raise ValueError(f"data: {given[:100]!r} is new here: say where its picture lies with --pictures DIR")
    name = picture_name(given, folder)
    size = image_size(folder / name)
    text = next((task.data[key] for key in ("instruction", "text", "caption") if task.data.get(key)), "")
    boxes = [mark for each in task.predictions for mark in marks_of(each, [size]) if isinstance(mark, Rectangle)]
    truth = [Action("click", mark.box.center, mark.box) for mark in boxes[:1]]
    return Step(id=f"task-{at + 1}", instruction=str(text), screen=size, image=name, truth=truth)


def picture_name(given: str, folder: Path) -> str:
    """The picture of a task, by its path below the folder or its last part alone."""
    address = urlsplit(given)
    path = parse_qs(address.query).get("d", [address.path])[0].lstrip("/")
    for name in (path, PurePosixPath(path).name):
        try:
            return file_inside(folder, name).relative_to(folder.resolve()).as_posix()
        except InputError:
            continue
    raise ValueError(f"data: there is no picture {given[:100]!r} in {folder}")
