"""Gives hostile files and server answers to every reader, command and client: none may show a traceback, take longer
than 10 s, or need more than 2 GB.

python benchmarks/fuzz_inputs.py [--inputs 500] [--seed 1] [--keep DIR]

Each input runs in a process of its own (a fork, so that nothing is imported again), which is killed when its time is
over. What is drawn depends on the seed and the number of the input alone.
"""

from __future__ import annotations

import argparse
import contextlib
import faulthandler
import io
import json
import os
import random
import resource
import shutil
import signal
import socket
import struct
import sys
import tempfile
import threading
import time
import traceback
import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from PIL import Image

from saccade.cli import main as saccade_main
from saccade.data.readers import DATASETS
from saccade.errors import InputError
from saccade.models import Ask, ModelError, open_model
from saccade.types import Message
from saccade.worlds.android.device import _unpack
from saccade.worlds.android.dump import hierarchy
from saccade.worlds.android.screenshots import read_png

SECONDS, MEGABYTES = 10.0, 2048
MODEL_SECONDS = 4.0
MOST_ZEROS = 150_000_000
STEP = {
    "id": "a", "episode": "e", "step": 0, "instruction": "Open the mail", "screen": [1080, 2400], "image": "1.png",
    "elements": [{"id": 1, "box": [0, 0, 100, 100], "type": "button", "text": "Mail"}],
    "key_elements": [{"id": 1, "box": [0, 0, 100, 100]}], "truth": [{"type": "click", "point": [50, 50]}],
    "prediction": {"type": "click", "point": [40, 40]}, "output": "<answer>click(50, 50)</answer>", "paradigm": "btl",
    "tags": {"platform": "mobile", "language": "en"},
}  # fmt: skip
RUN = {
    "id": "r", "settings": {"world": "phone/clock.add_alarm", "paradigm": "btl"}, "versions": {}, "started": "2026",
    "instruction": "x", "attempts": [{}], "usage": {}, "seconds": 1.0,
}  # fmt: skip
DUMP = (
    '<?xml version="1.0"?><hierarchy rotation="0"><node class="android.widget.Button" text="OK" clickable="true" '
    'bounds="[0,0][100,100]"/></hierarchy>'
)
YAMLS = {
    "policy": "default: ask\nrules:\n  - {name: a, decision: allow, action: [click], text: [save]}\n",
    "secrets": "bank: {value: correct horse, place: bank.example, about: password}\n",
    "recipe": "stage: sft\nparadigm: btl\nswitches: {space: paper}\nlora: {rank: 8}\nepochs: 1\n",
    "mix": "- {name: a, source: screenspot, folder: x, count: 3}\n",
    "plan": "world: there-is-none\ntasks: 0\n",
    "prices": "gpt: {input: 2.5, output: 10}\n",
}
FIELDS = (
    "device_info task_info result_action_type result_touch_yx action_type_text image_id instruction bbox img_filename "
    "episode_id step_id actions screenshot image_path views foreground_activity annotation operation website task "
    "img_url data_type application class problem solution annotations conversations messages steps traj goal"
).split()
PLACES = (
    *("a.json", "a.jsonl", "annotations/a.json", "test.json", "train.jsonl", "screenspot_web.json", "data.parquet"),
    *("general/a.json", "a-00000-of-00001", "states/state_1.json", "events/event_1.json", "test/a.json", "task_1.txt"),
    *("splits/random_split.json", "navigation_test.jsonl", "images.zip", "1.png", "OSWorld-G.json", "dump.xml"),
)


class Input(NamedTuple):
    """What is tried: a name, and what to do with a folder of its own."""

    name: str
    do: Callable[[Path], None]


class Verdict(NamedTuple):
    """What came of it."""

    name: str
    problem: str
    """Empty: all is well."""
    seconds: float
    megabytes: float
    said: str


# -- hostile content --------------------------------------------------------------------------------------------------


