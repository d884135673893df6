"""The words of trees, mapped to the words of the widget network."""

from __future__ import annotations

import pytest

from saccade.screens.atspi import ROLES
from saccade_vision.element_types import TYPES, word_for


@pytest.mark.parametrize(
    ("tree_type", "interactive", "has_text", "word"),
    [
        ("button", True, True, "button"),
        ("button", True, False, "icon"),
        ("button", False, True, "text"),
        ("link", True, True, "link"),
        ("link", True, False, "icon"),
        ("password", True, False, "input"),
        ("spinbutton", True, True, "input"),
        ("combobox", True, True, "select"),
        ("menuitem", True, True, "list item"),
        ("cell", False, False, ""),
        ("cell", False, True, "text"),
        ("cell", True, True, "list item"),
        ("heading", False, True, "text"),
        ("list", True, False, ""),
        ("toolbar", False, False, ""),
        ("group", True, True, "button"),
        ("group", False, True, ""),
        ("canvas", False, False, "image"),
        ("switch", True, False, "switch"),
        ("never heard of", True, True, "button"),
        ("never heard of", False, False, ""),
    ],
)
def test_a_trees_word_becomes_the_networks(tree_type: str, interactive: bool, has_text: bool, word: str) -> None:
    assert word_for(tree_type, interactive, has_text) == word


def test_every_role_of_desktop_applications_is_a_type_or_a_container() -> None:
    for kind in set(ROLES.values()):
        for interactive in (True, False):
            for has_text in (True, False):
                assert word_for(kind, interactive, has_text) in (*TYPES, "")
