"""Training of the mini: its backbone for `saccade train`, its classifiers, its export to ONNX."""

from pathlib import Path

RECIPES = Path(__file__).parents[1] / "recipes"
"""The folder of its recipes, for `saccade train list`."""
