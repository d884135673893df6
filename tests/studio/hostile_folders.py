"""Folders as an attacker would make them: script in every text, ways out in every name, endless lines."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import struct
import zlib
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from command import saccade
from PIL import Image
from playwright.sync_api import Page
from recordings import TAP, say
from studio_server import WAIT, StudioProcess, StudioThread

from saccade.studio.database.engine import open_database
from saccade.studio.index.measurement_reader import id_of
from saccade.studio.review.kinds import KINDS
from saccade.studio.review.queue import add_items
from saccade.studio.review.sources import items_of

SCRIPT = """<script>window.ran=1</script><img src=x onerror="window.ran=1">"'><svg onload=window.ran=1>{{7*7}}"""
SECRET = "the-secret-of-another-folder"
NAME = "<img src=x onerror=window.ran=1>"
LONG = 100 * 2**20
OUTSIDE = ("../../secret.png", "link.png", "pipe.png", "..", "x\0.png", "folder.png", "/dev/zero")


def write_hostile(root: Path) -> Path:
    """A studio folder `root/given` with data sets, a training, a run; and secrets beside it. Returns the folder."""
    given = root / "given"
    write_secret(root)
    write_data(given / NAME, root)
    write_broken(given / "broken")
    write_links(given / "links", root)
    write_training(given / "training" / NAME, root)
    write_run(given / "run" / NAME, root)
    return given


class FullStudio(NamedTuple):
    """A studio whose folders hold something of each kind."""

    server: StudioProcess | StudioThread
    given: Path
    items: list[str]
    """The address of a review item of each kind."""

    @property
    def address(self) -> str:
        return self.server.address

    def first_pages(self) -> list[str]:
        pages = ["/", "/runs", "/measurements", "/review", "/datasets", "/training", "/act", *self.items]
        case = f"/measurements/{id_of(self.given / 'bench')}/cases/0"
        return [*pages, "/training/compare", case]

    def start_live(self, page: Page) -> list[str]:
        """Begin a recording and a run that waits, both on hostile screens; returns the addresses of their pages."""
        script = self.given / "script.jsonl"
        script.write_text(json.dumps(say("btl", TAP)) + "\n")
        found = []
        for recording in (True, False):
            page.goto(f"{self.address}/act")
            page.locator("[name=world]").fill(f"replay:{self.given / 'measured'}")
            page.locator("[name=model]").fill(f"scripted/{script}")
            page.locator("[name=kind][value=record]" if recording else "[name=paused]").check()
            page.locator("form#start button.primary").click()
            page.wait_for_url("**/live/*")
            page.locator(f'#phase[data-phase="{"person" if recording else "paused"}"]').wait_for(timeout=WAIT)
            found.append(urlsplit(page.url).path)
        return found


def review_items(database: Path) -> list[str]:
    """The address of an item of each kind."""
    with contextlib.closing(sqlite3.connect(database)) as base:
        found = base.execute("select min(id) from review_items group by kind").fetchall()
    return [f"/review/items/{number}" for (number,) in found]


def open_page(page: Page, address: str) -> None:
    """Open a page; a review item is claimed, so that its form is there."""
    page.goto(address, wait_until="load", timeout=WAIT)
    if "/live/" in address:
        page.locator("#phase[data-phase]").wait_for(timeout=WAIT)
    claim = page.locator("form[action$='/claim'] button, [data-claim]")
    if claim.count():
        claim.first.click()
        page.wait_for_load_state("load")


def write_secret(root: Path) -> None:
    Image.new("RGB", (8, 8), "red").save(root / "secret.png")
    (root / "secret.jsonl").write_text(json.dumps(record("secret", instruction=SECRET)) + "\n")
    (root / "log.jsonl").write_text(json.dumps({"step": 1, SECRET: 1.0}) + "\n")


def record(identity: str, **changes: Any) -> dict[str, Any]:
    """A step record with script in every text."""
    element = {"id": 1, "box": [1, 1, 50, 50], "type": SCRIPT, "text": SCRIPT, "caption": SCRIPT, "state": SCRIPT}
    texts = dict.fromkeys(("episode", "instruction", "step_instruction", "context", "output", "thought"), SCRIPT)
    step = {
        "id": f"{identity} {SCRIPT}",
        "screen": [100, 200],
        "history": [SCRIPT],
        "elements": [element],
        "key_elements": [element],
        "truth": [{"type": "type", "text": SCRIPT, "point": [5, 5], "box": [1, 1, 50, 50]}],
        "prediction": {"type": "click", "point": [-1e9, 1e9]},
        "tags": {SCRIPT: SCRIPT, "split": SCRIPT, "app": f"{identity} {SCRIPT}"},
    }
    return texts | step | changes


def write_data(folder: Path, root: Path) -> None:
    """Step records whose pictures lie outside, are links, pipes, broken, huge, or pages."""
    (folder / "folder.png").mkdir(parents=True)
    (folder / "own.png").write_bytes(_picture(100, 200))
    (folder / "bomb.png").write_bytes(huge_picture())
    (folder / "broken.png").write_bytes(_picture(100, 200)[:60])
    (folder / "page.png").write_text(f"<svg xmlns='http://www.w3.org/2000/svg'>{SCRIPT}</svg>")
    names = ("own.png", "bomb.png", "broken.png", "page.png", str(root / "secret.png"), *OUTSIDE)
    lines = [json.dumps(record(f"{at}", image=name)) for at, name in enumerate(names)]
    lines += ["[" * 100_000, "{" * 50, json.dumps(record("deep", tags={"app": "x" * 10**6})), '{"screen": [0, 0]}']
    lines += [json.dumps(record("large", screen=[1, 10**15])), json.dumps(record("half", instruction="\ud800 half"))]
    (folder / "steps.jsonl").write_text("\n".join(lines) + "\n")


