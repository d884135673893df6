"""`saccade data blink|comprehend|ground`, and what `navigate` and `reverse` share with them: pipelines."""

from __future__ import annotations

import inspect
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from saccade.cli.common import ElementsOption, EngineOption, JsonOption, console, table
from saccade.cli.studio import INSTALL
from saccade.cli.train import changed
from saccade.engines import open_engine
from saccade.errors import InputError, MissingError
from saccade.models.base import Usage
from saccade.screens.element_source import TREE
from saccade.worlds.base import InfrastructureError

if TYPE_CHECKING:
    from saccade.data.synthesis.definition import Definition
    from saccade.data.synthesis.manifest import Manifest
    from saccade.data.synthesis.records import Outcome

LOOK_AGAIN = 5.0
"""Seconds between two looks at the review queue."""

OutOption = Annotated[
    Path | None, typer.Option(help="A folder for the data set and all that led to it.", show_default=False)
]
ModelOption = Annotated[
    str, typer.Option(help="Who answers: teacher, heuristic, openai/NAME, hf/PATH, or a plug-in's model.")
]
BaseUrlOption = Annotated[str | None, typer.Option(help="Of the model's server.", show_default=False)]
ConfigOption = Annotated[str, typer.Option(help="A pipeline of your own: a YAML file.", show_default=False)]
SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", help="Another value for a setting: STAGE.KEY=VALUE; may be given again.", show_default=False),
]
TemplatesOption = Annotated[
    Path | None, typer.Option(help="A folder with prompts of your own: ROLE.en.j2, ROLE.zh.j2.", show_default=False)
]
ItemsOption = Annotated[int, typer.Option(min=0, help="Take only so many records of the source; 0: all.")]
CostOption = Annotated[float, typer.Option(min=0, help="Stop when so many dollars were spent; 0: no limit.")]
ReviewOption = Annotated[str, typer.Option(help="What people judge: none, all, or a share, sample:0.1.")]
DatabaseOption = Annotated[str, typer.Option(help="The studio's database; by default that of `saccade studio OUT`.")]
StagesOption = Annotated[bool, typer.Option("--stages", help="Show the stages with their settings, and stop.")]
MaskOption = Annotated[bool, typer.Option("--mask", help="Mask addresses, phone and card numbers, and --mask-name.")]
WaitOption = Annotated[bool, typer.Option("--wait", help="Wait until people have judged everything.")]
TemperatureOption = Annotated[float | None, typer.Option(help="By default each role's own.", show_default=False)]
WorkersOption = Annotated[int, typer.Option(min=0, help="Processes at a time; 0: one for each core.")]
SeedOption = Annotated[int, typer.Option(help="Of all that is drawn by chance.")]
MaskNameOption = Annotated[
    list[str] | None, typer.Option("--mask-name", help="A name to be masked; may be given again.", show_default=False)
]


class Options(msgspec.Struct):
    """What all pipelines are told on the command line."""

    out: Path | None
    model: str = "teacher"
    base_url: str | None = None
    config: str = ""
    changes: list[str] = msgspec.field(default_factory=list)
    templates: Path | None = None
    elements: str = ""
    mask: bool = False
    mask_names: list[str] = msgspec.field(default_factory=list)
    review: str = "none"
    database: str = ""
    wait: bool = False
    max_items: int = 0
    max_cost: float = 0.0
    seed: int = 0
    workers: int = 0
    engine: str = "local"
    policy: str = ""
    temperature: float | None = None
    stages: bool = False
    json_lines: bool = False
    planned: dict[str, Any] = msgspec.field(default_factory=dict)
    """Settings that a plan gives: STAGE.KEY → value; those of the command line come before them."""


class PipelineCommand(msgspec.Struct, frozen=True):
    """A command that runs one pipeline over records."""

    name: str
    help: str


COMMANDS = (
    PipelineCommand(
        "blink",
        """Rank the elements that matter for each step: training data for BTL-UI's blink (§3.2).

        Records that have a task and a screen get `key_elements`, most important first. With --model teacher on data of
        the sandbox phone, the phone's own knowledge answers; heuristic ranks by text, position and type.

        Examples:

            saccade data collect phone --episodes 200 --out runs/oracle

            saccade data blink runs/oracle --out runs/blink

            saccade data blink android_control --model openai/my-32b --elements vision --max-cost 5 --out runs/blink
        """,
    ),
    PipelineCommand(
        "comprehend",
        """Describe the key elements and the reasoning of each step: UILoop's comprehension data (appendix A).

        Writes the records in the form of UI Comprehension-Bench as well, with isolated training and test splits.

        Examples:

            saccade data comprehend runs/oracle --out runs/comprehension

            saccade data comprehend runs/oracle --model openai/my-32b --review sample:0.1 --out runs/comprehension
        """,
    ),
    PipelineCommand(
        "ground",
        """Write instructions for single elements of a walk: SecAgent's grounding data (§3.1).

        Examples:

            saccade data walk phone --steps 2000 --out runs/walk

            saccade data ground runs/walk --out runs/grounding
        """,
    ),
)


