"""`saccade run`: an agent at work; `saccade view`: what it did."""

from __future__ import annotations

import random
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
from rich.markup import escape

import saccade.cli.run_options as options
from saccade.agents.log import RunLog
from saccade.agents.records import LoggedStep
from saccade.agents.replay_page import leave_replay, write_replay
from saccade.agents.settings import Settings, read_option, read_settings
from saccade.cli.common import JsonOption, console
from saccade.errors import InputError
from saccade.paradigms.wording import at, in_words, language_of
from saccade.scoring.judge import match_context
from saccade.scoring.profiles import get_profile
from saccade.screens.element_source import TREE
from saccade.worlds import takes_option

PLAIN_SETTINGS = """
    instruction world paradigm model agent base_url coordinates language elements hints temperature deadline k reward
    retries prior margin judge reflect policy context tries person
""".split()
"""Options of the command line that are settings of the same name; `context` and `tries` are of recordings only."""
GUIDED = 3
"""Candidates at each step where a reward model chooses among them (GuidNav §4.1: k = 3)."""


def run(
    instruction: options.Instruction = "",
    world: options.World = "",
    seed: options.Seed = None,
    device: options.Device = None,
    allow: options.Allow = None,
    show: options.Show = False,
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
    switches: options.Switches = None,
    temperature: options.Temperature = None,
    max_output: options.MaxOutput = 1024,
    deadline: options.Deadline = 120.0,
    k: options.Candidates = None,
    reward: options.Reward = "",
    prior: options.Prior = None,
    margin: options.Margin = None,
    retries: options.Retries = 0,
    judge: options.Judge = "",
    reflect: options.Reflect = True,
    max_steps: options.MaxSteps = 30,
    max_seconds: options.MaxSeconds = 0.0,
    max_tokens: options.MaxTokens = 0,
    max_cost: options.MaxCost = 0.0,
    policy: options.Policy = "",
    secrets: options.Secrets = None,
    ask: options.AskPerson = True,
    person: options.PersonSeconds = 0.0,
    out: options.Out = None,
    resume: options.Resume = None,
    json_lines: JsonOption = False,
) -> None:
    """Let an agent do something, and write a log with a replay page.

    Exit code 0: done; 1: not done; 2: bad input; 3: something must be installed.

    Examples:

        saccade run --world phone/clock.add_alarm --model oracle

        saccade run "Find the opening hours" --world https://example.org --model openai/gpt-4o --policy browse

        saccade run "打开蓝牙" --world android: --paradigm secagent --model openai/secagent --base-url http://127.0.0.1:8000/v1

        saccade run --world phone/mail.send --paradigm guidnav --k 3 --reward model --retries 2 --model openai/gpt-4o

        saccade run --resume runs/20260101-120000
    """
    given = dict(locals())
    if world and language != "auto" and takes_option(world, "language"):  # then its task is told in that language too
        given["world_options"] = [f"language={language}", *(world_options or [])]
    settings, again = (None, given_again(given)) if resume else (settings_of(given), {})
    carry_out(settings, out, resume, ask and not json_lines, json_lines, again)


def given_again(given: Mapping[str, Any]) -> dict[str, Any]:
    """The options that a resumed run may need again, because their values are secret and not kept."""
    options = {name: dict(map(read_option, given[name] or [])) for name in ("model_options", "world_options")}
    return {"base_url": given["base_url"], "world": given["world"], **options}


def settings_of(given: Mapping[str, Any]) -> Settings:
    """The command line as settings."""
    for name, why in (("world", "where: --world phone/TASK, an address …"), ("model", "who: --model openai/NAME …")):
        if not given[name]:
            raise InputError(f"say {why} (saccade run --help has examples)")
    world_options = dict(map(read_option, given["world_options"] or []))
    world_options |= {name: value for name in ("device", "allow", "show") if (value := given.get(name))}
    limits = {name: given[f"max_{name}"] for name in ("steps", "seconds", "tokens", "cost")}
    given = {**given, "k": given["k"] if given["k"] is not None else GUIDED if given["reward"] else 1}
    for name in ("k", "max_output", "tries"):
        if given.get(name, 1) < 1:
            raise InputError(f"--{name.replace('_', '-')} must be at least 1")
    if min(given["retries"], given.get("person", 0.0), *limits.values()) < 0:
        raise InputError("--retries, --person and the limits cannot be negative")
    return read_settings(
        {
            **{name: given[name] for name in PLAIN_SETTINGS if name in given},
            "world_options": world_options,
            "model_options": dict(map(read_option, given["model_options"] or [])),
            "switches": dict(map(read_option, given["switches"] or [])),
            "limits": limits,
            "max_tokens": given["max_output"],
            "seed": random.randrange(2**31) if given["seed"] is None else given["seed"],
            "secrets": str(given["secrets"] or ""),
        }
    )


