"""`saccade train`: SFT, GRPO and the process reward model, by recipe."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
from rich.box import MARKDOWN
from rich.table import Table

from saccade.cli.common import JsonOption, console
from saccade.errors import InputError
from saccade.paradigms import PARADIGMS
from saccade.train.backbone import find_backbone
from saccade.train.recipe import Recipe, Stage
from saccade.train.recipe_files import load_recipe, output_folder, recipes
from saccade.untrusted import YamlError, decode_json, decode_yaml, read_bytes, read_text

app = typer.Typer(help="Train models for the paradigms.", no_args_is_help=True, rich_markup_mode="markdown")

TRAINERS: dict[Stage, str] = {"sft": "train_sft", "grpo": "train_grpo", "prm": "train_prm"}
Config = Annotated[str, typer.Option(help="A recipe of saccade train list, or a YAML file.", show_default=False)]
Model = Annotated[
    str | None,
    typer.Option(
        help="The model to begin with: a folder as transformers writes it, or NAME[/REST] of a backbone, such as mini, "
        "mini/new or mini/PATH.",
        show_default=False,
    ),
]
Data = Annotated[
    list[str] | None,
    typer.Option(help="Step records, or a folder of them; may be given again.", show_default=False),
]
Out = Annotated[
    Path | None,
    typer.Option(
        help="Where checkpoints, log and result go; by default runs/STAGE-RECIPE, or runs/ABLATION/VARIANT.",
        show_default=False,
    ),
]
Steps = Annotated[int | None, typer.Option(help="So many steps, instead of the recipe's epochs.", show_default=False)]
Changes = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        help="Another value for a key of the recipe, such as batch=1 or grpo.kl=0.04; may be given again.",
        show_default=False,
    ),
]
Anew = Annotated[bool, typer.Option("--anew", help="Begin from the start, and delete what an earlier run left in OUT.")]


@app.callback()
def _train() -> None:
    """Train models for the paradigms."""


@app.command("sft")
def sft(
    config: Config,
    model: Model = None,
    data: Data = None,
    out: Out = None,
    steps: Steps = None,
    changes: Changes = None,
    anew: Anew = False,
    json_lines: JsonOption = False,
) -> None:
    """Supervised fine-tuning on step records: the loss is on the answers only.

    After an interruption, or a kill, the same command goes on from the last checkpoint, step for step.

    Examples:

        saccade train sft --config secagent-3b-sft --model Qwen2.5-VL-3B-Instruct --data runs/oracle --out runs/sft

        saccade train sft --config my.yaml --set batch=1 --set accumulate=2 --steps 100
    """
    carry_out("sft", config, model, data, out, steps, changes, anew, json_lines)


@app.command("grpo")
def grpo(
    config: Config,
    model: Model = None,
    data: Data = None,
    out: Out = None,
    steps: Steps = None,
    changes: Changes = None,
    anew: Anew = False,
    json_lines: JsonOption = False,
) -> None:
    """Reinforcement learning with the paradigm's own reward (GRPO).

    Examples:

        saccade train grpo --config btl-3b-grpo --model Qwen2.5-VL-3B-Instruct --data runs/oracle --out runs/grpo

        saccade train grpo --config secagent-3b-grpo --model runs/sft/model --data runs/oracle --steps 200
    """
    carry_out("grpo", config, model, data, out, steps, changes, anew, json_lines)


@app.command("prm")
def prm(
    config: Config,
    model: Model = None,
    data: Data = None,
    out: Out = None,
    steps: Steps = None,
    changes: Changes = None,
    anew: Anew = False,
    json_lines: JsonOption = False,
) -> None:
    """GuidNav's process reward model: a scalar for a step, learned from demonstrations and self-play.

    Examples:

        saccade train prm --config guidnav-prm --model Qwen2.5-VL-3B-Instruct --data runs/oracle --data runs/self
    """
    carry_out("prm", config, model, data, out, steps, changes, anew, json_lines)


@app.command("list")
def list_recipes(json_lines: JsonOption = False) -> None:
    """List the recipes that are installed, and which package brings each.

    The recipes of an ablation are a set, ABLATION/VARIANT: train each, then compare the results with
    saccade bench SUITE --grid ABLATION.

    Examples:

        saccade train list

        saccade train list --json
    """
    found = [(name, load_recipe(name), file) for name, file in recipes().items()]
    if json_lines:
        for name, recipe, file in found:
            told = {"name": name, "set": name.rpartition("/")[0], "stage": recipe.stage, "about": about(file.path)}
            told |= {"origin": file.origin, "file": str(file.path)}
            typer.echo(msgspec.json.encode(told | {"paradigms": paradigms_of(recipe)}))
        return
    made = Table(box=MARKDOWN)
    for column in ("recipe", "from", "stage", "paradigm", "what it is"):
        made.add_column(column, no_wrap=column != "what it is")
    for name, recipe, file in found:
        made.add_row(name, file.origin, recipe.stage, ", ".join(paradigms_of(recipe)), about(file.path))
    console.print(made)


def about(file: Path) -> str:
    """The first line of a recipe's file is a sentence about it."""
    first = read_text(file).partition("\n")[0]
    return first.removeprefix("#").strip() if first.startswith("#") else ""


