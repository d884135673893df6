"""An X display: its picture, and its windows from the bottom to the top."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np
from PIL import Image

from saccade.errors import MissingError
from saccade.geometry import Box, Size
from saccade.screens.atspi import StackedWindow
from saccade.worlds.base import InfrastructureError

try:
    import mss
    from mss.exception import ScreenShotError
    from Xlib import X
    from Xlib.display import Display
    from Xlib.error import ConnectionClosedError, DisplayError, XError
except ImportError as error:  # pragma: no cover
    raise MissingError(
        "the desktop world needs python-xlib and mss: run make setup-all, or pip install 'saccade[desktop]'"
    ) from error

BACKGROUND = 0x3A6EA5
TITLE_BUTTONS = {
    "I": ("Minimize window", "MINIMIZE"),
    "M": ("Maximize window", "MAXIMIZE_VERT"),
    "C": ("Close window", "CLOSE"),
}
"""Openbox's letters for the buttons of a title bar; their names, and what a window must allow to have them."""
_SMALLEST_BUTTON = 8
_MOST_FRAMES = 100
_CLIENT_BITS = 21
"""The upper bits of a window's number tell which connection made it."""


@contextmanager
def reported() -> Iterator[None]:
    """A display that is gone is a failure of the infrastructure."""
    try:
        yield
    except (ConnectionClosedError, DisplayError, ScreenShotError, ConnectionError) as error:
        raise InfrastructureError(f"the X display is gone: {error}") from None


