"""`saccade train`: SFT, GRPO and the process reward model, by recipe."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
import yaml  # type: ignore[import-untyped]
from rich.box import MARKDOWN
from rich.table import Table

from saccade.cli.common import JsonOption, console
from saccade.errors import InputError
from saccade.paradigms import PARADIGMS
from saccade.train.recipe import RECIPES, Recipe, Stage, is_mini, load_recipe, recipes

app = typer.Typer(help="Train models for the paradigms.", no_args_is_help=True, rich_markup_mode="markdown")

TRAINERS: dict[Stage, str] = {"sft": "train_sft", "grpo": "train_grpo", "prm": "train_prm"}
Config = Annotated[str, typer.Option(help="A recipe of saccade train list, or a YAML file.", show_default=False)]
Model = Annotated[
    str | None,
    typer.Option(
        help="The folder of the model to begin with; mini for a new one, shipped for ours.", show_default=False
    ),
]
Data = Annotated[
    list[str] | None,
    typer.Option(help="Step records, or a folder of them; may be given again.", show_default=False),
]
Out = Annotated[
    Path | None, typer.Option(help="Where checkpoints, log and result go; runs/STAGE-RECIPE by default.",
                              show_default=False)
]  # fmt: skip
Steps = Annotated[int | None, typer.Option(help="So many steps, instead of the recipe's epochs.", show_default=False)]
Changes = Annotated[
    list[str] | None,
    typer.Option("--set", help="Another value for a key of the recipe, such as batch=1 or grpo.kl=0.04; repeat it.",
                 show_default=False),
]  # fmt: skip
Anew = Annotated[bool, typer.Option("--anew", help="Begin from the start, and delete what an earlier run left in OUT.")]


@app.callback()
def _train() -> None:
    """Train models for the paradigms."""


@app.command("sft")
def sft(config: Config, model: Model = None, data: Data = None, out: Out = None, steps: Steps = None,
        changes: Changes = None, anew: Anew = False, json_lines: JsonOption = False) -> None:  # fmt: skip
    """Supervised fine-tuning on step records: the loss is on the answers only.

    After an interruption, or a kill, the same command goes on from the last checkpoint, step for step.

    Examples:

        saccade train sft --config secagent-3b-sft --model Qwen2.5-VL-3B-Instruct --data runs/oracle --out runs/sft

        saccade train sft --config my.yaml --set batch=1 --set accumulate=2 --steps 100
    """
    carry_out("sft", config, model, data, out, steps, changes, anew, json_lines)


@app.command("grpo")
def grpo(config: Config, model: Model = None, data: Data = None, out: Out = None, steps: Steps = None,
         changes: Changes = None, anew: Anew = False, json_lines: JsonOption = False) -> None:  # fmt: skip
    """Reinforcement learning with the paradigm's own reward (GRPO).

    Examples:

        saccade train grpo --config btl-3b-grpo --model Qwen2.5-VL-3B-Instruct --data runs/oracle --out runs/grpo

        saccade train grpo --config secagent-3b-grpo --model runs/sft/model --data runs/oracle --steps 200
    """
    carry_out("grpo", config, model, data, out, steps, changes, anew, json_lines)


@app.command("prm")
def prm(config: Config, model: Model = None, data: Data = None, out: Out = None, steps: Steps = None,
        changes: Changes = None, anew: Anew = False, json_lines: JsonOption = False) -> None:  # fmt: skip
    """GuidNav's process reward model: a scalar for a step, learned from demonstrations and self-play.

    Examples:

        saccade train prm --config guidnav-prm --model Qwen2.5-VL-3B-Instruct --data runs/oracle --data runs/self
    """
    carry_out("prm", config, model, data, out, steps, changes, anew, json_lines)


@app.command("tokenizer")
def tokenizer(config: Config, out: Annotated[Path, typer.Option(help="The file to write.", show_default=False)],
              data: Data = None, changes: Changes = None) -> None:  # fmt: skip
    """Learn the mini's tokenizer from the rows that a recipe makes.

    Examples:

        saccade train tokenizer --config mini-sft --data runs/noisy --out tokenizer.json
    """
    from saccade.train.samples import read_rows  # noqa: PLC0415
    from saccade_mini.training.backbone import TokenizerBackbone, train_tokenizer  # noqa: PLC0415

    recipe = load_recipe(config, **changed(changes or []), data=data or None)
    backbone = TokenizerBackbone()
    rows = read_rows(recipe, backbone, console.print)
    train_tokenizer((text for row in rows.train for text in backbone.texts(row.messages, row.answer)), out)
    console.print(f"→ {out}", highlight=False)


@app.command("reader")
def reader(
    out: Annotated[Path, typer.Option(help="The folder that mini/PATH opens.", show_default=False)],
    seed: Annotated[int, typer.Option(help="Draws what is left out.")] = 0,
) -> None:
    """Learn which task people mean, for the mini: a minute on a CPU.

    Examples:

        saccade train reader --out runs/mini
    """
    from saccade_mini.training.intent_training import train_reader  # noqa: PLC0415

    train_reader(out, seed, console.print)
    console.print(f"→ {out}", highlight=False)


@app.command("habits")
def habits(
    data: Annotated[list[Path], typer.Option(help="Recorded episodes of the phone.", show_default=False)],
    out: Annotated[Path, typer.Option(help="The folder that mini/PATH opens, with a reader.", show_default=False)],
    more: Annotated[bool, typer.Option("--more", help="Go on from what it knows.")] = False,
) -> None:
    """Learn what each task does, after what, and what next, for the mini's second thoughts: minutes on a CPU.

    It goes into the file that saccade train reader wrote. With --more, tasks that are not in the data stay as they are.

    Examples:

        saccade train habits --data runs/noisy --data runs/own --out runs/mini

        saccade train habits --data runs/clock --out runs/mini --more
    """
    from saccade_mini.training.habit_extraction import add_habits  # noqa: PLC0415

    known = add_habits(data, out, console, tell=lambda line: console.print(line, highlight=False), more=more)
    console.print(f"habits of {known} plain wordings → {out}", highlight=False)


@app.command("export")
def export(
    folders: Annotated[
        list[str],
        typer.Argument(help="model/ of a mini's training, or shipped; of several, the mean.", show_default=False),
    ],
    out: Annotated[Path, typer.Option(help="The folder that mini/PATH opens.", show_default=False)],
    bits: Annotated[int, typer.Option(help="Of each weight: 8, or 4 for a smaller file that is less exact.")] = 8,
) -> None:
    """Write a trained mini, or its process reward model, as ONNX that runs without torch.

    Of several minis, the mean of their weights is written. They must have begun as the same one.

    Examples:

        saccade train export runs/mini-sft/model --out runs/mini

        saccade train export runs/mini-prm/model --bits 4 --out runs/mini

        saccade train export shipped runs/mini-sft-9/model --out runs/mini

        saccade train export shipped --bits 4 --out runs/four
    """
    from saccade_mini.card import MODEL  # noqa: PLC0415
    from saccade_mini.training.backbone import averaged, card_of, folder_of  # noqa: PLC0415
    from saccade_mini.training.onnx_export import export_mini, write_mini  # noqa: PLC0415

    if bits not in (4, 8):
        raise InputError(f"--bits is {bits}: use 8 or 4")
    found = [folder_of(each) for each in folders]
    if len(found) == 1 and not (found[0] / MODEL).is_file():  # else it was written before, and is written anew
        written = export_mini(found[0], out, bits)
    else:
        card = card_of(found)
        written = write_mini(averaged(found), found[0] / "tokenizer.json", out, card, bits=bits)
    console.print(f"→ {written}", highlight=False)


@app.command("list")
def list_recipes(json_lines: JsonOption = False) -> None:
    """List the recipes that come with the package.

    Examples:

        saccade train list

        saccade train list --json
    """
    found = [(name, load_recipe(name), about(name)) for name in recipes()]
    if json_lines:
        for name, recipe, said in found:
            told = {"name": name, "stage": recipe.stage, "paradigms": paradigms_of(recipe), "about": said}
            typer.echo(msgspec.json.encode(told | {"file": str(RECIPES / f"{name}.yaml")}))
        return
    made = Table(box=MARKDOWN)
    for column in ("recipe", "stage", "paradigm", "what it is"):
        made.add_column(column, no_wrap=column != "what it is")
    for name, recipe, said in found:
        made.add_row(name, recipe.stage, ", ".join(paradigms_of(recipe)), said)
    console.print(made)


def about(name: str) -> str:
    """The first line of a recipe is a sentence about it."""
    first = (RECIPES / f"{name}.yaml").read_text(encoding="utf-8").partition("\n")[0]
    return first.removeprefix("#").strip() if first.startswith("#") else ""


def paradigms_of(recipe: Recipe) -> list[str]:
    return list(dict.fromkeys(variant.paradigm for variant in recipe.variants)) or [recipe.paradigm]


def carry_out(stage: Stage, config: str, model: str | None, data: list[str] | None, out: Path | None,
              steps: int | None, changes: list[str] | None, anew: bool, json_lines: bool) -> None:  # fmt: skip
    """All that can be wrong is looked at before anything is loaded."""
    from saccade.models.hf import libraries  # noqa: PLC0415

    recipe = load_recipe(config, **changed(changes or []), model=model, data=data or None, steps=steps)
    check(recipe, stage, config)
    libraries()
    train: Callable[..., Path] = getattr(import_module(f"saccade.train.{stage}"), TRAINERS[stage])
    from saccade.train.training_session import Interrupted  # noqa: PLC0415  (imports transformers)

    out = out or Path("runs") / f"{stage}-{Path(config).stem}"
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
        except yaml.YAMLError:
            equals = ""
        if not equals or key.strip() in ("stage", "model", "data", "steps"):
            raise InputError(f"--set {each!r}: write KEY=VALUE with a key of the recipe that has no option of its own")
    return found


def read_value(text: str) -> Any:
    """YAML takes 1e-5 for a word; nobody who writes it means one."""
    value = yaml.safe_load(text)
    if isinstance(value, str):
        with suppress(ValueError):
            return float(value)
    return value


def check(recipe: Recipe, stage: Stage, config: str) -> None:
    from saccade.models.hf import check_folder  # noqa: PLC0415  (other commands need none of it)
    from saccade.train.samples import record_files  # noqa: PLC0415

    if recipe.stage != stage:
        raise InputError(f"the recipe {config} is for {recipe.stage}: saccade train {recipe.stage} --config {config}")
    for name in paradigms_of(recipe):
        PARADIGMS.get(name)
    if not recipe.model:
        raise InputError("the recipe names no model: give the folder of one with --model PATH")
    if not is_mini(recipe.model):
        check_folder(recipe.model)
    if not recipe.data:
        raise InputError("the recipe names no data: give step records with --data FILE")
    record_files(recipe.data)


def last_line(out: Path) -> dict[str, Any]:
    """The figures of the last step."""
    log = out / "log.jsonl"
    lines = log.read_bytes().splitlines() if log.is_file() else []
    found: dict[str, Any] = msgspec.json.decode(lines[-1]) if lines else {}
    return found