def paradigms_of(recipe: Recipe) -> list[str]:
    return list(dict.fromkeys(variant.paradigm for variant in recipe.formats))


def carry_out(
    stage: Stage,
    config: str,
    model: str | None,
    data: list[str] | None,
    out: Path | None,
    steps: int | None,
    changes: list[str] | None,
    anew: bool,
    json_lines: bool,
) -> None:
    """Run a stage. All that can be wrong in the recipe is checked before anything is loaded."""
    from saccade.models.torch_support import libraries  # noqa: PLC0415  (other commands need none of it)

    recipe = load_recipe(config, **changed(changes or []), model=model, data=data or None, steps=steps)
    check(recipe, stage, config)
    libraries()
    train: Callable[..., Path] = getattr(import_module(f"saccade.train.{stage}"), TRAINERS[stage])
    from saccade.train.training_session import Interrupted  # noqa: PLC0415  (imports transformers)

    out = out or output_folder(config, stage)
    try:
        result = train(recipe, out, resume=not anew, quiet=json_lines)
    except Interrupted as interrupted:
        typer.echo(f"saccade: {interrupted}", err=True)
        raise typer.Exit(130) from None
    if json_lines:
        typer.echo(msgspec.json.encode({"model": str(result), "log": str(out / "log.jsonl"), **last_line(out)}))
        return
    console.print(f"trained: {result} (log: {out / 'log.jsonl'})", soft_wrap=True, highlight=False)


def changed(given: list[str]) -> dict[str, Any]:
    """`key=value` of the command line; values are YAML."""
    found: dict[str, Any] = {}
    for each in given:
        key, equals, value = each.partition("=")
        try:
            found[key.strip()] = read_value(value)
        except YamlError:
            equals = ""
        if not equals or key.strip() in ("stage", "model", "data", "steps"):
            raise InputError(f"--set {each!r}: write KEY=VALUE with a key of the recipe that has no option of its own")
    return found


def read_value(text: str) -> Any:
    """YAML takes 1e-5 for a word; nobody who writes it means one."""
    value = decode_yaml(text)
    if isinstance(value, str):
        with suppress(ValueError):
            return float(value)
    return value


def check(recipe: Recipe, stage: Stage, config: str) -> None:
    from saccade.data.recorded_episodes import record_files  # noqa: PLC0415  (other commands need none of it)

    if recipe.stage != stage:
        raise InputError(f"the recipe {config} is for {recipe.stage}: saccade train {recipe.stage} --config {config}")
    for name in paradigms_of(recipe):
        PARADIGMS.get(name)
    kind, rest = find_backbone(recipe.model)
    kind.check(rest)
    if not recipe.data:
        raise InputError("the recipe names no data: give step records with --data FILE")
    record_files(recipe.data)


def last_line(out: Path) -> dict[str, Any]:
    """The figures of the last step."""
    log = out / "log.jsonl"
    lines = read_bytes(log).splitlines() if log.is_file() else []
    found: dict[str, Any] = decode_json(lines[-1]) if lines else {}
    return found
