"""The process reward model (GuidNav §3.2): a backbone with a scalar head learns R(x, h_t, s_t, a_t).

    L = (R(x, h_t, s_t, a_t) − y_t)²

y_t is 1 for a right action and 0 for a wrong one (`judged`). What counts for guidance is not the error but which
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

from saccade.agents.prm_prompt import FILE, Asking
from saccade.agents.trained_reward import with_head
from saccade.errors import InputError
from saccade.scoring.profiles import get_profile
from saccade.train import shared_prompt_scoring
from saccade.train.backbone import Backbone, open_backbone
from saccade.train.lora import add_lora, merged
from saccade.train.prm_dataset import Judged, judged
from saccade.train.recipe import Recipe
from saccade.train.samples import cut_grounding, drawn, read_episodes, record_files, sizes_of, spread
from saccade.train.sft import Draw, StagePlan, Timetable, arguments, compile_layers, ignore_interrupts
from saccade.train.training_session import Watch, begin, finish, watching
from saccade_mini.training.paraphrase import other_words, task_of

LEARNED = "learned.safetensors"
RIGHT = 0.5
"""An action that scores more is called right."""


class Samples:
    """A data set: samples become tokens when they are drawn, each time with the task in words of that time. A model
    that hears a task in the same words each time learns which episode it is.
    """

    def __init__(self, rows: Sequence[Judged], recipe: Recipe, backbone: Backbone, left_out: Counter[str]) -> None:
        self.backbone, self.seed, self.paraphrase = backbone, recipe.seed, recipe.paraphrase
        self.several = getattr(backbone, "encode_several", None)
        """A backbone that has this is asked about all actions of a step at once."""
        alike = groupby(rows, lambda row: row.group) if self.several else ((row.group, [row]) for row in rows)
        contests = [list(each) for _, each in alike]
        lengths = spread(lambda at: self.length(contests[at]), len(contests), recipe.workers)
        short = [at for at, length in enumerate(lengths) if length <= recipe.longest]
        self.contests, self.lengths = [contests[at] for at in short], [lengths[at] for at in short]
        self.rows = [row for contest in self.contests for row in contest]
        if len(self.rows) < len(rows):
            left_out[f"longer than {recipe.longest} tokens (longest)"] += len(rows) - len(self.rows)

    def length(self, contest: Sequence[Judged]) -> int:
        if self.several is None:
            return sizes_of(self.backbone, contest[0].messages, contest[0].answer)[0]
        return len(self.several(contest[0].messages, [row.answer for row in contest])["input_ids"])

    def __len__(self) -> int:
        return len(self.contests)

    def __getitem__(self, draw: Draw) -> dict[str, Any]:
        contest = self.contests[draw.row]
        chance = random.Random(f"{self.seed}/{draw.turn}/{draw.row}") if draw.turn else None
        words = chance or random.Random(f"{self.seed}/{contest[0].group}")
        first = self.told(contest[0], words, held=chance is None)
        if self.several is None:
            encoded = self.backbone.encode(first.messages, first.answer or None, chance)
        else:  # what stands in the messages is the same for all
            encoded = self.several(first.messages, [row.answer for row in contest], chance)
        return encoded | {"labels": [row.label for row in contest]}

    def told(self, row: Judged, words: random.Random, held: bool) -> Judged:
        """What is held back is told in wordings that are not trained on, the same for all candidates of a step."""
        if words.random() >= self.paraphrase:
            return row
        said = other_words(row.step.instruction, *task_of(row.step), words, held=held)
        return row._replace(step=replace(row.step, instruction=said))


def read_judged(recipe: Recipe, backbone: Backbone, tell: Callable[[str], None]) -> tuple[Samples, Samples]:
    """All samples: those to train on, and those of the episodes that are held back."""
    if not recipe.data:
        raise InputError("the recipe names no data: give step records with --data FILE")
    asking, left_out = asking_of(recipe, backbone), Counter[str]()
    episodes = [each for recorded in read_episodes(recipe.data) for each in cut_grounding(recorded)]
    _, chosen = drawn(len(episodes), recipe)
    found: tuple[list[Judged], list[Judged]] = ([], [])

    def work(at: int) -> tuple[list[Judged], Counter[str]]:
        missing = Counter[str]()
        return list(judged(episodes[at], asking, recipe, str(at), missing)), missing

    for at, (rows, missing) in enumerate(spread(work, len(episodes), recipe.workers)):
        found[at in chosen].extend(rows)
        left_out.update(missing)
    train, held = (Samples(rows, recipe, backbone, left_out) for rows in found)
    if not train.rows:
        why = f"; most are {left_out.most_common(1)[0][0]}" if left_out else " with a right action (`truth`)"
        raise InputError(f"the data gives no step to train on{why}")
    right = sum(row.label for row in train.rows) / len(train.rows)
    tell(f"{len(train.rows)} actions, {right:.0%} of them right; {len(held.rows)} held back")
    for reason, count in left_out.most_common():
        tell(f"{count} actions left out: {reason}")
    return train, held


# -- what is measured ---------------------------------------------------------------------------------------------


def figures(samples: Sequence[Judged], scores: Sequence[float]) -> dict[str, float]:
    """Over all samples the squared error, beside that of who always says the mean, and the share judged rightly; over
    the steps that have right and wrong candidates, how often a right one scores highest, and how often a draw would be.
    """
    labels = [each.label for each in samples]
    mean = sum(labels) / len(labels)
    pairs = list(zip(labels, scores, strict=True))
    groups: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for sample, pair in zip(samples, pairs, strict=True):
        groups[sample.group].append(pair)
    contests = [group for group in groups.values() if len({label for label, _ in group}) > 1]
    told = {
        "mse": sum((label - score) ** 2 for label, score in pairs) / len(pairs),
        "variance": sum((label - mean) ** 2 for label in labels) / len(labels),
        "accuracy": sum((label > RIGHT) == (score > RIGHT) for label, score in pairs) / len(pairs),
    }
    if contests:
        best = [max(group, key=lambda pair: pair[1])[0] for group in contests]
        drawn = [sum(label for label, _ in group) / len(group) for group in contests]
        told |= {"right_first": sum(best) / len(best), "by_chance": sum(drawn) / len(drawn)}
    return told


# -- training -----------------------------------------------------------------------------------------------------


def train_prm(recipe: Recipe, out: Path, resume: bool = True, quiet: bool = False) -> Path:
    """Train, and return the folder of the result, as `TrainedReward.open` reads it. What lies in `out` is gone on with,
    unless `resume` is off.
    """
    check(recipe)
    record_files(recipe.data)
    checkpoint = begin(recipe, out, resume)
    if (out / "model" / FILE).is_file():
        return out / "model"
    set_seed(recipe.seed)
    with watching(recipe, out, quiet) as watch:
        backbone = open_backbone(recipe)
        if recipe.prm.layers:
            shorten(backbone.model, recipe.prm.layers)
        train, held = read_judged(recipe, backbone, watch.say)
        adapted = add_lora(backbone.model, recipe, backbone)  # within the body, which the new head then takes over
        model = with_head(backbone.model, pad_of(backbone))
        trainer = PrmTrainer(recipe, out, model, train, held, watch)
        trainer.train(resume_from_checkpoint=checkpoint)
    merged(adapted)
    backbone.model = model
    folder = finish(backbone, out)
    asking_of(recipe, backbone).save(folder)
    return folder


def check(recipe: Recipe) -> None:
    """What a recipe must not say for this stage."""
    if recipe.stage != "prm":
        raise InputError(f"the recipe is for {recipe.stage}, not for prm")
    for name in ("curriculum", "variants"):
        if getattr(recipe, name):
            raise InputError(f"`{name}` is for SFT: a process reward model is asked in one way; leave it out")
    if recipe.prm.layers < 0:
        raise InputError(f"prm.layers is {recipe.prm.layers}: it is a number of layers, or 0 for all")
    for name in ("negatives", "tempting"):
        if (count := getattr(recipe.prm, name)) < 0:
            raise InputError(f"prm.{name} is {count}: it is a number of actions")
    if not 0 <= recipe.prm.misread <= 1:
        raise InputError(f"prm.misread is {recipe.prm.misread}: it is a share between 0 and 1")
    get_profile(recipe.prm.profile)


def shorten(model: Any, layers: int) -> None:
    """Keep a model's first layers."""
    body, config = model.get_decoder(), model.config.get_text_config()
    if layers > len(body.layers):
        raise InputError(f"prm.layers is {layers}, and the model has {len(body.layers)}")
    body.layers, config.num_hidden_layers = body.layers[:layers], layers
    if getattr(config, "layer_types", None):
        config.layer_types = config.layer_types[:layers]


