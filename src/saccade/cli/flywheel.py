"""`saccade data navigate`: the navigation flywheel. `saccade data improve`: self-improvement on successful runs."""

from __future__ import annotations

import inspect
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from msgspec.structs import replace

import saccade.cli.synthesis as shared
from saccade.agents.settings import read_option
from saccade.cli.common import ElementsOption, EngineOption, JsonOption, console
from saccade.errors import InputError
from saccade.records import as_line, write_whole
from saccade.screens.element_source import TREE

if TYPE_CHECKING:
    from saccade.cli.rounds import LiveMeasurement, MadeData, Player, Training
    from saccade.data.synthesis.navigation_plan import NavigationPlan

_ROUNDS = "Rounds"
SEEDS_OF_A_ROUND = 1_000
"""No round has so many tasks."""
PolicyOption = Annotated[
    str, typer.Option(help="Who acts: openai/NAME, hf/PATH, mini …; where a world has a teacher also oracle, noisy.")
]
PolicyUrlOption = Annotated[str, typer.Option(help="Of the policy's server.", show_default=False)]
ParadigmOption = Annotated[str, typer.Option(help="The format in which a model acts.")]
AgentOption = Annotated[str, typer.Option(help="The policy that drives the model: plain, reflection, mini …")]
HeatOption = Annotated[float, typer.Option(help="Temperature of a model that acts.")]
RoundsOption = Annotated[
    int, typer.Option(min=0, help="Rounds of data, training and measuring; 0: data only.", rich_help_panel=_ROUNDS)
]
RecipeOption = Annotated[
    str, typer.Option(help="For saccade train sft: a recipe's name or file.", rich_help_panel=_ROUNDS)
]
StartOption = Annotated[
    str,
    typer.Option(help="The model that each training begins with; by default the recipe's.", rich_help_panel=_ROUNDS),
]
TrainSetOption = Annotated[
    list[str] | None,
    typer.Option("--train-set", help="Another value for a key of the recipe.", rich_help_panel=_ROUNDS),
]
MoreDataOption = Annotated[
    list[str] | None, typer.Option("--more-data", help="Also trained on, in each round.", rich_help_panel=_ROUNDS)
]
NoTrainOption = Annotated[
    bool, typer.Option("--no-train", help="Rounds of data alone: the policy stays the same.", rich_help_panel=_ROUNDS)
]
ValidationOption = Annotated[
    list[str] | None,
    typer.Option("--validate", help="Options of the tasks measured on.", rich_help_panel=_ROUNDS, show_default=False),
]
ValidationTasks = Annotated[int, typer.Option(min=0, help="Tasks measured on; 0: none.", rich_help_panel=_ROUNDS)]


NAVIGATE = inspect.cleandoc(
    """Navigation episodes: instructions, execution, review up to the first error, context and thought (SecAgent §3.2).

    PLAN names the world's own tasks, and the apps for which a model writes instructions. With --rounds the policy is
    trained on what was made and measured, and the next round is played by what came out; each round has other tasks.
    The same command goes on after a kill.

    Examples:

        saccade data navigate phone --policy oracle --out runs/navigation

        saccade data navigate phone --model openai/my-32b --policy openai/my-3b --review sample:0.1 --out runs/nav

        saccade data navigate phone --policy mini --agent plain --rounds 2 --recipe mini-sft-short --out runs/flywheel
    """
)
IMPROVE = inspect.cleandoc(
    """Turn the successful runs of an agent into training data (GuidNav's self-improvement, §5.2 and Table 3).

    With RUNS: write what is there as step records. With --policy: let the guided policy try training tasks, train it
    on its successful runs, and measure it without the reward model; again for each round.

    Examples:

        saccade bench phone --option split=train --model openai/my-3b --paradigm guidnav --reward prm/PATH --out guided

        saccade data improve guided --out runs/improved

        saccade data improve --policy mini --agent plain --reward mini --recipe mini-sft-short --limit 300 --out improve
    """
)


def register(app: typer.Typer) -> None:
    """Add the commands to `saccade data`."""
    app.command("navigate", help=NAVIGATE)(navigate)
    app.command("improve", help=IMPROVE)(improve)


