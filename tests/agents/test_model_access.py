"""A model server that is missing, or wants another key, is told before a world is opened."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from saccade.agents.run import start_run
from saccade.agents.settings import Settings
from saccade.errors import InputError
from saccade.models import open_model

NOWHERE = "replay:there-is-no-such-recording"
"""A world that says something else if it is opened first."""


@contextmanager
def server(status: int) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as served:
        threading.Thread(target=served.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{served.server_port}/v1"
        served.shutdown()


def start(tmp_path: Path, url: str) -> str:
    settings = Settings(world=NOWHERE, model="openai/x", base_url=url, instruction="Look")
    with pytest.raises(InputError) as caught:
        start_run(settings, tmp_path / "run")
    return str(caught.value)


def test_a_wrong_key(tmp_path: Path) -> None:
    with server(401) as url:
        assert "refused the request (401)" in start(tmp_path, url)


def test_no_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("saccade.models.openai.FIRST_WAIT", 0.01)
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
        assert "cannot be reached" in start(tmp_path, url)


@pytest.mark.parametrize("status", [200, 403, 404, 500, 501])
def test_any_other_answer_is_no_reason_to_stop(status: int) -> None:
    with server(status) as url, open_model("openai/x", base_url=url) as model:
        model.check_access()
