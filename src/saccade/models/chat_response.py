"""Reads the responses of chat servers: answers, streamed or whole, and errors.

Servers that claim to be compatible differ in details, so this is tolerant: a response requested as a stream may come
whole, a stream may end without `[DONE]`, an error may come with status 200.
"""

from __future__ import annotations

import asyncio
import re
import time
import zlib
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx2
import msgspec

from saccade.models.prices import Tokens
from saccade.untrusted import JsonDecoder, decode_json

MAX_CHARACTERS = 1_000_000
"""Most characters of all choices together; a longer answer comes from a broken model and is cut."""
MAX_BODY = 32_000_000
"""Most bytes of a whole answer, or of one line of a stream."""
LONGEST_ERROR = 100_000
"""Bytes of an error's page that are looked at: its first sentence is what a person is told."""
PACKINGS = ("gzip", "x-gzip", "deflate")
PIECE = 1 << 20
_UNSEEN = re.compile(r"<(script|style)\b", re.IGNORECASE)
_ENDS = {name: re.compile(rf"</{name}", re.IGNORECASE) for name in ("script", "style")}
INVALID_TRIES = 5
"""Tries after which a server that sends invalid answers is given up."""
OPTIONAL = ("stream_options", "stream", "n", "seed", "top_p", "stop", "temperature", "max_tokens")
"""Parameters that a server may refuse. A refused one is left out from then on; `max_tokens` becomes
`max_completion_tokens`."""
TOO_LONG = re.compile(r"too (?:large|long|many tokens)|context.{0,10}(?:length|window|size)|maximum.{0,20}tokens", re.I)
_AFTER_DONE = 0.25
"""Seconds to wait for the end of the stream after `[DONE]`."""
_AFTER_LAST_CHOICE = 2.0
"""Seconds to wait for the token counts after the last choice has finished."""


class RetryableError(Exception):
    """A failed try that may succeed the next time."""

    def __init__(self, words: str, *, wait: float | None = None, tries: int | None = None, busy: bool = False) -> None:
        super().__init__(words)
        self.wait = wait
        """Seconds to wait, if the server asks for it."""
        self.tries = tries
        """Give up after this many tries; None: try until the deadline."""
        self.busy = busy
        """Is the server full?"""


class UnreachableError(RetryableError):
    """The connection could not be opened."""


class RefusalError(Exception):
    """The server refuses the request, and would do so again: its message and the parameter that it names."""

    def __init__(self, status: int, words: str, parameter: str = "", code: str = "") -> None:
        super().__init__(words)
        self.status = status
        self.parameter = parameter
        self.code = code


@dataclass(slots=True)
class Choice:
    """One sample, as far as it has been received."""

    pieces: list[str] = field(default_factory=list)
    refusal: list[str] = field(default_factory=list)
    thought: int = 0
    """Bytes of reasoning: they cost tokens but are not part of the answer."""
    finish: str | None = None
    first: float | None = None

    @property
    def text(self) -> str:
        return "".join(self.pieces) or "".join(self.refusal)


class _Delta(msgspec.Struct):
    content: str | list[Any] | None = None
    refusal: str | None = None
    reasoning_content: Any = None
    reasoning: Any = None


class _Choice(msgspec.Struct):
    index: int | None = None
    delta: _Delta | None = None
    message: _Delta | None = None
    finish_reason: str | None = None


class _Piece(msgspec.Struct):
    choices: list[_Choice] | None = None
    usage: Any = None
    error: Any = None


_PIECE = JsonDecoder(_Piece)