def register(app: typer.Typer) -> None:
    """Add the commands to `saccade data`."""
    for command in COMMANDS:
        app.command(command.name, help=inspect.cleandoc(command.help))(command_function(command))


def command_function(command: PipelineCommand) -> Callable[..., None]:
    """The command with the options that all pipelines share."""

    def run(
        records: Annotated[
            list[Path], typer.Argument(help="Data sets: folders, or files of step records.", show_default=False)
        ],
        out: OutOption = None,
        model: ModelOption = "teacher",
        base_url: BaseUrlOption = None,
        elements: ElementsOption = TREE,
        review: ReviewOption = "none",
        wait: WaitOption = False,
        database: DatabaseOption = "",
        mask: MaskOption = False,
        mask_name: MaskNameOption = None,
        config: ConfigOption = "",
        changes: SetOption = None,
        templates: TemplatesOption = None,
        temperature: TemperatureOption = None,
        max_items: ItemsOption = 0,
        max_cost: CostOption = 0.0,
        workers: WorkersOption = 0,
        engine: EngineOption = "local",
        seed: SeedOption = 0,
        stages: StagesOption = False,
        json_lines: JsonOption = False,
    ) -> None:
        options = Options(
            out,
            model,
            base_url,
            config,
            changes or [],
            templates,
            elements,
            mask,
            mask_name or [],
            review,
            database,
            wait,
            max_items,
            max_cost,
            seed,
            workers,
            engine,
            "",
            temperature,
            stages,
            json_lines,
        )
        run_pipeline(command.name, records, options)

    return run


def review_share(text: str) -> float:
    """`none`, `all` or `sample:SHARE` as a share."""
    kind, _, share = text.partition(":")
    try:
        found = {"none": 0.0, "all": 1.0}[text] if kind != "sample" else float(share)
    except (KeyError, ValueError):
        raise InputError(f"--review is {text!r}: use none, all, or sample:SHARE such as sample:0.1") from None
    if not 0 <= found <= 1:
        raise InputError(f"--review {text}: the share must lie between 0 and 1")
    return found


def chosen_definition(pipeline: str, options: Options) -> Definition:
    """The pipeline's stages with the settings of the command line."""
    from saccade.data.synthesis.definition import load_definition  # noqa: PLC0415

    for each in options.changes:
        if "=" not in each:
            raise InputError(f"--set {each!r}: write STAGE.KEY=VALUE; --stages shows the stages with their settings")
    definition = load_definition(options.config or pipeline, {**options.planned, **changed(options.changes)})
    told: dict[str, dict[str, Any]] = {"review": {"share": review_share(options.review)}}
    if options.elements:
        told["find_elements"] = {"source": options.elements}
    for name, settings in told.items():
        places = [each for each in definition.stages if name in each]
        for stage in places:
            stage[name] = {**(stage[name] or {}), **settings}
        if not places and any(settings.values()) and settings.get("source") != TREE:
            raise InputError(f"the pipeline {options.config or pipeline} has no stage {name}: leave the option out")
    if options.mask or options.mask_names:
        for place in reversed(first_with_screens(definition)):
            definition.stages.insert(place, {"mask": {"names": options.mask_names}})
    return definition


def first_with_screens(definition: Definition) -> list[int]:
    """The numbers of the stages that are the first to get new screens: those of the source, and what a stage before
    them played.
    """
    from saccade.data.synthesis.stages import STAGES  # noqa: PLC0415

    kinds = [(at, STAGES.get(name)) for at, each in enumerate(definition.stages, 1) for name in each]
    playing = [at for at, kind in kinds if getattr(kind, "plays", False)]
    if definition.unit == "none":
        return playing[-1:] or [0]
    return [max((at for at, kind in kinds if kind.before_mask), default=0), *playing]


