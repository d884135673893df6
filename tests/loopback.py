"""Real pages on loopback, for tests with a real browser."""

from __future__ import annotations

import functools
import http.server
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class Handler(http.server.SimpleHTTPRequestHandler):
    """A folder's files, and two addresses that misbehave."""

    def do_GET(self) -> None:
        if self.path == "/slow":
            time.sleep(0.3)
            self.send_response(200)
            self.send_header("Content-Length", "7")
            self.end_headers()
            self.wfile.write(b"fetched")
        elif self.path == "/redirect":
            self.send_response(302)
            self.send_header("Location", "http://blocked.example/secret")
            self.end_headers()
        else:
            super().do_GET()

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serve(folder: Path, handler: type[http.server.SimpleHTTPRequestHandler] = Handler) -> Iterator[int]:
    """Serves a folder; gives the port."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(handler, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()
