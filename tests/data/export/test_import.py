"""Trainers' answers become step records that can be scored and looked at."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from command import saccade
from train_data import draw, episode

from saccade.data.training_rows import RowWriter
from saccade.geometry import Frame
from saccade.paradigms import get_paradigm
from saccade.records import write_steps
from saccade.scoring.completion_reward import AnswerFormat, AnswerRecord, CompletionReward

FORM = AnswerFormat("resized:28,3136,25088")


def answers() -> list[tuple[str, str, float]]:
    """Completion, truth and reward: two that are right, one that is nothing."""
    records = [AnswerRecord.of(step, FORM.paradigm("btl")) for step in episode("a")]
    said = [next(RowWriter(each.reader()).episode([each], Random(0))).answer for each in records[:2]] + ["no idea"]
    truths = [msgspec.json.encode(record).decode() for record in records]
    scores = CompletionReward().score_all(said, truths)
    return [(text, truth, each["score"]) for text, truth, each in zip(said, truths, scores, strict=True)]


def verl_log(cases: Sequence[tuple[str, str, float]]) -> list[dict[str, Any]]:
    return [
        {"input": "user …", "output": text, "gts": truth, "score": score, "step": 7, "format": 1.0}
        for text, truth, score in cases
    ]


def swift_log(cases: Sequence[tuple[str, str, float]]) -> list[dict[str, Any]]:
    texts, truths, scores = zip(*cases, strict=True)
    ended = [f"{text}<|im_end|>" for text in texts]
    line: dict[str, Any] = {"step": ["7"] * len(cases), "prompt": ["…"] * len(cases), "completion": ended}
    line |= {"SaccadeReward": scores, "advantages": [0.0] * len(cases), "solution": truths}
    return [line, line]  # its last line comes twice


def own_log(cases: Sequence[tuple[str, str, float]]) -> list[dict[str, Any]]:
    return [
        {"step": 7, "completion": "…", "answer": text, "reward": score, "record": json.loads(truth)}
        for text, truth, score in cases
    ]


LOGS = {"verl": verl_log, "ms-swift": swift_log, "saccade": own_log}


@pytest.mark.parametrize("trainer", LOGS)
def test_a_log_is_scored_imported_and_shown(trainer: str, tmp_path: Path) -> None:
    for at in range(3):
        draw(tmp_path / f"data/screens/{at}.png", at)
    write_steps(tmp_path / "data/steps.jsonl", episode("a"))
    log = tmp_path / "log.jsonl"
    log.write_text("\n".join(map(json.dumps, LOGS[trainer](answers()))), encoding="utf-8")
    scored = saccade("score", log, "--json")
    assert scored.returncode == 0, scored.stderr
    done = saccade("data", "import", log, "--data", tmp_path / "data", "--out", tmp_path / "answers")
    assert done.returncode == 0 and "3 answers, 3 pictures" in done.stdout, done.stderr
    found = [json.loads(line) for line in (tmp_path / "answers/steps.jsonl").read_text("utf-8").splitlines()]
    assert [each["id"] for each in found] == ["a-0#0", "a-1#1", "a-2#2"]
    assert found[1]["prediction"]["type"] == "click" and "prediction" not in found[2]
    target = episode("a")[1].truth[0].point
    assert target is not None  # in pixels of the screenshot, whatever picture the model saw
    assert found[1]["prediction"]["point"] == pytest.approx(list(target), abs=2)
    assert [each["tags"]["reward"] for each in found] == ["3.0", "3.0", "0.0"]
    assert found[0]["tags"]["update"] == "7" and "<|im_end|>" not in found[0]["output"]
    assert (tmp_path / "answers" / found[0]["image"]).is_file()
    again = saccade("score", tmp_path / "answers/steps.jsonl", "--json")
    assert json.loads(again.stdout.splitlines()[0])["metrics"]["sr"]["value"] == pytest.approx(2 / 3)
    shown = saccade("view", tmp_path / "answers")
    assert shown.returncode == 0 and (tmp_path / "answers/replay.html").is_file()


def test_a_broken_truth_is_told_with_its_line(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    lines = verl_log(answers())
    lines[1]["gts"] = '{"id": 5}'
    log.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    done = saccade("data", "import", log, "--out", tmp_path / "answers")
    assert done.returncode == 2 and "log.jsonl:2: the truth of a row is no step record" in " ".join(done.stderr.split())
    assert not (tmp_path / "answers").exists()
    done = saccade("data", "import", log, "--out", tmp_path / "answers", "--keep-going")
    assert done.returncode == 0 and "2 answers" in done.stdout and "1 lines left out" in done.stdout


def test_a_format_is_read_back_with_its_switches() -> None:
    for name, switches in {"btl": {"dialect": "json", "space": "phone"}, "secagent": {"space": "phone"}}.items():
        paradigm = get_paradigm(name, **switches, frame=Frame.parse("permille"))
        form = AnswerFormat.of(paradigm)
        assert form.paradigm(name) == paradigm
        assert set(form.switches) <= set(switches)
