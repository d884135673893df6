"""The process reward model (GuidNav §3.2): a backbone with a scalar head learns R(x, h_t, s_t, a_t).

    L = (R(x, h_t, s_t, a_t) − y_t)²

y_t is 1 for a right action and 0 for a wrong one (`prm_dataset`). What counts for guidance is not the error but which
candidate of a step scores highest, so that is measured too, on episodes that were held back.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import torch
from msgspec.structs import replace
from safetensors.torch import load_file, save_file
from torch.utils.data import DataLoader
from transformers import PrinterCallback, Trainer, set_seed

from saccade.agents.prm_prompt import FILE
from saccade.agents.trained_reward import with_head
from saccade.data.recorded_episodes import read_episodes, record_files
from saccade.errors import InputError
from saccade.scoring.profiles import get_profile
from saccade.train import shared_prompt_scoring
from saccade.train.arguments import worker_count
from saccade.train.backbone import Backbone, open_backbone
from saccade.train.batch_schedule import BatchSchedule, RowRequest, ScheduledPhase, measuring_batches
from saccade.train.lora import add_lora, merged
from saccade.train.prm_dataset import LabelledAction, labelled_actions
from saccade.train.processes import process_count
from saccade.train.recipe import Recipe
from saccade.train.samples import divide, spread
from saccade.train.sft import end_with_parent, trainer_arguments
from saccade.train.training_session import (
    TrainingSession,
    owned_output,
    prepare_output,
    save_result,
    training_session,
)

LEARNED = "learned.safetensors"
RIGHT = 0.5
"""An action that scores more is called right."""


class ActionDataset:
    """Actions with their labels, encoded when they are asked for: each time with the instruction as the backbone words
    it that time. A backbone that scores together is given all actions of a step as one item, others one action each.
    """

    def __init__(
        self, rows: Sequence[LabelledAction], recipe: Recipe, backbone: Backbone, left_out: Counter[str]
    ) -> None:
        self.backbone, self.seed = backbone, recipe.seed
        groups = [[row] for row in rows]
        if backbone.scores_together:
            groups = [list(each) for _, each in groupby(rows, lambda row: row.group)]
        lengths = spread(lambda at: self.length(groups[at]), len(groups), worker_count(recipe))
        short = [at for at, length in enumerate(lengths) if length <= recipe.longest]
        self.groups, self.lengths = [groups[at] for at in short], [lengths[at] for at in short]
        self.rows = [row for group in self.groups for row in group]
        if len(self.rows) < len(rows):
            left_out[f"longer than {recipe.longest} tokens (longest)"] += len(rows) - len(self.rows)

    def length(self, group: Sequence[LabelledAction]) -> int:
        first = group[0]
        if not self.backbone.scores_together:
            return self.backbone.sizes(first.messages, first.answer)[0]
        return len(self.backbone.encode_several(first.messages, [row.answer for row in group])["input_ids"])

    def __len__(self) -> int:
        return len(self.groups)

    def __getitem__(self, request: RowRequest) -> dict[str, Any]:
        group = self.groups[request.row]
        chance = random.Random(f"{self.seed}/{request.epoch}/{request.row}") if request.epoch else None
        words = chance or random.Random(f"{self.seed}/{group[0].group}")
        said = self.backbone.reword(group[0].step, words, held=chance is None)
        first = group[0]._replace(step=replace(group[0].step, instruction=said))
        if self.backbone.scores_together:  # the messages are the same for all of them
            encoded = self.backbone.encode_several(first.messages, [row.answer for row in group], chance)
        else:
            encoded = self.backbone.encode(first.messages, first.answer or None, chance)
        return encoded | {"labels": [row.label for row in group]}


def read_actions(
    recipe: Recipe, backbone: Backbone, tell: Callable[[str], None]
) -> tuple[ActionDataset, ActionDataset]:
    """All samples: those to train on, and those of the episodes that are held back."""
    episodes, left_out = list(read_episodes(recipe.data)), Counter[str]()
    _, chosen = divide(len(episodes), recipe)
    found: tuple[list[LabelledAction], list[LabelledAction]] = ([], [])

    def work(at: int) -> tuple[list[LabelledAction], Counter[str]]:
        missing = Counter[str]()
        return list(labelled_actions(episodes[at], backbone, recipe, str(at), missing)), missing

    for at, (rows, missing) in enumerate(spread(work, len(episodes), worker_count(recipe))):
        found[at in chosen].extend(rows)
        left_out.update(missing)
    train, held = (ActionDataset(rows, recipe, backbone, left_out) for rows in found)
    if not train.rows:
        why = f"; most are {left_out.most_common(1)[0][0]}" if left_out else " with a right action (`truth`)"
        raise InputError(f"the data gives no step to train on{why}")
    right = sum(row.label for row in train.rows) / len(train.rows)
    tell(f"{len(train.rows)} actions, {right:.0%} of them right; {len(held.rows)} held back")
    for reason, count in left_out.most_common():
        tell(f"{count} actions left out: {reason}")
    return train, held


def measure(samples: Sequence[LabelledAction], scores: Sequence[float]) -> dict[str, float]:
    """Over all samples the squared error, beside that of who always says the mean, and the share judged rightly; over
    the steps that have right and wrong candidates, how often a right one scores highest, and how often a draw would be.
    """
    labels = [each.label for each in samples]
    mean = sum(labels) / len(labels)
    pairs = list(zip(labels, scores, strict=True))
    groups: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for sample, pair in zip(samples, pairs, strict=True):
        groups[sample.group].append(pair)
    mixed = [group for group in groups.values() if len({label for label, _ in group}) > 1]
    told = {
        "mse": sum((label - score) ** 2 for label, score in pairs) / len(pairs),
        "variance": sum((label - mean) ** 2 for label in labels) / len(labels),
        "accuracy": sum((label > RIGHT) == (score > RIGHT) for label, score in pairs) / len(pairs),
    }
    if mixed:
        best = [max(group, key=lambda pair: pair[1])[0] for group in mixed]
        drawn = [sum(label for label, _ in group) / len(group) for group in mixed]
        told |= {"right_first": sum(best) / len(best), "by_chance": sum(drawn) / len(drawn)}
    return told


def train_prm(recipe: Recipe, out: Path, resume: bool = True, quiet: bool = False) -> Path:
    """Train, and return the folder of the result, as `TrainedReward.open` reads it. A training that lies in `out` is
    resumed, unless `resume` is off.
    """
    check(recipe)
    if process_count() > 1:
        raise InputError("a process reward model is trained on one device: start the command without accelerate launch")
    record_files(recipe.data)
    with owned_output(out):
        return _train(recipe, out, resume, quiet)


def _train(recipe: Recipe, out: Path, resume: bool, quiet: bool) -> Path:
    checkpoint = prepare_output(recipe, out, resume)
    if (out / "model" / FILE).is_file():
        return out / "model"
    set_seed(recipe.seed)
    with training_session(recipe, out, quiet) as session:
        backbone = open_backbone(recipe)
        if recipe.prm.layers:
            shorten(backbone.model, recipe.prm.layers)
        train, held = read_actions(recipe, backbone, session.say)
        adapted = add_lora(backbone.model, recipe, backbone)  # within the body, which the new head then takes over
        model = with_head(backbone.model, backbone.pad_token)
        trainer = PrmTrainer(recipe, out, model, train, held, session)
        trainer.train(resume_from_checkpoint=checkpoint)
    merged(adapted)
    backbone.model = model
    folder = save_result(backbone, out, trainer)
    backbone.reward_prompt(recipe).save(folder)
    return folder


def check(recipe: Recipe) -> None:
    """Refuse what a recipe must not say for this stage."""
    if recipe.stage != "prm":
        raise InputError(f"the recipe is for {recipe.stage}, not for prm")
    if recipe.variants:
        raise InputError("`variants` is for SFT and GRPO: a process reward model is asked in one way; leave it out")
    if recipe.prm.layers < 0:
        raise InputError(f"prm.layers is {recipe.prm.layers}: it is a number of layers, or 0 for all")
    if recipe.prm.negatives < 0:
        raise InputError(f"prm.negatives is {recipe.prm.negatives}: it is a number of actions")
    get_profile(recipe.prm.profile)


def shorten(model: Any, layers: int) -> None:
    """Keep a model's first layers."""
    body, config = model.get_decoder(), model.config.get_text_config()
    if layers > len(body.layers):
        raise InputError(f"prm.layers is {layers}, and the model has {len(body.layers)}")
    body.layers, config.num_hidden_layers = body.layers[:layers], layers
    if getattr(config, "layer_types", None):
        config.layer_types = config.layer_types[:layers]


