"""Files as their authors publish them, as step records. A reader recognises its lines by their content."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from saccade.registry import Registry
from saccade.types import Step


class LineReader(Protocol):
    """Turns one JSON object of a published file into step records."""

    @staticmethod
    def recognises(value: dict[str, Any]) -> bool: ...

    @staticmethod
    def steps(value: dict[str, Any]) -> Iterator[Step]:
        """Raises `ValueError` with the field's name where the object is not as expected."""
        ...


READERS: Registry[LineReader] = Registry(
    "reader",
    {"screenspot-results": "saccade.data.readers.screenspot_results:ScreenSpotResults"},
)


def reader_for(value: dict[str, Any]) -> LineReader | None:
    """The reader that knows such an object, if there is one."""
    return next((reader for reader in map(READERS.get, READERS.names()) if reader.recognises(value)), None)
