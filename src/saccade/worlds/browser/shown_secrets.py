"""Where a page shows secrets, by the texts that the browser lays out: also those of ::before and ::after, of list
markers, closed shadow roots and frames, in whatever nodes they are spread.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from playwright.async_api import CDPSession, Error

from saccade.geometry import Box, Size
from saccade.worlds.browser.tabs import Tabs
from saccade.worlds.secrets import Vault
from saccade.worlds.spread_secrets import spread_secrets

Cover = tuple[str, Box]
"""The name of a secret, and a place on the screenshot that shows it or a part of it."""


class View(NamedTuple):
    """How the screenshot shows the page: phones show pages that were made for desktops smaller."""

    scale: float
    left: float
    top: float

    def at(self, x: float, y: float) -> tuple[float, float]:
        return (x - self.left) * self.scale, (y - self.top) * self.scale


class LaidOutText(NamedTuple):
    """A text, the node that it belongs to, and where it lies in its document."""

    text: str
    node: int
    box: Box | None


async def shown_secrets(tabs: Tabs, vault: Vault, scale: float, size: Size) -> tuple[Cover, ...]:
    """What to cover on the screenshot. What cannot be placed is covered with all that is around it."""
    session = await tabs.session()
    everywhere = Box(0, 0, size.width, size.height)
    view = (await session.send("Page.getLayoutMetrics"))["cssVisualViewport"]
    place = View(scale * view["scale"], view["offsetX"], view["offsetY"])
    covers: list[Cover] = []
    for name, node in _found(await _texts(session), vault):
        boxes = await _boxes(session, {"backendNodeId": node}, place)
        covers += [(name, box) for box in ([everywhere] if boxes is None else boxes)]
    for frame, apart in await tabs.frames_apart():
        if not (found := _found(await _texts(apart), vault)):
            continue
        try:
            owner = await session.send("DOM.getFrameOwner", {"frameId": frame})
            boxes = await _boxes(session, {"backendNodeId": owner["backendNodeId"]}, place)
        except Error:  # it is in another such frame
            boxes = None
        covers += [(found[0][0], box) for box in ([everywhere] if boxes is None else boxes)]
    return tuple(covers)


def _found(texts: Sequence[LaidOutText], vault: Vault) -> list[tuple[str, int]]:
    spread = spread_secrets([each.text for each in texts], [each.box for each in texts], vault)
    return sorted({(name, texts[at].node) for name, places in spread for at in places})


async def _texts(session: CDPSession) -> list[LaidOutText]:
    """All texts of a page and of the frames in its process, in the order of their nodes."""
    snapshot = await session.send("DOMSnapshot.captureSnapshot", {"computedStyles": []})
    strings: list[str] = snapshot["strings"]
    found: list[LaidOutText] = []
    for document in snapshot["documents"]:
        nodes, layout = document["nodes"], document["layout"]
        ids, shown = nodes["backendNodeId"], {}
        for at, text, bounds in zip(layout["nodeIndex"], layout["text"], layout["bounds"], strict=True):
            x, y, width, height = bounds
            shown[at] = box = Box(x, y, x + width, y + height)
            if text >= 0 and strings[text].strip():
                found.append(LaidOutText(strings[text], ids[at], box))
        for kind in ("inputValue", "textValue"):
            values = nodes.get(kind, {"index": [], "value": []})
            for at, text in zip(values["index"], values["value"], strict=True):
                if text >= 0 and at in shown:
                    found.append(LaidOutText(strings[text], ids[at], shown[at]))
        found += _options(nodes, strings, shown)
    return found


def _options(nodes: dict[str, Any], strings: Sequence[str], shown: dict[int, Box]) -> Iterator[LaidOutText]:
    """The texts of lists to choose from: they are laid out where snapshots do not look."""
    for parent, value in zip(nodes["parentIndex"], nodes["nodeValue"], strict=True):
        if value < 0 or parent < 0 or strings[nodes["nodeName"][parent]] != "OPTION" or not strings[value].strip():
            continue
        around = parent
        while around >= 0 and around not in shown:
            around = nodes["parentIndex"][around]
        if around >= 0:
            yield LaidOutText(strings[value], nodes["backendNodeId"][around], shown[around])


async def _boxes(session: CDPSession, node: dict[str, Any], view: View) -> list[Box] | None:
    """Where a node lies on the screenshot; none if it is not on it. None if the browser cannot tell."""
    try:
        quads = (await session.send("DOM.getContentQuads", node))["quads"]
    except Error:
        try:
            quads = [(await session.send("DOM.getBoxModel", node))["model"]["border"]]
        except Error:
            return None
    sides = [(quad[::2], quad[1::2]) for quad in quads]
    return [Box(*view.at(min(x), min(y)), *view.at(max(x), max(y))) for x, y in sides]
