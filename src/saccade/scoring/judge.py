"""Steps with their verdicts: the one step scorer that evaluation, rewards and guidance share."""

from __future__ import annotations

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
