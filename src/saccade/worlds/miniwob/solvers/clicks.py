"""Solvers that find and click."""

from __future__ import annotations

import re

from saccade.actions import Action
from saccade.worlds.miniwob.solvers.solver_session import LostError, SolverSession, number

TALL = 23
"""A text area is taller than a text field: 26 pixels of the page against 21."""


def only_button(session: SolverSession) -> None:
    session.click(session.elements("button")[0])


def named(session: SolverSession) -> None:
    """`Click on the "okay" button.`; `x` means the button that closes a window."""
    (name,) = session.match_instruction(r'(?:Click (?:on )?|labeled |clicking )(?:the )?(?:link |button )?"(.+)"')
    session.click("Close" if name == "x" else name)


def unquoted(session: SolverSession) -> None:
    """`Click on Tab #2.`, `Click button ONE.`"""
    (name,) = session.match_instruction(r"Click (?:on |button )(.+)\.")
    session.click(name)


def in_order(session: SolverSession) -> None:
    """`Click button ONE, then click button TWO.`"""
    session.click_all(re.findall(r"button ([A-Z]+)", session.instruction))


def with_delay(session: SolverSession) -> None:
    """`Click button ONE, wait 2 seconds, then click button TWO.` The first click takes half a second by itself."""
    (seconds,) = session.match_instruction(r"wait (\d+) seconds")
    session.click("ONE")
    session.act(Action("wait", seconds=int(seconds) - 0.5))
    session.click("TWO")


def checked(session: SolverSession) -> None:
    """`Select a, b and click Submit.`"""
    (names,) = session.match_instruction(r"Select (.+) and click Submit")
    for name in names.split(", "):
        if name != "nothing":
            session.click(session.require(name, "checkbox", "radio"))
    session.submit()


def listed(session: SolverSession) -> None:
    """`Select a, b from the list and click Submit.`"""
    (names,) = session.match_instruction(r"Select (.+) from the")
    box = session.elements("select")[0]
    for name in names.split(", "):
        session.act(Action("select", box.center, text=name))
    session.submit()


def widget(session: SolverSession) -> None:
    """`Click on a "textarea" widget.` Both kinds of text field are inputs; the one of several lines is taller."""
    (kind,) = session.match_instruction(r'"(.+)" widget')
    for each in session.elements("input" if kind.startswith("text") else kind):
        several_lines = each.box.height >= TALL * session.unit
        right_height = each.type != "input" or several_lines == (kind == "textarea")
        if each.leaf and right_height and (each.text or kind != "button"):
            return session.click(each)
    raise LostError(f"there is no {kind}")


def section(session: SolverSession) -> None:
    session.click(session.elements("tab")[0])
    session.submit()


def behind_tabs(session: SolverSession) -> None:
    """Open each tab or section until the link is visible. On two pages, opening the right tab already completes the
    task.
    """
    (name,) = session.match_instruction(r'link "(.+)"')
    tabs = [tab.text for tab in session.elements("tab")]
    while not session.find(name, "button", "link") and not session.seen.done and tabs:
        session.click(session.require(tabs.pop(0), "tab"))
    if not session.seen.done:
        session.click(session.require(name, "button", "link"))


def in_tree(session: SolverSession) -> None:
    """Open the folders from the last to the first, so that those above stay where they are."""
    (name,) = session.match_instruction(r'named "(.+)"')
    for _ in range(2):
        if session.find(name):
            break
        for handle in reversed([each for each in session.elements("button") if each.leaf and not each.text]):
            if not session.find(name):
                session.click(handle)
    session.click(name)


def menu(session: SolverSession) -> None:
    """`Select a>b>c`: hover over each entry to open the next menu."""
    *above, last = session.match_instruction(r"Select (.+)")[0].split(">")
    for name in above:
        session.act(Action("hover", session.require(name, "menuitem").center))
    session.click(session.require(last, "menuitem"))


def greatest(session: SolverSession) -> None:
    cards = [each for each in session.elements("button") if each.text.isdigit()]
    session.click(max(cards, key=lambda each: int(each.text)))
    session.submit()


def odd_or_even(session: SolverSession) -> None:
    for each in session.elements("text"):
        wanted = "Odd" if int(each.text) % 2 else "Even"
        choices = [one for one in session.elements("button") if one.text == wanted]
        session.click(next(one for one in choices if one.box.y0 <= each.center.y <= one.box.y1))
    session.submit()


def ticket(session: SolverSession) -> None:
    """The buttons show the price, the line above each the duration."""
    (wish,) = session.match_instruction(r"with the (.+)\.")
    offers = []
    shown = session.elements()
    for at, each in enumerate(shown):
        if price := re.search(r"\$(\d+)", each.text):
            hours, minutes = re.findall(r"\d+", shown[at - 1].text)
            offers.append((int(price[1]) if "cost" in wish else 60 * int(hours) + int(minutes), each))
    choose = min if wish.startswith(("cheapest", "shortest")) else max
    session.click(choose(offers, key=lambda offer: offer[0])[1])


def focus(session: SolverSession) -> None:
    """`Focus into the 3rd input textbox.`"""
    found = re.search(r"(\d)(?:st|nd|rd)", session.instruction)
    session.click(session.fields()[int(found[1]) - 1 if found else 0])


def mail(session: SolverSession) -> None:
    """Each mail has two icons at its right end: a star, and right of it a bin."""
    name, icon = session.match_instruction(r"email by (\w+) and click the (star|trash) icon")
    sender = next(each for each in session.elements("text") if each.text == name)
    icons = [
        each for each in session.elements("button") if each.leaf and not each.text and each.box.y0 >= sender.box.y0
    ]
    star, bin = sorted(icons[:2], key=lambda each: each.box.x0)
    session.click(star if icon == "star" else bin)


def spinner(session: SolverSession) -> None:
    """The upper arrow counts up, the lower one down; the keyboard does not work here."""
    value = int(session.match_instruction(r"Select (-?\d+) with")[0])
    up, down = [each for each in session.elements("button") if each.leaf and not each.text]
    session.click_all([up if value > 0 else down] * abs(value))
    session.submit()


def radio_and_number(session: SolverSession) -> None:
    """`Check the 1st radio button and enter the number "3" into the 2nd textbox.`"""
    radio, value, box = session.match_instruction(
        r'the (\d\w+) radio button and enter the number "(.+)" into the (\d\w+) textbox'
    )
    session.click(session.elements("radio")[number(radio) - 1])
    session.type(session.fields()[number(box) - 1], value)
    session.submit()
