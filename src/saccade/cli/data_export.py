"""`saccade data export|import`: training data for other people's trainers, and their answers back."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
from msgspec.structs import replace

from saccade.cli.common import JsonOption, KeepGoingOption, console
from saccade.cli.train import changed
from saccade.data.export import get_exporter
from saccade.data.export.base import TrainingSettings
from saccade.data.export.write import export
from saccade.data.predictions import read_predictions
from saccade.data.readers.base import Dataset, Sample
from saccade.data.recorded_episodes import read_episodes
from saccade.data.write import output_paths, write_dataset
from saccade.errors import InputError
from saccade.train.recipe import Recipe
from saccade.train.recipe_files import load_recipe, recipes
from saccade.typed_values import to_type
from saccade.types import Picture, Step


def register(app: typer.Typer) -> None:
    """Add the commands to `saccade data`."""
    app.command("export")(export_data)
    app.command("import")(import_answers)


def export_data(
    framework: Annotated[str, typer.Argument(help="verl, ms-swift, easyr1, llama-factory, or a plug-in's name.")],
    files: Annotated[list[str], typer.Argument(help="Step records, or folders of them.", show_default=False)],
    out: Annotated[Path, typer.Option(help="A new folder for rows, pictures and scripts.", show_default=False)],
    paradigm: Annotated[
        str, typer.Option(help="The format; which recipe is taken follows from it.", show_default=False)
    ] = "",
    stage: Annotated[str, typer.Option(help="sft or grpo; by default what the framework is used for.")] = "",
    config: Annotated[
        str, typer.Option(help="A recipe of saccade train list, or a YAML file, instead of the paradigm's own.")
    ] = "",
    model: Annotated[
        str, typer.Option(help="The model to be trained: its family decides sizes and coordinates.", show_default=False)
    ] = "",
    changes: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help="Another value for a key of the recipe, such as switches.space=phone or pixels=[200704,501760]; may "
            "be given again.",
            show_default=False,
        ),
    ] = None,
    json_lines: JsonOption = False,
) -> None:
    """Write step records as training data of another framework.

    Writes rows with pictures, for GRPO a reward file that calls Saccade's own reward, and run.sh with the
    hyperparameters of the paper's recipe. Saccade without extras must be installed where the framework runs.

    Examples:

        saccade data export ms-swift runs/oracle --paradigm btl --out btl-swift

        saccade data export verl runs/oracle --paradigm uiloop --set switches.space=phone --out uiloop-verl

        saccade data export llama-factory runs/oracle --config secagent-3b-sft --out secagent-sft
    """
    exporter = get_exporter(framework)
    stage = stage or exporter.stages[0]
    if stage not in exporter.stages:
        raise InputError(f"{exporter.title} trains {', '.join(exporter.stages)} only, not {stage!r}")
    given = changed(changes or []) | ({"model": model} if model else {})
    settings = settings_of(chosen_recipe(config, paradigm, stage, given))
    written = export(exporter, settings, files, out)
    told = {"folder": str(written.folder), "rows": written.rows, "held_back": written.held_back}
    if json_lines:
        typer.echo(msgspec.json.encode(told | {"left_out": written.left_out}))
        return
    held = f", {written.held_back:,} held back" if written.held_back else ""
    console.print(f"{exporter.title}: {written.rows:,} rows{held} → {written.folder}", highlight=False, soft_wrap=True)
    for reason, count in sorted(written.left_out.items(), key=lambda each: -each[1])[:5]:
        console.print(f"{count:,} rows left out: {reason}", markup=False, highlight=False, soft_wrap=True)


def chosen_recipe(config: str, paradigm: str, stage: str, changes: dict[str, Any]) -> Recipe:
    """The recipe by its name, or the first that is installed for this paradigm and stage."""
    if not config:
        if not paradigm:
            raise InputError("say which format to export: --paradigm NAME, or --config RECIPE")
        loaded = {name: load_recipe(name) for name in recipes() if "/" not in name}
        fitting = [name for name, each in loaded.items() if (each.stage, each.paradigm) == (stage, paradigm)]
        if not fitting:
            raise InputError(f"no recipe trains {paradigm} by {stage}: name one with --config (saccade train list)")
        config = fitting[0]
    recipe = load_recipe(config, **changes)
    if recipe.stage != stage or recipe.variants or (paradigm and recipe.paradigm != paradigm):
        formats = ", ".join(each.paradigm for each in recipe.formats)
        raise InputError(f"the recipe {config} trains {formats} by {recipe.stage}: it does not fit this export")
    return recipe


def settings_of(recipe: Recipe) -> TrainingSettings:
    return to_type(recipe, TrainingSettings, from_attributes=True)


def import_answers(
    files: Annotated[list[Path], typer.Argument(help="A trainer's logs of answers.", show_default=False)],
    out: Annotated[Path, typer.Option(help="A folder, or a .jsonl file.", show_default=False)],
    data: Annotated[
        list[str] | None,
        typer.Option(help="The step records that were exported, for their screenshots.", show_default=False),
    ] = None,
    images: Annotated[str, typer.Option(help="The screenshots: copy or link.")] = "copy",
    keep_going: KeepGoingOption = False,
    json_lines: JsonOption = False,
) -> None:
    """Turn the answers that a trainer sampled into step records, for saccade score and saccade view.

    Knows verl's rollouts/*.jsonl, ms-swift's completions.jsonl and the samples.jsonl of saccade train grpo. Each record
    has the raw answer, the action that it says, the truth, and as tags the reward and the trainer's step.

    Examples:

        saccade data import rollouts/*.jsonl --data runs/oracle --out answers

        saccade data import output/completions.jsonl --out answers.jsonl
    """
    if images not in ("copy", "link"):
        raise InputError(f"--images is {images!r}: use copy or link")
    output_paths(out)
    answers = TrainerAnswers(files, data or [], keep_going)
    written = write_dataset(answers, out, images)  # type: ignore[arg-type]
    if json_lines:
        typer.echo(
            msgspec.json.encode({"file": str(written.file), "steps": written.steps, "left_out": answers.bad_lines})
        )
        return
    pictures = f", {written.pictures:,} pictures" if written.pictures else ""
    console.print(f"{written.steps:,} answers{pictures} → {written.file}", highlight=False, soft_wrap=True)
    if answers.bad_lines:
        console.print(f"{answers.bad_lines:,} lines left out", highlight=False)


class TrainerAnswers(Dataset):
    """The answers in a trainer's logs, as a data set that can be written."""

    name = "answers"
    title = "a trainer's answers"
    layout = "a file that a trainer wrote"

    def __init__(self, files: list[Path], data: list[str], keep_going: bool) -> None:
        super().__init__(files[0], keep_going=keep_going)
        self.files, self.bad_lines = files, 0
        self.pictures = {
            step.id: Picture(str(episode.folder / step.image), step.screen)
            for episode in (read_episodes(data) if data else ())
            for step in episode.steps
            if step.image
        }

    @classmethod
    def recognises(cls, folder: Path) -> bool:
        return folder.is_file()

    def samples(self) -> Iterator[Sample]:
        """Ids get the number of the answer: a row is answered many times. When ms-swift ends, it writes its last line
        again; that one is left out.
        """
        number = 0
        for file in self.files:
            steps, bad = read_predictions(file, Step, self.keep_going, ("output",))
            self.bad_lines += len(bad)
            for line, step in without_repeated_lines(steps):
                picture = self.pictures.get(step.id)
                step.id, step.image, number = f"{step.id}#{number}", "", number + 1
                yield Sample(step, picture, f"{file}:{line}")


def without_repeated_lines(steps: Sequence[tuple[int, Step]]) -> Iterator[tuple[int, Step]]:
    """Without lines of several answers that are the same as the line before."""
    before: list[Step] = []
    for _, group in itertools.groupby(steps, lambda each: each[0]):
        answers = list(group)
        now = [replace(step) for _, step in answers]  # copies: the ids are changed later
        if len(now) == 1 or now != before:
            yield from answers
        before = now
