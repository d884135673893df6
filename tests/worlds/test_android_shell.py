"""Nothing typed may become a command: quoting against real shells, texts against Android's own reading, keys, apps."""

from __future__ import annotations

import doctest
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from fake_phone import android_text
from hypothesis import given
from hypothesis import strategies as st
from posix_line import SecondCommandError, parse_line

from saccade.worlds.android import apps, keyboard, keys, shell
from saccade.worlds.android.apps import find_packages
from saccade.worlds.android.keyboard import KEYS_AT_ONCE, key_pieces
from saccade.worlds.android.keys import key_codes
from saccade.worlds.android.labels import LABELS
from saccade.worlds.android.shell import LONGEST_LINE, command, quote

SHELLS = [found for name in ("sh", "bash", "mksh") if (found := shutil.which(name))]
NASTY = [
    "; rm -rf / #",
    "$(reboot)",
    "`id`",
    "a'b\"c",
    "%s",
    "\\n",
    "&& ls",
    "|| true",
    "a\nb",
    "'",
    "''",
    "'\\''",
    "\\",
    "~",
    "*",
    "-n",
    "--",
    "$HOME",
    "${PATH}",
    "!!",
    "a=b",
    "\t",
    " ",
    "",
    "(x)",
    "<in >out",
    "你好'世界",
    "😀; ls",
    "\\'",
    "\x7f\x01",
    "\r\n",
    "\x81\x88",
    "a b",
    "\u202e",
]
characters = st.characters(blacklist_categories=["Cs"], blacklist_characters="\0")
texts = (
    st.text(characters, max_size=60) | st.text("'\"\\$`;|&<>(){}[]*?~#%=! \n\tas", max_size=40) | st.sampled_from(NASTY)
)
plain = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E) | st.sampled_from("%s %s\n\t"), max_size=500)


