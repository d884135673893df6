"""The fast path gives the numbers of the plain one: packed rows, shared beginnings, pictures once."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from train_data import recipe, write_data

from saccade.errors import InputError
from tiny_vl import Family, make_tiny

pytest.importorskip("torch")
import torch
from PIL import Image
from transformers import AutoModelForImageTextToText

from saccade.models.fast_path import segment_attention as segments
from saccade.models.fast_path.distinct_pictures import DistinctImageProcessor
from saccade.models.fast_path.fast_model import FastModel, open_fast, uncompiled
from saccade.models.fast_path.layer_checkpointing import LayerCheckpointing
from saccade.models.fast_path.packing import pack, shared_beginnings, vector_fingerprints
from saccade.models.fast_path.segment_attention import segment_attention
from saccade.models.hf import load_whole
from saccade.train.sft import train_sft

pytestmark = pytest.mark.train


# -- the layout of packed rows ----------------------------------------------------------------------------------------


def test_padding_is_left_out() -> None:
    mask = np.array([[1, 1, 0, 0], [0, 1, 1, 1]])
    packing = pack(mask)
    assert packing.tokens.tolist() == [0, 1, 5, 6, 7]
    assert packing.source.tolist() == [0, 1, 5, 5, 5, 2, 3, 4]  # 5: behind the end, where padding belongs
    assert packing.query_lengths == packing.key_lengths == [2, 3]
    assert packing.keys is None


def test_a_shared_beginning_stands_once() -> None:
    prints = np.array([[7, 8, 9, 1, 0], [5, 5, 5, 5, 5], [7, 8, 9, 2, 3]])
    mask = np.array([[1, 1, 1, 1, 0], [1, 1, 1, 1, 1], [1, 1, 1, 1, 1]])
    groups = shared_beginnings(prints, mask)
    assert groups == [(3, [0, 2])]
    packing = pack(mask, groups)
    assert packing.tokens.tolist() == [0, 1, 2, 3, 13, 14, 5, 6, 7, 8, 9]
    assert packing.query_lengths == [3, 1, 2, 5] and packing.key_lengths == [3, 4, 5, 5]
    assert packing.keys is not None
    assert packing.keys.tolist() == [0, 1, 2, 0, 1, 2, 3, 0, 1, 2, 4, 5, 6, 7, 8, 9, 10]
    assert packing.source.tolist() == [0, 1, 2, 3, 11, 6, 7, 8, 9, 10, 0, 1, 2, 4, 5]


def test_rows_that_are_the_same_keep_a_token_each() -> None:
    prints = np.array([[1, 2, 3], [1, 2, 3]])
    assert shared_beginnings(prints, np.ones((2, 3), int)) == [(2, [0, 1])]


def test_rows_with_little_in_common_are_not_grouped() -> None:
    prints = np.array([[1, 2, 3, 4, 5], [1, 2, 6, 7, 8]])
    assert shared_beginnings(prints, np.ones((2, 5), int)) == []


def test_fingerprints_depend_on_order_and_on_every_bit() -> None:
    weights = torch.tensor([3, 5, 7])
    one, other = torch.tensor([[1.0, 2.0, 3.0]]), torch.tensor([[2.0, 1.0, 3.0]])
    near = torch.tensor([[1.0, 2.0, np.nextafter(np.float32(3), np.float32(4))]])
    prints = {int(vector_fingerprints(each, weights)[0]) for each in (one, other, near, one.clone())}
    assert len(prints) == 3


def test_attention_within_segments_is_attention_of_each() -> None:
    torch.manual_seed(0)
    query, key, value = (torch.randn(7, heads, 8) for heads in (4, 2, 2))
    limits = torch.tensor([0, 3, 7])
    found = segment_attention(query, key, value, limits, limits, 4, 4, scale=0.3, causal=True)
    last = torch.stack([query[6, head] @ key[3:7, head // 2].T for head in range(4)]) * 0.3
    by_hand = torch.stack([last[head].softmax(-1) @ value[3:7, head // 2] for head in range(4)])
    assert torch.allclose(found[6], by_hand, atol=1e-6)
    assert torch.allclose(found[0], value[0].repeat_interleave(2, dim=0), atol=1e-6)  # the first sees itself alone


# -- the model --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=["qwen2.5-vl", "qwen3-vl"])
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    family: Family = request.param
    folder = make_tiny(tmp_path_factory.mktemp("fast") / "tiny", family)
    made = AutoModelForImageTextToText.from_pretrained(folder, dtype=torch.float32).train()
    made.family = family
    return made


def batch(model: Any, answers: list[list[int]], same: bool, left: bool) -> dict[str, Any]:
    """Rows of a picture and some words with an answer each; `same`: all have one prompt and one picture."""
    config, torch_rows = model.config, []
    chance = torch.Generator().manual_seed(1)
    merge = config.vision_config.spatial_merge_size
    grids: list[list[int]] = []
    pixels: list[Any] = []
    size = config.vision_config.patch_size**2 * config.vision_config.temporal_patch_size * 3
    for at, answer in enumerate(answers):
        tall = 4 if same else 4 + 2 * at
        grids.append([1, tall, 4])
        if same and pixels:
            pixels.append(pixels[0])
        else:
            pixels.append(torch.randn(tall * 4, size, generator=chance))
        pads = [config.image_token_id] * (tall * 4 // merge**2)
        words = [20, 21, 22] if same else [20 + at, 21, 22]
        torch_rows.append([*words, config.vision_start_token_id, *pads, config.vision_end_token_id, 30, *answer])
    longest = max(map(len, torch_rows))
    fill = [[0] * (longest - len(row)) for row in torch_rows]
    rows = torch.tensor([pad + row if left else row + pad for pad, row in zip(fill, torch_rows, strict=True)])
    ones = [[1] * len(row) for row in torch_rows]
    mask = torch.tensor([pad + one if left else one + pad for pad, one in zip(fill, ones, strict=True)])
    return {
        "input_ids": rows,
        "attention_mask": mask,
        "pixel_values": torch.cat(pixels),
        "image_grid_thw": torch.tensor(grids),
        "mm_token_type_ids": (rows == config.image_token_id).int() * mask.int(),
    }


def loss_of(model: Any, given: dict[str, Any]) -> Any:
    logits = model(**given, use_cache=False).logits
    kept = given["attention_mask"][:, 1:].bool() & given["attention_mask"][:, :-1].bool()
    found = torch.nn.functional.cross_entropy(logits[:, :-1][kept], given["input_ids"][:, 1:][kept])
    return found, logits


@pytest.mark.parametrize(("same", "left"), [(False, False), (False, True), (True, True), (True, False)])
def test_losses_and_gradients_are_those_of_the_plain_path(model: Any, same: bool, left: bool) -> None:
    given = batch(model, [[40, 41, 42, 43], [40, 44], [45, 46, 47]], same, left)
    fast = copy.deepcopy(model)
    FastModel(fast, shares_beginnings=same, checkpoints=False)
    lengths: list[int] = []
    layer = fast.model.language_model.layers[0]
    handle = layer.register_forward_pre_hook(lambda _, seen: lengths.append(seen[0].shape[1]))
    expected, logits = loss_of(model, given)
    found, packed = loss_of(fast, given)
    handle.remove()
    kept = given["attention_mask"].bool()
    rounding = 1e-5 * float(logits.detach().abs().max())  # processors add up in another order
    assert torch.allclose(packed[kept], logits[kept], atol=rounding)
    assert abs(float(found.detach()) - float(expected.detach())) < 1e-6
    tokens = int(given["attention_mask"].sum())
    shared = tokens - 2 * (tokens - 9) // 3 if same else tokens
    assert lengths == [shared] and (not same or shared < tokens)
    wanted = torch.autograd.grad(expected, list(model.parameters()), allow_unused=True)
    gradients = torch.autograd.grad(found, list(fast.parameters()), allow_unused=True)
    for (name, _), one, other in zip(model.named_parameters(), wanted, gradients, strict=True):
        if one is not None:
            assert other is not None and torch.allclose(one, other, atol=1e-5), name


def test_what_layers_add_to_is_not_rounded_to_bfloat16(model: Any) -> None:
    """Or an adapter's first contributions would be lost in the sum."""
    given = batch(model, [[40, 41, 42, 43], [40, 44], [45, 46, 47]], False, False)
    plain = copy.deepcopy(model).bfloat16()
    fast = copy.deepcopy(plain)
    FastModel(fast, shares_beginnings=False, checkpoints=False)
    kinds: list[Any] = []
    for layer in fast.model.language_model.layers:
        layer.register_forward_pre_hook(lambda _, seen: kinds.append(seen[0].dtype))
    with torch.no_grad():
        _, truth = loss_of(copy.deepcopy(plain).float(), given)
        with torch.autocast("cpu", torch.bfloat16):
            seen = [loss_of(each, given)[1].float() for each in (fast, plain)]
    kept = given["attention_mask"].bool()
    away = [float((each - truth)[kept].square().mean()) for each in seen]
    assert set(kinds) == {torch.float32} and away[0] < away[1]


