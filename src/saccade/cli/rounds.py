"""Rounds of making data, training and measuring: the flywheel (SecAgent §3.2 (6)) and self-improvement (GuidNav §5.2).

    OUT/round-N/data/         what the policy of this round made
    OUT/round-N/training/     `saccade train sft` on the data of all rounds so far
    OUT/round-N/measured/     `saccade bench` of the trained policy on validation tasks
    OUT/rounds.json, OUT/rounds.html

Each part goes on after a kill as it does alone, and a round that is done is not done again.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import typer

from saccade.agents.settings import read_settings
from saccade.bench.figures import success
from saccade.bench.report import page
from saccade.bench.report_files import write_report
from saccade.bench.runner import BenchRequest, measure
from saccade.bench.suites import get_suite
from saccade.bench.table import Cell, Table, TableRow, markdown
from saccade.engines import Engine, open_engine
from saccade.errors import InputError
from saccade.models.base import Usage
from saccade.records import lock_folder, read_object, write_object, write_whole
from saccade.train.backbone import find_backbone
from saccade.train.recipe_files import load_recipe

NOTES = [
    "Success: share of the validation tasks, with Wilson's 95 % interval. Each round trains on the data of all rounds "
    "so far, from the same start.",
    "Completed: share of the tries at training tasks that succeeded. Cost: what the models of that round's data and "
    "measurement were paid, without the machine.",
]


class MadeData(msgspec.Struct, omit_defaults=True):
    """What a round made to train on."""

    folder: str
    """Relative to OUT."""
    episodes: int
    samples: int
    tries: int = 0
    completed: int = 0
    cost: float = 0.0


class Success(msgspec.Struct, omit_defaults=True):
    """A measured share with its interval."""

    value: float
    low: float
    high: float
    n: int
    cost: float = 0.0


class Round(msgspec.Struct, omit_defaults=True):
    """One row of `rounds.json`. Round 0 is the policy before any training."""

    number: int
    policy: str
    """Who made the data."""
    data: MadeData | None = None
    trained: str = ""
    """The model that came out."""
    success: Success | None = None
    """Of the trained model; of round 0, of the first policy."""


class RoundsFile(msgspec.Struct, omit_defaults=True):
    """`rounds.json`."""

    asked: dict[str, Any]
    """What was asked for; a folder takes no other request."""
    rounds: list[Round] = msgspec.field(default_factory=list)


@dataclass(frozen=True)
class Training:
    """How the policy of the next round is trained."""

    recipe: str
    start: str = ""
    """The model that every round begins with; empty: the recipe's."""
    changes: tuple[str, ...] = ()
    more_data: tuple[str, ...] = ()
    """Other data sets that each training is given, too."""

    def check(self) -> None:
        """Tell what is wrong with it before anything is made."""
        recipe = load_recipe(self.recipe, model=self.start or None)
        if recipe.stage != "sft":
            raise InputError(f"the recipe {self.recipe} is for {recipe.stage}: rounds train with sft")
        kind, rest = find_backbone(recipe.model)
        kind.check(rest)

    def train(self, data: Sequence[Path], out: Path) -> str:
        """Train in a process of its own, which gives its memory back; returns the name under which the result runs."""
        command = [sys.executable, "-m", "saccade", "train", "sft", "--config", self.recipe, "--out", str(out)]
        command += ["--model", self.start] if self.start else []
        command += [part for folder in (*data, *self.more_data) for part in ("--data", str(folder))]
        command += [part for change in self.changes for part in ("--set", change)]
        if subprocess.run(command, check=False).returncode:
            raise InputError(f"the training in {out} ended with an error: mend it, and the same command goes on")
        kind, _ = find_backbone(load_recipe(self.recipe, model=self.start or None).model)
        return kind.runnable(out.resolve() / "model")


@dataclass(frozen=True)
class Player:
    """How a policy acts, whatever its round."""

    paradigm: str = "secagent"
    agent: str = ""
    base_url: str = ""
    max_steps: int = 30

    def settings(self, suite: str, policy: str, **more: Any) -> dict[str, Any]:
        """Of its runs; the server is that of the policy that was named, not of one that was trained here."""
        served = {"base_url": self.base_url} if self.base_url and policy.startswith("openai/") else {}
        about = {"world": suite, "model": policy, "paradigm": self.paradigm, "agent": self.agent}
        return about | {"limits": {"steps": self.max_steps}} | served | more