@pytest.fixture(scope="module")
def cage(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a shell finds no command but `printf`: if quoting ever broke, these tests would run what they quote."""
    folder = tmp_path_factory.mktemp("cage")
    printf = shutil.which("printf")
    assert printf is not None
    (folder / "printf").symlink_to(printf)
    return folder


def printed(program: str, line: str, cage: Path) -> bytes:
    done = subprocess.run(
        [program, "-c", line], capture_output=True, check=True, timeout=10, cwd=cage, env={"PATH": str(cage)}
    )
    return done.stdout


def test_the_cage_holds(cage: Path) -> None:
    for program in SHELLS:
        assert printed(program, "printf %s a; rm printf; ls; printf b; exit 0", cage) == b"ab"


@pytest.mark.parametrize("program", SHELLS)
@given(text=texts)
def test_a_real_shell_reads_a_quoted_word_back(program: str, cage: Path, text: str) -> None:
    assert printed(program, "printf %s " + quote(text), cage) == text.encode()


@pytest.mark.parametrize("text", NASTY)
def test_nasty_words_one_by_one(text: str, cage: Path) -> None:
    for program in SHELLS:
        assert printed(program, f"printf %s {quote(text)}", cage) == text.encode()


@given(words=st.lists(texts, min_size=1, max_size=6))
def test_words_stay_apart_and_are_one_command(cage: Path, words: list[str]) -> None:
    line = command("printf", "%s\\n--\\n", *words)
    assert parse_line(line) == ["printf", "%s\\n--\\n", *words]
    assert printed(SHELLS[0], line, cage) == "".join(f"{word}\n--\n" for word in words).encode()


@given(text=st.text(characters, max_size=80))
def test_the_strict_reader_agrees_that_nothing_escapes(text: str) -> None:
    quoted = quote(text)
    assert parse_line(f"x {quoted}") == ["x", text]
    bare = re.sub(r"'[^']*'|\\'", "", quoted)
    assert re.fullmatch(r"[A-Za-z0-9_./:,@-]*", bare)


def test_what_cannot_be_sent_is_refused() -> None:
    with pytest.raises(ValueError, match="code 0"):
        quote("a\0b")
    with pytest.raises(ValueError, match="surrogate"):
        quote("\ud83d")
    with pytest.raises(ValueError, match="too long"):
        command("input", "text", "x" * LONGEST_LINE)


@pytest.mark.parametrize(
    "line",
    [
        "a; b",
        "a | b",
        "a && b",
        "a & b",
        "a $(b)",
        'a "$(b)"',
        "a `b`",
        'a "`b`"',
        "a\nb",
        "a > b",
        "a $b",
        "a 'b",
        "a # b",
        "a\\",
    ],
)
def test_the_double_sees_second_commands(line: str) -> None:
    with pytest.raises(SecondCommandError):
        parse_line(line)


@given(text=plain)
def test_input_text_types_what_was_meant(text: str) -> None:
    typed = "".join(piece if piece in "\n\t" else android_text(piece) for piece in key_pieces(text))
    assert typed == text
    assert all(len(piece) <= 2 * KEYS_AT_ONCE for piece in key_pieces(text))


@pytest.mark.parametrize(
    ("key", "codes"),
    [
        ("back", ["BACK"]),
        ("HOME", ["HOME"]),
        ("Enter", ["ENTER"]),
        ("recent", ["APP_SWITCH"]),
        ("menu", ["MENU"]),
        ("volume_up", ["VOLUME_UP"]),
        ("Volume Down", ["VOLUME_DOWN"]),
        ("volumeup", ["VOLUME_UP"]),
        (" ", ["SPACE"]),
        ("-", ["MINUS"]),
        ("power", ["POWER"]),
        ("page_up", ["PAGE_UP"]),
        ("PageUp", ["PAGE_UP"]),
        ("f5", ["F5"]),
        ("a", ["A"]),
        ("7", ["7"]),
        ("+", ["PLUS"]),
        ("ctrl+a", ["CTRL_LEFT", "A"]),
        ("KEYCODE_BACK", ["BACK"]),
        ("backspace", ["DEL"]),
        ("page-down", ["PAGE_DOWN"]),
        ("keycode_volume_up", ["VOLUME_UP"]),
    ],
)
def test_keys(key: str, codes: list[str]) -> None:
    assert key_codes(key) == [f"KEYCODE_{code}" for code in codes]


@given(key=st.text(max_size=30) | texts)
def test_no_key_is_anything_but_a_key_code(key: str) -> None:
    for code in key_codes(key) or []:
        assert re.fullmatch(r"KEYCODE_[A-Z0-9_]+", code)


@pytest.mark.parametrize(
    "key", ["", "nope", "KEYCODE_", "KEYCODE_REBOOT; ls", "ctrl+", "ctrl+shift+alt+a+b", "back;reboot", "⌘"]
)
def test_unknown_keys(key: str) -> None:
    assert key_codes(key) is None


PACKAGES = [
    "com.android.settings",
    "com.google.android.apps.maps",
    "com.tencent.mm",
    "com.example.notes",
    "com.other.notes",
    "com.Slack",
    "com.google.android.apps.photos",
]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("com.android.settings", ["com.android.settings"]),
        ("Settings", ["com.android.settings"]),
        ("设置", ["com.android.settings"]),
        ("微信", ["com.tencent.mm"]),
        ("WeChat", ["com.tencent.mm"]),
        ("Google Maps", ["com.google.android.apps.maps"]),
        ("maps", ["com.google.android.apps.maps"]),
        ("slack", ["com.Slack"]),
        ("COM.SLACK", ["com.Slack"]),
        ("notes", ["com.example.notes", "com.other.notes"]),
        ("example notes", ["com.example.notes"]),
        ("nothing", []),
        ("", []),
        ("; ls", []),
        ("com", []),
        ("...", []),
    ],
)
def test_apps_by_name(name: str, found: list[str]) -> None:
    assert find_packages(name, PACKAGES) == found


def test_labels_are_written_as_they_are_looked_up() -> None:
    for label, packages in LABELS.items():
        assert label == apps._plain(label)
        assert packages and all(re.fullmatch(r"[A-Za-z][\w.]*", package, re.ASCII) for package in packages)


@pytest.mark.parametrize("module", [shell, keys, keyboard, apps])
def test_examples(module: object) -> None:
    assert doctest.testmod(module).failed == 0  # type: ignore[arg-type]
