"""Pointers lead to what is there."""

import numpy as np

from saccade_mini.decode import chooser
from saccade_mini.pointer_decoding import Pointing, spelled

OPEN, NEW, EVE, DAY, E1, E2, OTHER = range(7)


def wish(*likely: int) -> np.ndarray:
    """One row of logits: the first named is the likeliest."""
    logits = np.zeros((1, 7), dtype=np.float32)
    for rank, token in enumerate(likely):
        logits[0, token] = 9 - rank
    return logits


def test_a_label_ends_with_its_own_name() -> None:
    pick = Pointing(chooser(0.0, 1.0, None), {OPEN: spelled([[NEW, EVE, E1], [NEW, DAY, E2]])})
    said = [int(pick(wish(*likely))[0]) for likely in ((OTHER,), (OPEN,), (OTHER, NEW), (DAY,), (E1, E2), (E1,))]
    assert said == [OTHER, OPEN, NEW, DAY, E2, E1], "behind the pointer it is free again"


def test_a_drawn_answer_points_as_well() -> None:
    pick = Pointing(chooser(1.0, 1.0, 7), {OPEN: spelled([[NEW, E1]])})
    both = np.repeat(wish(OPEN), 2, axis=0)
    both[1] = wish(OTHER)
    assert pick(both * 9).tolist() == [OPEN, OTHER]
    assert pick(np.repeat(wish(OTHER), 2, axis=0) * 9).tolist() == [NEW, OTHER]


def test_where_nothing_can_be_pointed_at_nothing_is_forbidden() -> None:
    pick = Pointing(chooser(0.0, 1.0, None), {OPEN: spelled([])})
    assert [int(pick(wish(token))[0]) for token in (OPEN, OTHER)] == [OPEN, OTHER]