def navigate(
    plan: Annotated[str, typer.Argument(help="A YAML file, or phone.", show_default=False)],
    policy: PolicyOption = "oracle",
    out: shared.OutOption = None,
    model: shared.ModelOption = "teacher",
    base_url: shared.BaseUrlOption = None,
    policy_url: PolicyUrlOption = "",
    paradigm: ParadigmOption = "secagent",
    agent: AgentOption = "",
    policy_temperature: HeatOption = 0.0,
    rounds: RoundsOption = 0,
    recipe: RecipeOption = "",
    start: StartOption = "",
    train_set: TrainSetOption = None,
    more_data: MoreDataOption = None,
    no_train: NoTrainOption = False,
    validate: ValidationOption = None,
    validation_tasks: ValidationTasks = 100,
    elements: ElementsOption = TREE,
    review: shared.ReviewOption = "none",
    wait: shared.WaitOption = False,
    database: shared.DatabaseOption = "",
    mask: shared.MaskOption = False,
    mask_name: shared.MaskNameOption = None,
    config: shared.ConfigOption = "",
    changes: shared.SetOption = None,
    templates: shared.TemplatesOption = None,
    temperature: shared.TemperatureOption = None,
    max_items: shared.ItemsOption = 0,
    max_cost: shared.CostOption = 0.0,
    workers: shared.WorkersOption = 0,
    engine: EngineOption = "local",
    seed: shared.SeedOption = 0,
    stages: shared.StagesOption = False,
    json_lines: JsonOption = False,
) -> None:
    """SecAgent's flywheel (`NAVIGATE`)."""
    from saccade.data.synthesis.navigation_plan import read_plan  # noqa: PLC0415  (commands start quickly)

    asked = (out, model, base_url, config, changes or [], templates, "", mask, mask_name or [], review, database, wait)
    bounds = (max_items, max_cost, seed, workers, engine, policy, temperature, stages, json_lines)
    options, wanted = shared.Options(*asked, *bounds), read_plan(plan)
    acting = {"paradigm": paradigm, "agent": agent, "temperature": policy_temperature, "base_url": policy_url}
    options.planned = planned_settings(wanted, {**acting, "elements": elements})
    if not rounds or stages:
        make_data(plan, wanted, options)
        return
    if bool(recipe) == no_train:
        raise InputError("--rounds train after each round: give --recipe NAME, or --no-train for rounds of data alone")
    from saccade.cli.rounds import Player  # noqa: PLC0415

    acts = Player(paradigm, agent, policy_url, wanted.max_steps)
    measured = measurement_of(wanted.world, validate, validation_tasks, acts, workers, engine)
    turn(plan, wanted, options, rounds, training_of(recipe, start, train_set, more_data), measured)


def planned_settings(wanted: NavigationPlan, acting: dict[str, Any]) -> dict[str, Any]:
    """What the plan and the options of the player say about the stages: STAGE.KEY → value."""
    settings = {**wanted.settings, "execute_tasks": {**wanted.settings["execute_tasks"], **acting}}
    return {f"{stage}.{key}": value for stage, each in settings.items() for key, value in each.items()}


def make_data(plan: str, wanted: NavigationPlan, options: shared.Options) -> MadeData | None:
    """One run of the pipeline; its tasks depend on the plan and the seed."""
    from saccade.bench.suites import SUITES, get_suite, training_tasks  # noqa: PLC0415
    from saccade.cli.rounds import MadeData  # noqa: PLC0415
    from saccade.data.synthesis.manifest import total  # noqa: PLC0415
    from saccade.data.synthesis.navigation_plan import TASK_FILE, plan_file  # noqa: PLC0415

    if options.out is not None and not options.stages:
        count = min(wanted.tasks, options.max_items or wanted.tasks)
        suite = get_suite(wanted.world) if wanted.world in SUITES.names() else None
        seed = options.seed if suite is None or "seed" in suite.choices else 0
        tasks = training_tasks(wanted.world, count, wanted.options, seed) if count else []
        options.out.mkdir(parents=True, exist_ok=True)
        write_whole(options.out / TASK_FILE, b"".join(map(as_line, tasks)))
    manifest = shared.run_pipeline("navigate", [plan_file(plan)], options)
    if manifest is None:
        return None
    facts = next((each.facts for each in manifest.stages if each.stage == "list_low_completion"), {})
    counts = facts.get("tries", 0), facts.get("completed tries", 0)
    return MadeData("", manifest.episodes, manifest.samples, *counts, total(manifest.paid).cost)


