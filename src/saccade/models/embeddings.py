"""Sentence embeddings for `sim` (UILoop §4.2) by name, as `--similarity` and `grpo.reward.similarity` give it:

static-root                       the default: static word vectors, offline
server/MODEL, openai/MODEL        a server with OpenAI's /embeddings API; @URL behind it, else OPENAI_BASE_URL
FOLDER                            sentence-transformers (modules.json; torch), or ONNX (*.onnx and tokenizer.json)
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from saccade.errors import InputError, MissingError
from saccade.memory_limit import MOST_MEMORY, bounded_memory
from saccade.models.base import ModelError
from saccade.models.model_files import check_claims, check_model_files
from saccade.models.torch_support import LOCAL_ONLY, explained_load_errors, first_line, quiet_transformers
from saccade.scoring.embedding_similarity import EmbeddingSimilarity, Vectors
from saccade.scoring.similarity import Similarity, similarity
from saccade.untrusted import decode_json, read_bytes

SERVERS = ("server", "openai")
MOST_TOKENS = 1 << 20
TIMES = 3
"""How much of the memory that its files take a model may need."""
LONGEST = 512
"""Tokens of a text, unless the folder says otherwise."""


def open_similarity(name: str) -> Similarity:
    """A similarity by its name; the same name gives the same object, so that its embeddings are kept for the run."""
    return _opened(name.strip() or similarity.name)


@lru_cache(maxsize=8)
def _opened(name: str) -> Similarity:
    if name == similarity.name:
        return similarity
    kind, _, rest = name.partition("/")
    if kind in SERVERS:
        model, _, address = rest.partition("@")
        if not model:
            raise InputError(f"{name} needs the name of the model, as in server/bge-m3")
        from saccade.models.embedding_server import ServerEmbedder  # noqa: PLC0415  (imports the HTTP client)

        return EmbeddingSimilarity(f"{kind}/{model}", ServerEmbedder(model, address).embed)
    folder = Path(name).expanduser()
    if folder.is_dir():
        check_model_files(folder)
    shown = "/".join(folder.resolve().parts[-2:])
    if (folder / "modules.json").is_file() and not onnx_file(folder):
        return EmbeddingSimilarity(shown, SentenceTransformer(folder).embed)
    if onnx_file(folder):
        return EmbeddingSimilarity(shown, OnnxEmbedder(folder).embed)
    found = "has neither modules.json nor an .onnx file" if folder.is_dir() else "is no folder"
    raise InputError(
        f"the similarity {name!r} is unknown and {found}: use {similarity.name}, server/MODEL, or a folder with a "
        "sentence-transformers or ONNX model"
    )


# -- folders -----------------------------------------------------------------------------------------------------------


def onnx_file(folder: Path) -> Path | None:
    """The ONNX model of a folder: model.onnx, or the first by name, here or in onnx/."""
    found = [path for place in (folder, folder / "onnx") if place.is_dir() for path in sorted(place.glob("*.onnx"))]
    return next((path for path in found if path.name == "model.onnx"), found[0] if found else None)


def pooling_of(folder: Path) -> str:
    """`mean` or `cls`, as sentence-transformers writes it in 1_Pooling/config.json; mean where nothing is said."""
    config = _json(folder / "1_Pooling" / "config.json")
    if config.get("pooling_mode_cls_token"):
        return "cls"
    others = [key for key, on in config.items() if on is True and key.startswith("pooling_mode_")]
    if others and others != ["pooling_mode_mean_tokens"]:
        raise InputError(
            f"{folder}: pooling by {', '.join(others)} is not supported: use a model with mean or cls pooling"
        )
    return "mean"


def longest_of(folder: Path) -> int:
    """Tokens to which a text is cut, by sentence_bert_config.json."""
    told = _json(folder / "sentence_bert_config.json").get("max_seq_length") or LONGEST
    if not isinstance(told, int) or not 0 < told <= MOST_TOKENS:
        raise InputError(f"{folder}/sentence_bert_config.json: max_seq_length is {str(told)[:40]}: give a whole number")
    return told


def pooled(hidden: Any, mask: Any, pooling: str) -> Vectors:
    """One vector a text from its tokens' (texts × tokens × width); padding, where `mask` is 0, does not count."""
    found: Vectors = np.asarray(hidden, np.float32)
    if found.ndim == 2:
        return found  # the model pools by itself
    if pooling == "cls":
        return found[:, 0]
    weights: Vectors = np.asarray(mask, np.float32)[..., None]
    mean: Vectors = (found * weights).sum(1) / np.maximum(weights.sum(1), 1e-9)
    return mean


