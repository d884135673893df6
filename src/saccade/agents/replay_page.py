"""Writes a run as one self-contained HTML page that opens from disk without a network.

The page must open fast however long the run is. So the file contains, in this order, the styles, the data of the step
list, the script, and then the details and screenshot of each step, which the script reads only when that step is shown.
Texts of models and web pages are untrusted: they are stored as JSON in which `<` is escaped, and inserted as text. The
page's Content-Security-Policy forbids all requests and all scripts but its own.
"""

from __future__ import annotations

import base64
import hashlib
import html
import io
import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from string import Template
from typing import Any, NamedTuple

import msgspec
from PIL import Image, features

from saccade.actions import Action
from saccade.agents.log import UNFINISHED
from saccade.agents.records import Attempt, LoggedStep, Run
from saccade.agents.settings import read_settings
from saccade.errors import InputError, readable
from saccade.models.base import Usage
from saccade.records import write_whole
from saccade.scoring.judge import Prediction, judge_steps
from saccade.scoring.profiles import Profile, get_profile
from saccade.types import Element
from saccade.untrusted import JsonDecoder, decode_json, read_bytes, read_picture, read_text

NAME = "replay.html"
PAGE = Path(__file__).with_name("page")
STYLES = ("replay.css", "columns.css", "step_details.css", "overlay.css", "navigation.css")
SCRIPTS = ("dom.js", "translations.js", "screenshot.js", "step_list.js", "step_details.js", "replay.js")
PIXELS = 540 * 1200
"""Most pixels of an embedded picture: a phone's screen at half its size, about 20 kB."""
WIDE_PIXELS = 1280 * 800
"""The same for a desktop's screen, whose letters are small already: about 50 kB."""
QUALITY = 82
PROFILE = "cmgui"
"""Decides which steps were wrong, where the run names no profile: it accepts any of several right actions."""
NO_TARGET = frozenset({"swipe", "press", "open_app", "open_url", "wait", "answer", "terminate"})


class Recording(NamedTuple):
    """What could be read from the folder of a run."""

    run: Run | None
    steps: list[LoggedStep]
    trouble: list[str]
    """What could not be read, and why."""
    unfinished: bool = False
    """Is the last of the steps one that was not done?"""


def leave_replay(folder: Path, tell: Callable[[str], object]) -> Path | None:
    """The page of a run that has ended, or ends now. That there is no room for a page is told, and changes nothing
    about the run: the page can be made from its log at any time.
    """
    if not (folder / "steps.jsonl").exists():
        return None
    try:
        return write_replay(folder)
    except (OSError, InputError) as error:
        reason = (isinstance(error, OSError) and error.strerror) or error
        tell(f"the replay page could not be written ({reason}); once it can be, this writes it: saccade view {folder}")
        return None


def write_replay(folder: Path) -> Path:
    """Write `replay.html` into the folder of a run, finished or not; returns its path."""
    recording = read_recording(folder)
    page = folder / NAME
    try:
        write_whole(page, build_page(recording, folder).encode("utf-8"))
    except OSError as error:
        raise InputError(f"cannot write {page}: {error.strerror}") from None
    return page


# -- reading -----------------------------------------------------------------------------------------------------------


def read_recording(folder: Path) -> Recording:
    """Read a run and its steps. A half-written last line is ignored, and `run.json` may be missing."""
    log, about = folder / "steps.jsonl", folder / "run.json"
    if not log.is_file() and not about.is_file():
        found = "there is no such folder" if not folder.is_dir() else "it has neither steps.jsonl nor run.json"
        raise InputError(f"{folder} is not the folder of a run: {found}")
    trouble: list[str] = []
    try:
        run = _read_run(about, trouble) if about.is_file() else None
        steps = _read_steps(log, trouble) if log.is_file() else []
        unfinished = _read_unfinished(folder / UNFINISHED, steps)
    except OSError as error:
        raise InputError(f"cannot read {error.filename}: {error.strerror}") from None
    return Recording(run, [*steps, *unfinished], trouble, bool(unfinished))


def _read_run(file: Path, trouble: list[str]) -> Run | None:
    try:
        return decode_json(read_bytes(file), Run)
    except msgspec.MsgspecError as error:
        trouble.append(f"run.json: {readable(error)}")
        return None


def _read_unfinished(file: Path, steps: Sequence[LoggedStep]) -> list[LoggedStep]:
    """The step that was in progress when the run ended, unless it was done after all."""
    try:
        step = decode_json(read_bytes(file), LoggedStep) if file.is_file() else None
    except msgspec.MsgspecError:  # it only adds to what is known
        step = None
    done = {(each.attempt, each.step) for each in steps}
    return [step] if step is not None and (step.attempt, step.step) not in done else []


def _read_steps(file: Path, trouble: list[str]) -> list[LoggedStep]:
    decoder = JsonDecoder(LoggedStep)
    steps: list[LoggedStep] = []
    lines = read_bytes(file).split(b"\n")
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            steps.append(decoder.decode(line))
        except msgspec.MsgspecError as error:
            if number < len(lines):  # a last line without a line end was cut off by a kill
                trouble.append(f"steps.jsonl, line {number}: {readable(error)}")
    return steps


