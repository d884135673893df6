"""The chat client against a real server on loopback: what is sent, what is read, and what stays secret."""

from __future__ import annotations

import asyncio
import io
import logging
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
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
    pictures,
    piece,
    raw,
    serving,
    streamed,
    trickling,
    whole,
    within,
)
from PIL import Image

from saccade.errors import InputError
from saccade.geometry import Size
from saccade.models import Ask, Model, ModelError, open_model
from saccade.types import Message, Picture


@pytest.fixture(autouse=True)
def on_a_bare_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    forget_environment(monkeypatch, tmp_path)


def test_streamed_answer_with_its_counts_and_times() -> None:
    with asking(streamed("tap the button", pause=0.3), name="gpt-4o") as (model, server):
        (answer,) = ask(model, temperature=0.5, max_tokens=77, stop=("</link>",), seed=5, top_p=0.9)
    assert answer.text == "tap the button"
    assert answer.finish == "stop"
    assert answer.first_token is not None and 0.3 <= answer.first_token <= answer.seconds < 2
    assert (answer.usage.input, answer.usage.output, answer.usage.calls, answer.usage.retries) == (1200, 30, 1, 0)
    assert answer.usage.cost == pytest.approx((1000 * 2.5 + 200 * 1.25 + 30 * 10) / 1e6)
    (asked,) = server.asked
    assert asked.path == "/v1/chat/completions"
    assert "authorization" not in asked.headers
    assert asked.body == {
        "model": "gpt-4o",
        "messages": [{"role": "system", "content": "You act."}, {"role": "user", "content": "Tap 设置"}],
        "max_tokens": 77,
        "temperature": 0.5,
        "top_p": 0.9,
        "stop": ["</link>"],
        "seed": 5,
        "stream": True,
        "stream_options": {"include_usage": True},
    }


def test_whole_answer() -> None:
    with asking(whole("tap")) as (_, server), open_model("openai/x", base_url=server.url, stream=False) as model:
        (answer,) = ask(model)
        assert "stream" not in server.bodies[0] and "stream_options" not in server.bodies[0]
    assert (answer.text, answer.first_token, answer.usage.input, answer.usage.cost) == ("tap", None, 1200, 0.0)


def test_a_whole_answer_to_a_call_for_a_stream() -> None:
    with asking(whole("tap", finish="length")) as (model, _):
        (answer,) = ask(model)
    assert (answer.text, answer.finish) == ("tap", "length")


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (None, ""),
        ("", ""),
        (
            [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "tap"}, {"type": "text", "text": "!"}],
            "tap!",
        ),
    ],
)
def test_content_may_be_nothing_or_parts(content: Any, text: str) -> None:
    with asking(whole(content, reasoning_content="long thoughts")) as (model, _):
        assert ask(model)[0].text == text


def test_reasoning_is_no_part_of_the_text_but_starts_the_clock() -> None:
    chunks = (piece(0, None, reasoning_content="Hm "), piece(0, None, reasoning="hm"), piece(0, "tap", "stop"))
    with asking(events(*chunks, b"data: [DONE]\n\n")) as (model, _):
        (answer,) = ask(model)
    assert answer.text == "tap"
    assert answer.usage.output == 2  # eight bytes, with the reasoning


def test_characters_split_between_packets() -> None:
    text = "点击“设置”\u2028然后🙂返回"
    data = piece(0, text) + piece(0, None, "stop") + b"data: [DONE]\n\n"
    with asking(events(*(data[at : at + 1] for at in range(len(data))))) as (model, _):
        assert ask(model)[0].text == text


@pytest.mark.parametrize(
    "data",
    [
        piece(0, "tap").replace(b"\n", b"\r\n") + piece(0, None, "stop").replace(b"\n", b"\r\n"),
        piece(0, "tap") + piece(0, None, "stop").rstrip(b"\n"),
        b"event: message\n" + piece(0, "tap", "stop").replace(b"data: ", b"data:"),
        piece(0, "tap") + b"data: [DONE]\n\n",
    ],
    ids=["crlf", "no last line end", "no space", "no finish reason"],
)
def test_dialects_of_streams(data: bytes) -> None:
    with asking(events(data)) as (model, server):
        assert ask(model)[0].text == "tap"
        assert len(server.asked) == 1


