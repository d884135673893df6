"""A mini's folder from a stranger, and folders with embeddings: tables that are something else, sizes that no machine
has, networks that take all memory or read other files. Each is one sentence, and nothing of it is loaded.
"""

from __future__ import annotations

import io
import json
import os
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from saccade.errors import InputError
from saccade.models import Ask, ModelError, open_model
from saccade.models.embeddings import open_similarity
from saccade.types import Message

pytest.importorskip("saccade_mini")
pytest.importorskip("onnxruntime")

from saccade.untrusted_arrays import read_arrays
from saccade_mini.card import CARD, MODEL, READER, TOKENIZER, read_card
from saccade_mini.decode import Cache, Network
from saccade_mini.intent_classifier import LARGEST, IntentClassifier
from saccade_mini.model import WEIGHTS

if not (WEIGHTS / MODEL).is_file():
    pytest.skip("this copy of saccade-mini has no weights", allow_module_level=True)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The mini that ships, by links."""
    (tmp_path / "mini").mkdir()
    for name in (CARD, MODEL, READER, TOKENIZER):
        (tmp_path / "mini" / name).symlink_to(WEIGHTS / name)
    return tmp_path / "mini"


def put(file: Path, content: bytes) -> Path:
    file.unlink(missing_ok=True)
    file.write_bytes(content)
    return file


# -- tables ------------------------------------------------------------------------------------------------------------


def head(shape: str, kind: str = "|i1") -> bytes:
    """What an array begins with in a file of NumPy's."""
    text = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    text += b" " * (-(len(text) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text


def packed(file: Path, content: bytes) -> Path:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("words.npy", content)
    return file


def lying(file: Path) -> Path:
    """Its directory says 100 bytes; 50 MB would come."""
    data = packed(file, head("(50000000,)") + bytes(50_000_000)).read_bytes()
    at = data.rfind(b"PK\x01\x02") + 24
    file.write_bytes(data[:at] + struct.pack("<I", 100) + data[at + 4 :])
    return file


@pytest.mark.parametrize(
    "make",
    [
        lambda file: packed(file, head("(1000000000000000,)")),
        lambda file: packed(file, head("(10000000000, 10000000000)", "<f8")),
        lambda file: packed(file, head("(-1,)") + b"a"),
        lambda file: packed(file, head("(3,)") + b"ab"),
        lambda file: packed(file, head("(1,)", "|O") + bytes(8)),
        lambda file: packed(file, head("(" * 3000)),
        lambda file: packed(file, head("(__import__('os').mkdir('it-ran'),)")),
        lambda file: packed(file, b"no array"),
        lambda file: packed(file, head("(2000000,)") + bytes(2_000_000)),
        lying,
        lambda file: put(file, head("(4,)") + b"abcd"),
        lambda file: put(file, b"PK\x05\x06" + bytes(18)[:10]),
    ],
    ids=["huge", "product", "negative", "short", "objects", "deep", "code", "text", "large", "lying", "no archive",
         "cut off"],
)  # fmt: skip
def test_arrays_that_are_not_what_they_say(tmp_path: Path, make: Callable[[Path], Path]) -> None:
    with pytest.raises(ValueError, match=r"arrays|unpacks"):
        read_arrays(make(tmp_path / "a.npz"), 1 << 20)
    assert not Path("it-ran").exists()


def test_arrays_come_back_as_they_were_saved(tmp_path: Path) -> None:
    saved: dict[str, Any] = {
        "a": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        "b": np.array("word"),
        "c": np.zeros((0, 2), np.int8),
    }
    np.savez_compressed(tmp_path / "a.npz", **saved)
    found = read_arrays(tmp_path / "a.npz", 1 << 20)
    assert found.keys() == saved.keys() and all(np.array_equal(found[name], saved[name]) for name in saved)


TABLES: list[dict[str, Any]] = [
    {"words": np.zeros(3, np.int8)},
    {"words": np.array([["a"]])},
    {"known": np.zeros(0, np.uint32)},
    {"tasks": np.zeros((3, 3), np.float16)},
    {"bias": np.zeros(3, np.float16)},
    {"scale": np.zeros((3, 3))},
    {"edges": np.zeros((3, 3, 3), np.uint32)},
    {"routine_weights": np.zeros(1, np.int8)},
    {"plain": np.array("[]")},
    {"plain": np.array("[" * 100_000)},
    {"plain": np.array('{"en": ["a"], "zh": ["b"]}')},
    {"doing": np.array('{"fr": [[]]}')},
    {"doing": np.array("9" * 100_000)},
]


def test_tables_of_a_classifier_that_do_not_belong_together(folder: Path) -> None:
    kept = read_arrays(WEIGHTS / READER, LARGEST)
    for changes in TABLES:
        buffer = io.BytesIO()
        np.savez(buffer, **(kept | changes))
        file = put(folder / READER, buffer.getvalue())
        with pytest.raises(InputError, match="is not a mini's classifier file") as told:
            IntentClassifier(file)
        assert "\n" not in str(told.value), changes


# -- networks ----------------------------------------------------------------------------------------------------------


def test_a_card_that_claims_another_network(folder: Path) -> None:
    card = json.loads((WEIGHTS / CARD).read_text(encoding="utf-8"))
    for changes in ({"key_heads": 10**9}, {"head_size": -3}, {"layers": 10**12}, {"layers": 0}, {"vocabulary": 10**15}):
        put(folder / CARD, json.dumps(card | changes).encode())
        with pytest.raises(InputError, match=r"is not the network that|more tokens than the model"):
            open_model(f"mini/{folder}")


def test_files_of_a_mini_are_regular_and_bounded(folder: Path) -> None:
    os.mkfifo(folder / "weights.bin")
    with pytest.raises(InputError, match="is a pipe or a device"):
        open_model(f"mini/{folder}")
    (folder / "weights.bin").unlink()
    os.truncate(put(folder / TOKENIZER, b""), 3 << 30)
    with pytest.raises(InputError, match="no model's folder needs more"):
        open_model(f"mini/{folder}")


def rewritten(folder: Path, change: Callable[[Any, Any], None]) -> Path:
    onnx = pytest.importorskip("onnx")
    model = onnx.load(WEIGHTS / MODEL)
    change(model, onnx)
    return put(folder / MODEL, model.SerializeToString())


def test_a_network_that_takes_all_memory_breaks_down(folder: Path) -> None:
    def bomb(model: Any, onnx: Any) -> None:
        size = onnx.helper.make_tensor("size", onnx.TensorProto.INT64, [1], [10**10])
        model.graph.initializer.append(size)
        model.graph.node.append(onnx.helper.make_node("ConstantOfShape", ["size"], ["bomb"]))
        model.graph.node.append(onnx.helper.make_node("ReduceMax", ["bomb"], ["most"]))

    network = Network(rewritten(folder, bomb), read_card(folder))
    with pytest.raises(ModelError, match="broke down") as told:
        Cache(network, 1, 100).read(np.array([[1, 2, 3]]))
    assert "\n" not in str(told.value)


@pytest.mark.parametrize("place", ["/etc/passwd", "../secret", "link"])
def test_a_network_reads_no_other_file(folder: Path, place: str) -> None:
    (folder.parent / "secret").write_bytes(bytes(10_000_000))
    (folder / "link").symlink_to(folder.parent / "secret")

    def elsewhere(model: Any, onnx: Any) -> None:
        weights = model.graph.initializer[0]
        weights.ClearField("raw_data")
        weights.data_location = onnx.TensorProto.EXTERNAL
        weights.external_data.add(key="location", value=place)

    rewritten(folder, elsewhere)
    with pytest.raises(InputError, match="cannot be loaded") as told:
        open_model(f"mini/{folder}")
    assert "\n" not in str(told.value)


def test_the_mini_by_links_still_answers(folder: Path) -> None:
    with open_model(f"mini/{folder}") as model, pytest.raises(InputError):
        model.complete([Message("user", ("no sheet",))], Ask())


# -- embeddings --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("length", [-1, 0, "x", [1], 10**30, 1.5])
def test_lengths_of_embeddings(tmp_path: Path, length: Any) -> None:
    from saccade.models.embeddings import LONGEST, longest_of  # noqa: PLC0415

    (tmp_path / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": length}))
    if length == 0:
        assert longest_of(tmp_path) == LONGEST
    else:
        with pytest.raises(InputError, match="max_seq_length"):
            longest_of(tmp_path)


@pytest.mark.train
def test_embeddings_that_lead_out_of_their_folder_or_claim_too_much(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    folder = tmp_path / "embedder"
    folder.mkdir()
    for path in ("..", "/", "../embedder2"):
        (folder / "modules.json").write_text(json.dumps([{"path": path, "type": "x.Transformer"}]))
        with pytest.raises(InputError, match="leads out of its folder"):
            open_similarity(str(folder))
    (folder / "modules.json").write_text(json.dumps([{"path": "", "type": "x.Transformer"}]))
    claims: list[dict[str, Any]] = [{"num_hidden_layers": 10**7}, {"vocab_size": 10**12}, {"model_type": []}]
    for changes in [*claims, {"hidden_size": "8"}]:
        config = {"model_type": "bert", "hidden_size": 8, "num_attention_heads": 2, "num_hidden_layers": 1}
        (folder / "config.json").write_text(json.dumps(config | changes))
        with pytest.raises(InputError) as told:
            open_similarity(str(folder))
        assert "\n" not in str(told.value)
