"""`saccade bench`: measure an agent on a suite; compare two measurements."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

import saccade.cli.run_options as options
from saccade.agents.settings import read_option
from saccade.bench.suites import get_suite, suites
from saccade.cli.common import EngineOption, JsonOption, SimilarityOption, console, table
from saccade.cli.run import settings_of
from saccade.engines import open_engine
from saccade.errors import InputError
from saccade.screens.element_source import TREE
from saccade.untrusted import decode_json, read_bytes
from saccade.worlds.base import InfrastructureError

if TYPE_CHECKING:
    from saccade.bench.cases import Result
    from saccade.bench.grid import GridVariant
    from saccade.bench.runner import BenchRequest

_SUITE = "Suite"
SuiteName = Annotated[str, typer.Argument(help="A suite's name; or list, compare, errors.", show_default=False)]
Folders = Annotated[list[Path] | None, typer.Argument(help="Of compare and errors: folders.", show_default=False)]
Data = Annotated[Path | None, typer.Option(help="The data set's folder.", rich_help_panel=_SUITE, show_default=False)]
DataOptions = Annotated[
    list[str] | None,
    typer.Option(
        "--option",
        help="Of the suite: split=test, group=app, set=all, seeds=5 …; may be given again.",
        rich_help_panel=_SUITE,
        show_default=False,
    ),
]
Limit = Annotated[int | None, typer.Option(help="The first N cases.", rich_help_panel=_SUITE, show_default=False)]
Workers = Annotated[int, typer.Option(help="Cases at a time.", rich_help_panel=_SUITE)]
Rerun = Annotated[str, typer.Option(help="Do again: none, broken or failed cases.", rich_help_panel=_SUITE)]
Profiles = Annotated[
    str, typer.Option(help="Another match rule, or all: the same answers under each.", rich_help_panel=_SUITE)
]
Grid = Annotated[
    list[str] | None,
    typer.Option(
        "--grid",
        help="Axes such as history=0,1,2,5 or the name of an ablation; may be given again.",
        rich_help_panel=_SUITE,
        show_default=False,
    ),
]
GridMode = Annotated[
    str, typer.Option(help="All combinations (product), or one axis at a time (one).", rich_help_panel=_SUITE)
]
KeepGoing = Annotated[bool, typer.Option("--keep-going", help="Leave out bad records.", rich_help_panel=_SUITE)]
Blind = Annotated[
    bool,
    typer.Option(
        "--blind", help="Measure on recordings without pictures, too; every table says so.", rich_help_panel=_SUITE
    ),
]
Predictions = Annotated[
    Path | None,
    typer.Option(help="Measure the answers in this file, without a model.", rich_help_panel=_SUITE, show_default=False),
]
Label = Annotated[str, typer.Option(help="How tables call it.", rich_help_panel=_SUITE, show_default=False)]

HELP = """Measure an agent, and write tables, plots and a page for each case. The same command goes on after a kill.

Examples:

    saccade bench list

    saccade bench phone --model openai/my-3b --paradigm secagent --limit 200 --workers 2

    saccade bench screenspot-pro --data ScreenSpot-Pro --model openai/my-3b --profiles all --out runs/pro

    saccade bench phone --model openai/my-3b --grid history=0,1,2,5 --grid context=on,off --out runs/history

    saccade bench screenspot-pro --predictions answers.jsonl --label theirs

    saccade bench aitw --data AitW --option draw=paper --model openai/my-3b --paradigm guidnav

    saccade bench compare runs/a runs/b

    saccade bench errors runs/a