def asking_of(recipe: Recipe, backbone: Backbone) -> Asking:
    seeing = backbone.sight is not None
    told = recipe.elements == "parsed" or not seeing
    asking = Asking.of("vision" if seeing else "mini", backbone.frame, backbone.sight, told)
    return replace(asking, heard=recipe.prm.heard)


def pad_of(backbone: Backbone) -> int:
    return int(getattr(backbone.processing, "tokenizer", backbone.processing).pad_token_id)


class PrmTrainer(Trainer):  # type: ignore[misc]
    """transformers' trainer with SFT's timetable, the squared error, and checkpoints that hold only what learns."""

    control: Any

    def __init__(self, recipe: Recipe, out: Path, model: Any, train: Samples, held: Samples, watch: Watch) -> None:
        self.recipe, self.backbone, self.held, self.watch = recipe, train.backbone, held, watch
        self.table = Timetable(recipe, [StagePlan(None, 1.0, train.lengths)])
        settings = arguments(recipe, out, self.table.steps, bool(held))
        settings.label_names = ["labels"]
        super().__init__(model, settings, train_dataset=train, eval_dataset=held or None, callbacks=[watch])
        self.model_accepts_loss_kwargs = False  # the loss is a mean: the trainer divides by `accumulate`
        self.remove_callback(PrinterCallback)
        if recipe.compile:
            compile_layers(self.backbone)

    def get_train_dataloader(self) -> Any:
        return self._loader(self.train_dataset, self.table)

    def get_eval_dataloader(self, eval_dataset: Any = None) -> Any:
        draws, size = [Draw(row, None, "") for row in range(len(self.held))], self.recipe.batch
        return self._loader(self.held, [draws[begin : begin + size] for begin in range(0, len(draws), size)])

    def _loader(self, rows: Any, batches: Any) -> Any:
        workers = self.recipe.workers
        return DataLoader(
            rows,
            batch_sampler=batches,
            num_workers=workers,
            collate_fn=self._collate,
            generator=torch.Generator().manual_seed(self.recipe.seed),
            worker_init_fn=ignore_interrupts,
            multiprocessing_context="fork" if workers else None,
        )

    def _collate(self, samples: Sequence[dict[str, Any]]) -> dict[str, Any]:
        labels = torch.tensor([label for sample in samples for label in sample.pop("labels")])
        if "branch" in samples[0]:
            return shared_prompt_scoring.collate(samples, pad_of(self.backbone)) | {"labels": labels}
        return self.backbone.collate(samples) | {"labels": labels}

    def _scores(self, model: Any, inputs: dict[str, Any]) -> Any:
        if "branch" not in inputs:
            return model(**inputs, use_cache=False).logits[:, 0].float()
        with self.accelerator.autocast():  # the body alone is asked, and it is the model that was told to
            return shared_prompt_scoring.scores(model, inputs).float()

    def compute_loss(self, model: Any, inputs: dict[str, Any], return_outputs: bool = False, **_: Any) -> Any:
        labels = inputs.pop("labels")
        self.watch.rows += len(labels)
        self.watch.tokens += int((inputs["branch"] >= 0 if "branch" in inputs else inputs["attention_mask"]).sum())
        return ((self._scores(model, inputs) - labels) ** 2).mean()

    def evaluate(self, *_: Any, **__: Any) -> dict[str, float]:
        """The figures on what was held back."""
        scores: list[float] = []
        self.model.eval()
        with torch.no_grad():
            for batch in self.get_eval_dataloader():
                inputs = self._prepare_inputs(batch)
                inputs.pop("labels")
                with self.compute_loss_context_manager():
                    scores += self._scores(self.model, inputs).tolist()
        self.model.train()
        found = {f"held_back_{name}": value for name, value in figures(self.held.rows, scores).items()}
        found["held_back_loss"] = found["held_back_mse"]  # by the name that all trainings have in common
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
