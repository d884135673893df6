"""Real pages on loopback, and one browser for each module of tests."""

from __future__ import annotations

import functools
import http.server
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

PAGES = Path(__file__).parent / "pages"


class Handler(http.server.SimpleHTTPRequestHandler):
    """The pages, and two addresses that misbehave."""

    def do_GET(self) -> None:
        if self.path == "/slow":
            time.sleep(0.3)
            self._answer(200, b"fetched")
        elif self.path == "/redirect":
            self.send_response(302)
            self.send_header("Location", "http://blocked.example/secret")
            self.end_headers()
        else:
            super().do_GET()

    def _answer(self, code: int, body: bytes) -> None:
        self.send_response(code)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The address of tests/worlds/pages."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=str(PAGES))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
