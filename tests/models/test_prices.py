"""What tokens cost, and where that is said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fake_openai import (
    ask,
    asking,
    forget_environment,
    streamed,
)

from saccade.errors import InputError
from saccade.models import open_model


@pytest.fixture(autouse=True)
def on_a_bare_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    forget_environment(monkeypatch, tmp_path)


def cost(name: str, **options: Any) -> float:
    with asking(streamed("x", usage={"prompt_tokens": 1_000_000, "completion_tokens": 0}), name=name, **options) as (
        model,
        _,
    ):
        return ask(model)[0].usage.cost


def test_prices(tmp_path: Path) -> None:
    assert cost("gpt-4o-mini-2024-07-18") == pytest.approx(0.15)
    assert cost("openai/gpt-4.1") == pytest.approx(2.0)
    assert cost("claude-sonnet-4-5-20250929") == pytest.approx(3.0)
    assert cost("gpt-4o-2024-05-13") == pytest.approx(5.0)
    assert cost("Qwen/Qwen2.5-VL-7B-Instruct") == 0.0
    assert cost("gpt-4o-realtime") == 0.0

    home = tmp_path / ".config" / "saccade" / "prices.yaml"
    home.parent.mkdir(parents=True)
    home.write_text(
        "Qwen*: {input: 0.5, output: 1}\nqwen2.5-vl-*: {input: 0.7, output: 1}\ngpt-4.1: {input: 9, output: 9}\n"
    )
    file = tmp_path / "mine.yaml"
    file.write_text("gpt-4.1: {input: 1, output: 1}\n")
    assert cost("Qwen/Qwen2.5-VL-7B-Instruct") == pytest.approx(0.7)
    assert cost("Qwen/Qwen3-VL-8B") == pytest.approx(0.5)
    assert cost("gpt-4.1") == pytest.approx(9.0)
    assert cost("gpt-4.1", prices=str(file)) == pytest.approx(1.0)
    assert cost("gpt-4o", prices=file) == pytest.approx(2.5)
    file.write_text("")
    assert cost("gpt-4.1", prices=file) == pytest.approx(9.0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("gpt: {input: 1, output: 2\nx: [", "line 2"),
        ("- gpt-4o", "prices are lines"),
        ("gpt-4o: {input: 1}", "gpt-4o: .*`output`"),
        ("gpt-4o: {input: cheap, output: 2}", "gpt-4o: input: Expected `float`"),
        ("gpt-4o: {input: -1, output: 2}", "gpt-4o: input: Expected `float` >= 0"),
        ("gpt-4o: {input: 1, output: 2, cache: 1}", "gpt-4o: .*`cache`"),
        ("gpt-4o: 3", "gpt-4o: Expected `object`"),
        ("gpt-4o: {input: .nan, output: 2}", "gpt-4o: input"),
    ],
)
def test_bad_prices_name_the_place(text: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "bad.yaml"
    file.write_text(text)
    with pytest.raises(InputError, match=f"bad.yaml: .*{said}"):
        open_model("openai/x", prices=file)


def test_odd_counts_are_not_believed() -> None:
    odd: list[Any] = [{"prompt_tokens": "many"}, {"prompt_tokens": -5, "completion_tokens": 1}, [], {}]
    for usage in odd:
        with asking(streamed("tap", usage=usage)) as (model, _):
            (answer,) = ask(model)
            assert answer.usage.input == 5  # 18 bytes
