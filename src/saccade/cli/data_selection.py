"""`saccade data mix|filter`: step records drawn or chosen from data sets."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec
import typer

from saccade.cli.common import JsonOption, KeepGoingOption, console
from saccade.cli.datasets import (
    AsOption,
    FolderArgument,
    SetOption,
    open_with_options,
    print_problems,
    reading_progress,
    which_images,
)
from saccade.data.instruction_filter import distinct_episodes, episode_of
from saccade.data.mix import draw_part, open_parts, parse_part, read_mix
from saccade.data.selection import SelectedPart, Selection
from saccade.data.write import output_paths, write_dataset
from saccade.errors import InputError

OutOption = Annotated[Path, typer.Option(help="A folder, or a .jsonl file.", show_default=False)]
ImagesOption = Annotated[str, typer.Option(help="The screenshots: copy, link or none.")]


def register(app: typer.Typer) -> None:
    """Add the commands to `saccade data`."""
    app.command("mix")(mix_data)
    app.command("filter")(filter_data)


def mix_data(
    out: OutOption,
    mix: Annotated[
        str, typer.Argument(help="A mix of the papers (btl-table1, guidnav-prm), or a YAML file.", show_default=False)
    ] = "",
    source: Annotated[
        list[str] | None,
        typer.Option(help="Where a data set of the mix lies, NAME=FOLDER; may be repeated.", show_default=False),
    ] = None,
    part: Annotated[
        list[str] | None,
        typer.Option(
            help="A part of your own, NAME=FOLDER:COUNT, then ,KEY=VALUE for as (the reader), of (steps or episodes), "
            "per (a tag) and the reader's options; may be repeated.",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Other seeds, other draws.")] = 0,
    allow_fewer: Annotated[bool, typer.Option("--allow-fewer", help="Take all where there are too few.")] = False,
    images: ImagesOption = "copy",
    keep_going: KeepGoingOption = False,
    json_lines: JsonOption = False,
) -> None:
    """Draw training samples from several data sets into one file of step records.

    The same seed draws the same rows, whatever the order of the files. Each row is tagged with its part. Writes
    everything or nothing.

    Examples:

        saccade data mix btl-table1 --source showui-desktop=A --source androidcontrol=B --source gui-odyssey=C --out mix

        saccade data mix --part desktop=ShowUI-desktop:2000 --part low=android_control:500,split=train,level=low --out m

        saccade data mix --part tasks=aitw:300,split=train,of=episodes,per=source --seed 1 --out prm-tasks
    """
    output_paths(out)
    kind = which_images(images)
    pairs = [each.partition("=") for each in source or []]
    if wrong := next((name + sign + place for name, sign, place in pairs if not name or not place), None):
        raise InputError(f"--source {wrong!r}: write NAME=FOLDER, such as androidcontrol=android_control")
    parts = [*(read_mix(mix) if mix else []), *map(parse_part, part or [])]
    opened = open_parts(parts, {name: Path(place) for name, _, place in pairs}, keep_going)
    with reading_progress(*(dataset for _, dataset in opened), quiet=json_lines):
        drawn = [draw_part(each, dataset, seed, allow_fewer) for each, dataset in opened]
        selection = Selection(opened[0][1].folder, [each.selected() for each in drawn])
        written = write_dataset(selection, out, kind)
    selection.gather_problems()
    print_problems(selection)
    if json_lines:
        counts = {each.part.name: sum(each.drawn.values()) for each in drawn}
        told = {"steps": written.steps, "drawn": counts, "seed": seed, "pictures": written.pictures}
        typer.echo(msgspec.json.encode(told | {"file": str(written.file)}))
        return
    for each in drawn:
        console.print(f"{each.part.name}: {sum(each.drawn.values()):,} {each.part.of}", markup=False, highlight=False)
    console.print(f"{written.steps:,} steps → {written.file}", markup=False, soft_wrap=True, highlight=False)


def filter_data(
    folder: FolderArgument,
    out: OutOption,
    min_edits: Annotated[int, typer.Option(min=1, help="Edits between any two instructions, at least.")] = 6,
    name: AsOption = "",
    options: SetOption = None,
    images: ImagesOption = "copy",
    keep_going: KeepGoingOption = False,
    json_lines: JsonOption = False,
) -> None:
    """Keep episodes whose instructions are at least so many edits apart (SecAgent §3.3: 6).

    Of several that are nearer to each other, the first is kept. Writes everything or nothing.

    Examples:

        saccade data filter runs/oracle --out distinct

        saccade data filter steps.jsonl --min-edits 6 --images none --out distinct.jsonl --json
    """
    output_paths(out)
    kind = which_images(images)
    dataset = open_with_options(folder, name, options, keep_going)
    with reading_progress(dataset, quiet=json_lines):
        kept, count = distinct_episodes(dataset, min_edits)
        chosen = SelectedPart(dataset, lambda sample: sample if episode_of(sample) in kept else None)
        selection = Selection(folder, [chosen])
        written = write_dataset(selection, out, kind)
    selection.gather_problems()
    print_problems(selection)
    told = {"kept": len(kept), "dropped": count - len(kept), "steps": written.steps, "file": str(written.file)}
    if json_lines:
        typer.echo(msgspec.json.encode(told))
        return
    console.print(
        f"{told['kept']:,} of {count:,} episodes kept, {told['dropped']:,} dropped; {written.steps:,} steps → "
        f"{written.file}",
        markup=False,
        soft_wrap=True,
        highlight=False,
    )
