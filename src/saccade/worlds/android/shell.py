"""Builds command lines for a device's shell.

`adb shell` sends ONE string to the device, where `sh` splits and expands it; an argument list cannot be sent. So every
word of a command goes through `quote`, and only this module builds command lines.
"""

from __future__ import annotations

import re

LONGEST_LINE = 4000
"""Bytes. Devices with the first version of the protocol accept at most 4096 at once."""
_PLAIN = re.compile(r"[A-Za-z0-9_./:,@-]+")


class UnsendableError(ValueError):
    """A word or a command that cannot be sent to a device."""


def quote(word: str) -> str:
    r"""Quote a word so that `sh` reads it back unchanged, whatever it contains.

    Within single quotes only the single quote is special; it is written outside them.

    >>> print(quote("a'; reboot #"))
    'a'\''; reboot #'
    """
    if "\0" in word:
        raise UnsendableError("a command cannot contain a character of code 0")
    try:
        word.encode()
    except UnicodeEncodeError:
        raise UnsendableError("a lone surrogate cannot be sent") from None
    if _PLAIN.fullmatch(word):
        return word
    return "'" + word.replace("'", "'\\''") + "'"


def command(*words: str | int) -> str:
    """The words, quoted and joined to one command line."""
    line = " ".join(quote(str(word)) for word in words)
    if len(line.encode()) > LONGEST_LINE:
        raise UnsendableError(
            f"a command of {len(line.encode())} bytes is too long for a device: at most {LONGEST_LINE}"
        )
    return line
