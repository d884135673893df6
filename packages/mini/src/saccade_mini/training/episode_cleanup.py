"""Episodes as they are taught, which need not be quite as they were played.

*Apps by name.* A recording may look for an icon: to the home screen, a page on, another page on, a tap. `open_app` does
the same in one action from anywhere, and is right wherever the recording says so. A small model that looks for icons
opens wrong ones where the right one is on another page; one that knows the name needs no icon.

*No endless repetition.* A model that plays may do the same on the same screen until its steps are used up. The way out
is to be learned, but not twenty times.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from saccade.actions import Action
from saccade.agents.stuck import same
from saccade.paradigms.wording import language_of
from saccade.types import Step

REPEATED = 3
"""So often the same action on the same screen is taught to be something else; an agent is stopped soon after."""


def unrepeated(steps: Sequence[Step]) -> list[Step]:
    """Without what came after an action was done again and again on a screen that did not change. Where nobody noted
    what was done, or what the screen held, nothing is known to be a repetition.
    """
    found: list[Step] = []
    times = 0
    for step in steps:
        before = found[-1] if found else None
        known = step.prediction is not None and bool(step.elements)
        again = before and known and before.prediction == step.prediction and same(before.elements, step.elements)
        times = times + 1 if again else 0
        if times <= REPEATED:
            found.append(step)
    return found


def by_name(steps: Sequence[Step]) -> list[Step]:
    """The first right step towards an app opens it; the others on the way are left out, and what was wrong stays."""
    found: list[Step] = []
    opened = ""
    for step in steps:
        action = opening(step)
        if action is None:
            opened = ""
            found.append(step)
        elif action.text != opened:
            right = step.prediction is None or step.prediction in step.truth
            opened = (action.text or "") if right else ""
            found.append(opens(step, action, right))
    return found


def opening(step: Step) -> Action | None:
    """The right action that opens an app by its name."""
    return next((action for action in step.truth if action.type == "open_app" and action.text), None)


def opens(step: Step, action: Action, right: bool) -> Step:
    """A step that teaches to open an app, and looks at nothing but its icon."""
    name = action.text or ""
    zh = language_of(step.instruction) == "zh"
    return replace(
        step,
        truth=[action],
        prediction=action if right else step.prediction,
        key_elements=[each for each in step.key_elements if each.text == name],
        thought=f"任务要用到{name}，去打开它。" if zh else f"The task needs {name}, so I open it.",
    )
