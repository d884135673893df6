"""The notes under every table of a measurement: data, rule, interval, agent; what the model lacked, and what the rule
had to assume.

A model that was shown no screen, a true action that the prompt does not offer, a guessed screen size: each moves a
figure by more than most papers' improvements, and none of them shows in the figure itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from saccade.bench.agent_notes import agent_notes
from saccade.bench.cases import Bench, Result
from saccade.bench.figures import answers, broken, done, judge_answers, resampled
from saccade.bench.suites import Suite, get_suite
from saccade.errors import InputError
from saccade.paradigms import get_paradigm
from saccade.scoring.judge import JudgedStep, match_context
from saccade.scoring.profiles import Profile, get_profile
from saccade.types import Step


def notes_of(
    bench: Bench, suite: Suite, results: Sequence[Result], items: Sequence[JudgedStep], rule: Profile, date: str
) -> list[str]:
    """Notes: data, count, rule, interval; what the model lacked; broken cases; agent, versions and date."""
    options = ", ".join(f"{name}={value}" for name, value in bench.data_options.items())
    where = "; ".join(filter(None, (Path(bench.data).name if bench.data else "", options)))
    first = f", the first {bench.limit:,}" if bench.limit else ""
    counted = done(results)
    count = (
        f"{len(items):,} steps of {len(counted):,} cases" if len(items) > len(counted) else f"{len(counted):,} samples"
    )
    count = count if suite.kind == "static" else f"{len(counted):,} tasks"
    notes = [f"Data: {suite.title}{f' ({where})' if where else ''}, {count}{first}."]
    if suite.kind == "live":
        notes.append(
            "Success is the world's own verdict; 95 % Wilson intervals over tasks. Right steps are those that the "
            f"oracle would take, by the rule {suite.profile}; 95 % bootstrap over tasks."
        )
    else:
        notes.append(f"Rule: {rule.name} ({rule.source}). Intervals: 95 % bootstrap over {resampled(items)}s.")
    notes += caveats(bench, suite, counted, items, rule)
    if lost := broken(results):
        names = ", ".join(each.id for each in lost[:5]) + (", …" if len(lost) > 5 else "")
        cases = "1 case" if len(lost) == 1 else f"{len(lost):,} cases"
        notes.append(f"{cases} broken (the model or the world failed, not the agent) and not counted: {names}.")
    switches = ", ".join(f"{name}={value}" for name, value in sorted(bench.settings.get("switches", {}).items()))
    agent = [
        f"model {bench.settings.get('model', '')}",
        f"paradigm {bench.settings.get('paradigm', 'btl')}",
        switches,
        *(
            f"{name} {bench.settings[name]}"
            for name in ("agent", "elements", "hints", "k", "reward", "tries", "retries", "temperature", "coordinates")
            if bench.settings.get(name)
        ),
    ]
    if bench.predictions:
        agent = [f"predictions {Path(bench.predictions).name}"]
        agent += [f"{bench.left_out:,} lines could not be read and are left out"] if bench.left_out else []
    made = ", ".join(f"{name} {bench.versions[name]}" for name in ("saccade", "python") if name in bench.versions)
    return [*notes, f"Agent: {', '.join(filter(None, agent))}. {made}{', ' + date if date else ''}."]


# -- what the model lacked ---------------------------------------------------------------------------------------------


def caveats(
    bench: Bench, suite: Suite, results: Sequence[Result], items: Sequence[JudgedStep], rule: Profile
) -> list[str]:
    """All that applies to these completed cases, as notes."""
    found = [
        *agent_notes(bench, results),
        blind_note(results),
        assumed_sizes(items),
        "" if bench.predictions or suite.kind == "live" else not_offered(bench, suite, items),
        assumed_boxes(items, rule),
    ]
    return [note for note in found if note]


def caveats_of(bench: Bench, results: Sequence[Result], profile: str | None = None) -> list[str]:
    """The same for a measurement as it was read, by a rule or by the suite's own."""
    suite, found = get_suite(bench.suite), done(results)
    rule = get_profile(profile or suite.profile)
    return caveats(bench, suite, found, judge_answers(answers(found), rule), rule)


def share(count: int, total: int, what: str = "steps") -> str:
    """`230 of 1,620 steps (14.2 %)`, or `all 1,620 steps`."""
    return f"all {total:,} {what}" if count == total else f"{count:,} of {total:,} {what} ({100 * count / total:.1f} %)"


def blind_counts(results: Sequence[Result]) -> tuple[int, int]:
    """Steps that the model answered without seeing the screen, and all steps."""
    return sum(result.blind for result in results), sum(len(result.steps) for result in results)


def blind_mark(results: Sequence[Result]) -> str:
    """What stands behind the name of a measurement whose model saw no screen at all."""
    blind, total = blind_counts(results)
    return ", blind" if blind and blind == total else ""


def blind_note(results: Sequence[Result]) -> str:
    blind, total = blind_counts(results)
    if not blind:
        return ""
    return (
        f"Blind: the model answered {share(blind, total)} without seeing the screen: the recording has nothing of it "
        "that this model reads."
    )


def assumed_sizes(items: Sequence[JudgedStep]) -> str:
    """Readers tag a step whose size they assume."""
    count = sum(item.step.tags.get("screen") == "assumed" for item in items)
    if not count:
        return ""
    return (
        f"Assumed sizes: the data does not say the screen size of {share(count, len(items))}, so distances are rough."
    )


def not_offered(bench: Bench, suite: Suite, items: Sequence[JudgedStep]) -> str:
    """Counts the steps of which the prompt offered no true action: no model can get them right."""
    switches = {name: value for name, value in bench.settings.get("switches", {}).items() if name != "template"}
    try:
        paradigm = get_paradigm(bench.settings.get("paradigm", "btl"), **{"space": suite.space, **switches})
    except (InputError, TypeError):  # a plug-in that is not given now
        return ""
    missing = [step for item in items if not any(map(paradigm.offers, (step := item.step).truth))]
    if not missing:
        return ""
    return (
        f"Not offered: the prompt of {paradigm.name} declares no true action of {share(len(missing), len(items))}: "
        f"{by_type(missing)}."
    )


def by_type(steps: Sequence[Step]) -> str:
    counts = Counter(step.truth[0].name for step in steps)
    return ", ".join(f"{name} {count:,}" for name, count in counts.most_common())


def assumed_boxes(items: Sequence[JudgedStep], rule: Profile) -> str:
    """Counts the steps that a rule of boxes judged although their box is not annotated."""
    found = [
        next((how for truth in item.step.truth if (how := rule.assumption(truth, match_context(item.step)))), "")
        for item in items
    ]
    kinds = Counter(how for how in found if how)
    if not kinds:
        return ""
    ways = ", ".join(f"by {how} {count:,}" for how, count in kinds.most_common())
    return (
        f"Assumed boxes: nobody annotated the box of the right click in {share(kinds.total(), len(items))}; judged "
        f"{ways}."
    )
