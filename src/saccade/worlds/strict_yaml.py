"""Reads YAML files written by users: safe loading, clear errors, and no duplicate keys."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]

from saccade.errors import InputError

DEEPEST = 20


def read_yaml(path: Path, what: str, *, quote: bool = True) -> Any:
    """Read a YAML file; `what` names its kind in error messages. With `quote` off, errors give the position but no text
    of the file, because it may be a secret.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"cannot read the {what} {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8 text: the {what} must be a YAML file") from None
    try:
        node = yaml.compose(text, yaml.SafeLoader)
        value = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # a date with a 13th month is a ValueError
        mark = getattr(error, "problem_mark", None)
        place = f"{path}:{mark.line + 1}" if mark else str(path)
        said = f": {getattr(error, 'problem', None) or 'it cannot be parsed'}" if quote else ""
        raise InputError(f"{place}: this is not YAML{said}; correct the line or put its text in quotes") from None
    if (duplicate := _duplicate_key(node, 0)) is not None:
        key = f" `{duplicate.value}`" if quote else ""
        raise InputError(f"{path}:{duplicate.start_mark.line + 1}: the key{key} appears twice: keep one of them")
    return value


def _duplicate_key(node: Any, depth: int) -> Any:
    """The first duplicate key of a mapping; YAML itself would silently keep the last value."""
    if depth > DEEPEST or not isinstance(node, yaml.MappingNode | yaml.SequenceNode):
        return None
    inner = node.value
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                if key.value in seen:
                    return key
                seen.add(key.value)
        inner = [value for _, value in node.value]
    return next((found for each in inner if (found := _duplicate_key(each, depth + 1)) is not None), None)
