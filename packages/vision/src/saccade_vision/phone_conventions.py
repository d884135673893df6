"""What people know of phone screens and a single icon does not tell: names that follow from where an icon stands.

Android's three navigation buttons at the lower edge (back, home, recent apps) are a triangle, a circle and a square, or
other plain shapes that no icon set has. And an arrow or angle to the left in the upper left corner goes back, while the
same shape elsewhere shows the previous page or item.
"""

from __future__ import annotations

from collections.abc import Sequence

from saccade.geometry import Box, Size
from saccade_vision.icons import meaning_of
from saccade_vision.types import IconMeaning, is_phone_screen

FOOT = 0.93
"""The navigation buttons' centres are below this share of the height."""
LEVEL = 0.01
"""Their centres differ in height by at most this share of it."""
CENTRED = 0.06
"""How far, as a share of the width, the middle one may be from the middle, and the outer ones from mirroring."""
CORNER_WIDTH, CORNER_HEIGHT = 0.17, 0.13
"""What is the upper left corner, as shares of width and height."""
LEFTWARD = frozenset(("previous", "back"))
HOME = IconMeaning("home-screen", "home", "主屏幕", "Shows the home screen", "回到主屏幕", 1.0)
"""Android's name; a house in an app is that app's own first page (首页)."""
RECENT = IconMeaning("recent-apps", "recent apps", "最近任务", "Shows the apps used last", "显示最近使用的应用", 1.0)


def names_by_place(
    size: Size, icons: Sequence[tuple[Box, IconMeaning | None]], others: Sequence[Box]
) -> list[IconMeaning | None]:
    """The meanings of pressed icons, with those that follow from their places. `others` are the other widgets."""
    found = [meaning for _, meaning in icons]
    if not is_phone_screen(size.width, size.height):
        return found
    for at, (box, meaning) in enumerate(icons):
        corner = box.center.x <= CORNER_WIDTH * size.width and box.center.y <= CORNER_HEIGHT * size.height
        if corner and meaning is not None and meaning.name in LEFTWARD:
            found[at] = meaning_of("back", meaning.confidence)
    names = (meaning_of("back", 1.0), HOME, RECENT)
    for at, name in zip(_navigation_buttons(size, icons, others), names, strict=False):
        found[at] = name
    return found


def _navigation_buttons(
    size: Size, icons: Sequence[tuple[Box, IconMeaning | None]], others: Sequence[Box]
) -> list[int]:
    """The places of the three buttons, from the left; none if something else stands at the lower edge."""
    foot = [at for at, (box, _) in enumerate(icons) if box.center.y >= FOOT * size.height]
    if len(foot) != 3 or any(box.center.y >= FOOT * size.height for box in others):
        return []
    left, middle, right = sorted(foot, key=lambda at: icons[at][0].x0)
    centres = [icons[at][0].center for at in (left, middle, right)]
    heights = [centre.y for centre in centres]
    x = [centre.x / size.width for centre in centres]
    level = max(heights) - min(heights) <= LEVEL * size.height
    centred = abs(x[1] - 0.5) <= CENTRED and abs(x[0] + x[2] - 1) <= 2 * CENTRED
    nameless = sum(icons[at][1] is None for at in (left, middle, right))
    return [left, middle, right] if level and centred and nameless >= 2 else []