class ChatResponse:
    """All samples of one response."""

    def __init__(self, started: float) -> None:
        self.started = started
        self.choices: dict[int, Choice] = {}
        self.tokens: Tokens | None = None
        self.done = False
        """Whether `[DONE]` was received, or the answer was cut."""
        self.seconds = 0.0
        self._characters = 0

    @property
    def finished(self) -> bool:
        """Have all samples received so far finished?"""
        return bool(self.choices) and all(choice.finish for choice in self.choices.values())

    @property
    def texts(self) -> list[Choice]:
        return [self.choices[index] for index in sorted(self.choices)]

    @property
    def written(self) -> int:
        """Bytes of all texts, including reasoning."""
        return sum(len(choice.text.encode("utf-8", "replace")) + choice.thought for choice in self.texts)

    def take_line(self, line: bytes) -> None:
        """Take one line of an event stream. Comments, event names and empty lines are ignored."""
        if not line.startswith(b"data:"):
            return
        data = line[5:].strip()
        if data == b"[DONE]":
            self.done = True
        elif data:
            self.take(data, streamed=True)

    def take(self, data: bytes, streamed: bool = False) -> None:
        """Take one JSON object: a part of the answer, or all of it."""
        try:
            piece = _PIECE.decode(data)
        except msgspec.ValidationError as error:
            raise RetryableError(f"an answer of the wrong shape ({error})", tries=INVALID_TRIES) from None
        except msgspec.DecodeError:
            raise RetryableError(
                f"an answer that is not JSON: {shorten(decoded(data))!r}", tries=INVALID_TRIES
            ) from None
        if piece.error:
            raise hidden_error(data)
        if piece.choices is None and not streamed:
            raise RetryableError("an answer without `choices`", tries=INVALID_TRIES)
        for at, choice in enumerate(piece.choices or ()):
            self._add(at if choice.index is None else choice.index, choice, streamed)
        self.tokens = read_tokens(piece.usage) or self.tokens

    def _add(self, index: int, new: _Choice, streamed: bool) -> None:
        choice = self.choices.setdefault(index, Choice())
        delta = new.delta or new.message or _Delta()
        text, thought = _text_of(delta.content), delta.reasoning_content or delta.reasoning or ""
        thought = thought if isinstance(thought, str) else ""
        if streamed and choice.first is None and (text or thought):
            choice.first = time.monotonic() - self.started
        choice.pieces.append(text)
        choice.refusal.append(delta.refusal or "")
        choice.thought += len(thought.encode("utf-8", "replace"))
        choice.finish = new.finish_reason or choice.finish or (None if streamed else "stop")
        self._characters += len(text) + len(thought)
        if self._characters > MAX_CHARACTERS:
            for each in self.choices.values():
                each.finish = each.finish or "length"
            self.done = True


def _text_of(content: str | list[Any] | None) -> str:
    """The text of a content field: null, a string, or a list of parts of which some are text."""
    if not isinstance(content, list):
        return content or ""
    texts = [
        part.get("text") if isinstance(part, dict) and part.get("type", "text") == "text" else part for part in content
    ]
    return "".join(text for text in texts if isinstance(text, str))


def read_tokens(usage: Any) -> Tokens | None:
    """The server's token counts, if it sends them in the usual form."""
    if not isinstance(usage, Mapping):
        return None
    details = usage.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, Mapping) else usage.get("prompt_cache_hit_tokens")
    counts = [usage.get("prompt_tokens"), usage.get("completion_tokens", 0), cached or 0]
    if not all(isinstance(count, int) and count >= 0 for count in counts):
        return None
    return Tokens(*counts)


async def read_answer(response: httpx2.Response, started: float, samples: int) -> ChatResponse:
    """Read the body of a successful response. Raises `RetryableError` if the answer is incomplete or invalid."""
    answer = ChatResponse(started)
    try:
        if response.headers.get("content-type", "").lower().startswith("text/event-stream"):
            await _read_events(response, answer, samples)
        else:
            await _read_body(response, answer)
    except httpx2.TransportError as error:
        if not answer.finished:
            raise RetryableError(f"the answer broke off ({error or type(error).__name__})") from None
    if not answer.choices:
        raise RetryableError("an answer without any choice", tries=INVALID_TRIES)
    if not (answer.done or answer.finished):
        raise RetryableError("the answer ended half-way")
    answer.seconds = time.monotonic() - started
    return answer


async def _read_events(response: httpx2.Response, answer: ChatResponse, samples: int) -> None:
    """Read until `[DONE]`, then only as long as it takes to free the connection for the next call."""
    now, hurried = asyncio.get_running_loop().time, False
    try:
        async with asyncio.timeout(None) as patience:
            async for line in _lines(response):
                if answer.done:
                    continue
                answer.take_line(line)
                if answer.done:
                    patience.reschedule(now() + _AFTER_DONE)
                elif not hurried and answer.finished and len(answer.choices) >= samples:
                    hurried = True  # only the token counts may still come
                    patience.reschedule(now() + _AFTER_LAST_CHOICE)
    except TimeoutError:
        pass


async def _lines(response: httpx2.Response) -> AsyncIterator[bytes]:
    """Lines as bytes: a character may be split between two packets, and only `\\n` and `\\r` end a line (JSON may
    contain other line separators).
    """
    pieces, length = list[bytes](), 0
    async for data in unpacked_bytes(response):
        first, *others = data.replace(b"\r", b"\n").split(b"\n")
        pieces.append(first)
        length += len(first)
        if length > MAX_BODY:
            raise RetryableError("an answer that does not end", tries=INVALID_TRIES)
        if others:
            yield b"".join(pieces)
            for line in others[:-1]:
                yield line
            pieces, length = [others[-1]], len(others[-1])
    yield b"".join(pieces)


async def unpacked_bytes(response: httpx2.Response) -> AsyncIterator[bytes]:
    """The body, unpacked a bounded piece at a time: a few kilobytes of a packed answer can stand for gigabytes."""
    packing = response.headers.get("content-encoding", "").strip().lower()
    if packing not in ("", "identity", *PACKINGS):
        raise RetryableError(f"an answer packed by {packing[:20]!r}, which was not asked for", tries=INVALID_TRIES)
    unpacker = zlib.decompressobj(47) if packing in PACKINGS else None
    async for data in response.aiter_raw():
        if unpacker is None:
            yield data
            continue
        rest = data
        while rest:
            try:
                yield unpacker.decompress(rest, PIECE)
            except zlib.error as error:
                raise RetryableError(f"an answer that cannot be unpacked ({error})", tries=INVALID_TRIES) from None
            rest = unpacker.unconsumed_tail


