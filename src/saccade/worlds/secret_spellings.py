"""The spellings in which a secret's value is found again: plain, escaped letter by letter, or encoded as a whole."""

from __future__ import annotations

import html
import json
import re
from base64 import b64encode
from collections.abc import Iterator
from urllib.parse import quote

GROUPED = 8
"""Numbers with at least this many digits may be shown in groups: cards, accounts, telephones."""
SHORTEST_ENCODED = 5
"""Characters of an encoded value: a shorter one would be found by chance."""
_INVISIBLE = "\u00ad\u200b-\u200f\u2060\ufeff"
_UNSEEN = rf"(?:[{_INVISIBLE}\0]|\\u0000|=\r?\n)*"
"""What may stand between two letters: characters that are not shown, the zeros of UTF-16, quoted-printable's breaks."""
_GAP = rf"(?:[\s{_INVISIBLE}\0.·•\u2010-\u2015-]|\\u0000|=\r?\n)*"


def value_pattern(value: str) -> re.Pattern[str]:
    """A pattern for all spellings of a value: plain, in an address (also escaped twice), in HTML, JSON, JavaScript and
    quoted-printable, in UTF-16, in capitals, a long number in groups, backwards, in base64 at any place and in hex.
    """
    between = _GAP if value.isdigit() and len(value) >= GROUPED else _UNSEEN
    plain = re.sub(" +", " ", value)
    spelled = [between.join(map(_letter, letters)) for letters in dict.fromkeys((plain, plain[::-1]))]
    encoded = sorted({each for each in _encoded(value) if len(each) >= SHORTEST_ENCODED}, key=len, reverse=True)
    return re.compile("|".join([*spelled, *map(re.escape, encoded)]), re.IGNORECASE)


def _letter(letter: str) -> str:
    if letter == " ":
        return r"(?:\s+|\+|%(?:25)?20|&nbsp;|&#0*(?:32|160);|&#x0*(?:20|a0);|\\u00(?:20|a0)|=20)"
    raw = letter.encode()
    escaped = "".join(f"%{byte:02X}" for byte in raw)
    forms = {
        letter,
        escaped,
        escaped.replace("%", "%25"),
        "".join(f"={byte:02X}" for byte in raw),
        quote(letter, safe=""),
        html.escape(letter),
        json.dumps(letter)[1:-1],
        json.dumps(letter, ensure_ascii=False)[1:-1],
        "".join(f"\\u{unit:04x}" for unit in _utf16(letter)),
        "".join(f"\\x{byte:02x}" for byte in raw),
        f"\\{letter}" if letter in "/\"'" else letter,
    }
    listed = [re.escape(form) for form in sorted(forms, key=lambda form: (-len(form), form))]
    return f"(?:&#0*{ord(letter)};|&#x0*{ord(letter):x};|{'|'.join(listed)})"


def _utf16(letter: str) -> list[int]:
    raw = letter.encode("utf-16-be")
    return [int.from_bytes(raw[at : at + 2], "big") for at in range(0, len(raw), 2)]


def _encoded(value: str) -> Iterator[str]:
    """The value in base64 and hex, as it is and in UTF-16. In base64 a value can begin at each of three places of a
    group; the characters that depend on its neighbours are left out.
    """
    for raw in (value.encode(), value.encode("utf-16-le"), value.encode("utf-16-be")):
        yield raw.hex()
        for before in range(3):
            begin = -(-before * 8 // 6)
            whole = b64encode(bytes(before) + raw).decode()[begin : (before + len(raw)) * 8 // 6]
            yield whole
            yield whole.replace("+", "-").replace("/", "_")
            yield quote(whole, safe="")
