"""Does a plain link (opened by GET, no script attached) only open a page, as far as its label and address say?

The standard for HTTP says that a GET changes nothing, yet some sites log out, vote or delete by one, and a page may
hold links that a stranger wrote. What such a link does is in its address, since a GET carries nothing else. So an
address is evidence against its link only where it commands; elsewhere its words are names of places, titles and ids:

- an act that needs nothing else is a part of its path, or the name or the value of a parameter: `/account/close`,
  `?action=delete`, `?route=account/logout`
- an act that needs an object stands next to one: `/cart/add/55`, `/jobs/4/run`; without one it opens a form: `/add/`
- an act that needs data has data: `/transfer?amount=500`; without data it opens a form, or lists things: `/book/7`

A label is evidence against its link if it begins with an act, or has a word of a risk that is neither the name of a
thing (Orders, 订单), nor part of a question (How to delete …), nor the name of the place that the link leads to.

The words are in plain_links.yaml, those of risks in word_lists.yaml.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

from saccade.agents.approval.word_lists import HAN, WordList, fold, word_lists
from saccade.worlds.strict_yaml import read_yaml

LONGEST = 500
"""An address with more characters, without its scheme and host, is not judged: it may hide a command."""
TITLE = 4
"""From this many words on, a part of an address is a title: only the act that it begins with counts."""
HAN_TITLE = 5
"""The same for Chinese characters."""
QUESTION = 3
"""A question in a label has at least this many words after its first, or twice as many Chinese characters."""
UNQUOTED = 3
"""How often an address is decoded: servers may do it more than once."""
RISKS = ("pay", "order", "delete", "send", "permission", "install", "password")

_WORD = re.compile(rf"[{HAN}]+|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_HAN = re.compile(f"[{HAN}]")
_ENDING = re.compile(r"\.(php\d?|html?|aspx?|jspa?|do|action|cgi|pl|py|rb|json|xml)$", re.IGNORECASE)
_OBJECT = re.compile(r".*[\d=@].*|[^\W\d_]{20,}", re.DOTALL)
"""A number, a code or an address stands for one thing out of many."""
_YEAR = re.compile(r"(19|20)\d\d")
_VERB = re.compile(r"do|actions?|act|cmd|command|op|operation|task|method|event|func|function", re.IGNORECASE)
"""Parameters that name what is to be done."""
_POLITE = re.compile(
    r"^(?:(?:please|yes|no|now|just|to|and|click|tap|press|here|lets|let us|go|i want to|i would like to|quick|"
    r"one click)\b[\W_]*|请|請|点击|點擊|点此|马上|馬上|立即|立刻|一键|一鍵|现在|我要|去|确定要?|是的?|[\W_])+"
)


def only_opens(labels: Iterable[str], addresses: Sequence[str]) -> bool:
    """Is there no command in the labels and addresses of a link?"""
    return not any(map(address_commands, addresses)) and not any(label_commands(each, addresses) for each in labels)


# -- addresses --------------------------------------------------------------------------------------------------------


def address_commands(url: str) -> bool:
    """Does the address tell the server to do something?

    >>> address_commands("https://x.example/orders/7/cancel"), address_commands("https://x.example/orders/7?page=2")
    (True, False)
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return True
    if len(url) - len(parts.scheme) - len(parts.netloc) > LONGEST:
        return True
    route = parts.fragment if parts.fragment.startswith(("/", "!")) else ""
    segments = [each for each in _decoded(f"{parts.path}/{route}").split("/") if each]
    query = parts.query.replace(";", "&")
    given = [(_decoded(name), _decoded(value)) for name, value in parse_qsl(query, keep_blank_values=True)]
    return (
        any(map(_acts, segments))
        or _acts_on_object(segments, given)
        or _acts_with_data(segments, given)
        or any(_parameter_commands(name, value) for name, value in given)
    )


def _decoded(text: str) -> str:
    for _ in range(UNQUOTED):
        text = unquote(text)
    return text


def _words(segment: str) -> list[str]:
    """The words of a part of an address: camelCase, dashes and endings of files taken apart."""
    return [word.lower() for word in _WORD.findall(_ENDING.sub("", segment))]


def _acts(segment: str) -> bool:
    """Is this the name of an act that needs nothing else? In a long title, only what it begins with counts."""
    words = _words(segment)
    if len(words) < TITLE and any(map(_holds_act, words)):
        return True
    if any(_HAN.match(word) for word in words):
        return _han_acts("".join(words))
    counted = words[: TITLE - 1] if len(words) < TITLE else words[:1]
    phrase = " ".join(words[:2])
    return any(_list("acts").find((word,)) for word in counted) or _list("acts").find((phrase,))


def _holds_act(word: str) -> bool:
    """Is an act a part of this word (userlogout)? `deleted` and `removes` are names of lists, and titles."""
    return any(re.search(rf"{act}(?![drs])", word) for act in _of("act parts"))


def _han_acts(text: str) -> bool:
    return any(act in (text if len(text) < HAN_TITLE else text[: len(act)]) for act in _of("han acts"))


def _acts_on_object(segments: Sequence[str], given: Sequence[tuple[str, str]]) -> bool:
    """Is there an act next to the thing that it is done to?"""
    chosen = any(not _shows(name) or name.lower().endswith("id") for name, _ in given)
    for at, segment in enumerate(segments):
        if not _begins(segment, "acts on objects"):
            continue
        around = [*segments[max(0, at - 1) : at], *segments[at + 1 : at + 2]]
        if any(_is_object(each) for each in around) or (chosen and at == len(segments) - 1):
            return True
    return False


