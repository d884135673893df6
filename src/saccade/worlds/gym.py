"""Adapter: any world as a `gymnasium.Env`."""

from __future__ import annotations

import string
from typing import Any

import numpy as np

from saccade.actions import DIRECTIONS, FIELDS, Action, ActionType
from saccade.errors import MissingError
from saccade.geometry import Point, Size
from saccade.types import Picture
from saccade.untrusted import read_picture
from saccade.worlds.base import Observation, World

try:
    import gymnasium
    import PIL  # noqa: F401  (pictures are read with it)
    from gymnasium import spaces
except ImportError as error:  # pragma: no cover
    raise MissingError("the gymnasium adapter needs: pip install gymnasium pillow") from error

KEYS = ("back", "enter", "tab", "escape", "backspace")
MOST_TEXT = 64


class WorldEnv(gymnasium.Env[dict[str, Any], dict[str, Any]]):
    """Observations are screenshots; elements, address, error and events are in `info`. Points in actions are shares of
    the screen. An episode ends when the world is done, or when the agent answers or terminates.
    """

    metadata = {"render_modes": ["rgb_array"]}  # noqa: RUF012  (gymnasium's own form)

    def __init__(self, world: World, task: str | None = None, types: tuple[ActionType, ...] = ()) -> None:
        self.world = world
        self.task = task
        self.types = types or tuple(sorted(world.actions - {"open_app", "open_url", "wait"}))
        self.render_mode = "rgb_array"
        self._image: np.ndarray[Any, Any] | None = None
        self._size = world.reset(task=task).screen.size
        place = spaces.Box(0.0, 1.0, (2,), np.float32)
        self.observation_space = spaces.Dict(
            {"image": spaces.Box(0, 255, (self._size.height, self._size.width, 3), np.uint8)}
        )
        self.action_space = spaces.Dict(
            {
                "type": spaces.Discrete(len(self.types)),
                "point": place,
                "end": place,
                "direction": spaces.Discrete(len(DIRECTIONS)),
                "key": spaces.Discrete(len(KEYS)),
                "text": spaces.Text(MOST_TEXT, min_length=0, charset=string.printable + "你好世界"),
            }
        )

    def action(self, values: dict[str, Any]) -> Action:
        """The canonical action for a sample of the action space."""
        type = self.types[int(values["type"])]
        fields: dict[str, Any] = {
            "point": _pixels(values["point"], self._size),
            "start": _pixels(values["point"], self._size),
            "end": _pixels(values["end"], self._size),
            "direction": DIRECTIONS[int(values["direction"])],
            "key": KEYS[int(values["key"])],
            "text": str(values["text"]),
            "status": "success",
        }
        return Action(type, **{name: fields[name] for name in FIELDS[type].required})

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        super().reset(seed=seed)
        return self._see(self.world.reset(seed, (options or {}).get("task", self.task)))

    def step(self, action: dict[str, Any]) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        chosen = self.action(action)
        observation = self.world.act(chosen)
        seen, info = self._see(observation)
        ended = observation.done or chosen.type in ("answer", "terminate")
        return seen, float(observation.reward), ended, False, info

    def _see(self, observation: Observation) -> tuple[dict[str, Any], dict[str, Any]]:
        picture = observation.screen.picture
        self._image = pixels(picture, self._size) if picture else np.zeros((*self._size[::-1], 3), np.uint8)
        info = {
            "screen": observation.screen,
            "url": observation.url,
            "app": observation.app,
            "error": observation.error,
            "events": observation.events,
        }
        return {"image": self._image}, info

    def render(self) -> np.ndarray[Any, Any] | None:
        return self._image

    def close(self) -> None:
        self.world.close()


def pixels(picture: Picture, size: Size) -> np.ndarray[Any, Any]:
    """The picture as height × width × RGB; one of another size (a rotated phone) is resized."""
    fitted = read_picture(picture.data()).convert("RGB")
    return np.asarray(fitted if fitted.size == size else fitted.resize(size), dtype=np.uint8)


def _pixels(place: Any, size: Size) -> Point:
    x, y = (min(max(float(value), 0.0), 1.0) for value in place)
    return Point(round(x * (size.width - 1)), round(y * (size.height - 1)))