async def _read_body(response: httpx2.Response, answer: ChatResponse) -> None:
    body = await whole_body(response)
    if body.lstrip().startswith(b"data:"):  # a stream with the wrong content type
        for line in body.replace(b"\r", b"\n").split(b"\n"):
            answer.take_line(line)
    else:
        answer.take(body)


async def whole_body(response: httpx2.Response, most: int = MAX_BODY) -> bytes:
    pieces, length = [], 0
    async for data in unpacked_bytes(response):
        pieces.append(data)
        length += len(data)
        if length > most:
            raise RetryableError("an answer that does not end", tries=INVALID_TRIES)
    return b"".join(pieces)


def read_refusal(status: int, body: bytes) -> RefusalError:
    """The error message of a server; servers use many different formats."""
    try:
        value = decode_json(body)
    except msgspec.DecodeError:
        text = decoded(body[:LONGEST_ERROR])
        return RefusalError(status, shorten(without_tags(text) if text.lstrip().startswith("<") else text))
    if isinstance(value, list) and value:
        value = value[0]
    error = value.get("error", value) if isinstance(value, dict) else value
    if not isinstance(error, dict):
        return RefusalError(status, shorten(str(error)))
    detail = error.get("detail")
    if isinstance(detail, list) and detail and isinstance(detail[0], dict):  # pydantic's format
        place = [str(step) for step in detail[0].get("loc") or [""]]
        return RefusalError(status, shorten(f"{'.'.join(place)}: {detail[0].get('msg', '')}"), place[-1])
    words = error.get("message") or detail or error.get("msg") or decoded(body)
    code = error.get("code") or error.get("type") or ""
    return RefusalError(status, shorten(str(words)), str(error.get("param") or ""), str(code))


def without_tags(text: str) -> str:
    """The text of an HTML page without its tags, scripts and styles. Each character is looked at once: a page of
    nothing but `<script` must not take time that grows with the square of its length.
    """
    parts, at = [], 0
    while (begin := text.find("<", at)) >= 0:
        parts.append(text[at:begin])
        unseen = _UNSEEN.match(text, begin)
        end = _ENDS[unseen[1].lower()].search(text, begin) if unseen else None
        if unseen and end is None:
            return " ".join(parts)
        at = text.find(">", end.end() if end else begin) + 1
        if at == 0:
            return " ".join([*parts, text[begin:]])
    return " ".join([*parts, text[at:]])


def hidden_error(data: bytes) -> Exception:
    """An error in a response with status 200: with a 4xx code of its own it is a refusal, else it is retried."""
    refusal = read_refusal(500, data)
    if refusal.code.isdigit() and 400 <= int(refusal.code) < 500 and int(refusal.code) not in (408, 409, 425, 429):
        refusal.status = int(refusal.code)
        return refusal
    return RetryableError(f"an error in its answer: {refusal}")


def refused_parameter(refusal: RefusalError, sent: Mapping[str, Any]) -> str | None:
    """The optional parameter that a server refuses, or None."""
    if refusal.status not in (400, 422) or TOO_LONG.search(str(refusal)):
        return None
    if refusal.parameter in OPTIONAL and refusal.parameter in sent:
        return refusal.parameter
    if "n" in sent and re.search(r"only one (?:completion )?choice", str(refusal), re.I):
        return "n"
    named = [name for name in OPTIONAL if name in sent and re.search(_named(name), str(refusal))]
    return named[0] if named else None


def _named(name: str) -> str:
    """A pattern for a parameter name in an error message. Common words such as `stop` match only in quotes or next to a
    word such as "parameter".
    """
    if "_" in name or name in ("seed", "temperature"):
        return rf"\b{name}\b"
    return rf"['\"`]{name}['\"`]|\b(?:parameter|argument|field|supplied|name):? {name}\b|^{name}\b|\b{name} (?:must|>)"


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that a server asks to wait: as a number, in milliseconds, or as a date."""
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        value = headers.get(name, "").strip()
        if re.fullmatch(r"\d+(?:\.\d+)?", value):
            return float(value) / unit
    try:
        when = parsedate_to_datetime(headers.get("retry-after", ""))
    except ValueError:
        return None
    when = when if when.tzinfo else when.replace(tzinfo=UTC)
    return max(0.0, (when - datetime.now(UTC)).total_seconds())


def decoded(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def shorten(text: str, most: int = 2000) -> str:
    """The text on one line, cut to `most` characters."""
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 1] + "…"
