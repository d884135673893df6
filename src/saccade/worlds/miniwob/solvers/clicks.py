"""Solvers that find and click."""

from __future__ import annotations

import re

from saccade.actions import Action
from saccade.worlds.miniwob.solvers.player import LostError, Player, number

TALL = 23
"""A text area is taller than a text field: 26 pixels of the page against 21."""


def only_button(play: Player) -> None:
    play.click(play.elements("button")[0])


def named(play: Player) -> None:
    """`Click on the "okay" button.`; `x` is how people call the button that closes a window."""
    (name,) = play.said(r'(?:Click (?:on )?|labeled |clicking )(?:the )?(?:link |button )?"(.+)"')
    play.click("Close" if name == "x" else name)


def unquoted(play: Player) -> None:
    """`Click on Tab #2.`, `Click button ONE.`"""
    (name,) = play.said(r"Click (?:on |button )(.+)\.")
    play.click(name)


def in_order(play: Player) -> None:
    """`Click button ONE, then click button TWO.`"""
    play.click_all(re.findall(r"button ([A-Z]+)", play.instruction))


def with_delay(play: Player) -> None:
    """`Click button ONE, wait 2 seconds, then click button TWO.` The first click takes half a second by itself."""
    (seconds,) = play.said(r"wait (\d+) seconds")
    play.click("ONE")
    play.act(Action("wait", seconds=int(seconds) - 0.5))
    play.click("TWO")


def checked(play: Player) -> None:
    """`Select a, b and click Submit.`"""
    (names,) = play.said(r"Select (.+) and click Submit")
    for name in names.split(", "):
        if name != "nothing":
            play.click(play.the(name, "checkbox", "radio"))
    play.submit()


def listed(play: Player) -> None:
    """`Select a, b from the list and click Submit.`"""
    (names,) = play.said(r"Select (.+) from the")
    box = play.elements("select")[0]
    for name in names.split(", "):
        play.act(Action("select", box.center, text=name))
    play.submit()


def widget(play: Player) -> None:
    """`Click on a "textarea" widget.` Both kinds of text field are inputs; the one of several lines is taller."""
    (kind,) = play.said(r'"(.+)" widget')
    for each in play.elements("input" if kind.startswith("text") else kind):
        several_lines = each.box.height >= TALL * play.unit
        right_height = each.type != "input" or several_lines == (kind == "textarea")
        if each.leaf and right_height and (each.text or kind != "button"):
            return play.click(each)
    raise LostError(f"there is no {kind}")


def section(play: Player) -> None:
    play.click(play.elements("tab")[0])
    play.submit()


def behind_tabs(play: Player) -> None:
    """Look behind each tab or section until the link shows. Two pages already count the right tab as found."""
    (name,) = play.said(r'link "(.+)"')
    tabs = [tab.text for tab in play.elements("tab")]
    while not play.find(name, "button", "link") and not play.seen.done and tabs:
        play.click(play.the(tabs.pop(0), "tab"))
    if not play.seen.done:
        play.click(play.the(name, "button", "link"))


def in_tree(play: Player) -> None:
    """Open the folders from the last to the first, so that those above stay where they are."""
    (name,) = play.said(r'named "(.+)"')
    for _ in range(2):
        if play.find(name):
            break
        for handle in reversed([each for each in play.elements("button") if each.leaf and not each.text]):
            if not play.find(name):
                play.click(handle)
    play.click(name)


def menu(play: Player) -> None:
    """`Select a>b>c`: rest on each to open the next."""
    *above, last = play.said(r"Select (.+)")[0].split(">")
    for name in above:
        play.act(Action("hover", play.the(name, "menuitem").center))
    play.click(play.the(last, "menuitem"))


def greatest(play: Player) -> None:
    cards = [each for each in play.elements("button") if each.text.isdigit()]
    play.click(max(cards, key=lambda each: int(each.text)))
    play.submit()


def odd_or_even(play: Player) -> None:
    for each in play.elements("text"):
        wanted = "Odd" if int(each.text) % 2 else "Even"
        choices = [one for one in play.elements("button") if one.text == wanted]
        play.click(next(one for one in choices if one.box.y0 <= each.center.y <= one.box.y1))
    play.submit()


def ticket(play: Player) -> None:
    """The buttons tell the price, the line above each the duration."""
    (wish,) = play.said(r"with the (.+)\.")
    offers = []
    shown = play.elements()
    for at, each in enumerate(shown):
        if price := re.search(r"\$(\d+)", each.text):
            hours, minutes = re.findall(r"\d+", shown[at - 1].text)
            offers.append((int(price[1]) if "cost" in wish else 60 * int(hours) + int(minutes), each))
    choose = min if wish.startswith(("cheapest", "shortest")) else max
    play.click(choose(offers, key=lambda offer: offer[0])[1])


def focus(play: Player) -> None:
    """`Focus into the 3rd input textbox.`"""
    found = re.search(r"(\d)(?:st|nd|rd)", play.instruction)
    play.click(play.fields()[int(found[1]) - 1 if found else 0])


def mail(play: Player) -> None:
    """Each mail has two icons at its right end: a star, and right of it a bin."""
    name, icon = play.said(r"email by (\w+) and click the (star|trash) icon")
    sender = next(each for each in play.elements("text") if each.text == name)
    icons = [each for each in play.elements("button") if each.leaf and not each.text and each.box.y0 >= sender.box.y0]
    star, bin = sorted(icons[:2], key=lambda each: each.box.x0)
    play.click(star if icon == "star" else bin)


def spinner(play: Player) -> None:
    """The upper arrow counts up, the lower one down; the keyboard is not heard."""
    value = int(play.said(r"Select (-?\d+) with")[0])
    up, down = [each for each in play.elements("button") if each.leaf and not each.text]
    play.click_all([up if value > 0 else down] * abs(value))
    play.submit()


def radio_and_number(play: Player) -> None:
    """`Check the 1st radio button and enter the number "3" into the 2nd textbox.`"""
    radio, value, box = play.said(r'the (\d\w+) radio button and enter the number "(.+)" into the (\d\w+) textbox')
    play.click(play.elements("radio")[number(radio) - 1])
    play.type(play.fields()[number(box) - 1], value)
    play.submit()