# -- the page ----------------------------------------------------------------------------------------------------------


def build_page(recording: Recording, folder: Path) -> str:
    """The whole text of the page."""
    style = "\n".join(read_text(PAGE / name) for name in STYLES)
    code = "\n".join(read_text(PAGE / name) for name in SCRIPTS)
    script = f'(() => {{\n"use strict";\n{code}\n}})();'
    screenshots = EmbeddedScreenshots(recording.steps, folder)
    profile = _profile(recording)
    overview = _overview(recording) | {
        "unfinished": recording.unfinished,
        "profile": profile.name,
        "format": screenshots.format,
        "steps": [_row(at, step, profile, screenshots) for at, step in enumerate(recording.steps)],
    }
    parts = [_part(f"step-{at}", _json(_detail(step, screenshots))) for at, step in enumerate(recording.steps)]
    pictures = [_part(f"picture-{at}", text, "text/plain") for at, text in enumerate(screenshots.pictures)]
    policy = (
        "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; "
        f"script-src '{_digest(script)}'; style-src '{_digest(style)}'"
    )
    return Template(read_text(PAGE / "replay.html")).substitute(
        policy=policy,
        title=html.escape(_title(overview["instruction"])),
        style=style,
        run=_json(overview),
        script=script,
        steps="\n".join([*_interleaved(recording.steps, parts, pictures, screenshots)]),
    )


def _profile(recording: Recording) -> Profile:
    """The run's own rule, if it is known: a plug-in's may not be there now."""
    try:
        return get_profile((recording.run.profile if recording.run else "") or PROFILE)
    except InputError as error:
        recording.trouble.append(f"{error}; steps are marked by {PROFILE}")
        return get_profile(PROFILE)


def _interleaved(
    steps: Sequence[LoggedStep], parts: list[str], pictures: list[str], screenshots: EmbeddedScreenshots
) -> Iterable[str]:
    """Each step's details, then its picture unless an earlier step has the same one."""
    shown: set[int] = set()
    for step, part in zip(steps, parts, strict=True):
        yield part
        at = screenshots.number(step)
        if at is not None and at not in shown:
            shown.add(at)
            yield pictures[at]


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")


def _json(value: Any) -> str:
    """JSON for a script element: `<` is escaped, so that no text can end the element or begin a comment."""
    return msgspec.json.encode(value).decode("utf-8").replace("<", "\\u003c")


def _part(id: str, text: str, type: str = "application/json") -> str:
    return f'<script type="{type}" id="{id}">{text}</script>'


def _title(instruction: str) -> str:
    words = " ".join(instruction.split())
    return f"{words[:80]} · Saccade" if words else "Saccade"


# -- data of the run ---------------------------------------------------------------------------------------------------


def _overview(recording: Recording) -> dict[str, Any]:
    """The data of the page's header. Without a `run.json` most of it comes from the steps."""
    run, steps = recording.run, recording.steps
    settings = _settings(run)
    usage = run.usage if run else Usage()
    if usage == Usage():
        usage = sum((step.usage for step in steps), Usage())
    first = steps[0] if steps else None
    language = settings.get("language")
    return {
        "id": run.id if run else "",
        "instruction": (run.instruction if run else "") or (first.instruction if first else ""),
        "world": settings.get("world", ""),
        "paradigm": (first.paradigm if first else "") or settings.get("paradigm", ""),
        "model": settings.get("model", ""),
        "language": language if language in ("en", "zh") else "",
        "started": run.started if run else "",
        "resumed": run.resumed if run else 0,
        "seconds": (run.seconds if run else 0.0) or sum(step.seconds.total for step in steps),
        "usage": usage,
        "settings": run.settings if run else {},
        "versions": run.versions if run else {},
        "outcome": run.outcome if run else None,
        "judged_by_world": settings.get("judge") == "world" and settings.get("retries", 0) > 0,
        "weighting": run.weighting if run else "",
        "attempts": _attempts(run.attempts if run else [], steps),
        "trouble": recording.trouble,
    }


def _attempts(recorded: Sequence[Attempt], steps: Sequence[LoggedStep]) -> list[Attempt]:
    """The recorded attempts, with empty ones added for attempts that appear only in the steps."""
    count = max([len(recorded), 1, *(step.attempt + 1 for step in steps)])
    return [*recorded, *(Attempt() for _ in range(count - len(recorded)))]


def _settings(run: Run | None) -> dict[str, Any]:
    """The settings with defaults filled in; settings of another version unchanged."""
    if run is None:
        return {}
    try:
        return msgspec.structs.asdict(read_settings(run.settings))
    except InputError:
        return run.settings


# -- data of a step ----------------------------------------------------------------------------------------------------


