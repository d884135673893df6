"""Phones that many tests share."""

from __future__ import annotations

from typing import Any

import pytest
from phone_data import made

from saccade_phone import session as sessions_module
from saccade_phone.app import State
from saccade_phone.state_machine import clone


@pytest.fixture
def same_phones(monkeypatch: pytest.MonkeyPatch) -> None:
    """All tasks are drawn on the same few phones, and to make one takes much longer than to copy it."""

    def copied(_: object, seed: int, language: Any, **options: Any) -> tuple[State, list[Any]]:
        assert not any(options.values())
        state, people = made(seed, language)
        return clone(state), list(people)

    monkeypatch.setattr(sessions_module, "new_phone", copied)