def twisted(value: Any, chance: random.Random) -> Any:
    """JSON with one value replaced by one of another kind."""
    wrong: list[Any] = [None, -1, 10**25, 1e300, "", "\0", "\ud800", [[]], {}, True, [value], "9" * 500, {"a": [value]}]
    if isinstance(value, dict) and value and chance.random() < 0.8:
        key = chance.choice(sorted(value))
        return {**value, key: twisted(value[key], chance)}
    if isinstance(value, list) and value and chance.random() < 0.8:
        at = chance.randrange(len(value))
        return [*value[:at], twisted(value[at], chance), *value[at + 1 :]]
    return chance.choice(wrong)


def damaged(data: bytes, chance: random.Random) -> bytes:
    """Bytes cut off, or with a few of them changed."""
    if not data or chance.random() < 0.5:
        return data[: chance.randrange(len(data) + 1)]
    changed = bytearray(data)
    for _ in range(chance.randint(1, 6)):
        changed[chance.randrange(len(data))] = chance.randrange(256)
    return bytes(changed)


def hostile_json(value: Any, chance: random.Random) -> bytes:
    plain = json.dumps(value).encode()
    deep = chance.choice([150, 1_000, 100_000])
    kinds: list[Callable[[], bytes]] = [
        lambda: json.dumps(twisted(value, chance)).encode(),
        lambda: json.dumps(twisted(value, chance)).encode(),
        lambda: damaged(plain, chance),
        lambda: b"[" * deep,
        lambda: b'{"a":' * deep + b"1" + b"}" * deep,
        lambda: plain.replace(b'"Mail"', b'"\xff\xfe"').replace(b'"x"', b'"\xff"'),
        lambda: plain[:-1] + b', "more": ' + b"[" * deep + b"]" * deep + b"}",
        lambda: plain.replace(b"1080", b"9" * 100_000),
        lambda: plain.replace(b'"a"', b'"' + b"a" * 3_000_000 + b'"'),
        lambda: plain + b"\0" * 100,
        lambda: b"\xef\xbb\xbf" + plain,
        lambda: plain.decode().encode("utf-16"),
        lambda: b"",
        lambda: (plain + b"\n") * 200,
        lambda: chance.randbytes(5_000),
        lambda: b'{"' + b'a":1,"' * 200_000 + b'b":1}',
        lambda: b"[" + b"0," * 1_000_000 + b"0]",
    ]
    return chance.choice(kinds)()


def hostile_yaml(text: str, chance: random.Random) -> bytes:
    def bomb(form: str) -> str:
        rows = [f"a: &a {form % ', '.join(['1: x'] if '{' in form else ['x'] * 9)}"]
        for one, other in zip("abcdefghi", "bcdefghij", strict=True):
            inner = ", ".join([f"*{one}"] * 9)
            rows.append(f"{other}: &{other} " + (f"{{<<: [{inner}]}}" if "{" in form else form % inner))
        return "\n".join(rows) + "\n"

    kinds: list[Callable[[], str | bytes]] = [
        lambda: bomb("[%s]"),
        lambda: bomb("{%s}"),
        lambda: text + bomb("[%s]"),
        lambda: "&a [*a]",
        lambda: "[" * chance.choice([200, 100_000]),
        lambda: "- " * 100_000,
        lambda: "a: " + "1:" * 100_000,
        lambda: text + "\nmore: " + "9" * 100_000,
        lambda: "!!python/object/apply:os.system [id]",
        lambda: text.encode() + b"\xff",
        lambda: damaged(text.encode(), chance),
        lambda: damaged(text.encode(), chance),
        lambda: "\0",
        lambda: "? [a]\n: 1\n",
        lambda: "a: !!bool maybe\n",
        lambda: "{a, " * 50_000,
        lambda: text.replace(": ", ": 2001-13-45 ", 1),
        lambda: "\n".join(f"k{at}: &k{at} 1" for at in range(10_000)),
        lambda: chance.randbytes(3_000),
        lambda: "",
    ]
    made = chance.choice(kinds)()
    return made if isinstance(made, bytes) else made.encode()


