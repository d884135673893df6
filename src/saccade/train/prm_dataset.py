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
from saccade.agents.loop_detector import same_action
from saccade.agents.prm_prompt import RewardPrompt
from saccade.data.recorded_episodes import RecordedEpisode
from saccade.data.training_rows import plausible
from saccade.errors import InputError
from saccade.paradigms import PARADIGMS, get_paradigm
from saccade.paradigms.wording import in_words, language_of
from saccade.scoring.profiles import MatchContext, Profile, get_profile
from saccade.train.backbone import Backbone
from saccade.train.recipe import Recipe
from saccade.types import Message, Picture, Screen, Step

OTHER_MOVES = (
    Action("press", key="back"),
    Action("terminate", status="success"),
    Action("terminate", status="failure"),
    *(Action("swipe", direction=direction) for direction in ("up", "down")),
)
"""What agents do too early or too late, besides tapping the wrong element."""
OTHER_MOVE_SHARE = 0.3
"""How often a drawn wrong action is one of those, or an action of another step."""


class LabelledAction(NamedTuple):
    """One training sample. Its prompt is long, and is written only when somebody asks for it."""

    group: str
    """Actions of the same step are one group: they are compared with each other."""
    prompt: RewardPrompt
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
        return self.prompt.messages(step.instruction, self.past, screen, self.action, step.step_instruction)

    @property
    def answer(self) -> str:
        return self.prompt.answer(self.step.instruction, self.step.view, self.action)


def label_actions(
    step: Step, profile: Profile, negatives: int, chance: random.Random, others: Sequence[Action] = ()
) -> list[tuple[Action, float]]:
    """The actions of a step with their labels: all that are right, what was done, what else a model proposed, and
    wrong ones that are drawn. `others` are what other steps of the episode do.
    """
    context = MatchContext(step.screen, step.elements, step.grounding)
    found = [(action, 1.0) for action in dict.fromkeys(replace(each, box=None) for each in step.truth)]
    played = [step.prediction] if step.prediction is not None else []
    for action in (*played, *proposed_actions(step)):
        found.append((action, float(profile.judge(action, step.truth, context).right)))
    found = [each for at, each in enumerate(found) if not _known(each[0], found[:at], step)]
    wanted = len(found) + negatives
    for action in wrong_actions(step, others, chance):
        if len(found) == wanted:
            break
        if not _known(action, found, step) and not profile.judge(action, step.truth, context).right:
            found.append((action, 0.0))
    return found


def proposed_actions(step: Step) -> list[Action]:
    """What a model that played proposed at this step, where its format names several candidates: these near misses are
    what a reward model will have to judge.
    """
    if not step.output or step.paradigm not in PARADIGMS.names() or not get_paradigm(step.paradigm).candidates:
        return []
    return [each.action for each in get_paradigm(step.paradigm).parse(step.output, step.view).reply.candidates]


def _known(action: Action, found: Sequence[tuple[Action, float]], step: Step) -> bool:
    """Is it there already? Actions that `Guide` would merge count as one."""
    return any(same_action(action, other, step.view) for other, _ in found)


def wrong_actions(step: Step, others: Sequence[Action], chance: random.Random) -> Iterator[Action]:
    """Actions to draw negatives from: where a text is right, another text; then taps, on the most plausible elements
    first, mixed with other moves. Every kind of action that is right somewhere must be wrong somewhere, or the kind
    alone would give the label away.
    """
    taps = [Action("click", each.center) for each in plausible(step, {truth.box for truth in step.truth}, chance)]
    moves = [*OTHER_MOVES, *(replace(each, box=None) for each in others if each.point is None)]
    chance.shuffle(moves)
    written = next((truth for truth in step.truth if truth.text is not None), None)
    able = [each for each in step.elements if each.interactive or (written and written.type != "open_app")]
    texts = [each.text for each in able if written and each.text and each.text != written.text]
    if written and texts:  # the wrong app or the wrong words come nearest to what is right
        yield replace(written, text=chance.choice(texts), box=None)
    while taps or moves:
        yield moves.pop(0) if moves and (not taps or chance.random() < OTHER_MOVE_SHARE) else taps.pop(0)


def histories(steps: Sequence[Step], summarised: bool) -> Iterator[str]:
    """h_t at each step, as `Case.summary` has it: the running summary if the model is told one, else what was done."""
    lines: list[str] = []
    for step in steps:
        yield (step.summary or step.context or "; ".join(step.history or lines)) if summarised else "; ".join(lines)
        action = step.prediction or (plainest(step.truth) if step.truth else None)
        if action is not None:
            lines.append(in_words(action, step.view, language_of(step.instruction)))


def labelled_actions(
    episode: RecordedEpisode, backbone: Backbone, recipe: Recipe, name: str, left_out: Counter[str]
) -> Iterator[LabelledAction]:
    """The samples of an episode. Steps without a known right action give none."""
    profile, chance = get_profile(recipe.prm.profile), random.Random(f"{recipe.seed}/{name}")
    prompt = backbone.reward_prompt(recipe)
    steps = backbone.retell(episode.steps, recipe, chance)
    for at, (step, past) in enumerate(zip(steps, histories(steps, prompt.summarised), strict=True)):
        others = [action for other in steps if other is not step for action in other.truth]
        found = label_actions(step, profile, recipe.prm.negatives, chance, others) if step.truth else []
        if found and not visible(step, episode.folder, prompt):
            left_out["without a screenshot (elements: parsed would tell the elements instead)"] += len(found)
            continue
        for action, label in found:
            yield LabelledAction(f"{name}/{at}", prompt, step, past, episode.folder, action, label)


def visible(step: Step, folder: Path, prompt: RewardPrompt) -> bool:
    """Is the model shown or told what is on this screen?"""
    if prompt.pixels and step.image and not (folder / step.image).is_file():
        raise InputError(f"there is no image {folder / step.image}, which step {step.id} names")
    return bool(step.image) or prompt.told
