"""The runs that were started from the page, as the studio knows them: their processes, and what they told last."""

from __future__ import annotations

import contextlib
import logging
import os
import secrets
import subprocess
import sys
import threading
import time
from datetime import datetime
from pathlib import Path

import msgspec

from saccade.engines.guard import Guard
from saccade.errors import InputError
from saccade.studio.live.messages import LONGEST_LINE, Command, Event, Start, State
from saccade.untrusted import JsonDecoder

MOST_RUNNING = 4
"""Runs at the same time: each has a browser or a device, and perhaps a model."""
MOST_KEPT = 50
"""Ended runs that are still shown; their folders stay anyway."""
SECONDS_TO_END = 8.0
WORKER = "saccade.studio.live.worker"
log = logging.getLogger("saccade.studio")


class LiveRun:
    """One run. A thread reads what its process tells; pages read `state`, and `version` grows with each change."""

    def __init__(self, start: Start, title: str, guard: Guard) -> None:
        self.id = secrets.token_urlsafe(9)
        self.folder, self.title, self.record = Path(start.folder), title, start.record
        self.started = time.time()
        self.state = State(record=start.record, paused=start.paused, taken=start.record)
        self.version = 0
        self.picture = b""
        self.elements: bytes = b"[]"
        """As JSON, of the screen that is shown."""
        self._write = threading.Lock()
        self._stopped = False
        self._process = subprocess.Popen(
            [sys.executable, "-m", WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
        )
        self._guard = guard
        guard.add(self._process.pid)
        self._send(start)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def running(self) -> bool:
        return self.state.phase != "ended"

    def command(self, command: Command) -> None:
        """Hand a command to the process. To stop a run twice is to end its process, whatever it does."""
        if not self.running:
            raise InputError("this run has ended")
        if command.do == "stop" and self._stopped:
            return self.close()
        self._stopped = command.do == "stop"
        return self._send(command)

    def close(self) -> None:
        """Have it end: it stops by itself, or is killed by itself within seconds."""
        with contextlib.suppress(OSError):
            if self._process.stdin is not None:
                self._process.stdin.close()

    def wait(self, seconds: float) -> None:
        self._reader.join(seconds)

    def _send(self, message: Start | Command) -> None:
        assert self._process.stdin is not None
        with self._write:
            try:
                self._process.stdin.write(msgspec.json.encode(message) + b"\n")
                self._process.stdin.flush()
            except (OSError, ValueError):
                raise InputError("this run has ended") from None

    def _read(self) -> None:
        decoder = JsonDecoder(Event)
        assert self._process.stdout is not None
        while line := self._process.stdout.readline(LONGEST_LINE):
            try:
                self._take(decoder.decode(line))
            except msgspec.MsgspecError as error:
                log.error("the run %s told something that cannot be read: %s", self.folder.name, error)
        code = self._process.wait()
        self._guard.remove(self._process.pid)
        if self.running:
            self.state = msgspec.structs.replace(
                self.state, phase="ended", error=self.state.error or f"its process ended early (exit code {code})"
            )
            self.version += 1

    def _take(self, event: Event) -> None:
        if event.state is None:
            return
        if event.state.screen != self.state.screen:
            self.picture, self.elements = event.picture, msgspec.json.encode(event.elements)
        if event.state.request and event.state.request != self.state.request:
            log.warning("the run %s asks for a person: %s", self.folder.name, ascii(event.state.request))
        self.state = event.state
        self.version += 1


class LiveRuns:
    """All runs that were started from the page."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder if folder.name == "runs" else folder / "runs"
        self._runs: dict[str, LiveRun] = {}
        self._guard: Guard | None = None
        """Ends the runs if the studio is killed; there is none before the first run."""
        self._lock = threading.Lock()

    def start(self, start: Start, title: str) -> LiveRun:
        """Start a run in a new folder, or go on with the one in its folder."""
        with self._lock:
            if sum(run.running for run in self._runs.values()) >= MOST_RUNNING:
                raise InputError(f"{MOST_RUNNING} runs are going on: wait for one, or stop one")
            start.folder = start.folder if start.resume else str(self._new_folder())
            self._guard = self._guard or Guard(grace=1.5)
            run = LiveRun(start, title, self._guard)
            self._runs[run.id] = run
            ended = [each.id for each in self._runs.values() if not each.running]
            for id in ended[:-MOST_KEPT]:
                del self._runs[id]
        return run

    def _new_folder(self) -> Path:
        """A folder of its own for a run, named by the time."""
        name = f"{datetime.now():%Y%m%d-%H%M%S}"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            for more in range(1000):
                folder = self.folder / (f"{name}-{more}" if more else name)
                with contextlib.suppress(FileExistsError):
                    folder.mkdir()
                    return folder
        except OSError as error:
            raise InputError(f"cannot write to {self.folder}: {os.strerror(error.errno or 0)}") from None
        raise InputError(f"cannot make a folder in {self.folder}")

    def get(self, id: str) -> LiveRun:
        if id not in self._runs:
            raise InputError("there is no such live run: the studio was started again since, or it ended long ago")
        return self._runs[id]

    def all(self) -> list[LiveRun]:
        """The newest first."""
        return list(self._runs.values())[::-1]

    def close(self) -> None:
        for run in self.all():
            run.close()
        for run in self.all():
            run.wait(SECONDS_TO_END)
        if self._guard is not None:
            self._guard.close()
            self._guard = None