@lru_cache(maxsize=8)
def png_claiming(width: int, height: int, rows: int = 10) -> bytes:
    """A PNG whose head claims a size; its pixels are a few packed kilobytes."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    pixels = zlib.compress(bytes(min(rows * (width + 1), MOST_ZEROS)), 1)
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


def picture(mode: str = "RGB", form: str = "PNG", size: tuple[int, int] = (60, 40), **options: Any) -> bytes:
    file = io.BytesIO()
    Image.new(mode, size).save(file, form, **options)
    return file.getvalue()


def hostile_picture(chance: random.Random) -> bytes:
    exif = Image.Exif()
    exif[0x0112] = 6
    frames = [Image.new("P", (40, 30), at) for at in range(30)]
    kinds: list[Callable[[], bytes]] = [
        lambda: damaged(picture(), chance),
        lambda: damaged(picture(form="JPEG"), chance),
        lambda: damaged(picture(form="WEBP"), chance),
        lambda: damaged(picture("P", "GIF"), chance),
        lambda: png_claiming(12_000, 12_000, 12_000),
        lambda: png_claiming(6_000, 6_600, 6_600),
        lambda: png_claiming(2**31 - 1, 2**31 - 1),
        lambda: png_claiming(0, 5),
        lambda: picture("CMYK", "JPEG"),
        lambda: picture("1"),
        lambda: picture("I;16"),
        lambda: picture("LA"),
        lambda: picture(form="JPEG", exif=exif),
        lambda: picture("P", "GIF", save_all=True, append_images=frames),
        lambda: picture(form="TIFF"),
        lambda: picture(form="PNG", size=(1, 1)),
        lambda: picture(form="PNG", size=(20_000, 1)),
        lambda: b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 10 10\nshowpage\n",
        lambda: b"<svg xmlns='http://www.w3.org/2000/svg'/>",
        lambda: chance.randbytes(3_000),
        lambda: b"",
        lambda: picture()[:33] + chance.randbytes(400),
    ]
    return chance.choice(kinds)()


def hostile_dump(chance: random.Random) -> bytes:
    node = '<node class="a" bounds="[0,0][9,9]" text="x">'
    kinds: list[Callable[[], str | bytes]] = [
        lambda: damaged(DUMP.encode(), chance),
        lambda: '<!DOCTYPE a [<!ENTITY b "c">]><hierarchy>&b;</hierarchy>',
        lambda: "<hierarchy>" + node * 100_000,
        lambda: "<hierarchy>" + (node + "</node>") * 30_000 + "</hierarchy>",
        lambda: DUMP.replace("[0,0]", "[" + "9" * 5_000 + ",0]"),
        lambda: DUMP.replace("OK", "&#55357;&#0;" + "\x01" * 1_000),
        lambda: DUMP.replace("OK", "x" * 1_000_000),
        lambda: DUMP.encode("utf-16"),
        lambda: json.dumps({"views": twisted([{"bounds": [[0, 0], [9, 9]], "class": "a", "children": []}], chance)}),
        lambda: json.dumps({"views": [{"bounds": [[0, 0], [9, 9]], "class": "a", "children": [0], "parent": 0}] * 99}),
        lambda: '{"views":' + "[" * 100_000,
        lambda: chance.randbytes(2_000),
        lambda: "",
    ]
    made = chance.choice(kinds)()
    return made if isinstance(made, bytes) else made.encode("utf-8", "replace")


def put(path: Path, content: bytes, chance: random.Random) -> Path:
    """The file with this content; once in a while something in its place that is no regular file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    match chance.randrange(25):
        case 0:
            os.mkfifo(path)
        case 1:
            path.symlink_to("/dev/zero")
        case 2:
            path.symlink_to(path.name)
        case 3:
            path.mkdir()
        case 4:
            with path.open("wb") as file:
                file.write(content)
                file.truncate(3 << 30)  # without taking room on the disk
        case _:
            path.write_bytes(content)
    return path


# -- what gets it -----------------------------------------------------------------------------------------------------


def command(*words: str | Path) -> None:
    """`saccade WORDS`; `SystemExit` with its code."""
    sys.argv = ["saccade", *map(str, words)]
    saccade_main()


def step_file(folder: Path, chance: random.Random) -> Path:
    (folder / "1.png").write_bytes(hostile_picture(chance))
    value = {**STEP, "image": chance.choice(["1.png", "/dev/zero", "../../etc/passwd", "", "no.png"])}
    content = hostile_json(value, chance) if chance.random() < 0.7 else json.dumps(value).encode() + b"\n"
    return put(folder / "steps.jsonl", content, chance)