def seed_of_round(seed: int, number: int) -> int:
    """Where the seeds of a round's tasks begin. A world's tasks take one seed after the other, so that the next round
    begins far behind: each round has other tasks.
    """
    return seed + (number - 1) * SEEDS_OF_A_ROUND


def options_of_round(options: dict[str, Any], number: int) -> dict[str, Any]:
    """A suite's options in a round; a seed that is given is that of the first round."""
    seed = options.get("seed")
    return {**options, "seed": seed_of_round(seed, number)} if isinstance(seed, int) else options


def turn(
    plan: str,
    wanted: NavigationPlan,
    options: shared.Options,
    rounds: int,
    training: Training | None,
    measurement: LiveMeasurement | None,
) -> None:
    """Rounds of the flywheel."""
    from saccade.cli.rounds import Rounds, show_rounds  # noqa: PLC0415
    from saccade.data.collect.players import PLAYERS  # noqa: PLC0415

    if options.out is None:
        raise InputError("--out is missing: name a folder for the rounds")

    def make(number: int, policy: str, folder: Path) -> MadeData:
        tasks = replace(wanted, options=options_of_round(wanted.options, number))
        of_round = replace(options, out=folder, policy=policy, seed=seed_of_round(options.seed, number))
        made = make_data(plan, tasks, of_round)
        assert made is not None
        return made

    title = f"Navigation flywheel from {options.policy}"
    asked = {"plan": Path(plan).name, "model": options.model, "policy": options.policy, "seed": options.seed}
    asked |= {"tasks": wanted.tasks, "options": wanted.options} | options.planned
    asked |= trained_as(training) | measurement_request(measurement)
    turned = Rounds(options.out, title, asked, make, training, measurement, say_to(options.json_lines))
    found = turned.run(options.policy, rounds, options.policy not in PLAYERS.names())
    show_rounds(title, found, options.out, options.json_lines)


def improve(
    folders: Annotated[
        list[Path] | None, typer.Argument(help="Runs, or measurements of live tasks.", show_default=False)
    ] = None,
    out: Annotated[Path | None, typer.Option(help="A folder for records, or for the rounds.")] = None,
    policy: Annotated[str, typer.Option(help="The model that is improved, in place of RUNS.")] = "",
    reward: Annotated[str, typer.Option(help="The process reward model: oracle, model, prm/PATH, mini …")] = "",
    suite: Annotated[str, typer.Option(help="Whose training tasks the policy tries.")] = "phone",
    option: Annotated[list[str] | None, typer.Option("--option", help="Of the suite; may be given again.")] = None,
    tasks: Annotated[int, typer.Option(min=1, help="Training tasks tried in each round.")] = 400,
    limit: Annotated[int, typer.Option(min=1, help="Successful runs that become data in each round.")] = 300,
    k: Annotated[int, typer.Option(min=1, help="Candidates at each step.")] = 3,
    policy_url: PolicyUrlOption = "",
    paradigm: ParadigmOption = "guidnav",
    agent: AgentOption = "",
    rounds: Annotated[int, typer.Option(min=1, rich_help_panel=_ROUNDS)] = 1,
    recipe: RecipeOption = "",
    start: StartOption = "",
    train_set: TrainSetOption = None,
    more_data: MoreDataOption = None,
    no_train: NoTrainOption = False,
    validate: ValidationOption = None,
    validation_tasks: ValidationTasks = 100,
    max_steps: Annotated[int, typer.Option(min=1, help="A run ends after so many steps.")] = 30,
    workers: shared.WorkersOption = 0,
    engine: EngineOption = "local",
    seed: shared.SeedOption = 0,
    json_lines: JsonOption = False,
) -> None:
    """GuidNav's self-improvement (`IMPROVE`)."""
    if out is None:
        raise InputError("--out is missing: name a folder")
    if bool(folders) == bool(policy):
        raise InputError("give the folders of runs, or --policy, and not both")
    if folders:
        from saccade.data.self_improvement import write_demonstrations  # noqa: PLC0415

        runs, kept, steps = write_demonstrations(folders, out)
        console.print(f"{kept} of {runs} runs succeeded, {steps} steps → {out / 'steps.jsonl'}")
        return
    if bool(recipe) == no_train:
        raise InputError("rounds train: give --recipe NAME, or --no-train for successful runs alone")
    from saccade.cli.rounds import Player, Rounds, show_rounds  # noqa: PLC0415

    acts = Player(paradigm, agent, policy_url, max_steps)
    training = training_of(recipe, start or policy, train_set, more_data)
    measured = measurement_of(suite, validate, validation_tasks, acts, workers, engine)
    given = dict(map(read_option, option or []))
    guided = GuidedTries(suite, given, tasks, limit, reward, k, acts, workers or os.cpu_count() or 1, engine, seed)
    title = f"Self-improvement of {policy}"
    asked: dict[str, Any] = {"policy": policy, "reward": reward, "suite": suite, "tasks": tasks, "limit": limit}
    asked |= {"k": k, "seed": seed, "paradigm": paradigm, "agent": agent, "max_steps": max_steps, "options": given}
    asked |= trained_as(training) | measurement_request(measured)
    turned = Rounds(out, title, asked, guided.make, training, measured, say_to(json_lines))
    show_rounds(title, turned.run(policy, rounds, True), out, json_lines)


