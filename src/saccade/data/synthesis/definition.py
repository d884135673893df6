"""Pipelines on disk: one short YAML with the list of stages and their settings, as recipes are for training."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec

from saccade.data.synthesis.stage import Stage
from saccade.data.synthesis.stages import STAGES
from saccade.errors import InputError, check_complete, readable
from saccade.registry import Registry, instance_of
from saccade.typed_values import to_type
from saccade.untrusted import YamlError, read_yaml

FOLDERS: Registry[Path] = Registry(
    "pipeline", {"saccade": Path(__file__).parent / "pipelines"}, accepts=instance_of(Path)
)
"""Who brings pipelines, and the folder of their YAML files."""
Unit = Literal["step", "episode", "none"]


class Definition(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What stands in the file."""

    title: str
    unit: Unit = "step"
    """What one record of the source is: a step, an episode, or nothing (the first stage makes records itself)."""
    stages: list[dict[str, dict[str, Any] | None]]
    """Each a stage's name with its settings."""
    licence: str = ""
    """For the data card."""


def pipeline_files() -> dict[str, Path]:
    """All pipelines that are installed, by name."""
    found: dict[str, Path] = {}
    for origin in FOLDERS.names():
        for path in sorted(FOLDERS.get(origin).glob("*.yaml")):
            found.setdefault(path.stem, path)
    return found


def load_definition(name: str, changes: Mapping[str, Any] | None = None) -> Definition:
    """A pipeline by its name or file. `changes` gives settings other values: `STAGE.KEY`."""
    file = Path(name) if Path(name).suffix else pipeline_files().get(name, Path(name))
    if not file.is_file():
        raise InputError(f"there is no pipeline {name!r}: give a YAML file, or one of {', '.join(pipeline_files())}")
    try:
        value = read_yaml(file)
        found = to_type(value, Definition)
    except YamlError as error:
        raise InputError(f"{file} is not YAML: {error}") from None
    except msgspec.ValidationError as error:
        raise InputError(f"{file}: {readable(error)}") from None
    for stage in found.stages:
        if len(stage) != 1:
            raise InputError(f"{file}: a stage is one name with its settings, got {', '.join(stage)}")
    for key, change in (changes or {}).items():
        change_setting(found, key, change)
    return found


def change_setting(definition: Definition, key: str, value: Any) -> None:
    """Give a setting of a stage another value, wherever that stage stands."""
    stage, _, setting = key.partition(".")
    places = [each for each in definition.stages if stage in each]
    if not places or not setting:
        names = ", ".join(name for each in definition.stages for name in each)
        raise InputError(f"--set {key}: give STAGE.KEY=VALUE with one of the stages {names}")
    for place in places:
        place[stage] = {**(place[stage] or {}), setting: value}


def build_stages(definition: Definition) -> list[Stage]:
    """The stages with their settings, checked."""
    made = []
    for place in definition.stages:
        for name, settings in place.items():
            kind = STAGES.get(name)
            check_complete(kind, f"the stage {name}", "name", "title")
            try:
                made.append(kind(to_type(settings or {}, kind.kind, strict=False)))
            except msgspec.ValidationError as error:
                known = ", ".join(kind.kind.__struct_fields__) or "none"
                raise InputError(f"the stage {name}: {readable(error)} (its settings: {known})") from None
    return made
