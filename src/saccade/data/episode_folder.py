"""Many episodes on disk, so that nothing is lost and nothing is there twice: `saccade data collect` and `data walk`.

    OUT/run.json             what was asked for; a folder takes no other request
    OUT/episodes/NAME.jsonl  one file an episode, put in place whole when the episode is over
    OUT/screens/NAME/NN.png  its screenshots, there before the file is
    OUT/steps.jsonl          all records in order, written when the last episode is done

A process that is killed leaves at most an episode without its file, which is played again.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

from saccade.agents.hidden_settings import hidden
from saccade.engines import publish
from saccade.errors import InputError
from saccade.records import as_line, write_whole
from saccade.typed_values import to_type
from saccade.types import Step
from saccade.untrusted import decode_json, read_bytes

RequestType = TypeVar("RequestType", bound=msgspec.Struct)


def make_folders(out: Path) -> None:
    try:
        (out / "episodes").mkdir(parents=True, exist_ok=True)
        (out / "screens").mkdir(exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot write to {out}: {error.strerror}") from None


def prepare(request: RequestType, out: Path, count: str) -> None:
    """Write down what the folder is for, less its secrets; a half-written file of an earlier try goes. `count` is the
    field of the request that may differ from an earlier one: how much is wanted.
    """
    kind = type(request)
    request = to_type(hidden(msgspec.to_builtins(request)), kind)
    asked = out / "run.json"
    if asked.exists():
        try:
            before = decode_json(read_bytes(asked), kind)
        except (OSError, msgspec.MsgspecError) as error:
            raise InputError(f"{asked} is not what this command leaves ({error}): choose another --out") from None
        if msgspec.structs.replace(before, **{count: getattr(request, count)}) != request:
            options = msgspec.json.encode(before).decode()
            raise InputError(
                f"{out} holds a collection made with other options ({options}): use the same, or another --out"
            )
    elif any((out / "episodes").iterdir()):
        raise InputError(f"{out} has episodes but no run.json: choose another --out")
    write_whole(asked, msgspec.json.format(msgspec.json.encode(request), indent=2))
    for stray in (out / "episodes").glob("*.part"):
        stray.unlink()


def finished(names: Sequence[str], out: Path) -> set[int]:
    """Which of these episodes are there, whole: their places among `names`."""
    places = {name: index for index, name in enumerate(names)}
    return {places[file.stem] for file in (out / "episodes").glob("*.jsonl") if file.stem in places}


def gather(names: Sequence[str], out: Path) -> None:
    """Write the records of these episodes to one file, in order."""
    files = [out / "episodes" / f"{name}.jsonl" for name in names]
    write_whole(out / "steps.jsonl", b"".join(read_bytes(file) for file in files))


def name_images(name: str, steps: Sequence[Step], shots: Sequence[bytes | None]) -> None:
    """Set the steps' images to the names that they will have when the episode is published."""
    for at, (step, image) in enumerate(zip(steps, shots, strict=True)):
        if image is not None:
            step.image = f"screens/{name}/{at:02}.png"


def write_episode(folder: Path, name: str, steps: Sequence[Step], shots: Sequence[bytes | None]) -> None:
    """Write an episode into the folder of a try; `shots` are the screenshots of its steps."""
    name_images(name, steps, shots)
    (folder / "screens").mkdir(parents=True)
    for step, image in zip(steps, shots, strict=True):
        if image is not None:
            (folder / "screens" / Path(step.image).name).write_bytes(image)
    write_whole(folder / "episode.jsonl", b"".join(map(as_line, steps)))


def publish_episode(folder: Path, out: Path, name: str) -> None:
    """Put an episode in its place: pictures first, then the records that point to them."""
    if any((folder / "screens").iterdir()):
        publish(folder / "screens", out / "screens" / name)
    publish(folder / "episode.jsonl", out / "episodes" / f"{name}.jsonl")
