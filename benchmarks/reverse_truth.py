"""How often is a task true that reverse synthesis wrote for a walk on the phone, in each language?

saccade data walk phone --steps 8000 --episode-steps 40 --seed 6 --option scale=1 --out runs/walk
saccade data reverse runs/walk --out runs/reverse
python benchmarks/reverse_truth.py --walk runs/walk --made runs/reverse

The writer saw screens. Here the phone itself is asked: its state at every step is rebuilt from the seed and the
recorded changes, and each widget of the screen that was in front is tried on a copy. A claim of the task is true if a
widget of that name makes just the change that was recorded. As a control, each text is also checked against the
trajectory of another task of the same app and language: a check that says yes to everything would show there.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from saccade.cli.data_walk import walk_tasks
from saccade.data.synthesis.manifest import Manifest
from saccade.data.synthesis.state_changes import Change, changes_of, state_changes
from saccade.data.synthesis.state_claims import is_called, lasting, net_changes, read_claims, task_truth
from saccade.data.synthesis.walk import WalkRequest
from saccade.errors import InputError
from saccade.records import read_lines, read_object
from saccade.scoring.intervals import Ratio, figures
from saccade.types import Step
from saccade.worlds.tasks import Task
from saccade_phone.judge import lasting_data
from saccade_phone.session import Session
from saccade_phone.state_machine import Machine, clone
from saccade_phone.widgets import Op, Widget

Snapshot = dict[str, Any]
"""What `World.sandbox_state` tells: `front` and `apps`."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--walk", type=Path, required=True, help="the folder of saccade data walk phone")
    parser.add_argument("--made", type=Path, required=True, help="the folder of saccade data reverse")
    parser.add_argument("--walks", type=int, default=0, help="so many episodes of the walk, drawn at random; 0: all")
    parser.add_argument("--wrong", type=int, default=0, help="print so many tasks that are not true")
    parser.add_argument("--show", type=int, default=0, help="print so many tasks, drawn at random")
    given = parser.parse_args()
    walked = WalkedPhone(given.walk)
    made = some_walks(trajectories(given.made), given.walks)
    judged = [(steps, judge(steps[0].instruction, steps, walked)) for steps in made]
    report("all tasks", judged)
    for language in ("en", "zh"):
        report(language, [each for each in judged if each[0][0].tags["language"] == language])
    kinds = [(steps, verdict, kind_of(steps)) for steps, verdict in judged]
    for kind in sorted({kind for _, _, kind in kinds}):
        report(f"kind {kind}", [(steps, verdict) for steps, verdict, each in kinds if each == kind])
    report("control: the texts of other trajectories", control(made, walked))
    counts(given.made)
    wrong = [steps for steps, verdict in judged if not verdict[0]]
    for title, chosen in (("not true", wrong[: given.wrong]), ("drawn", drawn(made, given.show))):
        for steps in chosen:
            print(f"{title}: {steps[0].episode}: {steps[0].instruction}")
            print(f"    {[step.step_instruction for step in steps[:-1]]} {lasting(net_of(steps))[:3]}")
    return 0


# -- what was made -----------------------------------------------------------------------------------------------------


def trajectories(made: Path) -> list[list[Step]]:
    """The steps of each task; the last step is the screen to which they led."""
    found: dict[str, list[Step]] = defaultdict(list)
    for _, line in read_lines(made / "steps.jsonl"):
        step = msgspec.json.decode(line, type=Step)
        found[step.episode].append(step)
    return list(found.values())


def some_walks(made: list[list[Step]], count: int) -> list[list[Step]]:
    """The trajectories from so many episodes of the walk."""
    walks = sorted({walk_of(steps) for steps in made})
    chosen = set(random.Random(0).sample(walks, min(count, len(walks)))) if count else set(walks)
    return [steps for steps in made if walk_of(steps) in chosen]


def walk_of(steps: Sequence[Step]) -> str:
    return steps[0].tags["walked"].rpartition("-")[0]


def net_of(steps: Sequence[Step]) -> list[Change]:
    return net_changes(change for step in steps[:-1] for change in changes_of(step.tags))


def kind_of(steps: Sequence[Step]) -> str:
    kinds = {claim.kind for claim in read_claims(steps[0].instruction, steps[0].tags["language"])}  # type: ignore[arg-type]
    return "+".join(sorted(kinds))


def drawn(made: Sequence[list[Step]], count: int) -> list[list[Step]]:
    return random.Random(0).sample(list(made), min(count, len(made)))


# -- the phone at each step of the walk --------------------------------------------------------------------------------


