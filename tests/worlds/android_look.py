"""Small helpers of the android world's tests."""

from __future__ import annotations

import io

from fake_phone import FakePhone
from PIL import Image

from saccade.actions import Action
from saccade.types import Element
from saccade.worlds.android.world import AndroidWorld
from saccade.worlds.base import Observation

SERIAL = "emulator-5554"


def show(world: AndroidWorld, phone: FakePhone, section: str) -> Observation:
    phone.show(section)
    return world.act(Action("wait", seconds=0))


def find(observation: Observation, text: str) -> Element:
    return next(element for element in observation.screen.elements if text in (element.text, element.caption))


def picture(observation: Observation) -> Image.Image:
    assert observation.screen.picture is not None
    source = observation.screen.picture.source
    assert isinstance(source, bytes)
    return Image.open(io.BytesIO(source))
