"""The mini at run time: the graph against transformers, sampling, errors, and whole runs."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from random_mini import make_qwen3, make_random_mini
from recordings import DONE, TAP, record
from taught_mini import PARADIGMS, rows_of, teach_mini

from saccade.agents.build import hints_of, paradigm_of
from saccade.agents.run import RunOverrides, start_run
from saccade.agents.settings import Settings
from saccade.data.collect.collector import Request, open_player
from saccade.data.collect.model_player import ModelPlayer
from saccade.errors import InputError, MissingError
from saccade.models import Ask, Model, open_model
from saccade.models.scripted import ScriptedModel
from saccade.paradigms.base import Situation
from saccade.types import Message, Step
from saccade_mini import model as mini_model
from saccade_mini import task_normalizer as plainly
from saccade_mini.card import Card, read_card
from saccade_mini.codec import PROMPT, Sheet
from saccade_mini.decode import Network, chooser, common, generate, score
from saccade_mini.intent_classifier import features
from saccade_mini.model import MiniModel
from saccade_mini.slot_spans import features as edge_features
from saccade_mini.slot_spans import units
from saccade_mini.training.onnx_export import build_graph, quantise

VOCABULARY = 500


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return record(tmp_path_factory.mktemp("world") / "recording", [TAP, TAP, DONE])


@pytest.fixture(scope="module")
def steps(recording: Path) -> list[Step]:
    return msgspec.json.Decoder(Step).decode_lines((recording / "steps.jsonl").read_bytes())


@pytest.fixture(scope="module")
def taught(tmp_path_factory: pytest.TempPathFactory, steps: list[Step]) -> Path:
    return teach_mini(tmp_path_factory.mktemp("minis") / "taught", steps)


@pytest.fixture(scope="module")
def random_mini(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_random_mini(tmp_path_factory.mktemp("minis") / "random")


@pytest.fixture(scope="module")
def mini(random_mini: Path) -> MiniModel:
    opened = open_model(f"mini/{random_mini}", base_url="what other kinds of models take")
    assert isinstance(opened, MiniModel)
    return opened


@pytest.fixture
def broken(random_mini: Path, tmp_path: Path) -> Path:
    """A copy that a test may spoil."""
    return Path(shutil.copytree(random_mini, tmp_path / "model"))


@pytest.fixture(scope="module")
def asked(steps: list[Step]) -> list[Message]:
    return rows_of(steps, "btl")[0].messages


# -- the graph ---------------------------------------------------------------------------------------------------------


def network(folder: Path, model: Any, bits: int, threads: int = 1) -> Network:
    weights = {name: value.detach().numpy() for name, value in model.state_dict().items()}
    config = model.config
    head = "score" if hasattr(model, "score") else "words"
    file = folder / f"{head}{bits}.onnx"
    file.write_bytes(build_graph(weights, config, head, bits).SerializeToString())  # type: ignore[arg-type]
    card = Card(layers=config.num_hidden_layers, key_heads=config.num_key_value_heads, head_size=config.head_dim)
    return Network(file, card, threads)


def draw(count: int, seed: int = 0) -> list[int]:
    return np.random.default_rng(seed).integers(0, VOCABULARY, count).tolist()  # type: ignore[no-any-return]


def reference(model: Any, tokens: list[int]) -> Any:
    import torch  # noqa: PLC0415

    with torch.inference_mode():
        return model(torch.tensor([tokens])).logits[0].numpy()


def read_all(net: Network, tokens: list[int], at_once: int) -> Any:
    """The logits from the last token of the first piece on."""
    cache = net.cache(1, len(tokens))
    found = [cache.read(np.array([tokens[:at_once]]))[0].copy()]
    found += [cache.read(np.array([[token]]))[0].copy() for token in tokens[at_once:]]
    return np.array(found)


@pytest.mark.parametrize("sizes", [{}, {"num_attention_heads": 4, "num_key_value_heads": 2}], ids=["own", "grouped"])
def test_the_graph_is_the_model(tmp_path: Path, sizes: dict[str, int]) -> None:
    model, tokens = make_qwen3(VOCABULARY, 0, False, 0.06, **sizes), draw(60)
    found = read_all(network(tmp_path, model, 32), tokens, 40)
    assert np.abs(found - reference(model, tokens)[39:]).max() < 1e-3


def test_eight_bits_are_enough(tmp_path: Path) -> None:
    model, tokens = make_qwen3(VOCABULARY), draw(120)
    right = reference(model, tokens)[19:]
    found = read_all(network(tmp_path, model, 8), tokens, 20)
    assert np.sqrt(((found - right) ** 2).mean()) < 0.05 * right.std()
    assert (found.argmax(1) == right.argmax(1)).mean() > 0.9


def test_four_bits_are_smaller_and_less_exact(tmp_path: Path) -> None:
    model, tokens = make_qwen3(VOCABULARY), draw(120)
    right = reference(model, tokens)[19:]
    found = read_all(network(tmp_path, model, 4), tokens, 20)
    assert 0.05 * right.std() < np.sqrt(((found - right) ** 2).mean()) < 0.6 * right.std()
    network(tmp_path, model, 8)
    assert (tmp_path / "words4.onnx").stat().st_size < 0.85 * (tmp_path / "words8.onnx").stat().st_size


def test_weights_lose_half_a_step_at_most() -> None:
    weight = np.random.default_rng(0).normal(size=(8, 128)).astype(np.float32)
    weight[3] = 0
    numbers, scales = quantise(weight)
    back = ((numbers.astype(np.float32) - 128) * scales).reshape(8, 128)
    assert (np.abs(back - weight).reshape(8, 2, 64) <= scales * 0.5001).all()
    assert (back[3] == 0).all()
    with pytest.raises(InputError, match="blocks of 64"):
        quantise(weight[:, :100])


def test_greedy_answers_are_those_of_transformers(tmp_path: Path) -> None:
    import torch  # noqa: PLC0415

    model, prompt = make_qwen3(VOCABULARY), draw(30)
    with torch.inference_mode():
        right = model.generate(torch.tensor([prompt]), max_new_tokens=25, do_sample=False, eos_token_id=-1)[0, 30:]
    net = network(tmp_path, model, 32)
    for rows in (1, 3):
        found = np.array(list(generate(net, prompt, rows, 25, chooser(0, 1, None))))
        assert all((found[:, row] == right.numpy()).all() for row in range(rows))


def test_scores_are_those_of_transformers(tmp_path: Path) -> None:
    model = make_qwen3(VOCABULARY, scores=True)
    shared = draw(20)
    prompts = [shared + draw(count, count) for count in (1, 5, 9)] + [shared]
    right = [float(reference(model, prompt)[0]) for prompt in prompts]
    assert np.std(right) > 0.1
    net = network(tmp_path, model, 32)
    assert common(prompts) == 19
    assert score(net, prompts) == pytest.approx(right, abs=1e-3)
    assert score(net, [draw(1)]) == pytest.approx([float(reference(model, draw(1))[0])], abs=1e-3)
    assert score(net, []) == []
    assert score(network(tmp_path, model, 8), prompts) == pytest.approx(right, abs=0.2)


def test_a_cache_takes_no_more_than_it_has_room_for(tmp_path: Path) -> None:
    cache = network(tmp_path, make_qwen3(VOCABULARY), 8).cache(1, 10)
    assert cache.room == 64
    with pytest.raises(ValueError, match="do not fit"):
        cache.read(np.array([draw(65)]))


# -- one call ----------------------------------------------------------------------------------------------------------


def test_an_answer_says_what_it_cost(mini: MiniModel, asked: list[Message]) -> None:
    (answer,) = mini.complete(asked, Ask(max_tokens=20))
    assert answer.finish == "length"
    assert answer.usage.output == 20
    assert 50 < answer.usage.input < 400
    assert answer.usage.calls == 1
    assert answer.first_token is not None
    assert 0 < answer.first_token <= answer.seconds


def test_an_answer_depends_on_the_seed_alone(mini: MiniModel, asked: list[Message]) -> None:
    hot = Ask(n=3, temperature=1.0, max_tokens=12, seed=5)
    first, again = (mini.complete(asked, hot) for _ in range(2))
    assert [each.text for each in first] == [each.text for each in again]
    assert len({each.text for each in first}) == 3
    assert first[0].usage.output == 36
    assert first[1].usage.calls == 0
    other = mini.complete(asked, msgspec.structs.replace(hot, seed=6))
    assert other[0].text != first[0].text
    cold = mini.complete(asked, Ask(n=2, max_tokens=12))
    assert cold[0].text == cold[1].text
    assert cold[0].usage.output == 12


def test_top_p_leaves_out_the_unlikely() -> None:
    logits = np.log(np.array([[0.5, 0.3, 0.15, 0.05]] * 4000, dtype=np.float32))
    shares = np.bincount(chooser(1.0, 1.0, 0)(logits), minlength=4) / 4000
    assert shares == pytest.approx([0.5, 0.3, 0.15, 0.05], abs=0.03)
    shares = np.bincount(chooser(1.0, 0.7, 0)(logits), minlength=4) / 4000
    assert shares == pytest.approx([0.625, 0.375, 0, 0], abs=0.03)
    assert set(chooser(1.0, 0.0, 0)(logits)) == {0}
    assert set(chooser(0.01, 1.0, 0)(logits)) == {0}


def test_it_ends_by_itself_at_a_stop_or_in_time(taught: Path, mini: MiniModel, steps: list[Step]) -> None:
    row = rows_of(steps, "secagent")[0]
    model = MiniModel(taught)
    (whole,) = model.complete(row.messages, Ask())
    assert (whole.text, whole.finish) == (row.answer, "stop")
    (cut,) = model.complete(row.messages, Ask(stop=("</think>", "")))
    assert (cut.text, cut.finish) == (row.answer.partition("</think>")[0], "stop")
    assert cut.usage.output < whole.usage.output
    (nothing,) = model.complete(row.messages, Ask(stop=("<summary>",)))
    assert nothing.text == ""
    (late,) = mini.complete(row.messages, Ask(max_tokens=1000, deadline=0.05))
    assert late.finish == "length"
    assert late.usage.output < 200


def test_a_repair_answers_the_same_prompt_otherwise(mini: MiniModel, asked: list[Message]) -> None:
    again = [*asked, Message("assistant", ("nonsense",)), Message("user", ("That could not be read.",))]
    first = mini.complete(asked, Ask(max_tokens=20))[0]
    repaired = mini.complete(again, Ask(purpose="repair", max_tokens=20, seed=1))[0]
    assert repaired.usage.input == first.usage.input
    assert repaired.text != first.text


def test_what_it_was_not_taught(mini: MiniModel, asked: list[Message]) -> None:
    assert len({each.text for each in mini.complete(asked, Ask(purpose="reflect", n=2))}) == 1
    for purpose in ("judge", "reward", "summarise"):
        with pytest.raises(InputError, match="only taught to act"):
            mini.complete(asked, Ask(purpose=purpose))
    for wrong in ([], [Message("user", ("What is on the screen?",))]):
        with pytest.raises(InputError, match="its own template"):
            mini.complete(wrong, Ask())


def test_a_list_that_is_too_long_is_cut(broken: Path, asked: list[Message]) -> None:
    text = asked[0].text
    items = "\n".join(f'#{at} button "Number {at}" [500, {at}] [0, {at}, 999, {at + 1}]' for at in range(90))
    card = json.loads((broken / "mini.json").read_text())
    (broken / "mini.json").write_text(json.dumps(card | {"positions": 400}))
    small = MiniModel(broken)
    (answer,) = small.complete([Message("user", (f"{text.partition('#')[0]}{items}",))], Ask())
    assert 200 < answer.usage.input <= 272
    assert answer.usage.input + answer.usage.output <= 400
    with pytest.raises(InputError, match="shorten it"):
        small.complete([Message("user", ("@btl en\ntask: " + "really " * 400,))], Ask())


def test_threads_take_turns(mini: MiniModel, asked: list[Message]) -> None:
    ask = Ask(max_tokens=10)
    right = mini.complete(asked, ask)[0].text
    with ThreadPoolExecutor(4) as pool:
        assert {each[0].text for each in pool.map(lambda _: mini.complete(asked, ask), range(6))} == {right}


# -- folders -----------------------------------------------------------------------------------------------------------


def test_the_shipped_one_or_one_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, random_mini: Path) -> None:
    monkeypatch.setattr(mini_model, "WEIGHTS", tmp_path / "none")
    with pytest.raises(MissingError, match="no weights of the mini: name a folder"):
        open_model("mini")
    monkeypatch.setattr(mini_model, "WEIGHTS", random_mini)
    assert open_model("mini").name == "mini"
    assert open_model(f"mini/{random_mini}").name == "mini/random"


def spoil(folder: Path, what: str) -> None:
    card = json.loads((folder / "mini.json").read_text())
    if what == "tokens":
        (folder / "mini.json").write_text(json.dumps(card | {"vocabulary": 90}))
    elif what == "layers":
        (folder / "mini.json").write_text(json.dumps(card | {"layers": 9}))
    elif what == "type":
        (folder / "mini.json").write_text(json.dumps(card | {"layers": "two"}))
    elif what == "cut":
        (folder / "model.onnx").write_bytes((folder / "model.onnx").read_bytes()[:5000])
    elif what == "end":
        text = (folder / "tokenizer.json").read_text().replace("<end>", "<fin>")
        (folder / "tokenizer.json").write_text(text)
    elif what == "text":
        (folder / "tokenizer.json").write_text("no JSON")
    else:
        (folder / what).unlink()


@pytest.mark.parametrize(
    ("what", "sentence"),
    [
        ("model.onnx", r"has no model\.onnx"),
        ("tokenizer.json", r"has no tokenizer\.json"),
        ("mini.json", r"has no mini\.json"),
        ("tokens", "has more tokens than the model"),
        ("layers", r"is not the network that .*mini\.json speaks of"),
        ("type", r"mini\.json: layers: Expected"),
        ("cut", r"model\.onnx cannot be loaded"),
        ("end", "no token <end>"),
        ("text", r"tokenizer\.json cannot be read"),
    ],
)
def test_a_wrong_folder_is_one_sentence(broken: Path, what: str, sentence: str) -> None:
    spoil(broken, what)
    with pytest.raises(InputError, match=sentence) as caught:
        open_model(f"mini/{broken}")
    assert "\n" not in str(caught.value)


def test_no_folder_and_no_threads(random_mini: Path) -> None:
    with pytest.raises(InputError, match="has no model"):
        open_model("mini/nowhere")
    with pytest.raises(InputError, match="threads is 0"):
        open_model(f"mini/{random_mini}", threads=0)


def test_it_needs_no_torch(taught: Path, recording: Path, tmp_path: Path) -> None:
    """The default install has none."""
    code = f"""