def test_a_stream_that_does_not_say_that_it_is_one() -> None:
    with asking(raw(piece(0, "tap", "stop") + b"data: [DONE]\n\n", "text/plain")) as (model, _):
        assert ask(model)[0].text == "tap"


def test_a_stream_that_stays_open_after_its_last_word() -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    data = piece(0, "tap", "stop") + b"data: [DONE]\n\n"
    with asking(trickling(head + b"%x\r\n%b\r\n" % (len(data), data))) as (model, _), within(2):
        assert ask(model)[0].text == "tap"


def test_three_samples_interleaved() -> None:
    with asking(streamed("one a b", "two c", "three")) as (model, server):
        answers = ask(model, n=3, temperature=1.0)
        assert [body["n"] for body in server.bodies] == [3]
    assert [answer.text for answer in answers] == ["one a b", "two c", "three"]
    assert [answer.usage.input for answer in answers] == [1200, 0, 0]


def test_connections_are_used_again() -> None:
    with asking(FINE) as (model, server):
        for _ in range(4):
            ask(model)
        assert (len(server.asked), server.connections) == (4, 1)


def test_stop_strings_hold_also_where_the_server_knows_none() -> None:
    with asking(streamed("tap</link> and then</think> more")) as (model, _):
        assert ask(model, stop=("</think>", "</link>"))[0].text == "tap"


def test_where_nobody_counts_tokens_are_estimated() -> None:
    picture = Picture(drawn(Size(280, 560)), Size(280, 560), shown=Size(140, 280))
    messages = [Message("user", ("x" * 400, picture, "设置"))]
    with asking(streamed("y" * 40, usage=None), name="gpt-4o") as (model, _):
        (answer,) = model.complete(messages, Ask(deadline=8))
    assert (answer.usage.input, answer.usage.output) == (100 + 50 + 2, 10)
    assert answer.usage.cost == pytest.approx((152 * 2.5 + 10 * 10) / 1e6)


def drawn(size: Size) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", size, "white").save(file, "PNG")
    return file.getvalue()


def test_pictures_are_sent_at_the_size_at_which_they_are_to_be_seen(tmp_path: Path) -> None:
    file = tmp_path / "screen.png"
    file.write_bytes(drawn(Size(1080, 2400)))
    small = Picture(str(file), Size(1080, 2400), shown=Size(476, 1036))
    plain = Picture(lambda: drawn(Size(100, 50)))
    with asking(FINE) as (model, server):
        model.complete([Message("user", ("look: ", small, "", plain, "tap"))], Ask(deadline=8))
    body = server.bodies[0]
    assert [part["type"] for part in body["messages"][0]["content"]] == ["text", "image_url", "image_url", "text"]
    assert [picture.size for picture in pictures(body)] == [(476, 1036), (100, 50)]


def test_text_that_no_request_can_hold() -> None:
    with asking(FINE) as (model, server):
        model.complete([Message("user", ("half \ud83d a pair",))], Ask(deadline=8))
        assert server.bodies[0]["messages"][0]["content"] == "half ? a pair"


def test_extra_goes_into_the_request() -> None:
    with asking(FINE, extra={"top_k": 1, "temperature": 0.7}) as (model, server):
        ask(model, temperature=0.0)
        assert (server.bodies[0]["top_k"], server.bodies[0]["temperature"]) == (1, 0.7)


def test_threads_share_a_model() -> None:
    def echo(handler: Any) -> None:
        time.sleep(0.05)
        whole(handler.body["messages"][0]["content"])(handler)

    with asking(echo) as (model, _), ThreadPoolExecutor(8) as pool:
        texts = [f"number {at}" for at in range(24)]
        answers = list(pool.map(lambda t: model.complete([Message("user", (t,))], Ask(deadline=8))[0].text, texts))
    assert answers == texts


def test_inside_a_running_loop() -> None:
    """Playwright's calls run inside one."""

    async def main(model: Model) -> str:
        return ask(model)[0].text

    with asking(FINE) as (model, _):
        assert asyncio.run(main(model)) == "tap the button"


