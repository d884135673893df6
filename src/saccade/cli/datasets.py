"""`saccade data read|describe|check|list`: converts, summarises and validates published data sets."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console, RenderableType
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table

from saccade.cli.common import EngineOption, JsonOption, KeepGoingOption, console
from saccade.data.check import KINDS, Finding, check
from saccade.data.contact_sheet import Reservoir, contact_sheet, save_sheet, sheet_format
from saccade.data.describe import Description, Spread, Tally, describe
from saccade.data.readers import DATASETS, Dataset, Sample, open_dataset
from saccade.data.result_files import result_file
from saccade.data.write import IMAGES, Images, output_paths, write_dataset
from saccade.engines import Engine, open_engine
from saccade.errors import InputError, MissingError
from saccade.screens.element_source import TREE

MOST_ROWS = 12
"""Most values of one property in a table."""
MOST_EXAMPLES = 5
"""Most findings of one kind that are printed; --json prints all."""
MOST_PROBLEMS = 20
RESERVED = ("folder", "name", "keep_going")

FolderArgument = Annotated[Path, typer.Argument(help="The data set's folder, or its file.", show_default=False)]
AsOption = Annotated[
    str, typer.Option("--as", help="Name of the data set; recognised by its content if not given.", show_default=False)
]
SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", help="An option of its reader, NAME=VALUE; may be repeated.", show_default=False),
]
LimitOption = Annotated[int | None, typer.Option(min=1, help="Read only the first N steps.", show_default=False)]


def register(app: typer.Typer) -> None:
    """Add the commands to `saccade data`."""
    app.command("read")(read_data)
    app.command("describe")(describe_data)
    app.command("check")(check_data)
    app.command("list")(list_data)


def read_data(
    folder: FolderArgument,
    out: Annotated[Path, typer.Option(help="A folder, or a .jsonl file.", show_default=False)],
    name: AsOption = "",
    options: SetOption = None,
    images: Annotated[str, typer.Option(help="The screenshots: copy, link or none.")] = "copy",
    limit: LimitOption = None,
    elements: Annotated[
        str, typer.Option(help="What finds elements where a record has none: vision looks into its picture.")
    ] = TREE,
    workers: Annotated[int, typer.Option(min=0, help="Of --elements: processes; 0: one for each core.")] = 0,
    engine: EngineOption = "local",
    keep_going: KeepGoingOption = False,
    json_lines: JsonOption = False,
) -> None:
    """Convert a published data set to step records.

    Writes everything or nothing: an interrupted run leaves no file behind. Elements that were found in pictures are
    kept in the cache folder, so that the same command goes on from there.

    Examples:

        saccade data read android_control --set split=test --set level=low --out ac-low

        saccade data read ScreenSpot-Pro --images link --out pro

        saccade data read GUI-Odyssey --as gui-odyssey --images none --limit 1000 --out first.jsonl

        saccade data read AitW --elements vision --out aitw
    """
    kind = which_images(images)
    output_paths(out)
    dataset = open_with_options(folder, name, options, keep_going)
    with open_engine(engine) as works, reading_progress(dataset, quiet=json_lines) as bar:
        complete = filling(dataset, elements, workers or os.cpu_count() or 1, works, bar)
        written = write_dataset(dataset, out, kind, limit, complete)
    print_problems(dataset)
    if json_lines:
        summary = {
            "dataset": dataset.name,
            "options": dataset.options,
            "steps": written.steps,
            "left_out": len(dataset.problems),
            "no_steps": dict(dataset.no_steps),
            "episodes": written.episodes,
            "pictures": written.pictures,
            "file": str(written.file),
        }
        typer.echo(msgspec.json.encode(summary))
        return
    pictures = f", {written.pictures:,} pictures" if written.pictures else ""
    console.print(f"{dataset.title}: {written.steps:,} steps{pictures} → {written.file}", markup=False, soft_wrap=True)


def describe_data(
    folder: FolderArgument,
    name: AsOption = "",
    options: SetOption = None,
    sheet: Annotated[
        Path | None, typer.Option(help="Write a contact sheet to this .png or .jpg file.", show_default=False)
    ] = None,
    samples: Annotated[int, typer.Option(min=1, max=200, help="Number of screens on the contact sheet.")] = 18,
    seed: Annotated[int, typer.Option(help="Seed for choosing the screens.")] = 0,
    limit: LimitOption = None,
    keep_going: KeepGoingOption = False,
    json_lines: JsonOption = False,
) -> None:
    """Summarise a data set: counts of steps, actions, screens, languages and tags; optionally a contact sheet.

    Examples:

        saccade data describe ScreenSpot-v2

        saccade data describe android_control --set split=test --sheet ac.png

        saccade data describe runs/oracle --sheet oracle.jpg --samples 30 --seed 2 --json
    """
    if sheet is not None:
        sheet_format(sheet)
    dataset = open_with_options(folder, name, options, keep_going)
    chosen = Reservoir(samples, seed)
    with reading_progress(dataset, quiet=json_lines):
        found = describe(dataset, limit, chosen if sheet is not None else None)
    print_problems(dataset)
    if not found.steps:
        raise InputError(f"{folder} contains no record that can be read")
    if json_lines:
        typer.echo(msgspec.json.encode(found))
    else:
        show_description(found)
    if sheet is not None:
        title = (
            f"{found.title}: {folder.resolve().name}{_chosen(found.options)}, {len(chosen.samples)} of {found.steps:,}"
        )
        save_sheet(contact_sheet(chosen.samples, f"{title} steps, seed {seed}"), sheet)
        if not json_lines:
            console.print(f"contact sheet of {len(chosen.samples)} steps → {sheet}", markup=False, soft_wrap=True)


def check_data(
    folder: FolderArgument,
    name: AsOption = "",
    options: SetOption = None,
    against: Annotated[
        Path | None, typer.Option(help="Training data to check for overlap.", show_default=False)
    ] = None,
    against_as: Annotated[str, typer.Option(help="Like --as, for --against.", show_default=False)] = "",
    against_set: Annotated[
        list[str] | None, typer.Option(help="Like --set, for --against.", show_default=False)
    ] = None,
    pictures: Annotated[bool, typer.Option(help="Open every screenshot.")] = True,
    limit: LimitOption = None,
    json_lines: JsonOption = False,
) -> None:
    """Validate a data set, and find overlap between training and test data.

    Exit code 0: no findings; 1: findings. With --json, one line per finding, and a last line with the counts.

    Examples:

        saccade data check ScreenSpot-Pro

        saccade data check test.jsonl --against train.jsonl --json

        saccade data check GUI-Odyssey --set part=test --against GUI-Odyssey --against-set part=train
    """
    if against is None and (against_as or against_set):
        raise InputError("--against-as and --against-set need --against")
    dataset = open_with_options(folder, name, options, keep_going=True)
    if found := result_file(folder):
        typer.echo(f"saccade: {found.sentence(folder)}; its records are checked as a data set", err=True)
    other = open_with_options(against, against_as, against_set, keep_going=True) if against is not None else None
    counts: Counter[str] = Counter()
    examples: defaultdict[str, list[Finding]] = defaultdict(list)
    try:
        with reading_progress(*filter(None, (other, dataset)), quiet=json_lines):
            for finding in check(dataset, other, pictures=pictures, limit=limit):
                counts[finding.kind] += 1
                if json_lines:
                    typer.echo(msgspec.json.encode(finding))
                elif counts[finding.kind] <= MOST_EXAMPLES:
                    examples[finding.kind].append(finding)
    finally:
        if counts and not json_lines:
            show_findings(counts, examples)
    if json_lines:
        typer.echo(msgspec.json.encode({"dataset": dataset.name, "findings": counts.total(), "counts": counts}))
    elif not counts:
        console.print(f"{dataset.title}: no findings", markup=False)
    if counts:
        raise typer.Exit(1)


def list_data(json_lines: JsonOption = False) -> None:
    """List the supported data sets, their folder layouts and their options.

    Examples:

        saccade data list

        saccade data list --json
    """
    made = Table(box=SIMPLE_HEAD, header_style="bold", padding=(0, 1, 0, 0))
    for column in ("name", "data set", "looks like", "options (default first)", "scored by"):
        made.add_column(column, no_wrap=column == "name", overflow="fold")
    for each in DATASETS.names():
        try:
            kind = DATASETS.get(each)
        except MissingError as error:
            made.add_row(each, escape(str(error)))
            continue
        if json_lines:
            entry = {
                "name": each,
                "title": kind.title,
                "layout": kind.layout,
                "licence": kind.licence,
                "profile": kind.profile,
                "options": dict(kind.choices),
            }
            typer.echo(msgspec.json.encode(entry))
        choices = "\n".join(f"{key}={'|'.join(values) or '…'}" for key, values in kind.choices.items())
        made.add_row(each, *map(escape, (kind.title, kind.layout, choices, kind.profile)))
    if not json_lines:
        console.print(made)


# -- opening and progress ---------------------------------------------------------------------------------------------


def open_with_options(folder: Path, name: str, options: Iterable[str] | None, keep_going: bool) -> Dataset:
    """Open a data set with the options of the command line."""
    chosen: dict[str, Any] = {}
    for written in options or ():
        key, sign, value = written.partition("=")
        if not sign or not key:
            raise InputError(f"--set is {written!r}: write NAME=VALUE, such as split=test")
        if key in chosen:
            raise InputError(f"--set {key} is given twice")
        if key in RESERVED:
            raise InputError(f"--set {key}: no data set has such an option; saccade data list shows them")
        chosen[key] = value
    if not name and (found := result_file(folder)) and not found.has_records:
        raise InputError(found.sentence(folder))
    return open_dataset(folder, name, keep_going=keep_going, **chosen)


def which_images(name: str) -> Images:
    """What happens to screenshots, as `--images` says."""
    if (found := next((known for known in IMAGES if known == name), None)) is None:
        raise InputError(f"--images is {name!r}: use {', '.join(IMAGES)}")
    return found


def _chosen(options: dict[str, str]) -> str:
    return "".join(f" {name}={value}" for name, value in options.items() if value)


class ReadingBar(Progress):
    """A progress bar for data sets; it asks them for their progress whenever it is drawn."""

    def __init__(self, datasets: Iterable[Dataset], quiet: bool) -> None:
        columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
        self.watched: list[tuple[Any, Dataset]] = []
        where = Console(stderr=True)
        super().__init__(*columns, console=where, transient=True, disable=quiet or not where.is_terminal)
        self.watched = [(self.add_task(escape(each.folder.name), total=None), each) for each in datasets]
        self.pictures = 0

    def picture(self) -> None:
        """Another picture was searched for elements."""
        self.pictures += 1
        task, dataset = self.watched[-1]
        self.update(task, description=f"{escape(dataset.folder.name)}, {self.pictures:,} pictures parsed")

    def get_renderables(self) -> Iterable[RenderableType]:
        for task, dataset in self.watched:
            self.tasks[task].total = dataset.progress.total or None
            self.tasks[task].completed = dataset.progress.done
        return super().get_renderables()


def filling(
    dataset: Dataset, elements: str, workers: int, engine: Engine, bar: ReadingBar
) -> Callable[[Iterator[Sample]], Iterator[Sample]]:
    """What `--elements` does to the samples of a data set."""
    if elements == TREE:
        return iter
    from saccade.data.element_filling import ElementFinder, fill_elements  # noqa: PLC0415

    ElementFinder(elements)  # a wrong name is told before anything is read
    return lambda samples: fill_elements(
        samples, elements, workers, lambda sample, why: dataset.bad(sample.where, why), bar.picture, engine=engine
    )


@contextmanager
def reading_progress(*datasets: Dataset, quiet: bool) -> Iterator[ReadingBar]:
    """Show a progress bar while data is read; Ctrl-C ends with a message and exit code 130."""
    try:
        with ReadingBar(datasets, quiet) as bar:
            yield bar
    except KeyboardInterrupt:
        typer.echo("saccade: interrupted; no partial output was left", err=True)
        raise typer.Exit(130) from None


def print_problems(dataset: Dataset) -> None:
    """Print the records that were left out, and those that are no steps, to stderr."""
    for where, reason in dataset.problems[:MOST_PROBLEMS]:
        typer.echo(f"saccade: {where}: {reason}", err=True)
    if dataset.problems:
        typer.echo(f"saccade: left out {len(dataset.problems):,} records", err=True)
    if dataset.no_steps:
        kinds = ", ".join(f"{count:,} × {kind}" for kind, count in sorted(dataset.no_steps.items()))
        typer.echo(f"saccade: {dataset.no_steps.total():,} records are no steps and were skipped: {kinds}", err=True)


# -- tables -----------------------------------------------------------------------------------------------------------


def show_description(found: Description) -> None:
    """Print the description: figures first, then a table of counts."""
    n = found.steps
    console.print(f"[bold]{escape(found.title)}[/] ({found.dataset}) in {escape(found.folder)}", soft_wrap=True)
    if chosen := _chosen(found.options):
        console.print(f"options{escape(chosen)}")
    facts = Table.grid(padding=(0, 2))
    cut = "" if found.whole else " (the first; there are more)"
    facts.add_row("steps", f"{n:,}{cut}" + (f", {found.grounding:,} for grounding" if found.grounding else ""))
    if found.episodes:
        facts.add_row("episodes", f"{found.episodes:,} of {_spread(found.episode_steps)} steps")
    facts.add_row("instructions", f"{_spread(found.instruction_words)} words (a Chinese character is one)")
    facts.add_row("right actions", f"boxes {found.boxed:,}, several {found.several:,}, none {found.no_truth:,}")
    facts.add_row("pictures", ", ".join(f"{name} {count:,}" for name, count in found.pictures.items()))
    facts.add_row("steps with", ", ".join(f"{name} {count:,}" for name, count in found.parts.items()) or "–")
    console.print(facts)
    made = Table(box=SIMPLE_HEAD, header_style="bold", padding=(0, 1, 0, 0))
    for column, justify in (("what", "left"), ("value", "left"), ("steps", "right"), ("%", "right")):
        made.add_column(column, justify="right" if justify == "right" else "left", overflow="fold")
    counted = {
        "action": found.actions,
        "direction": found.directions,
        "screen": found.screens,
        "script": found.scripts,
    } | {f"tag {name}": tally for name, tally in found.tags.items()}
    for name, tally in counted.items():
        _rows(made, name, tally, n)
    console.print(made)


def _rows(made: Table, name: str, tally: Tally, n: int) -> None:
    """Add rows for the most frequent values, and one row for the rest."""
    shown = tally.common(MOST_ROWS if len(tally.counts) > MOST_ROWS + 1 or tally.others else None)
    for value, count in shown:
        made.add_row(name, escape(value) or "[dim]empty[/]", f"{count:,}", f"{100 * count / n:.1f}")
        name = ""
    rest = tally.total - sum(count for _, count in shown)
    if rest:
        several = "more than " if tally.others else ""
        left = len(tally.counts) - len(shown)
        made.add_row(name, f"[dim]… {several}{left:,} others[/]", f"{rest:,}", f"{100 * rest / n:.1f}")
    if made.rows:
        made.add_section()


def _spread(spread: Spread | None) -> str:
    if spread is None or spread.least == spread.most:
        return str(spread.least) if spread else "–"
    return f"{spread.least}–{spread.most} (median {spread.median:g}, mean {spread.mean:.1f})"


def show_findings(counts: Counter[str], examples: dict[str, list[Finding]]) -> None:
    """Print the number of findings of each kind, with the first few of each."""
    for kind, means in KINDS.items():
        if not counts[kind]:
            continue
        console.print(f"[bold]{kind}[/] {counts[kind]:,}: {means}", highlight=False)
        for _, where, what in map(msgspec.structs.astuple, examples[kind]):
            console.print(f"  {where}: {what}", markup=False, highlight=False, soft_wrap=True)
        if counts[kind] > len(examples[kind]):
            console.print(f"  … and {counts[kind] - len(examples[kind]):,} more (--json shows all)", highlight=False)
    console.print(f"{counts.total():,} findings", highlight=False)
