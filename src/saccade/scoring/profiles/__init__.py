"""Every published scoring rule by name."""

from __future__ import annotations

from saccade.errors import check_complete
from saccade.registry import Registry, subclass_of
from saccade.scoring.profiles.base import MatchContext, Profile, Verdict

PROFILES: Registry[type[Profile]] = Registry(
    "profile",
    {
        "btl": "saccade.scoring.profiles.btl:BTLProfile",
        "gui-r1": "saccade.scoring.profiles.gui_r1:GuiR1Profile",
        "os-atlas": "saccade.scoring.profiles.os_atlas:OSAtlasProfile",
        "qwen": "saccade.scoring.profiles.qwen:QwenProfile",
        "qwen-infigui": "saccade.scoring.profiles.qwen:InfiGuiProfile",
        "odyssey": "saccade.scoring.profiles.odyssey:OdysseyProfile",
        "aitw": "saccade.scoring.profiles.aitw:AitWProfile",
        "guidnav": "saccade.scoring.profiles.aitw:GuidNavProfile",
        "aitz": "saccade.scoring.profiles.aitz:AITZProfile",
        "cmgui": "saccade.scoring.profiles.cmgui:CMGUIProfile",
        "screenspot": "saccade.scoring.profiles.screenspot:ScreenSpotProfile",
    },
    accepts=subclass_of(Profile),
)


def get_profile(name: str) -> Profile:
    """A match profile by name.

    >>> get_profile("os-atlas").source
    'OS-Atlas, released evaluation'
    """
    kind = PROFILES.get(name)
    check_complete(kind, f"the profile {name}", "name")
    return kind()


__all__ = ["PROFILES", "MatchContext", "Profile", "Verdict", "get_profile"]
