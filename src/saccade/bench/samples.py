"""Samples of a recording as runs: what was asked, shown and answered, in a folder that the replay page opens.

A figure says how many answers were wrong; only looking at some of them says why. Live tasks leave such a folder anyway.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from datetime import UTC, datetime
from hashlib import sha256
from itertools import count
from pathlib import Path

import msgspec
from msgspec.structs import replace

from saccade.agents.records import Attempt, LoggedStep, Outcome, Run
from saccade.agents.replay_page import write_replay
from saccade.bench.cases import Result
from saccade.bench.figures import judge_answers
from saccade.bench.results_store import read_bench
from saccade.bench.suites import get_suite
from saccade.errors import InputError
from saccade.records import write_steps, write_whole
from saccade.scoring.profiles import Profile, get_profile
from saccade.types import Picture

MOST_KEPT, MOST_KEPT_RIGHT = 20, 5
"""Most failed and most right cases of a recording for which screenshots and a replay page are kept."""
LONGEST_NAME = 72
SUFFIXES = {b"\x89PNG": "png", b"\xff\xd8\xff": "jpg", b"RIFF": "webp", b"GIF8": "gif", b"BM": "bmp"}
"""Pictures by their first bytes: they are kept as they are."""


class SampleKeeper:
    """Keeps the first wrong and the first right cases of a recording, with screenshots and a replay page."""

    def __init__(self, out: Path, profile: Profile) -> None:
        self.out, self.profile = out, profile
        self.wrong, self.right = count(), count()

    def keep(self, result: Result, pictures: Sequence[Picture | None]) -> None:
        if result.status != "done":
            return
        wrong = bool(wrong_steps(result, self.profile))
        if next(self.wrong) < MOST_KEPT if wrong else next(self.right) < MOST_KEPT_RIGHT:
            result.run = keep_sample(self.out, result, pictures).relative_to(self.out).as_posix()


def wrong_steps(result: Result, profile: Profile) -> list[int]:
    """Which steps of a case are not right under a rule; the first is 0. Steps that it cannot judge are not wrong."""
    judged = (judge_answers([step], profile) for step in result.steps)
    return [at for at, found in enumerate(judged) if any(not each.right for each in found)]


def sample_name(id: str) -> str:
    """A case's id as the name of a folder: data sets put slashes and spaces into theirs."""
    name = re.sub(r"[^\w.=+-]+", "_", id)[:LONGEST_NAME].strip("._")
    return name if name and name == id else f"{name or 'case'}-{sha256(id.encode()).hexdigest()[:8]}"


def keep_sample(folder: Path, result: Result, pictures: Sequence[Picture | None]) -> Path:
    """Write one answered case of a recording to `folder/runs/`, with its replay page; returns its folder.

    `pictures` are the screenshots of its steps, in their order, the same ones for each try; a step without one has
    none in the page either.
    """
    if not result.steps:
        raise InputError(f"{result.id} has no answered step that could be kept")
    pictures = [*pictures] * (1 + max(step.attempt for step in result.steps))
    if len(pictures) != len(result.steps):
        raise InputError(f"{result.id} has {len(result.steps)} steps and {len(pictures)} pictures")
    kept = folder / "runs" / sample_name(result.id)
    try:
        shutil.rmtree(kept, ignore_errors=True)
        (kept / "screens").mkdir(parents=True)
        steps = [
            _shown(kept, at, step, picture)
            for at, (step, picture) in enumerate(zip(result.steps, pictures, strict=True))
        ]
        write_steps(kept / "steps.jsonl", steps)
        run = run_of(folder, result)
        write_whole(kept / "run.json", msgspec.json.format(msgspec.json.encode(run), indent=2))
    except OSError as error:
        raise InputError(f"cannot keep the sample {result.id} in {kept}: {error.strerror}") from None
    write_replay(kept)
    return kept


def _shown(kept: Path, at: int, step: LoggedStep, picture: Picture | None) -> LoggedStep:
    """The step with its screenshot beside it. What it was called in the data set means nothing here; one that cannot be
    read is left out, for the answer is worth reading all the same.
    """
    try:
        data = picture.data() if picture is not None else b""
    except OSError:
        data = b""
    if not data:
        return replace(step, image="")
    suffix = next((name for start, name in SUFFIXES.items() if data.startswith(start)), "png")
    image = f"screens/{step.attempt}-{at:03}.{suffix}"
    (kept / image).write_bytes(data)
    return replace(step, image=image)


def run_of(folder: Path, result: Result) -> Run:
    """`run.json` of a sample: the settings of the measurement, and how it ended under the suite's own rule."""
    bench = read_bench(folder)
    profile = get_profile(get_suite(bench.suite).profile)
    wrong = set(wrong_steps(result, profile))

    def outcome(steps: Sequence[int]) -> Outcome:
        found = len(wrong & set(steps))
        said = f"{found} of {len(steps)} steps are not right by the rule {profile.name}"
        if not found:
            return Outcome("success", "agent", f"all is right by the rule {profile.name}", steps=len(steps))
        return Outcome("failure", "agent", said, steps=len(steps))

    tries: dict[int, list[int]] = {}
    for at, step in enumerate(result.steps):
        tries.setdefault(step.attempt, []).append(at)
    ends = [outcome(steps) for _, steps in sorted(tries.items())]
    return Run(
        result.id,
        bench.settings,
        bench.versions,
        datetime.now(UTC).isoformat(timespec="seconds"),
        result.steps[0].instruction,
        profile.name,
        result.weighting,
        [Attempt(end, judged=end.successful, verdict="" if end.successful else end.reason) for end in ends],
        result.usage,
        seconds=result.seconds,
        outcome=outcome(range(len(result.steps))),
    )
