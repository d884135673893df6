"""Group-relative policy optimisation (GRPO) on TRL: the papers' second stage, with the rewards of `scoring`.

Each row is asked `generations` times. With the rewards R of its answers, an answer's advantage is
A = (R − mean R) / std R within the group (BTL-UI §3.3, SecAgent §4.3), and the loss is

    − min(ρ A, clip(ρ, 1 − clip, 1 + clip_high) A) + kl · D(policy ‖ reference)

with ρ the ratio of the answer's probability now and when it was sampled. `classic` takes the mean over the tokens of
each answer and then over answers; `token` the mean over all tokens of a step (SecAgent). D is estimated at each token
as exp(d) − d − 1 with d = log reference − log policy. All answers of a sampling are made at once, by the weights that
the next `updates` steps then change. The reference is the model as it was opened: with LoRA, the one without adapters.

Which rows a step sees depends on the seed and on the step's number alone, and a checkpoint holds the state of the
random numbers, so that a run which was killed goes on with the same answers and the same losses.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import rich.progress

from saccade.data.training_rows import TrainingRow
from saccade.errors import InputError, MissingError
from saccade.models.torch_support import libraries
from saccade.train.arguments import shared_arguments
from saccade.train.backbone import Backbone, open_backbone
from saccade.train.difficulty_filter import FILE as ANSWER_PROBABILITIES
from saccade.train.difficulty_filter import answer_probabilities
from saccade.train.lora import add_lora
from saccade.train.processes import process_count
from saccade.train.recipe import Recipe, Vllm
from saccade.train.rewards import CompletionScorer
from saccade.train.samples import RowSet, read_rows

LOSSES = {"classic": "grpo", "token": "dapo"}
"""TRL's names. Its `dapo` is the mean over all tokens of a step and nothing else of that paper."""
MOST_TOKENS = 80_000
"""Of prompts and answers that are packed into one step: what a card of 141 GB holds of a 3B model with all layers
recomputing."""
MEASURED = 256
"""Rows, of those held back, that are asked once each at every checkpoint."""


def train_grpo(recipe: Recipe, out: Path, resume: bool = True, quiet: bool = False) -> Path:
    """Train as the recipe says; returns the folder of the trained model. With `resume`, what `out` already has of this
    run counts; with `quiet`, nothing is printed.
    """
    check(recipe)
    scorer = CompletionScorer(recipe.grpo.reward, {variant.paradigm for variant in recipe.formats})
    needed()
    from saccade.train.training_session import owned_output  # noqa: PLC0415  (imports transformers)

    with owned_output(out):
        return _train(recipe, out, scorer, resume, quiet)


def _train(recipe: Recipe, out: Path, scorer: CompletionScorer, resume: bool, quiet: bool) -> Path:
    _, transformers = needed()
    from saccade.train import training_session as session_files  # noqa: PLC0415

    if resume and (out / "model").is_dir():
        session_files.prepare_output(recipe, out)
        return out / "model"
    with session_files.training_session(recipe, out, quiet) as session:
        transformers.set_seed(recipe.seed)
        backbone = open_backbone(recipe)
        rows = read_rows(recipe, backbone, session.say)
        for note in scorer.notes:
            session.say(note)
        checkpoint = session_files.prepare_output(recipe, out, resume)
        done = int(checkpoint.rpartition("-")[2]) if checkpoint else 0
        session_files.forget_after(out / "samples.jsonl", done)
        if recipe.grpo.between != (0, 1):
            rows.train = rows_to_learn_from(recipe, out, backbone, rows, session)
        backbone.model = add_lora(backbone.model, recipe, backbone)
        session.say(backbone.speed_up(recipe, shares_beginnings=True))
        trainer = make_trainer(recipe, out, backbone, rows, scorer, session)
        trainer.train(resume_from_checkpoint=checkpoint)
        if trainer.ended:
            session.say(trainer.ended)
    return session_files.save_result(backbone, out, trainer)


