"""What an exporter is: one training framework's row, reward file and run script.

All frameworks are told the same: a prompt with `<image>` marks, as many pictures, the answer to teach (SFT) or the
truth to be rewarded by (GRPO). The truth is ONE JSON string, our step record with its answer format
(`scoring.completion_reward.AnswerRecord`), because tables of these frameworks lose or reorder nested fields.
"""

from __future__ import annotations

import shlex
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, NamedTuple

import msgspec

from saccade.data.episode_rows import Grounding
from saccade.errors import InputError

IMAGE = "<image>"
"""Where a picture stands in a prompt: the mark of all four frameworks."""
Stage = Literal["sft", "grpo"]
DEFAULT_MODEL = "Qwen/Qwen2.5-VL-3B-Instruct"


class LoraSettings(msgspec.Struct, frozen=True):
    """As in a recipe."""

    rank: int
    alpha: int
    dropout: float


class GrpoSettings(msgspec.Struct, frozen=True):
    """As in a recipe's block `grpo`, which says what each means."""

    generations: int
    temperature: float
    longest: int
    loss: Literal["classic", "token"]
    clip: float
    clip_high: float | None
    kl: float
    updates: int
    reward: dict[str, Any]


class TrainingSettings(msgspec.Struct, frozen=True):
    """What of a recipe (`saccade train`) another trainer can be told. The names are the recipe's, so that
    `to_type(recipe, TrainingSettings, from_attributes=True)` fills it.
    """

    stage: Stage
    model: str
    paradigm: str
    switches: dict[str, Any]
    pixels: tuple[int, int] | None
    grounding: Grounding
    elements: Literal["none", "parsed"]
    held_back: float
    learning_rate: float
    schedule: Literal["cosine", "linear", "constant"]
    warmup: float
    epochs: float
    batch: int
    accumulate: int
    longest: int
    weight_decay: float
    clip_gradient: float
    lora: LoraSettings | None
    grpo: GrpoSettings
    save_every: int
    seed: int

    @property
    def rows_a_step(self) -> int:
        """Rows of an optimiser step on one device."""
        return self.batch * self.accumulate

    @property
    def clip_high(self) -> float:
        return self.grpo.clip if self.grpo.clip_high is None else self.grpo.clip_high


class ExportedPicture(NamedTuple):
    """A picture at the size at which the model is to see it."""

    name: str
    """Its path inside the export."""
    data: bytes
    """PNG."""


class ExportedRow(NamedTuple):
    """A training row, as every exporter is given it."""

    number: int
    id: str
    messages: list[dict[str, str]]
    """`role` and `content` of the prompt, with a mark `<image>` for each picture."""
    pictures: list[ExportedPicture]
    answer: str
    """The answer to teach."""
    truth: str
    """JSON of the row's `AnswerRecord`."""
    paradigm: str


class ExportedFiles(NamedTuple):
    """What an export's own files say of each other."""

    train: str
    held_back: str
    """The file of rows that are measured on; empty where none are held back."""
    pixels: tuple[int, int]
    """Least and most pixels of a picture."""


class Exporter(ABC):
    """One framework. A subclass gives `name`, `title`, `stages`, `row`, and what stands beside the rows."""

    name: ClassVar[str]
    title: ClassVar[str]
    """The framework with the version that its format was proved with."""
    stages: ClassVar[tuple[Stage, ...]]
    """What it can train, the usual first."""
    table: ClassVar[Literal["jsonl", "parquet"]] = "jsonl"
    pictures_inside: ClassVar[bool] = False
    """Are pictures part of the rows? Otherwise they are files in `images/`."""

    @abstractmethod
    def row(self, row: ExportedRow, stage: Stage) -> dict[str, Any]:
        """A row as the framework's own loader reads it."""

    @abstractmethod
    def run_script(self, settings: TrainingSettings, files: ExportedFiles) -> str:
        """A shell script that trains with the recipe's hyperparameters."""

    def reward_file(self, settings: TrainingSettings) -> str:
        """The framework's plug-in that computes our reward; empty where it has none."""
        return ""

    def other_files(self, settings: TrainingSettings, files: ExportedFiles) -> dict[str, str]:
        """Further files by name."""
        return {}


def reward_source(settings: TrainingSettings, body: str, imports: Sequence[str] = ()) -> str:
    """A reward file: the recipe's options of the reward, and `body`, which calls `REWARD`."""
    options = settings.grpo.reward
    needs = ["from saccade.scoring.completion_reward import CompletionReward", *imports]
    given = repr(msgspec.to_builtins(options))
    if options.get("similarity"):
        needs.insert(0, "from saccade.models.embeddings import open_similarity")
        given += ", open_similarity"
    head = f'"""The {settings.paradigm} reward of Saccade. Written by `saccade data export`."""'
    return f"{head}\n\n" + "\n".join(sorted(needs)) + f"\n\nREWARD = CompletionReward({given})\n\n\n{body.strip()}\n"


def script(note: str, settings: TrainingSettings, command: Sequence[str], before: Sequence[str] = ()) -> str:
    """A shell script. `MODEL` and `GPUS` of the environment replace the defaults, further arguments are handed on;
    `before` are lines before the command.
    """
    lines = [
        "#!/bin/sh",
        f"# {note}",
        "# The hyperparameters are the recipe's. Another model, more devices, and further",
    ]
    lines += ["# arguments: MODEL=folder GPUS=8 sh run.sh ARGUMENT...", "set -eu", 'cd "$(dirname "$0")"']
    lines += [f"MODEL=${{MODEL:-{shlex.quote(settings.model or DEFAULT_MODEL)}}}", "GPUS=${GPUS:-1}"]
    return "\n".join([*lines, *before]) + "\nexec " + " \\\n    ".join([*command, '"$@"']) + "\n"


def options(values: Mapping[str, Any], form: str) -> list[str]:
    """Options of a command line, in a form such as `--{} {}` or `{}={}`. A value that begins with `$` or `"` is the
    shell's.
    """
    return [form.format(name, shell_word(value)) for name, value in values.items() if value is not None]


def shell_word(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return text if text.startswith(("$", '"')) else shlex.quote(text)


def named(table: Mapping[str, str], word: str, what: str, framework: str) -> str:
    """A recipe's word in the framework's own; what the framework has no word for is refused."""
    if word not in table:
        raise InputError(f"{framework} has no {what} {word!r}: use one of {', '.join(table)} (--set {what}=…)")
    return table[word]
