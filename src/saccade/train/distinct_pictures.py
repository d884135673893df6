"""Pictures of a batch are cut into patches once, however many answers look at them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from saccade.models.torch_support import libraries


class DistinctImageProcessor:
    """An image processor of transformers for batches in which the same picture object comes several times: GRPO asks
    each row `generations` times, and cutting a screenshot into patches takes a CPU longer than a GPU needs for the row.
    """

    def __init__(self, processor: Any) -> None:
        self.processor = processor

    def __call__(self, images: Any, *given: Any, **rest: Any) -> Any:
        torch, _ = libraries()
        pictures = list(flat(images))
        numbers: dict[int, int] = {}
        for picture in pictures:
            numbers.setdefault(id(picture), len(numbers))
        if len(numbers) == len(pictures):
            return self.processor(images, *given, **rest)
        distinct = list({id(picture): picture for picture in pictures}.values())
        found = self.processor(distinct, *given, **rest)
        grids = torch.as_tensor(found["image_grid_thw"])
        patches = torch.as_tensor(found["pixel_values"]).split(grids.prod(-1).tolist())
        which = [numbers[id(picture)] for picture in pictures]
        found["pixel_values"] = torch.cat([patches[at] for at in which])
        found["image_grid_thw"] = grids[which]
        return found

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["processor"], name)


def flat(images: Any) -> Iterator[Any]:
    """The pictures of a list, or of a list of lists."""
    if isinstance(images, list | tuple):
        for each in images:
            yield from flat(each)
    elif images is not None:
        yield images