def rows_to_learn_from(recipe: Recipe, out: Path, backbone: Backbone, rows: RowSet, session: Any) -> list[TrainingRow]:
    """The rows whose recorded answer has a probability within `grpo.between`."""
    torch, _ = libraries()
    backbone.model.to("cuda" if torch.cuda.is_available() else "cpu")
    low, high = recipe.grpo.between
    track = partial(
        rich.progress.track,
        description="probability of each recorded answer",
        console=session.console,
        transient=True,
        disable=session.quiet,
    )
    size = recipe.batch * recipe.grpo.generations
    found = answer_probabilities(backbone, rows.train, out / ANSWER_PROBABILITIES, size, track)
    kept = [row for row, likely in zip(rows.train, found, strict=True) if low <= likely <= high]
    easy, hopeless = sum(likely > high for likely in found), sum(likely < low for likely in found)
    session.say(
        f"{len(kept):,} of {len(found):,} rows are trained on: {easy:,} are too easy (probability of the recorded "
        f"answer above {high:g}), and {hopeless:,} too hard (below {low:g})"
    )
    if not kept:
        raise InputError(f"no row's recorded answer has a probability between {low:g} and {high:g}: widen grpo.between")
    return kept


def needed() -> tuple[Any, Any]:
    """torch and transformers, if TRL and its datasets are there as well."""
    try:
        import datasets  # noqa: F401, PLC0415  (extras)
        import trl  # noqa: F401, PLC0415
    except ImportError as error:
        raise MissingError(
            f"GRPO needs trl and datasets: run make setup-all, or pip install 'saccade[train]' ({error})"
        ) from None
    return libraries()


def check(recipe: Recipe) -> None:
    """Refuse what a recipe must not say for this stage."""
    if recipe.stage != "grpo":
        raise InputError(f"the recipe is for {recipe.stage}, not for grpo")
    if min(recipe.batch, recipe.accumulate, recipe.grpo.longest, recipe.grpo.updates) < 1:
        raise InputError("batch, accumulate, grpo.longest and grpo.updates must be at least 1")
    if recipe.grpo.generations < 2:
        raise InputError(f"grpo.generations is {recipe.grpo.generations}: an advantage needs at least 2 answers a row")
    low, high = recipe.grpo.between
    if not 0 <= low < high <= 1:
        raise InputError(f"grpo.between is {low:g} to {high:g}: give two probabilities, the lower one first")
    if recipe.grpo.temperature <= 0:
        raise InputError("grpo.temperature must be above 0: without it all answers to a row are the same")
    if recipe.grpo.vllm is not None and find_spec("vllm") is None:
        raise MissingError(
            "grpo.vllm needs vLLM beside TRL, in server mode too: pip install 'trl[vllm]', or leave it out"
        )
    if recipe.grounding == "raw":
        raise InputError("`grounding: raw` is for SFT: no reward compares boxes; leave it out")
    if recipe.tokens:
        raise InputError("`tokens` is for SFT and PRM: GRPO counts rows, as `batch`; leave it out")


def count_steps(recipe: Recipe, rows: int, devices: int = 1) -> int:
    """Optimiser steps of the whole run: so many, or so many times through the rows with `updates` steps each."""
    samplings = max(1, math.ceil(recipe.epochs * rows / (recipe.batch * recipe.accumulate * devices)))
    return recipe.steps or samplings * recipe.grpo.updates


def order(rows: int, wanted: int, seed: int) -> list[int]:
    """The numbers of `wanted` rows: one shuffle of all after the other."""
    found: list[int] = []
    while len(found) < wanted:
        chance = random.Random(f"{seed}-{len(found)}")
        found += chance.sample(range(rows), rows)
    return found[:wanted]


