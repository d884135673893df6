"""Brings into memory what the first pages need, so that the first reader after a start waits no longer than others."""

from __future__ import annotations

import logging
import os

from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from saccade.studio.index.indexer import Indexer
from saccade.studio.index.queries import RunFilter, choices, runs_page
from saccade.studio.rendering import prepare
from saccade.untrusted import open_file

RARE = "\N{SNOWMAN}\N{COMET}\N{SNOWMAN}"
"""A text that hardly any run has: a search for it looks into all of the index."""
FIRST_TEMPLATES = ("runs.html", "run.html")
SEARCH_SECONDS = 5.0
log = logging.getLogger("saccade.studio")


def warm_up(indexer: Indexer) -> None:
    """Compile the templates, count the choices of the filters, and read the index of texts."""
    prepare(FIRST_TEMPLATES)
    read_ahead(indexer.engine)
    try:
        generation = indexer.generation
        indexer.choices = generation, choices(indexer.engine)
        for wanted in (RunFilter(), RunFilter(query=RARE)):
            runs_page(indexer.engine, wanted, search_seconds=SEARCH_SECONDS)
    except SQLAlchemyError as error:  # pages tell it where it matters
        log.debug("the database could not be read in advance: %s", error)


def read_ahead(engine: Engine) -> None:
    """Have the system read SQLite's file while nobody waits for it. PostgreSQL looks after its files itself."""
    file = engine.url.database
    if engine.dialect.name != "sqlite" or not file or not hasattr(os, "posix_fadvise"):
        return
    try:
        with open_file(file) as stream:
            os.posix_fadvise(stream.fileno(), 0, 0, os.POSIX_FADV_WILLNEED)
    except OSError as error:
        log.debug("%s could not be read in advance: %s", file, error)
