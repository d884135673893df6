"""What can be judged. Each kind is one class here and one line below."""

from __future__ import annotations

from saccade.registry import Registry, subclass_of
from saccade.studio.review.kinds.base import Decision, ReviewKind

KINDS: Registry[type[ReviewKind]] = Registry(
    "kind of review",
    {
        "trajectory": "saccade.studio.review.kinds.trajectory:TrajectoryReview",
        "step": "saccade.studio.review.kinds.step:StepReview",
        "instruction": "saccade.studio.review.kinds.instruction:InstructionReview",
        "grounding": "saccade.studio.review.kinds.grounding:GroundingReview",
        "key_elements": "saccade.studio.review.kinds.key_elements:KeyElementsReview",
        "personal_data": "saccade.studio.review.kinds.personal_data:PersonalDataReview",
    },
    group="review_kinds",
    accepts=subclass_of(ReviewKind),
)

__all__ = ["KINDS", "Decision", "ReviewKind"]
