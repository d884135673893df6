"""Lines of text in a picture of a screen: `TextReader().read(image)`."""

from saccade_vision.text.reader import TextReader

__all__ = ["TextReader"]
