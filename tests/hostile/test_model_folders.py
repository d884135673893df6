"""A model's folder from a stranger: code and pickles that want to run, links to devices, pipes, and configurations that
claim more than any machine has. Nothing of it runs, and each is one sentence before memory is taken.
"""

from __future__ import annotations

import json
import os
import pickle
import resource
import shutil
import struct
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from saccade.errors import InputError
from saccade.models import Ask, ModelError, open_model
from saccade.models.embeddings import open_similarity
from saccade.models.model_files import check_model_files
from saccade.types import Message
from tiny_vl import make_tiny

pytestmark = pytest.mark.train
pytest.importorskip("torch")
pytest.importorskip("transformers")

HUGE = 10**12


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tiny(tmp_path_factory.mktemp("tiny") / "model")


@pytest.fixture
def folder(tiny: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(tiny, tmp_path / "model"))


def edit(file: Path, **changes: Any) -> None:
    def mixed(old: Any, new: Any) -> Any:
        if isinstance(old, dict) and isinstance(new, dict):
            return old | {key: mixed(old.get(key), value) for key, value in new.items()}
        return new

    file.write_text(json.dumps(mixed(json.loads(file.read_text(encoding="utf-8")), changes)), encoding="utf-8")


class Runs:
    """As a pickle: a program that leaves a file behind."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (str(self.mark),)


# -- code --------------------------------------------------------------------------------------------------------------


def test_no_code_and_no_pickle_of_a_folder_runs(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mark = tmp_path / "it-ran"
    code = f"import os\nos.mkdir({str(mark)!r})\nclass Own: ...\n"
    for name in ("modeling_own.py", "configuration_own.py", "processing_own.py", "tokenization_own.py", "__init__.py",
                 "conftest.py", "sitecustomize.py"):  # fmt: skip
        (folder / name).write_text(code)
    own = {"AutoConfig": "configuration_own.Own", "AutoModel": "modeling_own.Own",
           "AutoModelForImageTextToText": "modeling_own.Own", "AutoProcessor": "processing_own.Own",
           "AutoTokenizer": ["tokenization_own.Own", None]}  # fmt: skip
    for name in ("config.json", "preprocessor_config.json", "tokenizer_config.json"):
        edit(folder / name, auto_map=own)
    for name in ("pytorch_model.bin", "training_args.bin", "optimizer.pt", "scheduler.pt", "rng_state.pth"):
        (folder / name).write_bytes(pickle.dumps(Runs(mark)))
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    answered = ""
    try:
        with open_model(f"hf/{folder}", device="cpu") as model:
            answered = model.complete([Message("user", ("hi",))], Ask(max_tokens=2))[0].text
    except InputError as error:
        assert "\n" not in str(error)
    assert isinstance(answered, str) and not mark.exists()


def test_weights_that_are_a_pickle_alone_are_refused(folder: Path, tmp_path: Path) -> None:
    mark = tmp_path / "it-ran"
    (folder / "model.safetensors").unlink()
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps(Runs(mark)))
    with pytest.raises(InputError, match="no weights as safetensors"):
        open_model(f"hf/{folder}", device="cpu")
    (folder / "model.safetensors").write_bytes(pickle.dumps(Runs(mark)))
    with pytest.raises(InputError, match="no weights that can be read"):
        open_model(f"hf/{folder}", device="cpu")
    assert not mark.exists()


def test_a_chat_template_reaches_nothing_of_python(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for template in (
        "{{ ''.__class__.__mro__[1].__subclasses__() }}",
        "{{ cycler.__init__.__globals__.os.mkdir('it-ran') }}",
        "{{ messages.__class__.__base__.__subclasses__() }}",
        "{% for at in range(10000000000) %}x{% endfor %}",
        "{% include '/etc/passwd' %}",
    ):
        for name in ("chat_template.jinja", "chat_template.json"):
            (folder / name).unlink(missing_ok=True)
        (folder / "chat_template.jinja").write_text(template)
        with (
            open_model(f"hf/{folder}", device="cpu") as model,
            pytest.raises((InputError, ModelError)),
        ):
            model.complete([Message("user", ("hi",))], Ask(max_tokens=1, deadline=10))
        assert not (tmp_path / "it-ran").exists()


# -- files -------------------------------------------------------------------------------------------------------------


def pipe(file: Path) -> None:
    file.unlink(missing_ok=True)
    os.mkfifo(file)


def device(file: Path) -> None:
    file.unlink(missing_ok=True)
    file.symlink_to("/dev/zero")


def circle(file: Path) -> None:
    file.unlink(missing_ok=True)
    file.symlink_to(file.name)


def endless(file: Path) -> None:
    with file.open("wb") as stream:
        stream.truncate(3 << 30)


def deep(file: Path) -> None:
    file.write_bytes(b'{"a":' * 100_000 + b"1" + b"}" * 100_000)


def no_text(file: Path) -> None:
    file.write_bytes(b'{"model_type": "\xff\xfe"}')


@pytest.mark.parametrize("make", [pipe, device, circle, endless, deep, no_text])
@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "tokenizer_config.json", "generation_config.json",
                                  "added_tokens.json"])  # fmt: skip
def test_files_of_a_model_are_regular_and_bounded(folder: Path, name: str, make: Callable[[Path], None]) -> None:
    make(folder / name)
    began = time.process_time()
    with pytest.raises(InputError) as told:
        open_model(f"hf/{folder}", device="cpu")
    assert "\n" not in str(told.value) and time.process_time() - began < 10
    if name != "config.json":
        (folder / "modules.json").write_text("[]")
        with pytest.raises(InputError):
            open_similarity(str(folder))


def test_links_of_a_model_store_are_followed(tiny: Path, tmp_path: Path) -> None:
    (tmp_path / "snapshot").mkdir()
    for file in tiny.iterdir():
        (tmp_path / "snapshot" / file.name).symlink_to(file)
    check_model_files(tmp_path / "snapshot")


# -- claims ------------------------------------------------------------------------------------------------------------


def weights_saying(file: Path, head: Any, length: int | None = None) -> None:
    data = json.dumps(head).encode()
    file.write_bytes(struct.pack("<Q", len(data) if length is None else length) + data + bytes(64))


@pytest.mark.parametrize(
    "changes",
    [
        {"text_config": {"num_hidden_layers": 10_000_000}},
        {"vision_config": {"depth": 10_000_000}},
        {"text_config": {"hidden_size": 1 << 20}},
        {"text_config": {"intermediate_size": HUGE}},
        {"text_config": {"vocab_size": HUGE}},
        {"text_config": {"num_attention_heads": HUGE}},
        {"text_config": {"head_dim": HUGE}},
        {"vision_config": {"hidden_size": 1 << 18, "intermediate_size": 1 << 20}},
        {"text_config": {"num_hidden_layers": -1}},
        {"text_config": {"hidden_size": "64"}},
        {"text_config": {"layer_types": ["full_attention"] * 100_000}},
        {"text_config": []},
        {"model_type": "../../etc"},
        {"model_type": {"a": 1}},
        {"architectures": ["os.system"]},
        {"torch_dtype": "__import__('os')"},
        {"vision_config": {"patch_size": 0}},
    ],
    ids=lambda changes: str(changes)[:80],
)
def test_a_configuration_that_claims_too_much_is_told_before_memory_is_taken(
    folder: Path, changes: dict[str, Any]
) -> None:
    edit(folder / "config.json", **changes)
    before, began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    try:
        with open_model(f"hf/{folder}", device="cpu"):
            pass
    except (InputError, ModelError) as error:
        assert "\n" not in str(error)
    else:
        assert {"architectures", "torch_dtype"} & set(changes) or "head_dim" in str(changes), "nothing depends on it"
    assert time.process_time() - began < 20
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 1 << 20, "kilobytes"


@pytest.mark.parametrize(
    "damage",
    [
        lambda file: weights_saying(file, {}, 2**63),
        lambda file: weights_saying(file, {}, 0),
        lambda file: weights_saying(file, {"a": {"dtype": "F32", "shape": [HUGE, HUGE], "data_offsets": [0, 64]}}),
        lambda file: weights_saying(file, {"a": {"dtype": "F32", "shape": [-1], "data_offsets": [0, 64]}}),
        lambda file: weights_saying(file, {"a": {"dtype": "F32", "shape": [4], "data_offsets": [0, 2**60]}}),
        lambda file: weights_saying(file, {"a": {"dtype": "F32", "shape": "x", "data_offsets": [0, 64]}}),
        lambda file: weights_saying(file, ["a"]),
        lambda file: file.write_bytes(struct.pack("<Q", 200_000) + b"[" * 200_000),
        lambda file: file.write_bytes(b""),
        device,
        pipe,
    ],
    ids=["2 to the 63", "no list", "huge shape", "negative", "offset", "no shape", "a list", "deep", "empty", "device",
         "pipe"],
)  # fmt: skip
def test_weights_that_lie_are_told(folder: Path, damage: Callable[[Path], None]) -> None:
    damage(folder / "model.safetensors")
    with pytest.raises(InputError) as told:
        open_model(f"hf/{folder}", device="cpu")
    assert "\n" not in str(told.value)