class OnnxEmbedder:
    """A folder with an ONNX export and its tokenizer.json, run by onnxruntime."""

    def __init__(self, folder: Path) -> None:
        runtime, tokenizers = _module("onnxruntime", folder), _module("tokenizers", folder)
        words = next(
            (each / "tokenizer.json" for each in (folder, folder / "onnx") if (each / "tokenizer.json").is_file()), None
        )
        if words is None:
            raise InputError(f"{folder} has an .onnx file but no tokenizer.json beside it")
        self.pooling = pooling_of(folder)
        self.most = MOST_MEMORY + TIMES * sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
        try:
            self.tokenizer = tokenizers.Tokenizer.from_file(str(words))
            with bounded_memory(self.most):
                self.session = runtime.InferenceSession(str(onnx_file(folder)), providers=["CPUExecutionProvider"])
        except Exception as error:  # noqa: BLE001  (both raise bare exceptions of their own)
            raise InputError(f"{folder} cannot be opened as an ONNX model: {first_line(error)[:200]}") from None
        self.folder = folder
        self.tokenizer.enable_truncation(longest_of(folder))
        self.tokenizer.enable_padding()
        self.inputs = [each.name for each in self.session.get_inputs()]

    def embed(self, texts: Sequence[str]) -> Vectors:
        read = self.tokenizer.encode_batch(list(texts))
        ids = np.array([each.ids for each in read], np.int64)
        mask = np.array([each.attention_mask for each in read], np.int64)
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        try:
            with bounded_memory(self.most):
                hidden = self.session.run(None, {name: given[name] for name in self.inputs if name in given})[0]
            return pooled(hidden, mask, self.pooling)
        except Exception as error:  # noqa: BLE001  (onnxruntime's own have no common class)
            raise ModelError(f"{self.folder} gives no embeddings: {first_line(error)[:200]}") from None


class SentenceTransformer:
    """A sentence-transformers folder, run by transformers and torch: the transformer, then mean or cls pooling."""

    def __init__(self, folder: Path) -> None:
        self.torch, transformers = _module("torch", folder), _module("transformers", folder)
        try:
            modules = decode_json(read_bytes(folder / "modules.json"), list[dict[str, Any]])
        except (OSError, msgspec.DecodeError) as error:
            raise InputError(f"{folder}/modules.json cannot be read: {error}") from None
        kinds = [str(each.get("type", "")).rpartition(".")[2] for each in modules]
        if unknown := [kind for kind in kinds if kind not in ("Transformer", "Pooling", "Normalize")]:
            raise InputError(f"{folder}/modules.json: the module {unknown[0]} is not supported")
        paths = (each.get("path", "") for each, kind in zip(modules, kinds, strict=True) if kind == "Transformer")
        where = folder / str(next(paths, ""))
        if not where.resolve().is_relative_to(folder.resolve()):
            raise InputError(f"{folder}/modules.json leads out of its folder, to {where}")
        self.pooling, self.longest = pooling_of(folder), longest_of(folder)
        with quiet_transformers(), explained_load_errors(folder):
            config = transformers.AutoConfig.from_pretrained(where, **LOCAL_ONLY)
            check_model_files(where)
            check_claims(where, config, "AutoModel")
            self.tokenizer = transformers.AutoTokenizer.from_pretrained(where, **LOCAL_ONLY)
            self.model = transformers.AutoModel.from_pretrained(where, use_safetensors=True, **LOCAL_ONLY).eval()

    def embed(self, texts: Sequence[str]) -> Vectors:
        read = self.tokenizer(list(texts), padding=True, truncation=True, max_length=self.longest, return_tensors="pt")
        with self.torch.no_grad():
            hidden = self.model(**read).last_hidden_state
        return pooled(hidden.numpy(), read["attention_mask"].numpy(), self.pooling)


def _module(name: str, folder: Path) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise MissingError(f"the similarity in {folder} needs {name}: pip install {name}") from None


def _json(file: Path) -> dict[str, Any]:
    try:
        value = decode_json(read_bytes(file))
    except (OSError, msgspec.DecodeError):
        return {}
    return value if isinstance(value, dict) else {}
