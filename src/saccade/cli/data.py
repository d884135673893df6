"""`saccade data`: data sets, and training data from worlds."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from saccade.agents.settings import read_option
from saccade.cli.common import ElementsOption, EngineOption, JsonOption, console
from saccade.cli.data_export import register as register_export
from saccade.cli.data_reverse import register as register_reverse
from saccade.cli.data_selection import register as register_selection
from saccade.cli.data_walk import register as register_walk
from saccade.cli.datasets import register
from saccade.cli.flywheel import register as register_flywheel
from saccade.cli.synthesis import register as register_synthesis
from saccade.engines import Engine, open_engine
from saccade.errors import InputError
from saccade.screens.element_source import TREE
from saccade.worlds.base import InfrastructureError

if TYPE_CHECKING:
    from saccade.data.collect.collector import Report, Request
    from saccade.types import Step
    from saccade.worlds.tasks import Task

app = typer.Typer(help="Data sets, and training data from worlds.", no_args_is_help=True, rich_markup_mode="markdown")


@app.callback()
def _data() -> None:
    """Data sets, and training data from worlds."""


register(app)
register_selection(app)
register_export(app)
register_walk(app)
register_synthesis(app)
register_reverse(app)
register_flywheel(app)


WorldArgument = Annotated[
    str, typer.Argument(help="A suite of tasks (phone, a plug-in's), or one world: phone/TASK.", show_default=False)
]
EpisodesOption = Annotated[int, typer.Option(help="How many episodes in all.", show_default=False)]
OutOption = Annotated[Path, typer.Option(help="A folder for records and screenshots.", show_default=False)]
PlayerOption = Annotated[
    str, typer.Option(help="oracle, noisy, recovering, random, a plug-in's name, or a model: openai/NAME, hf/PATH.")
]
WorldOptions = Annotated[
    list[str] | None,
    typer.Option(help="Of the suite or world: split=train, only=shop, scale=1.5 …; may be given again."),
]


@app.command("collect")
def collect_data(
    world: WorldArgument,
    episodes: EpisodesOption,
    out: OutOption,
    player: PlayerOption = "oracle",
    option: WorldOptions = None,
    paradigm: Annotated[str, typer.Option(help="The format in which a model plays.")] = "secagent",
    base_url: Annotated[str | None, typer.Option(help="Of the model's server.", show_default=False)] = None,
    temperature: Annotated[float, typer.Option(help="Of a model that plays.")] = 0.0,
    max_steps: Annotated[int, typer.Option(help="An episode ends after so many steps.")] = 30,
    workers: Annotated[int, typer.Option(help="Worlds at a time; 0: one for each core.")] = 0,
    engine: EngineOption = "local",
    seed: Annotated[int, typer.Option(help="Other seeds, other episodes.")] = 0,
    elements: ElementsOption = TREE,
    json_lines: JsonOption = False,
) -> None:
    """Play episodes in a world that has a teacher, and write a step record with a screenshot for each step.

    Each record has the elements, the key elements most important first, every right action with its box, the running
    summary and a thought. After an interruption, or a kill, the same command goes on where it stopped.

    Options of the phone: split, group, only, language, interruptions, scale, pictures, wordings, and by_sight: its
    oracle knows in which folder a mail lies; with by_sight=yes it searches for what the task names instead.

    Examples:

        saccade data collect phone --episodes 200 --out runs/oracle

        saccade data collect phone --episodes 200 --player noisy --option only=shop --option language=zh --out noisy

        saccade data collect phone --episodes 100 --player openai/my-3b --base-url http://127.0.0.1:8000/v1 --out self
    """
    from saccade.bench.suites import training_tasks  # noqa: PLC0415
    from saccade.data.collect.collector import Request  # noqa: PLC0415

    if episodes < 1 or workers < 0 or max_steps < 1:
        raise InputError("--episodes and --max-steps must be at least 1, and --workers at least 0")
    options = dict(map(read_option, option or []))
    request = Request(world, episodes, player, options, seed, paradigm, base_url, temperature, max_steps, elements)
    tasks = training_tasks(world, episodes, options, seed)
    with open_engine(engine) as works:
        steps, outcomes = _play(request, tasks, out, workers or os.cpu_count() or 1, works, quiet=json_lines)
    told = {"episodes": episodes, "steps": len(steps), "outcomes": dict(outcomes), "file": str(out / "steps.jsonl")}
    if json_lines:
        typer.echo(msgspec.json.encode(told))
        return
    shares = ", ".join(f"{count} {outcome}" for outcome, count in outcomes.most_common())
    console.print(f"{episodes} episodes ({shares}), {len(steps)} steps → {out / 'steps.jsonl'}")


def _play(
    request: Request, tasks: list[Task], out: Path, workers: int, engine: Engine, quiet: bool
) -> tuple[list[Step], Counter[str]]:
    """Collect with a progress bar; what was done stays done, however it ends."""
    from saccade.data.collect.collector import collect  # noqa: PLC0415

    outcomes: Counter[str] = Counter()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=quiet, transient=True) as progress:
        bar = progress.add_task("episodes", total=request.episodes)

        def on_episode(report: Report) -> None:
            outcomes[report.outcome] += 1
            progress.advance(bar)

        try:
            return collect(request, tasks, out, workers, on_episode, engine), outcomes
        except InfrastructureError as error:
            raise InputError(str(error)) from None
        except KeyboardInterrupt:
            typer.echo("saccade: interrupted; the same command goes on from here", err=True)
            raise typer.Exit(130) from None
