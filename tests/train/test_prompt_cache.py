"""Prompts read once: the same figures, gradients and answers as when each answer reads its own."""

from __future__ import annotations

from typing import Any

import pytest
from train_data import TINY_QWEN3

from saccade.train.prompt_cache import prompts_read_once, read_once, token_figures

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.train
PAD, KEPT, TEMPERATURE = 0, 4, 0.7


@pytest.fixture
def model() -> Any:
    import transformers  # noqa: PLC0415

    torch.manual_seed(3)
    config = transformers.Qwen3Config(**TINY_QWEN3)
    return transformers.Qwen3ForCausalLM(config)


def asked() -> tuple[Any, Any]:
    """Two prompts, the shorter one filled up on the left, each twice and not in order."""
    long, short = [5, 6, 7, 8, 9, 10], [PAD, PAD, 11, 12, 13, 14]
    prompts = torch.tensor([short, long, short, long])
    return prompts, (prompts != PAD).long()


def answered() -> tuple[Any, Any]:
    prompts, mask = asked()
    answers = torch.tensor([[20, 21, 22, 1], [23, 24, 1, PAD], [25, 1, PAD, PAD], [26, 27, 28, 29]])
    return torch.cat([prompts, answers], 1), torch.cat([mask, (answers != PAD).long()], 1)


def plain_figures(model: Any, tokens: Any, mask: Any) -> tuple[Any, Any]:
    logits = model(input_ids=tokens, attention_mask=mask).logits[:, -KEPT - 1 : -1] / TEMPERATURE
    logs = torch.log_softmax(logits, -1)
    return logs.gather(-1, tokens[:, -KEPT:, None]).squeeze(-1), -(logs.exp() * logs).sum(-1)


def test_figures_and_gradients_are_those_of_a_plain_reading(model: Any) -> None:
    tokens, mask = answered()
    kept = mask[:, -KEPT:].bool()
    weights = torch.arange(kept.sum()) - 3.0
    found = []
    for figures in (plain_figures(model, tokens, mask), token_figures(model, tokens, mask, KEPT, TEMPERATURE)):
        model.zero_grad()
        (figures[0][kept] * weights).sum().backward()
        gradients = {name: each.grad.clone() for name, each in model.named_parameters()}
        found.append((figures[0][kept].detach(), figures[1][kept].detach(), gradients))
    (logs, entropy, slopes), (own_logs, own_entropy, own_slopes) = found
    torch.testing.assert_close(own_logs, logs)
    torch.testing.assert_close(own_entropy, entropy)
    assert max(each.abs().max() for each in slopes.values()) > 0.1, "there is something to compare"
    for name, slope in slopes.items():
        torch.testing.assert_close(own_slopes[name], slope, atol=1e-4, rtol=1e-3)


def test_each_prompt_is_read_once(model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[tuple[int, ...]] = []
    usual = type(model).forward

    def spy(self: Any, input_ids: Any = None, **rest: Any) -> Any:
        read.append(tuple(input_ids.shape))
        return usual(self, input_ids=input_ids, **rest)

    monkeypatch.setattr(type(model), "forward", spy)
    cache = read_once(model, *asked())
    assert read == [(2, 5)] and cache.get_seq_length() == 5
    keys = cache.layers[0].keys
    assert keys.shape[0] == 4 and keys[0].equal(keys[2]) and keys[1].equal(keys[3]) and not keys[0].equal(keys[1])


def test_the_same_answers_are_drawn(model: Any) -> None:
    prompts, mask = asked()

    def drawn(generate: Any) -> Any:
        torch.manual_seed(5)
        with torch.no_grad():
            return generate(input_ids=prompts, attention_mask=mask, do_sample=True, max_new_tokens=12)

    plain = drawn(model.eval().generate)
    assert drawn(prompts_read_once(model)).equal(plain)
    assert len({tuple(each) for each in plain.tolist()}) == 4, "what is drawn is not all the same"
