"""What a process reward model learns from: actions on a screen, each right or wrong (GuidNav §3.2).

y_t is 1 for what demonstrations do, and 1 or 0 for what self-play did or proposed, by a match profile. Demonstrations
alone are all 1, and teach nothing: wrong actions are drawn on the same screens, labelled 0.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from saccade.actions import Action, plainest
from saccade.agents.prm_prompt import Asking
from saccade.agents.stuck import alike
from saccade.errors import InputError
from saccade.paradigms import PARADIGMS, get_paradigm
from saccade.paradigms.wording import in_words, language_of
from saccade.scoring.profiles import MatchContext, Profile, get_profile
from saccade.train.recipe import Recipe
from saccade.train.rows import plausible
from saccade.train.samples import Recorded, retold
from saccade.types import Message, Picture, Screen, Step
from saccade_mini.training.hard_negatives import misread, tempted

MOVES = (
    Action("press", key="back"),
    Action("terminate", status="success"),
    Action("terminate", status="failure"),
    *(Action("swipe", direction=direction) for direction in ("up", "down")),
)
OTHERWISE = 0.3
"""How often a wrong action is no tap on another element, but something else that agents do too early or too late."""


class Judged(NamedTuple):
    """One training sample. Its words are written when somebody asks for them: they are long."""

    group: str
    """Candidates of the same step stand against each other."""
    asking: Asking
    step: Step
    past: str
    """h_t in words."""
    folder: Path
    """Where images are named from."""
    action: Action
    label: float

    @property
    def messages(self) -> list[Message]:
        step = self.step
        picture = Picture(str(self.folder / step.image), step.screen) if step.image else None
        screen = Screen(step.screen, picture, step.elements)
        return self.asking.messages(step.instruction, self.past, screen, self.action, step.step_instruction)

    @property
    def answer(self) -> str:
        return self.asking.answer(self.step.instruction, self.step.view, self.action)


def labelled(step: Step, profile: Profile, negatives: int, chance: random.Random, others: Sequence[Action] = (),
             tempting: Sequence[Action] = ()) -> list[tuple[Action, float]]:  # fmt: skip
    """The actions of a step with their labels: all that are right, what was done, what else a model had in mind, and
    wrong ones, those that tempt and then drawn ones. `others` are what other steps of the episode do.
    """
    scene = MatchContext(step.screen, step.elements, step.grounding)
    found = [(action, 1.0) for action in dict.fromkeys(replace(each, box=None) for each in step.truth)]
    played = [step.prediction] if step.prediction is not None else []
    for action in (*played, *candidates(step)):
        found.append((action, float(profile.judge(action, step.truth, scene).right)))
    found = [each for at, each in enumerate(found) if not _known(each[0], found[:at], step)]
    wanted = len(found) + negatives
    for action in (*tempting, *wrong(step, others, chance)):
        if len(found) == wanted:
            break
        if not _known(action, found, step) and not profile.judge(action, step.truth, scene).right:
            found.append((action, 0.0))
    return found


def candidates(step: Step) -> list[Action]:
    """What a model that played proposed at this step, where its format names several: what it came near to doing is
    what a reward model will have to judge.
    """
    if not step.output or step.paradigm not in PARADIGMS.names() or not get_paradigm(step.paradigm).candidates:
        return []
    return [each.action for each in get_paradigm(step.paradigm).parse(step.output, step.view).reply.candidates]


def _known(action: Action, found: Sequence[tuple[Action, float]], step: Step) -> bool:
    """Candidates that Guide would merge are one."""
    return any(alike(action, other, step.view) for other, _ in found)


def wrong(step: Step, others: Sequence[Action], chance: random.Random) -> Iterator[Action]:
    """Actions to draw from: where words are right, other words; then taps on what looks right first, and among them
    other moves. Every kind of action that is right somewhere must be wrong somewhere, or the kind alone would give it
    away.
    """
    taps = [Action("click", each.center) for each in plausible(step, {truth.box for truth in step.truth}, chance)]
    moves = [*MOVES, *(replace(each, box=None) for each in others if each.point is None)]
    chance.shuffle(moves)
    written = next((truth for truth in step.truth if truth.text is not None), None)
    able = [each for each in step.elements if each.interactive or (written and written.type != "open_app")]
    texts = [each.text for each in able if written and each.text and each.text != written.text]
    if written and texts:  # the wrong app, or the wrong words: nothing else here is as near to what is right
        yield replace(written, text=chance.choice(texts), box=None)
    while taps or moves:
        yield moves.pop(0) if moves and (not taps or chance.random() < OTHERWISE) else taps.pop(0)


def pasts(steps: Sequence[Step], summarised: bool) -> Iterator[str]:
    """h_t at each step, as `Case.summary` tells it: the running summary, else what was done. The mini writes no summary
    for GuidNav, so its reward model is told what was done.
    """
    lines: list[str] = []
    for step in steps:
        yield (step.context or "; ".join(step.history or lines)) if summarised else "; ".join(lines)
        action = step.prediction or (plainest(step.truth) if step.truth else None)
        if action is not None:
            lines.append(in_words(action, step.view, language_of(step.instruction)))


def judged(recorded: Recorded, asking: Asking, recipe: Recipe, name: str, left_out: Counter[str]) -> Iterator[Judged]:
    """The samples of an episode. Steps without a right action are passed over: nobody can judge them."""
    profile, chance = get_profile(recipe.prm.profile), random.Random(f"{recipe.seed}/{name}")
    steps = retold(recorded.steps, recipe, chance)
    told = tempted(steps) if recipe.prm.tempting else {}
    if chance.random() < recipe.prm.misread and (other := misread(steps, chance)):
        steps = [replace(step, step_instruction=other.text) for step in steps]
        told = tempted(steps, other) if recipe.prm.tempting else {}
    for at, (step, past) in enumerate(zip(steps, pasts(steps, asking.kind != "mini"), strict=True)):
        others = [action for other in steps if other is not step for action in other.truth]
        tempting = told.get(step.id, [])[: recipe.prm.tempting + len(step.truth)]
        found = labelled(step, profile, recipe.prm.negatives, chance, others, tempting) if step.truth else []
        if found and not visible(step, recorded.folder, asking):
            left_out["without a screenshot (elements: parsed would tell the elements instead)"] += len(found)
            continue
        for action, label in found:
            yield Judged(f"{name}/{at}", asking, step, past, recorded.folder, action, label)


def visible(step: Step, folder: Path, asking: Asking) -> bool:
    """Can the model know this screen?"""
    if asking.pixels and step.image and not (folder / step.image).is_file():
        raise InputError(f"there is no image {folder / step.image}, which step {step.id} names")
    return bool(step.image) or asking.told
