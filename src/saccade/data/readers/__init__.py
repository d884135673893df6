"""Data sets as their authors publish them, as step records. Each is one file here and one line below.

A `Dataset` reads a folder; a `LineReader` reads single lines of result files, for `saccade score`. Outside packages and
plug-in files bring data sets in the group `readers` (examples/plugins/my_reader.py), line readers in `result_readers`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

from saccade.data.readers.base import DataError, Dataset, Sample, found
from saccade.errors import InputError, check_complete
from saccade.registry import Registry, subclass_of
from saccade.types import Step


class LineReader(Protocol):
    """Turns one JSON object of a published file into step records."""

    @staticmethod
    def recognises(value: dict[str, Any]) -> bool: ...

    @staticmethod
    def steps(value: dict[str, Any]) -> Iterator[Step]:
        """Raises `ValueError` with the field's name where the object is not as expected."""
        ...


RESULT_READERS: Registry[LineReader] = Registry(
    "result reader",
    {
        "screenspot-results": "saccade.data.readers.screenspot_results:ScreenSpotResults",
        "verl-rollouts": "saccade.data.readers.trainer_rollouts:VerlRollouts",
        "ms-swift-completions": "saccade.data.readers.trainer_rollouts:MsSwiftCompletions",
        "saccade-samples": "saccade.data.readers.trainer_rollouts:SaccadeSamples",
    },
    group="result_readers",
)


def reader_for(value: dict[str, Any]) -> LineReader | None:
    """The reader that knows such an object, if there is one."""
    readers = map(RESULT_READERS.get, RESULT_READERS.names())
    return next((reader for reader in readers if reader.recognises(value)), None)


DATASETS: Registry[type[Dataset]] = Registry(
    "data set",
    {
        "screenspot": "saccade.data.readers.screenspot:ScreenSpot",
        "screenspot-v2": "saccade.data.readers.screenspot:ScreenSpotV2",
        "screenspot-pro": "saccade.data.readers.screenspot_pro:ScreenSpotPro",
        "osworld-g": "saccade.data.readers.osworld_g:OSWorldG",
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
        "screenagent": "saccade.data.readers.screenagent:ScreenAgent",
        "btl": "saccade.data.readers.btl_meta:BTLMeta",
        "droidbot": "saccade.data.readers.droidbot:DroidBotFolder",
        "uiautomator": "saccade.data.readers.uiautomator:UIAutomatorFolder",
        "steps": "saccade.data.readers.steps:StepsFile",
    },
    group="readers",
    accepts=subclass_of(Dataset),
)


def get_reader(name: str) -> type[Dataset]:
    """The reader of a data set by its name."""
    kind = DATASETS.get(name)
    check_complete(kind, f"the reader {name}", "name", "title", "layout")
    return kind


class UnknownFormatError(InputError):
    """No reader recognises what was named."""


def open_dataset(folder: Path, name: str = "", **options: Any) -> Dataset:
    """A data set by its name; without one, the first that recognises the folder."""
    if name:
        return get_reader(name)(folder, **options)
    if not folder.exists():
        raise InputError(f"there is no folder {folder}")
    # A pipeline may write another form beside its step records, which say more.
    ours = ["steps"] if (folder / "steps.jsonl").is_file() else []
    for each in (*ours, *DATASETS.names()):
        kind = get_reader(each)
        if kind.recognises(folder):
            return kind(folder, **options)
    raise UnknownFormatError(
        f"no reader knows what {folder} holds ({found(folder)}): name one with --as ({', '.join(DATASETS.names())}), "
        "or write one, a class with `recognises` and `samples` as in examples/plugins/my_reader.py, and give its file "
        "with --plugin FILE.py (docs/DATA.md, Add one)"
    )


__all__ = [
    "DATASETS",
    "RESULT_READERS",
    "DataError",
    "Dataset",
    "LineReader",
    "Sample",
    "get_reader",
    "open_dataset",
    "reader_for",
]
