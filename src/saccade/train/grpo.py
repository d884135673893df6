"""Group-relative policy optimisation (GRPO) on TRL: the papers' second stage, with the rewards of `scoring`.

Each row is asked `generations` times. With the rewards R of its answers, an answer's advantage is
A = (R − mean R) / std R within the group (BTL-UI §3.3, SecAgent §4.3), and the loss is

    − min(ρ A, clip(ρ, 1 − clip, 1 + clip_high) A) + kl · D(policy ‖ reference)

with ρ the ratio of the answer's probability now and when it was sampled. `classic` takes the mean over the tokens of
each answer and then over answers; `token` the mean over all tokens of a step (SecAgent). All answers of a step are
sampled at once, by the weights that the step then changes. The reference is the model as it was opened: with LoRA, the
model without adapters.

Which rows a step sees depends on the seed and on the step's number alone, and a checkpoint holds the state of the
random numbers, so that a run which was killed goes on with the same answers and the same losses.
"""

from __future__ import annotations

import copy
import math
import os
import random
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import rich.progress

from saccade.errors import InputError, MissingError
from saccade.models.torch_support import libraries
from saccade.scoring.rewards.base import text_of
from saccade.train.arguments import save_weights, shared_arguments
from saccade.train.backbone import Backbone, open_backbone
from saccade.train.difficulty_filter import how_sure
from saccade.train.lora import add_lora
from saccade.train.prompt_cache import sampling_once, token_figures
from saccade.train.recipe import Recipe
from saccade.train.rewards import Judge, Judged, figures
from saccade.train.rows import Row
from saccade.train.samples import Rows, read_rows

LOSSES = {"classic": "grpo", "token": "dapo"}
"""TRL's names. Its `dapo` is the mean over all tokens of a step and nothing else of that paper."""
FLAT = 1e-4
"""Rewards of a group that differ by less are the same: nothing can be learned from it."""
MEASURED = 256
"""Rows, of those held back, that are asked once each at every checkpoint."""
SAMPLED_EVERY, SAMPLED_GROUPS = 10, 2
"""Of every tenth step, the answers to two rows are kept for reading."""


def train_grpo(recipe: Recipe, out: Path, resume: bool = True, quiet: bool = False) -> Path:
    """Train as the recipe says; returns the folder of the trained model. With `resume`, what `out` already has of this
    run counts; with `quiet`, nothing is printed.
    """
    check(recipe)
    judge = Judge(recipe.grpo.reward, paradigms_of(recipe))
    _, transformers = needed()
    from saccade.train.training_session import begin, finish, forget_after, watching  # noqa: PLC0415  (imports transformers)

    if resume and (out / "model").is_dir():
        begin(recipe, out)
        return out / "model"
    with watching(recipe, out, quiet) as watch:
        transformers.set_seed(recipe.seed)
        backbone = open_backbone(recipe)
        rows = read_rows(recipe, backbone, watch.say)
        checkpoint = begin(recipe, out, resume)
        forget_after(out / "samples.jsonl", step_of(checkpoint))
        if recipe.grpo.between != (0, 1):
            rows.train = unsure(recipe, out, backbone, rows, watch)
        backbone.model = add_lora(backbone.model, recipe, backbone)
        trainer = make_trainer(recipe, out, backbone, rows, judge, watch)
        trainer.train(resume_from_checkpoint=checkpoint)
        if trainer.ended:
            watch.say(trainer.ended)
    return finish(backbone, out)