def try_steps(folder: Path, chance: random.Random) -> None:
    file, out = step_file(folder, chance), folder / "out"
    more = ["--keep-going"] if chance.random() < 0.5 else []
    words: list[list[Any]] = [
        ["score", file, "--profile", chance.choice(["btl", "all"]), *more],
        ["reward", file, "--paradigm", chance.choice(["btl", "uiloop", "secagent"])],
        ["data", "describe", file],
        ["data", "check", file],
        ["data", "export", chance.choice(["verl", "ms-swift", "easyr1", "llama-factory"]), file, "--out", out],
        ["data", "filter", file, "--out", out],
        ["run", "x", "--world", f"replay:{file}", "--model", "scripted/none", "--out", out],
        ["bench", "phone", "--predictions", file, "--out", out],
    ]
    command(*chance.choice(words))


def try_run_folder(folder: Path, chance: random.Random) -> None:
    (folder / "1.png").write_bytes(hostile_picture(chance))
    put(folder / "run.json", hostile_json(RUN, chance) if chance.random() < 0.5 else json.dumps(RUN).encode(), chance)
    step = json.dumps({**STEP, "usage": {}, "seconds": {}}).encode() + b"\n"
    put(folder / "steps.jsonl", step + hostile_json(STEP, chance) + b"\n" + step, chance)
    improve = ["data", "improve", folder, "--out", folder / "o"]
    words: list[list[Any]] = [["view", folder], ["run", "--resume", folder], improve]
    command(*chance.choice(words))


def try_yaml(folder: Path, chance: random.Random) -> None:
    kind = chance.choice(sorted(YAMLS))
    file = put(folder / f"{kind}.yaml", hostile_yaml(YAMLS[kind], chance), chance)
    script = folder / "script.jsonl"
    script.write_text('"x"\n')
    world = ["run", "x", "--world", "replay:none", "--model", f"scripted/{script}", "--out", folder / "out"]
    words: dict[str, list[Any]] = {
        "policy": [*world, "--policy", file],
        "secrets": [*world, "--secrets", file],
        "recipe": ["train", "sft", "--config", file],
        "mix": ["data", "mix", file, "--out", folder / "out"],
        "plan": ["data", "navigate", file, "--policy", "oracle", "--out", folder / "out"],
        "prices": ["run", "x", "--world", "replay:none", "--model", "openai/x", "--base-url", "http://127.0.0.1:1/v1",
                   "--model-with", f"prices={file}", "--out", folder / "out"],
    }  # fmt: skip
    command(*words[kind])


def try_picture(folder: Path, chance: random.Random) -> None:
    data = hostile_picture(chance) if chance.random() < 0.6 else picture(size=(200, 100))
    image = put(folder / "a.png", data, chance)
    tree = put(folder / "tree.xml", hostile_dump(chance), chance)
    command("parse", image, "--tree", tree, "--out", folder / "out")


def try_script(folder: Path, chance: random.Random) -> None:
    file = put(folder / "s.jsonl", hostile_json({"act": "x"}, chance), chance)
    command("run", "x", "--world", "replay:none", "--model", f"scripted/{file}", "--out", folder / "out")


def try_reader(folder: Path, chance: random.Random) -> None:
    """A folder that looks like a published data set by its names and the fields at the beginning of its files."""
    row: dict[str, Any] = {name: chance.choice(["x", 1, [1, 2], {"a": 1}, None]) for name in FIELDS}
    head = json.dumps([row])[:-1].encode() + b", "
    for place in PLACES:
        content = hostile_json([row, STEP], chance)
        if place.endswith(".zip"):
            content = damaged(zip_archive(chance), chance)
        elif place.endswith((".png", ".xml")):
            content = hostile_picture(chance) if place.endswith(".png") else hostile_dump(chance)
        elif place.endswith((".parquet", "of-00001")):
            content = b"PAR1" + chance.randbytes(2_000) + struct.pack("<I", chance.randrange(2**32)) + b"PAR1"
        elif chance.random() < 0.6:
            content = head + content.removeprefix(b"[")
        put(folder / "data" / place, content, chance)
    name = chance.choice(DATASETS.names())
    command("data", "read", folder / "data", "--as", name, "--out", folder / "out", "--keep-going", "--limit", "50")