import sys
for name in ("torch", "transformers", "onnx"):
    sys.modules[name] = None
from pathlib import Path
from saccade.agents.run import start_run
from saccade.agents.settings import Settings
log = start_run(Settings(world={f"replay:{recording}"!r}, model={f"mini/{taught}"!r}), Path({str(tmp_path / "run")!r}))
assert log.run.outcome.status == "success", log.run.outcome
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert ended.returncode == 0, ended.stderr


# -- whole runs --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("paradigm", PARADIGMS)
def test_it_does_what_it_was_taught(taught: Path, recording: Path, steps: list[Step], tmp_path: Path, paradigm: str
                                    ) -> None:  # fmt: skip
    """From element list to success, and every prompt is the one that training wrote."""
    log = start_run(Settings(world=f"replay:{recording}", model=f"mini/{taught}", paradigm=paradigm), tmp_path / "run")
    assert log.run.outcome is not None
    assert (log.run.outcome.status, len(log.steps)) == ("success", 3)
    for row, step in zip(rows_of(steps, paradigm), log.steps, strict=True):
        assert [text for _, text in step.prompt] == [message.text for message in row.messages]
        assert step.outputs == [row.answer]
        assert step.usage.calls == 1, "no summary was asked for"
        assert step.image, "pictures are logged all the same"


