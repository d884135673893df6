"""Secrets that several texts show together."""

from __future__ import annotations

import pytest

from saccade.agents.redact import redact
from saccade.geometry import Box, Size
from saccade.types import Element, Screen
from saccade.worlds.base import Observation
from saccade.worlds.secrets import Secret, Vault
from saccade.worlds.spread_secrets import letters, shares_letters, spread_secrets

VAULT = Vault({"word": Secret("Kestrel-77", "x"), "card": Secret("4929137358801426", "x"), "pin": Secret("0042", "x")})


def row(*texts: str, y: float = 0) -> list[tuple[str, Box]]:
    return [(text, Box(20 * at, y, 20 * at + 18, y + 20)) for at, text in enumerate(texts)]


def found(*placed: tuple[str, Box]) -> list[tuple[str, frozenset[int]]]:
    return spread_secrets([text for text, _ in placed], [box for _, box in placed], VAULT)


@pytest.mark.parametrize(
    ("placed", "name", "places"),
    [
        (row(*"kestrel77"), "word", range(9)),
        (row("Your word: kes", "trel-", "77!"), "word", range(3)),
        (row("4929", "-", "1373", "-", "5880", "-", "1426"), "card", (0, 2, 4, 6)),
        (row("49291373") + row("58801426", y=30), "card", (0, 1)),
        (row("77lertsek"), "word", (0,)),
        (row("K E S T R E L", "７７"), "word", (0, 1)),
        ([("77", Box(60, 0, 80, 20)), ("kes", Box(0, 0, 30, 20)), ("trel", Box(30, 2, 60, 18))], "word", (0, 1, 2)),
        ([(letter, Box(0, 20 * at, 18, 20 * at + 18)) for at, letter in enumerate("kestrel77")], "word", range(9)),
        (row("00", "42"), "pin", (0, 1)),
    ],
)
def test_pieces_are_found_together(placed: list[tuple[str, Box]], name: str, places: range | tuple[int, ...]) -> None:
    assert (name, frozenset(places)) in found(*placed)


def test_short_values_must_be_whole_texts() -> None:
    assert found(*row("100", "421")) == []
    assert found(*row("kestrel", "7")) == []


def test_what_is_a_piece() -> None:
    assert letters("K·é-７") == "ké7"
    assert (
        shares_letters("strel", "kestrel77")
        and shares_letters("ke", "kestrel77")
        and shares_letters("lert", "kestrel77")
    )
    assert not shares_letters("Save", "kestrel77") and not shares_letters("", "kestrel77")


def test_all_pieces_get_the_name_and_what_is_beside_them_stays() -> None:
    texts = row("Code", *"kestrel77", "Save")
    elements = [Element(at, box, "text", text) for at, (text, box) in enumerate(texts)]
    seen = redact(Observation(Screen(Size(400, 40), None, elements)), VAULT)
    assert [e.text for e in seen.screen.elements] == ["Code", *["{secret.word}"] * 9, "Save"]


def test_where_the_world_shows_one_its_pieces_are_named() -> None:
    elements = [
        Element(1, Box(0, 0, 60, 20), "text", "kes el7"),
        Element(2, Box(0, 40, 60, 60), "text", "kes el7"),
        Element(3, Box(10, 0, 40, 20), "button", "Save"),
    ]
    seen = Observation(Screen(Size(100, 100), None, elements), secrets=(("word", Box(5, 5, 50, 15)),))
    assert [e.text for e in redact(seen, VAULT).screen.elements] == ["{secret.word}", "kes el7", "Save"]
