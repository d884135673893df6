"""Saccade: run, train and measure GUI agents."""

from saccade.actions import Action
from saccade.geometry import Box, Frame, Point, Size
from saccade.types import Element, Episode, Message, Picture, Screen, Step

__version__ = "0.2.0"
__all__ = ["Action", "Box", "Element", "Episode", "Frame", "Message", "Picture", "Point", "Screen", "Size", "Step"]
