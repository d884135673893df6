"""A chat server on loopback that answers by script: well, badly, or not at all."""

from __future__ import annotations

import base64
import http.server
import io
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from saccade.models import Ask, Completion, Model, open_model
from saccade.types import Message

USAGE = {"prompt_tokens": 1200, "completion_tokens": 30, "prompt_tokens_details": {"cached_tokens": 200}}


@dataclass
class Asked:
    """One request."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    at: float


@dataclass
class FakeServer:
    """What it was asked, and what it does next; the last behaviour is repeated."""

    script: Sequence[Behaviour]
    url: str = ""
    asked: list[Asked] = field(default_factory=list)
    connections: int = 0
    gone: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def bodies(self) -> list[dict[str, Any]]:
        return [asked.body for asked in self.asked]


class Handler(http.server.BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    wbufsize = 0
    disable_nagle_algorithm = True
    fake: FakeServer
    body: dict[str, Any]

    def setup(self) -> None:
        super().setup()
        with self.fake.lock:
            self.fake.connections += 1

    def do_POST(self) -> None:
        self.body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.fake.lock:
            at = len(self.fake.asked)
            headers = {name.lower(): value for name, value in self.headers.items()}
            self.fake.asked.append(Asked(self.path, headers, self.body, time.monotonic()))
        if self.fake.gone.is_set():
            self.break_off()
            return
        try:
            self.fake.script[min(at, len(self.fake.script) - 1)](self)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def begin(self, status: int, kind: str, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def send(self, body: bytes, status: int = 200, kind: str = "application/json", **headers: str) -> None:
        spelled = {name.replace("_", "-"): value for name, value in headers.items()}
        self.begin(status, kind, {"Content-Length": str(len(body)), **spelled})
        self.wfile.write(body)

    def chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))

    def break_off(self) -> None:
        self.close_connection = True

    def log_message(self, *_: object) -> None:
        pass


Behaviour = Callable[[Handler], None]


def event(value: Any) -> bytes:
    return b"data: " + json.dumps(value, ensure_ascii=False).encode() + b"\n\n"


def piece(index: int, text: str | None = None, finish: str | None = None, **delta: Any) -> bytes:
    choice = {"index": index, "delta": {"content": text, **delta}, "finish_reason": finish}
    return event({"object": "chat.completion.chunk", "choices": [choice]})


def streamed(*texts: str, usage: Any = USAGE, pause: float = 0.0, finish: str = "stop") -> Behaviour:
    """Samples in turn, word by word."""

    def answer(handler: Handler) -> None:
        wanted = texts[: handler.body.get("n", 1)]
        handler.begin(200, "text/event-stream; charset=utf-8", {"Transfer-Encoding": "chunked"})
        handler.chunk(b": hello\n\n" + b"".join(piece(at, "", role="assistant") for at in range(len(wanted))))
        handler.fake.gone.wait(pause)
        rows = [text.split(" ") for text in wanted]
        for word in range(max(len(row) for row in rows)):
            for at in reversed(range(len(rows))):
                if word < len(rows[at]):
                    handler.chunk(piece(at, (" " if word else "") + rows[at][word]))
        for at in range(len(wanted)):
            handler.chunk(piece(at, None, finish))
        if usage is not None:
            handler.chunk(event({"choices": [], "usage": usage}))
        handler.chunk(b"data: [DONE]\n\n")
        handler.chunk(b"")

    return answer


def whole(*contents: Any, usage: Any = USAGE, finish: str = "stop", **message: Any) -> Behaviour:
    """All at once."""

    def answer(handler: Handler) -> None:
        wanted = contents[: handler.body.get("n", 1)]
        choices = [
            {"index": at, "message": {"role": "assistant", "content": content, **message}, "finish_reason": finish}
            for at, content in enumerate(wanted)
        ]
        handler.send(json.dumps({"object": "chat.completion", "choices": choices, "usage": usage}).encode())

    return answer


def failing(
    status: int, words: str = "it went wrong", *, headers: Mapping[str, str] | None = None, **error: Any
) -> Any:
    body = json.dumps({"error": {"message": words, **error}}).encode()
    return lambda handler: handler.send(body, status, **(headers or {}))


def raw(body: bytes, kind: str = "application/json", status: int = 200) -> Behaviour:
    return lambda handler: handler.send(body, status, kind)


def events(*chunks: bytes, ends: bool = True) -> Behaviour:
    """A stream of just these bytes; it ends well, or with the connection."""

    def answer(handler: Handler) -> None:
        handler.begin(200, "text/event-stream", {"Transfer-Encoding": "chunked"})
        for data in chunks:
            handler.chunk(data)
        if ends:
            handler.chunk(b"")
        else:
            handler.break_off()

    return answer


def slow(seconds: float, then: Behaviour) -> Behaviour:
    def answer(handler: Handler) -> None:
        handler.fake.gone.wait(seconds)
        then(handler)

    return answer


def trickling(start: bytes) -> Behaviour:
    """A byte now and then, for ever: of the headers, or of a stream that began."""

    def answer(handler: Handler) -> None:
        handler.wfile.write(start)
        while not handler.fake.gone.wait(0.1):
            handler.wfile.write(b"1\r\n:\r\n" if b"chunked" in start else b"x")
        handler.break_off()

    return answer


def refusing(parameter: str, words: str, then: Behaviour, status: int = 400, **error: Any) -> Behaviour:
    """Says no as long as the request has that parameter."""
    no = failing(status, words, **error)
    return lambda handler: (no if parameter in handler.body else then)(handler)


def pictures(body: Mapping[str, Any]) -> list[Image.Image]:
    """The pictures of a request, as a server would see them."""
    found: list[Image.Image] = []
    for message in body["messages"]:
        for part in message["content"] if isinstance(message["content"], list) else ():
            if part["type"] == "image_url":
                kind, _, data = part["image_url"]["url"].partition(";base64,")
                assert kind == "data:image/png"
                found.append(Image.open(io.BytesIO(base64.b64decode(data, validate=True))))
    return found


@contextmanager
def serving(*script: Behaviour) -> Iterator[FakeServer]:
    fake = FakeServer(script)
    handler = type("ScriptedHandler", (Handler,), {"fake": fake})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.block_on_close = False
        server.daemon_threads = True
        fake.url = f"http://127.0.0.1:{server.server_port}/v1"
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        try:
            yield fake
        finally:
            fake.gone.set()
            server.shutdown()


@contextmanager
def asking(*script: Behaviour, name: str = "tester", **options: Any) -> Iterator[tuple[Model, FakeServer]]:
    """A model of that server."""
    with serving(*script) as server, open_model(f"openai/{name}", base_url=server.url, **options) as model:
        yield model, server


@contextmanager
def within(seconds: float) -> Iterator[None]:
    started = time.monotonic()
    yield
    assert time.monotonic() - started < seconds


def ask(model: Model, deadline: float = 8.0, **how: Any) -> list[Completion]:
    """Asks, and looks at the clock."""
    started = time.monotonic()
    try:
        return model.complete(HELLO, Ask(deadline=deadline, **how))
    finally:
        assert time.monotonic() - started < deadline + 1


def forget_environment(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(home))


HELLO = (Message("system", ("You act.",)), Message("user", ("Tap ", "设置")))
FINE = streamed("tap the button")
