"""Training rows for other people's trainers, with pictures, reward file and run script (docs/EXPORT.md). Each framework
is one class here and one line below; outside packages and plug-in files bring theirs in the group `exporters`.
"""

from __future__ import annotations

from saccade.data.export.base import Exporter
from saccade.errors import check_complete
from saccade.registry import Registry, subclass_of

EXPORTERS: Registry[type[Exporter]] = Registry(
    "exporter",
    {
        "verl": "saccade.data.export.verl:Verl",
        "ms-swift": "saccade.data.export.ms_swift:MsSwift",
        "easyr1": "saccade.data.export.easyr1:EasyR1",
        "llama-factory": "saccade.data.export.llama_factory:LlamaFactory",
    },
    accepts=subclass_of(Exporter),
)


def get_exporter(name: str) -> Exporter:
    """The exporter of a framework by its name."""
    kind = EXPORTERS.get(name)
    check_complete(kind, f"the exporter {name}", "name", "title", "stages")
    return kind()


__all__ = ["EXPORTERS", "Exporter", "get_exporter"]
