"""Read JSON the way models write it: as data only, in linear time, with a note of every liberty taken.

Nothing is evaluated. Depth, length and numbers are bounded, so hostile text is refused quickly with a reason.
"""

from __future__ import annotations

import math
import re
from string import ascii_letters
from typing import Any

import msgspec

from saccade.untrusted import decode_json

MAX_DEPTH = 32
MAX_LENGTH = 16_384
MAX_TOKENS = 1_000
_HARMLESS = 256
"""Plain JSON of this many characters can be neither deep nor large enough to matter."""
TOO_MANY = f"the answer has more than {MAX_TOKENS:,} parts"
TOO_DEEP = f"the answer is nested more than {MAX_DEPTH} deep"

SINGLE_QUOTES = "read single quotes"
PYTHON_WORDS = "read Python literals"
TRAILING_COMMA = "dropped a trailing comma"
FULL_WIDTH = "read full-width punctuation"
PROSE = "ignored text around the answer"
FENCE = "took off a code fence"
BARE_WORD = "quoted a bare word"
UNCLOSED = "closed an open bracket"
TUPLE = "read a tuple as a list"
RAW_TEXT = "read unescaped text in a string"
NOT_JSON = "read what is not quite JSON"

_ASCII = {
    "，": ",",
    "：": ":",
    "｛": "{",
    "｝": "}",
    "［": "[",
    "］": "]",
    "（": "(",
    "）": ")",
    "【": "[",
    "】": "]",
    "、": ",",
}
_NUMBER = r"[-+−]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][-+]?\d++)?"
_ENDS = r"(?=\s*(?:[,:}\])，：｝］）]|\Z))"
_TOKEN = re.compile(
    rf"""\s*(?:
      (?P<mark>[{{}}\[\]():,，：｛｝［］（）【】、])
    | "(?P<double>(?:[^"\\]|\\.|"(?!{_ENDS}))*+)"
    | '(?P<single>(?:[^'\\]|\\.|'(?!{_ENDS}))*+)'
    | “(?P<curly>[^”]*+)”
    | ‘(?P<curly1>[^’]*+)’
    | (?P<number>{_NUMBER})(?![\w.])
    | (?P<word>[A-Za-z_]\w*+)
    )""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"} | {mark: mark for mark in "\"'\\/"}
_WORDS = {"true": True, "false": False, "null": None}
_PYTHON_WORDS = {"True": True, "False": False, "None": None}
_QUOTE = {"double": '"', "single": "'"}
_CLOSER = {"{": "}", "[": "]", "(": ")"}


def unfence(text: str) -> tuple[str, bool]:
    """The inside of a Markdown code fence, if the text is one."""
    inside = text.strip()
    if len(inside) < 6 or not (inside.startswith("```") and inside.endswith("```")):
        return text, False
    return inside[3:-3].lstrip(ascii_letters), True


def loads(text: str, repairs: list[str]) -> Any:
    """The value in `text`. Plain JSON goes the fast way; anything else is read leniently, and `repairs` says how.

    Raises `ValueError` with the reason when there is nothing to read.
    """
    brackets = text.count("[") + text.count("{") if len(text) > _HARMLESS else 0
    if brackets > MAX_TOKENS and len(text) > MAX_LENGTH:
        raise ValueError(TOO_MANY)
    try:
        value = decode_json(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        pass
    else:
        if brackets > MAX_DEPTH:
            _refuse_depth(value)
        return value
    if len(text) > MAX_LENGTH:
        raise ValueError(f"the answer is {len(text):,} characters long; at most {MAX_LENGTH:,} are read")
    value = _Reader(text, repairs).read()
    if not repairs:
        repairs.append(NOT_JSON)
    return value


def _refuse_depth(value: Any) -> None:
    level = [value] if type(value) in (dict, list) else []
    for _ in range(MAX_DEPTH):
        held = [outer.values() if type(outer) is dict else outer for outer in level]
        level = [item for items in held for item in items if type(item) in (dict, list)]
        if not level:
            return
    raise ValueError(TOO_DEEP)


class _Reader:
    """A recursive-descent reader over one regular expression's tokens."""

    def __init__(self, text: str, repairs: list[str]) -> None:
        self.text = text
        self.at = 0
        self.tokens = 0
        self.repairs = repairs

    def note(self, repair: str) -> None:
        if repair not in self.repairs:
            self.repairs.append(repair)

    def read(self) -> Any:
        start = re.search(r"[{\[｛［]", self.text)
        if start is None:
            raise ValueError("there is no object or list in the answer")
        before = self.text[: start.start()]
        if before.strip():
            self.note(FENCE if before.strip().startswith("```") else PROSE)
        self.at = start.start()
        value = self.value(0)
        rest = self.text[self.at :].strip()
        if rest and rest != "```":
            self.note(PROSE)
        return value

    def token(self) -> tuple[str, str]:
        """Kind and text of the next token; kind is "end" at the end of the text."""
        match = _TOKEN.match(self.text, self.at)
        if match is None:
            rest = self.text[self.at :].lstrip()
            if not rest or rest.startswith("```"):
                return "end", ""
            what = "an unclosed quote" if rest[0] in "\"'“‘" else f"{rest[:12]!r}"
            raise ValueError(f"cannot read {what} at character {self.at}")
        self.at = match.end()
        self.tokens += 1
        if self.tokens > MAX_TOKENS:
            raise ValueError(TOO_MANY)
        kind = str(match.lastgroup)
        word = match[kind]
        if word in _ASCII and kind == "mark":
            self.note(FULL_WIDTH)
            word = _ASCII[word]
        return kind, word

    def value(self, depth: int) -> Any:
        return self.value_of(*self.token(), depth)

    def value_of(self, kind: str, word: str, depth: int) -> Any:
        if depth > MAX_DEPTH:
            raise ValueError(TOO_DEEP)
        match kind:
            case "mark" if word == "{":
                return self.mapping(depth)
            case "mark" if word in "[(":
                if word == "(":
                    self.note(TUPLE)
                return self.sequence(_CLOSER[word], depth)
            case "number":
                return self.number(word)
            case "word":
                return self.word(word)
            case "end":
                raise ValueError("the answer stops in the middle")
            case "mark":
                raise ValueError(f"unexpected {word!r} at character {self.at - 1}")
        return self.string(kind, word)

    def mapping(self, depth: int) -> dict[str, Any]:
        result: dict[str, Any] = {}
        while True:
            kind, word = self.token()
            if kind == "mark" and word == "}":
                return result
            if kind == "end":
                self.note(UNCLOSED)
                return result
            key = self.value_of(kind, word, depth + 1)
            if self.token() != ("mark", ":"):
                raise ValueError(f"expected ':' after a key at character {self.at}")
            result[str(key)] = self.value(depth + 1)
            if self.ends("}"):
                return result

    def sequence(self, closer: str, depth: int) -> list[Any]:
        result: list[Any] = []
        while True:
            kind, word = self.token()
            if kind == "mark" and word == closer:
                return result
            if kind == "end":
                self.note(UNCLOSED)
                return result
            result.append(self.value_of(kind, word, depth + 1))
            if self.ends(closer):
                return result

    def ends(self, closer: str) -> bool:
        """After an item: True at the closing bracket, False after a comma."""
        kind, word = self.token()
        if kind == "end":
            self.note(UNCLOSED)
            return True
        if kind == "mark" and word == closer:
            return True
        if kind == "mark" and word == ",":
            after = _TOKEN.match(self.text, self.at)
            if after is not None and after["mark"] and _ASCII.get(after["mark"], after["mark"]) == closer:
                self.note(TRAILING_COMMA)
            return False
        raise ValueError(f"expected ',' or {closer!r} at character {self.at}")

    def string(self, kind: str, word: str) -> str:
        if kind == "single":
            self.note(SINGLE_QUOTES)
        elif kind != "double":
            self.note(FULL_WIDTH)
        if kind in _QUOTE and (_QUOTE[kind] in re.sub(r"\\.", "", word) or "\n" in word):
            self.note(RAW_TEXT)
        if "\\" in word:
            word = _ESCAPE.sub(_unescape, word)
        return word if word.isascii() else word.encode("utf-16", "surrogatepass").decode("utf-16", "replace")

    def number(self, word: str) -> int | float:
        word = word.replace("−", "-")
        if len(word) <= 18 and re.fullmatch(r"[-+]?\d+", word):
            return int(word)
        value = float(word)
        if not math.isfinite(value):
            raise ValueError("a number in the answer is out of range")
        return value

    def word(self, word: str) -> Any:
        if word in _WORDS:
            return _WORDS[word]
        if word in _PYTHON_WORDS:
            self.note(PYTHON_WORDS)
            return _PYTHON_WORDS[word]
        if word.lower() in ("nan", "inf", "infinity"):
            raise ValueError(f"{word} is not a number one can act on")
        self.note(BARE_WORD)
        return word


def _unescape(match: re.Match[str]) -> str:
    """What is no escape is a backslash that should have been doubled, as in C:\\dir."""
    code = match[1]
    return chr(int(code[1:], 16)) if len(code) == 5 else _ESCAPES.get(code, match[0])
