"""Pictures of a batch are cut into patches once, however many answers look at them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from saccade.models.torch_support import libraries


class DistinctImageProcessor:
    """An image processor of transformers for batches in which the same picture object comes several times: GRPO asks
    each row `generations` times, and cutting a screenshot into patches takes a CPU longer than a GPU needs for the row.

    TRL wants the patches of a batch twice, to sample and to train; those of the last batch are kept for that. What is
    repeated is repeated on `device`: 256 screenshots of half a million pixels are 3 GB.
    """

    def __init__(self, processor: Any, device: Any) -> None:
        self.processor, self.device = processor, device
        self.known: dict[int, tuple[Any, Any, Any]] = {}
        """Pictures of the last batch by their `id`, each with its patches and the shape in which they lie."""

    def __call__(self, images: Any, *given: Any, **rest: Any) -> Any:
        torch, transformers = libraries()
        pictures = list(flat(images))
        distinct = {id(picture): picture for picture in pictures}
        if len(distinct) == len(pictures):
            return self.processor(images, *given, **rest)
        self.known = {key: each for key, each in self.known.items() if key in distinct}
        new = [picture for key, picture in distinct.items() if key not in self.known]
        if new:
            found = self.processor(new, *given, **rest)
            grids = torch.as_tensor(found["image_grid_thw"])
            patches = torch.as_tensor(found["pixel_values"]).to(self.device).split(grids.prod(-1).tolist())
            self.known |= {id(each[0]): each for each in zip(new, patches, grids, strict=True)}
        whole = [self.known[id(picture)] for picture in pictures]
        return transformers.BatchFeature(
            {
                "pixel_values": torch.cat([patches for _, patches, _ in whole]),
                "image_grid_thw": torch.stack([grid for _, _, grid in whole]),
            }
        )

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["processor"], name)


def flat(images: Any) -> Iterator[Any]:
    """The pictures of a list, or of a list of lists."""
    if isinstance(images, list | tuple):
        for each in images:
            yield from flat(each)
    elif images is not None:
        yield images
