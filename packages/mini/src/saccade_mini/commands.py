"""`saccade mini`: what the mini needs besides `saccade train`: intent classifier, next-action model, export."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from saccade.cli.common import console
from saccade.errors import InputError

app = typer.Typer(help="Parts of the small model.", no_args_is_help=True, rich_markup_mode="markdown")

Folder = Annotated[Path, typer.Option("--out", help="The folder that mini/PATH opens.", show_default=False)]


@app.callback()
def _mini() -> None:
    """Train the parts of the small model that `saccade train` does not, and export it."""


@app.command("intents")
def intents(out: Folder, seed: Annotated[int, typer.Option(help="Draws what is left out.")] = 0) -> None:
    """Train the classifier that says which task an instruction means: a minute on a CPU.

    Examples:

        saccade mini intents --out runs/mini
    """
    from saccade_mini.training.intent_training import train_classifier  # noqa: PLC0415

    train_classifier(out, seed, console.print)
    console.print(f"→ {out}", highlight=False)


@app.command("actions")
def actions(
    data: Annotated[list[Path], typer.Option(help="Recorded episodes of the phone.", show_default=False)],
    out: Folder,
) -> None:
    """Learn which actions each task takes, and which comes next, from recorded episodes: minutes on a CPU.

    The result goes into the file that saccade mini intents wrote.

    Examples:

        saccade mini actions --data runs/noisy --data runs/own --out runs/mini
    """
    from saccade_mini.training.next_action_training import add_next_action  # noqa: PLC0415

    known = add_next_action(data, out, tell=lambda line: console.print(line, highlight=False))
    console.print(f"actions of {known} plain wordings → {out}", highlight=False)


@app.command("export")
def export(
    folder: Annotated[
        str, typer.Argument(help="model/ of a training, or mini for the one that ships.", show_default=False)
    ],
    out: Folder,
    bits: Annotated[int, typer.Option(help="Of each weight: 4, or 8 for a larger file that is more exact.")] = 4,
) -> None:
    """Write a trained mini, or its process reward model, as ONNX that runs without torch.

    Examples:

        saccade mini export runs/mini-sft/model --out runs/mini

        saccade mini export runs/mini-prm/model --out runs/mini

        saccade mini export mini --bits 8 --out runs/eight
    """
    from saccade_mini.training.onnx_export import export_mini  # noqa: PLC0415

    if bits not in (4, 8):
        raise InputError(f"--bits is {bits}: use 4 or 8")
    console.print(f"→ {export_mini(folder, out, bits)}", highlight=False)
