"""`saccade data`: training data from worlds."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from saccade.cli.common import JsonOption, console
from saccade.cli.datasets import register
from saccade.errors import InputError, check_choices
from saccade.worlds.base import InfrastructureError
from saccade_phone.draw import SPLITS
from saccade_phone.splits import GROUPS

if TYPE_CHECKING:
    from saccade.types import Step
    from saccade_phone.collection.collect import Report, Request

app = typer.Typer(help="Data sets, and training data from worlds.", no_args_is_help=True, rich_markup_mode="markdown")


@app.callback()
def _data() -> None:
    """Data sets, and training data from worlds."""


register(app)


@app.command("collect")
def collect_data(
    world: Annotated[str, typer.Argument(help="Where: phone.", show_default=False)],
    episodes: Annotated[int, typer.Option(help="How many episodes in all.", show_default=False)],
    out: Annotated[Path, typer.Option(help="A folder for records and screenshots.", show_default=False)],
    policy: Annotated[
        str, typer.Option(help="oracle, noisy, recovering, random, a plug-in's name, or a model: openai/NAME, hf/PATH.")
    ] = "oracle",
    paradigm: Annotated[str, typer.Option(help="The format in which a model plays.")] = "secagent",
    base_url: Annotated[str | None, typer.Option(help="Of the model's server.", show_default=False)] = None,
    temperature: Annotated[float, typer.Option(help="Of a model that plays.")] = 0.0,
    split: Annotated[str, typer.Option(help="train, validation or test.")] = "train",
    group: Annotated[str | None, typer.Option(help="Of test: seen, template, app or theme.")] = None,
    only: Annotated[list[str] | None, typer.Option(help="Only this task or app; may be given again.")] = None,
    language: Annotated[str, typer.Option(help="en, zh or both.")] = "both",
    workers: Annotated[int, typer.Option(help="Phones at a time; 0: one for each core.")] = 0,
    seed: Annotated[int, typer.Option(help="Other seeds, other phones.")] = 0,
    scale: Annotated[float, typer.Option(help="Size of the screenshots: 3 is 1080×2400, 1.5 is 540×1200.")] = 3.0,
    interruptions: Annotated[bool, typer.Option(help="Prompts, coupons and messages may get in the way.")] = True,
    pictures: Annotated[bool, typer.Option(help="Screenshots; without, elements only, and faster.")] = True,
    by_sight: Annotated[bool, typer.Option("--by-sight", help="Right is what one can know who sees it.")] = False,
    wordings: Annotated[str, typer.Option(help="A JSON file of other words for tasks, by TASK/SEED/LANGUAGE.")] = "",
    json_lines: JsonOption = False,
) -> None:
    """Play episodes and write a step record with a screenshot for each step.

    Each record has the elements, the key elements most important first, every right action with its box, the running
    summary and a thought. The oracle knows in which folder a mail lies; with `--by-sight` it searches for what the task
    names instead. After an interruption, or a kill, the same command goes on where it stopped.

    Examples:

        saccade data collect phone --episodes 200 --out runs/oracle

        saccade data collect phone --episodes 200 --policy noisy --only shop --language zh --out runs/noisy

        saccade data collect phone --episodes 100 --policy openai/my-3b --base-url http://127.0.0.1:8000/v1 --out self
    """
    from saccade_phone.collection.collect import Request  # noqa: PLC0415  (Playwright is an extra)

    if world != "phone":
        raise InputError(f"data can be collected on phone, not on {world!r}")
    check_choices({"--split": (split, SPLITS), "--group": (group, GROUPS),
                   "--language": (language, ("en", "zh", "both"))})  # fmt: skip
    if episodes < 1 or workers < 0:
        raise InputError("--episodes must be at least 1, and --workers at least 0")
    if not 0.5 <= scale <= 4:
        raise InputError("--scale must be between 0.5 and 4")
    languages = ("en", "zh") if language == "both" else (language,)
    request = msgspec.convert(
        {"episodes": episodes, "policy": policy, "split": split, "group": group, "only": tuple(only or ()),
         "languages": languages, "interruptions": interruptions, "seed": seed, "scale": scale, "paradigm": paradigm,
         "pictures": pictures, "base_url": base_url, "temperature": temperature, "by_sight": by_sight,
         "wordings": wordings},
        Request)  # fmt: skip
    steps, outcomes = _play(request, out, workers or os.cpu_count() or 1, quiet=json_lines)
    told = {"episodes": episodes, "steps": len(steps), "outcomes": dict(outcomes), "file": str(out / "steps.jsonl")}
    if json_lines:
        typer.echo(msgspec.json.encode(told))
        return
    shares = ", ".join(f"{count} {outcome}" for outcome, count in outcomes.most_common())
    console.print(f"{episodes} episodes ({shares}), {len(steps)} steps → {out / 'steps.jsonl'}")


def _play(request: Request, out: Path, workers: int, quiet: bool) -> tuple[list[Step], Counter[str]]:
    """Collect with a progress bar; what was done stays done, however it ends."""
    from saccade_phone.collection.collect import collect  # noqa: PLC0415  (Playwright is an extra)

    outcomes: Counter[str] = Counter()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=quiet, transient=True) as progress:
        bar = progress.add_task("episodes", total=request.episodes)

        def tell(report: Report) -> None:
            outcomes[report.outcome] += 1
            progress.advance(bar)

        try:
            return collect(request, out, workers, tell), outcomes
        except InfrastructureError as error:
            raise InputError(str(error)) from None
        except KeyboardInterrupt:
            typer.echo("saccade: interrupted; the same command goes on from here", err=True)
            raise typer.Exit(130) from None
