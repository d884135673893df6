"""Sentence embeddings of a server with OpenAI's /embeddings API."""

from __future__ import annotations

import concurrent.futures
import time
from collections.abc import Sequence
from typing import Any

import httpx2
import msgspec
import numpy as np

from saccade.errors import InputError
from saccade.models.base import Ask, ModelError
from saccade.models.chat_response import INVALID_TRIES, RetryableError, whole_body
from saccade.models.openai import OpenAIChat
from saccade.models.prices import load_prices
from saccade.models.server_access import server_address, server_key
from saccade.scoring.embedding_similarity import Vectors
from saccade.untrusted import decode_json

DEADLINE = 120.0


class _Embedding(msgspec.Struct):
    embedding: list[float]
    index: int | None = None


class _Answer(msgspec.Struct):
    data: list[_Embedding]


class ServerEmbedder(OpenAIChat):
    """An embedding model on a server, with the chat client's retries, deadline and messages."""

    endpoint = "/embeddings"

    def __init__(self, model: str, address: str = "") -> None:
        url = server_address(address or None)
        if url.userinfo:
            raise InputError("the address of the embeddings has a password in it: put the key into OPENAI_API_KEY")
        super().__init__(model, url, server_key(), load_prices(None), stream=False, extra={})

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One call for all texts."""
        end = time.monotonic() + DEADLINE
        body = {"model": self.model, "input": list(texts), "encoding_format": "float"}
        try:
            answer, _ = self._background.run(self._exchange(body, Ask(deadline=DEADLINE), end), DEADLINE + 0.5)
        except (TimeoutError, concurrent.futures.CancelledError):
            raise ModelError(f"{self.name} at {self.where} did not answer within {DEADLINE:g} s") from None
        return np.asarray(answer, np.float32)

    async def _read(self, response: httpx2.Response, started: float, body: dict[str, Any]) -> Any:
        try:
            answer = decode_json(await whole_body(response), _Answer)
        except msgspec.DecodeError as error:
            raise RetryableError(f"an answer of the wrong shape ({error})", tries=INVALID_TRIES) from None
        rows = sorted(answer.data, key=lambda each: each.index or 0)
        vectors = [each.embedding for each in rows]
        if len(vectors) != len(body["input"]) or len({len(each) for each in vectors}) != 1:
            raise RetryableError(f"{len(vectors)} embeddings for {len(body['input'])} texts", tries=INVALID_TRIES)
        return vectors
