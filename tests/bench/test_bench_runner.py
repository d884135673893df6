"""The runner: recordings and live tasks, in parallel, killed and gone on with; no case lost or counted twice."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from pathlib import Path

import msgspec
import pytest
from recordings import SIZE, TAP, record

from forks import Forks
from saccade.actions import Action
from saccade.agents.settings import Settings
from saccade.bench.cases import Result
from saccade.bench.results_store import read_bench, read_results
from saccade.bench.runner import BenchRequest, measure
from saccade.bench.suites import get_suite, suites
from saccade.data.readers import DATASETS
from saccade.errors import InputError
from saccade.geometry import Point
from saccade.models.base import Ask, Completion, Model, ModelError, Usage
from saccade.paradigms import Reply, get_paradigm
from saccade.records import write_steps
from saccade.scoring.judge import judge_steps, prediction_of
from saccade.scoring.metrics import report
from saccade.scoring.profiles import get_profile
from saccade.types import Message, Screen, Step

SUITE = get_suite("steps")


class Guesser(Model):
    """Taps the right place two times out of three, whoever asks first."""

    def __init__(self, wait: float = 0.0) -> None:
        self.name = "guesser"
        self.wait = wait
        self.asked: Counter[str] = Counter()
        self.lock = threading.Lock()

    def complete(self, messages: list[Message], ask: Ask) -> list[Completion]:  # type: ignore[override]
        task = next(line for line in messages[-1].text.splitlines() if line.startswith("Tap number"))
        with self.lock:
            self.asked[task] += 1
        time.sleep(self.wait)
        y = 130 if int(task.split()[-1]) % 3 else 430
        form = get_paradigm("btl", space="paper")
        text = form.render(Reply(Action("click", Point(150, y)), think="so"), Screen(SIZE))
        return [Completion(text, Usage(50, 20, 0.001, 1), 0.01)]


def samples(folder: Path, count: int, episodes: bool = False) -> Path:
    folder.mkdir()
    truth = [Action("click", Point(150, 130), TAP.box or (20, 100, 280, 160))]  # type: ignore[arg-type]
    steps = [
        Step(
            id=f"s{at}",
            episode=f"e{at // 3}" if episodes else "",
            step=at % 3 if episodes else 0,
            screen=SIZE,
            instruction=f"Tap number {at}",
            truth=truth,
            tags={"platform": "mobile" if at % 2 else "web"},
        )
        for at in range(count)
    ]
    write_steps(folder / "steps.jsonl", steps)
    return folder


def order(tmp_path: Path, data: Path, model: Model, **rest: object) -> BenchRequest:
    settings = Settings(world="steps", model="guesser", coordinates="pixel")
    return BenchRequest(SUITE, settings, tmp_path / "out", data, model=model, blind=True, **rest)  # type: ignore[arg-type]


def test_a_suite_gives_what_saccade_score_gives(tmp_path: Path) -> None:
    model = Guesser()
    store = measure(order(tmp_path, samples(tmp_path / "data", 30), model, workers=4))
    assert len(store.results) == 30 and set(model.asked.values()) == {1}
    steps = msgspec.json.Decoder(Step).decode_lines((tmp_path / "out/steps.jsonl").read_bytes())
    assert [step.id for step in steps] == [f"s{at}" for at in range(30)], "in the data's order, whoever was first"
    for name in ("btl", "gui-r1", "qwen", "cmgui"):
        profile = get_profile(name)
        answered = [step for result in store.results.values() for step in result.steps]
        ours = report(judge_steps(answered, [prediction_of(step, None) for step in answered], profile), profile)
        parsed = [prediction_of(step, get_paradigm("btl")) for step in steps]
        assert ours.metrics["sr"].value == report(judge_steps(steps, parsed, profile), profile).metrics["sr"].value
    from typer.testing import CliRunner  # noqa: PLC0415

    from saccade.cli import app  # noqa: PLC0415

    told = CliRunner().invoke(app, ["score", str(tmp_path / "out/steps.jsonl"), "--profile", "btl", "--json"])
    assert msgspec.json.decode(told.stdout)["metrics"]["sr"]["value"] == pytest.approx(20 / 30)


def test_episodes_are_answered_in_order_with_their_history(tmp_path: Path) -> None:
    model = Guesser()
    store = measure(order(tmp_path, samples(tmp_path / "data", 12, episodes=True), model, workers=3))
    assert sorted(store.results) == ["e0", "e1", "e2", "e3"]
    assert [step.step for step in store.results["e2"].steps] == [0, 1, 2]
    assert store.results["e2"].usage.input == 150 and store.results["e2"].turns == 3


def test_the_same_command_goes_on(tmp_path: Path) -> None:
    data = samples(tmp_path / "data", 20)
    measure(order(tmp_path, data, Guesser(), limit=8))
    model = Guesser()
    store = measure(order(tmp_path, data, model))
    assert len(store.results) == 20 and sum(model.asked.values()) == 12
    assert read_bench(tmp_path / "out").suite == "steps"


def test_another_measurement_needs_another_folder(tmp_path: Path) -> None:
    data = samples(tmp_path / "data", 4)
    measure(order(tmp_path, data, Guesser()))
    other = Settings(world="steps", model="guesser", coordinates="pixel", k=2, temperature=1.0)
    with pytest.raises(InputError, match="different settings"):
        measure(BenchRequest(SUITE, other, tmp_path / "out", data, model=Guesser(), blind=True))


class Flaky(Guesser):
    """Breaks on every fifth task, as long as it is told to."""

    broken = True

    def complete(self, messages: list[Message], ask: Ask) -> list[Completion]:  # type: ignore[override]
        if self.broken and int(messages[-1].text.split("Tap number ")[1].split()[0]) % 5 == 0:
            raise ModelError("the server is down")
        return super().complete(messages, ask)


def test_what_broke_is_kept_apart_and_done_again(tmp_path: Path) -> None:
    data, model = samples(tmp_path / "data", 20), Flaky()
    store = measure(order(tmp_path, data, model, workers=2))
    broken = [result for result in store.results.values() if result.status == "broken"]
    assert len(broken) == 4 and broken[0].problem == "the server is down" and not broken[0].steps
    model.broken = False
    store = measure(order(tmp_path, data, model, rerun="broken"))
    assert len(store.results) == 20 and all(result.status == "done" for result in store.results.values())
    assert set(model.asked.values()) == {1}, "the others were not asked again"


def test_bad_input_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="needs its data"):
        measure(BenchRequest(SUITE, Settings(world="steps", model="oracle"), tmp_path / "out"))
    with pytest.raises(InputError, match="there is no folder"):
        measure(BenchRequest(SUITE, Settings(world="steps", model="oracle"), tmp_path / "out", tmp_path / "nowhere"))
    twice = tmp_path / "twice"
    twice.mkdir()
    step = Step(id="a", screen=SIZE, instruction="x", truth=[TAP])
    write_steps(twice / "steps.jsonl", [step, Step(id="b", screen=SIZE, instruction="y", truth=[TAP]), step])
    with pytest.raises(InputError, match="'a' appears twice"):
        measure(BenchRequest(SUITE, Settings(world="steps", model="oracle"), tmp_path / "out", twice))
    phone = BenchRequest(
        get_suite("phone"), Settings(world="phone", model="oracle"), tmp_path / "p", options={"colour": "red"}
    )
    with pytest.raises(InputError, match="no option colour"):
        measure(phone)


def test_every_suite_has_its_readers_and_its_rule() -> None:
    for suite in suites():
        get_profile(suite.profile)
        assert suite.kind == "live" or suite.datasets
        for name in suite.datasets:
            assert name in DATASETS.names()


PROGRAM = """
import sys
from pathlib import Path
sys.path[:0] = sys.argv[3:]
from test_bench_runner import Guesser, SUITE
from saccade.agents.settings import Settings
from saccade.bench.runner import BenchRequest, measure