def test_a_picture_is_seen_once_however_often_it_comes(model: Any) -> None:
    fast = copy.deepcopy(model)
    FastModel(fast, shares_beginnings=True, checkpoints=False)
    sizes: list[int] = []
    fast.model.visual.blocks[0].register_forward_pre_hook(lambda _, seen: sizes.append(seen[0].shape[0]))
    fast(**batch(model, [[40], [41], [42]], same=True, left=True), use_cache=False)
    fast(**batch(model, [[40], [41]], same=False, left=True), use_cache=False)
    assert sizes == [16, 16 + 24]


def test_pictures_are_cut_into_patches_once_for_two_readings(tmp_path: Path) -> None:
    _, _, processing = load_whole(make_tiny(tmp_path / "tiny"), torch.device("cpu"), "float32")
    plain = processing.image_processor
    calls: list[int] = []

    def counted(images: Any, *given: Any, **rest: Any) -> Any:
        calls.append(len(images))
        return plain(images, *given, **rest)

    one, two = (Image.new("RGB", (56, 56 + 28 * at), (40 * at, 90, 10)) for at in range(2))
    pictures = [[one], [one, two], [two]]
    expected = plain([one, one, two, two], return_tensors="pt")
    distinct = DistinctImageProcessor(counted, "cpu")
    for _ in range(2):
        found = distinct(pictures, return_tensors="pt")
        assert torch.equal(found["pixel_values"], expected["pixel_values"])
        assert torch.equal(found["image_grid_thw"], expected["image_grid_thw"])
    assert calls == [2]


