"""The web application: pages, static files, errors as sentences."""

from __future__ import annotations

import logging
from importlib import import_module
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Form, Request
from fastapi.exceptions import RequestValidationError
from sqlalchemy import Engine
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response
from starlette.staticfiles import StaticFiles

from saccade.errors import InputError, MissingError
from saccade.studio.browser_libraries import LIBRARIES
from saccade.studio.database.engine import database_address, open_database
from saccade.studio.rendering import LANGUAGE_COOKIE, LANGUAGES, NavigationEntry, language_of, phrase, phrase_or, render
from saccade.studio.security import Gatekeeper
from saccade.studio.settings import StudioSettings

STATIC = Path(__file__).with_name("static")
PAGES: tuple[str, ...] = ("runs", "measurements", "review", "datasets", "training", "act")
"""Modules of `saccade.studio.pages`, in the order of the navigation. Each has a `router` and an `ENTRY`, and may have
`start(app)` and `stop(app)`, called when the server starts and ends.
"""
log = logging.getLogger("saccade.studio")


class Studio:
    """What pages share, as `request.app.state.studio`."""

    def __init__(self, settings: StudioSettings) -> None:
        self.settings = settings
        self.engine: Engine = open_database(database_address(settings.database, settings.folders))


def create_app(settings: StudioSettings) -> FastAPI:
    """The application for these settings. The database is opened and brought up to date at once."""
    modules = [import_module(f"saccade.studio.pages.{name}") for name in PAGES]
    app = FastAPI(title="Saccade Studio", docs_url=None, redoc_url=None, openapi_url=None)
    app.state.studio = Studio(settings)
    app.state.navigation = [module.ENTRY for module in modules if isinstance(module.ENTRY, NavigationEntry)]
    for module in modules:
        app.include_router(module.router)
        for name in ("startup", "shutdown"):
            handler = getattr(module, {"startup": "start", "shutdown": "stop"}[name], None)
            if handler is not None:
                app.router.add_event_handler(name, _bound(handler, app))
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    app.mount("/library", StaticFiles(directory=LIBRARIES.ensure()), name="library")
    app.add_api_route("/language", choose_language, methods=["POST"])
    app.add_api_route("/", lambda: RedirectResponse("/runs", 303), methods=["GET"])
    handlers = {InputError: _bad_input, MissingError: _missing, HTTPException: _http_error}
    for kind, handler in (handlers | {RequestValidationError: _bad_address}).items():
        app.add_exception_handler(kind, handler)  # type: ignore[arg-type]
    app.add_exception_handler(Exception, _unexpected)
    app.add_middleware(Gatekeeper, settings=settings)
    return app


def _bound(handler: Any, app: FastAPI) -> Any:
    return lambda: handler(app)


def choose_language(request: Request, language: str = Form(), back: str = Form("/")) -> Response:
    """Remember the reader's language, and go back to the page."""
    answer = RedirectResponse(back if back.startswith("/") and not back.startswith("//") else "/", 303)
    chosen = language if language in LANGUAGES else "en"
    answer.set_cookie(LANGUAGE_COOKIE, chosen, max_age=365 * 86_400, samesite="strict", httponly=True)
    return answer


def _bad_input(request: Request, error: InputError) -> Response:
    sentence = phrase_or(f"sentence.{error}", language_of(request), str(error))
    return render(request, "error.html", 400, sentence=sentence)


def _missing(request: Request, error: MissingError) -> Response:
    return render(request, "error.html", 503, sentence=str(error))


def _http_error(request: Request, error: HTTPException) -> Response:
    """The detail is the key of a text, or Starlette's own words."""
    detail = "error.no page" if error.status_code == 404 and error.detail == "Not Found" else str(error.detail)
    sentence = phrase_or(detail, language_of(request), detail)
    return render(request, "error.html", error.status_code, sentence=sentence)


def _bad_address(request: Request, error: RequestValidationError) -> Response:
    """A value in the address or the form is missing, or is not of its type."""
    names = ", ".join(dict.fromkeys(str(each["loc"][-1])[:40] for each in error.errors()))
    return render(request, "error.html", 400, sentence=phrase("error.address", language_of(request), names=names))


def _unexpected(request: Request, error: Exception) -> Response:
    """No traceback reaches a reader; the terminal has it."""
    log.exception("an unexpected error at %s", request.url.path)
    return render(request, "error.html", 500, sentence=f"{type(error).__name__}: see the studio's terminal")
