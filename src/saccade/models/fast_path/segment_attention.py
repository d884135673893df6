"""Attention within segments of one long sequence: rows that are packed behind each other, windows of a picture.

transformers with sdpa calls attention once for each window of a picture and pads rows to the longest. Here one call
does all segments: torch's variable-length flash attention on a GPU, and a loop over the segments elsewhere, which gives
the same numbers and is there for tests. Both are registered by transformers' own interface, under two names:

    VISION    transformers hands the boundaries of a picture's windows only to implementations with "flash" in the name
    LANGUAGE  sdpa, unless `packing` hands over boundaries (cu_seq_lens_q …); so `generate` works as before
"""

from __future__ import annotations

import inspect
from typing import Any

from saccade.models.torch_support import libraries

VISION = "segments_flash"
LANGUAGE = "segments"


def varlen_arguments() -> frozenset[str]:
    """The arguments of torch's variable-length attention, which differ between versions; none where it is missing. Not
    cached, because torch warns where it compiles a call of a cached function.
    """
    try:
        from torch.nn.attention.varlen import varlen_attn  # noqa: PLC0415  (torch 2.10 and later)
    except ImportError:
        return frozenset()
    return frozenset(inspect.signature(varlen_attn).parameters)


def register() -> None:
    """Make both names known to transformers."""
    _, transformers = libraries()
    from transformers.masking_utils import AttentionMaskInterface, sdpa_mask  # noqa: PLC0415

    transformers.AttentionInterface.register(VISION, vision_attention)
    transformers.AttentionInterface.register(LANGUAGE, language_attention)
    AttentionMaskInterface.register(LANGUAGE, sdpa_mask)


def vision_attention(
    module: Any,
    query: Any,
    key: Any,
    value: Any,
    attention_mask: Any,
    *,
    cu_seq_lens_q: Any,
    max_length_q: int,
    scaling: float | None = None,
    **_: Any,
) -> tuple[Any, None]:
    """A picture's patches see those of the same window, or of the whole picture."""
    query, key, value = (each.squeeze(0).transpose(0, 1) for each in (query, key, value))
    limits = (cu_seq_lens_q, cu_seq_lens_q, max_length_q, max_length_q)
    return segment_attention(query, key, value, *limits, scale=scaling, causal=False).unsqueeze(0), None


def language_attention(
    module: Any,
    query: Any,
    key: Any,
    value: Any,
    attention_mask: Any,
    *,
    cu_seq_lens_q: Any = None,
    cu_seq_lens_k: Any = None,
    max_length_q: int = 0,
    max_length_k: int = 0,
    key_index: Any = None,
    scaling: float | None = None,
    **rest: Any,
) -> tuple[Any, Any]:
    """A token sees those before it in its segment, and `key_index` may give a segment keys from before it began."""
    if cu_seq_lens_q is None and query.shape[2] == 1:
        return one_token_attention(query, key, value, attention_mask, scaling), None
    if cu_seq_lens_q is None:
        from transformers.integrations.sdpa_attention import sdpa_attention_forward  # noqa: PLC0415

        found: tuple[Any, Any] = sdpa_attention_forward(
            module, query, key, value, attention_mask, scaling=scaling, **rest
        )
        return found
    query, key, value = (each.squeeze(0).transpose(0, 1) for each in (query, key, value))
    if key_index is not None:
        key, value = key.index_select(0, key_index), value.index_select(0, key_index)
    limits = (cu_seq_lens_q, cu_seq_lens_k, max_length_q, max_length_k)
    return segment_attention(query, key, value, *limits, scale=scaling, causal=True).unsqueeze(0), None


def one_token_attention(query: Any, key: Any, value: Any, mask: Any, scale: float | None) -> Any:
    """Attention of a token that is being written: (rows, heads, 1, size) to all that stands before it. Heads that share
    a key look at it as so many queries; copying each key for each of its heads, as transformers 5.17 does, moves
    eight times the memory at every token.
    """
    torch, _ = libraries()
    rows, heads, _one, size = query.shape
    grouped = query.reshape(rows, key.shape[1], heads // key.shape[1], size)
    mask = None if mask is None else mask[..., : key.shape[2]]
    found = torch.nn.functional.scaled_dot_product_attention(grouped, key, value, attn_mask=mask, scale=scale)
    return found.reshape(rows, 1, heads, size)


def segment_attention(
    query: Any,
    key: Any,
    value: Any,
    begins_q: Any,
    begins_k: Any,
    longest_q: int,
    longest_k: int,
    *,
    scale: float | None,
    causal: bool,
) -> Any:
    """Attention of (tokens, heads, size) within segments. With `causal`, a segment's queries are its last keys."""
    if not query.is_cuda:
        return _one_by_one(query, key, value, begins_q.tolist(), begins_k.tolist(), scale, causal)
    return flash_attention(query, key, value, (begins_q.int(), begins_k.int(), longest_q, longest_k), scale, causal)


def flash_attention(
    query: Any, key: Any, value: Any, limits: tuple[Any, Any, int, int], scale: float | None, causal: bool
) -> Any:
    """The same by torch's variable-length attention, as this version of torch wants to be called."""
    from torch.nn.attention.varlen import varlen_attn  # noqa: PLC0415

    known = varlen_arguments()
    query, key = query.to(value.dtype), key.to(value.dtype)  # rotary positions may have made them float32
    more: dict[str, Any] = {"scale": scale}
    if causal:
        more |= {"is_causal": True} if "is_causal" in known else {"window_size": (-1, 0)}
    groups = query.shape[1] // key.shape[1]
    if groups > 1 and "enable_gqa" in known:
        more["enable_gqa"] = True
    elif groups > 1:
        key, value = (each.repeat_interleave(groups, dim=1) for each in (key, value))
    return varlen_attn(query.contiguous(), key.contiguous(), value.contiguous(), *limits, **more)


def _one_by_one(
    query: Any, key: Any, value: Any, begins_q: list[int], begins_k: list[int], scale: float | None, causal: bool
) -> Any:
    torch, _ = libraries()
    found = []
    for at in range(len(begins_q) - 1):
        q = query[begins_q[at] : begins_q[at + 1]].transpose(0, 1)
        k, v = (each[begins_k[at] : begins_k[at + 1]].transpose(0, 1) for each in (key, value))
        shape = (q.shape[1], k.shape[1])
        mask = torch.ones(shape, dtype=torch.bool, device=q.device).tril(shape[1] - shape[0]) if causal else None
        more = {"enable_gqa": True} if q.shape[0] != k.shape[0] else {}
        each = torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=scale, **more)
        found.append(each.transpose(0, 1))
    return torch.cat(found)
