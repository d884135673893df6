"""`saccade data reverse`: tasks written backwards from a walk, and played by a policy if one is named."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Annotated, Any

import typer

import saccade.cli.synthesis as shared
from saccade.agents.settings import read_option
from saccade.cli.common import ElementsOption, EngineOption, JsonOption
from saccade.errors import InputError
from saccade.screens.element_source import TREE

PLAYED = "reverse-play"
"""The pipeline with a policy."""
_PLAYER = "Policy"
PolicyOption = Annotated[
    str,
    typer.Option(
        help="Plays each task from where the walk's episode began: mini, openai/NAME, hf/PATH.",
        rich_help_panel=_PLAYER,
        show_default=False,
    ),
]
PolicyUrlOption = Annotated[
    str, typer.Option(help="Of the policy's server.", rich_help_panel=_PLAYER, show_default=False)
]
ParadigmOption = Annotated[str, typer.Option(help="The format in which the policy acts.", rich_help_panel=_PLAYER)]
AgentOption = Annotated[
    str,
    typer.Option(help="What drives the policy's model: plain, reflection, mini …", rich_help_panel=_PLAYER),
]
HeatOption = Annotated[float, typer.Option(help="Temperature of the policy.", rich_help_panel=_PLAYER)]
WorldOption = Annotated[
    list[str] | None,
    typer.Option(
        "--world",
        help="A world that may be opened because the walk began there; sandboxes (phone, miniwob) need not be named. "
        "May be given again.",
        rich_help_panel=_PLAYER,
        show_default=False,
    ),
]
WorldOptions = Annotated[
    list[str] | None,
    typer.Option(
        "--option", help="Of the world: headless=no …; may be given again.", rich_help_panel=_PLAYER, show_default=False
    ),
]

HELP = inspect.cleandoc(
    """Write tasks backwards from what a walk did: transition, low-level instruction, task; graded trajectories.

    The walk itself is the trajectory. With --policy each task that was kept is played from where the walk's episode
    began, and what the policy did is graded and kept instead.

    Examples:

        saccade data walk phone --steps 2000 --out runs/walk

        saccade data reverse runs/walk --out runs/reverse

        saccade data reverse runs/walk --policy mini --out runs/played
    """
)


def register(app: typer.Typer) -> None:
    """Add the command to `saccade data`."""
    app.command("reverse", help=HELP)(reverse)


def reverse(
    records: Annotated[
        list[Path], typer.Argument(help="Data sets: folders, or files of step records.", show_default=False)
    ],
    out: shared.OutOption = None,
    model: shared.ModelOption = "teacher",
    base_url: shared.BaseUrlOption = None,
    policy: PolicyOption = "",
    policy_url: PolicyUrlOption = "",
    paradigm: ParadigmOption = "secagent",
    agent: AgentOption = "",
    policy_temperature: HeatOption = 0.0,
    world: WorldOption = None,
    option: WorldOptions = None,
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
    """OS-Genesis' reverse synthesis (`HELP`)."""
    if policy and config:
        check_plays(config)
    config = config or (PLAYED if policy else "")
    asked = (out, model, base_url, config, changes or [], templates, elements, mask, mask_name or [], review, database)
    bounds = (wait, max_items, max_cost, seed, workers, engine, policy, temperature, stages, json_lines)
    options = shared.Options(*asked, *bounds)
    if policy:
        acting = {"paradigm": paradigm, "agent": agent, "temperature": policy_temperature, "base_url": policy_url}
        options.planned = planned_settings({**acting, "elements": elements}, world or [], option or [])
    elif world or option or agent or policy_url:
        raise InputError("--world, --option, --agent and --policy-url say how tasks are played: name the --policy too")
    shared.run_pipeline("reverse", records, options)


def check_plays(config: str) -> None:
    """Raise `InputError` if the user's own pipeline has no place for a policy."""
    from saccade.data.synthesis.definition import load_definition  # noqa: PLC0415  (commands start quickly)

    missing = {"episode_starts", "play_tasks"} - {name for each in load_definition(config).stages for name in each}
    if missing:
        raise InputError(f"--policy: the pipeline {config} has no stage {' and no stage '.join(sorted(missing))}")


def planned_settings(acting: dict[str, Any], worlds: list[str], options: list[str]) -> dict[str, Any]:
    """What the options of the player say about the stages: STAGE.KEY → value."""
    starts = {"worlds": worlds, "options": dict(map(read_option, options))}
    return {f"episode_starts.{key}": value for key, value in starts.items()} | {
        f"play_tasks.{key}": value for key, value in acting.items()
    }