"""


def bench(
    suite: SuiteName,
    folders: Folders = None,
    data: Data = None,
    option: DataOptions = None,
    limit: Limit = None,
    workers: Workers = 1,
    engine: EngineOption = "local",
    rerun: Rerun = "none",
    profiles: Profiles = "",
    grid: Grid = None,
    grid_mode: GridMode = "product",
    keep_going: KeepGoing = False,
    blind: Blind = False,
    predictions: Predictions = None,
    similarity: SimilarityOption = "",
    label: Label = "",
    seed: options.Seed = 0,
    world_options: options.WorldOptions = None,
    paradigm: options.Paradigm = "btl",
    model: options.Model = "",
    base_url: options.BaseUrl = None,
    model_options: options.ModelOptions = None,
    agent: options.AgentPolicy = "",
    coordinates: options.Coordinates = None,
    language: options.Language = "auto",
    elements: options.Elements = TREE,
    hints: options.Hints = "none",
    context: options.Context = "own",
    switches: options.Switches = None,
    temperature: options.Temperature = None,
    max_output: options.MaxOutput = 1024,
    deadline: options.Deadline = 120.0,
    k: options.Candidates = None,
    reward: options.Reward = "",
    prior: options.Prior = None,
    margin: options.Margin = None,
    tries: options.Tries = 1,
    retries: options.Retries = 0,
    judge: options.Judge = "",
    reflect: options.Reflect = True,
    max_steps: options.MaxSteps = 30,
    out: options.Out = None,
    json_lines: JsonOption = False,
) -> None:
    """Measure an agent: see `HELP`."""
    given = dict(locals())
    if suite == "list":
        return show_suites(json_lines)
    if suite == "compare":
        return show_comparison(folders or [], profiles, language, json_lines)
    if suite == "errors":
        return show_errors(folders or [], profiles, json_lines)
    with open_engine(engine) as works:
        return carry_out(order_of(given | {"engine": works}), grid or [], grid_mode, profiles, json_lines)


app = typer.Typer(rich_markup_mode="markdown")
app.command("bench", help=HELP)(bench)


def order_of(given: dict[str, Any]) -> BenchRequest:
    from saccade.bench.runner import BenchRequest  # noqa: PLC0415

    chosen = get_suite(given["suite"])
    if given["rerun"] not in ("none", "broken", "failed"):
        raise InputError(f"--rerun is {given['rerun']!r}: use none, broken or failed")
    if given["workers"] < 1 or (given["limit"] is not None and given["limit"] < 1):
        raise InputError("--workers and --limit must be at least 1")
    if given["folders"]:
        raise InputError(f"{given['folders'][0]}: only compare takes folders; data goes with --data")
    given = without_model(given) if given["predictions"] else given
    if given["grid"] and not given["model"]:
        from saccade.bench.grid_axes import first_model  # noqa: PLC0415

        given |= {"model": first_model(given["grid"]), "label": given["label"] or given["paradigm"]}
    settings = settings_of(
        {
            **given,
            "world": chosen.name,
            "instruction": "",
            "device": None,
            "allow": None,
            "max_seconds": 0.0,
            "max_tokens": 0,
            "max_cost": 0.0,
            "policy": "",
            "secrets": None,
        }
    )
    out = given["out"] or Path("runs") / f"{chosen.name}-{datetime.now():%Y%m%d-%H%M%S}"
    return BenchRequest(
        chosen,
        settings,
        out,
        given["data"],
        dict(map(read_option, given["option"] or [])),
        given["limit"],
        given["workers"],
        given["rerun"],
        given["keep_going"],
        given["label"] or f"{given['model']} {given['paradigm']}",
        blind=given["blind"],
        similarity=given["similarity"],
        predictions=given["predictions"],
        engine=given["engine"],
    )


def without_model(given: dict[str, Any]) -> dict[str, Any]:
    """The command line of a measurement of existing answers, which takes nothing that a model would need."""
    for name in ("model", "data", "option", "grid", "blind"):
        if given[name]:
            raise InputError(f"--{name} does not go with --predictions: the answers are in {given['predictions']}")
    return {**given, "model": "predictions", "label": given["label"] or given["predictions"].stem}


def carry_out(order: BenchRequest, grid: list[str], mode: str, profiles: str, json_lines: bool) -> None:
    """With a progress bar; what was done stays done, however it ends."""
    from saccade.bench.grid import run_grid, write_grid  # noqa: PLC0415
    from saccade.bench.grid_axes import read_axes  # noqa: PLC0415
    from saccade.bench.report_files import rules, write_report  # noqa: PLC0415
    from saccade.bench.runner import measure  # noqa: PLC0415

    named = rules(profiles, order.suite)  # a wrong name shows before anything is measured
    axes = read_axes(grid, mode) if grid else None
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, disable=json_lines, transient=True) as progress:
        bar = progress.add_task(order.suite.name, total=order.limit)

        def on_result(result: Result, done: int, total: int | None) -> None:
            progress.update(bar, completed=done, total=total or order.limit)
            if json_lines:
                typer.echo(
                    msgspec.json.encode(
                        {
                            "id": result.id,
                            "status": result.status,
                            "turns": result.turns,
                            "success": result.success if result.outcome else None,
                        }
                    )
                )

        def begin(variant: GridVariant, at: int, count: int) -> None:
            progress.reset(bar, description=f"{variant.name} ({at} of {count})")

        try:
            if axes is not None:
                report = write_grid(
                    run_grid(order, axes, on_result, begin), order.out, None if profiles == "all" else named[0]
                )
            else:
                measure(order, on_result)
                report = write_report(order.out, profiles)
        except InfrastructureError as error:
            raise InputError(str(error)) from None
        except KeyboardInterrupt:
            typer.echo("saccade: interrupted; the same command goes on from here", err=True)
            raise typer.Exit(130) from None
    show(report, json_lines)


def show(report: Path, json_lines: bool) -> None:
    """The tables on the terminal, and where the rest is."""
    from saccade.bench.table import NO_MATPLOTLIB, Table  # noqa: PLC0415
    from saccade.bench.terminal import console_tables  # noqa: PLC0415

    tables = decode_json(read_bytes(report.parent / "report.json"), list[Table])
    if json_lines:
        typer.echo(msgspec.json.encode({"tables": tables, "report": str(report)}))
        return
    console.print(console_tables(tables, console))
    if not any(report.parent.glob("*.png")):
        console.print(f"The report has no pictures: {escape(NO_MATPLOTLIB)}.")
    console.print(f"report: {report}")


def show_suites(json_lines: bool) -> None:
    if json_lines:
        for suite in suites():
            typer.echo(
                msgspec.json.encode(
                    {
                        "name": suite.name,
                        "title": suite.title,
                        "kind": suite.kind,
                        "profile": suite.profile,
                        "datasets": suite.datasets,
                    }
                )
            )
        return
    made = table("suite", ["kind", "rule"])
    for suite in suites():
        made.add_row(f"{suite.name}  [dim]{suite.title}[/]", suite.kind, suite.profile)
    console.print(made)


def show_comparison(folders: list[Path], profile: str, language: str, json_lines: bool) -> None:
    from saccade.bench.compare import compare, comparison_table  # noqa: PLC0415
    from saccade.bench.terminal import console_tables  # noqa: PLC0415

    if len(folders) != 2:
        raise InputError(f"compare takes two folders, got {len(folders)}: saccade bench compare RUN RUN")
    found = compare(folders[0], folders[1], profile or None, "zh" if language == "zh" else "en")
    if json_lines:
        typer.echo(msgspec.json.encode(found))
        return
    console.print(console_tables([comparison_table(found)], console))


def show_errors(folders: list[Path], profile: str, json_lines: bool) -> None:
    from saccade.bench.errors import analyse, error_table, write_errors  # noqa: PLC0415
    from saccade.bench.terminal import console_tables  # noqa: PLC0415

    if len(folders) != 1:
        raise InputError(f"errors takes one folder, got {len(folders)}: saccade bench errors RUN")
    found = error_table(analyse(folders[0], profile or None))
    page = write_errors(folders[0], profile or None)
    if json_lines:
        typer.echo(msgspec.json.encode(found))
        return
    console.print(console_tables([found], console))
    console.print(f"examples: {page}")
