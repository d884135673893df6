"""The process that starts and ends all others of a desktop. It runs as a script of its own and imports nothing of ours.

It reads one JSON object a line from its standard input: first the set-up (`folder`, `server`, `network`), then
commands to start (`name`, `command`, `environment`, `folder`). It writes one a line: `display`, `open` (what could not
be isolated), `started` and `ended` (a command, with its process or status). When its input ends or its parent is gone,
also by kill -9, it ends every process of the desktop and removes the folder.
"""

from __future__ import annotations

import ctypes
import json
import os
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

MARK = "SACCADE_DESKTOP"
"""The environment variable that every process of a desktop inherits; its value is the desktop's folder."""
START_SECONDS = 15.0
SERVER = "the X server"
CAUSE_SECONDS = 2.0
"""Seconds that an X server gets to end, where another part ended because of it."""

_CLONE_NEWNS, _CLONE_NEWUSER, _CLONE_NEWNET = 0x00020000, 0x10000000, 0x40000000
_MS_BIND, _MS_REC, _MS_PRIVATE = 0x1000, 0x4000, 0x40000
_MOUNT_SETATTR, _AT_FDCWD, _AT_RECURSIVE, _READ_ONLY = 442, -100, 0x8000, 1
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_PF_EXITING = 4


def belongs(process: int | str, folder: str) -> bool:
    """Is this process part of the desktop in this folder?"""
    try:
        return f"{MARK}={folder}".encode() in Path(f"/proc/{process}/environ").read_bytes().split(b"\0")
    except OSError:
        return False  # it ended meanwhile, or belongs to somebody else


def end_processes(folder: str) -> None:
    """Kill every process that belongs to the desktop in this folder, until there is none."""
    for _ in range(50):
        found = False
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit() or int(entry.name) == os.getpid() or not belongs(entry.name, folder):
                continue
            try:
                os.kill(int(entry.name), signal.SIGKILL)
                found = True
            except OSError:
                continue
        if not found:
            return
        time.sleep(0.02)


def clean_up(folder: str, display: str) -> None:
    """Remove the X server's socket, end the processes, then remove the folder. The socket goes first: as soon as the
    server is dead, another one may take over its number.
    """
    if display:
        server = server_process(display)
        if not server or belongs(server, folder) or ending(server):
            Path(f"/tmp/.X11-unix/X{display}").unlink(missing_ok=True)
    end_processes(folder)
    shutil.rmtree(folder, ignore_errors=True)


def ending(process: int) -> bool:
    """Has this process begun to end? The system says so before it closes the process's files."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return True
    fields = stat.rpartition(")")[2].split()
    return fields[0] in "ZX" or bool(int(fields[6]) & _PF_EXITING)


def server_process(display: str) -> int:
    """The process that listens at a display's socket; 0 if none does."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        try:
            connection.settimeout(1)
            connection.connect(f"/tmp/.X11-unix/X{display}")
            found = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        except OSError:
            return 0
    return int(struct.unpack("3i", found)[0])