def _row(index: int, step: LoggedStep, profile: Profile, screenshots: EmbeddedScreenshots) -> dict[str, Any]:
    """The data of one entry of the step list."""
    right = _right(step, profile)
    return {
        "index": index,
        "attempt": step.attempt,
        "action": step.prediction,
        "target": _target(step, step.prediction),
        "screen": step.screen,
        "picture": screenshots.number(step),
        "right": right,
        "marks": _marks(step, right),
        "seconds": step.seconds,
    }


def _right(step: LoggedStep, profile: Profile) -> bool | None:
    judged = judge_steps([step], [Prediction(step.prediction)], profile)
    return judged[0].right if judged else None


def _marks(step: LoggedStep, right: bool | None) -> list[str]:
    """Labels for what went wrong in a step, the worst first, and for what a person did."""
    unreadable = step.prediction is None and bool(step.problem)
    found = {
        "error": bool(step.error),
        "refused": step.approval is not None and not step.approval.allowed,
        "unreadable": unreadable,
        "wrong": right is False and not unreadable,
        "repaired": bool(step.repairs),
        "asked": bool(step.asked),
        "edited": step.edited_from is not None,
        "person": step.by == "person" and step.edited_from is None,
    }
    return [name for name, there in found.items() if there]


def _detail(step: LoggedStep, screenshots: EmbeddedScreenshots) -> dict[str, Any]:
    """The logged step and the elements that its actions hit, without the fields that the step list has."""
    detail: dict[str, Any] = msgspec.to_builtins(step)
    for name in "id episode step instruction screen image prediction paradigm seconds tags".split():
        detail.pop(name, None)
    if step.outputs:
        detail.pop("output", None)
    detail["hit"] = _hit(step, step.prediction)
    detail["lost"] = screenshots.problem(step)
    for fields, element in zip(detail.get("named", []), step.named, strict=True):
        fields["seen"] = _seen(step, element)
    for fields, action in zip(detail.get("truth", []), step.truth, strict=True):
        fields["target"] = _target(step, action)
    if step.edited_from is not None:
        detail["edited_from"]["target"] = _target(step, step.edited_from)
    for fields, candidate in zip(detail.get("candidates", []), step.candidates, strict=True):
        fields["target"] = _target(step, candidate.action)
    return detail


def _hit(step: LoggedStep, action: Action | None) -> Element | None:
    """The element that an action hits: the one at its point, or the focused one."""
    if action is None or action.type in NO_TARGET:
        return None
    place = action.point or action.start
    if place is not None:
        return step.view.element_at(place)
    return next((element for element in step.elements if "focused" in element.state.split()), None)


def _seen(step: LoggedStep, named: Element) -> str:
    """The screen's text at an element that the model named by its box only."""
    there = step.view.element_at(named.center)
    return there.text if there is not None and not named.text else ""


def _target(step: LoggedStep, action: Action | None) -> str:
    hit = _hit(step, action)
    return "" if hit is None else hit.text or hit.caption


# -- pictures ----------------------------------------------------------------------------------------------------------


class EmbeddedScreenshots:
    """The screenshots of a run, scaled down; equal ones are embedded once."""

    def __init__(self, steps: Sequence[LoggedStep], folder: Path) -> None:
        self.format = "webp" if features.check("webp") else "jpeg"
        paths = list(dict.fromkeys(step.image for step in steps if step.image))
        with ThreadPoolExecutor(max_workers=min(8, os.cpu_count() or 1)) as pool:  # Pillow releases the GIL
            small = list(pool.map(lambda path: shrink(folder / path, self.format), paths))
        self.pictures: list[str] = []
        self._numbers: dict[str, int] = {}
        self._problems: dict[str, str] = {}
        seen: dict[bytes, int] = {}
        for path, found in zip(paths, small, strict=True):
            if isinstance(found, str):
                self._problems[path] = f"{path}: {found}"
                continue
            if found not in seen:
                seen[found] = len(self.pictures)
                self.pictures.append(base64.b64encode(found).decode("ascii"))
            self._numbers[path] = seen[found]

    def number(self, step: LoggedStep) -> int | None:
        return self._numbers.get(step.image)

    def problem(self, step: LoggedStep) -> str:
        """Why the screenshot of a step could not be read."""
        return self._problems.get(step.image, "")


def shrink(path: Path, format: str = "webp") -> bytes | str:
    """The picture scaled down to at most `PIXELS` or, if it is wider than high, `WIDE_PIXELS`; or an error text."""
    try:
        picture = read_picture(path)
        if picture.mode in ("P", "1"):  # palette images cannot be scaled smoothly
            picture = picture.convert("RGB")
        most = WIDE_PIXELS if picture.width > picture.height else PIXELS
        share = (most / (picture.width * picture.height)) ** 0.5
        if share < 1:
            size = (max(1, round(picture.width * share)), max(1, round(picture.height * share)))
            picture.thumbnail(size, Image.Resampling.BICUBIC, reducing_gap=1.0)
        file = io.BytesIO()
        picture.convert("RGB").save(file, format.upper(), quality=QUALITY, method=2)
        return file.getvalue()
    except FileNotFoundError:
        return "there is no such file"
    except (OSError, ValueError):  # their messages may contain a full path
        return "it is not an image that can be read"
