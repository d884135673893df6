"""Secrets: typed only where they belong, and seen by nobody."""

from __future__ import annotations

import html
import io
import json
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from saccade.agents.redact import redact
from saccade.errors import InputError
from saccade.geometry import Box, Size
from saccade.types import Element, Picture, Screen
from saccade.worlds.base import Observation
from saccade.worlds.secrets import NO_SECRETS, Secret, SecretError, Vault, belongs, load_secrets, web_place

VALUE = 'hunter2 & "co"/é'
CARD = "4111111111111111"
VAULT = Vault({"bank": Secret(VALUE, "bank.example"), "card": Secret(CARD, "*.bank.example", "the credit card")})

COVER = (0x3A, 0x3A, 0x3A)

# -- the file ---------------------------------------------------------------------------------------------------------


def load(folder: Path, text: str) -> Vault:
    file = folder / "secrets.yaml"
    file.write_text(text, encoding="utf-8")
    return load_secrets(file)


def test_a_file_of_secrets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAIL_PASSWORD", "from the environment")
    vault = load(
        tmp_path,
        "mail: {env: MAIL_PASSWORD, place: com.example.mail, about: my mail}\n"
        'pin-2: {value: "0042", place: "*.bank.example"}\n',
    )
    assert vault.secrets["mail"] == Secret("from the environment", "com.example.mail", "my mail")
    assert vault.fill("{secret.pin-2}!", "login.bank.example") == "0042!"
    assert "0042" not in repr(vault) + str(vault)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "contains no secrets"),
        ("- s3cr3t", "contains no secrets"),
        ("a: s3cr3t", "secret a: it needs `value` or `env`"),
        ("s3cr3t!: {value: x, place: y}", "the name of entry 1"),
        ("a: {value: s3cr3t}", "`place` must be one host"),
        ("a: {value: s3cr3t, place: '*'}", "`place` must be one host"),
        ("a: {value: s3cr3t, place: 'https://bank.example/'}", "`place` must be one host"),
        ("a: {value: s3cr3t, place: '*.com'}", "too wide"),
        ("a: {value: s3cr3t, place: com.android.chrome}", "a browser, which shows any site"),
        ("a: {value: 's3cr3t', env: B, place: b.example}", "either `value` or `env`"),
        ("a: {place: b.example}", "either `value` or `env`"),
        ("a: {value: 123456, place: b.example}", "`value` must be text: put it in quotes"),
        ("a: {value: '123', place: b.example}", "4 to 4096 characters"),
        ("a: {value: '', place: b.example}", "4 to 4096 characters"),
        ('a: {value: "s3cr3t\\n", place: b.example}', "cannot be typed"),
        ("a: {value:s3cr3t, place: b.example}", "is there a space after each colon?"),
        ("a: {value: s3cr3t, place: b.example, note: x}", "a key other than"),
        ("a: {env: s3cr3t, place: b.example}", "that `env` names is not set"),
        ("a: {env: 's3cr3t!', place: b.example}", "name of an environment variable"),
        ("a: {value: *s3cr3t, place: b.example}", "secrets.yaml:1: this is not YAML"),
        ("a: {value: !s3cr3t x, place: b.example}", "secrets.yaml:1: this is not YAML"),
        ("a: {value: s3cr3t\nb", "this is not YAML"),
        ("a: {value: x, s3cr3t: y, s3cr3t: z}", "secrets.yaml:1: the key appears twice"),
    ],
)
def test_a_wrong_file_says_where_and_never_what(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        load(tmp_path, text)
    assert said in str(caught.value)
    assert "s3cr3t" not in str(caught.value)
    assert "123" not in str(caught.value).replace(str(tmp_path), "")


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot read the secrets file"):
        load_secrets(tmp_path / "nothing.yaml")


# -- places -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("place", "pattern", "right"),
    [
        ("bank.example", "bank.example", True),
        ("BANK.example.", "bank.example", True),
        ("bank.example:8443", "bank.example", True),
        ("bank.example", "bank.example:8443", False),
        ("www.bank.example", "bank.example", False),
        ("www.bank.example", "*.bank.example", True),
        ("bank.example", "*.bank.example", True),
        ("evilbank.example", "*.bank.example", False),
        ("bank.example.evil.net", "bank.example", False),
        ("com.example.mail", "com.example.mail", True),
        ("com.example.mail.fake", "com.example.mail", False),
        ("", "bank.example", False),
        ("[::1]:80", "[::1]", True),
    ],
)
def test_where_a_secret_belongs(place: str, pattern: str, right: bool) -> None:
    assert belongs(place, pattern) is right


def test_the_place_of_a_frame() -> None:
    assert web_place("https://bank.example/login?x") == "bank.example"
    assert web_place("https://user@bank.example:8443/") == "bank.example:8443"
    assert web_place("http://127.0.0.1:5000/") == "127.0.0.1:5000"
    assert web_place("http://[::1]:5000/") == "[::1]:5000"
    assert web_place("about:blank") == web_place("data:text/html,x") == web_place("file:///x") == ""
    for url in ("http://bank.example/", "http://127.0.0.1.evil.net/", "http://localhost.evil.net"):
        with pytest.raises(SecretError, match="http is not encrypted"):
            web_place(url)


