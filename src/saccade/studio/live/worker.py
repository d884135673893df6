"""The process of one run: world and model live here, commands come on stdin, events go to stdout.

It ends with the studio: when stdin closes, the run stops at the next place where it asks, and what does not stop within
seconds is killed together with the browsers that it started.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

import msgspec

from saccade.agents.log import RunLog
from saccade.agents.refine import Trajectory
from saccade.agents.replay_page import leave_replay
from saccade.agents.run import RunOverrides, resume_run, start_run
from saccade.agents.settings import read_settings
from saccade.errors import InputError, MissingError
from saccade.models.base import Ask, Completion, Model, ModelError
from saccade.studio.live.control import PageControl
from saccade.studio.live.messages import LONGEST_LINE, Command, Event, Start
from saccade.studio.live.recording import PERSON, write_demonstration
from saccade.types import Message
from saccade.untrusted import JsonDecoder, decode_json

SECONDS_TO_STOP = 5.0


class NoModel(Model):
    """Stands where a recording has no agent: the person acts from the first step to the last."""

    name = PERSON
    judges = False
    per_run = True

    def complete(self, messages: Sequence[Message], ask: Ask) -> list[Completion]:
        raise ModelError("a recording has no model")


class PersonJudge:
    """The verdict of the person who recorded; without one, nothing was done."""

    def __init__(self, control: PageControl) -> None:
        self.control = control

    def judge(self, trajectory: Trajectory) -> tuple[bool, str]:
        finished = self.control.finished
        return (False, "nobody finished it") if finished is None else (finished.succeeded, "the person who recorded it")


class Output:
    """Writes events; several threads do."""

    def __init__(self, file: BinaryIO) -> None:
        self._file, self._lock = file, threading.Lock()

    def tell(self, event: Event) -> None:
        line = msgspec.json.encode(event) + b"\n"
        with self._lock:
            try:
                self._file.write(line)
                self._file.flush()
            except OSError:  # the studio is gone: `listen` ends the run
                return


def main() -> None:
    output = Output(os.fdopen(os.dup(1), "wb"))
    os.dup2(2, 1)  # what libraries print is no event
    start = decode_json(sys.stdin.buffer.readline(LONGEST_LINE), Start)
    control = PageControl(output.tell, start.record, start.paused, start.answer_seconds)
    threading.Thread(target=listen, args=(control,), daemon=True).start()
    state = control.state
    try:
        log = carry_out(start, control)
        state.outcome = msgspec.to_builtins(log.run.outcome)
        state.instruction = log.run.instruction
        if start.record and control.finished is not None:
            state.records = write_demonstration(log)
    except (InputError, MissingError) as error:
        state.error = str(error)
    except Exception as error:  # noqa: BLE001  (the page says so, the terminal has the rest)
        traceback.print_exc()
        state.error = f"{type(error).__name__}: see the studio's terminal"
    leave_replay(Path(start.folder), lambda said: sys.stderr.write(f"saccade: {said}\n"))
    state.phase, state.question, state.request, state.until = "ended", None, "", 0.0
    output.tell(Event(state))


def carry_out(start: Start, control: PageControl) -> RunLog:
    """The whole run, or the rest of it."""
    overrides = RunOverrides(
        ask=control.ask, control=control, on_step=control.stepped, on_start=control.started, model=None
    )
    if start.record:
        overrides.model, overrides.judge = NoModel(), PersonJudge(control)
    if start.resume:
        return resume_run(Path(start.folder), overrides)
    return start_run(read_settings(start.settings), Path(start.folder), overrides)


def listen(control: PageControl) -> None:
    """Hand over commands until the studio closes stdin, or dies; then end."""
    decoder = JsonDecoder(Command)
    while line := sys.stdin.buffer.readline(LONGEST_LINE):
        try:
            control.command(decoder.decode(line))
        except msgspec.MsgspecError as error:
            sys.stderr.write(f"saccade: not a command: {error}\n")
    end_by_force = threading.Timer(SECONDS_TO_STOP, kill_own_group)
    end_by_force.daemon = True
    end_by_force.start()
    control.stop()


def kill_own_group() -> None:
    """End this process and all that it started. It leads a group of its own."""
    if os.getpgid(0) == os.getpid():
        os.killpg(os.getpid(), signal.SIGKILL)
    os._exit(1)


if __name__ == "__main__":
    main()
    sys.stderr.flush()
    os._exit(0)  # a thread still waits for commands, which Python would wait for
