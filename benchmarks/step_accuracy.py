"""How many steps of recorded episodes do minis do rightly, each alone, without the rules of its policy?

saccade data collect phone --episodes 130 --option split=test --option pictures=no --option scale=1 --out runs/test
python benchmarks/step_accuracy.py --data runs/test --model mini/runs/sft --model mini/runs/grpo --limit 800

The task is also told in its plain wording, where that is known. A model that answers in another format is named with
it: `--model mini/runs/without-blink=btl,blink=no`. Intervals are 95 %, by bootstrap over episodes; what is won and lost
is counted on the steps that both models were asked for. With `--answers FILE` what was judged is kept, and the same
command goes on after an interruption. With `--device cuda` torch decodes many answers at a time, with the weights of
the exported file.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
import torch

from saccade.agents.settings import read_option
from saccade.data.training_rows import TrainingRow
from saccade.errors import InputError
from saccade.models import Ask, Model, open_model
from saccade.scoring.intervals import Figure, Ratio, figures
from saccade.scoring.profiles import MatchContext, get_profile
from saccade.train.recipe import Recipe, Variant
from saccade.train.samples import read_rows
from saccade_mini.decode import greedy
from saccade_mini.generator import Output
from saccade_mini.model import WEIGHTS, MiniModel, sheet_of
from saccade_mini.training.backbone import MiniBackbone, MiniOptions, load_model, load_tokenizer

LONGEST, AT_ONCE = 200, 256
"""Tokens of an answer; rows that torch decodes together."""


class Judged(msgspec.Struct, frozen=True):
    """One step that a model was asked for."""

    model: str
    step: str
    episode: str
    right: bool


class Asked(NamedTuple):
    """A model with the format in which it answers."""

    label: str
    model: str
    paradigm: str
    switches: dict[str, Any]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, help="step records, as saccade data collect phone writes them")
    parser.add_argument("--model", action="append", required=True, help="MODEL or MODEL=PARADIGM,SWITCH=VALUE,…")
    parser.add_argument("--paradigm", default="btl")
    parser.add_argument("--limit", type=int, default=800, help="so many steps, drawn with a fixed seed")
    parser.add_argument("--answers", type=Path, help="a file for what was judged")
    parser.add_argument(
        "--device", default="", help="decode in torch on this device (cpu, cuda); by default onnxruntime"
    )
    given = parser.parse_args()
    known = read_answers(given.answers)
    table: list[list[Judged]] = []
    for asked in (read_model(each, given.paradigm) for each in given.model):
        began, found = time.monotonic(), known.get(asked.label, {})
        rows = [row for row in rows_of(given.data, asked, given.limit) if row.id not in found]
        model = open_model(asked.model) if rows else None
        for row, text in zip(rows, answers(model, rows, given.device) if model else (), strict=True):
            found[row.id] = Judged(asked.label, row.id, row.step.episode, is_right(text, row))
            keep(given.answers, found[row.id])
        table.append(list(found.values()))
        print(f"{in_words(table[-1], table[0])}; {time.monotonic() - began:.0f} s", flush=True)
    return 0


def read_model(text: str, paradigm: str) -> Asked:
    """`mini/PATH`, or `mini/PATH=btl,blink=no`."""
    model, _, form = text.partition("=")
    name, *switches = form.split(",") if form else [paradigm]
    return Asked(text, model, name, dict(map(read_option, switches)))


def rows_of(data: str, asked: Asked, limit: int) -> Sequence[TrainingRow]:
    """The same steps for each model: those of all that come first in an order which only the steps' names decide."""
    variant = Variant(paradigm=asked.paradigm, switches={"space": "phone", **asked.switches})
    recipe = Recipe(stage="grpo", data=(data,), variants=(variant,), elements="parsed", longest=1280)
    backbone = MiniBackbone(None, load_tokenizer(WEIGHTS / "tokenizer.json"), MiniOptions(restate=1))
    rows = {row.id: row for row in read_rows(recipe, backbone).train}
    return sorted(rows.values(), key=lambda row: random.Random(row.id).random())[:limit]


def answers(model: Model, rows: Sequence[TrainingRow], device: str) -> Iterator[str]:
    """What the model writes for each row, one after the other or many at a time."""
    if not device:
        yield from (model.complete(row.messages, Ask(temperature=0, max_tokens=LONGEST))[0].text for row in rows)
        return
    if not isinstance(model, MiniModel):
        raise InputError(f"--device is for minis, and {model.name} is none")
    decoder = load_model(model.folder).to(device).eval()
    for begin in range(0, len(rows), AT_ONCE):
        yield from decoded_together(model, decoder, rows[begin : begin + AT_ONCE])


