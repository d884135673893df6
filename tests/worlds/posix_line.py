"""Reads a command line as a POSIX shell would, and refuses every line that is more than one plain command."""

from __future__ import annotations

import shlex

OPERATORS = frozenset(";|&<>()\n`$*?[]{}~!#=")
"""Outside quotes each of these may start a second command, redirect, expand, assign or comment."""
IN_DOUBLE = frozenset("$`")


class SecondCommandError(Exception):
    """The line would have made a shell do more than run one command with given words."""


def parse_line(line: str) -> list[str]:
    """The words of a line that is exactly one command.

    >>> parse_line("input text 'a; b'")
    ['input', 'text', 'a; b']
    """
    state, at = "", 0
    while at < len(line):
        sign = line[at]
        if state == "'":
            state = "" if sign == "'" else state
        elif sign == "\\":
            at += 1
        elif state == '"':
            if sign in IN_DOUBLE:
                raise SecondCommandError(f"{sign!r} within double quotes at {at}: {line!r}")
            state = "" if sign == '"' else state
        elif sign in "'\"":
            state = sign
        elif sign in OPERATORS:
            raise SecondCommandError(f"{sign!r} outside quotes at {at}: {line!r}")
        at += 1
    if state or at > len(line):
        raise SecondCommandError(f"an open quote: {line!r}")
    return shlex.split(line)
