"""Answers of models, kept on disk by what was asked: the same pictures and words are never paid for twice.

    ANSWERS/ab/abcdef….json    by the hash of model, sampling settings and messages with the bytes of their pictures

An answer is on disk before it is used. Two processes that want the same answer at the same time ask once: the second
waits for the first.
"""

from __future__ import annotations

import fcntl
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path

import msgspec

from saccade.errors import InputError
from saccade.models.base import Ask, Completion, Model, Usage
from saccade.records import write_whole
from saccade.types import Message, Picture
from saccade.untrusted import decode_json, read_bytes
from saccade.worlds.secrets import Vault


class StoredAnswer(msgspec.Struct, frozen=True, omit_defaults=True):
    """One answer as it lies on disk."""

    model: str
    role: str
    text: str
    usage: Usage
    finish: str = "stop"


class AnswerCache:
    """The answers of one folder. None of them says what the vault holds: a model's server knows its key."""

    def __init__(self, folder: Path, vault: Vault | None = None) -> None:
        self.folder, self.vault = folder, vault or Vault()

    def complete(self, model: Model, role: str, messages: Sequence[Message], ask: Ask) -> tuple[StoredAnswer, Usage]:
        """The answer, and what was paid for it now: nothing if it was there."""
        key = request_key(model.name, messages, ask)
        file = self.folder / key[:2] / f"{key}.json"
        if (found := self._read(file)) is not None:
            return found, Usage()
        with self._locked(file):
            if (found := self._read(file)) is not None:  # another process asked while this one waited
                return found, Usage()
            answer: Completion = model.complete(messages, ask)[0]
            text = self.vault.redact(answer.text)
            made = StoredAnswer(model.name, role, text, answer.usage, answer.finish)
            write_whole(file, msgspec.json.encode(made))
            return made, made.usage

    def _read(self, file: Path) -> StoredAnswer | None:
        try:
            return decode_json(read_bytes(file), StoredAnswer)
        except FileNotFoundError:
            return None
        except (OSError, msgspec.MsgspecError) as error:
            raise InputError(f"the stored answer {file} cannot be read ({error}): remove it to ask again") from None

    @contextmanager
    def _locked(self, file: Path) -> Iterator[None]:
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            lock = (file.parent / ".lock").open("ab")
        except OSError as error:
            raise InputError(f"cannot write to {self.folder}: {error.strerror}") from None
        with lock:
            position = int(file.stem[2:10], 16)  # of the 4 GiB that can be locked: one byte for each answer
            fcntl.lockf(lock, fcntl.LOCK_EX, 1, position)
            yield

    def paid(self) -> dict[str, Usage]:
        """What all answers cost, by role."""
        found: dict[str, Usage] = {}
        for file in sorted(self.folder.glob("??/*.json")):
            if (answer := self._read(file)) is not None:
                found[answer.role] = found.get(answer.role, Usage()) + answer.usage
        return found


def request_key(model: str, messages: Sequence[Message], ask: Ask) -> str:
    """A hash of what decides an answer. Pictures count by their content, not by where they lie."""
    made = blake2b(digest_size=20)
    settings = [model, ask.temperature, ask.top_p, ask.max_tokens, list(ask.stop), ask.seed]
    made.update(msgspec.json.encode(settings))
    for message in messages:
        made.update(message.role.encode())
        for part in message.content:
            data = part.data() if isinstance(part, Picture) else part.encode("utf-8", "surrogatepass")
            shown = str(part.shown if isinstance(part, Picture) else "text")
            made.update(f"\n{shown} {len(data)}\n".encode() + data)
    return made.hexdigest()
