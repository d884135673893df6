"""Kills data pipelines with SIGKILL at random moments and starts them again. The result must be the same, byte for
byte, as without a kill, and no answer that was stored may be asked for again.

python benchmarks/pipeline_kills.py --records COLLECTION --walk WALK --runs RUNS [--kills 20] [--only blink …]

COLLECTION and WALK are in English (`saccade data collect phone --option language=en …`, `saccade data walk phone …`),
RUNS a measurement (`saccade bench phone …`). A small chat server on loopback answers the roles: well enough to be read,
and the same for the same question.

`walk` and `navigate` play in a browser. Before the kills they run undisturbed a second time: what already differs then
is Chromium's doing (`differs_undisturbed`), and only other files count as different.
"""

from __future__ import annotations

import argparse
import hashlib
import http.server
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

PAUSE = 0.04
"""Seconds that the server takes for an answer."""
ITEM = re.compile(r"^(\d+) (\S+?)( \(interactive\))?(?: |$)", re.MULTILINE)
NOUNS = {"input": "field", "image": "picture"}
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def analyser(prompt: str) -> Any:
    found = [
        {"id": int(id), "kind": "dynamic" if used else "static", "caption": kind} for id, kind, used in items(prompt)
    ]
    return {"elements": found[:3]}


def annotator(prompt: str) -> Any:
    first = items(prompt)[0][0]
    sentence = "this element is a part of the screen that shows where one is."
    return {"elements": [{"id": int(first), "description": sentence}], "thinks": ["The task asks for one more step."]}


def grounding(prompt: str) -> Any:
    kind, text, number = (re.search(p, prompt) for p in (r"- type: (.*)", r"- text: (.*)", r"this one is number (\d+)"))
    noun = NOUNS.get(kind[1], kind[1]) if kind else "item"
    place = f"{ORDINALS[int(number[1]) - 1]} " if number and int(number[1]) <= len(ORDINALS) else ""
    named = f"'{text[1][:24]}' {noun}" if text else noun
    said = f"Tap on the {place}{named}"
    return {
        "instructions": [said],
        "thoughts": [f"I look for it on the screen, and then I tap {said[7:]} with a finger."],
    }


def context(prompt: str) -> Any:
    begun = "Nothing was done yet" not in prompt
    return {
        "context": "The first steps were done." if begun else "",
        "thought": "The next action follows from the task.",
    }


ROLES: dict[str, Callable[[str], Any]] = {
    "Which of these elements does somebody have to look at": analyser,
    "You prepare teaching material": annotator,
    "You write exercises in which somebody": grounding,
    "Write the instruction that this one action": lambda prompt: {"instruction": "open the page that is named there"},
    "Write the task that was done": lambda prompt: {"instruction": "Please bring me to the page.", "reason": ""},
    "Grade what was done": lambda prompt: {"completion": 4, "coherence": 4, "reason": "It was done."},
    "Write two texts in English": context,
    "Was the whole task done": lambda prompt: {"done": True, "reason": "It was done."},
}


def items(prompt: str) -> list[tuple[str, str, str]]:
    return [(id, kind, used) for id, kind, used in ITEM.findall(prompt)] or [("0", "text", "")]


