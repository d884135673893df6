"""Notes on how the agent of a measurement was driven, where that is not the papers' plain way: who judged its attempts,
whose summaries it was shown, how candidates were chosen, how often it tried.
"""

from __future__ import annotations

from collections.abc import Sequence

from saccade.agents.build import SAMPLING_TEMPERATURE
from saccade.agents.settings import Settings, read_settings
from saccade.bench.cases import Bench, Result
from saccade.bench.suites import get_suite
from saccade.errors import InputError

BY_WORLD = ", judged by the world"
"""Behind the name of a measurement whose attempts were repeated by the world's word."""


def settings_of(bench: Bench) -> Settings | None:
    """The settings of a measurement; None for those of another version."""
    try:
        return read_settings(bench.settings)
    except InputError:
        return None


def judge_mark(bench: Bench) -> str:
    """`BY_WORLD` or nothing."""
    settings = settings_of(bench)
    return BY_WORLD if settings is not None and settings.judged_by_world else ""


def agent_notes(bench: Bench, results: Sequence[Result]) -> list[str]:
    """All that applies, as notes under the tables."""
    settings = settings_of(bench)
    if settings is None:
        return []
    found = []
    if settings.judged_by_world:
        found.append("Retries: judged by the world, an oracle; the papers' judge is a chat model.")
    elif settings.retries:
        found.append(f"Retries: judged by {settings.judge or 'the model itself'}.")
    if settings.context == "annotated":
        found.append("Context: prompts showed the annotated summary of the step before, not the model's own.")
    if settings.reward.partition("/")[0] == "oracle":
        rule = settings.reward.partition("/")[2] or get_suite(bench.suite).profile
        found.append(f"Oracle: candidates were chosen by the true action, by the rule {rule}.")
    found += [f"Choice of candidates: {each}." for each in dict.fromkeys(each.weighting for each in results) if each]
    if settings.tries > 1:
        heat = SAMPLING_TEMPERATURE if settings.temperature is None else settings.temperature
        found.append(
            f"Tries: each episode was answered {settings.tries} times at temperature {heat:g}. pass@{settings.tries}: "
            "share of an episode's actions that are right in any try, averaged over episodes; all other figures are "
            "means over the tries."
        )
    return found
