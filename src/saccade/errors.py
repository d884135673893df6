"""The two ways a command may end badly through no fault of ours. Both carry one sentence for a person."""

from __future__ import annotations


class InputError(Exception):
    """The input is wrong: the message says what, where, and what to do. Commands exit with 2."""


class MissingError(Exception):
    """Something must be installed first: the message says what. Commands exit with 3."""