# --- the key ---

KEY = "sk-test-0123456789abcdef"


@pytest.mark.parametrize("from_environment", [False, True])
def test_the_key_is_sent_and_never_shown(
    from_environment: bool, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    if from_environment:
        monkeypatch.setenv("OPENAI_API_KEY", f" {KEY}\n")
    options = {} if from_environment else {"api_key": KEY}
    echoes: list[Behaviour] = [
        failing(401, f"Incorrect API key provided: {KEY}. Another: sk-proj-zyxwv98765"),
        failing(400, "x" * 280 + KEY + "y" * 2000),
        raw(f"not json {KEY}".encode()),
        events(event({"error": {"message": f"key {KEY} died"}})),
    ]
    shown = []
    for echo in echoes:
        with asking(echo, **options) as (model, server), pytest.raises((InputError, ModelError)) as caught:
            shown.append(f"{model!r} {model} {vars(model)}")
            ask(model, deadline=0.7)
        assert server.asked[0].headers["authorization"] == f"Bearer {KEY}"
        shown += [str(caught.value), repr(caught.value), "".join(traceback.format_exception(caught.value))]
    everything = "\n".join(shown) + caplog.text
    assert KEY not in everything and KEY[:12] not in everything and "zyxwv" not in everything
    assert "***" in everything


def test_the_key_in_a_redirect_is_not_shown() -> None:
    moved = failing(307, headers={"Location": f"http://127.0.0.1:1/?key={KEY}"})
    with asking(moved, api_key=KEY) as (model, _), pytest.raises(InputError, match=r"moved to .*key=\*\*\*"):
        ask(model)


def test_a_short_key_does_not_spoil_the_words() -> None:
    with asking(failing(401, "wrong text: x"), api_key="x") as (model, _), pytest.raises(InputError) as caught:
        ask(model)
    assert "wrong text: ***: check OPENAI_API_KEY" in str(caught.value)


def test_secrets_in_the_address_are_not_shown() -> None:
    with serving(failing(500)) as server:
        url = server.url.replace("http://", "http://me:hunter2@") + "?api-version=1&code=s3cret"
        with open_model("openai/x", base_url=url) as model, pytest.raises(ModelError) as caught:
            ask(model, deadline=0.3)
        assert server.asked[0].path == "/v1/chat/completions?api-version=1&code=s3cret"
    assert "hunter2" not in f"{model!r}{caught.value}" and "s3cret" not in f"{model!r}{caught.value}"


# --- opening ---


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("", {}, "needs the name"),
        ("x", {"base_url": "localhost:8000/v1"}, "not a web address"),
        ("x", {"base_url": "http://"}, "not a web address"),
        ("x", {"base_url": "http://[oops/v1"}, "not a web address"),
        ("x", {"base_url": "http://host:port/v1"}, "base URL is not valid"),
        ("x", {"api_key": "sk-密钥"}, "copy it again"),
        ("x", {"api_key": "two words"}, "copy it again"),
        ("x", {"extra": {"messages": [], "n": 2}}, "cannot set messages, n"),
        ("x", {"prices": "nowhere.yaml"}, "cannot read the prices nowhere.yaml"),
    ],
)
def test_wrong_options(name: str, options: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said) as caught:
        open_model(f"openai/{name}", **options)
    assert "密钥" not in str(caught.value)


def test_proxies_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "nonsense://proxy:1")
    with pytest.raises(InputError, match="ALL_PROXY"):
        open_model("openai/x", base_url="https://models.example/v1")
    with asking(FINE) as (model, _):  # not for this machine
        assert ask(model)[0].text == "tap the button"


def test_the_address_may_come_from_the_environment_or_be_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(FINE) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/chat/completions/")
        with open_model("openai/maker/x") as model:
            ask(model)
        assert (server.asked[0].path, server.bodies[0]["model"]) == ("/v1/chat/completions", "maker/x")
    monkeypatch.delenv("OPENAI_BASE_URL")
    assert "https://api.openai.com/v1" in repr(open_model("openai/x"))
