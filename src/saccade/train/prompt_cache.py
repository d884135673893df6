"""Prompts that several answers share are read once.

GRPO asks each row several times, and answers are short beside the prompt (a mini's: 45 tokens and 360). What a prompt
leaves behind, keys and values, is the same for all its answers, and what flows back through it is a sum over them. For
models that read text only and keep what they compute: pictures need positions of their own, and gradient checkpointing
forgets what would be shared.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from saccade.models.fast_path.packing import distinct_rows
from saccade.models.torch_support import libraries


def read_once(model: Any, prompts: Any, mask: Any) -> Any:
    """What the prompts leave behind, all but their last token, one entry for each of them."""
    torch, _ = libraries()
    first, which = distinct_rows(torch.cat([prompts, mask.to(prompts.dtype)], dim=1))
    tokens, mask = prompts[first, :-1], mask[first, :-1]
    seen = model(input_ids=tokens, attention_mask=mask, position_ids=places(mask), use_cache=True, logits_to_keep=1)
    cache = seen.past_key_values
    cache.batch_select_indices(which)
    return cache


def places(mask: Any) -> Any:
    """Positions as `generate` counts them: from the first token that is not padding."""
    return (mask.long().cumsum(-1) - 1).clamp(min=0)


def token_figures(model: Any, tokens: Any, mask: Any, kept: int, temperature: float) -> tuple[Any, Any]:
    """The log-probability of each of the last `kept` tokens of each row, and the entropy where it was chosen."""
    torch, _ = libraries()
    cache = read_once(model, tokens[:, :-kept], mask[:, :-kept])
    answers = tokens[:, -kept - 1 :]
    said = model(
        input_ids=answers[:, :-1],
        attention_mask=mask[:, :-1],
        position_ids=places(mask)[:, -kept - 1 : -1],
        past_key_values=cache,
        use_cache=True,
    )
    logs = torch.log_softmax(said.logits.float() / temperature, dim=-1)
    chosen = logs.gather(-1, answers[:, 1:, None]).squeeze(-1)
    return chosen, -(logs.detach().exp() * logs.detach()).sum(-1)


def prompts_read_once(model: Any) -> Callable[..., Any]:
    """The model's method `generate`, which then reads a prompt that comes several times once."""
    generate: Callable[..., Any] = model.generate

    def shared(input_ids: Any, attention_mask: Any, **rest: Any) -> Any:
        cache = read_once(model, input_ids, attention_mask) if input_ids.shape[1] > 1 else None
        return generate(input_ids=input_ids, attention_mask=attention_mask, past_key_values=cache, **rest)

    return shared