class WalkedPhone:
    """The phone's state at each step of a walk, rebuilt without a browser."""

    def __init__(self, folder: Path) -> None:
        request = read_object(folder / "run.json", WalkRequest, f"there is no walk in {folder}")
        self.tasks: list[Task] = walk_tasks(request)
        self.before: dict[str, Snapshot] = {}
        self.after: dict[str, Snapshot] = {}
        episode, state = "", Snapshot()
        for _, line in read_lines(folder / "steps.jsonl"):
            step = msgspec.json.decode(line, type=Step)
            if step.episode != episode:
                episode, state = step.episode, self.start(step.episode)
            self.before[step.id] = state
            state = applied(state, changes_of(step.tags))
            self.after[step.id] = state

    def start(self, episode: str) -> Snapshot:
        """The phone at the start of an episode; walks on the phone have one episode for each task."""
        number, part = episode.removeprefix("w").split("-")
        if part != "0":
            raise InputError(f"{episode} began anew: its seed is not known")
        session = self.session(int(number))
        machine = session.machine
        return clone({"front": {"app": machine.front, **machine.top}, "apps": session.state["apps"]})

    def session(self, number: int) -> Session:
        task, told = self.tasks[number], self.tasks[number].options
        options = {name: told[name] for name in ("split", "theme", "interruptions") if name in told}
        return Session.begin(task.world.partition("/")[2], task.seed, told["language"], **options)

    def machine(self, step: str, state: Snapshot) -> Machine:
        """A phone that shows what was in front at a step."""
        made = clone(self.template(int(step.removeprefix("w").split("-")[0])))
        front = {"form": {}, "args": {}, **state["front"]}
        app, entry = front.pop("app"), front
        made["apps"] = clone(state["apps"])
        nav = made["nav"]
        if app == "system":
            nav["system"] = [clone(entry)]
        else:
            nav["app"] = app
            nav["stacks"][app] = [clone(entry), clone(entry)]  # a command may close the screen
        return Machine(made, self.apps)

    @cache  # noqa: B019  (one object, for the whole run)
    def effects(self, step: str) -> list[tuple[Widget, Op, list[Change]]]:
        """What each widget in front would do at a step: a step is part of several chains."""
        return list(tried(self.machine(step, self.before[step])))

    @cache  # noqa: B019
    def title(self, step: str, after: bool) -> str:
        """The heading of the screen before or after a step."""
        return self.machine(step, (self.after if after else self.before)[step]).shown().title

    @cache  # noqa: B019
    def template(self, number: int) -> dict[str, Any]:
        session = self.session(number)
        self.apps = session.apps
        return session.state


def applied(state: Snapshot, changes: Iterable[Change]) -> Snapshot:
    """The state after changes; those of volatile data are not recorded."""
    made = clone(state)
    for path, _, after in changes:
        *way, last = path.split(".")
        place: Any = made
        for key in way:
            place = place[int(key)] if isinstance(place, list) else place.setdefault(key, {})
        if isinstance(place, list):
            place[int(last)] = after
        elif after is None:
            place.pop(last, None)
        else:
            place[last] = after
    return made


# -- is a task true? ---------------------------------------------------------------------------------------------------


def judge(text: str, steps: Sequence[Step], walked: WalkedPhone) -> tuple[bool, bool]:
    """Is every claim true; and did nothing else change for good?"""
    language: Any = steps[0].tags["language"]
    net, witness = net_of(steps), Witness(steps, walked)
    truth = task_truth(text, language, net, witness.names)
    about = all(is_same(claim.about, witness.abouts()) for claim in read_claims(text, language) if claim.about)
    right = truth.claims > 0 and truth.true == truth.claims and about
    return right, right and not truth.beside


def is_same(name: str, names: Iterable[str]) -> bool:
    return is_called(name, names)