@pytest.mark.parametrize("paradigm", PARADIGMS)
def test_nonsense_ends_cleanly(random_mini: Path, recording: Path, tmp_path: Path, paradigm: str) -> None:
    settings = Settings(world=f"replay:{recording}", model=f"mini/{random_mini}", paradigm=paradigm, max_tokens=40)
    log = start_run(settings, tmp_path / "run")
    assert log.run.outcome is not None
    assert (log.run.outcome.status, log.run.outcome.ended_by) == ("failure", "unreadable")
    assert all(step.output is not None and "<end>" not in step.output for step in log.steps)


def test_the_users_word_outranks_what_it_was_taught(mini: MiniModel, tmp_path: Path) -> None:
    own = tmp_path / "own.j2"
    settings = Settings(world="phone", switches={"template": str(own)}, coordinates="unit", elements="key")
    paradigm, sight = paradigm_of(settings, "phone", "en", mini)
    assert (paradigm.template, sight.frame.kind, hints_of(settings, mini)) == (own, "unit", "key")
    usual = Settings(world="phone")
    paradigm, sight = paradigm_of(usual, "phone", "zh", mini)
    assert (paradigm.template, paradigm.frame.kind, sight.frame.kind) == (PROMPT, "permille", "permille")
    assert hints_of(usual, mini) == "parsed"
    other: Model = ScriptedModel([])
    assert paradigm_of(usual, "phone", "en", other)[0].template is None
    assert hints_of(usual, other) == hints_of(usual, None) == "none"