def make_trainer(
    recipe: Recipe, out: Path, backbone: Backbone, rows: RowSet, scorer: CompletionScorer, session: Any
) -> Any:
    """TRL's trainer with our rows and rewards."""
    import datasets  # noqa: PLC0415  (extras)

    from saccade.train.grpo_trainer import SaccadeGRPOTrainer  # noqa: PLC0415

    _, transformers = libraries()
    devices = process_count()
    together = merged_steps(recipe, max(rows.lengths, default=0)) if backbone.packs_rows else 1
    count, held = len(rows.train), rows.held_back[:MEASURED]
    steps = count_steps(recipe, count, devices)
    samplings = math.ceil(steps / recipe.grpo.updates)
    numbers = order(count, samplings * recipe.batch * recipe.accumulate * devices, recipe.seed)
    trainer = SaccadeGRPOTrainer(
        recipe,
        out / "samples.jsonl",
        backbone,
        [*rows.train, *held],
        scorer,
        session,
        model=backbone.model,
        args=settings(recipe, out, steps, bool(held), backbone.recomputes(recipe), together, backbone.unwritten),
        train_dataset=datasets.Dataset.from_dict({"row": numbers}),
        eval_dataset=datasets.Dataset.from_dict({"row": range(count, count + len(held))}) if held else None,
        processing_class=backbone.processing,
        callbacks=[session],
    )
    trainer.remove_callback(transformers.PrinterCallback)
    return trainer


def merged_steps(recipe: Recipe, longest_row: int) -> int:
    """How many of the `accumulate` steps before an update can be one. The update is the same, and where rows are packed
    the answers to a prompt then stand behind it together: TRL shuffles the answers of a sampling over its steps.
    """
    answers = recipe.grpo.generations * recipe.grpo.longest
    most = max(1, MOST_TOKENS // (recipe.batch * (longest_row + answers)))
    return max(each for each in range(1, recipe.accumulate + 1) if recipe.accumulate % each == 0 and each <= most)


def settings(
    recipe: Recipe,
    out: Path,
    steps: int,
    measured: bool,
    recomputes: bool,
    together: int = 1,
    unwritten: Sequence[int] = (),
) -> Any:
    """A recipe in TRL's words. A row is asked `generations` times, and TRL counts answers: `batch` rows are
    `batch × generations` of them. `together`: so many of the `accumulate` steps are one (`merged_steps`).
    """
    import trl  # noqa: PLC0415

    grpo = recipe.grpo
    shared = shared_arguments(recipe, out, steps, measured, recomputes)
    accumulate = recipe.accumulate // together
    every = math.ceil(recipe.save_every / grpo.updates) * grpo.updates  # a checkpoint holds no answers to go on with
    return trl.GRPOConfig(
        **shared | {"save_steps": every, "eval_steps": every, "gradient_accumulation_steps": accumulate},
        dataloader_pin_memory=False,
        per_device_eval_batch_size=recipe.batch * grpo.generations,
        num_generations_eval=1,
        logging_steps=1,  # `collapsed` counts steps
        per_device_train_batch_size=recipe.batch * grpo.generations * together,
        steps_per_generation=accumulate,
        num_generations=grpo.generations,
        num_iterations=grpo.updates,
        shuffle_dataset=False,
        max_completion_length=grpo.longest,
        temperature=grpo.temperature,
        **sampling_settings(grpo.vllm, unwritten),
        loss_type=LOSSES[grpo.loss],
        scale_rewards="group",
        epsilon=grpo.clip,
        epsilon_high=grpo.clip_high,
        beta=0.0,  # SaccadeGRPOTrainer keeps the reference: TRL would load one from where the model came from
        use_bias_correction_kl=False,
        disable_dropout=True,  # the policy that is trained is the one that answered
        **vllm_settings(grpo.vllm),
    )


def sampling_settings(vllm: Vllm | None, unwritten: Sequence[int]) -> dict[str, Any]:
    """For transformers' `generate`; vLLM knows neither name. `unwritten`: tokens that no answer may have."""
    if vllm is not None:
        return {}
    never = {"suppress_tokens": list(unwritten)} if unwritten else {}
    # SFT saves `use_cache` as false, and then each token reads all others again.
    return {"generation_kwargs": {"use_cache": True, **never}}


def vllm_settings(vllm: Vllm | None) -> dict[str, Any]:
    """TRL's arguments for sampling with vLLM. TRL itself sends the prompts, and the weights after each update."""
    if vllm is None:
        return {}
    server = {"vllm_server_base_url": vllm.url} if vllm.mode == "server" else {}
    return {"use_vllm": True, "vllm_mode": vllm.mode, **server}