def test_a_copy_of_a_fast_model_has_weights_of_its_own(model: Any) -> None:
    fast = copy.deepcopy(model)
    FastModel(fast, shares_beginnings=True, checkpoints=True)
    other = copy.deepcopy(fast)
    given = batch(model, [[40], [41]], same=True, left=True)
    before = other(**given, use_cache=False).logits
    with torch.no_grad():
        for weight in fast.parameters():
            weight.zero_()
    assert torch.equal(other(**given, use_cache=False).logits, before)


def test_sampling_gives_the_same_tokens(model: Any) -> None:
    given = batch(model, [[40], [41]], same=False, left=True)
    fast = copy.deepcopy(model)
    FastModel(fast, shares_beginnings=True, checkpoints=False)
    options = {"max_new_tokens": 6, "do_sample": False, "use_cache": True}
    expected = model.eval().generate(**given, **options)
    with uncompiled():
        found = fast.eval().generate(**given, **options)
    model.train()
    assert torch.equal(found, expected)


def test_equal_prompts_are_read_once_and_others_are_not_taken_for_them(model: Any) -> None:
    """Five prompts: the first, second and fourth are equal, the third ends in another word, the fifth has the same
    words and another picture.
    """
    given = batch(model, [[40], [40], [41], [40], [40]], same=True, left=True)
    patches = len(given["pixel_values"]) // 5
    given["pixel_values"][-patches:] += 1
    fast = copy.deepcopy(model)
    parts = FastModel(fast, shares_beginnings=True, checkpoints=False)
    seen: list[tuple[int, ...]] = []
    parts.language.layers[0].register_forward_pre_hook(lambda _, args: seen.append(tuple(args[0].shape[:2])))
    options = {"max_new_tokens": 4, "do_sample": False, "use_cache": True, "output_logits": True}
    options["return_dict_in_generate"] = True
    expected = model.eval().generate(**given, **options)
    with uncompiled():
        found = fast.eval().generate(**given, **options)
    model.train()
    assert torch.equal(found.sequences, expected.sequences)
    for one, other in zip(found.logits, expected.logits, strict=True):
        assert torch.allclose(one, other, atol=1e-5)
    assert not torch.allclose(found.logits[0][0], found.logits[0][4], atol=1e-5), "pictures must matter"
    assert [rows for rows, _ in seen] == [3, 5, 5, 5]


