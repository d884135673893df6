"""Types text on a device.

Android's `input text` supports only the keys of an English keyboard. All other text needs ADBKeyboard, a keyboard app
that receives text over adb, or a clipboard command that some devices have.
"""

from __future__ import annotations

import base64
import re
import time

from saccade.worlds.android.device import AndroidDevice

IME = "com.android.adbkeyboard/.AdbIME"
PACKAGE = "com.android.adbkeyboard"
INSTALL = (
    "install ADBKeyboard on the device (https://github.com/senzhk/ADBKeyBoard: adb install ADBKeyboard.apk) to type "
    "anything but plain English letters, digits and signs"
)
KEYS_AT_ONCE = 200
CHARACTERS_AT_ONCE = 600
SWITCH_SECONDS = 3.0
_KEYED = re.compile(r"[\x20-\x7e\n\t]*")
_IME_NAME = re.compile(r"[A-Za-z0-9_.$]+/[A-Za-z0-9_.$]+")
_BREAKS = {"\n": "KEYCODE_ENTER", "\t": "KEYCODE_TAB"}


class Keyboard:
    """Types on one device. ADBKeyboard stays active until `restore`: switching is slow, and early text is lost."""

    def __init__(self, device: AndroidDevice) -> None:
        self.device = device
        self._before: str | None = None
        self._switched = False

    def type(self, text: str) -> str:
        """Type the text. Returns an error text, or ""."""
        try:
            text.encode()
        except UnicodeEncodeError:
            return "the text contains a lone surrogate, which cannot be typed"
        if "\0" in text:
            return "the text contains a character of code 0, which cannot be typed"
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        if not self._switched and _KEYED.fullmatch(text):
            return self._press_keys(text)
        if self._switched or self._switch():
            return self._broadcast(text)
        return self._paste(text)

    def restore(self) -> None:
        """Switch back to the keyboard that was active before."""
        if self._switched and self._before and self._before != IME:
            self.device.run("ime", "set", self._before)
        self._switched, self._before = False, None

    # -- keys -------------------------------------------------------------------------------------------------------

    def _press_keys(self, text: str) -> str:
        for piece in key_pieces(text):
            words = ("keyevent", _BREAKS[piece]) if piece in _BREAKS else ("text", piece)
            done = self.device.run("input", *words)
            if done.status or "Exception" in done.out:
                return f"the device could not type this: {done.first_line}"
        return ""

    # -- ADBKeyboard ------------------------------------------------------------------------------------------------

    def _switch(self) -> bool:
        """Switch to ADBKeyboard, if the device has it."""
        if IME not in self.device.run("ime", "list", "-a", "-s").out.split():
            return False
        current = self.device.run("settings", "get", "secure", "default_input_method").out.strip()
        self._before = current if _IME_NAME.fullmatch(current) else None
        if current != IME:
            self.device.run("ime", "enable", IME)
            if self.device.run("ime", "set", IME).status:
                return False
            self._wait_until_bound()
        self._switched = True
        return True

    def _wait_until_bound(self) -> None:
        end = time.monotonic() + SWITCH_SECONDS
        while time.monotonic() < end:
            state = self.device.run("dumpsys", "input_method").out
            if re.search(rf"mCur(?:Method)?Id={re.escape(IME)}", state) and "mBoundToMethod=false" not in state:
                return
            time.sleep(0.1)

    def _broadcast(self, text: str) -> str:
        """Send the text to ADBKeyboard only: a broadcast to all apps would let every app read it."""
        for piece in _pieces(text, CHARACTERS_AT_ONCE):
            if piece in _BREAKS:
                self.device.run("input", "keyevent", _BREAKS[piece])
                continue
            code = base64.b64encode(piece.encode()).decode()
            done = self.device.run("am", "broadcast", "-a", "ADB_INPUT_B64", "-p", PACKAGE, "--es", "msg", code)
            if done.status or "Broadcast completed" not in done.out:
                return f"ADBKeyboard did not accept the text: {done.first_line}"
        return ""

    # -- the clipboard ----------------------------------------------------------------------------------------------

    def _paste(self, text: str) -> str:
        """Paste the text. Some vendors' systems can set the clipboard from a shell; the others print an error."""
        for at in range(0, len(text), CHARACTERS_AT_ONCE):
            done = self.device.run("cmd", "clipboard", "set-text", text[at : at + CHARACTERS_AT_ONCE])
            if done.status or done.out.strip():
                return f"this device cannot type {_rare(text)}: {INSTALL}"
            self.device.run("input", "keyevent", "KEYCODE_PASTE")
        return ""


def _rare(text: str) -> str:
    return repr(next((character for character in text if not _KEYED.fullmatch(character)), text[:1]))


def key_pieces(text: str) -> list[str]:
    """The text as arguments of `input text`, with line ends and tabs, which are keys, as separate pieces.

    `input` reads %s as a space and cannot type the two characters %s, so these are split.

    >>> key_pieces("50 %s\\n")
    ['50%s%', 's', '\\n']
    """
    cut = [run for piece in _pieces(text, KEYS_AT_ONCE) for run in re.split(r"(?<=%)(?=s)", piece)]
    return [run.replace(" ", "%s") for run in cut]


def _pieces(text: str, longest: int) -> list[str]:
    """Pieces of at most `longest` characters, with line ends and tabs as separate pieces."""
    runs = re.split(r"([\n\t])", text)
    return [run[at : at + longest] for run in runs for at in range(0, len(run), longest)]
