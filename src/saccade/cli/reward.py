"""`saccade reward`: computes the training reward of raw outputs and its parts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated, Any, get_type_hints

import typer

from saccade.agents.settings import read_option
from saccade.cli.common import (
    CoordinatesOption,
    FileArgument,
    JsonOption,
    KeepGoingOption,
    SimilarityOption,
    SwipeOption,
    configured,
    console,
    load_steps,
    plain,
    table,
)
from saccade.errors import InputError
from saccade.models.embeddings import open_similarity
from saccade.scoring.embedding_similarity import gate_shares, prepare, similarity_name
from saccade.scoring.metrics import part_means
from saccade.scoring.profiles import get_profile
from saccade.scoring.rewards import REWARDS, Reward, RewardRow
from saccade.types import Step


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
    switches: Annotated[
        list[str] | None,
        typer.Option("--set", help="A switch of the paradigm: max_elements=3, blink=no …", show_default=False),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Refuse records without the key elements that the reward needs.")
    ] = False,
    similarity: SimilarityOption = "",
) -> None:
    """Compute a paper's training reward for raw outputs.

    FILE contains step records with `output`, `truth` and, for btl and uiloop, `key_elements` in priority order. What is
    paid for naming elements is left out for records without them; they are counted, and refused with --strict.

    Examples:

        saccade reward steps.jsonl --paradigm btl

        saccade reward steps.jsonl --paradigm uiloop --json
    """
    kind = REWARDS.get(paradigm)
    chosen_switches = dict(map(read_option, switches or []))
    settings: dict[str, object] = {"paradigm": configured(paradigm, coordinates, swipe, **chosen_switches)}
    if profile is not None:
        settings["profile"] = get_profile(profile)
    chosen = kind(**settings, **similarity_setting(kind, similarity))
    steps = load_steps(file, keep_going, "truth", "output")
    rows = [RewardRow.of_step(step) for step in steps]
    note = incomplete_note(chosen, steps, rows)
    if strict and note:
        raise InputError(f"{file}: {note}; annotate them (saccade data blink), or leave --strict out")
    prepare(chosen, rows)
    parts = [chosen.parts(row) for row in rows]
    totals = [chosen.total(part) for part in parts]
    sim = getattr(chosen, "sim", None)
    named = {"similarity": similarity_name(sim)} if sim else {}
    notes = [text for text in (gate_shares(sim).sentence if sim else "", note) if text]
    if json_lines:
        for step, part, total in zip(steps, parts, totals, strict=True):
            typer.echo(json.dumps({"id": step.id, "total": total, "parts": part, **named}, ensure_ascii=False))
        for note in notes:
            typer.echo(f"saccade: {note}", err=True)
        return
    console.print(f"[bold]{paradigm} reward[/]  [dim]{len(steps):,} outputs[/]")
    made = table("part", ["mean"])
    for name, figure in part_means(parts, totals).items():
        made.add_row(name, plain(figure))
    console.print(made)
    console.print("[dim]means with 95 % bootstrap intervals[/]")
    for note in notes:
        console.print(f"[dim]{note}[/]")


def similarity_setting(kind: type[Reward], name: str) -> dict[str, Any]:
    """The setting `sim` of a reward that compares descriptions; a name for another reward is the user's mistake."""
    if "sim" in get_type_hints(kind):
        return {"sim": open_similarity(name)}
    if name:
        raise InputError(f"the {kind.name} reward compares no descriptions: leave --similarity out")
    return {}


def incomplete_note(chosen: Reward, steps: Sequence[Step], rows: Sequence[RewardRow]) -> str:
    """How many records lack the key elements that the reward needs, and the first of them; empty if none does."""
    lacking = [step.id for step, row in zip(steps, rows, strict=True) if chosen.incomplete(row)]
    if not lacking:
        return ""
    first = ", ".join(lacking[:3]) + (" …" if len(lacking) > 3 else "")
    return f"{len(lacking):,} of {len(rows):,} records have no key elements ({first}): no reward for naming them"