class Witness:
    """What the phone says about the steps of one trajectory."""

    def __init__(self, steps: Sequence[Step], walked: WalkedPhone) -> None:
        self.walked = walked
        self.ids = [step.tags["walked"] for step in steps[:-1]]
        self.effects = [effect for id in self.ids for effect in walked.effects(id)]
        self.last = walked.after[self.ids[-1]]

    def names(self, change: Change) -> list[str]:
        """What the widgets are called that make this change, or that put its value into a form."""
        path, _, after = change
        if path.startswith("front."):
            return self._front()
        found = []
        for widget, op, changes in self.effects:
            made = any(leaf == path and new == after for leaf, _, new in changes)
            filled = op.kind in ("put", "pick") and op.value is not None and holds(after, op.value)
            if made or filled:
                found += texts(widget)
        return found

    def _front(self) -> list[str]:
        """What the screen in front is called at the end: by its heading, and by what leads to it."""
        app, front = self.last["front"]["app"], self.last["front"]
        found = [self.walked.title(self.ids[-1], after=True)]
        for widget, op, _ in self.effects:
            leads = op.kind in ("go", "tab") and op.name == front["screen"] and (op.app or app) == app
            if leads and all(front.get("args", {}).get(name) == value for name, value in op.args.items()):
                found += texts(widget)
        return found

    def abouts(self) -> list[str]:
        """What may be meant by the thing that something was done to: headings on the way, and the entries that the
        screens were opened for.
        """
        found = []
        for id in self.ids:
            state = self.walked.before[id]
            found.append(self.walked.title(id, after=False))
            data = state["apps"].get(state["front"]["app"], {})
            for value in state["front"].get("args", {}).values():
                for part in data.values():
                    entry = part.get(value) if isinstance(part, dict) and isinstance(value, str) else None
                    told = entry.values() if isinstance(entry, dict) else ()
                    found += [text for text in told if isinstance(text, str)]
        return found


def tried(machine: Machine) -> Iterator[tuple[Widget, Op, list[Change]]]:
    """Each widget that can be touched, what a touch is, and what it changes in the data."""
    before = lasting_data(machine.apps, machine.state)
    for widget in machine.shown().walk():
        for op in (widget.tap, widget.hold, widget.submit):
            if op is None:
                continue
            copy = Machine(clone(machine.state), machine.apps)
            try:
                copy.apply(op)
            except (KeyError, IndexError):  # it leads to a screen below, which was not recorded
                continue
            after = lasting_data(copy.apps, copy.state)
            yield widget, op, net_changes(state_changes({"apps": before}, {"apps": after}))


def texts(widget: Widget) -> list[str]:
    """By what a person may call a widget: each of its texts, and those of what it holds."""
    return [str(text) for each in widget.walk() for text in (each.text, each.sub, each.value, each.badge) if text]


def holds(value: Any, part: Any) -> bool:
    """Is a value that was put into a form in what was stored?"""
    if value == part or (isinstance(value, list) and part in value):
        return True
    return isinstance(value, str) and isinstance(part, str) and part in value


def control(made: Sequence[list[Step]], walked: WalkedPhone) -> list[tuple[list[Step], tuple[bool, bool]]]:
    """Each trajectory with the text of another one of the same app and language."""
    groups: dict[tuple[str, str], list[list[Step]]] = defaultdict(list)
    for steps in made:
        groups[steps[-1].tags.get("app", ""), steps[0].tags["language"]].append(steps)
    found = []
    for group in groups.values():
        for at, steps in enumerate(group):
            others = [each for each in group if each[0].instruction != steps[0].instruction]
            if others:
                text = others[(at * 7919) % len(others)][0].instruction
                found.append((steps, judge(text, steps, walked)))
    return found


# -- figures -----------------------------------------------------------------------------------------------------------


def report(title: str, judged: Sequence[tuple[list[Step], tuple[bool, bool]]]) -> None:
    """True, and true with nothing else changed; 95 % intervals over the walk's episodes."""
    if not judged:
        print(f"{title}: none")
        return
    clusters: dict[str, list[tuple[bool, bool]]] = defaultdict(list)
    for steps, verdict in judged:
        clusters[walk_of(steps)].append(verdict)
    asked = np.array([len(group) for group in clusters.values()], dtype=float)
    found = figures(
        {
            name: Ratio(np.array([sum(each[at] for each in group) for group in clusters.values()], dtype=float), asked)
            for at, name in enumerate(("true", "true and nothing else changed"))
        }
    )
    for name, figure in found.items():
        print(f"{title}: {name}: {figure.value:.1%} [{figure.low:.1%}, {figure.high:.1%}] of {figure.n}")


def counts(made: Path) -> None:
    """What share of transitions and chains became tasks."""
    manifest = read_object(made / "manifest.json", Manifest, f"there is no data set in {made}")
    for stage in manifest.stages:
        gone = Counter({reason: each.count for reason, each in stage.dropped.items()})
        most = dict(gone.most_common(8))
        print(f"{stage.stage}: {stage.taken} taken, {stage.made} made; dropped {most} {stage.facts}")


if __name__ == "__main__":
    try:
        sys.exit(main())
    except InputError as error:
        print(f"reverse_truth: {error}", file=sys.stderr)
        sys.exit(2)
