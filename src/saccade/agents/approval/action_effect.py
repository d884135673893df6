"""What an action would do: where, to which elements, and with which text. Approval rules see nothing else.

Each action is examined twice: on the screen that the model saw, and on the screen as it is now.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from urllib.parse import unquote, urlsplit

from saccade.actions import Action, swipe_direction, swipe_path
from saccade.agents.approval.plain_links import only_opens
from saccade.agents.approval.word_lists import WordList, readable, word_lists
from saccade.geometry import Box, Point, Size
from saccade.types import Element
from saccade.worlds.base import CurrentTarget, key_name, submits
from saccade.worlds.browser.network import AllowList
from saccade.worlds.secrets import PLACEHOLDER

LARGEST = 1 / 3
"""An element that covers more than this share of the screen is background, not a target, unless it is a control."""
SLACK = 1
"""Element boxes are rounded, so a point this many pixels outside a box still hits it."""
CUT = 300
"""Element texts are cut to this many characters, so a text of this length may be incomplete."""
SHORT = 40
"""Longest text, in characters, that counts as the label of a button."""
FIELDS = frozenset(("input", "password", "spinbutton", "date", "time"))
VALUES = frozenset(("slider", "spinbutton"))
LISTS = frozenset(("select", "combobox"))
LABELLED = frozenset("button link menuitem option tab switch checkbox radio input password select".split())
"""Types of elements that are targets however large they are."""
_COUNTS = re.compile(r"\d|^[«»‹›<>←→↑↓⟨⟩…–—\s-]+$")
"""Numbers and arrows, as links to other pages of a list have: readable without a letter."""
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):", re.IGNORECASE)
_HOST_AND_PORT = re.compile(r"[\w.-]+:\d+(/|$)")
_EMPTY_SCRIPT = re.compile(r"javascript:\s*(void\s*\(?\s*0\s*\)?\s*;?|;|//.*)?\s*", re.IGNORECASE)


class ActionEffect:
    """The effect of an action on one of the two screens. `look` is slow: it is called only when a rule needs it."""

    def __init__(
        self,
        action: Action,
        size: Size,
        look: Callable[[], tuple[Sequence[Element], CurrentTarget]],
        allowed: AllowList,
    ) -> None:
        self.action = action
        self.size = size
        self.allowed = allowed
        self._look = look

    @cached_property
    def _view(self) -> tuple[Sequence[Element], CurrentTarget]:
        return self._look()

    # -- what the action does -----------------------------------------------------------------------------------------

    @cached_property
    def parts(self) -> tuple[frozenset[str], ...]:
        """Everything the action does, each part with all its names: typing may also submit, or tap a button; a drag
        that begins and ends on one element also clicks it.
        """
        action = self.action
        if action.type == "press":
            names = {"press", f"press:{key_name(str(action.key))}"}
            return (frozenset(names | ({"submit"} if submits(action) else set())),)
        if action.type == "type":
            tapped = [frozenset(("click",))] if self._taps else []
            sent = [frozenset(("submit",))] if submits(action) else []
            return frozenset(("type",)), *tapped, *sent
        if action.type == "swipe":
            return (frozenset(("swipe", f"swipe:{swipe_direction(action)}")),)
        if action.type == "drag" and any(all(_near(e.box, point) for point in self.points) for e in self.targets):
            return frozenset(("drag",)), frozenset(("click",))  # a button is clicked, however far the mouse moved on it
        return (frozenset((action.type, action.name)),)

    @property
    def _taps(self) -> bool:
        """Does typing at a point tap something that is not a text field? Typing at a point starts with a tap there."""
        if self.action.point is None:
            return False
        return not (self._view[1].fields or any(element.type in FIELDS for element in self.targets))

    @property
    def typed(self) -> str:
        return (self.action.text or "") if self.action.type == "type" else ""

    # -- what it acts on ---------------------------------------------------------------------------------------

    @cached_property
    def targets(self) -> list[Element]:
        """All elements under the action's points, nested ones too; for keys and plain typing, the focused elements."""
        elements = [element for element in self._view[0] if element.type != "frame"]
        points = self.points
        if not points:
            keyed = self.action.type in ("type", "press")
            return [element for element in elements if keyed and "focused" in element.state.split()]
        most = LARGEST * self.size.width * self.size.height
        sized = [e for e in elements if e.box.area < most or (e.interactive and e.type in LABELLED)]
        return [element for element in sized if any(_near(element.box, point) for point in points)]

    @property
    def points(self) -> list[Point]:
        action = self.action
        if action.type == "swipe":
            return [swipe_path(action, self.size)[0]]
        return [point for point in (action.point, action.start, action.end) if point is not None]

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The texts of the targets, those of the smallest elements first."""
        said = [text for e in sorted(self.targets, key=lambda e: e.box.area) for text in (e.text, e.caption)]
        own = self.action.text if self.action.type in ("select", "open_app") else ""
        return tuple(dict.fromkeys(text for text in (own or "", *said, *self._view[1].words) if text))

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """All texts that rules search for words: also the element types of the targets and the paths of their links."""
        kinds = {element.type for element in self.targets}
        return (*self.words, *sorted(kinds), *(_path(lead) for lead in self.leads))

    @cached_property
    def fields(self) -> frozenset[str]:
        """Kinds of the fields that receive the text. A field that receives a secret counts as a password field."""
        kinds = set(self._view[1].fields) | {"password" for element in self.targets if element.type == "password"}
        if PLACEHOLDER.search(self.typed):
            kinds.add("password")
        search = WordList(word_lists()["search"])
        if any(e.type in FIELDS and search.find((e.text, e.caption)) for e in self.targets):
            kinds.add("search")
        return frozenset(kinds)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """What the controls that are hit say themselves. What stands around a link, or under it, does not count; what
        the controls around it say, outside of those that they hold, the world tells if it can.
        """
        controls = [e for e in self.targets if e.interactive]
        if self._view[1].labels:
            controls = [e for e in controls if not any(_holds(e.box, other.box) for other in controls)]
        said = [text for e in controls for text in (e.text, e.caption)]
        hit = self._view[1].labels or self._view[1].words
        return tuple(dict.fromkeys(text for text in (*said, *hit) if text)) or self.words

    @cached_property
    def evidence(self) -> tuple[str, ...]:
        """Why the action is harmless, for each node that it hits; empty where nothing shows it, or nobody knows. A
        plain link whose label cannot be read, or whose label or address commands something, is no evidence.
        """
        kinds = self._view[1].evidence
        if "link" not in kinds:
            return kinds
        jumps = [lead for lead in self.leads if _jumps(lead, self.url)]
        asked_for = [lead for lead in self.leads if lead not in jumps]
        # A jump is often a button of the page's script, so one that says yes to something is asked for, as buttons are.
        confirms = bool(jumps) and bool(WordList(word_lists()["confirm"]).find(self.labels))
        if not confirms and _whole(self.labels) and _told(self.labels) and only_opens(self.labels, asked_for):
            return kinds
        return tuple("" if kind == "link" else kind for kind in kinds)

    @cached_property
    def known(self) -> bool:
        """Is there a target whose whole text can be read? An icon has no text, and a cut text is incomplete."""
        return _whole(self.words) and (_told(self.words) or any(e.type in FIELDS for e in self.targets))

    @property
    def control(self) -> bool:
        """Is there an interactive target with a short text, such as a button? Rows of a list have longer texts."""
        short = self._view[1].control and any(len(text) <= SHORT for text in self._view[1].words)
        return short or any(e.interactive and 0 < len(e.text or e.caption) <= SHORT for e in self.targets)

    @property
    def adjustable(self) -> bool:
        """Is there a slider, or something else whose value changes as a wheel turns or a finger moves on it? On a
        desktop, closed lists do that, too.
        """
        lists = () if self.url else LISTS
        return any(element.type in VALUES or element.type in lists for element in self.targets)

    # -- where ----------------------------------------------------------------------------------------------------

    @property
    def url(self) -> str:
        return self._view[1].url

    @property
    def app(self) -> str:
        return self._view[1].app

    @cached_property
    def leads(self) -> tuple[str, ...]:
        """Addresses that the action opens; empty `javascript:` links are left out."""
        if self.action.type == "open_url":
            return (address(self.action.text or ""),)
        found = [clean(lead) for lead in self._view[1].leads]
        return tuple(dict.fromkeys(lead for lead in found if not _EMPTY_SCRIPT.fullmatch(lead)))

    @property
    def schemes(self) -> frozenset[str]:
        return frozenset(scheme_of(lead) for lead in self.leads)

    @property
    def addresses(self) -> tuple[str, ...]:
        """The address of the page and the addresses that the action opens."""
        return self.leads if self.action.type == "open_url" else tuple(each for each in (self.url, *self.leads) if each)

    @property
    def outside(self) -> bool:
        """Is any of these addresses on a host that is not allowed?"""
        return any(not inside(each, self.allowed) for each in self.addresses)

    @property
    def signature(self) -> tuple[object, ...]:
        """What must stay the same between a person's consent and the action."""
        return self.words, self.leads, self.fields, host(self.url) or self.app


