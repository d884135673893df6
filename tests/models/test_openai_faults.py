"""Whatever a chat server does, a call ends with an answer or a clear error, and in time."""

from __future__ import annotations

import json
import re
import socket
import threading
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest
from fake_openai import (
    FINE,
    Behaviour,
    ask,
    asking,
    event,
    events,
    failing,
    forget_environment,
    piece,
    raw,
    refusing,
    serving,
    slow,
    streamed,
    trickling,
    whole,
    within,
)
from hypothesis import given
from hypothesis import strategies as st

import saccade.models.openai as client
from saccade.errors import InputError
from saccade.models import ModelError, open_model
from saccade.models.chat_response import (
    ChatResponse,
    RefusalError,
    RetryableError,
    read_refusal,
    refused_parameter,
    retry_after,
)


@pytest.fixture(autouse=True)
def on_a_bare_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    forget_environment(monkeypatch, tmp_path)


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first wait is short."""
    monkeypatch.setattr(client, "FIRST_WAIT", 0.02)


# --- what fails, and passes ---

HALF = events(piece(0, "tap the"), ends=False)
HALF_BUT_POLITE = events(piece(0, "tap the"))
ONE_OF_TWO = events(piece(0, "tap", "stop") + piece(1, "ta"))
HIDDEN = events(piece(0, "tap"), event({"error": {"message": "the engine died", "code": 500}}))
CLOSED: Behaviour = lambda handler: handler.break_off()  # noqa: E731


@pytest.mark.parametrize(
    "bad",
    [
        failing(500),
        failing(503, "loading the model"),
        failing(529, "overloaded"),
        failing(429),
        failing(408),
        failing(409),
        raw(b"<html>Bad gateway</html>", "text/html", 502),
        HALF,
        HALF_BUT_POLITE,
        ONE_OF_TWO,
        HIDDEN,
        CLOSED,
        raw(b'{"choices": [{"mess'),
        raw(b"<html>a page</html>", "text/html"),
        raw(b"\xff\xfe"),
        raw(b"{}"),
        raw(b"[]"),
        raw(b'{"choices": []}'),
        raw(b'{"choices": "none"}'),
        raw(b'{"choices": [{"index": "first", "message": {"content": 3}}]}'),
        raw(b'{"error": {"message": "try again"}}'),
        events(b"data: {oops\n\n"),
        events(b"data: [DONE]\n\n"),
        events(),
    ],
)
def test_a_passing_failure_is_tried_again(bad: Behaviour, hasty: None) -> None:
    with asking(bad, FINE) as (model, server):
        (answer,) = ask(model, n=1)
        assert len(server.asked) == 2
    assert answer.text == "tap the button"
    assert (answer.usage.retries, answer.usage.calls) == (1, 1)


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (failing(500, "out of memory"), "500 Internal Server Error: out of memory"),
        (failing(429, "slow down"), "429 Too Many Requests: slow down"),
        (HALF, "broke off"),
        (HALF_BUT_POLITE, "half-way"),
        (CLOSED, "connection broke"),
        (raw(b'{"choices": ['), "not JSON"),
        (raw(b"{}"), "without `choices`"),
        (raw(b'{"choices": []}'), "without any choice"),
        (HIDDEN, "the engine died"),
    ],
)
def test_a_failure_that_stays_is_told_with_its_count(bad: Behaviour, said: str, hasty: None) -> None:
    with asking(bad) as (model, server), within(1.6):
        with pytest.raises(ModelError, match=said) as caught:
            ask(model, deadline=0.6)
        told = int(re.findall(r"\((\d+) tries\)", str(caught.value))[0])
        assert server.url in str(caught.value)
    # The deadline may cut the last try off before the server has heard of it.
    assert 2 <= len(server.asked) <= told <= len(server.asked) + 1


def test_nonsense_is_not_asked_for_for_ever(hasty: None) -> None:
    with asking(raw(b"<html>my home page</html>", "text/html")) as (model, server), within(3):
        with pytest.raises(ModelError, match=r"5 tries\).*my home page"):
            ask(model, deadline=60)
        assert len(server.asked) == 5


def test_waits_grow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("random.uniform", lambda low, high: high)
    with asking(failing(500), failing(500), FINE) as (model, server):
        ask(model)
        first, second, third = (asked.at for asked in server.asked)
    assert 0.5 <= second - first < 0.9
    assert 1.0 <= third - second < 1.4


@pytest.mark.parametrize(
    "headers",
    [
        {"Retry-After": "1"},
        {"Retry-After": "9", "retry-after-ms": "1000"},
        {"Retry-After": format_datetime(datetime.now(UTC) + timedelta(hours=-1), usegmt=True)},
    ],
)
def test_retry_after_is_respected(headers: dict[str, str]) -> None:
    with asking(failing(429, headers=headers), FINE) as (model, server):
        (answer,) = ask(model)
        waited = server.asked[1].at - server.asked[0].at
    assert answer.usage.retries == 1
    if headers["Retry-After"].isdigit():
        assert 1.0 <= waited <= 2.2


def test_retry_after_as_a_date() -> None:
    def busy(handler: Any) -> None:
        soon = format_datetime(datetime.now(UTC) + timedelta(seconds=2), usegmt=True)
        failing(503, headers={"Retry-After": soon})(handler)

    with asking(busy, FINE) as (model, server):
        ask(model)
        assert 0.9 <= server.asked[1].at - server.asked[0].at <= 3.2  # dates have whole seconds


def test_retry_after_beyond_the_deadline_ends_at_once() -> None:
    busy = failing(429, "come back later", headers={"Retry-After": "60"})
    with asking(busy) as (model, server), within(1):
        with pytest.raises(
            ModelError, match=r"asks to wait 60 s, but only \d\.\d s are left \(1 try\).*come back later"
        ):
            ask(model, deadline=5)
        assert len(server.asked) == 1


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"


@pytest.mark.parametrize(
    "stalling",
    [
        slow(30, FINE),
        trickling(HEAD + b"Transfer-Encoding: chunked\r\n\r\n"),
        trickling(HEAD + b"X-Filler: "),
        trickling(HEAD + b"Content-Length: 100000\r\n\r\n"),
        trickling(HEAD.replace(b"200 OK", b"500 Oops") + b"Content-Length: 100000\r\n\r\n"),
    ],
    ids=["silent", "stream", "headers", "body", "error"],
)
def test_a_stalling_server_is_cut_off_at_the_deadline(stalling: Behaviour) -> None:
    with asking(stalling) as (model, _):
        started = time.monotonic()
        with pytest.raises(ModelError, match=r"did not answer within 0.6 s \(1 try\)"):
            ask(model, deadline=0.6)
        assert 0.5 < time.monotonic() - started < 1.2


def test_after_a_stall_the_model_is_fit_for_use() -> None:
    with asking(slow(30, FINE), FINE) as (model, _):
        with pytest.raises(ModelError):
            ask(model, deadline=0.3)
        assert ask(model)[0].text == "tap the button"


def test_a_stream_without_end_is_cut() -> None:
    def babbling(handler: Any) -> None:
        handler.begin(200, "text/event-stream", {"Transfer-Encoding": "chunked"})
        while not handler.fake.gone.is_set():
            handler.chunk(piece(0, "la " * 20_000))

    with asking(babbling) as (model, _):
        (answer,) = ask(model)
    assert answer.finish == "length"
    assert 1_000_000 <= len(answer.text) < 1_100_000


def test_nobody_there(hasty: None) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
    with open_model("openai/x", base_url=url) as model, pytest.raises(InputError) as caught:
        ask(model, deadline=20)
    assert "cannot be reached (5 tries)" in str(caught.value) and "check the base URL" in str(caught.value)


def test_a_server_that_was_there_is_waited_for(hasty: None) -> None:
    with serving(FINE) as server:
        model = open_model("openai/x", base_url=server.url)
        ask(model)
    with model, within(1.8), pytest.raises(ModelError, match=r"\d tries") as caught:
        ask(model, deadline=0.8)
    assert "check the base URL" not in str(caught.value)


def test_close_ends_a_call_under_way() -> None:
    with asking(slow(30, FINE)) as (model, _):
        threading.Timer(0.3, model.close).start()
        with within(1.5), pytest.raises(ModelError, match="was closed"):
            ask(model, deadline=20)
        model.close()


# --- what a server refuses ---

REFUSALS = [
    ("stream_options", "Unrecognized request argument supplied: stream_options", 400, {}),
    ("stream_options", "Extra inputs are not permitted", 422, {"param": "stream_options"}),
    ("stream", "Your organization must be verified to stream this model.", 400, {"param": "stream"}),
    ("seed", 'Invalid JSON payload received. Unknown name "seed": Cannot find field.', 400, {}),
    (
        "temperature",
        "Unsupported value: 'temperature' does not support 0 with this model.",
        400,
        {"param": "temperature"},
    ),
    ("top_p", "`temperature` and `top_p` cannot both be specified for this model", 400, {}),
    ("stop", "Unsupported parameter: 'stop' is not supported with this model.", 400, {"param": "stop"}),
    ("n", "'n' : number must be at most 1", 400, {}),
    ("n", "Only one completion choice is allowed", 400, {}),
    ("n", "n must be 1 when using greedy sampling, got 3.", 400, {}),
]


@pytest.mark.parametrize(("parameter", "words", "status", "error"), REFUSALS)
def test_a_refused_parameter_is_left_out_from_then_on(
    parameter: str, words: str, status: int, error: dict[str, Any]
) -> None:
    fine = lambda handler: (streamed if handler.body.get("stream") else whole)("tap;", "tap;", "tap;")(handler)  # noqa: E731
    how: dict[str, Any] = {"n": 3, "seed": 7, "top_p": 0.5, "stop": (";",)}
    with asking(refusing(parameter, words, fine, status, **error)) as (model, server):
        answers = ask(model, **how)
        assert [answer.text for answer in answers] == ["tap"] * 3
        assert sum(answer.usage.retries for answer in answers) == 1
        before = len(server.asked)
        assert [answer.usage.retries for answer in ask(model, **how)] == [0, 0, 0]
        for body in server.bodies[before:]:
            assert parameter not in body
    assert "n" in server.bodies[-1] or parameter == "n"


def test_max_tokens_under_its_new_name() -> None:
    words = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
    new = refusing("temperature", "Unsupported value: 'temperature' does not support 0", FINE)
    with asking(refusing("max_tokens", words, new)) as (model, server):
        assert ask(model, max_tokens=99)[0].usage.retries == 2
        assert ask(model, max_tokens=50)[0].usage.retries == 0
        assert [body.get("max_completion_tokens") for body in server.bodies] == [None, 99, 99, 50]
        assert "max_tokens" not in server.bodies[-1] and "temperature" not in server.bodies[-1]


@pytest.mark.parametrize("ignoring", [False, True])
def test_samples_one_by_one_have_seeds_of_their_own(ignoring: bool) -> None:
    """Some servers refuse n, some give one answer and say nothing."""

    def one(handler: Any) -> None:
        whole(f"seed {handler.body['seed']}")(handler)

    with asking(one if ignoring else refusing("n", "`n` > 1 is not supported", one)) as (model, server):
        answers = ask(model, n=3, seed=10)
        assert [answer.text for answer in answers] == ["seed 10", "seed 11", "seed 12"]
        assert (answers[0].usage.calls, answers[0].usage.input) == (3, 3600)
        assert len(server.asked) == (3 if ignoring else 4)
        ask(model, n=3, seed=20)
        assert len(server.asked) == (6 if ignoring else 7)


def test_one_of_several_calls_fails() -> None:
    with (
        asking(whole("one"), whole("two"), failing(401, "no")) as (model, _),
        pytest.raises(InputError, match="refused the request"),
    ):
        ask(model, n=3)


NO = [
    (failing(400, "image input is not supported"), "image input is not supported: check the model"),
    (failing(400, "This model's maximum context length is 2048 tokens, reduce max_tokens"), "send less"),
    (failing(413, "body too big"), "send less"),
    (
        failing(401, "You did not provide a key."),
        r"refused the request \(401\): You did not provide a key: set OPENAI_API_KEY",
    ),
    (failing(402, "pay"), "no credit"),
    (failing(429, "You exceeded your current quota", code="insufficient_quota"), "no credit"),
    (failing(403, "not in your country"), "may not use this model"),
    (failing(404, "The model `tester` does not exist"), "check the model's name and the base URL"),
    (raw(b"<html><style>p {}</style><h1>Not Found</h1></html>", "text/html", 404), r"\(404\): Not Found: check"),
    (raw(b"Unsupported method", "text/plain", 501), "base URL"),
    (raw(b'[{"error": {"code": 400, "message": "no such field"}}]', status=400), "no such field"),
    (raw(b'{"detail": [{"loc": ["body", "messages"], "msg": "too few"}]}', status=422), "body.messages: too few"),
    (raw(b'{"detail": "Not allowed"}', status=400), "Not allowed"),
    (raw(b"", status=400), "no reason given"),
    (failing(307, headers={"Location": "http://127.0.0.1:9/v1"}), "moved to http://127.0.0.1:9/v1: use that address"),
    (events(event({"error": {"message": "bad template", "code": 400}})), "bad template"),
]


@pytest.mark.parametrize(("no", "said"), NO)
def test_a_no_is_told_at_once(no: Behaviour, said: str) -> None:
    with asking(no) as (model, server), within(1):
        with pytest.raises(InputError, match=said):
            ask(model)
        assert len(server.asked) == 1


def test_a_long_complaint_is_shortened() -> None:
    with asking(failing(400, "no " * 5000)) as (model, _), pytest.raises(InputError) as caught:
        ask(model)
    assert len(str(caught.value)) < 500 and str(caught.value).endswith("check the model and its options")


# --- anything at all ---

WORDS = st.sampled_from(
    [
        "choices",
        "index",
        "delta",
        "message",
        "content",
        "text",
        "type",
        "usage",
        "prompt_tokens",
        "error",
        "detail",
        "loc",
        "msg",
        "code",
        "param",
        "finish_reason",
        "reasoning",
    ]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS | st.text(max_size=3), inner, max_size=4),
    max_leaves=20,
)
BODIES = st.binary(max_size=50) | JSON.map(lambda value: json.dumps(value).encode())


@given(BODIES, st.booleans())
def test_no_answer_breaks_the_reader(body: bytes, streamed: bool) -> None:
    answer = ChatResponse(0.0)
    try:
        answer.take(body, streamed)
    except (RetryableError, RefusalError) as error:
        assert str(error) is not None
    assert all(isinstance(choice.text, str) for choice in answer.texts)
    assert answer.written >= 0


@given(st.sampled_from([400, 404, 422, 500]), BODIES)
def test_no_complaint_breaks_the_reader(status: int, body: bytes) -> None:
    refusal = read_refusal(status, body)
    assert len(str(refusal)) <= 2000
    assert refused_parameter(refusal, {"seed": 1}) in ("seed", None)


@given(st.text(max_size=40) | st.integers().map(str))
def test_no_retry_after_breaks_the_reader(value: str) -> None:
    seconds = retry_after({"retry-after": value})
    assert seconds is None or seconds >= 0