class DesktopDisplay:
    """A connection to a display such as `:0`."""

    def __init__(self, name: str) -> None:
        self.name = name
        with reported():
            self.x = Display(name)
            self.x.set_error_handler(lambda *_: None)  # windows may go away while they are asked about
            self.root = self.x.screen().root
            self._screenshots = mss.MSS(display=name)
        self._atoms: dict[str, int] = {}
        self.title_layout = ""
        """The buttons right of the title in Openbox's letters, where they are known."""
        self._title_bars: dict[tuple[int, int, int], tuple[tuple[str, Box], ...]] = {}
        """Window, width and height → buttons, counted from the window's corner."""

    @property
    def size(self) -> Size:
        with reported():
            shape = self.root.get_geometry()
        return Size(shape.width, shape.height)

    def close(self) -> None:
        for each in (self._screenshots, self.x):
            with suppress(ConnectionClosedError, ScreenShotError, OSError):  # the server may be gone
                each.close()

    def tidy(self) -> None:
        """A coloured background, and the pointer in a corner, where it causes no tool tips."""
        with reported():
            self.root.warp_pointer(*self.size)
            self.root.change_attributes(background_pixel=BACKGROUND)
            self.root.clear_area()
            self.x.sync()

    def pixels(self) -> bytearray:
        """The screen as rows of blue, green, red and an unused byte."""
        try:
            with reported():
                return self._screenshots.grab(self._screenshots.monitors[0]).raw
        except AssertionError:  # what mss does if the connection breaks while it waits
            raise InfrastructureError("the X display is gone") from None

    # -- windows ------------------------------------------------------------------------------------------------------

    def windows(self) -> list[StackedWindow]:
        """The windows that are shown, from the bottom to the top."""
        with reported():
            managed = set(self._property(self.root, "_NET_CLIENT_LIST") or ())
            found = [self._window(window, managed) for window in self.root.query_tree().children]
        shown = [each for each in found if each is not None]
        known = {client: window.process for client, window in shown if window.process}
        return [window._replace(process=window.process or known.get(client, 0)) for client, window in shown]

    def active(self) -> tuple[str, str]:
        """The application and the title of the window that has the focus."""
        with reported():
            found = self._property(self.root, "_NET_ACTIVE_WINDOW")
            if not found or not found[0]:
                return "", ""
            window = self.x.create_resource_object("window", found[0])
            try:
                words = window.get_wm_class()
                return (words[0] if words else ""), self._title(window)
            except XError:  # the window was closed meanwhile
                return "", ""

    def _window(self, window: Any, managed: set[int]) -> tuple[int, StackedWindow] | None:
        """A child of the root window: a window with its borders, or a popup. With it, the connection that made it."""
        try:
            attributes = window.get_attributes()
            if attributes.map_state != X.IsViewable or attributes.win_class != X.InputOutput:
                return None
            shape = window.get_geometry()
            box = Box.from_xywh(shape.x, shape.y, shape.width + 2 * shape.border_width, shape.height)
            client = self._client(window, managed)
            inner = None
            if client is not window:
                inside, at = client.get_geometry(), client.translate_coords(self.root, 0, 0)
                left, right, top, bottom = self._property(client, "_GTK_FRAME_EXTENTS") or (0, 0, 0, 0)
                inner = Box(left - at.x, top - at.y, inside.width - at.x - right, inside.height - at.y - bottom)
            process = self._property(client, "_NET_WM_PID")
            popup = bool(attributes.override_redirect) and client is window
            kinds = self._property(client, "_NET_WM_WINDOW_TYPE") if popup else None
            tooltip = self._atom("_NET_WM_WINDOW_TYPE_TOOLTIP") in (kinds or ())
            buttons = self._title_buttons(window, client, shape) if inner is not None and self.title_layout else ()
            return client.id >> _CLIENT_BITS, StackedWindow(
                box, process[0] if process else 0, popup, tooltip, self._title(client), inner, buttons
            )
        except XError:
            return None

    def _client(self, window: Any, managed: set[int]) -> Any:
        """The application's own window inside the borders that a window manager puts around it."""
        level = [window]
        for _ in range(3):
            for each in level:
                if each.id in managed:
                    return each
            level = [child for each in level for child in each.query_tree().children]
        return window

    def _title_buttons(self, frame: Any, client: Any, shape: Any) -> tuple[tuple[str, Box], ...]:
        """Each button of Openbox is an X window: the squares right of the title's text, in the order of the layout."""
        key = frame.id, shape.width, shape.height
        if key not in self._title_bars:
            allowed = {self.x.get_atom_name(atom) for atom in self._property(client, "_NET_WM_ALLOWED_ACTIONS") or ()}
            names = [TITLE_BUTTONS[letter] for letter in self.title_layout]
            wanted = [name for name, action in names if f"_NET_WM_ACTION_{action}" in allowed]
            found = [box for bar in frame.query_tree().children if bar.id != client.id for box in self._squares(bar)]
            found = sorted((box for box in found if box.x0 > shape.width / 2), key=lambda box: box.x0)
            if len(self._title_bars) > _MOST_FRAMES:
                self._title_bars.clear()
            same = len(found) == len(wanted)
            self._title_bars[key] = tuple(zip(wanted, found, strict=True)) if same else ()
        x, y = shape.x, shape.y
        return tuple((name, Box(x + box.x0, y + box.y0, x + box.x1, y + box.y1)) for name, box in self._title_bars[key])

    def _squares(self, bar: Any) -> Iterator[Box]:
        """The square windows in a bar that is shown, counted from the frame's corner."""
        place = bar.get_geometry()
        if place.height < _SMALLEST_BUTTON or bar.get_attributes().map_state != X.IsViewable:
            return
        for child in bar.query_tree().children:
            shape = child.get_geometry()
            shown = child.get_attributes().map_state == X.IsViewable
            if shown and shape.width == shape.height >= _SMALLEST_BUTTON:
                yield Box.from_xywh(place.x + shape.x, place.y + shape.y, shape.width, shape.height)

    def _title(self, window: Any) -> str:
        found = self._property(window, "_NET_WM_NAME")
        return bytes(found).decode("utf-8", "replace") if found else str(window.get_wm_name() or "")

    def _atom(self, name: str) -> int:
        if name not in self._atoms:
            self._atoms[name] = self.x.intern_atom(name)
        return self._atoms[name]

    def _property(self, window: Any, name: str) -> Any:
        try:
            found = window.get_full_property(self._atom(name), X.AnyPropertyType)
        except XError:
            return None
        return found.value if found is not None else None


def encode_png(pixels: bytes | bytearray, size: Size) -> bytes:
    """A PNG file of a screen. Each row is stored as its difference from the row above: screens are full of repeated
    rows, and this is four times as fast as trying all filters for each row.
    """
    image = Image.frombuffer("RGB", size, pixels, "raw", "BGRX", 0, 1)
    flat = np.asarray(image).reshape(size.height, -1)
    rows = np.empty((size.height, 1 + 3 * size.width), np.uint8)
    rows[:, 0] = 2
    rows[0, 1:] = flat[0]
    np.subtract(flat[1:], flat[:-1], out=rows[1:, 1:])
    header = struct.pack(">IIBBBBB", size.width, size.height, 8, 2, 0, 0, 0)
    parts = [(b"IHDR", header), (b"IDAT", zlib.compress(rows.data, 1)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts
    )
