"""The reader learns from wordings, and understands others."""

import re
from pathlib import Path

import pytest

from saccade.errors import InputError
from saccade.models.mini.reader import Reader
from saccade.train import edges, reader
from saccade.train.paraphrase import wordings


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
    [best, *_] = found.edges.fill("Call {name}", "Could you please telephone Ada Moss for me?", "en", 3)
    assert best.text == "Call Ada Moss", "people are named, and not by what stands around them"
    [best, *_] = found.edges.fill("删除便签“{title}”", "帮我把便签麻婆豆腐删了吧", "zh", 3)
    assert best.text == "删除便签“麻婆豆腐”"


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
