"""No page reaches a host that is not allowed, whatever it tries."""

from __future__ import annotations

import pytest
from ways_out import ways_out

from saccade.actions import Action
from saccade.worlds.browser.world import BrowserWorld

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("allowed", [False, True])
def test_no_page_reaches_a_host_that_is_not_allowed(allowed: bool) -> None:
    """Where the other host is allowed, the same page reaches it in many ways: it has teeth."""
    with ways_out() as (address, outside):
        with BrowserWorld(address, allow=["127.0.0.2"] if allowed else (), settle_limit=1.5) as world:
            world.reset()
            world.act(Action("wait", seconds=1.5))
        arrived = {line.split(" ")[1] if " /" in line else line for line in outside.arrived}
    assert (len(arrived) >= 25) if allowed else (arrived == set()), sorted(arrived)
