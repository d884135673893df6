"""Who may come in, and what a page may do.

- Loopback by default. Any other address needs a token, which is in the address that is printed once; it becomes a
  session cookie (HttpOnly, SameSite=Strict).
- Requests for another host name than ours are refused: a page of the internet could otherwise point its name at this
  machine and read everything (DNS rebinding).
- Whatever changes something needs the session's CSRF token, in a header or a form field, and our own Origin.
- The Content-Security-Policy allows scripts and styles of our own files alone, none inline: a text of a hostile page
  that reached the page as markup still could not run.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections import deque
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from saccade.studio.settings import StudioSettings, is_loopback

COOKIE = "saccade-studio"
CSRF_HEADER = "x-csrf-token"
CSRF_FIELD = "csrf"
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
LOGINS, LOGIN_SECONDS = 10, 60.0
"""Wrong tokens that are taken from all sides together in so many seconds."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",  # with `no-referrer` browsers send forms of our own pages with `Origin: null`
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


class Gatekeeper:
    """The outermost layer of the application."""

    def __init__(self, app: ASGIApp, settings: StudioSettings) -> None:
        self.app, self.settings = app, settings
        self.refused: deque[float] = deque()
        """When the last wrong tokens came."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        session = self._session(headers)
        problem = self._problem(scope, headers, session)
        if problem is not None:
            await problem(scope, receive, self._dressed(send, None))
            return
        fresh = None
        if session is None:
            session = fresh = secrets.token_urlsafe(24)
        scope.setdefault("state", {})
        scope["state"]["session"] = session
        scope["state"]["csrf"] = self.csrf(session)
        if scope["method"] not in SAFE and not await self._allowed_to_change(scope, receive, headers, session):
            answer = PlainTextResponse(
                "The page is too old, or the request came from another site: load it again.", 403
            )
            await answer(scope, receive, self._dressed(send, None))
            return
        await self.app(scope, scope.pop("studio.receive", receive), self._dressed(send, fresh))

    # -- who ----------------------------------------------------------------------------------------------------------

    def _problem(self, scope: Scope, headers: Headers, session: str | None) -> Response | None:
        host = urlsplit(f"//{headers.get('host', '')}").hostname or ""
        known = is_loopback(host) if self.settings.loopback else bool(host)
        if not known:
            return PlainTextResponse("This studio answers under its own address only.", 421)
        if not self.settings.token or session is not None:
            return None
        given = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token", [""])[0]
        if not given:
            return PlainTextResponse("Open the address that the studio printed when it started: it has a token.", 401)
        now = time.monotonic()
        while self.refused and now - self.refused[0] > LOGIN_SECONDS:
            self.refused.popleft()
        if len(self.refused) >= LOGINS:
            return PlainTextResponse("Too many wrong tokens: wait a minute.", 429)
        if not hmac.compare_digest(given.encode(), self.settings.token.encode()):
            self.refused.append(now)
            return PlainTextResponse("That is not the token.", 401)
        answer = RedirectResponse(scope["path"], 303)  # without the token in the address
        self._set_cookie(answer.headers, secrets.token_urlsafe(24))
        return answer

    def _session(self, headers: Headers) -> str | None:
        """The session whose cookie we have signed."""
        found = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
        name, _, signed = (found.value if found else "").rpartition(".")
        return name if name and hmac.compare_digest(signed, self._sign("session", name)) else None

    def _sign(self, what: str, name: str) -> str:
        return hmac.new(self.settings.secret, f"{what}/{name}".encode(), hashlib.sha256).hexdigest()

    def csrf(self, session: str) -> str:
        """The token that forms of this session carry."""
        return self._sign("csrf", session)

    def _set_cookie(self, headers: MutableHeaders, session: str) -> None:
        value = f"{session}.{self._sign('session', session)}"
        headers.append("set-cookie", f"{COOKIE}={value}; Path=/; HttpOnly; SameSite=Strict")

    # -- what ---------------------------------------------------------------------------------------------------------

    async def _allowed_to_change(self, scope: Scope, receive: Receive, headers: Headers, session: str) -> bool:
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc != headers.get("host"):
            return False
        given = headers.get(CSRF_HEADER, "")
        if not given and headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
            body = await Request(scope, receive).body()
            given = parse_qs(body.decode("utf-8", "replace")).get(CSRF_FIELD, [""])[0]
            scope["studio.receive"] = _again(body)
        return hmac.compare_digest(given, self.csrf(session))

    def _dressed(self, send: Send, fresh: str | None) -> Send:
        async def dressed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    if name not in headers:
                        headers[name] = value
                if fresh is not None:
                    self._set_cookie(headers, fresh)
            await send(message)

        return dressed


def _again(body: bytes) -> Receive:
    """A receiver that gives a body which has been read once more."""
    parts: list[Any] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Message:
        return parts.pop() if parts else {"type": "http.disconnect"}

    return receive
