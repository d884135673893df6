"""An X display: its picture, and its windows from the bottom to the top."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np

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

    def pixels(self) -> bytes:
        """The screen as rows of blue, green, red and an unused byte."""
        try:
            with reported():
                return bytes(self._screenshots.grab(self._screenshots.monitors[0]).bgra)
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
            except XError:
                return "", ""
            return (words[0] if words else ""), self._title(window)

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
            return client.id >> _CLIENT_BITS, StackedWindow(
                box, process[0] if process else 0, popup, tooltip, self._title(client), inner
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


def encode_png(pixels: bytes, size: Size) -> bytes:
    """A PNG file of a screen. Each row is stored as its difference from the row above: screens are full of repeated
    rows, and this is four times as fast as trying all filters for each row.
    """
    image = np.frombuffer(pixels, np.uint8).reshape(size.height, size.width, 4)[:, :, 2::-1]
    rows = np.empty((size.height, 1 + 3 * size.width), np.uint8)
    rows[:, 0] = 2
    flat = np.ascontiguousarray(image).reshape(size.height, -1)
    rows[0, 1:] = flat[0]
    np.subtract(flat[1:], flat[:-1], out=rows[1:, 1:])
    header = struct.pack(">IIBBBBB", size.width, size.height, 8, 2, 0, 0, 0)
    parts = [(b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes(), 1)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts
    )
