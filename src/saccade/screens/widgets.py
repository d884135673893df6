"""Android view classes in the same short words as the elements of pages, and names of views in plain words."""

from __future__ import annotations

import re
from collections.abc import Mapping

LONGEST_TEXT = 300
SHORTEST_NAME = 4
EDITABLE = frozenset(("input", "password"))
PICTURES = frozenset(("image", "icon", "video"))

_EXACT = {
    "CheckBox": "checkbox",
    "CheckedTextView": "checkbox",
    "RadioButton": "radio",
    "Switch": "switch",
    "SwitchCompat": "switch",
    "SwitchMaterial": "switch",
    "MaterialSwitch": "switch",
    "ToggleButton": "switch",
    "SeekBar": "slider",
    "RatingBar": "slider",
    "Slider": "slider",
    "RangeSlider": "slider",
    "NumberPicker": "spinbutton",
    "Spinner": "select",
    "ProgressBar": "progressbar",
    "WebView": "frame",
    "VideoView": "video",
    "DatePicker": "date",
    "TimePicker": "time",
    "TabWidget": "tablist",
    "TabLayout": "tablist",
    "ActionBar$Tab": "tab",
    "TabView": "tab",
    "BottomNavigationItemView": "tab",
    "ActionMenuItemView": "button",
    "Chip": "button",
    "ListView": "list",
    "GridView": "list",
    "RecyclerView": "list",
    "ExpandableListView": "list",
    "ViewPager": "scroll",
    "ViewPager2": "scroll",
}
_ENDINGS = (
    ("EditText", "input"),
    ("CompleteTextView", "input"),
    ("CheckBox", "checkbox"),
    ("CheckedTextView", "checkbox"),
    ("RadioButton", "radio"),
    ("ToggleButton", "switch"),
    ("Button", "button"),
    ("Switch", "switch"),
    ("Spinner", "select"),
    ("SeekBar", "slider"),
    ("RatingBar", "slider"),
    ("ProgressBar", "progressbar"),
    ("ImageView", "image"),
    ("Image", "image"),
    ("WebView", "frame"),
    ("RecyclerView", "list"),
    ("ListView", "list"),
    ("GridView", "list"),
    ("ScrollView", "scroll"),
)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\d+|[^\W\d_]+")


def type_of(name: str, values: Mapping[str, str]) -> str:
    """A short word for a view class; a plain view is named after what can be done with it.

    >>> type_of("androidx.appcompat.widget.AppCompatImageButton", {})
    'button'
    >>> type_of("android.view.View", {"clickable": "true"})
    'button'
    """
    if values.get("password") == "true":
        return "password"
    short = name.rpartition(".")[2]
    for known in (short, short.rpartition("$")[2]):
        if known in _EXACT:
            return _EXACT[known]
    for ending, kind in _ENDINGS:
        if short.endswith(ending):
            return kind
    if values.get("checkable") == "true":
        return "checkbox"
    if values.get("clickable") == "true" or values.get("long-clickable") == "true":
        return "button"
    if values.get("scrollable") == "true":
        return "scroll"
    return "text" if short.endswith("TextView") or values.get("text") or values.get("content-desc") else "group"


def caption_of(values: Mapping[str, str]) -> str:
    """What a view is, in words: its description, its hint, or the words of its name in the program."""
    return (
        squeeze(values.get("content-desc", ""))
        or squeeze(values.get("hint", ""))
        or words_of(values.get("resource-id", "").rpartition("/")[2])
    )


def words_of(name: str) -> str:
    """The words of a name in a program; of one so short that it was scrambled (`ni8`), none.

    >>> words_of("btnSearchHTTP_2")
    'btn search http 2'
    """
    if len(name) < SHORTEST_NAME:
        return ""
    return " ".join(word.lower() for word in _WORD.findall(name[:LONGEST_TEXT]))


def squeeze(text: str) -> str:
    """One line of at most 300 characters."""
    return " ".join(text.split())[:LONGEST_TEXT]