def decoded_together(model: MiniModel, decoder: Any, rows: Sequence[TrainingRow]) -> list[str]:
    """The likeliest answer to each prompt, under the constraints that `MiniModel` decodes with."""
    generator, device = model.generator, decoder.device
    sheets = [sheet_of(model.name, row.messages) for row in rows]
    prompts = [generator.prompt(sheet) for sheet in sheets]
    choices = [generator.constrained(sheet, greedy) for sheet in sheets]
    outputs, width, cache = [Output() for _ in rows], max(map(len, prompts)), None
    rooms = [generator.room(prompt, Ask(max_tokens=LONGEST)) for prompt in prompts]
    tokens = torch.tensor([[0] * (width - len(each)) + each for each in prompts], device=device)
    mask = torch.tensor([[0] * (width - len(each)) + [1] * len(each) for each in prompts], device=device)
    places = (mask.cumsum(1) - 1).clamp(min=0)
    while True:
        with torch.no_grad():
            seen = decoder(
                input_ids=tokens,
                attention_mask=mask,
                position_ids=places,
                past_key_values=cache,
                use_cache=True,
                logits_to_keep=1,
            )
        logits, cache = seen.logits[:, -1].float().cpu().numpy(), seen.past_key_values
        chosen = [int(choose(logits[at : at + 1])[0]) for at, choose in enumerate(choices)]
        for output, token, room in zip(outputs, chosen, rooms, strict=True):
            if not output.whole and len(output.tokens) < room:
                output.whole = token == generator.end
                output.tokens += [] if output.whole else [token]
        if all(each.whole or len(each.tokens) >= room for each, room in zip(outputs, rooms, strict=True)):
            return [generator.text(sheet, output) for sheet, output in zip(sheets, outputs, strict=True)]
        tokens = torch.tensor(chosen, device=device)[:, None]
        mask = torch.cat([mask, torch.ones_like(tokens)], dim=1)
        places = places[:, -1:] + 1


def is_right(text: str, row: TrainingRow) -> bool:
    reply = row.paradigm.parse(text, row.step.view).reply
    action = reply.action if reply else None
    scene = MatchContext(row.step.screen, row.step.elements, False)
    return action is not None and bool(get_profile("cmgui").judge(action, row.step.truth, scene).right)


# -- figures -----------------------------------------------------------------------------------------------------------


def in_words(found: Sequence[Judged], first: Sequence[Judged]) -> str:
    """A model's right steps, and what it won and lost against the first one."""
    own = clustered({each.step: (each.episode, float(each.right)) for each in found})
    said = f"{found[0].model}: {share(own)} of {len(found)} steps right" if found else "no steps"
    if found is first or not found:
        return said
    before = {each.step: each.right for each in first}
    both = [each for each in found if each.step in before]
    gains = {each.step: (each.episode, float(each.right) - before[each.step]) for each in both}
    won, lost = (sum(gain == sign for _, gain in gains.values()) for sign in (1, -1))
    return f"{said}; against the first {share(clustered(gains), sign='+')}, {won} won and {lost} lost"


def clustered(values: dict[str, tuple[str, float]]) -> Figure:
    """The mean over steps, with episodes drawn with replacement."""
    episodes: dict[str, list[float]] = {}
    for episode, value in values.values():
        episodes.setdefault(episode, []).append(value)
    sums = np.array([sum(each) for each in episodes.values()])
    counts = np.array([float(len(each)) for each in episodes.values()])
    return figures({"mean": Ratio(sums, counts)}, resamples=10_000)["mean"]


def share(figure: Figure, sign: str = "") -> str:
    low, high = (f"{100 * each:{sign}.1f}" for each in (figure.low, figure.high))
    return f"{100 * figure.value:{sign}.1f} ({low} to {high})"


# -- what was judged ---------------------------------------------------------------------------------------------------


def read_answers(file: Path | None) -> dict[str, dict[str, Judged]]:
    """What an earlier call judged, by model and step; a line that a kill cut off is judged again."""
    found: dict[str, dict[str, Judged]] = {}
    if file is None or not file.exists():
        return found
    whole = file.read_bytes().rpartition(b"\n")[0] + b"\n"
    if whole != file.read_bytes():
        file.write_bytes(whole.lstrip(b"\n"))
    for each in msgspec.json.Decoder(Judged).decode_lines(whole):
        found.setdefault(each.model, {})[each.step] = each
    return found


def keep(file: Path | None, judged: Judged) -> None:
    if file is not None:
        with file.open("ab") as stream:
            stream.write(msgspec.json.encode(judged) + b"\n")


if __name__ == "__main__":
    try:
        sys.exit(main())
    except InputError as error:
        print(f"step_accuracy: {error}", file=sys.stderr)
        sys.exit(2)
