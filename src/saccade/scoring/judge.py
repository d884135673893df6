"""Steps with their verdicts: the one step scorer that evaluation, rewards and guidance share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from saccade.actions import Action
from saccade.paradigms.base import Paradigm
from saccade.scoring.profiles.base import MatchContext, Profile
from saccade.types import Step


class Prediction(NamedTuple):
    """What a model answered at a step."""

    action: Action | None
    candidates: tuple[Action, ...] = ()
    """All proposed actions, where the paradigm has several."""
    problem: str = ""


class JudgedStep(NamedTuple):
    """A step with one profile's verdict."""

    step: Step
    type_right: bool
    right: bool
    oracle: bool | None = None
    """Was any of the candidates right? None where there was only one answer."""


def prediction_of(step: Step, paradigm: Paradigm | None) -> Prediction:
    """The parsed prediction if the record has one, else what the paradigm reads in the raw output."""
    if step.prediction is not None or step.output is None or paradigm is None:
        return Prediction(step.prediction)
    parsed = paradigm.parse(step.output, step.view)
    candidates = tuple(candidate.action for candidate in parsed.reply.candidates)
    return Prediction(parsed.reply.action, candidates, parsed.problem)


def match_context(step: Step) -> MatchContext:
    return MatchContext(step.screen, step.elements, step.grounding)


def judge_steps(steps: Sequence[Step], predictions: Sequence[Prediction], profile: Profile) -> list[JudgedStep]:
    """Verdicts on the steps that this profile can judge; the others are left out."""
    judged = []
    for step, prediction in zip(steps, predictions, strict=True):
        context = match_context(step)
        truths = [truth for truth in step.truth if profile.applies(truth, context)]
        if not truths:
            continue
        verdict = profile.judge(prediction.action, truths, context)
        oracle = None
        if len(prediction.candidates) > 1:
            oracle = any(profile.judge(action, truths, context).right for action in prediction.candidates)
        judged.append(JudgedStep(step, verdict.type_right, verdict.right, oracle))
    return judged


def assumptions(judged: Sequence[JudgedStep], profile: Profile) -> dict[str, int]:
    """How many steps were judged with the help of each `Profile.assumption`. A step with several valid actions counts
    by the first of them that needed one.
    """
    found: Counter[str] = Counter()
    for item in judged:
        context = match_context(item.step)
        found[next(filter(None, (profile.assumption(truth, context) for truth in item.step.truth)), "")] += 1
    del found[""]
    return dict(found.most_common())


def assumption_note(judged: Sequence[JudgedStep], profile: Profile) -> str:
    """One sentence about `assumptions` for under a table; empty where there were none."""
    found = assumptions(judged, profile)
    if not found:
        return ""
    stood_in = ", ".join(f"{count:,} by {what}" for what, count in found.items())
    return f"{profile.name}: {sum(found.values()):,} of {len(judged):,} steps have no annotated box: judged {stood_in}"