@pytest.fixture
def flash_on_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """The call of torch's variable-length attention, with a kernel that a CPU has and the GPU kernel's demands."""
    varlen = pytest.importorskip("torch.nn.attention.varlen")

    def kernel(query: Any, key: Any, value: Any, *limits: Any, **rest: Any) -> Any:
        begins_q, begins_k, longest_q, longest_k, causal, scale = limits[:6]
        assert query.dtype == key.dtype == value.dtype and begins_q.dtype == begins_k.dtype == torch.int32
        assert all(each.is_contiguous() for each in (query, key, value))
        assert (int(begins_q.diff().max()), int(begins_k.diff().max())) == (longest_q, longest_k)
        found = segments._one_by_one(query, key, value, begins_q.tolist(), begins_k.tolist(), scale, causal)
        return found, torch.zeros(query.shape[1], len(query)), torch.zeros(2, dtype=torch.uint64)

    varlen._varlen_attn.register_kernel("cpu")(kernel)

    def always(*given: Any, scale: float | None, causal: bool) -> Any:
        query, key, value, *limits = given
        return segments.flash_attention(query, key, value, tuple(limits), scale, causal)

    monkeypatch.setattr(segments, "segment_attention", always)


@pytest.mark.usefixtures("flash_on_cpu")
def test_layers_compile_whole_and_once_for_all_lengths(model: Any) -> None:
    fast = copy.deepcopy(model)
    parts = FastModel(fast, shares_beginnings=True, checkpoints=False)
    torch._dynamo.reset()
    graphs: list[Any] = []

    def counted(graph: Any, _: Any) -> Any:
        graphs.append(graph)
        return graph.forward

    for layer in [*parts.vision.blocks, *parts.language.layers]:
        layer.compile(dynamic=True, fullgraph=True, backend=counted)
    answers = [[40, 41, 42], [43, 44], [45], [46, 47, 48, 49]]
    made = []
    with torch.no_grad():
        for count in (2, 3, 4):
            given = batch(model, answers[:count], same=False, left=False)
            kept = given["attention_mask"].bool()
            found, expected = (each(**given, use_cache=False).logits[kept] for each in (fast, model))
            assert torch.allclose(found, expected, atol=1e-4)
            made.append(len(graphs))
    torch._dynamo.reset()
    assert made[0] == made[-1] <= 4  # of each kind of layer, the first one may get a graph of its own


def test_as_many_layers_recompute_as_memory_demands(model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two passes measure: 100 bytes a token with nothing kept, and 50 more for each of two layers."""
    used = iter([1000, 1000 + 100 * 10, 1000, 1000 + 200 * 10])
    monkeypatch.setattr("saccade.models.fast_path.layer_checkpointing.allocated", lambda: next(used, 1000))
    monkeypatch.setattr("saccade.models.fast_path.layer_checkpointing.HEAD_BYTES", 0)
    monkeypatch.setattr("saccade.models.fast_path.layer_checkpointing.USED", 1.0)
    layers = list(copy.deepcopy(model).model.language_model.layers)[:2]
    frozen = copy.deepcopy(model).requires_grad_(False)
    plan = LayerCheckpointing(layers, frozen)
    monkeypatch.setattr("saccade.models.fast_path.layer_checkpointing.total_memory", lambda: 1000 + 100 * 20 + 50 * 20)
    for _ in range(2):
        plan.choose(10)
        plan.measure(10)
    assert plan.bytes_for_a_token == [100, 50]
    for tokens, recomputed in ((10, [False, False]), (20, [False, True]), (30, [True, True])):
        plan.choose(tokens)
        assert [layer.gradient_checkpointing for layer in layers] == recomputed, tokens


def test_auto_says_why_it_does_not(model: Any) -> None:
    if torch.cuda.is_available():
        pytest.skip("this machine has a GPU")
    found, said = open_fast(model, "auto", "auto", shares_beginnings=False, checkpoints=True)
    assert found is None and said == "the plain path is taken: there is no GPU"
    assert open_fast(model, False, "auto", shares_beginnings=False, checkpoints=True) == (None, "")
    with pytest.raises(InputError, match="is not made of `visual` and `language_model`"):
        open_fast(torch.nn.Linear(2, 2), True, "auto", shares_beginnings=False, checkpoints=True)


def test_sft_loses_the_same_on_both_paths(tmp_path: Path) -> None:
    import json  # noqa: PLC0415

    tiny = make_tiny(tmp_path / "tiny")
    data = write_data(tmp_path / "data")
    losses = {}
    for fast in (False, True):
        plan = recipe(tmp_path, tiny, data, fast=fast, steps=2, batch=3)
        train_sft(plan, tmp_path / str(fast), quiet=True)
        lines = (tmp_path / str(fast) / "log.jsonl").read_text().splitlines()
        losses[fast] = [json.loads(line)["loss"] for line in lines if "loss" in line]
    assert len(losses[True]) == 2 and losses[True] == pytest.approx(losses[False], rel=1e-4)
