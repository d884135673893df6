"""Reads YAML files written by users: safe loading, clear errors, and no duplicate keys."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]

from saccade.errors import InputError
from saccade.untrusted import MOST_YAML, YamlError, read_bytes, yaml_node, yaml_value

DEEPEST = 20


def read_yaml(path: Path, what: str, *, quote: bool = True) -> Any:
    """Read a YAML file; `what` names its kind in error messages. With `quote` off, errors give the position but no text
    of the file, because it may be a secret.
    """
    try:
        data = read_bytes(path, MOST_YAML)
        data.decode("utf-8-sig")
        node = yaml_node(data)
        value = yaml_value(node)
    except OSError as error:
        raise InputError(f"cannot read the {what} {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8 text: the {what} must be a YAML file") from None
    except YamlError as error:
        place = f"{path}:{error.line}" if error.line else str(path)
        said = f": {error.reason}" if quote else ""
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
