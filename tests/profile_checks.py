"""What every match profile must do, whoever wrote it."""

from __future__ import annotations

from saccade.actions import Action
from saccade.geometry import Box, Size
from saccade.scoring.profiles import MatchContext, Profile
from saccade.types import Element

SIZE = Size(1080, 2400)


def check_profile(profile: Profile, prediction: Action, truth: Action) -> None:
    """A verdict for any pair of actions, without an answer always wrong, and never right by a worse set of truths."""
    context = MatchContext(SIZE, [Element(1, Box(0, 0, 100, 100), text="a")])
    assert profile.judge(None, [truth], context) == (False, False)
    assert profile.judge(prediction, [], context) == (False, False)
    alone = profile.judge(prediction, [truth], context)
    assert isinstance(alone.right, bool)
    if alone.right:
        assert profile.judge(prediction, [Action("wait"), truth], context).right, "one of several is enough"
