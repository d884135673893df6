"""Any world, seen through an element source: what its screens show is found in the picture, not read from its tree.

The agent, its prompts, its marks and its log get the source's elements. The world's teacher and its safety checks keep
the world's own: the truth of a task, and what an action would really hit, do not depend on what an agent can see.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from saccade.actions import Action
from saccade.errors import InputError
from saccade.paradigms.wording import language_of
from saccade.screens.element_source import ElementSource, elements_in_picture
from saccade.types import Element, Language, Screen
from saccade.worlds.base import CurrentTarget, LazyElements, Observation, World, check_observation
from saccade.worlds.secrets import Vault
from saccade.worlds.teachers import Lesson, Teacher

FACTS = frozenset(("name", "actions", "real", "space", "judges", "rule", "task_options", "configurable"))
"""What the world itself says of itself, at any time."""


class ElementSourceWorld(World):
    """A world whose observations have the elements of a source. `language` is that of captions; None: that of the
    instruction.
    """

    def __init__(self, world: World, source: ElementSource, language: Language | None = None) -> None:
        self.world, self.source, self.language = world, source, language
        self.own: Observation | None = None
        """What the world itself showed last."""

    def __getattribute__(self, name: str) -> Any:
        found = object.__getattribute__
        return getattr(found(self, "world"), name) if name in FACTS else found(self, name)

    def __getattr__(self, name: str) -> Any:
        """What only this kind of world has."""
        return getattr(object.__getattribute__(self, "world"), name)

    @property
    def vault(self) -> Vault:
        return self.world.vault

    @vault.setter
    def vault(self, vault: Vault) -> None:
        self.world.vault = vault

    def reset(self, seed: int | None = None, task: str | None = None) -> Observation:
        self.source.reset()
        return self._seen(self.world.reset(seed, task), "reset")

    def act(self, action: Action) -> Observation:
        return self._seen(self.world.act(action), "act")

    def resume(
        self, done: Sequence[Action], url: str = "", seed: int | None = None, task: str | None = None
    ) -> Observation:
        self.source.reset()
        return self._seen(self.world.resume(done, url, seed, task), "resume")

    def close(self) -> None:
        self.world.close()

    def current_target(self, action: Action) -> CurrentTarget | None:
        return self.world.current_target(action)

    def succeeded(self, seen: Observation) -> bool:
        return self.world.succeeded(seen)

    def configure(self, task: str, options: Mapping[str, Any]) -> None:
        self.world.configure(task, options)

    def sandbox_state(self) -> Mapping[str, Any] | None:
        return self.world.sandbox_state()

    def teacher(self, **options: Any) -> Teacher | None:
        teacher = self.world.teacher(**options)
        return None if teacher is None else TeacherOfOwnScreens(self, teacher)

    def _seen(self, own: Observation, method: str) -> Observation:
        self.own = check_observation(own, self.world, method)
        screen = own.screen
        picture = screen.picture
        if picture is None:
            raise InputError(
                f"the elements come from the picture ({self.source.name}), and the world {self.name} gives none"
            )
        language = self.language or language_of(own.instruction)

        def find() -> Sequence[Element]:
            return elements_in_picture(self.source, picture.data(), screen.size, language)

        elements = LazyElements(find)
        return replace(own, screen=Screen(screen.size, picture, elements), world_elements=screen.elements)


def seen_through(world: World, source: ElementSource | None, language: Language | None = None) -> World:
    """The world, seen through a source; without one, itself."""
    return world if source is None else ElementSourceWorld(world, source, language)


class TeacherOfOwnScreens(Teacher):
    """A world's teacher, asked about the world's own screens: it looks for its targets among the world's elements."""

    def __init__(self, world: ElementSourceWorld, teacher: Teacher) -> None:
        self.world, self.teacher = world, teacher

    def _own(self) -> Observation:
        assert self.world.own is not None, "the world was not reset yet"
        return self.world.own

    def _teach(self, seen: Observation) -> Lesson:
        return self.teacher.teach(self._own())

    def tags(self, seen: Observation) -> Mapping[str, str]:
        return self.teacher.tags(self._own())

    def acted(self, action: Action) -> None:
        self.teacher.acted(action)