def _whole(texts: Iterable[str]) -> bool:
    """Can all of them be read to their end?"""
    return all(readable(text) and len(text) < CUT for text in texts if any(c.isalpha() for c in text))


def _told(texts: Iterable[str]) -> bool:
    """Is there one that can be read at all?"""
    return any(readable(text) or _COUNTS.search(text) for text in texts)


def _jumps(lead: str, url: str) -> bool:
    """Does the address lead to another place of the same page? Then no server is asked for anything."""
    page, sign, place = lead.partition("#")
    return bool(sign) and page == url.partition("#")[0] and not place.startswith(("/", "!"))


def clean(url: str) -> str:
    """The address as browsers read it: no surrounding spaces, no control characters."""
    return "".join(c for c in url.strip() if c.isprintable())


def address(text: str) -> str:
    """The address that `open_url` opens: a bare name is a host."""
    url = clean(text)
    bare = "://" not in url and (not _SCHEME.match(url) or _HOST_AND_PORT.match(url))
    return f"https://{url}" if bare else url


def scheme_of(url: str) -> str:
    match = _SCHEME.match(url)
    return match[1].lower() if match else ""


def host(url: str) -> str:
    try:
        return (urlsplit(url).hostname or "").lower()
    except ValueError:
        return ""


def inside(url: str, allowed: AllowList) -> bool:
    """Is this a web address on an allowed host, or a blank page? Browsers and Python disagree about backslashes, so an
    address with one is never inside.
    """
    if url in ("about:blank", "about:srcdoc", "chrome-error://chromewebdata/"):
        return True
    if scheme_of(url) == "file":
        return "file" in allowed.hosts
    return scheme_of(url) in ("http", "https") and bool(host(url)) and "\\" not in url and allowed.allows(url)


def _path(url: str) -> str:
    """Path, query and fragment of an address, as text."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return url[:CUT]
    return unquote(f"{parts.path} {parts.query} {parts.fragment}")[:CUT]


def _near(box: Box, point: Point) -> bool:
    """Is the point in the box, or within `SLACK` pixels of it?"""
    return Box(box.x0 - SLACK, box.y0 - SLACK, box.x1 + SLACK, box.y1 + SLACK).contains(point)


def _holds(box: Box, inner: Box) -> bool:
    """Is the other box within this one, and smaller?"""
    return box != inner and box.x0 <= inner.x0 and box.y0 <= inner.y0 and box.x1 >= inner.x1 and box.y1 >= inner.y1


def one_line(text: str, longest: int = 80) -> str:
    """Text from a screen made safe to show: one line, cut, without characters that control a terminal."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line if len(line) <= longest else line[: longest - 1] + "…"


def quoted(texts: Iterable[str]) -> str:
    """The first non-empty text in double quotes; quotes inside it become single ones."""
    first = next((text for text in map(one_line, texts) if text), "")
    return '"' + first.replace('"', "'") + '"' if first else ""
