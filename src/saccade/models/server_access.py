"""How a model server is reached: its address, the API key, and the HTTP client that has both."""

from __future__ import annotations

import os
import re

import httpx2

from saccade.errors import InputError
from saccade.models.call_gate import MOST_IN_FLIGHT

PUBLIC = "https://api.openai.com/v1"
CONNECT_SECONDS = 10.0


class ApiKey:
    """An API key that does not appear in messages and logs."""

    def __init__(self, value: str) -> None:
        if not re.fullmatch(r"[!-~]*", value):
            raise InputError(
                "the API key contains characters that no key has (spaces, non-ASCII letters): copy it again"
            )
        self._value = value

    def __bool__(self) -> bool:
        return bool(self._value)

    def __repr__(self) -> str:
        return "ApiKey(…)"

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._value}"} if self._value else {}

    def redact(self, text: str) -> str:
        """The text without this key and without anything that looks like another key."""
        if self._value:
            edge = "" if len(self._value) > 7 else r"\b"  # a key such as `x` must not be cut out of other words
            text = re.sub(edge + re.escape(self._value) + edge, "***", text)
        return re.sub(r"\bsk-[\w*-]{6,}", "sk-***", text)


def http_client(key: ApiKey, address: httpx2.URL) -> httpx2.AsyncClient:
    """A client for one server; proxies of the environment are used for other machines only."""
    local = address.host == "localhost" or address.host.startswith("127.") or address.host == "::1"
    try:
        return httpx2.AsyncClient(
            headers=key.headers,
            verify=address.scheme == "https",  # loading the certificates is slow
            timeout=httpx2.Timeout(None, connect=CONNECT_SECONDS),
            limits=httpx2.Limits(max_connections=None, max_keepalive_connections=MOST_IN_FLIGHT),
            trust_env=not local,  # no proxy for servers on this machine
        )
    except (ValueError, ImportError):
        raise InputError(
            "the proxy in HTTP_PROXY, HTTPS_PROXY or ALL_PROXY cannot be used: correct or unset it"
        ) from None


def _address(text: str) -> httpx2.URL:
    try:
        url = httpx2.URL(text.strip().rstrip("/").removesuffix("/chat/completions"))
    except httpx2.InvalidURL:
        raise InputError("the base URL is not valid: write it as http://127.0.0.1:8000/v1") from None
    if url.scheme not in ("http", "https") or not re.fullmatch(r"[\w.:-]+", url.host):
        shown = text.partition("?")[0].rpartition("@")[2]
        raise InputError(f"the base URL {shown!r} is not a web address: write it as http://127.0.0.1:8000/v1")
    return url


def server_address(base_url: str | None = None) -> httpx2.URL:
    """The server's address: as given, else from OPENAI_BASE_URL, else OpenAI's own."""
    return _address(base_url or os.environ.get("OPENAI_BASE_URL") or PUBLIC)


def server_key(api_key: str | None = None) -> ApiKey:
    """The key: as given, else from OPENAI_API_KEY."""
    return ApiKey((api_key if api_key is not None else os.environ.get("OPENAI_API_KEY", "")).strip())
