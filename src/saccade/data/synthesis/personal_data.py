"""Finds personal data in texts: e-mail addresses, phone, card and identity numbers, and names that the user lists.

What looks alike and is not personal stays: prices, dates, times, versions, coordinates, order numbers. So a number must
have the form of its kind: Chinese mobile numbers by their prefix, landlines and American numbers by their separators,
others by a leading plus or a word such as "phone" before them, cards by issuer, length and checksum (Luhn), Chinese
identity numbers by date of birth and checksum (GB 11643). A mobile number cannot be told from an order number of the
same 11 digits; it counts as personal.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from saccade.errors import InputError

LONGEST_TEXT = 1_000_000
"""Characters; a longer text is no text of a screen."""


class PersonalDatum(NamedTuple):
    """One hit in a text."""

    kind: str
    start: int
    end: int
    text: str


def passes_luhn(digits: str) -> bool:
    """The checksum of card numbers: every second digit from the right doubled, the sum of all digits divisible by 10.

    >>> passes_luhn("4111111111111111"), passes_luhn("4111111111111112")
    (True, False)
    """
    doubled = [int(digit) * (1 + at % 2) for at, digit in enumerate(reversed(digits))]
    return sum(value - 9 if value > 9 else value for value in doubled) % 10 == 0


def is_card(text: str) -> bool:
    """Has a number the issuer, length and checksum of a payment card?"""
    digits = re.sub(r"\D", "", text)
    return _CARD_ISSUER.fullmatch(digits) is not None and passes_luhn(digits)


def is_identity_number(text: str) -> bool:
    """The check character of a Chinese identity number (ISO 7064 MOD 11-2).

    >>> is_identity_number("11010519491231002X"), is_identity_number("110105194912310021")
    (True, False)
    """
    total = sum(int(digit) * 2 ** (17 - at) for at, digit in enumerate(text[:17]))
    return "10X98765432"[total % 11] == text[17].upper()


def is_address(text: str) -> bool:
    """Is it an e-mail address of a person? `example.com` and its like are reserved for examples (RFC 2606), and
    `icon@2x.png` is a file.
    """
    domain = text.rpartition("@")[2].casefold()
    return not re.fullmatch(r"(?:.*\.)?example\.(?:com|org|net)|\dx\..*", domain)


def _accept(text: str) -> bool:
    return True


_CARD_ISSUER = re.compile(
    r"4\d{12}(?:\d{3}|\d{6})?|5[1-5]\d{14}|2[2-7]\d{14}|3[47]\d{13}|3[068]\d{12}|35\d{14}|6(?:011|4[4-9]\d|5\d\d)\d{12}"
    r"|62\d{14,17}"
)
_BEFORE, _AFTER = r"(?<![A-Za-z0-9_.+#¥￥$€£-])", r"(?![A-Za-z0-9_]|[.-]\d)"
"""A number is no part of a longer number, word, version or code, and no price."""
_PATTERNS: Sequence[tuple[str, re.Pattern[str], Callable[[str], bool]]] = (
    (
        "email",
        re.compile(
            r"(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,5}[A-Za-z]{2,24}(?![\w-])",
            re.ASCII,
        ),
        is_address,
    ),
    (
        "identity",
        re.compile(
            rf"{_BEFORE}[1-9]\d{{5}}(?:18|19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{{3}}[\dXx]{_AFTER}"
        ),
        is_identity_number,
    ),
    (
        "card",
        re.compile(
            rf"{_BEFORE}(?:\d{{13,19}}|\d{{4}}(?P<gap>[ -])\d{{4}}(?P=gap)\d{{4}}(?P=gap)\d{{1,7}}(?:(?P=gap)\d{{3}})?"
            rf"|\d{{4}}(?P<amex>[ -])\d{{6}}(?P=amex)\d{{4,5}}|\d{{6}}[ -]\d{{13}}){_AFTER}"
        ),
        is_card,
    ),
    (
        "phone",
        re.compile(
            rf"{_BEFORE}(?:"
            r"(?:\+?86[ -]?)?1[3-9]\d[ -]?\d{4}[ -]?\d{4}"  # Chinese mobile
            r"|\+[1-9]\d{0,2}(?:[ .-]?\(?\d{1,4}\)?){2,5}"  # international
            r"|(?:\(0[1-9]\d{1,2}\) ?|0[1-9]\d{1,2}[ -])\d{7,8}"  # Chinese landline
            r"|(?:1[-. ])?(?:\([2-9]\d\d\) ?|[2-9]\d\d[-.])[2-9]\d\d[-.]\d{4}"  # American
            rf"){_AFTER}"
        ),
        lambda text: 8 <= len(re.sub(r"\D", "", text)) <= 15,
    ),
    (
        "phone",
        re.compile(
            r"(?:\b(?:tel|phone|telephone|mobile|cell|call|fax|whatsapp)|电话|手机号?码?|热线|联系方式)"
            r"(?:\s+(?:number|no\.?))?\s{0,2}[:：.]?\s{0,2}(?P<datum>(?!00)\d{7,12})(?![A-Za-z0-9_]|[.-]\d)",
            re.IGNORECASE,
        ),
        _accept,
    ),
)


class PersonalDataFinder:
    """Finds personal data in texts. A Latin name is found as a whole word, as it is listed or in capitals, so that the
    name Mark is not found in "mark as read"; a Chinese name is found anywhere.
    """

    def __init__(self, names: Sequence[str] = ()) -> None:
        listed = [" ".join(name.split()) for name in names]
        for name in listed:
            if len(name) < 2:
                raise InputError(f"the name {name!r} is too short to be found in texts: list whole names")
        forms = sorted({form for name in listed for form in (name, name.upper())}, key=len, reverse=True)
        parts = [rf"(?<![A-Za-z]){re.escape(each)}(?![A-Za-z])" for each in forms]
        self._names = re.compile("|".join(parts).replace(r"\ ", r"\s+")) if parts else None

    def find(self, text: str) -> list[PersonalDatum]:
        """All hits in order; of those that overlap, the first kind's."""
        found: list[PersonalDatum] = []
        for datum in self._all(text[:LONGEST_TEXT]):
            if all(datum.end <= other.start or datum.start >= other.end for other in found):
                found.append(datum)
        return sorted(found, key=lambda datum: datum.start)

    def _all(self, text: str) -> Iterator[PersonalDatum]:
        for kind, pattern, accepts in _PATTERNS:
            group = "datum" if "datum" in pattern.groupindex else 0
            for match in pattern.finditer(text):
                if accepts(match[group]):
                    yield PersonalDatum(kind, match.start(group), match.end(group), match[group])
        if self._names is not None:
            for match in self._names.finditer(text):
                yield PersonalDatum("name", match.start(), match.end(), match[0])