def measure_and_queue(given: Path, database: str) -> None:
    """A measurement on hostile records, and review items of them: of one kind by the command that users call, of the
    others by what it calls.
    """
    data = given / "measured"
    data.mkdir()
    (data / "own.png").write_bytes(_picture(100, 200))
    lines = [json.dumps(record(f"{at}", step=at, image="own.png")) + "\n" for at in range(3)]
    (data / "steps.jsonl").write_text("".join(lines))
    done = saccade("bench", "steps", "--data", data, "--model", "random", "--out", given / "bench")
    assert done.returncode == 0, done.stderr
    first, *others = KINDS.names()
    done = saccade("review", "add", first, data, "--folder", given, "--database", database)
    assert done.returncode == 0, done.stderr
    engine = open_database(database)
    for kind in others:
        assert add_items(engine, kind, items_of(kind, data, [given.resolve()]))[0]
    engine.dispose()


def write_broken(folder: Path) -> None:
    """A line of 100 MB, and text that is not UTF-8."""
    for name in ("long", "bytes", "bits"):
        (folder / name).mkdir(parents=True)
    with (folder / "long" / "steps.jsonl").open("wb") as file:
        file.write(json.dumps(record("first")).encode() + b'\n{"instruction": "')
        file.seek(LONG, os.SEEK_CUR)
        file.write(b'"}\n')
    (folder / "bytes" / "steps.jsonl").write_bytes(json.dumps(record("ok")).encode() + b"\n\xff\xfe{\x80\n")
    (folder / "bits" / "steps.jsonl").write_bytes(b"{}\n" * 20_000)


def write_links(folder: Path, root: Path) -> None:
    """Data sets whose files are links to what lies outside, and one with a pipe."""
    for name in ("file", "below", "pipe"):
        (folder / name).mkdir(parents=True)
    (folder / "file" / "steps.jsonl").symlink_to(root / "secret.jsonl")
    (folder / "below" / "steps.jsonl").write_text(json.dumps(record("own", image="link.png")) + "\n")
    (folder / "below" / "link.png").symlink_to(root / "secret.png")
    (folder / "below" / "out").symlink_to(root)
    (folder / "pipe" / "steps.jsonl").write_text(json.dumps(record("pipe", image="pipe.png")) + "\n")
    os.mkfifo(folder / "pipe" / "pipe.png")
    (folder / "whole").symlink_to(root)


def write_training(folder: Path, root: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "recipe.yaml").write_text(f"stage: grpo\nnote: '{SCRIPT}'\na: &a [x,x]\nb: &b [*a,*a]\n")
    with (folder / "log.jsonl").open("wb") as file:
        line = {"step": 1, SCRIPT[:100]: 0.5, "loss": 1.5, "reward": 1e308, f"rewards/{SCRIPT[:60]}/mean": 0.1}
        file.write(json.dumps(line).encode() + b'\n\xff\xfe\n{"step": NaN}\n{"step":2,"loss":"')
        file.seek(LONG, os.SEEK_CUR)
        file.write(b'"}\n' + b"[" * 100_000 + b'\n{"step": 3, "loss": 0.5}\n')
    sample = {"step": 1, "reward": 0.5, "advantage": -1.0, "parts": {SCRIPT: 0.5}}
    sample |= dict.fromkeys(("id", "instruction", "completion", "answer"), SCRIPT)
    (folder / "samples.jsonl").write_text(json.dumps(sample) + "\n")
    linked = folder.parent / "linked"
    linked.mkdir()
    (linked / "recipe.yaml").write_text("stage: sft\n")
    (linked / "log.jsonl").symlink_to(root / "log.jsonl")


def write_run(folder: Path, root: Path) -> None:
    """A run whose log is hostile."""
    write_data(folder, root)
    outcome = {"status": "failure", "ended_by": SCRIPT, "reason": SCRIPT, "reward": 0.0, "steps": 3}
    run = {
        "id": SCRIPT,
        "settings": dict.fromkeys(("world", "paradigm", "model", "agent"), SCRIPT) | {"language": "en"},
        "versions": {SCRIPT: SCRIPT},
        "started": "2026-11-18T08:48:54+00:00",
        "instruction": SCRIPT,
        "attempts": [{"outcome": outcome, "judged": True, "verdict": SCRIPT}],
        "usage": {"input": 1, "output": 1, "cost": 0.0, "calls": 1},
        "seconds": 1.0,
        "outcome": outcome,
    }
    (folder / "run.json").write_text(json.dumps(run))


def _picture(width: int, height: int) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = zlib.compress(b"\0" * (width * height + height)) if width * height < 10**6 else zlib.compress(b"\0" * 1000)
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def huge_picture() -> bytes:
    """A few bytes that claim to be 60,000 × 60,000 pixels."""
    return _picture(60_000, 60_000)