def zip_archive(chance: random.Random) -> bytes:
    import zipfile  # noqa: PLC0415

    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("../../1.png", picture())
        archive.writestr("bomb.png", bytes(5_000_000))
        archive.writestr("x.png", hostile_picture(chance))
    return file.getvalue()


def try_review(folder: Path, chance: random.Random) -> None:
    base = {"key": "a" * 20, "kind": "grounding", "opinions": 1, "records": [STEP], "events": []}
    task = {"data": {"image": "1.png", "saccade_item": "x"}, "annotations": [{"result": [{"type": "rectanglelabels",
            "value": {"x": 1, "y": 1, "width": 5, "height": 5, "rectanglelabels": ["a"]}}]}]}  # fmt: skip
    listed = chance.random() < 0.5
    name = "a.json" if listed else "decisions.jsonl"
    file = put(folder / name, hostile_json([task] if listed else base, chance), chance)
    command("review", "import", file, "--database", f"sqlite:///{folder / 'studio.db'}")


def try_adb(folder: Path, chance: random.Random) -> None:
    """A device that lies: what its answers go through."""
    for _ in range(20):
        raw = b"".join(
            bytes([chance.choice([1, 2, 3, 9])]) + struct.pack("<I", chance.choice([0, 5, 2**32 - 1])) + b"hello"
            for _ in range(chance.randint(0, 5))
        )
        _unpack(damaged(raw, chance))
        with contextlib.suppress(ValueError):
            hierarchy(hostile_dump(chance).decode("utf-8", "replace"))
        with contextlib.suppress(ValueError):
            read_png(hostile_picture(chance))


