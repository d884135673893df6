"""Brings into memory what the first pages need, so that the first reader after a start waits no longer than others."""

from __future__ import annotations

import logging

from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from saccade.studio.index.indexer import Indexer
from saccade.studio.index.queries import RunFilter, choices, runs_page
from saccade.studio.rendering import prepare

RARE = "\N{SNOWMAN}\N{COMET}\N{SNOWMAN}"
"""A text that hardly any run has: on PostgreSQL a search for it looks into all of the index."""
FIRST_TEMPLATES = ("runs.html", "run.html")
SEARCH_SECONDS = 5.0
log = logging.getLogger("saccade.studio")


def warm_up(indexer: Indexer) -> None:
    """Compile the templates, count the choices of the filters, and read the index of texts.

    SQLite's file is read by SQLite alone: where a process opens it in another way and closes it, the system takes all
    its locks on the file away (SQLite, How To Corrupt An SQLite Database File, §2.2).
    """
    prepare(FIRST_TEMPLATES)
    try:
        generation = indexer.generation
        indexer.choices = generation, choices(indexer.engine)
        for wanted in (RunFilter(), RunFilter(query=RARE)):
            runs_page(indexer.engine, wanted, search_seconds=SEARCH_SECONDS)
        if indexer.engine.dialect.name == "sqlite":
            with indexer.engine.connect().execution_options(reads=True) as connection:
                connection.execute(text("SELECT count(*) FROM search_index_data")).scalar()  # its blocks, page by page
    except SQLAlchemyError as error:  # pages tell it where it matters
        log.debug("the database could not be read in advance: %s", error)