def run_pipeline(pipeline: str, sources: list[Path], options: Options) -> Manifest | None:
    """Run a pipeline as the command line asks; None where only the stages were to be shown."""
    from saccade.data.synthesis.definition import build_stages  # noqa: PLC0415  (commands start quickly)
    from saccade.data.synthesis.request import Request  # noqa: PLC0415
    from saccade.data.synthesis.roles.respondents import ModelSettings  # noqa: PLC0415
    from saccade.data.synthesis.runner import PipelineRun, stage_table  # noqa: PLC0415
    from saccade.data.synthesis.stage import StoppedError  # noqa: PLC0415

    definition = chosen_definition(pipeline, options)
    if options.stages:
        show_stages(definition.title, stage_table(build_stages(definition)), options.json_lines)
        return None
    if options.out is None:
        raise InputError("--out is missing: name a folder for the data set")
    if options.templates is not None and not options.templates.is_dir():
        raise InputError(f"--templates: there is no folder {options.templates}")
    model = ModelSettings(
        options.model,
        options.base_url,
        templates=str(options.templates.resolve()) if options.templates else "",
        temperature=options.temperature,
        seed=options.seed,
    )
    request = Request(
        pipeline, list(map(str, sources)), model, definition, options.seed, options.policy, options.max_items
    )
    share = review_share(options.review)
    queue = open_queue(options.out, options.database) if share else None
    bars = Bars(quiet=options.json_lines)
    try:
        with open_engine(options.engine) as engine, bars:
            run = PipelineRun(
                request,
                options.out,
                engine=engine,
                workers=options.workers or os.cpu_count() or 1,
                max_cost=options.max_cost,
                review=queue,
                waiting=(lambda missing: wait_for_people(missing, bars)) if options.wait else (lambda missing: False),
                progress=bars,
            )
            manifest = run.run()
    except InfrastructureError as error:
        raise InputError(str(error)) from None
    except StoppedError as error:
        typer.echo(f"saccade: {error}", err=True)
        raise typer.Exit(1) from None
    except KeyboardInterrupt:
        typer.echo("saccade: interrupted; the same command goes on from here", err=True)
        raise typer.Exit(130) from None
    finally:
        if queue is not None:
            queue.close()
    tell(manifest, options.out, options.json_lines)
    return manifest


def open_queue(out: Path, database: str) -> Any:
    """The studio's review queue."""
    try:
        from saccade.studio.review.pipeline_queue import StudioReviewQueue  # noqa: PLC0415  (extra)
    except ImportError as error:
        raise MissingError(f"{INSTALL} ({error})") from None
    out.mkdir(parents=True, exist_ok=True)
    return StudioReviewQueue([out], database)


def wait_for_people(missing: int, bars: Bars) -> bool:
    """Say how many reviews are missing, and look again after a while."""
    bars.say(f"{missing:,} items wait for people")
    time.sleep(LOOK_AGAIN)
    return True


class Bars:
    """A progress bar for the stage in work, with the money spent."""

    def __init__(self, quiet: bool) -> None:
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        self.bars = Progress(
            *columns, TextColumn("{task.fields[spent]}"), console=console, disable=quiet, transient=True
        )
        self.bar, self.usage = self.bars.add_task("reading", total=None, spent=""), Usage()

    def begin(self, stage: str, total: int, done: int) -> None:
        """Another stage begins."""
        self.bars.reset(self.bar, total=total, completed=done, description=stage.replace("_", " "))

    def advance(self, outcome: Outcome, usage: Usage) -> None:
        """A record is done."""
        self.usage += usage
        spent = f"${self.usage.cost:.2f}" if self.usage.cost else ""
        self.bars.update(self.bar, advance=1, spent=spent)

    def say(self, text: str) -> None:
        self.bars.update(self.bar, description=text)

    def __enter__(self) -> Bars:
        self.bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.bars.stop()


def show_stages(title: str, stages: list[tuple[str, str, dict[str, Any]]], json_lines: bool) -> None:
    """`--stages`."""
    if json_lines:
        for name, what, settings in stages:
            typer.echo(msgspec.json.encode({"stage": name, "does": what, "settings": settings}))
        return
    console.print(title)
    for at, (name, what, settings) in enumerate(stages, 1):
        shown = ", ".join(f"{key}={value}" for key, value in settings.items())
        console.print(f"{at:2}. [bold]{name}[/] {what}" + (f" [dim]({shown})[/]" if shown else ""), highlight=False)


def tell(manifest: Manifest, out: Path, json_lines: bool) -> None:
    """What was made, and what each stage dropped."""
    if json_lines:
        typer.echo(msgspec.json.encode(manifest))
        return
    shown = table("stage", ["taken", "made", "dropped"])
    for report in manifest.stages:
        gone = sum(each.count for each in report.dropped.values())
        shown.add_row(report.stage, f"{report.taken:,}", f"{report.made:,}", f"{gone:,}")
    console.print(shown)
    for report in manifest.stages:
        for reason, found in sorted(report.dropped.items(), key=lambda each: -each[1].count)[:6]:
            console.print(f"{report.stage}: {found.count:,} dropped: {reason}", markup=False, highlight=False)
    console.print(f"{manifest.samples:,} samples → {out / 'steps.jsonl'}", soft_wrap=True, highlight=False)
