"""The reader learns from wordings, and understands others."""

import re
from pathlib import Path

import pytest

from saccade.errors import InputError
from saccade.paradigms.base import Language
from saccade_mini.intent_classifier import Reader
from saccade_mini.slots import SLOT
from saccade_mini.training import intent_training as reader
from saccade_mini.training import slot_span_training as edges
from saccade_mini.training.paraphrase import wordings


def test_it_learns_tasks_by_their_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    few = {task: wordings()[task] for task in ("contacts.call", "clock.add_alarm", "notes.delete_note", "files.sort")}
    monkeypatch.setattr(reader, "wordings", lambda: few)
    monkeypatch.setattr(reader, "UNKNOWN", 200)
    said: list[str] = []
    right = reader.train_reader(tmp_path, tell=said.append)
    assert right > 0.9
    assert len(said) == reader.EPOCHS + edges.EPOCHS
    assert float(re.search(r"([\d.]+)% of the slots", said[-1])[1]) > 75  # type: ignore[index]
    found = Reader(tmp_path / "reader.npz")
    assert found.likely("Telephone Ada Moss for me, please", "en")[0].plain.startswith("Call")
    assert "闹钟" in found.likely("明早七点半把我叫醒", "zh")[0].plain
    assert found.likely("Will it rain in Oslo tomorrow?", "en") == []
    assert found.edges is not None
    asked: list[tuple[str, Language, str]] = [
        ("contacts.call", "en", "Ada Moss"),
        ("notes.delete_note", "zh", "麻婆豆腐"),
    ]
    for task, language, name in asked:
        ways = few[task][0].ways(language)
        for way in ways.known:
            [best, *_] = found.edges.read(ways.known[0], SLOT.sub(name, way), language).fill(3)
            assert best.text == SLOT.sub(name, ways.known[0]), (
                "what was not read before is told by what stands around it"
            )


def test_it_is_the_same_each_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "wordings", lambda: {"files.sort": wordings()["files.sort"]})
    monkeypatch.setattr(reader, "UNKNOWN", 50)
    monkeypatch.setattr(reader, "EPOCHS", 1)
    for name in ("one", "other"):
        reader.train_reader(tmp_path / name)
    assert (tmp_path / "one/reader.npz").read_bytes() == (tmp_path / "other/reader.npz").read_bytes()


def test_a_place_that_is_no_folder_is_named_before_anything_is_learned(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="file cannot be a folder"):
        reader.train_reader(tmp_path / "file")
