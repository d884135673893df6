"""Chat models on any server with OpenAI's chat completions API: vLLM, SGLang, llama.cpp, and most commercial ones.

Servers fail, stall, refuse parameters and drop connections. Every call ends by its deadline: with an answer, with an
`InputError` if the user must change something, or with a `ModelError` that says what happened and after how many tries.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import random
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import httpx2
import msgspec

from saccade.errors import InputError
from saccade.models.background_loop import BackgroundLoop
from saccade.models.base import Ask, Completion, Model, ModelError, Usage
from saccade.models.call_gate import CallGate
from saccade.models.chat_response import (
    TOO_LONG,
    ChatResponse,
    RefusalError,
    RetryableError,
    UnreachableError,
    read_answer,
    read_refusal,
    refused_parameter,
    retry_after,
    shorten,
    whole_body,
)
from saccade.models.pictures import data_url
from saccade.models.prices import Prices, estimate, load_prices
from saccade.models.server_access import ApiKey, http_client, server_address, server_key
from saccade.types import Message, Picture

FIRST_WAIT, LONGEST_WAIT = 0.5, 20.0
ACCESS_SECONDS = 12.0
"""How long the first question may take, whether there is a server at all."""
UNAUTHORIZED = 401
UNREACHABLE_TRIES = 5
"""Tries for a server that has never answered: it is more likely missing than busy, so the user is told soon."""
RETRIED_STATUSES = {408, 409, 425, 429}
BUSY_STATUSES = {429, 503}
_NO_CREDIT = ("insufficient_quota", "billing_hard_limit_reached")


class OpenAIChat(Model):
    """One model at one address. It remembers which parameters the server refuses. Threads may share it."""

    endpoint = "/chat/completions"

    def __init__(
        self, name: str, address: httpx2.URL, key: ApiKey, prices: Prices, stream: bool, extra: dict[str, Any]
    ):
        self.name = f"openai/{name}"
        self.model = name
        self.where = str(address.copy_with(userinfo=b"", query=None)).rstrip("/")
        """The address without user name, password and query, which may be secret."""
        self.price = prices.of(name)
        self.stream = stream
        self.extra = extra
        self.refused: set[str] = set()
        self._key = key
        self._url = address.copy_with(path=address.path.rstrip("/") + self.endpoint)
        self._reached = False
        self._gate = CallGate()
        self._client = http_client(key, address)
        self._background = BackgroundLoop(self._client.aclose)

    def __repr__(self) -> str:
        return f"<{self.name} at {self.where}>"

    def complete(self, messages: Sequence[Message], ask: Ask) -> list[Completion]:
        end = time.monotonic() + ask.deadline
        body = self._body(messages, ask)  # in this thread: some pictures can only be read in the thread of their world
        try:
            results = self._background.run(self._samples(body, ask, end), max(0.0, end - time.monotonic()) + 0.5)
        except TimeoutError:
            raise ModelError(f"{self._who} did not answer within {ask.deadline:g} s") from None
        except concurrent.futures.CancelledError:
            raise ModelError(f"{self.name} was closed") from None
        return self._completions(results, messages, ask)

    def check_access(self) -> None:
        """Ask for the list of models, until an answer came once: a server that is not there, or wants another key,
        says so here. What else it answers means nothing: not all servers have the list.
        """
        if self._reached:
            return
        try:
            self._background.run(self._list(), ACCESS_SECONDS)
        except TimeoutError:
            return  # a slow server is not a missing one

    async def _list(self) -> None:
        url = self._url.copy_with(path=self._url.path.removesuffix(self.endpoint) + "/models")
        problem = ""
        for _ in range(UNREACHABLE_TRIES):
            try:
                async with self._client.stream("GET", url) as response:
                    self._reached = True
                    if response.status_code == UNAUTHORIZED:
                        refusal = read_refusal(UNAUTHORIZED, await whole_body(response, 1_000_000))
                        raise self._explained(refusal)
                return
            except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
                problem = _reason(error)
            except httpx2.RequestError:
                return  # it answers in some way
            await asyncio.sleep(FIRST_WAIT)
        raise InputError(f"{self._who} cannot be reached ({_times(UNREACHABLE_TRIES)}): {problem}: check the base URL")

    def close(self) -> None:
        self._background.close()

    @property
    def _who(self) -> str:
        return f"{self.name} at {self.where}"

    def _body(self, messages: Sequence[Message], ask: Ask) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self.model,
            "messages": [{"role": message.role, "content": _content(message)} for message in messages],
            "max_tokens": ask.max_tokens,
            "temperature": ask.temperature,
        }
        if ask.n > 1:
            body["n"] = ask.n
        if ask.top_p != 1.0:
            body["top_p"] = ask.top_p
        if ask.stop:
            body["stop"] = list(ask.stop)
        if ask.seed is not None:
            body["seed"] = ask.seed
        if self.stream:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        return body | self.extra

    def _fitted(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """The request without the parameters that this server is known to refuse."""
        fitted = {name: value for name, value in body.items() if name not in self.refused}
        if "max_tokens" in self.refused and "max_tokens" in body:
            fitted.setdefault("max_completion_tokens", body["max_tokens"])
        if "stream" not in fitted:
            fitted.pop("stream_options", None)
        return fitted

    async def _samples(self, body: dict[str, Any], ask: Ask, end: float) -> list[tuple[ChatResponse, int]]:
        """All samples: in one call if the server supports `n`, otherwise one call each, with different seeds."""
        results = [await self._exchange(body, ask, end)]
        missing = ask.n - len(results[0][0].choices)
        if missing <= 0:
            return results
        self.refused.add("n")
        single = [body | ({"seed": ask.seed + at} if ask.seed is not None else {}) for at in range(1, missing + 1)]
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self._exchange(each, ask, end)) for each in single]
        except ExceptionGroup as several:
            raise several.exceptions[0] from None
        return results + [task.result() for task in tasks]

    async def _exchange(self, body: dict[str, Any], ask: Ask, end: float) -> tuple[Any, int]:
        """One answer (of a subclass: what it reads), and the number of failed tries before it."""
        tries, last = 0, ""
        try:
            async with asyncio.timeout_at(end):
                while True:
                    tries += 1
                    sent = self._fitted(body)
                    try:
                        async with self._gate:
                            began = time.monotonic()
                            answer = await self._once(sent)
                        self._gate.answered(time.monotonic() - began)
                        return answer, tries - 1
                    except (RefusalError, RetryableError) as error:
                        problem = error  # an exception raised in here would show the server's text in its traceback
                    if isinstance(problem, RetryableError):
                        if problem.busy:
                            self._gate.refused()
                        last = f": {self._words(problem)}"
                        await asyncio.sleep(self._wait(problem, tries, end))
                    elif parameter := refused_parameter(problem, sent):
                        self.refused.add(parameter)
                    else:
                        raise self._explained(problem)
        except TimeoutError:
            raise self._gone(f"did not answer within {ask.deadline:g} s", tries, last) from None

    def _wait(self, trouble: RetryableError, tries: int, end: float) -> float:
        """Seconds to wait before the next try. Raises if there is to be no other try."""
        left, said = end - time.monotonic(), f": {self._words(trouble)}"
        if trouble.wait is not None and trouble.wait > left:
            raise self._gone(f"asks to wait {trouble.wait:g} s, but only {max(left, 0):.1f} s are left", tries, said)
        if trouble.tries is not None and tries >= trouble.tries:
            if isinstance(trouble, UnreachableError):
                raise InputError(f"{self._who} cannot be reached ({_times(tries)}){said}: check the base URL")
            raise self._gone("gave no answer", tries, said)
        longest = LONGEST_WAIT
        if trouble.busy and self._gate.usual_seconds is not None:  # a full server is free again after an answer's time
            longest = min(longest, max(FIRST_WAIT, self._gate.usual_seconds))
        pause = random.uniform(0, min(longest, FIRST_WAIT * 2 ** min(tries - 1, 10)))
        if trouble.wait is not None:
            pause = trouble.wait + min(pause, 1.0, (left - trouble.wait) / 2)  # spread the retries of parallel calls
        if pause >= left:
            raise self._gone("gave no answer", tries, said)
        return pause

    def _gone(self, what: str, tries: int, said: str) -> ModelError:
        return ModelError(f"{self._who} {what} ({_times(tries)}){said}")

    async def _once(self, body: dict[str, Any]) -> Any:
        started = time.monotonic()
        content = msgspec.json.encode(body)
        headers = {
            "Content-Type": "application/json",
            "Accept": "text/event-stream, application/json",
            "Accept-Encoding": "gzip",
        }
        try:
            async with self._client.stream("POST", self._url, content=content, headers=headers) as response:
                self._reached = True
                if not response.is_success:
                    await self._complain(response)
                return await self._read(response, started, body)
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
            raise UnreachableError(_reason(error), tries=None if self._reached else UNREACHABLE_TRIES) from None
        except httpx2.RequestError as error:
            raise RetryableError(f"the connection broke ({_reason(error)})") from None

    async def _read(self, response: httpx2.Response, started: float, body: dict[str, Any]) -> Any:
        return await read_answer(response, started, body.get("n", 1))

    async def _complain(self, response: httpx2.Response) -> None:
        """Raise the error for a bad status: `RetryableError` if it may be temporary, else `RefusalError`."""
        status = response.status_code
        refusal = read_refusal(status, await whole_body(response, 1_000_000))
        if response.has_redirect_location:
            refusal.args = (f"the address has moved to {response.headers['location']}",)
        temporary = status in RETRIED_STATUSES or (status >= 500 and status not in (501, 505))
        if temporary and refusal.code not in _NO_CREDIT:
            said = f": {refusal}" if str(refusal) else ""
            wait, busy = retry_after(response.headers), status in BUSY_STATUSES
            raise RetryableError(f"{status} {response.reason_phrase}{said}", wait=wait, busy=busy)
        raise refusal

    def _explained(self, refusal: RefusalError) -> InputError:
        words = self._words(refusal).rstrip(".") or "no reason given"
        return InputError(f"{self._who} refused the request ({refusal.status}): {words}: {self._advice(refusal)}")

    def _advice(self, refusal: RefusalError) -> str:
        if refusal.code in _NO_CREDIT or refusal.status == 402:
            return "the account has no credit left"
        if refusal.status == 413 or TOO_LONG.search(str(refusal)):
            return (
                "send less (a shorter history, smaller pictures, fewer new tokens) or use a model with a longer context"
            )
        match refusal.status:
            case 401:
                return "check OPENAI_API_KEY" if self._key else "set OPENAI_API_KEY"
            case 403:
                return "this key may not use this model: check both"
            case 404 | 405 | 501:
                return "check the model's name and the base URL (most end in /v1)"
            case status if 300 <= status < 400:
                return "use that address as the base URL"
        return "check the model and its options"

    def _words(self, error: Exception) -> str:
        """The error text, shortened and without keys and the password of the address."""
        text = self._key.redact(str(error))
        return shorten(text.replace(self._url.password, "***") if self._url.password else text, 300)

    def _completions(
        self, results: list[tuple[ChatResponse, int]], messages: Sequence[Message], ask: Ask
    ) -> list[Completion]:
        total = Usage()
        for answer, retries in results:
            tokens = answer.tokens or estimate(messages, answer.written)
            cost = self.price.cost(tokens) if self.price else 0.0
            total += Usage(input=tokens.read, output=tokens.written, cost=cost, calls=1, retries=retries)
        samples = [(choice, answer) for answer, _ in results for choice in answer.texts][: ask.n]
        return [
            Completion(
                text=_cut(choice.text, ask.stop),
                usage=total if at == 0 else Usage(),
                seconds=answer.seconds,
                first_token=choice.first,
                finish="length" if choice.finish in ("length", "max_tokens") else "stop",
            )
            for at, (choice, answer) in enumerate(samples)
        ]


def _content(message: Message) -> str | list[dict[str, Any]]:
    """Plain text if there is no picture: not every server accepts a list of parts in every role."""
    parts = [part if isinstance(part, Picture) else _sendable(part) for part in message.content]
    texts = [part for part in parts if isinstance(part, str)]
    if len(texts) == len(parts):
        return "".join(texts)
    return [
        {"type": "text", "text": part}
        if isinstance(part, str)
        else {"type": "image_url", "image_url": {"url": data_url(part)}}
        for part in parts
        if part != ""
    ]


def _sendable(text: str) -> str:
    """The text without lone surrogates, which web pages may contain but a request cannot."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _cut(text: str, stop: Sequence[str]) -> str:
    """Cut at the first stop string, in case the server does not support `stop`."""
    return text[: min((at for word in stop if word and (at := text.find(word)) >= 0), default=len(text))]


def _reason(error: Exception) -> str:
    return shorten(str(error), 120) or type(error).__name__


def _times(tries: int) -> str:
    return "1 try" if tries == 1 else f"{tries} tries"


def open_openai(
    name: str,
    *,
    base_url: str | None = None,
    api_key: str | None = None,
    prices: str | Path | None = None,
    stream: bool = True,
    extra: Mapping[str, Any] | None = None,
    **_: Any,
) -> Model:
    """Open a model by the name that its server uses. `extra` is added to every request (`{"top_k": 1}`)."""
    if not name:
        raise InputError("openai/ needs the name of the model, as in openai/gpt-4o")
    fixed = {"messages", "model", "n", "stream", "stream_options"} & set(extra or {})
    if fixed:
        raise InputError(f"`extra` cannot set {', '.join(sorted(fixed))}: these are set by Saccade")
    address, key = server_address(base_url), server_key(api_key)
    return OpenAIChat(name, address, key, load_prices(prices), stream, dict(extra or {}))
