"""Decoding that does what it is asked to: the decoder's own answer, with the action that somebody else has chosen.

Where a format tells elements first, the answer begins with the one that is meant, so that what it thinks fits. Behind
the token that opens the action only verbs of its kind may follow, and pointers to nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from saccade.models.base import Ask
from saccade_mini.codec import FORMS, Sheet
from saccade_mini.decode import Logits, Pick
from saccade_mini.generator import Writer
from saccade_mini.pointer_decoding import Pointing, spelled
from saccade_mini.retry_policy import Begun
from saccade_mini.task_habits import ANSWER, END, HOLD, OPEN, PRESS, SWIPE, TOUCH, TYPE, Slots, View, wheel_of

VERBS: dict[str, dict[str, tuple[str, ...]]] = {
    "btl": {
        TOUCH: ("Tap",), HOLD: ("LongPress",), TYPE: ("Type",), OPEN: ("Open",), ANSWER: ("Answer",),
        END: ("Terminate",), SWIPE: ("Swipe",), "press back": ("Back",), "press home": ("Home",),
        "press enter": ("Enter",),
    },
    "uiloop": {
        TOUCH: ("click",), HOLD: ("long_press",), TYPE: ("type",), OPEN: ("open_app",), ANSWER: ("answer",),
        END: ("terminate",), SWIPE: ("scroll",), "press back": ("press_back",), "press home": ("press_home",),
        "press enter": ("press_enter",),
    },
    "secagent": {
        TOUCH: ("click",), HOLD: ("long_press",), TYPE: ("type",), OPEN: ("open",), ANSWER: ("answer",),
        END: ("terminate",), SWIPE: ("swipe",), PRESS: ("system_button",),
    },
    "guidnav": {
        TOUCH: ("click",), HOLD: ("long_press",), TYPE: ("type",), OPEN: ("open_app",), ANSWER: ("answer",),
        "end success": ("task_complete",), "end failure": ("task_impossible",), SWIPE: ("scroll",),
        "press back": ("navigate_back",), "press home": ("navigate_home",), "press enter": ("enter",),
    },
}  # fmt: skip
"""How each format says what is done: deeds of a kind, or one by its name."""
_OPENS = {
    "btl": '", "Action": {"function": "', "uiloop": '</think>\n<answer>[{"action": "',
    "secagent": '</think>\n<tool_call>{"name": "mobile_use", "arguments": {"action": "',
    "guidnav": ' So the next one action is:{"action_type": "',
}  # fmt: skip
"""What stands before the verb, one token of each."""
_TURNS = dict.fromkeys(("btl", "guidnav"), '", "direction": "')
"""What stands behind the verb of a swipe, where the direction does."""
_BEGINS = {"btl": "<f{blink}><f{element}>1<f{box}><b>", "uiloop": "<f{ui}><p>"}
_FORMS = {"blink": "<blink>\n", "element": "<element><id>", "box": "</id><bbox>[", "ui": "<ui> Located at ["}


class Aimed:
    """A choice that is free until the action begins, and bound from there on. Of one row."""

    def __init__(self, free: Pointing, bound: Pointing, opens: int) -> None:
        self._pick, self._bound, self._opens = free, bound, opens

    def __call__(self, logits: Logits) -> npt.NDArray[np.int64]:
        tokens = self._pick(logits)
        if tokens[0] == self._opens and self._pick is not self._bound:
            self._pick = self._bound
            self._bound.follow(0, self._opens)
        return tokens


def scrolling(sheet: Sheet) -> list[int]:
    return [at for at, item in enumerate(sheet.items) if item.scrolls]


def aimed(writer: Writer, sheet: Sheet, name: str, slots: Slots, ask: Ask) -> Pick | None:
    """What writes an answer that does this; nothing where the format or the screen has no way to."""
    kind = name.partition(" ")[0]
    known, meant = VERBS.get(sheet.paradigm, {}), View(sheet, slots).targets(name)
    verbs = known.get(name, known.get(kind, ()))
    if not verbs or (not meant and (kind in (TOUCH, HOLD) or wheel_of(name))):
        return None
    token = writer.tokenizer.token_to_id
    opens = int(token(f"<f{FORMS.index(_OPENS[sheet.paradigm])}>"))
    free = writer.pointing(sheet, 0.0, ask)
    pointers = [writer.encode(sheet.pointer(at)) for at in meant]
    turn = name.split(" ")[1] if kind == SWIPE else ""
    if turn and sheet.paradigm in _TURNS:
        verbs = tuple(f"{verb}{_TURNS[sheet.paradigm]}{turn}" for verb in verbs)
    openers = {opens: spelled(map(writer.encode, verbs))}
    openers |= {int(token(each)): spelled(pointers) for each in ("<p>", "<i>") if pointers}
    if turn:
        begins = [sheet.pointer(at) for at in meant] or ["<mid>", *(sheet.pointer(at) for at in scrolling(sheet))]
        openers[int(token("<s>"))] = spelled(writer.encode(f"{each}<{turn}>") for each in begins)
    bound = Pointing(lambda logits: logits.argmax(axis=1), openers)
    return Begun([begun(writer, sheet, meant)], Aimed(free, bound, opens))


def begun(writer: Writer, sheet: Sheet, meant: Sequence[int]) -> list[int]:
    """How an answer begins that is about one element, in a format that tells elements first."""
    if len(meant) != 1 or sheet.items[meant[0]].scrolls or sheet.paradigm not in _BEGINS:
        return []
    forms = {each: FORMS.index(form) for each, form in _FORMS.items()}
    return writer.encode(_BEGINS[sheet.paradigm].format(**forms) + sheet.pointer(meant[0]))