def carry_out(
    settings: Settings | None,
    out: Path | None,
    resume: Path | None,
    ask: bool,
    json_lines: bool,
    again: Mapping[str, Any],
) -> None:
    from saccade.agents.approval import terminal_asker  # noqa: PLC0415
    from saccade.agents.control import RunControl, TerminalControl  # noqa: PLC0415
    from saccade.agents.run import RunOverrides, resume_run, start_run  # noqa: PLC0415

    progress = RunProgress(json_lines)
    overrides = RunOverrides(ask=terminal_asker() if ask else None, on_step=progress.step, on_start=progress.start)
    overrides.control = TerminalControl() if ask else RunControl()
    overrides.again = again
    overrides.on_warning = lambda warning: typer.echo(f"saccade: {warning}", err=True)
    folder = resume or out or Path("runs") / f"{datetime.now():%Y%m%d-%H%M%S}"
    try:
        log = resume_run(folder, overrides) if settings is None else start_run(settings, folder, overrides)
    except KeyboardInterrupt:
        leave_replay(folder, overrides.on_warning)
        typer.echo(f"saccade: interrupted; go on with: saccade run --resume {folder}", err=True)
        raise typer.Exit(130) from None
    page = leave_replay(folder, overrides.on_warning)
    progress.end(log, page)
    assert log.run.outcome is not None
    raise typer.Exit(0 if log.run.outcome.successful else 1)


class RunProgress:
    """Prints what was asked, then a line for each step, then how it ended."""

    def __init__(self, json_lines: bool) -> None:
        self.json_lines = json_lines
        self.attempt = 0
        self.profile = ""

    def start(self, log: RunLog) -> None:
        run = log.run
        self.profile = run.profile
        if self.json_lines:
            return self.line({"run": str(log.folder), "instruction": run.instruction, "settings": run.settings})
        console.print(f"[bold]{escape(run.instruction)}[/]")
        settings = run.settings
        console.print(
            f"[dim]{settings['world']}, {settings.get('paradigm', 'btl')}, {settings.get('model', '')}, "
            f"elements from {settings.get('elements', TREE)}, seed {settings.get('seed', 0)} → {log.folder}[/]"
        )
        if read_settings(settings).judged_by_world:
            console.print("[dim]retries: judged by the world, which is an oracle[/]")
        if run.weighting:
            console.print(f"[dim]choice of candidates: {run.weighting}[/]")
        if log.steps:
            console.print(f"[dim]{len(log.steps)} steps were done before[/]")
        return None

    def step(self, step: LoggedStep) -> None:
        if self.json_lines:
            kept = (
                "step",
                "attempt",
                "prediction",
                "error",
                "reward",
                "done",
                "usage",
                "seconds",
                "approval",
                "problem",
            )
            return self.line({name: getattr(step, name) for name in kept})
        if step.attempt != self.attempt:
            self.attempt = step.attempt
            console.print(f"[bold]attempt {step.attempt + 1}[/]")
        if step.prediction is None:
            said = f"[red]no action: {escape(step.problem)}[/]"
        else:
            said = escape(in_words(step.prediction, step.view, language_of(step.instruction)))
        if step.approval is not None and not step.approval.allowed:
            said = f"[red]{escape(refusal(step))}[/] {escape(step.approval.why)}"
        elif step.error:
            said += f" [yellow]{escape(step.error)}[/]"
        said += " [cyan](a person)[/]" if step.by == "person" else ""
        cost = f" ${step.usage.cost:.4f}" if step.usage.cost else ""
        again = f", {step.usage.retries} retried" if step.usage.retries else ""
        right = "" if not step.truth else " [green]✓[/]" if is_right(step, self.profile) else " [red]✗[/]"
        spent = f"{step.seconds.total:.1f} s, {step.usage.tokens:,} tokens{cost}{again}"
        console.print(f"{step.step + 1:>3}  {said}{right}  [dim]{spent}[/]")
        return None

    def end(self, log: RunLog, page: Path | None) -> None:
        run, outcome = log.run, log.run.outcome
        assert outcome is not None
        if self.json_lines:
            return self.line(
                {"outcome": outcome, "usage": run.usage, "seconds": run.seconds, "replay": str(page or "")}
            )
        colour = "green" if outcome.successful else "red"
        answer = f" “{escape(outcome.answer)}”" if outcome.answer else ""
        cost = f", ${run.usage.cost:.4f}" if run.usage.cost else ""
        console.print(f"[{colour}]{outcome.status}[/]: {escape(outcome.reason)}{answer}")
        console.print(f"[dim]{len(log.steps)} steps, {run.seconds:.1f} s, {run.usage.tokens:,} tokens{cost}[/]")
        if page is not None:
            console.print(f"[dim]replay: {page}[/]")
        if outcome.status in ("broken", "interrupted"):
            console.print(f"go on with: saccade run --resume {log.folder}")
        return None

    def line(self, value: dict[str, Any]) -> None:
        typer.echo(msgspec.json.encode(value).decode())


def refusal(step: LoggedStep) -> str:
    """What a refused step would have done, in the language of its instruction."""
    from saccade.agents.approval import refused_in_words  # noqa: PLC0415

    assert step.prediction is not None
    zh = language_of(step.instruction) == "zh"
    return refused_in_words(step.prediction, at(step.prediction, step.view, zh) if step.prediction.point else "", zh)


def is_right(step: LoggedStep, profile: str) -> bool:
    """Was it one of the actions that would have been right, by the rule of the run?"""
    return get_profile(profile).judge(step.prediction, step.truth, match_context(step)).right


def view(
    folder: Annotated[Path, typer.Argument(help="The folder of a run.", show_default=False)],
    open_page: Annotated[bool, typer.Option("--open", help="Open it in your browser.")] = False,
) -> None:
    """Write the replay page of a run, also of one that is still going on, and say where it is.

    Example:

        saccade view runs/20260101-120000 --open
    """
    if not (folder / "steps.jsonl").exists():
        raise InputError(f"there is no run in {folder}: a run's folder has a steps.jsonl")
    page = write_replay(folder)
    typer.echo(str(page))
    if open_page:
        typer.launch(str(page))
