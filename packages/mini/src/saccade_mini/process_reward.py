"""The mini's process reward model, run by onnxruntime: `--reward mini`, or `--reward mini/PATH` for an exported one.

It reads its own short prompt (`reward_prompt.j2`) with the action behind it, written as the mini writes an answer,
because the mini points at elements only in what it answers. The score is read off where the action ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

from saccade.actions import Action
from saccade.agents.guidance import Case, ProcessReward
from saccade.agents.ledger import Ledger
from saccade.agents.prm_prompt import FILE, RewardPrompt, action_in_words
from saccade.agents.trained_reward import Question, Scorer, Scores, TrainedReward
from saccade.errors import InputError, MissingError
from saccade.geometry import Frame
from saccade.models.base import Model
from saccade.paradigms.wording import language_of
from saccade.types import Language, Screen
from saccade_mini.card import MODEL, REWARD
from saccade_mini.codec import Sheet
from saccade_mini.decode import score
from saccade_mini.generator import Generator
from saccade_mini.model import WEIGHTS, MiniModel

PROMPT = Path(__file__).parent / "reward_prompt.j2"
KEPT = 2
"""Networks that stay in memory, because a benchmark opens one for each task."""


class MiniRewardPrompt(RewardPrompt, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How the mini's reward model is asked."""

    kind: str = "mini"
    frame: str = "permille"
    told: bool = True

    summarised: ClassVar[bool] = False

    def template(self, language: Language) -> Path:
        return PROMPT

    def answer(self, instruction: str, screen: Screen, action: Action) -> str:
        return action_in_words(action, screen, Frame.parse(self.frame), language_of(instruction))


@dataclass(frozen=True)
class MiniReward(TrainedReward):
    """The mini's reward model. It is told how the mini understands the task in this attempt."""

    mini: MiniModel = field(kw_only=True)

    def question(self, case: Case, action: Action) -> Question:
        readings, _ = self.mini.normalizer.readings(case.instruction, language_of(case.instruction))
        plain = readings[case.attempt % len(readings)].text
        messages = self.prompt.messages(case.instruction, case.summary, case.screen, action, plain)
        return Question(messages, self.prompt.answer(case.instruction, case.screen, action))


def open_mini_reward(
    rest: str = "", *, policy: Model | None = None, ledger: Ledger | None = None, threads: int = 2, **_: Any
) -> ProcessReward:
    """The reward model that ships, or that of a folder which `saccade mini export` wrote. Where the model that acts is
    no mini, the one in the same folder, or else the one that ships, says what the task means.
    """
    folder = Path(rest).expanduser() if rest else WEIGHTS
    if not (folder / REWARD).is_file():
        if not rest:
            raise MissingError("this copy of saccade-mini has no reward model: name a folder with one, mini/PATH")
        raise InputError(f"{folder} has no {REWARD}: saccade mini export writes one from what saccade train prm left")
    stamp = (folder / REWARD).stat().st_mtime_ns
    prompt = MiniRewardPrompt.load(folder) if (folder / FILE).is_file() else MiniRewardPrompt()
    beside = folder if (folder / MODEL).is_file() else WEIGHTS
    mini = policy if isinstance(policy, MiniModel) else open_beside(beside, threads, stamp)
    return MiniReward(prompt, open_scorer(folder, threads, stamp), ledger, mini=mini)


@lru_cache(maxsize=KEPT)
def open_scorer(folder: Path, threads: int, stamp: int) -> Scorer:
    """Scores without torch; `stamp` is when the file was written."""
    generator = Generator(folder, REWARD, threads)
    most = generator.card.positions

    def scored(asked: Sequence[Question]) -> Scores:
        sheets = [(Sheet.read(each.messages[0].text), each.answer) for each in asked]
        prompts = [sheet.tokens(generator.encode, most, sheet.compress(answer))[-most:] for sheet, answer in sheets]
        return Scores(score(generator.network, prompts), sum(map(len, prompts)))

    return scored


@lru_cache(maxsize=KEPT)
def open_beside(folder: Path, threads: int, stamp: int) -> MiniModel:
    """The mini in a reward model's folder."""
    return MiniModel(folder, threads=threads)
