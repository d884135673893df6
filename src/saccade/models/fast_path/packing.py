"""Rows of a batch behind each other as one sequence, so that no padding is computed, and each shared beginning once.

A batch of rows comes padded to the longest. `packed_forward` takes the padding out before the language model's layers
and puts the hidden states back where they belong, so that whoever calls the model sees no difference but speed.

GRPO asks each row several times: its answers have the prompt in common, with the screenshot nine tenths of all tokens.
Where `shares_beginnings` is set on the language model, such rows become one segment for what they share and one for
each answer, whose queries see the shared keys and their own:

    prompt | answer 1 | answer 2 | …      keys of answer i: the prompt's, then its own

The hidden states are the same, and the gradient of the shared part is the sum over the answers, as it is when every
answer reads the prompt for itself. Where answers are sampled, a prompt that comes several times is read once, and its
keys and values are copied (`read_prompts_once`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saccade.models.torch_support import libraries

SHARED_AT_LEAST = 0.5
"""Rows are grouped if they have at least this share of the shorter one in common: prompts, not phrases."""

Numbers = NDArray[np.int64]


@dataclass
class Packing:
    """How the tokens of a padded batch are laid out behind each other."""

    tokens: Numbers
    """For each place of the sequence, the place in the flattened batch whose token stands there."""
    source: Numbers
    """For each place of the flattened batch, the place in the sequence; padding gets the place behind its end."""
    query_lengths: list[int]
    key_lengths: list[int]
    keys: Numbers | None
    """The places whose keys the segments see, one segment after the other; none: their own tokens."""


def pack(mask: Numbers, groups: Sequence[tuple[int, Sequence[int]]] = ()) -> Packing:
    """The layout of rows of which `mask` keeps the tokens. A group is the length of what its rows share, and the rows;
    rows in no group stand alone.
    """
    places = [np.flatnonzero(row) + at * mask.shape[1] for at, row in enumerate(mask)]
    grouped = {row for _, rows in groups for row in rows}
    layout = [*groups, *((0, [row]) for row in range(len(mask)) if row not in grouped)]
    tokens: list[Numbers] = []
    keys: list[Numbers] = []
    query_lengths: list[int] = []
    source = np.full(mask.size, -1, dtype=np.int64)
    end = 0

    def segment(added: Numbers, seen: Numbers) -> Numbers:
        nonlocal end
        own = np.arange(end, end + len(added))
        end += len(added)
        tokens.append(added)
        keys.append(np.concatenate([seen, own]))
        query_lengths.append(len(added))
        return own

    for shared, rows in layout:
        common = segment(places[rows[0]][:shared], np.empty(0, np.int64)) if shared else np.empty(0, np.int64)
        for row in rows:
            source[places[row][:shared]] = common
            source[places[row][shared:]] = segment(places[row][shared:], common)
    source[source < 0] = end
    all_tokens = np.concatenate(tokens)
    return Packing(
        all_tokens,
        source,
        query_lengths,
        [len(each) for each in keys],
        np.concatenate(keys) if groups else None,
    )


def shared_beginnings(prints: Numbers, mask: Numbers) -> list[tuple[int, list[int]]]:
    """Groups of rows that begin alike, with how many tokens they share. `prints` has a fingerprint of each token."""
    rows = [line[kept.astype(bool)] for line, kept in zip(prints, mask, strict=True)]
    groups: list[tuple[int, list[int]]] = []
    for at, row in enumerate(rows):
        for number, (shared, members) in enumerate(groups):
            first = rows[members[0]]
            same = _begins_alike(first, row)
            if same >= SHARED_AT_LEAST * min(len(first), len(row)):
                groups[number] = (min(shared, same), [*members, at])
                break
        else:
            groups.append((len(row), [at]))
    # Each row keeps a token of its own, also where several are the same from beginning to end.
    several = [(min(shared, *(len(rows[each]) - 1 for each in members)), members) for shared, members in groups]
    return [(shared, members) for shared, members in several if len(members) > 1 and shared > 0]


def _begins_alike(one: Numbers, other: Numbers) -> int:
    size = min(len(one), len(other))
    differs = np.flatnonzero(one[:size] != other[:size])
    return int(differs[0]) if len(differs) else size


def fingerprint_weights(size: int, device: Any) -> Any:
    """Random whole numbers, always the same, for vectors of this size."""
    torch, _ = libraries()
    return torch.randint(-(2**62), 2**62, (size,), generator=torch.Generator().manual_seed(7)).to(device)


def vector_fingerprints(vectors: Any, weights: Any) -> Any:
    """A whole number for each vector: equal ones have equal numbers. Whole numbers add up to the same sum in any order,
    which floating-point ones do not.
    """
    torch, _ = libraries()
    bits = torch.int16 if vectors.element_size() == 2 else torch.int32
    return (vectors.detach().contiguous().view(bits).long() * weights).sum(-1)


def token_fingerprints(embeddings: Any, positions: Any) -> Any:
    """A whole number for each token of (rows, tokens, size), from its vector and its positions."""
    torch, _ = libraries()
    size = embeddings.shape[-1]
    weights = fingerprint_weights(size + len(positions), embeddings.device)
    found = torch.stack([vector_fingerprints(row, weights[:size]) for row in embeddings])
    return found + sum(each.long() * weight for each, weight in zip(positions, weights[size:], strict=True))


def distinct_rows(table: Any) -> tuple[Any, Any]:
    """The rows of a table of whole numbers without repetitions, as places in it, and for each row the number of the one
    that it is equal to.
    """
    torch, _ = libraries()
    _, which = torch.unique(table, dim=0, return_inverse=True)
    order = torch.arange(len(which), device=which.device)
    first = torch.full((int(which.max()) + 1,), len(which), device=which.device)
    return first.scatter_reduce(0, which, order, "amin"), which


def packed_forward(
    self: Any,
    inputs_embeds: Any = None,
    attention_mask: Any = None,
    position_ids: Any = None,
    past_key_values: Any = None,
    use_cache: Any = None,
    visual_pos_masks: Any = None,
    deepstack_visual_embeds: Any = None,
    wanted: Any = None,
    **rest: Any,
) -> Any:
    """The forward method of a language model, for batches without a cache. `wanted` are places of the flattened batch:
    with them, only their hidden states come back, as one row.
    """
    torch, _ = libraries()
    whole = type(self).forward
    if use_cache is not False or past_key_values is not None or inputs_embeds is None:
        more = {"visual_pos_masks": visual_pos_masks, "deepstack_visual_embeds": deepstack_visual_embeds}
        more = {key: value for key, value in more.items() if value is not None}
        given = {"inputs_embeds": inputs_embeds, "attention_mask": attention_mask, "position_ids": position_ids}
        given |= {"past_key_values": past_key_values, "use_cache": use_cache, **more}
        return (read_prompts_once if begins_answers(self, given) else whole)(self, **given, **rest)
    rows, length, size = inputs_embeds.shape
    device = inputs_embeds.device
    mask = torch.ones(rows, length, device=device) if attention_mask is None else attention_mask
    if position_ids is None:
        position_ids = (mask.long().cumsum(-1) - 1).clamp(min=0)[None].expand(3, -1, -1)
    position_ids = position_ids[-3:]  # a fourth line, in front, would make a mask
    packing = layout(self, inputs_embeds, position_ids, mask.long().cpu().numpy())
    tokens = torch.from_numpy(packing.tokens).to(device)
    if visual_pos_masks is not None:
        rest |= packed_features(visual_pos_masks.flatten(), deepstack_visual_embeds, tokens)
    plan = getattr(self, "checkpointing_plan", None)
    if plan is not None:
        plan.choose(len(packing.tokens))
    output = whole(
        self,
        inputs_embeds=in_float32(inputs_embeds.reshape(-1, size).index_select(0, tokens)[None]),
        position_ids=position_ids.reshape(len(position_ids), -1)[:, tokens][:, None],
        attention_mask=None,
        use_cache=False,
        **limits(packing, device),
        **rest,
    )
    if plan is not None:
        plan.measure(len(packing.tokens))
    source = torch.from_numpy(packing.source).to(device)
    found = torch.nn.functional.pad(output.last_hidden_state[0], (0, 0, 0, 1))
    if wanted is not None:
        output.last_hidden_state = found.index_select(0, source[wanted])[None]
    else:
        output.last_hidden_state = found.index_select(0, source).view(rows, length, -1)
    return output


def in_float32(embeddings: Any) -> Any:
    """Embeddings in float32 where products are computed in bfloat16 (autocast), and with them the residual stream, to
    which each layer adds.

    An adapter's first contributions are a ten-thousandth of what they are added to. A sum that is rounded to bfloat16
    loses them, or shows twice as much of them where it falls between two numbers: the adapters that are learned are the
    same, but the loss does not tell.
    """
    torch, _ = libraries()
    return embeddings.float() if torch.is_autocast_enabled(embeddings.device.type) else embeddings


def begins_answers(language: Any, given: Mapping[str, Any]) -> bool:
    """Is this the pass of `generate` that reads several prompts into an empty cache?"""
    torch, _ = libraries()
    cache, mask = given["past_key_values"], given["attention_mask"]
    return (
        getattr(language, "shares_beginnings", False)
        and not torch.is_grad_enabled()
        and cache is not None
        and cache.get_seq_length() == 0
        and all(given[name] is not None for name in ("inputs_embeds", "position_ids"))
        and min(given["inputs_embeds"].shape[:2]) > 1
        and (mask is None or getattr(mask, "ndim", 0) == 2)
    )


def read_prompts_once(
    self: Any,
    inputs_embeds: Any,
    attention_mask: Any,
    position_ids: Any,
    past_key_values: Any,
    visual_pos_masks: Any = None,
    deepstack_visual_embeds: Any = None,
    **rest: Any,
) -> Any:
    """The forward method of a language model for prompts of which some are equal: each is read once, and what it leaves
    in the cache is copied for all that are.
    """
    torch, _ = libraries()
    positions = position_ids if position_ids.ndim == 3 else position_ids[None]
    table = token_fingerprints(inputs_embeds, positions)
    if attention_mask is not None:
        table = torch.cat([table, attention_mask.long()], dim=1)
    first, which = distinct_rows(table)
    if visual_pos_masks is not None:
        length = visual_pos_masks.shape[1]
        tokens = (first[:, None] * length + torch.arange(length, device=first.device)).flatten()
        features = packed_features(visual_pos_masks.flatten(), deepstack_visual_embeds, tokens)
        rest |= features | {"visual_pos_masks": features["visual_pos_masks"].view(-1, length)}
    output = type(self).forward(
        self,
        inputs_embeds=inputs_embeds[first],
        attention_mask=None if attention_mask is None else attention_mask[first],
        position_ids=position_ids[..., first, :],
        past_key_values=past_key_values,
        **rest,
    )
    output.past_key_values.batch_select_indices(which)
    output.last_hidden_state = output.last_hidden_state[which]
    return output


def layout(language: Any, embeddings: Any, positions: Any, mask: Numbers) -> Packing:
    """The layout of a batch, with what rows share once where the language model is to look for it."""
    groups: Sequence[tuple[int, Sequence[int]]] = ()
    if getattr(language, "shares_beginnings", False) and len(mask) > 1:
        groups = shared_beginnings(token_fingerprints(embeddings, positions).cpu().numpy(), mask)
    return pack(mask, groups)


def packed_features(seen: Any, features: Sequence[Any], tokens: Any) -> dict[str, Any]:
    """Qwen3-VL adds features of a picture to the output of its first layers: here those of the sequence's tokens.
    `seen` marks the places of the flattened batch that belong to a picture.
    """
    chosen = (seen.cumsum(0) - 1)[tokens[seen[tokens]]]
    return {
        "visual_pos_masks": seen[tokens][None],
        "deepstack_visual_embeds": [each.index_select(0, chosen) for each in features],
    }


def limits(packing: Packing, device: Any) -> dict[str, Any]:
    """The segments' boundaries, in the words of transformers."""
    torch, _ = libraries()

    def begins(lengths: list[int]) -> Any:
        return torch.tensor([0, *np.cumsum(lengths)], dtype=torch.int32, device=device)

    queries = begins(packing.query_lengths)
    return {
        "cu_seq_lens_q": queries,
        "cu_seq_lens_k": queries if packing.keys is None else begins(packing.key_lengths),
        "max_length_q": max(packing.query_lengths),
        "max_length_k": max(packing.key_lengths),
        "key_index": None if packing.keys is None else torch.from_numpy(packing.keys).to(device),
    }
