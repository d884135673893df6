"""The mini as a backbone: a small decoder that reads element lists (`codec`), trained from scratch.

Ten layers of Qwen3's shape, 448 wide, with a byte-level BPE of 8,192 tokens: 27.7 million parameters. It learns to look
things up only if short screens come first (`MiniOptions.curriculum`): without, clicks were still all wrong after as
many steps as otherwise teach nine in ten.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Self

from msgspec.structs import replace

from saccade.actions import Action, swipe_direction
from saccade.data.training_rows import TrainingRow
from saccade.errors import InputError
from saccade.geometry import Box, Frame, Point
from saccade.models.torch_support import libraries
from saccade.paradigms import Paradigm
from saccade.records import write_object
from saccade.train.backbone import Backbone, Phase
from saccade.train.recipe import Block, Recipe
from saccade.train.shared_prompt_scoring import branched
from saccade.types import Message, Step
from saccade_mini.card import CARD, MODEL, READER, TOKENIZER, Card, read_card
from saccade_mini.codec import COLUMNS, MOST, PROMPT, ROWS, SPECIAL, Sheet, names_in, stroke
from saccade_mini.intent_classifier import open_classifier
from saccade_mini.model import WEIGHTS
from saccade_mini.process_reward import MiniRewardPrompt
from saccade_mini.training.onnx_weights import config_of, export_mini, import_mini
from saccade_mini.training.paraphrase import other_words, put_plainly, renamed, restating, task_of

VOCABULARY = 8192
IN_ORDER = 0.5
"""How often elements keep the name tokens of inference; else these are drawn, so that all are trained."""
UNTOLD = 0.2
"""How often the plain wording of a known task is left out of the prompt, so that the model can do without."""
BYTES, POINTED = 256, 8
"""Tokens of single bytes, which follow our own; pointers of one practice sample."""


class MiniOptions(Block, frozen=True):
    """A recipe's block `backbone`."""

    paraphrase: float = 0.0
    """How often a task of the phone is put in other words, and an episode is about other things."""
    restate: int = 0
    """Rows for each episode that ask for its task in the plain wording; other rows then tell that besides the task."""
    curriculum: tuple[Phase, ...] = ()
    """Short screens before long ones, each phase for its share of the steps."""


