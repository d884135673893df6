"""`saccade data walk`: random walks in any world."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer
from msgspec.structs import replace
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from saccade.agents.settings import read_option
from saccade.cli.common import ElementsOption, EngineOption, JsonOption, console
from saccade.engines import Engine, open_engine
from saccade.errors import InputError
from saccade.screens.element_source import TREE
from saccade.worlds.base import InfrastructureError

if TYPE_CHECKING:
    from saccade.data.synthesis.walk import WalkReport, WalkRequest, WalkSummary
    from saccade.worlds.tasks import Task

LAP = 10_007
"""Between the seeds of a task that is taken once more, because a suite has fewer tasks than there are episodes."""


def register(app: typer.Typer) -> None:
    """Add the command to `saccade data`."""
    app.command("walk")(walk_data)


def walk_data(
    worlds: Annotated[
        list[str],
        typer.Argument(
            help="Suites or worlds: phone, phone/TASK, an address, miniwob, miniwob/TASK, android:SERIAL, desktop/APP; "
            "episodes take turns.",
            show_default=False,
        ),
    ],
    steps: Annotated[int, typer.Option(help="How many actions in all.", show_default=False)],
    out: Annotated[Path, typer.Option(help="A folder for records and screenshots.", show_default=False)],
    episode_steps: Annotated[int, typer.Option(help="An episode begins anew after so many actions.")] = 20,
    option: Annotated[
        list[str] | None,
        typer.Option(help="Of the suites or worlds: language=zh, only=shop, scale=1.5 …; may be given again."),
    ] = None,
    policy: Annotated[
        str, typer.Option(help="Approval policy of real worlds: browse, careful, or a YAML file (docs/SAFETY.md).")
    ] = "browse",
    workers: Annotated[int, typer.Option(help="Worlds at a time; 0: one for each core.")] = 0,
    engine: EngineOption = "local",
    seed: Annotated[int, typer.Option(help="Other seeds, other walks.")] = 0,
    elements: ElementsOption = TREE,
    json_lines: JsonOption = False,
) -> None:
    """Walk at random through worlds, and write a step record with a screenshot for each screen.

    Clicks, scrolls and types, elements first that were not tried yet. Each record has the screen's elements, the action
    that was done, and in its tags what came of it: `changed: yes` for actions that did something, the next screen's
    image, and on the phone what changed in its state. On real sites and devices, actions that the approval policy would
    ask a person about are not done; sandboxes (phone, MiniWoB, desktop applications) allow everything.

    After an interruption, or a kill, the same command goes on where it stopped; more --steps go on too.

    Examples:

        saccade data walk phone --steps 2000 --out runs/walk

        saccade data walk phone miniwob --steps 400 --workers 2 --seed 1 --out runs/mixed

        saccade data walk http://127.0.0.1:8000/ --steps 200 --episode-steps 40 --out runs/site
    """
    from saccade.data.synthesis.walk import WalkRequest  # noqa: PLC0415

    if steps < 1 or episode_steps < 1 or workers < 0:
        raise InputError("--steps and --episode-steps must be at least 1, and --workers at least 0")
    options = dict(map(read_option, option or []))
    request = WalkRequest(worlds, steps, options, seed, min(episode_steps, steps), elements, policy)
    tasks = walk_tasks(request)
    with open_engine(engine) as works:
        found = _walk(request, tasks, out, workers or os.cpu_count() or 1, works, quiet=json_lines)
    if json_lines:
        typer.echo(msgspec.json.encode(msgspec.to_builtins(found) | {"file": str(out / "steps.jsonl")}))
        return
    _print(found, out)


def walk_tasks(request: WalkRequest) -> list[Task]:
    """Where each episode begins. A suite with fewer tasks than episodes begins again, with other seeds. Where a suite
    has no option `seed`, walks of all seeds begin at the same places, and differ from there.
    """
    from saccade.bench.suites import SUITES, get_suite, training_tasks  # noqa: PLC0415

    share = -(-request.episodes // len(request.worlds))
    listed = []
    for world in request.worlds:
        seeded = world not in SUITES.names() or "seed" in get_suite(world).choices
        listed.append(training_tasks(world, share, request.options, request.seed if seeded else 0))
    for world, tasks in zip(request.worlds, listed, strict=True):
        if not tasks:
            raise InputError(f"{world} has no tasks for these options")
    found = []
    for index in range(request.episodes):
        turn, which = divmod(index, len(listed))
        lap, at = divmod(turn, len(listed[which]))
        task = listed[which][at]
        found.append(replace(task, seed=task.seed + lap * LAP) if lap else task)
    return found


def _walk(request: WalkRequest, tasks: list[Task], out: Path, workers: int, engine: Engine, quiet: bool) -> WalkSummary:
    """Walk with a progress bar; what was done stays done, however it ends."""
    from saccade.data.synthesis.walk import walk  # noqa: PLC0415

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=quiet, transient=True) as progress:
        bar = progress.add_task("steps", total=request.episodes * request.episode_steps)

        def on_walk(report: WalkReport) -> None:
            progress.advance(bar, report.steps)

        try:
            return walk(request, tasks, out, workers, on_walk, engine)
        except InfrastructureError as error:
            raise InputError(str(error)) from None
        except KeyboardInterrupt:
            typer.echo("saccade: interrupted; the same command goes on from here", err=True)
            raise typer.Exit(130) from None


def _print(found: WalkSummary, out: Path) -> None:
    share = f"{100 * found.changed / found.steps:.0f} %" if found.steps else "none"
    lines = [
        f"{found.steps:,} actions in {found.episodes:,} episodes, {share} did something → {out / 'steps.jsonl'}",
        f"{found.screens:,} screens, {found.distinct_screens:,} of them distinct",
        "actions: " + ", ".join(f"{count:,} {name}" for name, count in found.actions.items()),
    ]
    if found.refused:
        rules = ", ".join(f"{count:,} by {rule}" for rule, count in found.refused.items())
        lines.append(f"{sum(found.refused.values()):,} refused by the approval gate: {rules}")
    if found.errors:
        lines.append(f"{found.errors:,} actions that the world could not do")
    for line in lines:
        console.print(line, highlight=False, soft_wrap=True, markup=False)
