"""`saccade similarity`: how a text similarity treats paraphrases and unrelated descriptions."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from saccade.cli.common import JsonOption, console, table
from saccade.models.embeddings import open_similarity
from saccade.scoring.embedding_similarity import GATE, gate_shares
from saccade.scoring.similarity import similarity as default


def similarity(
    name: Annotated[str, typer.Argument(help="As for --similarity.")] = default.name, json_lines: JsonOption = False
) -> None:
    """Measure a similarity on our own pairs of UI descriptions, English and Chinese.

    Every figure that depends on UILoop's `sim` names the similarity and its two shares above the gate.

    Examples:

        saccade similarity

        saccade similarity server/bge-m3@http://127.0.0.1:8000/v1

        saccade similarity models/all-MiniLM-L6-v2 --json
    """
    sim = open_similarity(name)
    found = {language or "all": gate_shares(sim, language) for language in ("", "en", "zh")}
    if json_lines:
        typer.echo(json.dumps({language: shares._asdict() for language, shares in found.items()}))
        return
    console.print(f"[bold]{found['all'].name}[/]  [dim]{found['all'].pairs} pairs of each kind[/]")
    made = table("language", [f"paraphrases > {GATE}", f"unrelated > {GATE}", "mean paraphrase", "mean unrelated"])
    for language, each in found.items():
        shares = [f"{100 * share:.0f} %" for share in (each.paraphrases, each.unrelated)]
        made.add_row(language, *shares, f"{each.mean_paraphrase:.2f}", f"{each.mean_unrelated:.2f}")
    console.print(made)