class _Supervisor:
    def __init__(self) -> None:
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        self.names: dict[int, str] = {}
        self.display = ""
        self.setup: dict[str, Any] = {}
        self.isolated = False
        """Are programs isolated that start from now on? The X server is not: the world must reach it."""

    def run(self) -> None:
        parent = os.getppid()
        wake, woken = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        signal.set_wakeup_fd(woken)
        try:
            self.setup = json.loads(sys.stdin.buffer.readline() or b"{}")
            if not self.setup:
                return
            self._start_server()
            self._report({"open": self._what_stays_open()})
            buffer = b""
            while os.getppid() == parent:
                ready = select.select([0, wake], [], [], 1.0)[0]
                if wake in ready:
                    os.read(wake, 4096)
                if 0 in ready:
                    got = os.read(0, 1 << 16)
                    if not got:
                        return
                    *lines, buffer = (buffer + got).split(b"\n")
                    for line in lines:
                        self._start(json.loads(line))
                self._reap()
        finally:
            if self.setup:
                clean_up(self.setup["folder"], self.display)

    def _report(self, value: dict[str, Any]) -> None:
        try:
            os.write(1, json.dumps(value).encode() + b"\n")
        except OSError:
            sys.exit(0)

    def _start_server(self) -> None:
        """Start the X server, which chooses a free display number and writes it into a pipe."""
        reading, writing = os.pipe()
        command = [word.replace("{fd}", str(writing)) for word in self.setup["server"]]
        self._start(
            {
                "name": SERVER,
                "command": command,
                "environment": self.setup["environment"],
                "folder": self.setup["folder"],
            },
            (writing,),
        )
        os.close(writing)
        got = b""
        while not got.endswith(b"\n") and select.select([reading], [], [], START_SECONDS)[0]:
            part = os.read(reading, 16)
            if not part:
                break
            got += part
        os.close(reading)
        self.display = got.decode().strip()
        self._report({"display": self.display})

    def _start(self, order: dict[str, Any], keep: tuple[int, ...] = ()) -> None:
        try:
            with Path(self.setup["folder"], "log").open("ab") as log:
                child = subprocess.Popen(
                    order["command"],
                    env=order["environment"] | {MARK: self.setup["folder"]},
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    pass_fds=keep,
                    preexec_fn=lambda: self._before_start(order["folder"]),  # noqa: PLW1509  (there are no threads here)
                )
        except OSError as error:
            self._report({"ended": order["name"], "status": 127, "why": error.strerror or str(error)})
            return
        self.names[child.pid] = order["name"]
        self._report({"started": order["name"], "process": child.pid})
        child.returncode = 0  # `_reap` waits for it

    def _reap(self) -> None:
        """Report children that ended, those first because of which others end: the X server, then killed ones."""
        ended = self._ended_children()
        deadline = time.monotonic() + CAUSE_SECONDS
        while any(code for code, _ in ended) and self._server_is_ending() and time.monotonic() < deadline:
            time.sleep(0.01)
            ended += self._ended_children()
        for code, name in sorted(ended, key=lambda child: (child[1] != SERVER, child)):
            self._report({"ended": name, "status": code})

    def _ended_children(self) -> list[tuple[int, str]]:
        """Status and name of each child that ended. Orphans come here too, and are only waited for."""
        ended: list[tuple[int, str]] = []
        pid = -1
        while pid:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                break
            if name := self.names.pop(pid, ""):
                ended.append((os.waitstatus_to_exitcode(status), name))
        return ended

    def _server_is_ending(self) -> bool:
        """Does the X server run without answering? A dying one closes its connections first, of which its clients
        end, and only then can it be waited for.
        """
        server = next((pid for pid, name in self.names.items() if name == SERVER), 0)
        return bool(server) and (ending(server) or server_process(self.display) != server)

    # -- isolation ----------------------------------------------------------------------------------------------------

    def _before_start(self, folder: str) -> None:
        """In a new process: die with the supervisor; lose the network and the right to write outside the folder."""
        self.libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if self.isolated:
            self._isolate()
        os.chdir(folder)

    def _what_stays_open(self) -> list[str]:
        """Try the isolation in a process of its own. Returns what the system does not allow."""
        child = os.fork()
        if child == 0:
            os._exit(self._isolate())
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        self.isolated = True
        return [name for bit, name in ((1, "network"), (2, "files")) if status < 0 or status & bit]

    def _isolate(self) -> int:
        """Give this process a network of its own without any connection, and let it write into the desktop's folder
        only. Returns 1 if the network stays open, plus 2 if files do.
        """
        network = not self.setup["network"]
        uid, gid = os.geteuid(), os.getegid()
        flags = _CLONE_NEWNS | (_CLONE_NEWNET if network else 0) | (_CLONE_NEWUSER if uid else 0)
        if self.libc.unshare(flags):
            return 2 + (network and self.libc.unshare(_CLONE_NEWNET) != 0)
        try:
            if uid:
                Path("/proc/self/setgroups").write_text("deny")
                Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1")
                Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1")
        except OSError:
            return 2
        return 0 if self._protect_files() else 2

    def _protect_files(self) -> bool:
        """Put the desktop's own home over /home, so that paths are the same in every run, and make all else
        read-only.
        """
        folder = os.fsencode(self.setup["folder"])
        places = {b"/home": folder + b"/home", folder: folder}
        return not (
            self.libc.mount(None, b"/", None, _MS_REC | _MS_PRIVATE, None)
            or any(self.libc.mount(source, path, None, _MS_BIND, None) for path, source in places.items())
            or self._set_attribute(b"/", _AT_RECURSIVE, set=_READ_ONLY)
            or any(self._set_attribute(path, 0, clear=_READ_ONLY) for path in places)
        )

    def _set_attribute(self, path: bytes, flags: int, set: int = 0, clear: int = 0) -> int:
        """The system call mount_setattr, which libc has no function for."""
        values = (ctypes.c_uint64 * 4)(set, clear, 0, 0)
        number, size = ctypes.c_long(_MOUNT_SETATTR), ctypes.c_size_t(32)
        return int(self.libc.syscall(number, _AT_FDCWD, path, flags, ctypes.byref(values), size))


if __name__ == "__main__":
    _Supervisor().run()