def unsure(recipe: Recipe, out: Path, backbone: Backbone, rows: Rows, watch: Any) -> list[Row]:
    """The rows from which something can be learned."""
    torch, _ = libraries()
    backbone.model.to("cuda" if torch.cuda.is_available() else "cpu")
    low, high = recipe.grpo.between
    track = partial(rich.progress.track, description="how sure it is of each row", console=watch.console,
                    transient=True, disable=watch.quiet)  # fmt: skip
    found = how_sure(backbone, rows.train, out / "sure.jsonl", recipe.batch * recipe.grpo.generations, track)
    kept = [row for row, sure in zip(rows.train, found, strict=True) if low <= sure <= high]
    doubtless, hopeless = sum(sure > high for sure in found), sum(sure < low for sure in found)
    watch.say(
        f"{len(kept):,} of {len(found):,} rows are asked: the model is sure of {doubtless:,} already (probability of "
        f"the recorded answer above {high:g}), and {hopeless:,} never come to its mind (below {low:g})"
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
    """What a recipe must not say for this stage."""
    if recipe.stage != "grpo":
        raise InputError(f"the recipe is for {recipe.stage}, not for grpo")
    if min(recipe.batch, recipe.accumulate, recipe.grpo.longest) < 1:
        raise InputError("batch, accumulate and grpo.longest must be at least 1")
    if recipe.grpo.generations < 2:
        raise InputError(f"grpo.generations is {recipe.grpo.generations}: an advantage needs at least 2 answers a row")
    low, high = recipe.grpo.between
    if not 0 <= low < high <= 1:
        raise InputError(f"grpo.between is {low:g} to {high:g}: give two probabilities, the lower one first")
    if recipe.grpo.temperature <= 0:
        raise InputError("grpo.temperature must be above 0: without it all answers to a row are the same")
    for name in ("curriculum", "tokens"):
        if getattr(recipe, name):
            raise InputError(f"`{name}` is for SFT: GRPO asks each row as the agent would be asked; leave it out")


def paradigms_of(recipe: Recipe) -> set[str]:
    return {variant.paradigm for variant in recipe.variants} or {recipe.paradigm}


# -- which rows, in which order -----------------------------------------------------------------------------------


def count_steps(recipe: Recipe, rows: int, devices: int = 1) -> int:
    """Steps of the whole run: so many, or so many times through the rows."""
    return recipe.steps or max(1, math.ceil(recipe.epochs * rows / (recipe.batch * recipe.accumulate * devices)))


def order(rows: int, wanted: int, seed: int) -> list[int]:
    """The numbers of `wanted` rows: one shuffle of all after the other."""
    found: list[int] = []
    while len(found) < wanted:
        chance = random.Random(f"{seed}-{len(found)}")
        found += chance.sample(range(rows), rows)
    return found[:wanted]


# -- the trainer --------------------------------------------------------------------------------------------------


def make_trainer(recipe: Recipe, out: Path, backbone: Backbone, rows: Rows, judge: Judge,
                 watch: Any) -> Any:  # fmt: skip
    """TRL's trainer with our rows and rewards."""
    import datasets  # noqa: PLC0415
    import trl  # noqa: PLC0415

    _, transformers = libraries()
    devices = int(os.environ.get("WORLD_SIZE", "1"))
    count, held = len(rows.train), rows.held_back[:MEASURED]
    steps = count_steps(recipe, count, devices)
    numbers = order(count, steps * recipe.batch * recipe.accumulate * devices, recipe.seed)
    kind = type("Trainer", (Groups, trl.GRPOTrainer), {})
    trainer = kind(
        recipe,
        out / "samples.jsonl",
        backbone,
        [*rows.train, *held],
        judge,
        watch,
        model=backbone.model,
        args=settings(recipe, out, steps, bool(held)),
        train_dataset=datasets.Dataset.from_dict({"row": numbers}),
        eval_dataset=datasets.Dataset.from_dict({"row": range(count, count + len(held))}) if held else None,
        processing_class=backbone.processing,
        callbacks=[watch],
    )
    trainer.remove_callback(transformers.PrinterCallback)
    return trainer


def settings(recipe: Recipe, out: Path, steps: int, measured: bool) -> Any:
    """A recipe in TRL's words. A row is asked `generations` times, and TRL counts answers: `batch` rows are
    `batch × generations` of them.
    """
    import trl  # noqa: PLC0415

    grpo = recipe.grpo
    return trl.GRPOConfig(
        **shared_arguments(recipe, out, steps, measured),
        dataloader_pin_memory=False,
        per_device_eval_batch_size=recipe.batch * grpo.generations,
        num_generations_eval=1,
        logging_steps=1,  # `collapsed` counts steps
        per_device_train_batch_size=recipe.batch * grpo.generations,
        steps_per_generation=recipe.accumulate,
        num_generations=grpo.generations,
        shuffle_dataset=False,
        max_completion_length=grpo.longest,
        temperature=grpo.temperature,
        generation_kwargs={"use_cache": True},  # what SFT wrote says no, and then each token reads all others again
        loss_type=LOSSES[grpo.loss],
        scale_rewards="group",
        epsilon=grpo.clip,
        epsilon_high=grpo.clip_high,
        beta=0.0,  # `Groups` keeps the reference: TRL would load one from where the model came from
        use_bias_correction_kl=False,
        disable_dropout=True,  # the policy that is changed is the one that answered
    )


class Groups:
    """What we add to TRL's trainer: prompts are made when they are needed, rewards come from `scoring`, some answers
    are kept for reading, and a run from which nothing can be learned ends.
    """

    accelerator: Any
    args: Any
    control: Any
    model: Any
    state: Any
    temperature: float
    num_generations: int
    _metrics: Any

    def __init__(self, recipe: Recipe, samples: Path, backbone: Backbone, rows: Sequence[Row], judge: Judge,
                 watch: Any, **rest: Any) -> None:  # fmt: skip
        self.recipe, self.samples, self.watch = recipe, samples, watch
        self.backbone, self.rows, self.judge = backbone, rows, judge
        self.judged: list[Judged] = []
        alone = os.environ.get("WORLD_SIZE", "1") == "1"  # several devices gather gradients after one reading
        self.shares = backbone.sight is None and not recipe.checkpointing and alone
        """Are prompts read once for all answers to them?"""
        self.ended = ""
        """Why the run ended early, if it did."""
        reference = None
        if recipe.grpo.kl and not hasattr(rest["model"], "peft_config"):
            reference = copy.deepcopy(rest["model"]).eval().requires_grad_(False)
        super().__init__(reward_funcs=[self.total], **rest)  # type: ignore[call-arg]
        self._refer(reference)

    def _refer(self, reference: Any) -> None:
        """Hold on to the model that the policy must stay near to; with adapters, TRL switches them off."""
        from trl.trainer.utils import add_fused_lm_head  # noqa: PLC0415

        self.beta = self.args.beta = self.recipe.grpo.kl
        if reference is not None:
            add_fused_lm_head(reference, temperature=self.temperature)
            self.ref_model = self.accelerator.prepare_model(reference, evaluation_mode=True)

    def _save(self, output_dir: str | None = None, state_dict: Any = None) -> None:
        save_weights(self.model, output_dir or self.args.output_dir, state_dict)

    def create_model_card(self, *_: Any, **__: Any) -> None:
        """TRL writes one with each checkpoint; `recipe.yaml` says more."""

    def total(self, completions: Sequence[Any], row: Sequence[int], log_metric: Any, **_: Any) -> list[float]:
        """The reward function that TRL calls."""
        pairs = zip(row, completions, strict=True)
        self.judged = [self.judge.judge(self.rows[at], text_of(said), self.backbone) for at, said in pairs]
        for name, figure in figures(self.judged):
            log_metric(name, figure)
        return [each.total for each in self.judged]

    def _generate_and_score_completions(self, inputs: Sequence[dict[str, Any]]) -> Any:
        """The pictures of a row are read once for all its answers, and not at all for the passes that use them up."""
        asked = {at: self.backbone.chat(self.rows[at].messages) for at in {each["row"] for each in inputs}}
        filled = [each | asked[each["row"]] for each in inputs]
        output = super()._generate_and_score_completions(filled)  # type: ignore[misc]
        if self.model.training:
            self.watch.rows += len(filled)
            self.watch.tokens += int(output["prompt_mask"].sum() + output["completion_mask"].sum())
            self._look(output["advantages"].tolist())
        return output

    def evaluate(self, *given: Any, **rest: Any) -> Any:
        """Always with the same random numbers: what is measured is the model, and training is not changed by it."""
        torch, _ = libraries()
        with torch.random.fork_rng():
            torch.manual_seed(self.recipe.seed)
            return super().evaluate(*given, **rest)  # type: ignore[misc]

    def _generate_single_turn(self, *given: Any, **rest: Any) -> Any:
        """Sampled in the precision in which it is trained; TRL would take the weights as they are, which is twice the
        work for float32.
        """
        model = self.accelerator.unwrap_model(self.model)
        with self.accelerator.autocast(), sampling_once(model) if self.shares else nullcontext():
            return super()._generate_single_turn(*given, **rest)  # type: ignore[misc]

    def _get_per_token_logps_and_entropies(self, model: Any, input_ids: Any, attention_mask: Any, logits_to_keep: int,
                                           *given: Any, **rest: Any) -> Any:  # fmt: skip
        """What TRL computes, with each prompt read once for all its answers."""
        if not self.shares:
            return super()._get_per_token_logps_and_entropies(  # type: ignore[misc]
                model, input_ids, attention_mask, logits_to_keep, *given, **rest
            )
        with self.accelerator.autocast():
            figures = token_figures(model, input_ids, attention_mask, logits_to_keep, self.temperature)
        return *figures, None

    def _look(self, advantages: Sequence[float]) -> None:
        torch, _ = libraries()
        size = self.num_generations
        totals = torch.tensor([each.total for each in self.judged], device=self.accelerator.device).view(-1, size)
        flat = (totals.amax(1) - totals.amin(1) < FLAT).float()
        self._metrics["train"]["groups/flat"].append(self.accelerator.gather(flat).mean().item())
        step = self.state.global_step + 1
        if self.accelerator.is_main_process and step % SAMPLED_EVERY == 1:
            kept = list(zip(self.judged, advantages, strict=True))[: SAMPLED_GROUPS * size]
            with self.samples.open("ab") as file:
                file.writelines(msgspec.json.encode(sample(step, *each)) + b"\n" for each in kept)

    def log(self, logs: dict[str, float], start_time: float | None = None) -> None:
        super().log(logs, start_time)  # type: ignore[misc]
        self.ended = collapsed(self.state.log_history, self.recipe.grpo.patience)
        if self.ended:
            self.control.should_training_stop = True


def collapsed(history: Sequence[Mapping[str, Any]], patience: int) -> str:
    """Why there is nothing left to learn, if all groups of the last `patience` steps were flat. The history is part of
    a checkpoint, so that a run that goes on has not forgotten.
    """
    steps = [each for each in history if "groups/flat" in each][-patience:]
    if patience < 1 or len(steps) < patience or any(each["groups/flat"] < 1 for each in steps):
        return ""
    if all(abs(each["reward"]) < FLAT for each in steps):
        why = "every answer had a reward of 0: nothing that it says is right. Train with SFT first, or raise"
    else:
        mean = sum(each["reward"] for each in steps) / len(steps)
        why = f"all answers to a row had the same reward ({mean:.2f} on average): nothing is left to learn. Give "
        why += "harder rows, or raise"
    return f"stopped at step {steps[-1]['step']}: for {patience} steps in a row {why} grpo.temperature"


# -- what a run leaves --------------------------------------------------------------------------------------------


def sample(step: int, judged: Judged, advantage: float) -> dict[str, Any]:
    """A line of samples.jsonl."""
    row = judged.row
    return {
        "step": step,
        "id": row.id,
        "paradigm": row.paradigm.name,
        "instruction": row.step.instruction,
        "completion": judged.completion,
        "answer": judged.answer,
        "parts": judged.parts,
        "reward": judged.total,
        "advantage": round(advantage, 4),
    }


def step_of(checkpoint: str | None) -> int:
    return int(checkpoint.rpartition("-")[2]) if checkpoint else 0
