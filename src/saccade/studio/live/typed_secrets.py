"""Secrets that a person types in the live screen: the world gets the text, everything else its name.

The text becomes a secret of the world's vault, bound to the place that is shown. So it is filled in only there, and the
log, the prompts and the screenshots have `{secret.typed_1}`.
"""

from __future__ import annotations

from msgspec.structs import replace

from saccade.actions import Action
from saccade.errors import InputError
from saccade.types import Element
from saccade.worlds.base import Observation, World
from saccade.worlds.secrets import LONGEST, SHORTEST, Secret, SecretError, Vault, web_place


def hide_typed(action: Action, secret: bool, seen: Observation, world: World) -> Action:
    """The action with the name of a secret in place of its text: where the person says that it is one, and where it
    goes into a password field of a real place. Raises `InputError` for what no vault takes.
    """
    if action.type != "type" or not action.text:
        return action
    if not secret and not (world.real and receives_password(action, seen)):
        return action
    if not (SHORTEST <= len(action.text) <= LONGEST and action.text.isprintable()):
        raise InputError(
            f"a secret has {SHORTEST} to {LONGEST} characters and no line break: type all of it at once, or a short "
            "code with the box “secret” cleared, outside of a password field"
        )
    known = {each.value: name for name, each in world.vault.secrets.items()}
    if (name := known.get(action.text)) is None:
        number = 1 + sum(name.startswith("typed_") for name in world.vault.secrets)
        name = f"typed_{number}"
        world.vault = Vault({**world.vault.secrets, name: Secret(action.text, place_of(seen))})
    return replace(action, text=f"{{secret.{name}}}")


def receives_password(action: Action, seen: Observation) -> bool:
    """Does the text go into a password field: the one at its point, or the one that has the focus?"""
    if action.point is not None:
        hit = seen.screen.element_at(action.point)
        return hit is not None and is_password(hit)
    focused = [element for element in seen.screen.elements if "focused" in element.state.split()]
    return any(map(is_password, focused))


def is_password(element: Element) -> bool:
    return element.type == "password"


def place_of(seen: Observation) -> str:
    """Where a secret belongs that is typed on this screen: the page's host, or the app. The world says why it refuses
    to type where there is none.
    """
    try:
        return web_place(seen.url) if seen.url else seen.app
    except SecretError:
        return ""
