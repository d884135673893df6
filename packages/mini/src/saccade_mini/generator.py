"""The decoder with its tokenizer: from prompts to answers, and how likely given texts are."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from saccade.errors import InputError
from saccade.models.base import Ask
from saccade.models.model_files import check_model_files
from saccade_mini.card import MODEL, TOKENIZER, read_card
from saccade_mini.codec import FORMS, OPENERS, Sheet
from saccade_mini.decode import Cache, Logits, Network, TokenChoice, generate, log_softmax
from saccade_mini.token_constraints import Constrained, TokenTree, token_tree

LEAST, MOST = 128, 480
"""Tokens that are kept free for an answer, and those of the longest: a longer one only repeats itself."""
VERB_FORMS = tuple(at for at, form in enumerate(FORMS) if form.endswith(('function": "', 'action": "', 'type": "')))
"""The forms that open an action: a verb follows."""


@dataclass
class Output:
    """One answer while it is written."""

    tokens: list[int] = field(default_factory=list)
    whole: bool = False

    @property
    def count(self) -> int:
        """Tokens, with the one that ended it."""
        return len(self.tokens) + self.whole


class Generator:
    """The folder of a mini (`card`), in memory."""

    def __init__(self, folder: Path, model: str = MODEL, threads: int = 2) -> None:
        from tokenizers import Tokenizer  # noqa: PLC0415  (most commands need no model)

        for file in (model, TOKENIZER):
            if not (folder / file).is_file():
                raise InputError(f"{folder} has no {file}: mini/PATH takes a folder that `saccade mini export` wrote")
        check_model_files(folder)
        self.card = read_card(folder)
        try:
            self.tokenizer: Any = Tokenizer.from_file(str(folder / TOKENIZER))
        except Exception as error:  # noqa: BLE001  (it raises nothing more special)
            raise InputError(f"{folder / TOKENIZER} cannot be read: {str(error).partition(chr(10))[0]}") from None
        if self.tokenizer.get_vocab_size() > self.card.vocabulary:
            raise InputError(f"{folder / TOKENIZER} is not that of {model}: it has more tokens than the model")
        end = self.tokenizer.token_to_id("<end>")
        if end is None:
            raise InputError(f"{folder / TOKENIZER} has no token <end>: it is not the tokenizer of a mini")
        self.end, self.network = int(end), Network(folder / model, self.card, threads)

    def encode(self, text: str) -> list[int]:
        return list(self.tokenizer.encode(text, add_special_tokens=False).ids)

    def form(self, at: int) -> int:
        """The token of a form."""
        return int(self.tokenizer.token_to_id(f"<f{at}>"))

    def prompt(self, sheet: Sheet) -> list[int]:
        """The prompt's tokens (`Sheet.tokens`)."""
        limit = self.card.positions - LEAST
        if len(tokens := sheet.tokens(self.encode, limit)) > limit:
            raise InputError(f"the task has {len(tokens):,} tokens and the mini reads {limit:,}: shorten it")
        return tokens

    def room(self, prompt: Sequence[int], ask: Ask) -> int:
        """Tokens that an answer may have."""
        return max(1, min(ask.max_tokens, MOST, self.card.positions - len(prompt)))

    def constrained(
        self, sheet: Sheet, choose: TokenChoice, openers: dict[int, TokenTree] | None = None
    ) -> Constrained:
        """Pointers to nothing but the prompt's elements, verbs that it declares, and `openers` besides."""
        pointers = [self.encode(sheet.pointer(at)) for at in range(len(sheet.items))]
        token, trees = self.tokenizer.token_to_id, dict[int, TokenTree]()
        for opener in OPENERS:
            trees[token(opener)] = token_tree([*pointers, [token("<mid>")]] if opener == "<s>" else pointers)
        if sheet.actions:
            verbs = sorted(map(self.encode, sheet.actions))
            longer = [verb for verb in verbs if any(verb[: len(each)] == each for each in verbs if each != verb)]
            # behind a verb that a longer one begins with, anything may follow
            tree = token_tree(verb for verb in verbs if verb not in longer)
            trees |= {self.form(at): tree for at in VERB_FORMS}
        return Constrained(choose, trees | (openers or {}))

    def write(
        self, prompt: list[int], rows: int, choose: TokenChoice, ask: Ask, cache: Cache | None = None
    ) -> list[Output]:
        """Answers side by side; those that are over wait for the others."""
        answers, began = [Output() for _ in range(rows)], time.monotonic()
        for tokens in generate(self.network, prompt, rows, self.room(prompt, ask), choose, cache):
            for answer, token in zip(answers, tokens.tolist(), strict=True):
                if not answer.whole:
                    answer.whole = token == self.end
                    answer.tokens += [] if answer.whole else [token]
            if all(answer.whole for answer in answers) or time.monotonic() - began >= ask.deadline:
                break
        return answers

    def text(self, sheet: Sheet, answer: Output) -> str:
        """An answer as the paradigm's plain text."""
        return sheet.expand(self.tokenizer.decode(answer.tokens, skip_special_tokens=False))

    def log_likelihoods(self, prompt: list[int], texts: Sequence[str]) -> list[float]:
        """How likely the decoder would have written each text."""
        if not texts:
            return []
        tokens = [[*self.encode(text), self.end] for text in texts]
        logs: list[npt.NDArray[np.float64]] = []

        def given(logits: Logits) -> npt.NDArray[np.int64]:
            chosen = np.array([text[min(len(logs), len(text) - 1)] for text in tokens])
            logs.append(np.take_along_axis(log_softmax(logits), chosen[:, None], axis=1)[:, 0])
            return chosen

        for _ in generate(self.network, prompt, len(tokens), max(map(len, tokens)), given):
            pass
        return [float(sum(each[row] for each in logs[: len(text)])) for row, text in enumerate(tokens)]
