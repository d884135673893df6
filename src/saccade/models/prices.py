"""Token counts and prices: a small table in prices.yaml that users can extend and override."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated

import msgspec

from saccade.errors import InputError, readable
from saccade.models.pictures import image_of
from saccade.typed_values import to_type
from saccade.types import Message, Picture
from saccade.untrusted import YamlError, read_yaml

_BUILT_IN = Path(__file__).with_name("prices.yaml")
_DATE = re.compile(r"-(?:20\d{2}-\d{2}-\d{2}|20\d{6})$")
Dollars = Annotated[float, msgspec.Meta(ge=0, le=1e6)]


class Tokens(msgspec.Struct, frozen=True):
    """Token counts of a call. Cached tokens are included in `read`."""

    read: int
    written: int
    cached: int = 0


class Price(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """US dollars per million tokens."""

    input: Dollars
    output: Dollars
    cached: Dollars | None = None
    """Price of cached input; None: the same as other input."""

    def cost(self, tokens: Tokens) -> float:
        cached = min(tokens.cached, tokens.read)
        again = self.input if self.cached is None else self.cached
        return ((tokens.read - cached) * self.input + cached * again + tokens.written * self.output) / 1e6


@dataclass(frozen=True, slots=True)
class Prices:
    """Tables from patterns of model names (with `*` as wildcard) to prices; the first table with a match is used."""

    tables: Sequence[Mapping[str, Price]]

    def of(self, model: str) -> Price | None:
        """The price of a model. A pattern may omit the vendor before the slash and the date at the end of the name; of
        several matching patterns, the longest is used.
        """
        names = [model.lower()]
        names += [name.rpartition("/")[2] for name in names]
        names += [_DATE.sub("", name) for name in names]
        for table in self.tables:
            for name in names:
                if name in table:
                    return table[name]
            fitting = [pattern for pattern in table if any(fnmatchcase(name, pattern) for name in names)]
            if fitting:
                return table[max(fitting, key=len)]
        return None


def load_prices(file: str | Path | None = None) -> Prices:
    """Prices from the given file, then from `~/.config/saccade/prices.yaml`, then from the built-in table."""
    home = Path.home() / ".config" / "saccade" / "prices.yaml"
    files = [Path(file).expanduser()] if file else []
    files += [home] if home.is_file() else []
    return Prices([read_prices(each) for each in (*files, _BUILT_IN)])


def read_prices(file: Path) -> dict[str, Price]:
    try:
        value = read_yaml(file)
    except OSError as error:
        raise InputError(f"cannot read the prices {file}: {error.strerror}") from None
    except YamlError as error:
        raise InputError(f"{file}: this is not YAML: {error}") from None
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise InputError(f"{file}: prices are lines such as `gpt-4o: {{input: 2.5, output: 10}}`")
    table = {}
    for name, row in value.items():
        try:
            table[str(name).lower()] = to_type(row, Price)
        except msgspec.ValidationError as error:
            raise InputError(
                f"{file}: {name}: {readable(error)}: a price has `input`, `output` and perhaps `cached`, "
                "each in US dollars per million tokens"
            ) from None
    return table


def estimate(messages: Sequence[Message], written: int) -> Tokens:
    """Estimated tokens, for servers that report none: four bytes of text, or 28×28 pixels of a picture, per token."""
    read = 0.0
    for part in (part for message in messages for part in message.content):
        if isinstance(part, Picture):
            width, height = part.shown or part.size or image_of(part).size
            read += width / 28 * height / 28
        else:
            read += len(part.encode("utf-8", "replace")) / 4
    return Tokens(math.ceil(read), math.ceil(written / 4))
