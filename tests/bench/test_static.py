"""Recorded evaluation: whose summary a prompt shows. C_t of the step that is asked is a part of its answer."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from command import saccade
from recordings import SIZE, TAP, record, say

from saccade.agents.settings import Settings
from saccade.bench.figures import load_measurement
from saccade.bench.results_store import read_bench
from saccade.bench.runner import BenchRequest, measure
from saccade.bench.suites import get_suite
from saccade.bench.tables import table_of
from saccade.errors import InputError
from saccade.models.base import Ask, Completion, Model, Usage
from saccade.paradigms import PARADIGMS, get_paradigm
from saccade.records import read_grown, write_steps
from saccade.types import Message, Step

STEPS = 3
ANNOTATED = [f"annotated summary {at}" for at in range(STEPS)]
"""C_0, C_1, C_2."""
WITH_PROMPT = [name for name in PARADIGMS.names() if PARADIGMS.get(name).has_prompt]


class Listener(Model):
    """Answers with a tap and a summary of its own; keeps all that it was asked."""

    def __init__(self, paradigm: str) -> None:
        self.name, self.paradigm = "listener", paradigm
        self.prompts: list[str] = []

    def complete(self, messages: Sequence[Message], ask: Ask) -> list[Completion]:
        text = "\n".join(message.text for message in messages)
        if ask.purpose != "act":
            return [Completion("own summary", Usage())]
        self.prompts.append(text)
        return [Completion(say(self.paradigm, TAP, summary=f"own summary {len(self.prompts) - 1}"), Usage())]


def step_records(folder: Path) -> Path:
    record(folder, (TAP,) * STEPS)
    steps = read_grown(folder / "steps.jsonl", Step)[0]
    for at, step in enumerate(steps):
        step.context, step.summary = ANNOTATED[at - 1] if at else "", ANNOTATED[at]
    write_steps(folder / "steps.jsonl", steps)
    return folder


def cmgui(folder: Path) -> Path:
    """Episodes as CMGUI writes them: `summary` is what the answer of the step says."""
    shots = record(folder / "pictures", (TAP,) * STEPS) / "shots"
    (folder / "screenshot_zip").mkdir()
    with zipfile.ZipFile(folder / "screenshot_zip/screenshot_test.zip", "w") as archive:
        for at in range(STEPS):
            archive.write(shots / f"{at}.png", f"screenshot_test/e/{at}.png")
    click = {"name": "mobile_use", "arguments": {"action": "click", "coordinate": [150, 130]}}
    steps = [
        {"screenshot": f"e/{at}.png", "action": click, "bbox": [[20, 100, 280, 160]], "summary": ANNOTATED[at]}
        for at in range(STEPS)
    ]
    episode = {"episode_id": "e", "instruction": "Look for hats", "app": "Shop", "steps": steps}
    (folder / "episode_annotation_test.jsonl").write_text(json.dumps(episode))
    return folder


def gui_odyssey(folder: Path) -> Path:
    """Episodes as GUI-Odyssey writes them: `context` is what has been done before the step."""
    record(folder / "pictures", (TAP,) * STEPS)
    (folder / "pictures/shots").rename(folder / "screenshots")
    (folder / "annotations").mkdir()
    place = [[round(150 / SIZE.width * 1000), round(130 / SIZE.height * 1000)]]
    steps = [
        {"step": at, "screenshot": f"{at}.png", "action": "CLICK", "info": place, "ps": "", "context": ANNOTATED[at]}
        for at in range(STEPS)
    ]
    episode = {
        "episode_id": "e",
        "device_info": {"device_name": "Pixel", "w": SIZE.width, "h": SIZE.height},
        "task_info": {"category": "x", "app": ["Shop"], "instruction": "Look for hats"},
        "step_length": STEPS,
        "steps": steps,
    }
    (folder / "annotations/e.json").write_text(json.dumps(episode))
    return folder


DATA = {"steps": step_records, "cmgui-bench": cmgui, "gui-odyssey": gui_odyssey}


def asked(tmp_path: Path, suite: str, paradigm: str, **settings: str) -> tuple[Path, list[str]]:
    model = Listener(paradigm)
    options = {"split": "all"} if suite == "gui-odyssey" else {}
    made = Settings(world=suite, model="listener", paradigm=paradigm, **settings)  # type: ignore[arg-type]
    out = tmp_path / f"out{len(list(tmp_path.iterdir()))}"
    data = tmp_path / "data" if (tmp_path / "data").exists() else DATA[suite](tmp_path / "data")
    measure(BenchRequest(get_suite(suite), made, out, data, options, model=model))
    return out, model.prompts


def shown(prompts: Sequence[str]) -> Iterator[list[int]]:
    """Which annotated summaries each prompt contains."""
    for prompt in prompts:
        yield [at for at, text in enumerate(ANNOTATED) if text in prompt]


@pytest.mark.parametrize("paradigm", WITH_PROMPT)
@pytest.mark.parametrize("suite", DATA)
def test_no_prompt_has_an_annotated_summary_unless_asked_for(tmp_path: Path, suite: str, paradigm: str) -> None:
    _, prompts = asked(tmp_path, suite, paradigm)
    assert list(shown(prompts)) == [[]] * STEPS
    parts = get_paradigm(paradigm).answer_parts
    if "summary" in parts:
        assert [f"own summary {at - 1}" in prompt for at, prompt in enumerate(prompts)] == [False, True, True]
    _, prompts = asked(tmp_path, suite, paradigm, context="annotated")
    for at, found in enumerate(shown(prompts)):
        assert at not in found, "C_t of the step that is asked"
        assert "summary" not in parts or found == ([at - 1] if at else [])


def test_annotated_context_is_kept_and_printed(tmp_path: Path) -> None:
    out, _ = asked(tmp_path, "steps", "secagent", context="annotated")
    assert read_bench(out).settings["context"] == "annotated"
    note = "Context: prompts showed the annotated summary of the step before, not the model's own."
    assert note in table_of(*load_measurement(out))[0].notes
    out, _ = asked(tmp_path, "steps", "secagent")
    assert not any(line.startswith("Context:") for line in table_of(*load_measurement(out))[0].notes)


def test_context_and_tries_are_of_recordings(tmp_path: Path) -> None:
    for wrong in ({"context": "annotated"}, {"tries": 2}):
        settings = Settings(world="miniwob", model="oracle", **wrong)
        with pytest.raises(InputError, match="are for recordings"):
            measure(BenchRequest(get_suite("miniwob"), settings, tmp_path / "out"))


def test_the_command_line_has_both(tmp_path: Path) -> None:
    data, answers = step_records(tmp_path / "data"), [say("secagent", TAP, summary="own")] * 2 * STEPS
    (tmp_path / "script").write_text("".join(json.dumps(answer) + "\n" for answer in answers))
    words = ["steps", "--data", str(data), "--model", f"scripted/{tmp_path / 'script'}", "--paradigm", "secagent"]
    done = saccade("bench", *words, "--context", "annotated", "--tries", "2", "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    settings = read_bench(tmp_path / "out").settings
    assert (settings["context"], settings["tries"]) == ("annotated", 2)
    assert "prompts showed the annotated summary" in done.stdout and "episode" in done.stdout
    for option, value in (("--tries", "0"), ("--context", "other")):
        refused = saccade("bench", *words, option, value, "--out", tmp_path / "other")
        assert refused.returncode == 2 and len(refused.stderr.strip().splitlines()) == 1, refused.stderr