def test_filling() -> None:
    assert VAULT.fill("no secret {here}", "anywhere") == "no secret {here}"
    assert VAULT.fill("{secret.bank} and {secret.card}", "bank.example") == f"{VALUE} and {CARD}"
    with pytest.raises(SecretError, match=r"\{secret.bank\} was not typed: it belongs to bank.example, not to evil"):
        VAULT.fill("{secret.bank}", "evil.net")
    with pytest.raises(SecretError, match="the current place is unknown"):
        VAULT.fill("{secret.bank}", "")
    with pytest.raises(SecretError, match=r"no secret other: the known ones are \{secret.bank\}, \{secret.card\}"):
        VAULT.fill("{secret.other}", "bank.example")
    assert Vault({"a": Secret("{secret.b}", "x"), "b": Secret("value", "y")}).fill("{secret.a}", "x") == "{secret.b}"


# -- names for values -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "written",
    [
        VALUE,
        VALUE.upper(),
        quote(VALUE),
        quote_plus(VALUE),
        quote(VALUE, safe=""),
        html.escape(VALUE),
        json.dumps(VALUE)[1:-1],
        json.dumps(VALUE, ensure_ascii=False)[1:-1],
        VALUE.replace(" ", "  "),
        VALUE.replace("t", "t\u200b"),
        VALUE.replace("&", "&#38;").replace('"', "&#x22;"),
    ],
)
def test_a_value_is_found_however_it_is_written(written: str) -> None:
    assert VAULT.redact(f"<{written}>") == "<{secret.bank}>"


def test_numbers_are_found_in_groups() -> None:
    for card in ("4111 1111 1111 1111", "4111-1111-1111-1111", "4111\u00a01111\u00a01111\u00a01111"):
        assert VAULT.redact(f"Card {card}.") == "Card {secret.card}."
    assert VAULT.redact("4111 1111 1111 1112") == "4111 1111 1111 1112"
    assert Vault({"a": Secret("test", "x")}).redact("great estate") == "great estate"


def test_the_longer_value_is_found_first() -> None:
    vault = Vault({"a": Secret("abcd", "x"), "b": Secret("abcdefgh", "x")})
    assert vault.redact("abcdefgh abcd") == "{secret.b} {secret.a}"


def test_a_cut_text_may_end_within_a_value() -> None:
    assert VAULT.redact_cut("my card is 41111111…") == "my card is {secret.card}"
    assert VAULT.redact_cut("my card is 411") == "my card is 411"


@given(value=st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cf", "Co", "Cn", "Zl", "Zp"]), min_size=4))
def test_any_value_is_found_in_each_of_its_forms(value: str) -> None:
    value = " ".join(value.split())
    if len(value) < 4:
        return
    vault = Vault({"s": Secret(value, "x")})
    for written in (value, quote(value), quote_plus(value), html.escape(value), json.dumps(value)[1:-1]):
        assert vault.redact(written) == "{secret.s}", written


# -- observations -----------------------------------------------------------------------------------------------------


def white(width: int = 200, height: int = 100) -> Picture:
    file = io.BytesIO()
    Image.new("RGB", (width, height), "white").save(file, "PNG")
    return Picture(file.getvalue(), Size(width, height))


def pixels(seen: Observation) -> Image.Image:
    assert seen.screen.picture is not None
    return Image.open(io.BytesIO(seen.screen.picture.data())).convert("RGB")


def test_no_secrets_no_work() -> None:
    seen = Observation(Screen(Size(1, 1)))
    assert redact(seen, NO_SECRETS) is seen
    clean = Observation(Screen(Size(200, 100), white(), [Element(1, Box(0, 0, 9, 9), text="hello")]), url="https://x/")
    assert redact(clean, VAULT) == clean
    assert redact(clean, VAULT).screen.picture is clean.screen.picture


def test_values_vanish_from_every_part_of_an_observation() -> None:
    elements = [
        Element(1, Box(10, 10, 60, 30), "input", VALUE),
        Element(2, Box(10, 50, 60, 70), "text", "fine", f"typed {CARD}"),
        Element(3, Box(100, 50, 150, 70), "text", "x" * 291 + " 41111111"),
        Element(4, Box(160, 50, 190, 70), "text", "x" * 400 + CARD),
    ]
    seen = redact(
        Observation(
            Screen(Size(200, 100), white(), elements),
            url=f"https://bank.example/?p={quote(VALUE)}",
            error=f"no option {VALUE}",
            events=(f"the page showed a dialog: {html.escape(VALUE)}",),
            instruction=f"Log in with {VALUE}",
        ),
        VAULT,
    )
    assert [e.text for e in seen.screen.elements[:2]] == ["{secret.bank}", "fine"]
    assert [e.text[290:] for e in seen.screen.elements[2:]] == ["x {secret.", "x" * 10]
    assert seen.screen.elements[1].caption == "typed {secret.card}"
    assert seen.url == "https://bank.example/?p={secret.bank}"
    assert (seen.error, seen.instruction) == ("no option {secret.bank}", "Log in with {secret.bank}")
    assert seen.events == ("the page showed a dialog: {secret.bank}",)
    image = pixels(seen)
    for element in elements:
        assert image.getpixel((int(element.box.x0), int(element.box.y1))) == COVER
    assert image.getpixel((80, 40)) == (255, 255, 255)