class PrmTrainer(Trainer):  # type: ignore[misc]
    """transformers' trainer with SFT's batches, the squared error, and checkpoints that hold only what learns."""

    control: Any

    def __init__(
        self, recipe: Recipe, out: Path, model: Any, train: ActionDataset, held: ActionDataset, session: TrainingSession
    ) -> None:
        self.recipe, self.backbone, self.held, self.session = recipe, train.backbone, held, session
        self.schedule = BatchSchedule(recipe, [ScheduledPhase(train.lengths)])
        settings = trainer_arguments(recipe, out, self.schedule.steps, bool(held), recipe.checkpointing is not False)
        settings.label_names = ["labels"]
        super().__init__(model, settings, train_dataset=train, eval_dataset=held or None, callbacks=[session])
        self.model_accepts_loss_kwargs = False  # the loss is a mean: the trainer divides by `accumulate`
        self.remove_callback(PrinterCallback)
        self.backbone.compile()

    def get_train_dataloader(self) -> Any:
        return self._loader(self.train_dataset, self.schedule)

    def get_eval_dataloader(self, eval_dataset: Any = None) -> Any:
        return self._loader(self.held, measuring_batches(len(self.held), self.recipe.batch))

    def _loader(self, rows: Any, batches: Any) -> Any:
        workers = worker_count(self.recipe)
        return DataLoader(
            rows,
            batch_sampler=batches,
            num_workers=workers,
            collate_fn=self._collate,
            generator=torch.Generator().manual_seed(self.recipe.seed),
            worker_init_fn=end_with_parent,
            multiprocessing_context="fork" if workers else None,
        )

    def _collate(self, samples: Sequence[dict[str, Any]]) -> dict[str, Any]:
        labels = torch.tensor([label for sample in samples for label in sample.pop("labels")])
        if "branch" in samples[0]:
            return shared_prompt_scoring.collate(samples, self.backbone.pad_token) | {"labels": labels}
        return self.backbone.collate(samples) | {"labels": labels}

    def _scores(self, model: Any, inputs: dict[str, Any]) -> Any:
        if "branch" not in inputs:
            return model(**inputs, use_cache=False).logits[:, 0].float()
        with self.accelerator.autocast():  # only the body runs, and autocast wraps the whole model
            return shared_prompt_scoring.scores(model, inputs).float()

    def compute_loss(self, model: Any, inputs: dict[str, Any], return_outputs: bool = False, **_: Any) -> Any:
        labels = inputs.pop("labels")
        self.session.rows += len(labels)
        self.session.tokens += int((inputs["branch"] >= 0 if "branch" in inputs else inputs["attention_mask"]).sum())
        return ((self._scores(model, inputs) - labels) ** 2).mean()

    def evaluate(self, *_: Any, **__: Any) -> dict[str, float]:
        """Measure on the episodes that were held back."""
        scores: list[float] = []
        self.model.eval()
        with torch.no_grad():
            for batch in self.get_eval_dataloader():
                inputs = self._prepare_inputs(batch)
                inputs.pop("labels")
                with self.compute_loss_context_manager():
                    scores += self._scores(self.model, inputs).tolist()
        self.model.train()
        found = {f"held_back_{name}": value for name, value in measure(self.held.rows, scores).items()}
        found["held_back_loss"] = found["held_back_mse"]  # the name that all stages share
        self.log(dict(found))
        self.control = self.callback_handler.on_evaluate(self.args, self.state, self.control, found)
        return found

    def learned(self) -> dict[str, Any]:
        return {name: value for name, value in self.model.named_parameters() if value.requires_grad}

    def _save(self, output_dir: str | None = None, state_dict: Any = None) -> None:
        folder = Path(output_dir or self.args.output_dir)
        folder.mkdir(parents=True, exist_ok=True)
        save_file({name: value.detach().contiguous() for name, value in self.learned().items()}, folder / LEARNED)

    def _load_from_checkpoint(self, resume_from_checkpoint: str, model: Any = None) -> None:
        found, learned = load_file(Path(resume_from_checkpoint) / LEARNED), self.learned()
        if found.keys() != learned.keys():
            raise InputError(f"{resume_from_checkpoint} is of another model: choose another --out")
        with torch.no_grad():
            for name, value in learned.items():
                value.copy_(found[name])
