"""Elements from accessibility trees: made-up trees and windows with known answers."""

from __future__ import annotations

from saccade.geometry import Box, Size
from saccade.screens.atspi import (
    CHECKED,
    EDITABLE_STATE,
    ENABLED,
    FOCUSABLE,
    FOCUSED,
    SHOWING,
    AccessibleApplication,
    AccessibleNode,
    StackedWindow,
    atspi_elements,
)
from saccade.types import Element

SCREEN = Size(1000, 800)
FRAME, BUTTON, LABEL, MENU_BAR, MENU, MENU_ITEM, TEXT, PASSWORD = 23, 43, 29, 34, 33, 35, 61, 40
CHECK_BOX, SCROLL_PANE, COMBO_BOX, LIST, LIST_ITEM, CELL, SLIDER = 7, 49, 11, 31, 32, 56, 51


def node(
    role: int,
    box: tuple[int, int, int, int] | None,
    name: str = "",
    *children: AccessibleNode,
    bits: tuple[int, ...] = (),
) -> AccessibleNode:
    """A node that is shown and enabled. The box is x0, y0, x1, y1."""
    states = sum(1 << bit for bit in (SHOWING, ENABLED, *bits))
    return AccessibleNode(role, states, name, Box(*box) if box else None, children=list(children))


def frame(*children: AccessibleNode) -> AccessibleNode:
    return node(FRAME, (100, 100, 500, 400), "Editor", *children)


OWN = StackedWindow(Box(99, 80, 501, 401), 7, title="Editor", inner=Box(100, 100, 500, 400))


def found(top: AccessibleNode, *above: StackedWindow) -> list[Element]:
    return atspi_elements([AccessibleApplication(7, [top])], [OWN, *above], SCREEN)


def texts(top: AccessibleNode, *above: StackedWindow) -> list[str]:
    return [element.text for element in found(top, *above)]


def test_a_button_and_its_label_are_one_element() -> None:
    label = node(LABEL, (112, 112, 148, 128), "Save")
    window, button = found(frame(node(BUTTON, (110, 110, 150, 130), "Save", label)))
    assert (window.type, window.text, window.leaf, window.interactive) == ("window", "Editor", False, False)
    assert button == Element(2, Box(110, 110, 150, 130), "button", "Save")


def test_states_values_and_texts() -> None:
    box = node(CHECK_BOX, (110, 110, 150, 130), "Wrap", bits=(CHECKED, FOCUSED))
    field = node(TEXT, (110, 140, 300, 160), "Name", bits=(EDITABLE_STATE,))
    field.text = "Ada\nLovelace"
    slider = node(SLIDER, (110, 170, 300, 190), "Volume")
    slider.value = "40"
    off = node(BUTTON, (110, 200, 150, 220), "Print")
    off.states = 1 << SHOWING
    got = [(each.type, each.text, each.caption, each.state) for each in found(frame(box, field, slider, off))[1:]]
    assert got == [
        ("checkbox", "Wrap", "", "checked focused"),
        ("input", "Ada Lovelace", "Name", ""),
        ("slider", "40", "Volume", ""),
        ("button", "Print", "", "disabled"),
    ]


def test_what_a_password_field_holds_is_never_told() -> None:
    field = node(PASSWORD, (110, 140, 300, 160), "Password", bits=(EDITABLE_STATE,))
    field.text = "h"
    element = found(frame(field))[1]
    assert (element.type, element.text, element.caption, element.state) == ("password", "", "Password", "filled")


def test_nodes_that_are_not_shown_or_outside_are_left_out() -> None:
    hidden = node(BUTTON, (110, 110, 150, 130), "Hidden")
    hidden.states = 1 << ENABLED
    inside, outside = node(BUTTON, (110, 190, 150, 210), "Half"), node(BUTTON, (110, 250, 150, 270), "Scrolled out")
    pane = node(SCROLL_PANE, (100, 140, 500, 200), "", inside, outside)
    away = node(20, (-300, -300, -200, -200), "", node(BUTTON, (110, 300, 150, 320), "In a hidden panel"))
    _, half = found(frame(hidden, pane, away))
    assert (half.text, half.box) == ("Half", Box(110, 190, 150, 200))  # clipped by the pane


def test_covered_elements_are_left_out() -> None:
    low, high = node(BUTTON, (110, 300, 150, 320), "Low"), node(BUTTON, (110, 110, 150, 130), "High")
    other = StackedWindow(Box(90, 280, 300, 600), 8)
    assert texts(frame(high, low)) == ["Editor", "High", "Low"]
    assert texts(frame(high, low), other) == ["Editor", "High"]
    assert texts(frame(high, low), StackedWindow(Box(0, 0, 1000, 800), 8)) == []
    assert texts(frame(high, low), other._replace(popup=True, tooltip=True)) == ["Editor", "High", "Low"]


def test_a_window_that_is_not_mapped_has_no_elements() -> None:
    assert atspi_elements([AccessibleApplication(7, [frame()])], [], SCREEN) == []


