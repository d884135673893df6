"""Templates and texts: every page in English and Chinese, by one list of phrases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple
from urllib.parse import urlsplit

import jinja2
from starlette.requests import Request
from starlette.responses import HTMLResponse

from saccade.untrusted import YamlError, read_yaml

Language = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = ("en", "zh")
LANGUAGE_COOKIE = "language"
PAGES = Path(__file__).with_name("pages")


class NavigationEntry(NamedTuple):
    """A link of the navigation: its address, the key of its text, and the key that opens it behind `g`."""

    address: str
    text: str
    key: str


@cache
def phrases() -> dict[str, tuple[str, str]]:
    """All texts, `key: [English, Chinese]`, from the files in pages/texts."""
    found: dict[str, tuple[str, str]] = {}
    for file in sorted((PAGES / "texts").glob("*.yaml")):
        try:
            texts = read_yaml(file)
        except YamlError as error:
            raise ValueError(f"{file.name}: {error}") from None
        for key, value in texts.items():
            if key in found:
                raise ValueError(f"{file.name}: the text {key!r} is there already")
            if not (isinstance(value, list) and len(value) == 2 and all(isinstance(text, str) for text in value)):
                raise ValueError(f"{file.name}: the text {key!r} must be a list: English and Chinese")
            found[key] = (value[0], value[1])
    return found


def phrase(key: str, language: Language, **values: object) -> str:
    """A text in a language; `{name}` stands for a value."""
    return phrases()[key][LANGUAGES.index(language)].format(**values)


def phrase_or(key: str, language: Language, other: str) -> str:
    """A text in a language, or what stands for one that there is not."""
    return phrase(key, language) if key in phrases() else other


def language_of(request: Request) -> Language:
    """What the reader chose, else what the browser asks for."""
    chosen = request.cookies.get(LANGUAGE_COOKIE, "")
    asked = chosen or request.headers.get("accept-language", "en")
    return "zh" if asked.strip().lower().startswith("zh") else "en"


@cache
def _environment() -> jinja2.Environment:
    loader = jinja2.FileSystemLoader(PAGES / "templates")
    return jinja2.Environment(loader=loader, autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True)


def prepare(templates: Iterable[str]) -> None:
    """Read the texts and compile templates before they are needed."""
    phrases()
    for name in templates:
        _environment().get_template(name)


def render(request: Request, template: str, status: int = 200, **values: Any) -> HTMLResponse:
    """A page. Values are escaped: a template never marks a text of a run or a file as safe."""
    language = language_of(request)
    text = (
        _environment()
        .get_template(template)
        .render(
            t=lambda key, **more: phrase(key, language, **more),
            t_or=lambda key, other: phrase_or(key, language, other),
            language=language,
            csrf=request.state.csrf,
            navigation=request.app.state.navigation,
            path=request.url.path,
            back=_back(request),
            **values,
        )
    )
    return HTMLResponse(text, status)


def _back(request: Request) -> str:
    """Where to go when another language was chosen: to this page, or to that of the form that led here."""
    here = str(request.url) if request.method in ("GET", "HEAD") else request.headers.get("referer", "/")
    found = urlsplit(here)
    return f"{found.path or '/'}?{found.query}" if found.query else found.path or "/"


def render_to_text(template: str, language: Language, values: Mapping[str, Any]) -> str:
    """A page outside of a request, for the static site."""
    texts = {"t": lambda key, **more: phrase(key, language, **more), "language": language}
    return _environment().get_template(template).render(**texts, **values)
