"""Solvers that read and type."""

from __future__ import annotations

import re
from itertools import pairwise

from saccade.actions import Action
from saccade.geometry import Point
from saccade.types import Element
from saccade.worlds.miniwob.solvers.player import LostError, Player, number


def quoted(play: Player) -> None:
    """Type what stands in quotes into every field."""
    (text,) = play.said(r'"(.+?)"')
    if "upper case" in play.instruction:
        text = text.upper()
    elif "lower case" in play.instruction:
        text = text.lower()
    for field in play.fields():
        play.type(field, text)
    play.submit()


def login(play: Player) -> None:
    user, password = play.said(r'username "(.+?)" and the password "(.+?)"')
    play.type(play.elements("input")[0], user)
    play.type(play.elements("password")[0], password)
    play.submit("Login")


def date(play: Player) -> None:
    """Month, day and year follow each other in the field; a click at its left end starts at the month."""
    month, day, year = play.said(r"(\d+)/(\d+)/(\d+)")
    _into_parts(play, play.elements("date")[0], month + day + year)


def time(play: Player) -> None:
    hour, minute, half = play.said(r"(\d+):(\d+) ([AP]M)")
    _into_parts(play, play.elements("time")[0], f"{int(hour):02d}{minute}{half}")


def _into_parts(play: Player, field: Element, text: str) -> None:
    play.act(Action("type", Point(field.box.x0 + 12 * play.unit, field.center.y), text=text))
    play.submit()


def table(play: Player) -> None:
    """`Enter the value of Color …`: the cell right of the one that says so."""
    (label,) = play.said(r"value of (.+) into")
    cell = next(each for each in play.elements("text") if each.text == label)
    play.type(play.fields()[0], play.right_of(cell).text)
    play.submit()


def table_form(play: Player) -> None:
    """Each label of the form ends in a colon; the table has it without."""
    shown = play.elements()
    cells = {each.text: each for each in shown if each.type == "text"}
    for label, field in pairwise(shown):
        if label.text.endswith(":") and field.type == "input":
            play.type(field, play.right_of(cells[label.text[:-1]]).text)
    play.submit()


def arithmetic(play: Player) -> None:
    one, sign, other = _groups(play, r"(\d+) ([-+*x]) (\d+) =")
    a, b = int(one), int(other)
    play.type(play.fields()[0], str({"+": a + b, "-": a - b}.get(sign, a * b)))
    play.submit()


def algebra(play: Player) -> None:
    """a + x = c, a - x = c, x + a = c or x - a = c."""
    left, sign, right, total = _groups(play, r"(\w+) ([-+]) (\w+) = (\d+)")
    known, result = int(right if left == "x" else left), int(total)
    solutions = {"+": result - known, "-": result + known if left == "x" else known - result}
    play.type(play.fields()[0], str(solutions[sign]))
    play.submit()


def _groups(play: Player, pattern: str) -> tuple[str, ...]:
    for each in play.elements("text"):
        if found := re.search(pattern, each.text):
            return found.groups()
    raise LostError(f"{play.world.task}: nothing on the screen reads {pattern!r}")


def letters(play: Player) -> None:
    """The letters of the picture, from left to right."""
    written = sorted((each for each in play.elements("text") if len(each.text) == 1), key=lambda each: each.center.x)
    play.type(play.fields()[0], "".join(each.text for each in written))
    play.submit()


def word(play: Player) -> None:
    (which,) = play.said(r"the (\d+)\w\w word")
    text = play.elements("text")[0].text
    play.type(play.fields()[0], re.sub(r"[^A-Za-z]", "", text.split()[int(which) - 1]))
    play.submit()


def copied(play: Player) -> None:
    """By keyboard, as the instruction says: what the screen shows has lost its spaces at the ends."""
    source = next(each for each in play.fields() if each.text)
    target = next(each for each in play.fields() if not each.text)
    play.click(source)
    play.press("ctrl+a")
    play.press("ctrl+c")
    play.click(target)
    play.press("ctrl+v")
    play.submit()


def guess(play: Player) -> None:
    """Halve what is left of 0 to 9."""
    low, high = 0, 9
    while not play.seen.done and low <= high:
        middle = (low + high) // 2
        play.retype(play.fields()[0], str(middle))
        play.submit()
        told = " ".join(each.text for each in play.elements("text")) if not play.seen.done else ""
        if "lower" in told:
            high = middle - 1
        else:
            low = middle + 1


def suggested(play: Player) -> None:
    """Type the beginning, then go down the suggestions until one has the right end; the field shows each."""
    (start,) = play.said(r'starts with "(.+?)"')
    ends = re.search(r'ends with "(.+?)"', play.instruction)
    play.type(play.fields()[0], start)
    for _ in range(60):
        play.press("down")
        text = play.fields()[0].text
        if text.startswith(start) and text != start and text.endswith(ends[1] if ends else ""):
            break
    play.press("enter")
    play.submit()


def movies(play: Player) -> None:
    """Fields labelled in several ways, at their left, above or below."""
    genre, director, year = play.said(r"for (\w+) movies directed by (.+) from year (\d+)")
    wanted = {"Genre": genre, "Director": director, "Year": year, "Date": year}
    labels = [each for each in play.elements("text") if any(word in each.text for word in wanted)]
    fields = play.fields()
    below = labels[0].box.y0 > fields[0].center.y
    for label in labels:
        value = next(value for word, value in wanted.items() if word in label.text)
        near = [field for field in fields if (field.center.y < label.center.y) == below or _beside(label, field)]
        play.type(min(near, key=lambda field: label.center.distance(field.center)), value)
    play.submit("Search", "Go!")


def _beside(label: Element, field: Element) -> bool:
    return field.box.y0 <= label.center.y <= field.box.y1


def search(play: Player) -> None:
    """Three results a page; the pages have numbers below."""
    text, which = play.said(r'enter "(.+)" and press "Search", then find and click the (\d+\w\w)')
    play.type(play.fields()[0], text)
    play.click("Search")
    page, at = divmod(number(which) - 1, 3)
    if page:
        play.click(play.the(str(page + 1), "link"))
    results = [each for each in play.elements("link") if each.box.x0 < 20 * play.unit and not each.text.isdigit()]
    play.click(results[at])
