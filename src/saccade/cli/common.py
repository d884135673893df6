"""What the commands share: reading step files, choosing paradigms, printing tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from saccade.data.predictions import read_predictions
from saccade.errors import InputError
from saccade.geometry import Frame
from saccade.paradigms import Paradigm, get_paradigm
from saccade.scoring.intervals import Figure
from saccade.types import Step

console = Console()
if not console.is_terminal:  # a pipe or a file has no width: do not cut tables there
    console = Console(width=140)

FileArgument = Annotated[Path, typer.Argument(help="Step records, one JSON object a line.", show_default=False)]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON lines for scripts.")]
SimilarityOption = Annotated[
    str,
    typer.Option(
        "--similarity",
        help="What compares descriptions in UILoop's figures: static-root, server/MODEL[@URL], or a folder with a "
        "sentence-transformers or ONNX model.",
        show_default=False,
    ),
]
ElementsOption = Annotated[
    str, typer.Option("--elements", help="Where elements come from: the tree, or the picture (vision).")
]
EngineOption = Annotated[
    str,
    typer.Option(
        "--engine",
        envvar="SACCADE_ENGINE",
        show_envvar=False,
        help="What works through many jobs: local processes, inline (in this process), ray, or ray:ADDRESS.",
    ),
]
KeepGoingOption = Annotated[
    bool, typer.Option("--keep-going", help="Leave out bad lines, say how many, and go on with the rest.")
]
CoordinatesOption = Annotated[
    str | None,
    typer.Option(
        help="Frame of the coordinates in raw outputs: pixel, unit, permille, permille:999, resized, "
        "resized:FACTOR,MIN,MAX. The paradigm's own by default.",
        show_default=False,
    ),
]
SwipeOption = Annotated[
    str | None,
    typer.Option(help="Whose direction a swipe in raw outputs names: finger or content.", show_default=False),
]


def load_steps(path: Path, keep_going: bool, *needed: str) -> list[Step]:
    """All step records of a file. Each needs the fields in `needed`; `a|b` means one of the two."""
    steps, bad = read_predictions(path, Step, keep_going, needed)
    for line_number, reason in bad[:20]:
        typer.echo(f"saccade: {path}:{line_number}: {reason}", err=True)
    if bad:
        typer.echo(f"saccade: skipped {len(bad)} of {len(bad) + len(steps)} records", err=True)
    return [step for _, step in steps]


def configured(name: str, coordinates: str | None, swipe: str | None, **switches: Any) -> Paradigm:
    """A paradigm with the frame, convention and switches of the command line."""
    paradigm = get_paradigm(name, **switches)
    if coordinates is not None:
        try:
            paradigm = replace(paradigm, frame=Frame.parse(coordinates))
        except ValueError as error:
            raise InputError(f"--coordinates: {error}") from None
    if swipe is not None:
        if swipe not in ("finger", "content"):
            raise InputError(f"--swipe is {swipe!r}: use finger or content")
        paradigm = replace(paradigm, swipe=swipe)  # type: ignore[arg-type]
    return paradigm


def percent(figure: Figure | None) -> str:
    """`88.5 (87–90)`: per cent, with its interval."""
    if figure is None:
        return "–"
    return f"{100 * figure.value:.1f} [dim]({100 * figure.low:.0f}–{100 * figure.high:.0f})[/]"


def plain(figure: Figure) -> str:
    return f"{figure.value:.3f} [dim]({figure.low:.3f}–{figure.high:.3f})[/]"


def table(first: str, columns: list[str]) -> Table:
    made = Table(box=SIMPLE_HEAD, header_style="bold", padding=(0, 1, 0, 0))
    made.add_column(first, no_wrap=True)
    for column in columns:
        made.add_column(column, justify="right", no_wrap=True)
    return made


def as_json(metrics: Mapping[str, Figure]) -> dict[str, dict[str, float]]:
    return {
        name: {"value": figure.value, "low": figure.low, "high": figure.high, "n": figure.n}
        for name, figure in metrics.items()
    }
