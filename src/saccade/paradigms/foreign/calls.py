"""Calls in text, `name(key='value', …)`, read as data and written back. Nothing is evaluated."""

from __future__ import annotations

import re
from collections.abc import Mapping

from saccade.paradigms.foreign.answers import THINKING

MAX_ARGUMENTS = 16
_NAME = re.compile(r"([A-Za-z_]\w*+)\s*+\(\s*+")
_ENDS = r"""(?=\s*+(?:\Z|,\s*+\w++\s*+=|\)(?!\s*+['")])))"""
"""What follows a quote that ends a text; models leave those inside it unescaped."""
_ARGUMENT = re.compile(
    rf"""(\w++)\s*+=\s*+(?:
      '((?:[^'\\]|\\.|'(?!{_ENDS}))*+)'
    | "((?:[^"\\]|\\.|"(?!{_ENDS}))*+)"
    | ([(\[][^()\[\]]*+[)\]]|[^\s,)'"][^,)]*+)
    )\s*+(?:,\s*+)?""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\([nrt'\"\\]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4})")
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}
_ESCAPED = str.maketrans({"\\": r"\\", "'": r"\'", "\n": r"\n", "\r": r"\r", "\t": r"\t"})
_TAG = re.compile(rf"<(?=/?(?:{'|'.join(THINKING)})>)")
_LESS = r"\\x3c"


def read_call(text: str, repairs: list[str]) -> tuple[str, dict[str, str], str]:
    """The name and the arguments of the call at the beginning of `text`, and what follows it."""
    name = _NAME.match(text)
    if name is None:
        raise ValueError(f"{text[:20]!r} is not a call")
    arguments: dict[str, str] = {}
    at = name.end()
    for _ in range(MAX_ARGUMENTS):
        argument = _ARGUMENT.match(text, at)
        if argument is None:
            break
        key, single, double, bare = argument.groups()
        quoted = single if double is None else double
        if quoted is None or ("'" if double is None else '"') in _ESCAPE.sub("", quoted):
            repairs.append(f"read `{key[:40]}` though it is not properly quoted")
        arguments[key] = bare.strip() if quoted is None else _ESCAPE.sub(_unescape, quoted)
        at = argument.end()
    rest = text[at:]
    if rest.startswith(")"):
        return name[1], arguments, rest[1:].strip()
    if rest.strip():
        raise ValueError(f"cannot read the arguments of {name[1][:40]} from {rest[:20]!r}")
    repairs.append("closed an open bracket")
    return name[1], arguments, ""


def write_call(name: str, arguments: Mapping[str, str]) -> str:
    """The call, holding no text that could be taken for a tag of thinking."""
    written = ", ".join(f"{key}='{_TAG.sub(_LESS, value.translate(_ESCAPED))}'" for key, value in arguments.items())
    return f"{name}({written})"


def _unescape(match: re.Match[str]) -> str:
    code = match[1]
    return chr(int(code[1:], 16)) if len(code) > 1 else _ESCAPES.get(code, code)
