"""Data sets as their authors publish them, as step records (SPEC §6). Each is one file here and one line below.

A `Dataset` reads a folder; a `LineReader` reads single lines of result files, for `saccade score`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

from saccade.data.readers.base import DataError, Dataset, Sample
from saccade.errors import InputError
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


DATASETS: Registry[type[Dataset]] = Registry(
    "dataset",
    {
        "screenspot": "saccade.data.readers.screenspot:ScreenSpot",
        "screenspot-v2": "saccade.data.readers.screenspot:ScreenSpotV2",
        "screenspot-pro": "saccade.data.readers.screenspot_pro:ScreenSpotPro",
        "showui-desktop": "saccade.data.readers.showui:ShowUIDesktop",
        "os-atlas": "saccade.data.readers.os_atlas:OSAtlas",
        "omniact": "saccade.data.readers.omniact:OmniACT",
        "androidcontrol": "saccade.data.readers.androidcontrol:AndroidControl",
        "androidcontrol-std": "saccade.data.readers.androidcontrol_std:AndroidControlStd",
        "gui-odyssey": "saccade.data.readers.gui_odyssey:GUIOdyssey",
        "aitw": "saccade.data.readers.aitw:AitW",
        "cagui": "saccade.data.readers.cagui:CAGUI",
        "aitz": "saccade.data.readers.aitz:AITZ",
        "cmgui": "saccade.data.readers.cmgui:CMGUI",
        "ui-comprehension": "saccade.data.readers.ui_comprehension:UIComprehension",
        "guiact": "saccade.data.readers.guiact:GUIAct",
        "mind2web": "saccade.data.readers.mind2web:Mind2Web",
        "agentnet": "saccade.data.readers.agentnet:AgentNet",
        "btl": "saccade.data.readers.btl_meta:BTLMeta",
        "droidbot": "saccade.data.readers.droidbot:DroidBotFolder",
        "uiautomator": "saccade.data.readers.uiautomator:UIAutomatorFolder",
        "steps": "saccade.data.readers.steps:StepsFile",
    },
)


def open_dataset(folder: Path, name: str = "", **options: Any) -> Dataset:
    """A data set by its name; without one, the first that recognises the folder."""
    if name:
        return DATASETS.get(name)(folder, **options)
    if not folder.exists():
        raise InputError(f"there is no folder {folder}")
    for each in DATASETS.names():
        kind = DATASETS.get(each)
        if kind.recognises(folder):
            return kind(folder, **options)
    raise InputError(f"no reader knows what {folder} holds: name one of {', '.join(DATASETS.names())}")


__all__ = ["DATASETS", "READERS", "DataError", "Dataset", "LineReader", "Sample", "open_dataset", "reader_for"]
