"""`saccade reward`: computes the training reward of raw outputs and its parts."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from saccade.cli.common import (
    CoordinatesOption,
    FileArgument,
    JsonOption,
    KeepGoingOption,
    SwipeOption,
    configured,
    console,
    load_steps,
    plain,
    table,
)
from saccade.scoring.metrics import part_means
from saccade.scoring.profiles import get_profile
from saccade.scoring.rewards import REWARDS, RewardRow


def reward(
    file: FileArgument,
    paradigm: Annotated[str, typer.Option("--paradigm", help="btl, uiloop or secagent.", show_default=False)],
    json_lines: JsonOption = False,
    keep_going: KeepGoingOption = False,
    profile: Annotated[
        str | None, typer.Option(help="Match profile; the paper's by default.", show_default=False)
    ] = None,
    coordinates: CoordinatesOption = None,
    swipe: SwipeOption = None,
) -> None:
    """Compute a paper's training reward for raw outputs.

    FILE contains step records with `output`, `truth` and, for btl and uiloop, `key_elements` in priority order.

    Examples:

        saccade reward steps.jsonl --paradigm btl

        saccade reward steps.jsonl --paradigm uiloop --json
    """
    kind = REWARDS.get(paradigm)
    settings: dict[str, object] = {"paradigm": configured(paradigm, coordinates, swipe)}
    if profile is not None:
        settings["profile"] = get_profile(profile)
    chosen = kind(**settings)
    steps = load_steps(file, keep_going, "truth", "output")
    parts = [chosen.parts(RewardRow.of_step(step)) for step in steps]
    totals = [chosen.total(part) for part in parts]
    if json_lines:
        for step, part, total in zip(steps, parts, totals, strict=True):
            typer.echo(json.dumps({"id": step.id, "total": total, "parts": part}, ensure_ascii=False))
        return
    console.print(f"[bold]{paradigm} reward[/]  [dim]{len(steps):,} outputs[/]")
    made = table("part", ["mean"])
    for name, figure in part_means(parts, totals).items():
        made.add_row(name, plain(figure))
    console.print(made)
    console.print("[dim]means with 95 % bootstrap intervals[/]")
