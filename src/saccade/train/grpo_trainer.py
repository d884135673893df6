"""TRL's GRPO trainer with our rows and rewards (`grpo`)."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import torch
import trl
from trl.trainer.utils import add_fused_lm_head

from saccade.data.training_rows import TrainingRow
from saccade.models.fast_path.fast_model import uncompiled
from saccade.scoring.completion_reward import AnswerRecord
from saccade.scoring.rewards.base import text_of
from saccade.train.arguments import save_weights
from saccade.train.backbone import Backbone
from saccade.train.processes import process_count
from saccade.train.prompt_cache import prompts_read_once, token_figures
from saccade.train.recipe import Recipe
from saccade.train.rewards import CompletionScorer, ScoredCompletion, reward_metrics
from saccade.train.training_session import TrainingSession

FLAT = 1e-4
"""Rewards of a group that differ by less are the same: it has no advantages."""
SAMPLED_EVERY, SAMPLED_GROUPS = 10, 2
"""Of every tenth sampling, the answers to two rows are kept for reading."""


class SaccadeGRPOTrainer(trl.GRPOTrainer):  # type: ignore[misc]
    """TRL's trainer, with prompts that are made when they are needed and rewards from `scoring`. It keeps some answers
    for reading, and ends a run from which nothing can be learned.
    """

    def __init__(
        self,
        recipe: Recipe,
        samples: Path,
        backbone: Backbone,
        rows: Sequence[TrainingRow],
        scorer: CompletionScorer,
        session: TrainingSession,
        **rest: Any,
    ) -> None:
        self.recipe, self.samples, self.session = recipe, samples, session
        self.backbone, self.rows, self.scorer = backbone, rows, scorer
        self.scored: list[ScoredCompletion] = []
        alone = process_count() == 1  # several devices gather gradients after one reading
        self.shares = backbone.sight is None and not backbone.recomputes(recipe) and alone
        """Are prompts read once for all answers to them (`prompt_cache`)?"""
        self.ended = ""
        """Why the run ended early, if it did."""
        reference = None
        if recipe.grpo.kl and not hasattr(rest["model"], "peft_config"):
            reference = copy.deepcopy(rest["model"]).eval().requires_grad_(False)
        super().__init__(reward_funcs=[self.total], **rest)
        self._keep_reference(reference)
        model = self.accelerator.unwrap_model(self.model)
        model.generate = self._sampling(prompts_read_once(model) if self.shares else model.generate)
        backbone.compile()

    def _sampling(self, generate: Callable[..., Any]) -> Callable[..., Any]:
        """Sampled in the precision in which it is trained (TRL would take the weights as they are, which is twice the
        work for float32), and without compiled layers.
        """

        def sample_answers(*given: Any, **rest: Any) -> Any:
            with self.accelerator.autocast(), uncompiled():
                return generate(*given, **rest)

        return sample_answers

    def _keep_reference(self, reference: Any) -> None:
        """Keep the reference model of the KL term; with adapters, TRL switches these off instead."""
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
        rows = [self.rows[at] for at in row]
        self.scored = self.scorer.score_all(rows, [text_of(said) for said in completions], self.backbone)
        for name, figure in reward_metrics(self.scored):
            log_metric(name, figure)
        return [each.total for each in self.scored]

    def _generate_and_score_completions(self, inputs: Sequence[dict[str, Any]]) -> Any:
        """Pictures are opened once for all answers to a row, and only in the pass that generates."""
        asked = {at: self.backbone.chat(self.rows[at].messages) for at in {each["row"] for each in inputs}}
        filled = [each | asked[each["row"]] for each in inputs]
        output = super()._generate_and_score_completions(filled)
        if self.model.training:
            self.session.rows += len(filled)
            self.session.tokens += int(output["prompt_mask"].sum() + output["completion_mask"].sum())
            self._note_groups(output["advantages"].tolist())
        return output

    def evaluate(self, *given: Any, **rest: Any) -> Any:
        """Always with the same random numbers: what is measured is the model, and training is not changed by it."""
        with torch.random.fork_rng():
            torch.manual_seed(self.recipe.seed)
            return super().evaluate(*given, **rest)

    def _get_per_token_logps_and_entropies(
        self, model: Any, input_ids: Any, attention_mask: Any, logits_to_keep: int, *given: Any, **rest: Any
    ) -> Any:
        """What TRL computes, with each prompt read once for all its answers."""
        if not self.shares:
            return super()._get_per_token_logps_and_entropies(
                model, input_ids, attention_mask, logits_to_keep, *given, **rest
            )
        with self.accelerator.autocast():
            figures = token_figures(model, input_ids, attention_mask, logits_to_keep, self.temperature)
        return *figures, None

    def _note_groups(self, advantages: Sequence[float]) -> None:
        """Log the share of groups without advantages, and keep some answers for reading."""
        size = self.num_generations
        totals = torch.tensor([each.total for each in self.scored], device=self.accelerator.device).view(-1, size)
        flat = (totals.amax(1) - totals.amin(1) < FLAT).float()
        self._metrics["train"]["groups/flat"].append(self.accelerator.gather(flat).mean().item())
        step = self.state.global_step + 1
        sampling = self.state.global_step // self.recipe.grpo.updates
        if self.accelerator.is_main_process and sampling % SAMPLED_EVERY == 0:
            kept = list(zip(self.scored, advantages, strict=True))[: SAMPLED_GROUPS * size]
            with self.samples.open("ab") as file:
                file.writelines(msgspec.json.encode(sample(step, *each)) + b"\n" for each in kept)

    def log(self, logs: dict[str, float], start_time: float | None = None) -> None:
        super().log(logs, start_time)
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


def sample(step: int, scored: ScoredCompletion, advantage: float) -> dict[str, Any]:
    """A line of samples.jsonl; the record says what was right, so that `saccade score` can judge the line."""
    row = scored.row
    return {
        "step": step,
        "id": row.id,
        "paradigm": row.paradigm.name,
        "instruction": row.step.instruction,
        "completion": scored.completion,
        "answer": scored.answer,
        "parts": scored.parts,
        "reward": scored.total,
        "advantage": round(advantage, 4),
        "record": AnswerRecord.of(row.step, row.paradigm),
    }