class Server(http.server.ThreadingHTTPServer):
    """Answers, and counts what was asked."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: Counter[str] = Counter()
        self.lock = threading.Lock()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that was killed is no error of the server."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class Handler(http.server.BaseHTTPRequestHandler):
    """One question."""

    protocol_version = "HTTP/1.1"
    server: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        key = hashlib.sha256(json.dumps(body["messages"]).encode()).hexdigest()
        with self.server.lock:
            self.server.asked[key] += 1
        time.sleep(PAUSE)
        parts = body["messages"][0]["content"]
        prompt = parts if isinstance(parts, str) else "\n".join(part.get("text", "") for part in parts)
        answer: Any = next((make(prompt) for sign, make in ROLES.items() if sign in prompt), {})
        message = {"role": "assistant", "content": json.dumps(answer)}
        usage = {"prompt_tokens": 1000, "completion_tokens": 50}
        told = {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}], "usage": usage}
        data = json.dumps(told).encode()
        try:
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)
        except OSError:
            self.close_connection = True

    def log_message(self, *_: object) -> None: ...


def files_of(out: Path) -> dict[str, str]:
    """Hashes of all files, without locks."""
    files = [file for file in sorted(out.rglob("*")) if file.is_file() and file.name != ".lock"]
    return {file.relative_to(out).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def start(command: list[str], out: Path) -> subprocess.Popen[bytes]:
    call = [sys.executable, "-m", "saccade", "data", *command, "--out", str(out)]
    return subprocess.Popen(call, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)


def finish(command: list[str], out: Path) -> float:
    began = time.monotonic()
    process = start(command, out)
    said = process.communicate()[1].decode()
    if process.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: exit code {process.returncode}: {said}")
    return time.monotonic() - began


class KillReport(msgspec.Struct):
    """What came of one pipeline."""

    pipeline: str
    kills: int
    ended: int
    """How often it came to its end between kills; each result was compared."""
    files: int
    differs_undisturbed: list[str]
    """Files that differ between two runs without kills."""
    different_files: list[str]
    """Other files that differ from the undisturbed run in a result with kills, or are there in one of them only."""
    questions: int
    """Different ones."""
    asked_again: int
    """Questions that were asked more than once over all kills: they were in flight when the process died."""
    seconds: float


PIPELINES = ["walk", "blink", "comprehend", "ground", "reverse", "navigate", "improve"]
PLAY = ("walk", "navigate")
"""Pipelines that play in a browser."""


def differences(one: dict[str, str], other: dict[str, str]) -> set[str]:
    """Names of the files that are not the same in both, or are missing in one."""
    return {name for name in one.keys() | other.keys() if one.get(name) != other.get(name)}


def kill_and_compare(name: str, command: list[str], server: Server, kills: int, chance: random.Random) -> KillReport:
    """Run a pipeline undisturbed, then kill it again and again; each time that it comes to its end, compare."""
    with tempfile.TemporaryDirectory() as folder:
        whole, killed = Path(folder, "whole"), Path(folder, "killed")
        seconds = finish(command, whole)
        wanted, different, done, again, ended, questions = files_of(whole), set[str](), 0, 0, 0, 0
        unsteady = set[str]()
        if name in PLAY:
            finish(command, killed)
            unsteady = differences(wanted, files_of(killed))
            shutil.rmtree(killed)
        server.asked = Counter()
        while done < kills or killed.exists():
            process = start(command, killed)
            try:
                limit = chance.uniform(0.3, max(1.0, seconds * 0.9)) if done < kills else None
                said = process.communicate(timeout=limit)[1].decode()
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
                done += 1
                continue
            if process.returncode != 0:
                raise SystemExit(f"{' '.join(command)}: exit code {process.returncode} after {done} kills: {said}")
            different |= differences(wanted, files_of(killed))
            again += sum(count - 1 for count in server.asked.values())
            ended += 1
            shutil.rmtree(killed)
            questions, server.asked = len(server.asked), Counter()
        return KillReport(
            name,
            done,
            ended,
            len(wanted),
            sorted(unsteady),
            sorted(different - unsteady),
            questions,
            again,
            round(seconds, 1),
        )


def commands(given: argparse.Namespace, url: str, folder: Path) -> dict[str, list[str]]:
    """What is run, by the pipeline's name; the walk and the episodes of `navigate` are played on the phone."""
    model = ["--model", "openai/small", "--base-url", url, "--workers", "2"]
    items = ["--max-items", str(given.items)]
    plan = folder / "plan.json"
    options = {"split": "train", "language": "en", "scale": 1}
    plan.write_text(json.dumps({"world": "phone", "options": options, "tasks": given.episodes}))
    told = ["--option", "language=en", "--option", "scale=1", "--seed", "3", "--workers", "2"]
    steps = ["--steps", str(6 * given.episodes), "--episode-steps", "6"]
    return {
        "walk": ["walk", "phone", *steps, *told],
        **{name: [name, str(given.records), *model, *items] for name in ("blink", "comprehend")},
        "ground": ["ground", str(given.walk), *model, *items],
        "reverse": ["reverse", str(given.walk), *model, "--max-items", str(given.walks)],
        "navigate": ["navigate", str(plan), "--policy", "oracle", *model],
        "improve": ["improve", str(given.runs)],
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=Path, help="for blink and comprehend")
    parser.add_argument("--walk", type=Path, help="for ground and reverse")
    parser.add_argument("--runs", type=Path, help="for improve")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--items", type=int, default=60, help="screens for blink, comprehend and ground")
    parser.add_argument("--walks", type=int, default=2, help="episodes of the walk for reverse")
    parser.add_argument("--episodes", type=int, default=8, help="episodes for walk and navigate")
    parser.add_argument("--only", nargs="*", choices=PIPELINES, default=PIPELINES)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    server, chance, reports = Server(), random.Random(1), []
    with tempfile.TemporaryDirectory() as folder:
        for name in given.only:
            command = commands(given, server.url, Path(folder))[name]
            report = kill_and_compare(name, command, server, given.kills, chance)
            reports.append(report)
            print(
                f"{name:12} {report.kills} kills, {report.ended} results; {report.files} files each, "
                f"{len(report.differs_undisturbed)} differ without kills {report.differs_undisturbed[:3]}, "
                f"{len(report.different_files)} others differ {report.different_files[:3]}; "
                f"{report.questions} questions, {report.asked_again} asked again (at most {2 * report.kills} were in "
                f"flight); {report.seconds} s without kills",
                flush=True,
            )
            if given.json:
                given.json.write_bytes(msgspec.json.encode(reports))
    return int(any(report.different_files or report.asked_again > 2 * report.kills for report in reports))


if __name__ == "__main__":
    sys.exit(main())
