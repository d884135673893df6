"""A whole run: attempts until one succeeds, in a log from which an interrupted run can be resumed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import msgspec

from saccade.agents.approval import Asker
from saccade.agents.build import ModelCache, Parts, build
from saccade.agents.control import RunControl
from saccade.agents.endings import ending_text
from saccade.agents.hidden_settings import restored
from saccade.agents.ledger import Ledger
from saccade.agents.log import RunLog
from saccade.agents.loop import OnStep, run_attempt
from saccade.agents.records import Attempt, Outcome
from saccade.agents.redact import redact
from saccade.agents.refine import Trajectory, TrajectoryJudge
from saccade.agents.settings import Settings, read_settings
from saccade.errors import InputError
from saccade.models.base import Model, ModelError, Usage
from saccade.paradigms.base import Language
from saccade.paradigms.wording import language_of
from saccade.screens.element_source import open_element_source
from saccade.types import Picture
from saccade.worlds import open_world
from saccade.worlds.base import InfrastructureError, Observation, World, check_observation
from saccade.worlds.element_source_world import seen_through
from saccade.worlds.secrets import NO_SECRETS, load_secrets

RESUMABLE = ("broken", "interrupted")
"""Outcomes after which a run can be resumed."""


@dataclass
class RunOverrides:
    """What a caller hands to a run, instead of having it opened by the names in its settings."""

    world: World | None = None
    model: Model | None = None
    world_seed: int | None = None
    """The world's seed, where it is another one than the run's, which also decides what a model draws by chance."""
    ask: Asker | None = None
    """Asked before a risky action; None: risky actions are refused."""
    control: RunControl = field(default_factory=RunControl)
    """A person beside the agent, who may pause, edit, take over and stop."""
    judge: TrajectoryJudge | None = None
    """Judges attempts instead of the one that the settings name."""
    on_step: OnStep = lambda step: None
    on_start: Callable[[RunLog], None] = lambda log: None
    """Called when the world is open and the instruction is known."""
    on_warning: Callable[[str], None] = lambda warning: None
    """Called with what the model warns of in this world (`Model.warning`)."""
    again: Mapping[str, Any] = field(default_factory=dict)
    """For a resumed run: settings that are secret and therefore not in its folder, such as
    `{"model_options": {"api_key": …}}`.
    """


def start_run(settings: Settings, folder: Path, overrides: RunOverrides | None = None) -> RunLog:
    """Start a run in an empty folder and carry it to its end."""
    secrets = load_secrets(Path(settings.secrets)) if settings.secrets else NO_SECRETS
    with RunLog.begin(folder, msgspec.to_builtins(settings), secrets) as log:
        execute_run(settings, log, overrides or RunOverrides())
    return log


def resume_run(folder: Path, overrides: RunOverrides | None = None) -> RunLog:
    """Resume a run that was killed, was interrupted, or failed through its world or model."""
    overrides = overrides or RunOverrides()
    with RunLog.resume(folder, overrides.again) as log:
        needed = set() if overrides.model else {"base_url", "model_options"}
        needed |= set() if overrides.world else {"world", "world_options"}
        settings = read_settings(restored(log.run.settings, overrides.again, needed))
        attempts = log.run.attempts
        if attempts and (last := attempts[-1]).outcome is not None:
            if last.outcome.status in RESUMABLE:
                last.outcome = None
            elif last.judged is not None and (last.judged or len(attempts) > settings.retries):
                log.end(last.outcome)
                why = f"{last.outcome.status}: {last.outcome.reason}"
                raise InputError(f"the run in {folder} is over ({why}): there is nothing to resume")
        execute_run(settings, log, overrides)
    return log


def execute_run(settings: Settings, log: RunLog, overrides: RunOverrides) -> None:
    """Open the world, make the attempts, and log the outcome, also after an error. That the model cannot be reached is
    told before a world is opened.
    """
    models = ModelCache(settings)
    try:
        if (model := overrides.model or models.of_agent(settings.model)) is not None:
            model.check_access()
    except BaseException:
        models.close()
        raise
    source = open_element_source(settings.elements)
    world = overrides.world or open_world(settings.world, **settings.world_options)
    world = seen_through(world, source, language_of_captions(settings))
    if settings.secrets:
        world.vault = load_secrets(Path(settings.secrets))
    log.vault = log.vault.joined(world.vault)
    parts: Parts | None = None
    try:
        seed = settings.seed if overrides.world_seed is None else overrides.world_seed
        seen = first_observation(world, settings, log, seed)
        ledger = Ledger(log.run.usage)
        parts = build(settings, world, log.run.instruction, ledger, overrides.model, overrides.ask, models)
        parts.agent.on_step, parts.agent.before = overrides.on_step, log.run.seconds
        parts.agent.control, parts.judge = overrides.control, overrides.judge or parts.judge
        log.run.profile = settings.profile or world.rule
        log.run.weighting = parts.agent.policy.guide.weighting.note
        if warning := parts.agent.policy.model.warning(world.name):
            overrides.on_warning(warning)
        overrides.on_start(log)
        overrides.control.begin(world)
        log.end(run_attempts(parts, log, seen, seed))
    except InfrastructureError as error:
        log.end(Outcome("broken", "world", ending_text("world", language_of_run(parts), error)))
    except ModelError as error:
        log.end(Outcome("broken", "model", ending_text("model", language_of_run(parts), error)))
    except KeyboardInterrupt:
        log.end(Outcome("interrupted", "person", ending_text("interrupted", language_of_run(parts))))
        raise
    finally:
        models.close()
        if overrides.world is None:
            world.close()


def language_of_captions(settings: Settings) -> Language | None:
    """The language in which a source describes elements; None: that of the world's own instruction."""
    if settings.language != "auto":
        return settings.language
    return language_of(settings.instruction) if settings.instruction else None


