"""Score step records, and compute their training reward: what `saccade score` and `saccade reward` do, as functions."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from saccade.errors import InputError
from saccade.paradigms import Paradigm, get_paradigm
from saccade.plugins import blamed
from saccade.records import parse_object, read_lines, read_step
from saccade.scoring.judge import JudgedStep, Prediction, judge_steps, prediction_of
from saccade.scoring.metrics import ScoreReport, report
from saccade.scoring.profiles import PROFILES, Profile, get_profile
from saccade.scoring.rewards import REWARDS, RewardRow
from saccade.types import Step

Steps = str | Path | Iterable[Step]
"""Step records, or a .jsonl file of them."""


class Evaluation(NamedTuple):
    """Verdicts by profile, and the profiles that could not give any, with the reason."""

    judged: list[tuple[Profile, list[JudgedStep]]]
    left_out: dict[str, str]


def score(
    steps: Steps, profile: str = "btl", *, paradigm: Paradigm | None = None, seed: int = 0
) -> dict[str, ScoreReport]:
    """Figures with 95 % intervals under one profile, several (`"btl,qwen"`), or `"all"`, by the profile's name.

    Steps have a parsed `prediction`, or a raw `output` and the name of their `paradigm`; `paradigm` reads raw outputs
    in another way (another frame of coordinates, say).

    >>> from saccade import Action, Point, Size, Step
    >>> truth, near = Action("press", key="back"), Action("press", key="home")
    >>> steps = [Step(screen=Size(1080, 2400), truth=[truth], prediction=said) for said in (truth, near)]
    >>> score(steps, "btl")["btl"].metrics["sr"].value
    0.5
    """
    records = read_steps(steps)
    found = judge_by(profile, records, predictions(records, paradigm))
    for name, reason in found.left_out.items():
        warnings.warn(f"the profile {name} is left out: {reason}", stacklevel=2)
    if not found.judged:
        raise InputError(f"there is no step that {profile} can judge")
    return {rule.name: report(judged, rule, seed) for rule, judged in found.judged}


def reward(steps: Steps, paradigm: str | Paradigm = "btl", **options: Any) -> list[dict[str, float]]:
    """A paper's training reward of each raw `output`: its parts, and their `total`. Options are those of the reward's
    class, such as `weights` (btl), `alpha1` (uiloop) and `profile` by its name.

    >>> from saccade import Action, Size, Step
    >>> answer = '<blink>None</blink><think>go back</think><link>{"Plan": "", "Action": {"function": "Back"}}</link>'
    >>> back = Action("press", key="back")
    >>> reward([Step(screen=Size(1080, 2400), truth=[back], key_elements=[], output=answer)], "btl")
    [{'format': 1.0, 'blink': 1.0, 'link': 1.0, 'total': 3.0}]
    """
    form = get_paradigm(paradigm) if isinstance(paradigm, str) else paradigm
    if isinstance(options.get("profile"), str):
        options["profile"] = get_profile(options["profile"])
    kind = REWARDS.get(form.name)
    try:
        chosen = kind(paradigm=form, **options)  # type: ignore[call-arg]
    except TypeError as error:
        raise InputError(f"the {form.name} reward: {error}") from None
    records = read_steps(steps)
    for step in records:
        if step.output is None:
            raise InputError(f"step {step.id}: output: missing, so there is nothing to reward")
    parts = [chosen.parts(RewardRow.of_step(step)) for step in records]
    return [{**each, "total": chosen.total(each)} for each in parts]


def read_steps(steps: Steps) -> list[Step]:
    """All records, each with a truth; a bad line is named with its file and number."""
    if not isinstance(steps, str | Path):
        return [step for step in steps if _known(step, f"step {step.id}")]
    file, found = Path(steps), []
    for number, line in read_lines(file):
        try:
            step = read_step(parse_object(line))
        except ValueError as error:
            raise InputError(f"{file}:{number}: {error}") from None
        step.id = step.id or f"line-{number}"
        if _known(step, f"{file}:{number}"):
            found.append(step)
    return found


def _known(step: Step, where: str) -> bool:
    if not step.truth:
        raise InputError(f"{where}: truth: there must be at least one valid action")
    return True


def predictions(steps: Sequence[Step], paradigm: Paradigm | None = None) -> list[Prediction]:
    """Predictions as recorded, or read from the raw outputs: by `paradigm`, else by the one that the step names."""
    forms: dict[str, Paradigm] = {}
    found = []
    for step in steps:
        form = paradigm
        if form is None and step.prediction is None and step.output is not None:
            if not step.paradigm:
                raise InputError(f"step {step.id}: paradigm: missing, so its raw output cannot be read")
            form = forms.setdefault(step.paradigm, get_paradigm(step.paradigm))
        found.append(prediction_of(step, form))
    return found


def chosen_profiles(names: str) -> list[str]:
    """One profile, several with commas, or `all`, as a list of different names."""
    chosen = PROFILES.names() if names == "all" else [name.strip() for name in names.split(",") if name.strip()]
    if not chosen:
        raise InputError(f"there is no profile in {names!r}: use one of {', '.join(PROFILES.names())}, or all")
    return list(dict.fromkeys(chosen))


def judge_by(names: str, steps: Sequence[Step], given: Sequence[Prediction]) -> Evaluation:
    """Verdicts under one profile, several with commas, or `all`. A profile that is asked for by name must work; of all,
    a plug-in's that does not is left out and named, and does not keep the others from judging.
    """
    plugged = PROFILES.plugged() if names == "all" else []
    found, left_out = [], {}
    for name in chosen_profiles(names):
        try:
            profile = get_profile(name)
            judged = judge_steps(steps, given, profile)
        except Exception as error:
            if name not in plugged:
                raise
            left_out[name] = str(blamed(error) or error)
            continue
        if judged:
            found.append((profile, judged))
    return Evaluation(found, left_out)
