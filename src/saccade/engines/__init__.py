"""How many jobs are worked through: in processes of this machine, in this process, or on a Ray cluster."""

from __future__ import annotations

from saccade.engines.base import Engine, Finished, Worker, publish
from saccade.registry import Registry, subclass_of

ENGINES: Registry[type[Engine]] = Registry(
    "engine",
    {
        "local": "saccade.engines.local:LocalEngine",
        "inline": "saccade.engines.inline:InlineEngine",
        "ray": "saccade.engines.ray_cluster:RayEngine",
    },
    accepts=subclass_of(Engine),
)


def open_engine(name: str = "local") -> Engine:
    """An engine as the command line names it: `local`, `inline`, `ray`, `ray:ADDRESS`."""
    kind, _, address = name.partition(":")
    return ENGINES.get(kind)(address)


__all__ = ["ENGINES", "Engine", "Finished", "Worker", "open_engine", "publish"]
