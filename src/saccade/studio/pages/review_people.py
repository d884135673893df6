"""What the review's routes share: who is reviewing, and how a request is read."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import unquote

from fastapi import Request

from saccade.errors import InputError
from saccade.studio.rendering import language_of, phrase_or
from saccade.studio.review.queue import check_person

if TYPE_CHECKING:
    from saccade.studio.app import Studio

PERSON_COOKIE = "reviewer"
MOST_BODY = 4 * 2**20


def studio_of(request: Request) -> Studio:
    """The studio that serves this request."""
    found: Studio = request.app.state.studio
    return found


def reviewer(request: Request) -> str:
    """The name that this browser gave, else that of the studio's settings."""
    try:
        return check_person(unquote(request.cookies.get(PERSON_COOKIE, "")))
    except InputError:
        return check_person(studio_of(request).settings.author)


def words_of(request: Request) -> Callable[[str], str]:
    """Gives names of questions and answers in the reader's language."""
    language = language_of(request)
    return lambda word: phrase_or(f"review.mark.{word}", language, word)


async def read_body(request: Request, most: int = MOST_BODY) -> bytes:
    """The request's body, up to so many bytes."""
    parts, length = [], 0
    async for part in request.stream():
        length += len(part)
        if length > most:
            raise InputError(f"the request is larger than {most // 2**20} MB")
        parts.append(part)
    return b"".join(parts)
