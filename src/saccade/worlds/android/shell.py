"""Command lines for a device's shell.

`adb shell` hands ONE string to the device, and `sh` there splits and expands it: an argument list does not exist on the
way. So every word of a command passes through `quote`, and nothing else in this package makes command lines.
"""

from __future__ import annotations

import re

LONGEST_LINE = 4000
"""Bytes. Devices with the first version of the protocol take no more than 4096 at once."""
_PLAIN = re.compile(r"[A-Za-z0-9_./:,@-]+")


class UnsendableError(ValueError):
    """A word or a command that no device can be sent."""


def quote(word: str) -> str:
    r"""The word as `sh` will read it back, character by character, whatever it holds.

    Within single quotes nothing has a meaning but the next single quote; that one is written outside them.

    >>> print(quote("a'; reboot #"))
    'a'\''; reboot #'
    """
    if "\0" in word:
        raise UnsendableError("no command can hold a character of code 0")
    try:
        word.encode()
    except UnicodeEncodeError:
        raise UnsendableError("half a character (a lone surrogate) cannot be sent") from None
    if _PLAIN.fullmatch(word):
        return word
    return "'" + word.replace("'", "'\\''") + "'"


def command(*words: str | int) -> str:
    """One command of these words, as one line for the device."""
    line = " ".join(quote(str(word)) for word in words)
    if len(line.encode()) > LONGEST_LINE:
        raise UnsendableError(
            f"a command of {len(line.encode())} bytes is too long for a device: at most {LONGEST_LINE}"
        )
    return line
