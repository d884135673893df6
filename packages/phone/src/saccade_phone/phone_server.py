"""Serve the phone over HTTP on this machine, to use it by hand in any browser."""

from __future__ import annotations

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from saccade.untrusted import decode_json
from saccade_phone.assets import asset
from saccade_phone.judge import goal_progress
from saccade_phone.session import Session
from saccade_phone.state_machine import tree

LONGEST_BODY = 100_000


class PhoneServer(ThreadingHTTPServer):
    """One phone for one person. Only this machine can reach it."""

    daemon_threads = True

    def __init__(self, session: Session, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.session = session
        self.lock = threading.Lock()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/"

    def handle_error(self, request: object, client_address: object) -> None:
        """A page that was closed before the answer is no error."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]

    def drawn(self) -> bytes:
        return json.dumps(tree(self.session.machine, animations=True), ensure_ascii=False).encode()

    def touch(self, event: dict[str, object]) -> bytes:
        with self.lock:
            self.session.machine.touch(event)
            if event.get("kind") != "input":
                self.session.tick()
            return self.drawn()

    @property
    def met(self) -> bool:
        """Whether the task's changes are made."""
        session = self.session
        return goal_progress(session.apps, session.goal, session.start, session.state).met


class Handler(BaseHTTPRequestHandler):
    server: PhoneServer

    def do_GET(self) -> None:
        if self.path == "/state":
            self._answer(200, self.server.drawn(), "application/json")
            return
        found = asset(self.path.partition("?")[0])
        if found is None:
            self._answer(404, b"there is no such file", "text/plain")
        else:
            self._answer(200, *found)

    def do_POST(self) -> None:
        """Handle a touch. Only the phone's own page can send it: other sites may not send JSON here (CORS)."""
        length = int(self.headers.get("Content-Length") or 0)
        same = self.headers.get("Origin", self.server.address.rstrip("/")) == self.server.address.rstrip("/")
        if self.path != "/event" or not same or length > LONGEST_BODY:
            self._answer(403, b"not here", "text/plain")
            return
        try:
            event = decode_json(self.rfile.read(length))
            drawn = self.server.touch(dict(event))
        except (ValueError, TypeError, LookupError):
            self._answer(400, b"not an event", "text/plain")
            return
        self._answer(200, drawn, "application/json")

    def _answer(self, status: int, body: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """No log: the person looks at the phone."""