def main():
    settings = Settings(world="steps", model="guesser", coordinates="pixel")
    model = Guesser(0.02)
    measure(BenchRequest(SUITE, settings, Path(sys.argv[2]), Path(sys.argv[1]), workers=4, model=model, blind=True))
"""


def test_killed_ten_times_the_results_are_those_of_an_uninterrupted_run(tmp_path: Path) -> None:
    data, out = samples(tmp_path / "data", 150, episodes=True), tmp_path / "killed"
    here = Path(__file__).parent
    paths = [str(here), str(here.parent), str(here.parent / "agents")]
    chance = random.Random(5)
    with Forks(PROGRAM, str(data), str(out), *paths) as forks:
        for _ in range(10):
            forks.begin()
            time.sleep(chance.uniform(0.0, 0.12))
            assert forks.kill()
        forks.begin()
        forks.wait()
        assert forks.status() == 0
    whole = measure(order(tmp_path, data, Guesser(), workers=3))
    killed, _ = read_results(out)
    lines = [msgspec.json.decode(line)["id"] for line in (out / "results.jsonl").read_bytes().splitlines()]
    assert len(lines) == len(set(lines)) == 50

    def answers(results: dict[str, Result]) -> dict[str, list[Action | None]]:
        return {id: [step.prediction for step in result.steps] for id, result in results.items()}

    assert answers({result.id: result for result in killed}) == answers(whole.results)


@pytest.mark.browser
def test_live_tasks_with_the_oracle_in_two_processes(tmp_path: Path) -> None:
    settings = Settings(world="phone", model="oracle", world_options={"scale": 1.0})
    told: list[int] = []
    store = measure(
        BenchRequest(get_suite("phone"), settings, tmp_path / "out", limit=3, workers=2),
        lambda result, done, total: told.append(done),
    )
    assert told == [1, 2, 3] and all(result.success for result in store.results.values())
    result = next(iter(store.results.values()))
    assert result.right_steps == result.judged_steps == result.turns and result.tags["group"]
    assert (tmp_path / "out" / result.run / "replay.html").exists()


def test_a_recording_as_data(tmp_path: Path) -> None:
    """What `saccade run` and `saccade data collect` leave is a data set."""
    folder = record(tmp_path / "recording", (TAP,) * 4)
    store = measure(BenchRequest(SUITE, Settings(world="steps", model="oracle"), tmp_path / "out", folder))
    assert store.results["e"].turns == 4 and all(step.prediction for step in store.results["e"].steps)