def test_it_plays_while_data_is_collected(random_mini: Path, steps: list[Step]) -> None:
    player = open_player(Request("phone", 1, f"mini/{random_mini}", paradigm="uiloop"))
    assert isinstance(player, ModelPlayer)
    text = player.paradigm.messages(Situation.of_step(steps[0], steps[0].elements))[0].text
    assert text.startswith("@uiloop en\n")
    with pytest.raises(InputError, match="unknown player 'minnie'"):
        open_player(Request("phone", 1, "minnie"))


def test_asking_it_to_judge_says_who_cannot(taught: Path, recording: Path, tmp_path: Path) -> None:
    settings = Settings(world=f"replay:{recording}", model=f"mini/{taught}", judge="model", retries=1)
    with pytest.raises(InputError, match="name another model to judge"):
        start_run(settings, tmp_path / "run", RunOverrides())


def test_it_puts_a_task_plainly_once(random_mini: Path, steps: list[Step], tmp_path: Path) -> None:
    folder = shutil.copytree(random_mini, tmp_path / "plain")
    card = msgspec.structs.replace(read_card(folder), restates=True)
    (folder / "mini.json").write_bytes(msgspec.json.encode(card))
    mini, before = MiniModel(folder), MiniModel(random_mini)
    messages = rows_of(steps, "btl")[0].messages
    first, second = (mini.complete(messages, Ask(max_tokens=5))[0].usage for _ in range(2))
    assert (first.calls, second.calls) == (2, 1)
    assert before.complete(messages, Ask(max_tokens=5))[0].usage.input < second.input < first.input
    sheet = Sheet.read(messages[0].text)
    assert mini.restate(sheet).calls == 0, "it is remembered"
    assert [part for part, _ in sheet.parts][:2] == ["task", "step"]
    assert mini.restate(sheet).calls == 0
    assert [part for part, _ in sheet.parts].count("step") == 1
    sheet.parts = [("task", "another one")]
    assert mini.restate(sheet).calls == 1


