"""API keys and passwords among the settings are in no file of a run or a measurement, and a run can be resumed."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, ClassVar

import msgspec
import pytest
from command import saccade
from recordings import DONE, TAP, record, say

from saccade.agents.hidden_settings import cleaned, hidden, restored, settings_vault
from saccade.agents.log import read_run
from saccade.agents.records import Outcome
from saccade.agents.replay_page import write_replay
from saccade.agents.run import RunOverrides, resume_run, start_run
from saccade.agents.settings import Settings
from saccade.bench.cases import Bench, Result
from saccade.bench.results_store import ResultsStore, read_bench
from saccade.errors import InputError

KEY, PASSWORD = "k3y-4f9a-c2d7", "p4ss/word!"
SECRETS = (KEY, "env-key-77", "p4ss", "bWU6cDRzcy93b3JkIQ")
"""The last is me:p4ss/word! in Base64, as HTTP sends a login."""


@pytest.fixture(autouse=True)
def no_key_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ({"api_key": KEY}, {"api_key": "{secret.api_key}"}),
        ({"api_key": 123456}, {"api_key": "{secret.api_key}"}),
        ({"X-Api-Key": "x"}, {"X-Api-Key": "{secret.X-Api-Key}"}),
        (
            {"extra": {"headers": {"Authorization": "Bearer x"}}},
            {"extra": {"headers": {"Authorization": "{secret.Authorization}"}}},
        ),
        ({"accessToken": "x", "cookie": "a=b"}, {"accessToken": "{secret.accessToken}", "cookie": "{secret.cookie}"}),
        ({"base_url": "https://me:p@ss@h.example/v1"}, {"base_url": "https://{secret.base_url}@h.example/v1"}),
        ({"base_url": "http://t0ken@h:8000"}, {"base_url": "http://{secret.base_url}@h:8000"}),
        ({"base_url": "https://h/v1?api_key=abc&v=2"}, {"base_url": "https://h/v1?api_key={secret.api_key}&v=2"}),
        ({"max_tokens": 1024, "stop": ["a@b"], "api_key": ""}, {"max_tokens": 1024, "stop": ["a@b"], "api_key": ""}),
        ({"base_url": "http://127.0.0.1:8000/v1"}, {"base_url": "http://127.0.0.1:8000/v1"}),
        (
            {"instruction": "Mail me@x.example about {secret.pin}"},
            {"instruction": "Mail me@x.example about {secret.pin}"},
        ),
    ],
)
def test_what_is_hidden(given: dict[str, Any], kept: dict[str, Any]) -> None:
    assert hidden(given) == kept


def test_known_values_are_hidden_in_all_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "env-key-77")
    vault = settings_vault({"model_options": {"api_key": KEY}, "base_url": f"https://me:{'p4ss%2Fword!'}@h/v1"})
    outcome = Outcome("broken", "model", f"refused {KEY}, env-key-77 and https://h/?p=p4ss%2Fword!")
    assert cleaned(outcome, vault).reason == (
        "refused {secret.api_key}, {secret.OPENAI_API_KEY} and https://h/?p={secret.base_url}"
    )
    assert not settings_vault({"api_key": "EMPTY"}).redact("EMPTY").startswith("{"), "too short to be told from a word"


class Model(BaseHTTPRequestHandler):
    """A model's server that repeats the key that it was given in what it says, and fails when it is told to."""

    answers: ClassVar[list[str]] = []
    keys: ClassVar[list[str]] = []

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.keys.append(str(self.headers["Authorization"]).removeprefix("Bearer "))
        if not self.answers:
            return self.answer(400, {"error": {"message": f"no answer for {self.keys[-1]} at {PASSWORD}"}})
        text = self.answers.pop(0).replace("because", f"because {self.keys[-1]}")
        return self.answer(200, {"choices": [{"message": {"content": text}, "finish_reason": "stop"}]})

    def answer(self, status: int, value: object) -> None:
        body = msgspec.json.encode(value)
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None: ...


def texts(folder: Path) -> str:
    return "\n".join(file.read_text() for file in folder.rglob("*") if file.suffix in (".json", ".jsonl", ".html"))


