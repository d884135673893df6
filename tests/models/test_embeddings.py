"""Similarities from embeddings: a real server on loopback, a real ONNX model, a real (tiny, untrained) transformer."""

from __future__ import annotations

import json
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command import saccade
from fake_openai import Behaviour, Handler, failing, forget_environment, raw, serving

from saccade.errors import InputError
from saccade.geometry import Box, Size
from saccade.models import ModelError
from saccade.models.embeddings import open_similarity
from saccade.scoring.embedding_similarity import GATE, description_pairs, gate_shares, prepare, similarity_name
from saccade.scoring.rewards.base import RewardRow
from saccade.scoring.rewards.uiloop import UILoopReward
from saccade.scoring.similarity import similarity
from saccade.train.rewards import CompletionScorer
from saccade.types import Element, Screen


@pytest.fixture(autouse=True)
def on_a_bare_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    forget_environment(monkeypatch, tmp_path)


def letters(texts: list[str]) -> list[list[float]]:
    """An embedding that can be computed by hand: how often a, b and c occur."""
    return [[float(text.count(letter)) for letter in "abc"] for text in texts]


def embedding(handler: Handler) -> None:
    rows = [{"index": at, "embedding": vector} for at, vector in enumerate(letters(handler.body["input"]))]
    handler.send(json.dumps({"data": rows[::-1], "usage": {}}).encode())  # the order is that of `index`


def answer(caption: str) -> str:
    call = "[{'action': 'click', 'point': [50, 50], 'input_text': 'no input text'}]"
    return f"<ui> Located at [50, 50], {caption} </ui><think>so</think><answer>{call}</answer>"


def row(caption: str, key: str) -> RewardRow:
    element = Element(1, Box(40, 40, 60, 60), caption=key)
    return RewardRow(answer(caption), Screen(Size(100, 100)), [], [element])


# -- a server ----------------------------------------------------------------------------------------------------------


def test_cosine_of_a_servers_embeddings() -> None:
    with serving(embedding) as server:
        sim = open_similarity(f"server/letters@{server.url}")
        assert similarity_name(sim) == "server/letters", "the address is no part of its name"
        # (2, 1, 0)·(1, 1, 0) = 3; lengths √5 and √2
        assert sim("aab", "ab") == pytest.approx(3 / sqrt(10))
        assert sim("aab", "aab") == 1.0 and sim("a", "b") == 0.0 and sim("a", "") == 0.0 and sim("a", "\ud800a") > 0
        asked = server.asked[0]
        assert asked.path == "/v1/embeddings"
        assert asked.body == {"model": "letters", "input": ["aab", "ab"], "encoding_format": "float"}
        count = len(server.asked)
        assert sim("ab", "aab") == pytest.approx(3 / sqrt(10)) and len(server.asked) == count, "kept"


def test_the_address_and_key_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(embedding) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "secret-key-1")
        assert open_similarity("openai/of-the-environment")("a", "ab") == pytest.approx(1 / sqrt(2))
        assert server.asked[0].headers["authorization"] == "Bearer secret-key-1"


def test_a_thousand_completions_are_few_calls() -> None:
    rows = [row("a" * (at % 400 + 1), "b" * (at % 300 + 1) + "a") for at in range(1000)]
    with serving(embedding) as server:
        reward = UILoopReward(sim=open_similarity(f"server/batched@{server.url}"))
        prepare(reward, rows)
        parts = [reward.parts(each) for each in rows]
    # 400 + 300 different descriptions, 128 in a call
    assert len(server.asked) == 6 and sum(len(body["input"]) for body in server.bodies) == 700
    assert parts[0]["lingualisation"] == pytest.approx(1 / sqrt(2))  # "a" and "ba": 1/√2


def test_a_recipes_similarity_scores_its_batches() -> None:
    with serving(embedding) as server:
        name = f"server/recipe@{server.url}"
        scorer = CompletionScorer({"similarity": name, "alpha1": 2}, {"uiloop"})
        (note,) = scorer.notes
        assert note.startswith("sim: server/recipe. Of 60 paraphrase pairs")
    with pytest.raises(InputError, match="the btl reward has no option 'similarity'"):
        CompletionScorer({"similarity": name}, {"btl"})
    (note,) = CompletionScorer({}, {"uiloop"}).notes
    assert note.startswith("sim: static-root.")


