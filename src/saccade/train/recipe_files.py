"""Recipes on disk: those of the core, those of plug-ins (entry-point group `saccade.recipes`), and the user's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from saccade.errors import InputError, readable
from saccade.registry import Registry, instance_of
from saccade.train.backbone import find_backbone
from saccade.train.recipe import Recipe
from saccade.typed_values import to_type
from saccade.untrusted import YamlError, read_yaml

RECIPES = Path(__file__).parent / "recipes"
FOLDERS: Registry[Path] = Registry("recipe", {"saccade": RECIPES}, accepts=instance_of(Path))
"""Who brings recipes, and the folder of their YAML files."""


class RecipeFile(NamedTuple):
    """A recipe that can be named."""

    path: Path
    origin: str
    """The entry of `FOLDERS` that brings it."""


def recipes() -> dict[str, RecipeFile]:
    """All recipes that are installed, by name; those of an ablation lie in a folder, and are called ABLATION/VARIANT.
    Of two with one name, the core's or the first package's counts.
    """
    found: dict[str, RecipeFile] = {}
    for origin in FOLDERS.names():
        folder = FOLDERS.get(origin)
        for path in [*sorted(folder.glob("*.yaml")), *sorted(folder.glob("*/*.yaml"))]:
            found.setdefault(path.relative_to(folder).with_suffix("").as_posix(), RecipeFile(path, origin))
    return found


def output_folder(name: str, stage: str) -> Path:
    """Where a recipe's results go by default. An ablation's lie side by side in one folder: `saccade bench SUITE --grid
    ABLATION` looks for them there.
    """
    return Path("runs") / (name if name in recipes() and "/" in name else f"{stage}-{Path(name).stem}")


def load_recipe(name: str, **changes: Any) -> Recipe:
    """A recipe by its name or file, with the changes of the command line; `prm.layers` is one setting of a block."""
    file, value = read_recipe(name)
    for key, change in changes.items():
        if change is not None:
            change_setting(value, key, change)
    try:
        recipe = to_type(value, Recipe, strict=False)  # YAML reads 1e-6 as a text
    except msgspec.ValidationError as error:
        raise InputError(f"{file}: {readable(error)}") from None
    find_backbone(recipe.model)[0].read_options(recipe, str(file))
    return recipe


def change_setting(value: dict[str, Any], key: str, change: Any) -> None:
    """Give one setting another value; the others of its block stay."""
    *blocks, last = key.split(".")
    for at, block in enumerate(blocks):
        value[block] = {} if value.get(block) is None else value[block]
        value = value[block]
        if not isinstance(value, dict):
            raise InputError(f"{key}: {'.'.join(blocks[: at + 1])} is no block of settings")
    value[last] = change


def read_recipe(name: str, readers: tuple[Path, ...] = ()) -> tuple[Path, dict[str, Any]]:
    """A recipe's file and its settings. With `like: NAME` it takes over that one's, where it has none of its own; of a
    block such as `grpo` it need say only what differs.
    """
    file, known = Path(name), recipes()
    if not file.suffix and name in known:
        file = known[name].path
    if not file.is_file():
        raise InputError(f"there is no recipe {name!r}: give a YAML file, or one of {', '.join(known)}")
    if file.resolve() in readers:
        raise InputError(f"{file}: its like: leads back to itself")
    try:
        value = read_yaml(file)
    except YamlError as error:
        raise InputError(f"{file} is not YAML: {error}") from None
    if not isinstance(value, dict):
        raise InputError(f"{file}: a recipe is a mapping of settings, such as stage: sft")
    if (like := value.pop("like", None)) is not None:
        value = merged(read_recipe(str(like), (*readers, file.resolve()))[1], value)
    return file, value


def merged(base: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """`base` with `changes`, block by block."""
    blocks = [key for key in changes if isinstance(changes[key], dict) and isinstance(base.get(key), dict)]
    return base | changes | {key: merged(base[key], changes[key]) for key in blocks}
