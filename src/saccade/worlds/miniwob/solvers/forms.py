"""Solvers that read and type."""

from __future__ import annotations

import re
from itertools import pairwise

from saccade.actions import Action
from saccade.geometry import Point
from saccade.types import Element
from saccade.worlds.miniwob.solvers.solver_session import LostError, SolverSession, number


def quoted(session: SolverSession) -> None:
    """Type the quoted text into every field."""
    (text,) = session.match_instruction(r'"(.+?)"')
    if "upper case" in session.instruction:
        text = text.upper()
    elif "lower case" in session.instruction:
        text = text.lower()
    for field in session.fields():
        session.type(field, text)
    session.submit()


def login(session: SolverSession) -> None:
    user, password = session.match_instruction(r'username "(.+?)" and the password "(.+?)"')
    session.type(session.elements("input")[0], user)
    session.type(session.elements("password")[0], password)
    session.submit("Login")


def date(session: SolverSession) -> None:
    """Month, day and year follow each other in the field; a click at its left end starts at the month."""
    month, day, year = session.match_instruction(r"(\d+)/(\d+)/(\d+)")
    _into_parts(session, session.elements("date")[0], month + day + year)


def time(session: SolverSession) -> None:
    hour, minute, half = session.match_instruction(r"(\d+):(\d+) ([AP]M)")
    _into_parts(session, session.elements("time")[0], f"{int(hour):02d}{minute}{half}")


def _into_parts(session: SolverSession, field: Element, text: str) -> None:
    session.act(Action("type", Point(field.box.x0 + 12 * session.unit, field.center.y), text=text))
    session.submit()


def table(session: SolverSession) -> None:
    """`Enter the value of Color …`: the cell to the right of the label."""
    (label,) = session.match_instruction(r"value of (.+) into")
    cell = next(each for each in session.elements("text") if each.text == label)
    session.type(session.fields()[0], session.right_of(cell).text)
    session.submit()


def table_form(session: SolverSession) -> None:
    """Labels of the form end with a colon; those of the table do not."""
    shown = session.elements()
    cells = {each.text: each for each in shown if each.type == "text"}
    for label, field in pairwise(shown):
        if label.text.endswith(":") and field.type == "input":
            session.type(field, session.right_of(cells[label.text[:-1]]).text)
    session.submit()


def arithmetic(session: SolverSession) -> None:
    one, sign, other = _groups(session, r"(\d+) ([-+*x]) (\d+) =")
    a, b = int(one), int(other)
    session.type(session.fields()[0], str({"+": a + b, "-": a - b}.get(sign, a * b)))
    session.submit()


def algebra(session: SolverSession) -> None:
    """a + x = c, a - x = c, x + a = c or x - a = c."""
    left, sign, right, total = _groups(session, r"(\w+) ([-+]) (\w+) = (\d+)")
    known, result = int(right if left == "x" else left), int(total)
    solutions = {"+": result - known, "-": result + known if left == "x" else known - result}
    session.type(session.fields()[0], str(solutions[sign]))
    session.submit()


def _groups(session: SolverSession, pattern: str) -> tuple[str, ...]:
    for each in session.elements("text"):
        if found := re.search(pattern, each.text):
            return found.groups()
    raise LostError(f"{session.world.task}: no text on the screen matches {pattern!r}")


def letters(session: SolverSession) -> None:
    """The letters of the picture, from left to right."""
    written = sorted((each for each in session.elements("text") if len(each.text) == 1), key=lambda each: each.center.x)
    session.type(session.fields()[0], "".join(each.text for each in written))
    session.submit()


def word(session: SolverSession) -> None:
    (which,) = session.match_instruction(r"the (\d+)\w\w word")
    text = session.elements("text")[0].text
    session.type(session.fields()[0], re.sub(r"[^A-Za-z]", "", text.split()[int(which) - 1]))
    session.submit()


def copied(session: SolverSession) -> None:
    """By keyboard, as the instruction says: the element text lacks leading and trailing spaces."""
    source = next(each for each in session.fields() if each.text)
    target = next(each for each in session.fields() if not each.text)
    session.click(source)
    session.press("ctrl+a")
    session.press("ctrl+c")
    session.click(target)
    session.press("ctrl+v")
    session.submit()


def guess(session: SolverSession) -> None:
    """Binary search from 0 to 9."""
    low, high = 0, 9
    while not session.seen.done and low <= high:
        middle = (low + high) // 2
        session.retype(session.fields()[0], str(middle))
        session.submit()
        shown = " ".join(each.text for each in session.elements("text")) if not session.seen.done else ""
        if "lower" in shown:
            high = middle - 1
        else:
            low = middle + 1


def suggested(session: SolverSession) -> None:
    """Type the beginning, then go down the suggestions until one has the right ending; the field shows each."""
    (start,) = session.match_instruction(r'starts with "(.+?)"')
    ends = re.search(r'ends with "(.+?)"', session.instruction)
    session.type(session.fields()[0], start)
    for _ in range(60):
        session.press("down")
        text = session.fields()[0].text
        if text.startswith(start) and text != start and text.endswith(ends[1] if ends else ""):
            break
    session.press("enter")
    session.submit()


def movies(session: SolverSession) -> None:
    """Fields with labels to the left, above or below."""
    genre, director, year = session.match_instruction(r"for (\w+) movies directed by (.+) from year (\d+)")
    wanted = {"Genre": genre, "Director": director, "Year": year, "Date": year}
    labels = [each for each in session.elements("text") if any(word in each.text for word in wanted)]
    fields = session.fields()
    below = labels[0].box.y0 > fields[0].center.y
    for label in labels:
        value = next(value for word, value in wanted.items() if word in label.text)
        near = [field for field in fields if (field.center.y < label.center.y) == below or _beside(label, field)]
        session.type(min(near, key=lambda field: label.center.distance(field.center)), value)
    session.submit("Search", "Go!")


def _beside(label: Element, field: Element) -> bool:
    return field.box.y0 <= label.center.y <= field.box.y1


def search(session: SolverSession) -> None:
    """Three results per page; links to the pages have numbers."""
    text, which = session.match_instruction(r'enter "(.+)" and press "Search", then find and click the (\d+\w\w)')
    session.type(session.fields()[0], text)
    session.click("Search")
    page, at = divmod(number(which) - 1, 3)
    if page:
        session.click(session.require(str(page + 1), "link"))
    results = [each for each in session.elements("link") if each.box.x0 < 20 * session.unit and not each.text.isdigit()]
    session.click(results[at])