@pytest.mark.parametrize("login", ["", "me:p4ss%2Fword!@"])
def test_a_run_keeps_no_key_and_is_resumed_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, login: str) -> None:
    """With a user and a password in the address, HTTP sends those in place of the key."""
    Model.keys.clear()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    Thread(target=server.serve_forever, daemon=True).start()
    recording, out = record(tmp_path / "recording", (TAP,) * 4), tmp_path / "run"
    address = f"http://{login}127.0.0.1:{server.server_port}/v1"
    options = {"api_key": KEY, "stream": False}
    settings = Settings(world=f"replay:{recording}", model="openai/m", base_url=address, model_options=options)
    Model.answers[:] = [say("btl", TAP)]
    with pytest.raises(InputError, match="no answer for"):
        start_run(settings, out)
    write_replay(out)
    kept = texts(out)
    assert "{secret.api_key}" in kept and ("{secret.base_url}" in kept) == bool(login)
    assert not [value for value in SECRETS if value in kept]
    if login:
        with pytest.raises(InputError, match="--base-url …, of which no secret is kept on disk: give it again"):
            resume_run(out)
    with pytest.raises(InputError, match=r"--model-with api_key=….*or set OPENAI_API_KEY"):
        resume_run(out, RunOverrides(again={"base_url": address}))
    monkeypatch.setenv("OPENAI_API_KEY", "env-key-77")
    Model.answers[:] = [say("btl", TAP)]
    with pytest.raises(InputError, match="no answer for"):
        resume_run(out, RunOverrides(again={"base_url": address}))
    Model.answers[:] = [say("btl", DONE)]
    log = resume_run(out, RunOverrides(again={"base_url": address, "model_options": {"api_key": KEY}}))
    assert log.run.outcome is not None and log.run.outcome.status == "claimed"
    assert login or (Model.keys[0] == Model.keys[-1] == KEY and "env-key-77" in Model.keys)
    write_replay(out)
    assert not [value for value in SECRETS if value in texts(out)]
    assert read_run(out).settings["model_options"] == {"api_key": "{secret.api_key}", "stream": False}
    server.shutdown()


def test_nothing_is_asked_for_that_is_not_needed() -> None:
    kept = hidden({"world": "https://me:pa55word@h/", "model": "mini", "model_options": {"api_key": KEY}})
    assert restored(kept, {}, ()) == kept
    with pytest.raises(InputError, match="--world …"):
        restored(kept, {}, {"world"})
    assert restored(kept, {"world": "https://me:pa55word@h/"}, {"world"})["world"] == "https://me:pa55word@h/"


def test_a_measurement_keeps_no_key_and_goes_on_with_another(tmp_path: Path) -> None:
    def bench(key: str, model: str = "openai/m") -> Bench:
        options = {"api_key": key}
        return Bench("phone", {"model": model, "base_url": "https://me:pa55word@h/", "model_options": options}, {})

    with ResultsStore(tmp_path, bench(KEY)) as store:
        store.add(Result(id="a", status="broken", problem=f"{KEY} is no key for https://me:pa55word@h/"))
        store.finish(["a"])
    assert not [value for value in (KEY, "pa55word") if value in texts(tmp_path)]
    assert "{secret.api_key}" in read_bench(tmp_path).settings["model_options"]["api_key"]
    with ResultsStore(tmp_path, bench("another-key")) as store:
        assert set(store.results) == {"a"}
    with pytest.raises(InputError, match="different settings"):
        ResultsStore(tmp_path, bench(KEY, "openai/other"))


def test_on_the_command_line(tmp_path: Path) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    Thread(target=server.serve_forever, daemon=True).start()
    recording, out = record(tmp_path / "recording", (TAP,) * 4), tmp_path / "run"
    world, key = ["--world", f"replay:{recording}", "--model", "openai/m"], ["--model-with", f"api_key={KEY}"]
    address = ["--base-url", f"http://127.0.0.1:{server.server_port}/v1", "--model-with", "stream=no"]
    Model.answers[:] = [say("btl", TAP)]
    begun = saccade("run", *world, *address, *key, "--out", out, "--json")
    assert begun.returncode == 2 and KEY not in begun.stdout + begun.stderr + texts(out)
    refused = saccade("run", "--resume", out)
    assert refused.returncode == 2 and "give it again, or set OPENAI_API_KEY" in refused.stderr
    Model.answers[:] = [say("btl", DONE)]
    assert saccade("run", "--resume", out, *key).returncode == 0
    assert Model.keys[-1] == KEY and KEY not in texts(out)
    server.shutdown()
