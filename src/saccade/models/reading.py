"""From messages to what a vision-language model is given, the same at inference and in training: text by the chat
template, pictures in whole vision tokens, and no way for a text to pass for more than text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import jinja2
from PIL import Image

from saccade.errors import InputError
from saccade.geometry import Size, smart_resize
from saccade.models.pictures import image_of
from saccade.types import Message, Picture

_TEMPLATE_ERRORS = (
    *(jinja2.TemplateError, ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError),
    MemoryError,
)
"""A chat template is a program of its makers, which runs in a sandbox, and may do anything wrong there."""


class Reader:
    """A processor of transformers, for messages."""

    def __init__(self, name: str, processor: Any, most_tokens: int) -> None:
        self.name = name
        self.processor = processor
        self.most_tokens = most_tokens
        eyes = processor.image_processor
        self.factor: int | None = eyes.patch_size * eyes.merge_size if hasattr(eyes, "merge_size") else None
        """Pixels of a vision token's side, in models that take any size; others resize as they were taught."""
        special = {token.content for token in processor.tokenizer.added_tokens_decoder.values() if token.special}
        self._special = re.compile("|".join(map(re.escape, sorted(special, key=len, reverse=True))) or "(?!)")

    def read(self, messages: Sequence[Message]) -> Any:
        """The chat template's text, tokens and patches, up to where the answer begins."""
        try:
            text = self.processor.apply_chat_template(self.chat(messages), add_generation_prompt=True)
            eyes = {} if self.factor is None else {"images_kwargs": {"do_resize": False}}
            inputs = self.processor(text=[text], images=self.images(messages) or None, return_tensors="pt", **eyes)
        except _TEMPLATE_ERRORS as error:
            raise InputError(f"{self.name} cannot be given these messages: {error}") from None
        read = inputs["input_ids"].shape[1]
        if read >= self.most_tokens:
            raise InputError(
                f"the prompt has {read:,} tokens and {self.name} reads {self.most_tokens:,}: "
                "show fewer or smaller pictures, or less history"
            )
        return inputs

    def chat(self, messages: Sequence[Message]) -> list[dict[str, Any]]:
        """As chat templates take it; pictures are only marked."""
        return [{"role": each.role, "content": [self.part(part) for part in each.content]} for each in messages]

    def images(self, messages: Sequence[Message]) -> list[Image.Image]:
        return [self.fit(image_of(part)) for each in messages for part in each.content if isinstance(part, Picture)]

    def part(self, part: str | Picture) -> dict[str, str]:
        return {"type": "image"} if isinstance(part, Picture) else {"type": "text", "text": self.plain(part)}

    def plain(self, text: str) -> str:
        """Text stays text: what a screen says must not end the turn or pass for a picture."""
        return self._special.sub(lambda found: f"{found[0][0]} {found[0][1:]}", text)

    def fit(self, image: Image.Image) -> Image.Image:
        """Pictures come at the size at which they are to be seen; only one that is not made of whole vision tokens
        is brought to the nearest size that is.
        """
        if self.factor is None:
            return image
        size = self.whole(Size(*image.size), self.factor)
        return image if image.size == size else image.resize(size, Image.Resampling.BICUBIC)

    def whole(self, size: Size, factor: int) -> Size:
        try:
            return smart_resize(size, factor, min_pixels=0, max_pixels=2**62)
        except ValueError as error:
            raise InputError(f"a picture for {self.name}: {error}") from None
