"""A run that ends before its first step is done still shows its first screen and its prompt; what may be claimed after
a refusal; and what the terminal says of a step.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from recordings import DONE, TAP, record, say

from saccade.actions import Action
from saccade.agents.log import UNFINISHED, RunLog
from saccade.agents.loop import last_refusal
from saccade.agents.records import Approval, LoggedStep
from saccade.agents.replay_page import build_page, read_recording
from saccade.agents.run import RunOverrides, resume_run, start_run
from saccade.agents.settings import Settings
from saccade.cli.run import RunProgress
from saccade.geometry import Size
from saccade.models.base import Ask, Completion, ModelError, Usage
from saccade.models.scripted import ScriptedModel
from saccade.types import Message


class FailingModel(ScriptedModel):
    """It fails at the call with this number."""

    fails_at = 0
    error: type[BaseException] = ModelError

    def complete(self, messages: Sequence[Message], ask: Ask | None = None) -> list[Completion]:
        if len(self.asked) == self.fails_at:
            raise self.error("the server is gone")
        return super().complete(messages, ask or Ask())


def broken_run(tmp_path: Path, fails_at: int = 0, error: type[BaseException] = ModelError) -> Path:
    record(tmp_path / "recording", (TAP, TAP, DONE))
    model = FailingModel([say("btl", TAP)], "scripted")
    model.fails_at, model.error = fails_at, error
    settings = Settings(world=f"replay:{tmp_path / 'recording'}", model="scripted", instruction="find the hat")
    start_run(settings, tmp_path / "run", RunOverrides(model=model))
    return tmp_path / "run"


def test_the_first_screen_and_prompt_are_on_the_page_of_a_run_without_steps(tmp_path: Path) -> None:
    folder = broken_run(tmp_path)
    assert (folder / "steps.jsonl").read_bytes() == b""
    recording = read_recording(folder)
    assert recording.unfinished and len(recording.steps) == 1
    step = recording.steps[0]
    assert "the server is gone" in step.error and step.elements and (folder / step.image).is_file()
    assert any("find the hat" in text for _, text in step.prompt)
    page = build_page(recording, folder)
    assert 'id="picture-0"' in page and '"unfinished":true' in page and "the server is gone" in page


def test_so_it_is_when_a_person_interrupts_the_first_call(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        broken_run(tmp_path, error=KeyboardInterrupt)
    assert [step.prompt != [] for step in read_recording(tmp_path / "run").steps] == [True]


def test_a_later_step_in_progress_follows_those_that_were_done_and_goes_when_it_is_done(tmp_path: Path) -> None:
    folder = broken_run(tmp_path, fails_at=1)
    assert [step.acted for step in read_recording(folder).steps] == [True, False]
    log = resume_run(folder, RunOverrides(model=ScriptedModel([say("btl", DONE)], "scripted")))
    assert isinstance(log, RunLog) and not (folder / UNFINISHED).exists()
    recording = read_recording(folder)
    assert not recording.unfinished and len(recording.steps) == len(log.steps)


@pytest.mark.parametrize("text", ["", "{", '{"step": "x"}'])
def test_a_broken_file_of_a_step_in_progress_is_left_out(tmp_path: Path, text: str) -> None:
    folder = broken_run(tmp_path)
    (folder / UNFINISHED).write_text(text, encoding="utf-8")
    assert read_recording(folder).steps == []


def done(action: Action, approval: Approval) -> LoggedStep:
    about = {"id": "a", "episode": "a", "step": 0, "instruction": "", "screen": Size(10, 10)}
    return LoggedStep(**about, prediction=action, approval=approval, acted=approval.allowed)  # type: ignore[arg-type]


def test_who_may_not_delete_and_looks_around_has_not_deleted() -> None:
    refused = done(TAP, Approval(False, "no", risk="delete", by="nobody"))
    looked = done(TAP, Approval(True, by="policy"))
    deleted = done(TAP, Approval(True, risk="delete", by="person"))
    other_way = done(TAP, Approval(False, "no", by="nobody"))
    assert last_refusal([refused, looked, done(DONE, Approval(True))]) == "no"
    assert last_refusal([refused, deleted, looked]) == ""
    assert last_refusal([other_way, looked]) == "" and last_refusal([looked, other_way]) == "no"


def test_retries_and_refusals_are_on_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    step = done(TAP, Approval(False, "The action was not done: it deletes.", risk="delete", by="nobody"))
    step.usage = Usage(input=5, retries=2)
    RunProgress(False).step(step)
    told = capsys.readouterr().out
    assert "2 retried" in told and "would tap" in told and "refused" in told and "tapped" not in told
