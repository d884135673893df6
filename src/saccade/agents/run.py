"""A whole run: attempts until one is good, and a log that can be gone on with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import msgspec

from saccade.agents.approval import Asker
from saccade.agents.build import Parts, build, open_settings_world
from saccade.agents.endings import why
from saccade.agents.ledger import Ledger
from saccade.agents.log import RunLog
from saccade.agents.loop import Watch, attempt
from saccade.agents.records import Attempt, Outcome
from saccade.agents.redact import redact
from saccade.agents.refine import Trajectory
from saccade.agents.settings import Settings, read_settings
from saccade.errors import InputError
from saccade.models.base import Model, ModelError, Usage
from saccade.paradigms.base import Language
from saccade.worlds.base import InfrastructureError, Observation, World
from saccade.worlds.secrets import load_secrets

OPEN = ("broken", "interrupted")
"""Ends that are none: such a run can go on."""


@dataclass
class RunOverrides:
    """What a caller may bring along, instead of having it opened by name."""

    world: World | None = None
    model: Model | None = None
    ask: Asker | None = None
    """Who is asked before a risky action; nobody: the answer is no."""
    watch: Watch = lambda step: None
    began: Callable[[RunLog], None] = lambda log: None
    """Is told when the world is open and the instruction known."""


def start(settings: Settings, folder: Path, outside: RunOverrides | None = None) -> RunLog:
    """A new run in an empty folder, to its end."""
    with RunLog.begin(folder, msgspec.to_builtins(settings)) as log:
        carry_out(settings, log, outside or RunOverrides())
    return log


def go_on(folder: Path, outside: RunOverrides | None = None) -> RunLog:
    """Go on with a run that was killed, interrupted, or broke."""
    with RunLog.resume(folder) as log:
        settings, attempts = read_settings(log.run.settings), log.run.attempts
        if attempts and (last := attempts[-1]).outcome is not None:
            if last.outcome.status in OPEN:
                last.outcome = None
            elif last.judged is not None and (last.judged or len(attempts) > settings.retries):
                log.end(last.outcome)
                why = f"{last.outcome.status}: {last.outcome.reason}"
                raise InputError(f"the run in {folder} is over ({why}): there is nothing to go on with")
        carry_out(settings, log, outside or RunOverrides())
    return log


def carry_out(settings: Settings, log: RunLog, outside: RunOverrides) -> None:
    """Open the world, make the attempts, and say how it ended, however it ends."""
    world = outside.world or open_settings_world(settings)
    if settings.secrets:
        world.vault = load_secrets(Path(settings.secrets))
    parts: Parts | None = None
    try:
        seen = enter(world, settings, log)
        parts = build(settings, world, log.run.instruction, Ledger(log.run.usage), outside.model, outside.ask)
        parts.agent.watch, parts.agent.before = outside.watch, log.run.seconds
        outside.began(log)
        log.end(attempts(parts, log, seen))
    except InfrastructureError as error:
        log.end(Outcome("broken", "world", why("world", said_in(parts), error)))
    except ModelError as error:
        log.end(Outcome("broken", "model", why("model", said_in(parts), error)))
    except KeyboardInterrupt:
        log.end(Outcome("interrupted", "person", why("interrupted", said_in(parts))))
        raise
    finally:
        if parts is not None:
            parts.close()
        if outside.world is None:
            world.close()


def said_in(parts: Parts | None) -> Language:
    """What is wrong before the task is known is said in English."""
    return parts.agent.language if parts is not None else "en"


def enter(world: World, settings: Settings, log: RunLog) -> Observation:
    """A fresh start; or where a run broke off."""
    run = log.run
    if run.attempts and run.attempts[-1].outcome is None:
        steps = log.of_attempt(len(run.attempts) - 1)
        done = [step.prediction for step in steps if step.acted and step.prediction is not None]
        seen = world.resume(done, steps[-1].url if steps else "", settings.seed)
    else:
        seen = world.reset(settings.seed)
    seen = redact(seen, world.vault)
    run.instruction = run.instruction or settings.instruction or seen.instruction
    if not run.instruction:
        raise InputError(f"say what is to be done: {settings.world} brings no task of its own")
    log.save()
    return seen


def attempts(parts: Parts, log: RunLog, seen: Observation) -> Outcome:
    """GuidNav's refinement: attempt, judge, reflect, set back, again."""
    settings, run = parts.settings, log.run
    fresh = True
    while True:
        if not run.attempts or (run.attempts[-1].judged is not None):
            log.attempt()
        at = len(run.attempts) - 1
        current = run.attempts[at]
        if current.outcome is None:
            if not fresh:
                seen = redact(parts.world.reset(settings.seed), parts.world.vault)
            lessons = [each.reflection for each in run.attempts[:at] if each.reflection]
            current.outcome = attempt(parts.agent, parts.world, seen, log, at, parts.notes + lessons)
            log.save()
        if current.outcome.status in OPEN:
            return current.outcome
        good = judge(parts, log, current, at)
        if good or at >= settings.retries:
            return current.outcome
        fresh = False


def judge(parts: Parts, log: RunLog, current: Attempt, at: int) -> bool:
    """Was it good? If not, what is there to learn for the next attempt?"""
    assert current.outcome is not None
    before = parts.agent.ledger.usage
    trajectory = Trajectory(log.run.instruction, log.of_attempt(at), current.outcome, log.folder)
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
