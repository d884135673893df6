"""The type words that the widget network learns, and how the words of trees are mapped to them.

Trees of pages (DOM), of Android (uiautomator) and of desktop applications (AT-SPI) already come in Saccade's short
words (`saccade.screens`), about fifty of them. A picture does not show all their differences (a link that looks like a
button is one), so the network learns thirteen. This file imports nothing, so that training machines can read it.
"""

from __future__ import annotations

TYPES = (
    "button",
    "input",
    "select",
    "checkbox",
    "radio",
    "switch",
    "slider",
    "tab",
    "list item",
    "link",
    "icon",
    "image",
    "text",
)
"""The order is that of the network's outputs: append only, and train anew."""

_WORDS: dict[str, str] = {
    "button": "button file color summary splitbutton togglebutton",
    "input": "input password textbox searchbox spinbutton date time terminal document textarea",
    "select": "select combobox listbox-button",
    "checkbox": "checkbox menuitemcheckbox",
    "radio": "radio menuitemradio",
    "switch": "switch",
    "slider": "slider scrollbar",
    "tab": "tab",
    "list item": "listitem list-item option menuitem treeitem row cell gridcell columnheader rowheader",
    "link": "link",
    "icon": "icon circle rect ellipse polygon line",
    "image": "image img canvas video audio figure",
    "text": "text heading label paragraph caption progressbar tooltip status meter alert code",
}
_MAPPED = {tree_type: word for word, tree_types in _WORDS.items() for tree_type in tree_types.split()}
_ONLY_WHEN_USED = frozenset(("row", "cell", "gridcell", "document", "video", "audio", "line"))
"""Of these, the tree holds many that only contain other things: one that says nothing and takes no click is dropped."""
_CONTAINERS = frozenset(
    "scroll list table tree window dialog menu menubar toolbar tablist frame form group region main navigation banner "
    "contentinfo complementary grid treegrid radiogroup rowgroup listbox separator".split()
)
_PRESSED = frozenset(("button", "link"))
_SHOWN_ONLY = frozenset(("button", "link", "tab", "list item"))
"""What looks like mere text (or a picture) as soon as it cannot be pressed."""


def word_for(tree_type: str, interactive: bool, has_text: bool) -> str:
    """The network's word for an element of a tree; "" for a container, which the network does not learn.

    `has_text`: does it show text of its own (not only a description that nobody sees)? What is pressed and shows no
    text is an icon to the eye. Whoever knows the size should call a large picture that is pressed an image.

    >>> word_for("menuitem", True, True), word_for("button", True, False), word_for("heading", False, True)
    ('list item', 'icon', 'text')
    >>> word_for("group", False, False)
    ''
    """
    kind = tree_type.strip().lower().replace(" ", "")
    word = _MAPPED.get(kind, "")
    if kind in _ONLY_WHEN_USED and not (interactive or has_text):
        return ""
    if kind in _CONTAINERS and not (kind == "group" and interactive):
        return ""
    if not word:
        if interactive:
            return "button" if has_text else "icon"
        return "text" if has_text else ""
    if word in _PRESSED and not has_text:
        return "icon"
    if word in _SHOWN_ONLY and not interactive:
        return "text" if has_text else "image"
    return word
