"""`saccade mini`: what the mini needs besides `saccade train`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from saccade.cli.common import console

app = typer.Typer(help="Export of the small model.", no_args_is_help=True, rich_markup_mode="markdown")


@app.callback()
def _mini() -> None:
    """Export the small model after training."""


@app.command("export")
def export(
    folder: Annotated[Path, typer.Argument(help="model/ of a training.", show_default=False)],
    out: Annotated[Path, typer.Option(help="The folder that mini/PATH opens.", show_default=False)],
    bits: Annotated[int, typer.Option(help="Of each weight: 8, or 4 as the mini ships (half the size).")] = 8,
) -> None:
    """Write a trained mini, or its process reward model, as ONNX that runs without torch.

    Examples:

        saccade mini export runs/mini-sft/model --out runs/mini

        saccade mini export runs/mini-prm/model --out runs/mini
    """
    from saccade_mini.training.onnx_weights import export_mini  # noqa: PLC0415

    console.print(f"→ {export_mini(folder, out, bits)}", highlight=False)