@pytest.mark.parametrize(
    ("behaviour", "message"),
    [
        (failing(401, "no key"), r"refused the request \(401\): no key: set OPENAI_API_KEY"),
        (failing(404, "no such model"), "check the model's name and the base URL"),
    ],
)
def test_a_servers_refusal_is_one_sentence(behaviour: Behaviour, message: str) -> None:
    with serving(behaviour) as server, pytest.raises(InputError, match=message) as caught:
        open_similarity(f"server/refusing@{server.url}")("a", "b")
    assert "\n" not in str(caught.value)


def test_wrong_answers_of_a_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("saccade.models.openai.FIRST_WAIT", 0.01)
    for at, body in enumerate((b"{}", b"[]", b'{"data": [{"embedding": [1]}]}', b"no json")):
        with serving(raw(body)) as server, pytest.raises(ModelError, match=r"gave no answer \(5 tries\)"):
            open_similarity(f"server/wrong-{at}@{server.url}")("a", "b")


def test_bad_names_are_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for name, message in (
        ("nonsense", "'nonsense' is unknown and is no folder: use static-root, server/MODEL, or a folder"),
        (str(tmp_path / "empty"), "has neither modules.json nor an .onnx file"),
        ("server/", "needs the name of the model"),
        ("server/x@ftp://somewhere", "is not a web address"),
        ("server/x@http://me:word@127.0.0.1/v1", "put the key into OPENAI_API_KEY"),
    ):
        with pytest.raises(InputError, match=message):
            open_similarity(name)
    code, _, err = saccade("similarity", "nonsense")
    assert code == 2 and err.count("\n") == 1 and "word" not in err


# -- what is said of a similarity --------------------------------------------------------------------------------------


def test_shares_above_the_gate() -> None:
    pairs = description_pairs()
    assert len(pairs) == 60 and sum(pair.language == "zh" for pair in pairs) == 30
    assert len({text for pair in pairs for text in pair[1:]}) == 180
    everything, nothing = gate_shares(lambda a, b: 0.51), gate_shares(lambda a, b: GATE)
    assert (everything.paraphrases, everything.unrelated, nothing.paraphrases) == (1, 1, 0), "above, not at the gate"
    right = {(pair.text, pair.paraphrase) for pair in pairs[::2]}
    half = gate_shares(lambda a, b: float((a, b) in right), "en")
    assert (half.paraphrases, half.unrelated, half.pairs) == (0.5, 0, 30)
    assert "puts 50 % above UILoop's gate of 0.5, of 30 unrelated ones 0 %" in half.sentence
    default = gate_shares(similarity)
    assert default.name == "static-root" and default.paraphrases > 0.5 and default.unrelated < 0.1


def test_commands_name_their_similarity(tmp_path: Path) -> None:
    step = {
        "id": "s",
        "screen": [100, 100],
        "output": answer("aab"),
        "truth": [{"type": "click", "point": [50, 50]}],
        "key_elements": [{"id": 1, "box": [40, 40, 60, 60], "caption": "ab"}],
    }
    (tmp_path / "steps.jsonl").write_text(json.dumps(step))
    file = str(tmp_path / "steps.jsonl")
    with serving(embedding) as server:
        name = f"server/command@{server.url}"
        code, out, _ = saccade("reward", file, "--paradigm", "uiloop", "--json", "--similarity", name)
        told = json.loads(out)
        assert code == 0 and told["similarity"] == "server/command"
        assert told["parts"]["lingualisation"] == pytest.approx(3 / sqrt(10))
        code, out, _ = saccade("reward", file, "--paradigm", "uiloop", "--similarity", name)
        assert "sim: server/command. Of 60 paraphrase pairs" in " ".join(out.split())
        code, out, _ = saccade("similarity", name, "--json")
        assert code == 0 and set(json.loads(out)) == {"all", "en", "zh"}
    code, out, _ = saccade("reward", file, "--paradigm", "uiloop", "--json")
    assert json.loads(out)["similarity"] == "static-root"
    code, _, err = saccade("reward", file, "--paradigm", "btl", "--similarity", "static-root")
    assert code == 2 and "compares no descriptions" in err


# -- folders -----------------------------------------------------------------------------------------------------------

WORDS = {"[PAD]": 0, "[UNK]": 1, "a": 2, "b": 3, "c": 4}
TABLE = np.array([[9, 9], [0, 0], [1, 0], [0, 1], [1, 1]], np.float32)
"""The vector of each word; that of the padding must not count."""