@dataclass(frozen=True)
class LiveMeasurement:
    """`saccade bench` on a live suite."""

    suite: str
    options: Mapping[str, Any]
    limit: int
    player: Player
    workers: int = 1
    engine: str = "local"

    def check(self) -> None:
        """Tell what is wrong with it before anything is made."""
        if get_suite(self.suite).kind != "live":
            raise InputError(f"the suite {self.suite} has recordings: rounds are measured on a live suite")

    def run(self, policy: str, out: Path, **settings: Any) -> Success | None:
        """Measure a policy, or read what was measured before."""
        with open_engine(self.engine) as engine:
            results = measure(self._request(policy, out, engine, settings)).results.values()
        write_report(out)
        found = success(results)
        if found is None:
            return None
        cost = sum((result.usage for result in results), Usage()).cost
        return Success(found.value, found.low, found.high, found.n or 0, cost)

    def _request(self, policy: str, out: Path, engine: Engine, settings: Mapping[str, Any]) -> BenchRequest:
        asked = read_settings(self.player.settings(self.suite, policy, **settings))
        suite, label = get_suite(self.suite), f"{policy} {self.player.paradigm}"
        return BenchRequest(suite, asked, out, None, self.options, self.limit, self.workers, label=label, engine=engine)


Make = Callable[[int, str, Path], MadeData]
"""From a round's number, its policy and a folder to the data that it made there."""


@dataclass
class Rounds:
    """All rounds in one folder."""

    out: Path
    title: str
    asked: dict[str, Any]
    make: Make
    training: Training | None = None
    measurement: LiveMeasurement | None = None
    say: Callable[[str], None] = lambda text: None
    file: RoundsFile = field(init=False)

    def run(self, policy: str, rounds: int, measure_first: bool) -> list[Round]:
        """Do what is not done yet; returns all rounds. `measure_first`: the first policy is a model, not a player."""
        for part in (self.training, self.measurement):
            if part is not None:
                part.check()
        self.out.mkdir(parents=True, exist_ok=True)
        with lock_folder(self.out, "working in", "wait for it, or choose another --out"):
            self.file = self._read()
            done = {each.number: each for each in self.file.rounds}
            if 0 not in done:
                measured = None
                if self.measurement is not None and measure_first:
                    measured = self.measurement.run(policy, self.out / "round-0")
                self._add(Round(0, policy, success=measured))
            for number in range(1, rounds + 1):
                if number not in done:
                    self._add(self._round(number, policy))
                policy = self.file.rounds[number].trained or policy
            self._write_page()
        return self.file.rounds

    def _round(self, number: int, policy: str) -> Round:
        folder = self.out / f"round-{number}"
        self.say(f"round {number}: {policy} makes data")
        data = self.make(number, policy, folder / "data")
        found = Round(number, policy, msgspec.structs.replace(data, folder=f"round-{number}/data"))
        if self.training is not None:
            sets = [*(each.data for each in self.file.rounds if each.data is not None), found.data]
            self.say(f"round {number}: training")
            found.trained = self.training.train([self.out / each.folder for each in sets if each], folder / "training")
        if self.measurement is not None and found.trained:
            self.say(f"round {number}: measuring")
            found.success = self.measurement.run(found.trained, folder / "measured")
        return found

    def _read(self) -> RoundsFile:
        file = self.out / "rounds.json"
        if not file.exists():
            return RoundsFile(self.asked)
        found = read_object(file, RoundsFile, "")
        other = [key for key in sorted(found.asked | self.asked) if found.asked.get(key) != self.asked.get(key)]
        if other:
            raise InputError(
                f"{self.out} holds rounds that were asked for otherwise ({', '.join(other)} differ): use the same "
                "options, or another --out"
            )
        return found

    def _add(self, found: Round) -> None:
        self.file.rounds.append(found)
        write_object(self.out / "rounds.json", self.file)
        self._write_page()

    def _write_page(self) -> None:
        write_whole(
            self.out / "rounds.html", page(self.title, [rounds_table(self.title, self.file.rounds)], []).encode()
        )


def rounds_table(title: str, rounds: Sequence[Round]) -> Table:
    """Rounds, counts, success and cost."""
    columns = ["episodes (n)", "samples (n)", "completed", "success", "cost ($)"]
    rows, trained = [], {each.trained: f"the model of round {each.number}" for each in rounds if each.trained}
    for each in rounds:
        data, measured = each.data, each.success
        completed = Cell(100 * data.completed / data.tries) if data is not None and data.tries else None
        reached = None
        if measured is not None:
            reached = Cell(100 * measured.value, 100 * measured.low, 100 * measured.high, measured.n)
        cost = (data.cost if data else 0.0) + (measured.cost if measured else 0.0)
        player = trained.get(each.policy, each.policy)
        label = f"round {each.number}, by {player}" if each.number else f"before: {player}"
        counts = [Cell(data.episodes), Cell(data.samples)] if data is not None else [None, None]
        rows.append(TableRow(label, [*counts, completed, reached, Cell(cost)]))
    return Table(title, columns, rows, notes=NOTES, main=3)


def show_rounds(title: str, rounds: Sequence[Round], out: Path, json_lines: bool) -> None:
    """The table in the terminal, or one JSON object a round."""
    if json_lines:
        for each in rounds:
            typer.echo(msgspec.json.encode(each))
        return
    typer.echo(markdown(rounds_table(title, rounds)))
    typer.echo(f"→ {out / 'rounds.html'}")