class MiniBackbone(Backbone):
    """A mini that is trained. Its folder holds `mini.json`, `tokenizer.json` and weights as transformers has them."""

    Options = MiniOptions
    projections = r".*\.(q_proj|k_proj|v_proj|o_proj|gate_proj|up_proj|down_proj)"
    needs_mask = False
    scores_together = True
    frame = Frame("permille")
    template: Path | None = PROMPT

    def __init__(self, model: Any, processing: Any, options: MiniOptions | None = None) -> None:
        self.model, self.processing, self.options = model, processing, options or MiniOptions()

    @classmethod
    def check(cls, rest: str) -> None:
        if rest not in ("", "new") and not (Path(rest) / CARD).is_file():
            raise InputError(f"{rest} is not the folder of a mini, it has no {CARD}: use mini, mini/new or mini/PATH")

    @classmethod
    def open(cls, recipe: Recipe, rest: str) -> Self:
        """The mini that ships, `mini/new` with weights drawn from the recipe's seed, or the folder `mini/PATH`."""
        folder = Path(rest) if rest not in ("", "new") else WEIGHTS
        model = new_model(recipe.seed) if rest == "new" else load_model(folder)
        return cls(model, load_tokenizer(folder / TOKENIZER), cls.read_options(recipe))

    # -- rows as tokens -----------------------------------------------------------------------------------------------

    def encode(
        self,
        messages: Sequence[Message],
        answer: str | None,
        chance: random.Random | None = None,
        most: int | None = None,
    ) -> dict[str, Any]:
        sheet = self._sheet(messages, chance)
        written = sheet.compress(answer) if answer is not None else ""
        if most is not None and len(sheet.items) > most:
            sheet.thin(names_in(written), most, chance or random.Random(0))
        prompt = self._ids(sheet.prompt())
        if answer is None:
            return {"input_ids": prompt}
        said = self._ids(written)
        return {"input_ids": prompt + said, "labels": [-100] * len(prompt) + said}

    def encode_several(
        self, messages: Sequence[Message], answers: Sequence[str], chance: random.Random | None = None
    ) -> dict[str, Any]:
        sheet = self._sheet(messages, chance)
        return branched(self._ids(sheet.prompt()), [self._ids(sheet.compress(answer)) for answer in answers])

    def _sheet(self, messages: Sequence[Message], chance: random.Random | None) -> Sheet:
        """The prompt, with name tokens that are drawn every other time. Icons have their names as in `MiniPolicy`."""
        sheet = Sheet.read(messages[0].text)
        if sheet.pictured:
            told, classifier = dict(sheet.parts), open_classifier(WEIGHTS / READER)
            intents = classifier.intents(told.get("step") or told.get("task", ""), sheet.language)
            sheet = sheet.for_task(classifier.habits.get(intents[0].wording, ()) if intents else ())
        if chance is not None and chance.random() > IN_ORDER:
            sheet.shuffle(chance)
        return sheet

    def sizes(self, messages: Sequence[Message], answer: str, limits: Sequence[int] = ()) -> list[int]:
        """Tokens of a row, and of the same row with at most so many elements."""
        return [len(self.encode(messages, answer, None, most)["input_ids"]) for most in (None, *limits)]

    def _ids(self, text: str) -> list[int]:
        return list(self.processing.backend_tokenizer.encode(text, add_special_tokens=False).ids)

    def collate(self, samples: Sequence[dict[str, Any]]) -> dict[str, Any]:
        torch, _ = libraries()
        width = max(len(sample["input_ids"]) for sample in samples)
        width += -width % 16
        rows = [{"attention_mask": [1] * len(sample["input_ids"]), **sample} for sample in samples]
        fills = {"input_ids": self.pad_token, "attention_mask": 0, "labels": -100}
        return {
            key: torch.tensor([row[key] + [fill] * (width - len(row[key])) for row in rows])
            for key, fill in fills.items()
            if key in rows[0]
        }

    def chat(self, messages: Sequence[Message]) -> dict[str, Any]:
        return {"prompt": self._sheet(messages, None).prompt()}

    def answer(self, messages: Sequence[Message], completion: str) -> str:
        return self._sheet(messages, None).expand(completion)

    # -- what is taught -----------------------------------------------------------------------------------------------

    def adapt(self, action: Action, step: Step, paradigm: Paradigm) -> Action:
        """A swipe begins and ends where `codec.stroke` puts it on the scroll area, or on the whole screen: only such
        swipes can be pointed at.
        """
        if action.type != "swipe":
            return action
        direction, size = swipe_direction(action) or "up", step.screen
        scrolls = [each for each in step.elements if each.type == "scroll"]
        around = [each for each in scrolls if action.start and each.box.contains(action.start)]
        within = min(around, key=lambda each: each.box.area, default=None)
        begin, end = (
            Point(min(max(place.x, 0), size.width), min(max(place.y, 0), size.height))
            for place in stroke(within.box if within else Box(0, 0, size.width, size.height), direction)
        )
        if paradigm.marks and within:  # such a format can only give the number of an element
            begin = within.center
        return Action("swipe", direction=direction, start=begin, end=end)

    def retell(self, steps: Sequence[Step], recipe: Recipe, chance: random.Random) -> list[Step]:
        """An episode about other things, with its task in the plain wording besides. GRPO sees each row once, and draws
        the words here; the other stages draw them anew each time (`reword`).
        """
        told = renamed(steps, chance) if steps and chance.random() < self.options.paraphrase else list(steps)
        if self.options.restate and chance.random() >= UNTOLD:
            told = [put_plainly(step) for step in told]
        if recipe.stage != "grpo" or not told:
            return told
        said = self.reword(told[0], chance, held=False)
        return [replace(step, instruction=said) for step in told]

    def reword(self, step: Step, chance: random.Random, held: bool) -> str:
        if chance.random() >= self.options.paraphrase:
            return step.instruction
        return other_words(step.instruction, *task_of(step), chance, held=held)

    def extra_rows(self, first: Step, paradigm: Paradigm, seed: str) -> Iterable[TrainingRow]:
        return restating(first, paradigm, self.options.restate, seed) if self.options.restate else ()

    def phases(self) -> Sequence[Phase]:
        return tuple(self.options.curriculum)

    def practice(self, chance: random.Random, elements: int) -> dict[str, Any]:
        """A list of made-up elements, and pointers to some of them: nothing but looking up. Attention learns it within
        a thousand such steps, and hardly at all from screens alone, where it is a few tokens of each row.
        """
        count, first = chance.randint(2, max(2, elements)), len(SPECIAL) + BYTES
        names = chance.sample(range(MOST), count) if chance.random() > IN_ORDER else list(range(count))
        placed = chance.random() < 0.5
        number = self.processing.convert_tokens_to_ids
        pointer, x, y, line = number("<p>"), number("<x0>"), number("<y0>"), number("Ċ")
        listed, spans = [], []
        for name in names:
            span = [chance.randrange(first, VOCABULARY) for _ in range(chance.randint(1, 4))]
            span.append(number("<e0>") + name)
            where = [x + chance.randrange(COLUMNS), y + chance.randrange(ROWS)] if placed else []
            listed += [line, *where, *span]
            spans.append(span)
        said, labels = list[int](), list[int]()
        for span in chance.sample(spans, min(count, POINTED)):
            said += [pointer, *span]
            labels += [-100, -100, *span[1:]]
        return {"input_ids": [*listed, *said], "labels": [-100] * len(listed) + labels}

    def reward_prompt(self, recipe: Recipe) -> MiniRewardPrompt:
        return replace(MiniRewardPrompt(), weighting=recipe.prm.weighting)

    # -- model and files ----------------------------------------------------------------------------------------------

    def save(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.model.config.use_cache = True  # training turned it off
        self.model.save_pretrained(folder)
        self.processing.backend_tokenizer.save(str(folder / TOKENIZER))
        write_object(folder / CARD, Card(version="1"))

    @classmethod
    def runnable(cls, folder: Path) -> str:
        """A mini runs from the form that `saccade mini export` writes, here beside the folder."""
        return f"mini/{export_mini(folder, folder.with_name('exported'))}"


def new_model(seed: int) -> Any:
    """Weights drawn from a seed, in the shape of the mini that ships."""
    torch, transformers = libraries()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return transformers.Qwen3ForCausalLM(config_of(read_card(WEIGHTS)))


def load_model(folder: Path) -> Any:
    """A mini as training saves it, or as it runs."""
    torch, transformers = libraries()
    if not (folder / "config.json").is_file() and (folder / MODEL).is_file():
        return import_mini(folder)
    return transformers.Qwen3ForCausalLM.from_pretrained(folder, dtype=torch.float32, local_files_only=True)


def load_tokenizer(file: Path) -> Any:
    """The tokenizer as transformers and TRL take it. Pointers are no special tokens, so that decoding keeps them."""
    _, transformers = libraries()
    if not file.is_file():
        raise InputError(f"there is no tokenizer {file}: copy the one of the mini that it began as")
    return transformers.PreTrainedTokenizerFast(
        tokenizer_file=str(file),
        pad_token="<pad>",
        eos_token="<end>",
        padding_side="left",
        clean_up_tokenization_spaces=False,
        model_max_length=2048,
    )