class GuidedTries:
    """The policy with its reward model on training tasks; what succeeded becomes data."""

    def __init__(
        self,
        suite: str,
        options: dict[str, Any],
        tasks: int,
        limit: int,
        reward: str,
        k: int,
        player: Player,
        workers: int,
        engine: str,
        seed: int,
    ) -> None:
        self.suite, self.options, self.tasks, self.limit = suite, options, tasks, limit
        self.settings: dict[str, Any] = {"reward": reward, "k": k if reward else 1}
        self.player, self.workers, self.engine, self.seed = player, workers, engine, seed

    def make(self, number: int, policy: str, folder: Path) -> MadeData:
        """Other tasks in each round, where the suite has a seed."""
        from saccade.bench.suites import get_suite  # noqa: PLC0415
        from saccade.cli.rounds import LiveMeasurement, MadeData  # noqa: PLC0415
        from saccade.data.self_improvement import write_demonstrations  # noqa: PLC0415

        suite = get_suite(self.suite)
        seeded = {"seed": self.seed} if "seed" in suite.choices else {}
        options = options_of_round({**suite.training, **seeded, **self.options}, number)
        tries = LiveMeasurement(self.suite, options, self.tasks, self.player, self.workers, self.engine)
        found = tries.run(policy, folder.parent / "tries", **self.settings)
        runs, kept, steps = write_demonstrations([folder.parent / "tries"], folder, self.limit)
        cost = found.cost if found else 0.0
        return MadeData("", kept, steps, runs, round(found.value * found.n) if found else 0, cost)


def trained_as(training: Training | None) -> dict[str, Any]:
    """What a folder of rounds must not mix: rounds that were trained otherwise."""
    if training is None:
        return {}
    said = {"recipe": training.recipe, "start": training.start}
    return said | {"train_set": list(training.changes), "more_data": list(training.more_data)}


def measurement_request(measurement: LiveMeasurement | None) -> dict[str, Any]:
    """What a folder of rounds must not mix: rounds that were measured on other tasks."""
    if measurement is None:
        return {}
    return {"validate": dict(measurement.options), "validation_tasks": measurement.limit}


def training_of(recipe: str, start: str, changes: list[str] | None, more: list[str] | None) -> Training | None:
    """How rounds train; None without a recipe."""
    from saccade.cli.rounds import Training  # noqa: PLC0415

    return Training(recipe, start, tuple(changes or ()), tuple(more or ())) if recipe else None


def measurement_of(
    world: str, validate: list[str] | None, tasks: int, player: Player, workers: int, engine: str
) -> LiveMeasurement | None:
    """What each round is measured on: by default the suite's validation split, where it has splits."""
    from saccade.bench.suites import SUITES, get_suite  # noqa: PLC0415
    from saccade.cli.rounds import LiveMeasurement  # noqa: PLC0415

    if not tasks:
        return None
    if world not in SUITES.names():
        raise InputError(f"{world or 'the plan'} is no suite of tasks to measure on: give --validation-tasks 0")
    usual = {"split": "validation"} if "split" in get_suite(world).choices else {}
    options = {**usual, **dict(map(read_option, validate or []))}
    return LiveMeasurement(world, options, tasks, player, workers or os.cpu_count() or 1, engine)


def say_to(json_lines: bool) -> Any:
    """What rounds say while they work."""
    return (lambda text: None) if json_lines else (lambda text: console.print(text, markup=False, highlight=False))