def language_of_run(parts: Parts | None) -> Language:
    """The language for messages: the task's, or English before the task is known."""
    return parts.agent.language if parts is not None else "en"


def first_observation(world: World, settings: Settings, log: RunLog, seed: int) -> Observation:
    """The first screen: of a fresh start, or where an interrupted run stopped."""
    run = log.run
    if run.attempts and run.attempts[-1].outcome is None:
        steps = log.of_attempt(len(run.attempts) - 1)
        done = [step.prediction for step in steps if step.acted and step.prediction is not None]
        seen = check_observation(world.resume(done, steps[-1].url if steps else "", seed), world, "resume")
    else:
        seen = check_observation(world.reset(seed), world, "reset")
    seen = redact(seen, world.vault)
    run.instruction = world.vault.redact(run.instruction or settings.instruction or seen.instruction)
    if not run.instruction:
        raise InputError(f"give an instruction: the world {settings.world} has no task of its own")
    log.save()
    return seen


def run_attempts(parts: Parts, log: RunLog, seen: Observation, seed: int) -> Outcome:
    """GuidNav's refinement: attempt, judge, reflect, reset, attempt again."""
    settings, run = parts.settings, log.run
    fresh = True
    while True:
        if not run.attempts or (run.attempts[-1].judged is not None):
            log.attempt()
        at = len(run.attempts) - 1
        current = run.attempts[at]
        if current.outcome is None:
            if not fresh:
                seen = redact(parts.world.reset(seed), parts.world.vault)
            lessons = [each.reflection for each in run.attempts[:at] if each.reflection]
            current.outcome = run_attempt(parts.agent, parts.world, seen, log, at, parts.notes + lessons)
            if settings.retries and parts.agent.current is not None and parts.agent.current.screen.picture is not None:
                last_screen(log.folder, at).write_bytes(parts.agent.current.screen.picture.data())
            log.save()
        if current.outcome.status in RESUMABLE:
            return current.outcome
        good = judge_attempt(parts, log, current, at)
        if good or at >= settings.retries:
            return current.outcome
        fresh = False


def last_screen(folder: Path, attempt: int) -> Path:
    """Where the screen on which an attempt ended is kept for its judge."""
    return folder / "screens" / f"{attempt}-end.png"


def judge_attempt(parts: Parts, log: RunLog, current: Attempt, at: int) -> bool:
    """Judge an attempt; if it failed, write a reflection for the next one. Returns whether it succeeded."""
    assert current.outcome is not None
    before = parts.agent.ledger.usage
    steps, screen = log.of_attempt(at), last_screen(log.folder, at)
    last = Picture(str(screen), steps[-1].screen) if steps and screen.exists() else None
    trajectory = Trajectory(log.run.instruction, steps, current.outcome, log.folder, last)
    good, current.verdict = parts.judge.judge(trajectory)
    if not good and parts.reflector is not None and at < parts.settings.retries:
        earlier = [each.reflection for each in log.run.attempts[:at] if each.reflection]
        current.reflection = parts.reflector.reflect(trajectory, current.verdict, earlier)
    current.judged = good
    used: Usage = parts.agent.ledger.usage - before
    log.run.between += used
    log.run.usage += used
    log.save()
    return good


def run(
    instruction: str = "",
    *,
    world: str | World,
    model: str | Model = "mini",
    paradigm: str = "btl",
    out: str | Path | None = None,
    **settings: Any,
) -> RunLog:
    """Let a model carry out an instruction in a world; returns the run's log (`.steps`, `.run.outcome`, `.folder`).

    World and model are named as on the command line (`"phone/clock.add_alarm"`, an address; `"openai/NAME"`), or given
    as objects. Without an instruction the world's own task is done; without `out` the run is kept in a new folder of
    the system's temporary files. `settings` are those of `Settings`: `k`, `retries`, `seed`, `limits`, `switches` …

        log = run("Search for a hat", world="https://example.org", model="openai/NAME", retries=1)
        log.run.outcome.status
    """
    said = {
        "world": world if isinstance(world, str) else world.name,
        "instruction": instruction,
        "model": model if isinstance(model, str) else model.name,
        "paradigm": paradigm,
        **settings,
    }
    overrides = RunOverrides(
        world=None if isinstance(world, str) else world, model=None if isinstance(model, str) else model
    )
    folder = Path(out) if out is not None else Path(mkdtemp(prefix="saccade-run-"))
    return start_run(read_settings(msgspec.to_builtins(said)), folder, overrides)