def test_what_stands_around_a_filling_counts(
    random_mini: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The decoder is a random one: whatever the edges are taught is what is put."""
    folder = shutil.copytree(random_mini, tmp_path / "read")
    card = msgspec.structs.replace(read_card(folder), restates=True)
    (folder / "mini.json").write_bytes(msgspec.json.encode(card))
    task, plain = "Please let me talk to Ada Moss about it", "Call {name}"
    begins, ends = edge_features(units(task), "name", plain)
    for name, first, last in (("Ada Moss", 5, 6), ("talk", 3, 3), ("about it", 7, 8)):
        weights = dict.fromkeys([*begins[first], *ends[last]], 60.0)
        edges: dict[str, Any] = {
            "edges": np.array(sorted(weights), np.uint32),
            "edge_weights": np.full(len(weights), 60, np.float16),
        }
        np.savez(folder / "reader.npz", known=np.array([0], np.uint32), words=np.zeros((1, 2), np.int8),
                 tasks=np.zeros((2, 2)), bias=np.array([9, 0]), scale=0.1,
                 plain=np.array(json.dumps({"en": [plain, ""], "zh": ["", ""]})), **edges)  # fmt: skip
        monkeypatch.setattr(plainly, "ODD_PLACE", -1e9)
        monkeypatch.setattr(plainly, "AROUND", 1e4)
        sheet = Sheet("btl", "en", parts=[("task", task)])
        MiniModel(folder).restate(sheet)
        assert sheet.part("step") == f"Call {name}"


def test_a_reader_chooses_the_plain_wording_and_the_decoder_fills_it(random_mini: Path, tmp_path: Path) -> None:
    """Whatever the weights are, only words of the task come into a slot."""
    folder = shutil.copytree(random_mini, tmp_path / "read")
    card = msgspec.structs.replace(read_card(folder), restates=True)
    (folder / "mini.json").write_bytes(msgspec.json.encode(card))
    plain = {"en": ["Turn on “{name}”", "Call {name}", ""], "zh": ["", "", ""]}
    known = np.array(sorted(features("switch")), dtype=np.uint32)
    tables: dict[str, Any] = {
        "words": np.array([[100, 0, 0]], np.int8),
        "tasks": np.eye(3),
        "bias": np.zeros(3),
        "scale": 0.1,
    }
    np.savez(folder / "reader.npz", known=known[:1], plain=np.array(json.dumps(plain)), **tables)
    mini = MiniModel(folder)
    sheet = Sheet("btl", "en", parts=[("task", "Somewhere is a switch called “Airplane mode”: put it on")])
    assert mini.restate(sheet).calls >= 1
    assert sheet.parts[1] == ("step", "Turn on “Airplane mode”")
    unknown = Sheet("btl", "en", parts=[("task", "Water the plants")])
    assert mini.reader is not None
    mini.reader._bias += np.array([0, 0, 9], np.float32)
    assert mini.restate(unknown).calls == 0
    assert len(unknown.parts) == 1
