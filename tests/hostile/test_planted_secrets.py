"""A planted key, password and secret are in no file, row, prompt or export that any command leaves, in no spelling."""

from __future__ import annotations

import json
from base64 import b64encode
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from command import saccade
from recordings import DONE, TAP, record, say

from saccade.worlds.secrets import Secret, Vault

SECRET = "Tr0ub4dor&Zebra 9é"
KEY = "sk-live-9f8e7d6c5b4a3210"
PASSWORD = "Qx7!kLm2Zp-wq"
PLUGIN = Path(__file__).parents[2] / "examples" / "plugins" / "counter_world.py"


def spellings(value: str) -> dict[str, str]:
    """A value in all spellings that are looked for. In base64, what depends on the neighbours is left out."""
    raw = value.encode()
    percent = "".join(f"%{byte:02X}" for byte in raw)
    return {
        "plain": value,
        "capitals": value.upper(),
        "address": quote(value, safe=""),
        "every letter of an address": percent,
        "address twice": quote(percent, safe=""),
        "HTML, decimal": "".join(f"&#{ord(letter)};" for letter in value),
        "HTML, hexadecimal": "".join(f"&#x{ord(letter):x};" for letter in value),
        "JSON": json.dumps(value)[1:-1],
        "JSON, every letter": "".join(f"\\u{ord(letter):04x}" for letter in value),
        "base64, first place": b64encode(raw).decode()[: len(raw) * 8 // 6],
        "base64, second place": b64encode(b"a" + raw).decode()[2 : (1 + len(raw)) * 8 // 6],
        "base64, third place": b64encode(b"ab" + raw).decode()[3 : (2 + len(raw)) * 8 // 6],
        "hexadecimal": raw.hex(),
        "backwards": value[::-1],
        "UTF-16": value.encode("utf-16-le").decode("latin-1") if value.isascii() else "\0".join(value),
        "quoted-printable": "".join(f"={byte:02X}" for byte in raw),
    }


def found_in(content: bytes, planted: dict[str, str]) -> list[str]:
    """The spellings that occur in a file, however JSON writes them there."""
    low = content.lower()
    return [
        f"{name}: {text}"
        for name, text in planted.items()
        if any(form.lower().encode() in low for form in {text, json.dumps(text)[1:-1], text.replace("&", "&amp;")})
    ]


@pytest.mark.parametrize("value", [SECRET, KEY, PASSWORD, "4111111111111111", "密码很长的密码"])
def test_each_spelling_is_replaced_also_within_other_text(value: str) -> None:
    vault = Vault({"planted": Secret(value, "")})
    for name, text in spellings(value).items():
        clean = vault.redact(f"before, {text}, after").replace("\0", "")
        assert clean == "before, {secret.planted}, after", name
    for prefix in (b"", b"user:", b"x", b"a long beginning "):
        coded = b64encode(prefix + value.encode() + b" and more").decode()
        assert not found_in(vault.redact(coded).encode(), spellings(value))


def test_no_command_leaves_a_planted_secret_anywhere(tmp_path: Path) -> None:
    """The screens show it, the model says it back, and key and password are among the settings."""
    planted = {f"{name} {each}": text for name, value in (("secret", SECRET), ("key", KEY), ("password", PASSWORD))
               for each, text in spellings(value).items()}  # fmt: skip
    source, work = tmp_path / "source", tmp_path / "work"
    source.mkdir()
    work.mkdir()
    record(source, [TAP] * 8)
    lines = [json.loads(line) for line in (source / "steps.jsonl").read_text().splitlines()]
    texts = list(planted.values())
    for at, line in enumerate(lines):
        of_secret = [text for name, text in planted.items() if name.startswith("secret")]
        line["elements"] = [
            {"id": 1 + number, "box": [20, 100 + 20 * number, 280, 118 + 20 * number], "type": "button", "text": text}
            for number, text in enumerate(of_secret[at * 2 : at * 2 + 2])
        ] + line["elements"]
    (source / "steps.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (source / "secrets.yaml").write_text(f"bank: {{value: '{SECRET}', place: bank.example}}\n", encoding="utf-8")
    answers = [say("btl", TAP, think=" and ".join(texts[at::7])) for at in range(7)] + [say("btl", DONE)]
    (source / "script.jsonl").write_text("".join(json.dumps(answer) + "\n" for answer in answers))
    known = [text for name, text in planted.items() if not name.startswith("secret")]  # to the model's server
    answers = [say("btl", TAP, think=" and ".join(known[at % 7 :: 7])) for at in range(60)]
    (source / "known.jsonl").write_text("".join(json.dumps(answer) + "\n" for answer in answers))
    run = work / "run"
    common: list[Any] = [
        *("--model", f"scripted/{source}/script.jsonl", "--base-url", f"http://me:{quote(PASSWORD)}@127.0.0.1:1/v1"),
        *("--secrets", source / "secrets.yaml", "--paradigm", "btl", "--set", "window=0"),
    ]
    knowing: list[Any] = [f"scripted/{source}/known.jsonl", *common[2:4]]
    playing: list[Any] = ["--plugin", PLUGIN, "--workers", "1", "--paradigm", "btl", "--out"]
    commands: list[list[Any]] = [
        ["run", "Look for hats", "--world", f"replay:{source}", *common[:-2], "--out", run],
        ["view", run],
        ["bench", "counter", "--model", *knowing, "--limit", "2", *playing, work / "bench"],
        ["bench", "steps", "--data", run, "--model", *knowing, "--paradigm", "btl", "--out", work / "steps"],
        ["data", "collect", "counter", "--player", *knowing, "--episodes", "1", *playing, work / "collected"],
        ["data", "blink", run, "--model", *knowing, "--out", work / "blink"],
        ["data", "improve", run, "--out", work / "improved"],
        ["data", "describe", run / "steps.jsonl"],
        ["data", "export", "verl", run, "--paradigm", "btl", "--out", work / "export"],
        ["review", "add", "step", run, "--folder", work, "--database", f"sqlite:///{work}/studio.db"],
        ["studio", work, "--bundle", tmp_path / "site"],
    ]
    said = []
    for command in commands:
        done = saccade(*command, OPENAI_API_KEY=KEY)
        said.append(f"{command[:2]}: {done.returncode} {done.stderr[-300:]}")
        assert done.returncode == 0, said[-1]
        assert not found_in((done.stdout + done.stderr).encode(), planted), command
    assert (run / "steps.jsonl").read_text().count("{secret.") > 50, said
    files = [file for folder in (work, tmp_path / "site") for file in folder.rglob("*") if file.is_file()]
    made = {"steps.jsonl", "run.json", "replay.html", "studio.db", "results.jsonl"}
    assert made <= {file.name for file in files}, said
    assert all((work / name).is_dir() for name in ("bench", "steps", "collected", "blink/answers")), said
    wrong = [f"{file}: {hit}" for file in files for hit in found_in(file.read_bytes(), planted)]
    assert not wrong, "\n".join(wrong)