def _is_object(segment: str) -> bool:
    return bool(_OBJECT.fullmatch(segment)) and not _YEAR.fullmatch(segment)


def _acts_with_data(segments: Sequence[str], given: Sequence[tuple[str, str]]) -> bool:
    """Is there an act that needs data, and data?"""
    data = any(not _shows(name) for name, _ in given)
    named = [*segments, *(value for name, value in given if _VERB.fullmatch(name))]
    return data and any(_begins(each, "acts with data") or _begins(each, "acts on objects") for each in named)


def _begins(segment: str, name: str) -> bool:
    words = _words(segment)
    return bool(words) and (_list(name).find((words[0],)) or (len(words) < TITLE and _list(name).find((words[-1],))))


def _shows(name: str) -> bool:
    """Is this a parameter that chooses what is shown, and how?"""
    return bool(_VERB.fullmatch(name)) or _list("showing parameters").find((name, " ".join(_words(name)[-1:])))


def _parameter_commands(name: str, value: str) -> bool:
    if _VERB.fullmatch(name):
        return bool(value.strip()) and not _views(value)
    if _words_of("search").find((name,)) or _list("search parameters").find((name,)):
        return False
    if not _list("showing parameters").find((name,)) and (_acts(name) or _list("acts on objects").find((name,))):
        return True
    acts = _strongly_acts if _list("showing parameters").find((name,)) else _acts
    return _list("data parameters").find((name,)) or any(map(acts, value.split("/")))


def _views(value: str) -> bool:
    """Does the value of `action=` say that something is shown? What is not known to show may do."""
    words = _words(value)
    if _acts(value) or any(_list("acts on objects").find((word,)) for word in words):
        return False
    return any(_list("views").find((word,)) or (len(word) > 3 and word.endswith("s")) for word in words)


def _strongly_acts(value: str) -> bool:
    """The values of parameters are often names of things, so only what names an act in full counts."""
    words = _words(value)
    return len(words) < TITLE and (any(map(_holds_act, words)) or _han_acts("".join(words)))


# -- labels -----------------------------------------------------------------------------------------------------------


def label_commands(label: str, addresses: Sequence[str]) -> bool:
    """Does the label tell of an act? `addresses`: where the link leads.

    >>> label_commands("Close my account", ()), label_commands("Order history", ()), label_commands("订单", ())
    (True, False, False)
    """
    text = _POLITE.sub("", fold(label))
    first = " ".join(re.findall(rf"[{HAN}]+|[a-z0-9'+]+", text)[:2])
    if _asks(text) or text in _names_of_places(addresses):
        return False
    left = _without_things(label)
    begins = any(text.startswith(act) for act in _of("han acts")) or any(
        _list(acts).find((first.partition(" ")[0], first)) for acts in ("acts", "acts on objects")[: 1 + (" " in first)]
    )
    return (begins and left == fold(label)) or any(_words_of(risk).find((left,)) for risk in RISKS)


def _asks(text: str) -> bool:
    """Is this the title of an explanation: How to delete a page, 如何注销账号?"""
    opening = next((each for each in _of("questions") if text.startswith(each)), "")
    rest = text.removeprefix(opening)
    return bool(opening) and (len(rest.split()) >= QUESTION or len(_HAN.findall(rest)) >= 2 * QUESTION - 2)


def _names_of_places(addresses: Iterable[str]) -> set[str]:
    """The parts of the paths of addresses, as labels may say them."""
    return {" ".join(_words(_decoded(part))) for each in addresses for part in urlsplit(each).path.split("/")}


def _without_things(label: str) -> str:
    """The label without the words of risks that name things in it."""
    text = _things().sub(" · ", fold(label))
    return (_before_heads() if _looks(text) else _with_heads()).sub(" · ", text)


def _looks(text: str) -> bool:
    return any(text.startswith(f"{look} ") or (_HAN.match(look) and text.startswith(look)) for look in _of("looks"))


@cache
def _things() -> re.Pattern[str]:
    return re.compile(_either("things"))


@cache
def _before_heads() -> re.Pattern[str]:
    return re.compile(_either("before heads"))


@cache
def _with_heads() -> re.Pattern[str]:
    """Words of risks that are followed by what makes a thing of them, at the end: order history, 下载中心."""
    return re.compile(
        rf"(?:{_either('before heads')})[\W_]*(?:\w+[\W_]+|[{HAN}]{{1,3}})?(?:{_either('heads')})[\W_\d]*$"
    )


def _either(name: str) -> str:
    words = sorted(_of(name), key=len, reverse=True)
    return "|".join(re.escape(w) if _HAN.search(w) else rf"(?<![a-z]){re.escape(w)}(?![a-z])" for w in words)


@cache
def _lists() -> dict[str, tuple[str, ...]]:
    lists = read_yaml(Path(__file__).with_name("plain_links.yaml"), "words of links")
    return {name: tuple(word for line in lines for word in line) for name, lines in lists.items()}


def _of(name: str) -> tuple[str, ...]:
    return _lists()[name]


@cache
def _list(name: str) -> WordList:
    return WordList(_of(name))


@cache
def _words_of(risk: str) -> WordList:
    return WordList(word_lists()[risk])