def test_an_open_menu_covers_its_own_window() -> None:
    items = [node(MENU_ITEM, (100, 120, 200, 140), "New"), node(MENU_ITEM, (100, 140, 200, 160), "Quit")]
    bar = node(MENU_BAR, (100, 100, 500, 120), "", node(MENU, (100, 100, 140, 120), "File", *items))
    under = node(BUTTON, (110, 130, 150, 150), "Under the menu")
    popup = StackedWindow(Box(100, 120, 200, 160), 7, popup=True)
    assert texts(frame(bar, under), popup) == ["Editor", "File", "New", "Quit"]
    foreign = popup._replace(process=8)
    assert texts(frame(bar, under), foreign) == ["Editor", "File"]


def test_a_context_menu_is_its_items() -> None:
    """GTK gives the menu itself the role of a menu's title."""
    items = [node(MENU_ITEM, (600, 120, 700, 140), "Copy"), node(MENU_ITEM, (600, 140, 700, 160), "Paste")]
    popup = StackedWindow(Box(600, 120, 700, 160), 7, popup=True)
    menu = node(69, (600, 120, 700, 160), "", node(MENU, (600, 120, 700, 160), "", *items))
    got = atspi_elements([AccessibleApplication(7, [frame(), menu])], [OWN, popup], SCREEN)
    assert [(each.type, each.text) for each in got] == [
        ("window", "Editor"),
        ("menuitem", "Copy"),
        ("menuitem", "Paste"),
    ]


def test_the_list_of_a_closed_combo_box_is_left_out() -> None:
    items = [node(LIST_ITEM, (110, 130, 300, 150), "One"), node(LIST_ITEM, (110, 150, 300, 170), "Two")]
    combo = node(COMBO_BOX, (110, 110, 300, 130), "One", node(LIST, (110, 130, 300, 170), "", *items))
    assert texts(frame(combo)) == ["Editor", "One"]
    open_list = StackedWindow(Box(110, 130, 300, 170), 7, popup=True)
    assert texts(frame(combo), open_list) == ["Editor", "One", "One", "Two"]


def test_a_row_says_what_its_cells_say() -> None:
    cells = [node(CELL, (110, 130, 130, 150)), node(CELL, (130, 130, 200, 150), "Home")]
    row = node(CELL, (110, 130, 200, 150), "", *cells)
    assert [(e.text, e.leaf) for e in found(frame(row))[1:]] == [("Home", False), ("Home", True)]


def test_gtk_4_counts_from_its_own_window() -> None:
    button = node(BUTTON, (10, 10, 50, 30), "Save", bits=(FOCUSABLE,))
    top = node(FRAME, (0, 0, 390, 290), "Editor", button)  # its window has a border of 5 pixels
    assert [element.box for element in found(top)] == [Box(105, 105, 495, 395), Box(115, 115, 155, 135)]


def test_of_two_windows_of_an_application_each_gets_its_own_tree() -> None:
    dialog = node(16, (200, 150, 400, 250), "Save?", node(BUTTON, (210, 220, 250, 240), "Yes"))
    under = node(BUTTON, (210, 200, 260, 220), "Under the dialog")
    windows = [OWN, StackedWindow(Box(199, 130, 401, 251), 7, title="Save?", inner=Box(200, 150, 400, 250))]
    got = atspi_elements([AccessibleApplication(7, [frame(under), dialog])], windows, SCREEN)
    assert [element.text for element in got] == ["Save?", "Yes"]  # the centre of the window below is covered too


def test_a_popover_of_gtk_4_lies_where_the_popup_window_of_its_size_is() -> None:
    """Of two pages in it, the one with the focus is in front. A popover without such a window is left out."""
    cut = node(MENU_ITEM, (15, 15, 95, 35), "Cut")
    back = node(MENU_ITEM, (15, 15, 95, 35), "Back", bits=(FOCUSED,))
    pages = node(39, (10, 10, 100, 60), "", node(39, (10, 10, 100, 60), "", cut), node(39, (10, 10, 100, 40), "", back))
    popover, lost = node(MENU, (5, 5, 105, 65), "", pages), node(MENU, (5, 5, 55, 55), "", cut)
    application = AccessibleApplication(7, [node(FRAME, (0, 0, 390, 290), "Editor", popover, lost)], local=True)
    popup = StackedWindow(Box(600, 500, 700, 560), 7, popup=True)
    got = atspi_elements([application], [OWN, popup], SCREEN)
    assert [(each.text, each.box) for each in got] == [
        ("Editor", Box(105, 105, 495, 395)),
        ("Back", Box(610, 510, 690, 530)),
    ]


def test_buttons_of_a_title_bar() -> None:
    own = OWN._replace(buttons=(("Minimize", Box(440, 84, 454, 98)), ("Close", Box(480, 84, 494, 98))))
    above = StackedWindow(Box(430, 80, 460, 120), 8)
    got = atspi_elements([AccessibleApplication(7, [frame()])], [own, above], SCREEN)
    assert [(each.type, each.caption, each.box) for each in got[1:]] == [("button", "Close", Box(480, 84, 494, 98))]