ANSWER = {
    "choices": [{"index": 0, "message": {"content": "hello"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 5},
}


def hostile_answer(chance: random.Random) -> bytes:
    """A whole HTTP answer."""
    kinds: list[Callable[[], bytes]] = [
        lambda: hostile_json(ANSWER, chance),
        lambda: hostile_json({"error": {"message": "no", "code": 5}}, chance),
        lambda: b"<html>" + b"<script" * chance.choice([12_000, 90_000]),
        lambda: b"<" * chance.choice([80_000, 600_000]),
        lambda: b"<style>" * 90_000 + b"x",
        lambda: b"data: " + hostile_json({"choices": [{"delta": {"content": "x"}}]}, chance) + b"\n\n",
        lambda: b"data: {}\n" * 100_000,
        lambda: b"data:" + b" " * 3_000_000,
        lambda: zlib.compress(bytes(60_000_000)),
    ]
    body = chance.choice(kinds)()
    status = chance.choice(
        ["200 OK", "200 OK", "400 Bad", "401 No", "404 Gone", "500 Oops", "503 Busy", "301 Moved", "999 ?"]
    )
    kind = chance.choice(["application/json", "text/event-stream", "text/html", "\xff"])
    more = chance.choice(["", "", "Content-Encoding: gzip\r\n", "Content-Encoding: br\r\n", "Retry-After: 1e9\r\n",
                          "Location: http://127.0.0.1:1/\r\n", f"X: {'a' * 70_000}\r\n"])  # fmt: skip
    length = chance.choice([len(body), len(body), len(body) + 100, 10**15])
    return (
        f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n{more}Content-Length: {length}\r\n\r\n".encode("latin-1") + body
    )


def try_server(folder: Path, chance: random.Random) -> None:
    """A model's server that sends anything at all. Its client ends by the deadline with an answer or one sentence."""
    answers = [hostile_answer(chance) for _ in range(3)]
    server = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        for at in range(1_000):
            with contextlib.suppress(OSError):
                connection, _ = server.accept()
                with connection:
                    connection.settimeout(1.0)
                    connection.recv(1 << 16)
                    connection.sendall(answers[at % len(answers)])

    threading.Thread(target=serve, daemon=True).start()
    model = open_model("openai/x", base_url=f"http://127.0.0.1:{server.getsockname()[1]}/v1")
    with contextlib.suppress(InputError, ModelError):
        model.complete([Message("user", ("hi",))], Ask(deadline=MODEL_SECONDS))


TRIED: tuple[tuple[str, int, Callable[[Path, random.Random], None]], ...] = (
    ("step records", 110, try_steps),
    ("run folders", 50, try_run_folder),
    ("YAML", 90, try_yaml),
    ("pictures and trees", 70, try_picture),
    ("published data", 70, try_reader),
    ("server answers", 60, try_server),
    ("review imports", 30, try_review),
    ("scripts", 10, try_script),
    ("a lying device", 10, try_adb),
)
"""Name, weight, and what is done."""


def drawn(number: int, seed: int) -> Input:
    """The input of this number."""
    chance = random.Random(f"{seed} {number}")
    name, _, what = chance.choices(TRIED, [weight for _, weight, _ in TRIED])[0]
    return Input(f"{number} {name}", lambda folder: what(folder, chance))


# -- in a process of its own ------------------------------------------------------------------------------------------


def judged(given: Input, folder: Path) -> Verdict:
    """Run one input, and say what is wrong."""
    told = folder / "told"
    began = time.monotonic()
    child = os.fork()
    if child == 0:
        _run(given, folder, told)
    status, usage, late = _waited(child, began + SECONDS)
    seconds, megabytes = time.monotonic() - began, usage.ru_maxrss / 1024
    said = told.read_bytes()[-4000:].decode("utf-8", "replace") if told.exists() else ""
    problem = ""
    if late:
        problem = f"no answer within {SECONDS:.0f} s"
    elif os.WIFSIGNALED(status):
        problem = f"killed by signal {os.WTERMSIG(status)}"
    elif "Traceback" in said or "a mistake of ours" in said:
        problem = "a traceback"
    elif megabytes > MEGABYTES:
        problem = f"{megabytes:.0f} MB"
    return Verdict(given.name, problem, seconds, megabytes, said)


def _run(given: Input, folder: Path, told: Path) -> None:
    code = 0
    os.setsid()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    file = os.open(told, os.O_CREAT | os.O_WRONLY)
    for number in (1, 2):
        os.dup2(file, number)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.chdir(folder)
    faulthandler.enable(file)  # tells where it hangs when it is aborted
    try:
        given.do(folder)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    except BaseException:  # noqa: BLE001  (that is what is looked for)
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _waited(child: int, end: float) -> tuple[int, Any, bool]:
    while True:
        done, status, usage = os.wait4(child, os.WNOHANG)
        if done:
            return status, usage, False
        if time.monotonic() > end:
            os.kill(child, signal.SIGABRT)
            time.sleep(0.1)
            os.killpg(child, signal.SIGKILL)
            _, status, usage = os.wait4(child, 0)
            return status, usage, True
        time.sleep(0.01)


def fuzz(numbers: Sequence[int], seed: int, keep: Path | None = None) -> list[Verdict]:
    """The verdicts on these inputs; the folders of bad ones are kept, if a folder is given for them."""
    verdicts = []
    for number in numbers:
        with tempfile.TemporaryDirectory(prefix="fuzz-") as name:
            verdicts.append(verdict := judged(drawn(number, seed), Path(name)))
            if verdict.problem and keep is not None:
                shutil.copytree(name, keep / str(number), symlinks=True, ignore=_irregular, dirs_exist_ok=True)
    return verdicts


def _irregular(folder: str, names: list[str]) -> list[str]:
    return [name for name in names if (not Path(folder, name).is_dir() and Path(folder, name).lstat().st_size > 1 << 28)
            or Path(folder, name).is_fifo()]  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=500)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path)
    given = parser.parse_args()
    verdicts = fuzz(range(given.first, given.first + given.inputs), given.seed, given.keep)
    for verdict in verdicts:
        if verdict.problem:
            print(
                f"{verdict.name}: {verdict.problem} ({verdict.seconds:.1f} s)\n    "
                + verdict.said[-1500:].replace("\n", "\n    ")
            )
    bad = Counter(verdict.problem for verdict in verdicts if verdict.problem)
    slowest, largest = max(verdict.seconds for verdict in verdicts), max(verdict.megabytes for verdict in verdicts)
    print(f"{len(verdicts)} inputs: {sum(bad.values())} bad {dict(bad) or ''}")
    print(f"slowest {slowest:.1f} s, most {largest:.0f} MB")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