def tokenizer(file: Path) -> None:
    tokenizers: Any = pytest.importorskip("tokenizers")
    made = tokenizers.Tokenizer(tokenizers.models.WordLevel(WORDS, unk_token="[UNK]"))
    made.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    made.save(str(file))


def onnx_folder(folder: Path) -> Path:
    """A model that looks each word up in `TABLE`."""
    onnx: Any = pytest.importorskip("onnx")
    pytest.importorskip("onnxruntime")
    folder.mkdir(parents=True)
    tokenizer(folder / "tokenizer.json")
    helper, kind = onnx.helper, onnx.TensorProto
    names = ["input_ids", "attention_mask"]
    inputs = [helper.make_tensor_value_info(name, kind.INT64, ["texts", "tokens"]) for name in names]
    output = helper.make_tensor_value_info("last_hidden_state", kind.FLOAT, ["texts", "tokens", 2])
    node = helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"])
    graph = helper.make_graph([node], "words", inputs, [output], [onnx.numpy_helper.from_array(TABLE, "table")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, str(folder / "model.onnx"))
    return folder


def test_onnx_folder(tmp_path: Path) -> None:
    sim = open_similarity(str(onnx_folder(tmp_path / "words")))
    assert similarity_name(sim).endswith("/words")
    # "a a b": mean (2/3, 1/3), padding left out beside "a": cos((2, 1), (1, 0)) = 2/√5
    assert sim("a a b", "a") == pytest.approx(2 / sqrt(5), abs=1e-6)
    assert sim("a", "b") == 0.0 and sim("a b", "c") == pytest.approx(1, abs=1e-6)


def test_onnx_folder_with_cls_pooling_and_a_limit(tmp_path: Path) -> None:
    folder = onnx_folder(tmp_path / "first")
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode_cls_token": true}')
    assert open_similarity(str(folder))("b a a", "b") == pytest.approx(1, abs=1e-6)
    short = onnx_folder(tmp_path / "short")
    (short / "sentence_bert_config.json").write_text('{"max_seq_length": 1}')
    assert open_similarity(str(short))("b a a", "b") == pytest.approx(1, abs=1e-6)
    other = onnx_folder(tmp_path / "other")
    (other / "1_Pooling").mkdir()
    (other / "1_Pooling" / "config.json").write_text('{"pooling_mode_max_tokens": true}')
    with pytest.raises(InputError, match="pooling by pooling_mode_max_tokens is not supported"):
        open_similarity(str(other))


def test_damaged_onnx_folders(tmp_path: Path) -> None:
    folder = onnx_folder(tmp_path / "damaged")
    (folder / "model.onnx").write_bytes(b"no model")
    with pytest.raises(InputError, match="cannot be opened as an ONNX model"):
        open_similarity(str(folder))
    (folder / "tokenizer.json").unlink()
    with pytest.raises(InputError, match=r"no tokenizer\.json"):
        open_similarity(str(folder))


@pytest.mark.train
def test_sentence_transformers_folder(tmp_path: Path) -> None:
    torch: Any = pytest.importorskip("torch")
    transformers: Any = pytest.importorskip("transformers")
    folder = tmp_path / "tiny"
    folder.mkdir()
    tokenizer(folder / "words.json")
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_file=str(folder / "words.json"), pad_token="[PAD]", unk_token="[UNK]"
    )
    fast.save_pretrained(folder)
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=len(WORDS), hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16
    )
    bert = transformers.BertModel(config).eval()
    bert.save_pretrained(folder)
    kinds = [("Transformer", ""), ("Pooling", "1_Pooling"), ("Normalize", "2_Normalize")]
    modules = [{"path": path, "type": f"sentence_transformers.models.{kind}"} for kind, path in kinds]
    (folder / "modules.json").write_text(json.dumps(modules))
    sim = open_similarity(str(folder))
    with torch.no_grad():
        ids = [torch.tensor([[WORDS[word] for word in text.split()]]) for text in ("a a b", "c")]
        a, b = (bert(each, attention_mask=torch.ones_like(each)).last_hidden_state.mean(1)[0] for each in ids)
    expected = max(0.0, float(torch.nn.functional.cosine_similarity(a, b, 0)))
    assert sim("a a b", "c") == pytest.approx(expected, abs=1e-5)
    (folder / "modules.json").write_text('[{"path": "", "type": "x.models.WordEmbeddings"}]')
    with pytest.raises(InputError, match="the module WordEmbeddings is not supported"):
        open_similarity(f"{folder}/")
