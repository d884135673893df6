"""`saccade.untrusted` is the only place that opens files, decodes JSON, YAML, XML and pictures, or unpacks data."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCES = [
    ROOT / "src/saccade",
    *(ROOT / f"packages/{each}/src/saccade_{each}" for each in ("phone", "mini", "vision")),
]
FUNCTIONS = {
    *("open", "io.open", "os.open", "os.read", "os.pread", "mmap.mmap", "urlopen", "urllib.request.urlopen"),
    *("json.load", "json.loads", "msgspec.json.decode", "msgspec.json.Decoder", "msgspec.yaml.decode"),
    *(
        "msgspec.toml.decode",
        "msgspec.msgpack.decode",
        "msgspec.convert",
        "tomllib.load",
        "tomllib.loads",
        "plistlib.load",
    ),
    *("yaml.load", "yaml.safe_load", "yaml.full_load", "yaml.compose", "yaml.load_all", "yaml.safe_load_all"),
    *("Image.open", "Pictures.open", "zipfile.ZipFile", "tarfile.open", "shutil.unpack_archive", "gzip.open"),
    *("gzip.decompress", "bz2.open", "bz2.decompress", "lzma.open", "lzma.decompress", "zlib.decompress"),
    *("zlib.decompressobj", "ElementTree.fromstring", "ElementTree.parse", "XMLParser", "sqlite3.connect"),
    *("np.load", "np.fromfile", "torch.load", "load_file", "csv.reader", "Tokenizer.from_file"),
}
METHODS = {
    *("read_text", "read_bytes", "ParquetFile", "read_table", "from_pretrained", "decompressobj"),
    *("InferenceSession", "from_file"),
    *("aiter_bytes", "aiter_raw", "aiter_lines", "aiter_text", "recv"),
}
WORDS = re.compile("|".join(rf"\b{name.rpartition('.')[2]}\(" for name in sorted(FUNCTIONS | METHODS)))
ALLOWED = {
    "src/saccade/untrusted.py": "this is the place",
    "src/saccade/typed_values.py": "prepares a type before `msgspec.convert` uses it",
    "src/saccade/agents/approval/ask.py": "the terminal",
    "src/saccade/agents/trained_reward.py": "a model's folder: no code of its own, safetensors only (checked below)",
    "src/saccade/cli/__init__.py": "opens /dev/null for writing",
    "src/saccade/data/readers/archives.py": "unpacks one entry, to at most the size that its directory says",
    "src/saccade/data/readers/tables.py": "pyarrow, which reads pages; the file is opened by `untrusted` first",
    "src/saccade/data/tfrecord.py": "records of bounded length, inflated a block at a time",
    "src/saccade/engines/local.py": "the pipe to our own worker processes",
    "src/saccade/models/chat_response.py": "answers of servers: bounded pieces, bounded whole",
    "src/saccade/models/embeddings.py": "a model's folder: no code of its own, safetensors only",
    "src/saccade/models/hf.py": "a model's folder: no code of its own, safetensors only",
    "src/saccade/scoring/embedding_similarity.py": "a file of this package",
    "src/saccade/scoring/similarity.py": "a file of the package wordllama",
    "src/saccade/screens/uiautomator.py": "a parser that refuses document types, depth and size by itself",
    "src/saccade/studio/datasets/sample_index.py": "a database that this process makes in a temporary folder",
    "src/saccade/studio/pages/review.py": "writes an archive",
    "src/saccade/train/prm.py": "safetensors of our own checkpoint",
    "src/saccade/train/vision.py": "a model's configuration, no code of its own",
    "src/saccade/worlds/android/device.py": "answers of adb: bounded, with a deadline",
    "src/saccade/worlds/android/server.py": "answers of adb: lengths of four digits, with a deadline",
    "src/saccade/worlds/desktop/dbus.py": "messages of the desktop's bus: bounded",
    "src/saccade/worlds/desktop/session.py": "the pipe to our own supervising process, and its log",
    "src/saccade/worlds/desktop/supervisor.py": "runs without this package; pipes of ours and /proc",
    "src/saccade/worlds/desktop/tasks/home_files.py": "SQLite, read-only, of a file of bounded size",
    "src/saccade/worlds/desktop/world.py": "/proc",
    "packages/phone/src/saccade_phone/app.py": "a copy of its own state",
    "packages/phone/src/saccade_phone/assets.py": "files that saccade phone setup put there",
    "packages/phone/src/saccade_phone/catalog.py": "a file of this package",
    "packages/phone/src/saccade_phone/data_files.py": "files of this package",
    "packages/phone/src/saccade_phone/wordings.py": "files of this package",
    "src/saccade/untrusted_arrays.py": "arrays of bounded size, no objects; `untrusted` opens the file",
    "packages/mini/src/saccade_mini/codec.py": "a file of this package, and strings out of one bounded line",
    "packages/mini/src/saccade_mini/decode.py": "a network without outer files, its folder checked, its memory bounded",
    "packages/mini/src/saccade_mini/generator.py": "a tokenizer of bounded size, its folder checked",
    "packages/mini/src/saccade_mini/seen_elements.py": "a file of this package",
    "packages/vision/src/saccade_vision/icons.py": "files of this package",
    "packages/vision/src/saccade_vision/int8.py": "files of this package, and what Linux says of the processor",
    "packages/vision/src/saccade_vision/runtime.py": "networks of this package, or of one that is installed",
    "packages/vision/src/saccade_vision/states.py": "weights of this package",
    "packages/vision/src/saccade_vision/text/line_filter.py": "weights of this package",
    "packages/vision/src/saccade_vision/text/models.py": "weights of a package that is installed",
}
"""File → why it may. Folders named `training` in packages make weights from what their own programs wrote."""


Call = tuple[int, str, list[ast.expr], dict[str, ast.expr]]


@cache
def calls() -> dict[str, list[Call]]:
    """All calls of every source file: line, dotted name, arguments. A call on what another call gave is `files().open`;
    on anything else, `?.open`.
    """
    found: dict[str, list[Call]] = {}
    for folder in SOURCES:
        for file in folder.rglob("*.py"):
            text = file.read_text(encoding="utf-8")
            nodes = ast.walk(ast.parse(text)) if WORDS.search(text) else ()  # most files need not be parsed
            found[file.relative_to(ROOT).as_posix()] = [
                (node.lineno, dotted(node.func), node.args, {each.arg or "**": each.value for each in node.keywords})
                for node in nodes
                if isinstance(node, ast.Call)
            ]
    return found


def dotted(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=inner, attr=name):
            return f"{dotted(inner)}.{name}"
        case ast.Call(func=inner):
            return f"{dotted(inner)}()"
    return "?"


def opens(name: str, given: list[ast.expr]) -> bool:
    """Does a call open or decode something? `files("package").…` are files of an installed package."""
    mode = next((str(each.value) for each in given if isinstance(each, ast.Constant)), "")
    *_, method = name.split(".")
    reads = "." in name and method == "open" and mode.startswith("r") and mode != "r+b"
    return not name.startswith("files()") and (name in FUNCTIONS or ("." in name and method in METHODS) or reads)


def test_nothing_else_opens_what_others_wrote() -> None:
    wrong, used = [], set()
    for place, found in calls().items():
        opened = [] if "/training/" in place else [(line, name) for line, name, given, _ in found if opens(name, given)]
        used |= {place} if opened else set()
        wrong += [f"{place}:{line}: {name}" for line, name in opened if place not in ALLOWED]
    assert not wrong, "use saccade.untrusted:\n" + "\n".join(wrong)
    assert not ALLOWED.keys() - used, "these open nothing any more: take them off the list"


def test_models_are_loaded_without_code_and_without_pickle() -> None:
    """`LOCAL_ONLY` is `local_files_only=True, trust_remote_code=False`."""
    wrong = []
    for place, found in calls().items():
        for line, name, _, given in found:
            constants = {word: value.value for word, value in given.items() if isinstance(value, ast.Constant)}
            local = isinstance(given.get("**"), ast.Name) or constants.get("local_files_only") is True
            if name.endswith(".from_pretrained") and not local:
                wrong.append(f"{place}:{line}: asks the network")
            if constants.get("trust_remote_code") or constants.get("allow_pickle"):
                wrong.append(f"{place}:{line}: runs what a folder holds")
            if name == "torch.load" and constants.get("weights_only") is not True:
                wrong.append(f"{place}:{line}: unpickles")
    assert not wrong, "\n".join(wrong)
