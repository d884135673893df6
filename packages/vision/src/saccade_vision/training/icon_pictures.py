"""Pictures of icons for training, drawn on the accelerator: masks become crops as a screen shows them.

Each step draws its own: other sizes and places, thinner and thicker strokes, outlines of filled icons, colours and
gradients, a round or square ground behind the icon, a badge, pieces of neighbours, blur, noise, JPEG's blocks.
"""

import math

import numpy as np
import torch
from scipy import ndimage
from torch import Tensor
from torch.nn import functional

CROP = 40


def filled(masks: np.ndarray) -> np.ndarray:
    """The masks with their holes filled: the pale ground of two-tone icons."""
    return np.stack([ndimage.binary_fill_holes(mask > 100).astype(np.uint8) * 255 for mask in masks])


class IconPictures:
    """Draws batches from masks (count x 64 x 64, bytes) that stay on the device."""

    def __init__(self, masks: np.ndarray, device: str, seed: int = 0) -> None:
        self.device = device
        self.masks = torch.from_numpy(masks).to(device)
        self.grounds = torch.from_numpy(filled(masks)).to(device)
        self.random = torch.Generator(device=device).manual_seed(seed)
        self.neighbours = torch.arange(len(masks), device=device)

    def limit_neighbours(self, rows: np.ndarray) -> None:
        """Takes the pieces at the crops' edges from these masks only."""
        self.neighbours = torch.from_numpy(rows).to(self.device)

    def plain(self, chosen: Tensor, ink: float, ground: float, scale: float = 0.8) -> Tensor:
        """Icons in one grey on another, in the middle of the crop: what is measured first."""
        masks = self.masks[chosen][:, None].float() / 255
        size = round(CROP * scale)
        small = functional.interpolate(masks, size=(size, size), mode="bilinear", antialias=True, align_corners=False)
        before = (CROP - size) // 2
        opacity = functional.pad(small, (before, CROP - size - before, before, CROP - size - before))
        return (ground + (ink - ground) * opacity).expand(-1, 3, -1, -1)

    def coloured(self, chosen: Tensor) -> Tensor:
        """Icons in the middle of the crop, in colours on coloured grounds and plates."""
        colour = self._colours(len(chosen))
        picture = self._plate(self._ramp(len(chosen), colour["ground"], 0.3), colour["plate"])
        opacity = self.plain(chosen, ink=1, ground=0)
        return (picture + (colour["ink"] - picture) * opacity).clamp(0, 1)

    def draw(self, chosen: Tensor, part: Tensor | None = None) -> Tensor:
        """Crops (count x 3 x 40 x 40, 0 to 1). Where `part` is true only a corner of the icon is seen."""
        count = len(chosen)
        opacity = self._place(self._stroke(chosen), part)
        colour = self._colours(count)
        picture = self._ramp(count, colour["ground"], 0.3)
        picture = self._plate(picture, colour["plate"])
        picture = self._neighbours(picture, colour["ink"])
        ink = self._ramp(count, colour["ink"], 0.15)
        picture = picture + (ink - picture) * opacity
        picture = self._badge(picture)
        return self._damage(picture).clamp(0, 1)

    def nothing(self, count: int) -> Tensor:
        """Crops without an icon: plain grounds, soft blots and coarse noise, as photographs have them."""
        picture = self._ramp(count, self._colours(count)["ground"], 0.5)
        for cells in (3, 6, 12, 24):
            blots = torch.rand(count, 3, cells, cells, generator=self.random, device=self.device) - 0.5
            blots = functional.interpolate(blots, size=(CROP, CROP), mode="bicubic", align_corners=False)
            picture = picture + blots * self._uniform(count, 0, 1) * self._some(count, 0.6)
        edge = self._uniform(count, -1.5, 1.5)
        across, down = self._axes()
        turn = self._uniform(count, 0, math.pi)
        side = torch.sigmoid((across * turn.cos() + down * turn.sin() - edge) * 30)
        picture = picture + side * self._some(count, 0.4) * (self._uniform(count, -0.7, 0.7, channels=3))
        return self._damage(picture).clamp(0, 1)

    def _uniform(self, count: int, low: float, high: float, channels: int = 1) -> Tensor:
        return torch.rand(count, channels, 1, 1, generator=self.random, device=self.device) * (high - low) + low

    def _some(self, count: int, share: float) -> Tensor:
        """1 for this share of the pictures, 0 for the others."""
        return (self._uniform(count, 0, 1) < share).float()

    def _axes(self) -> tuple[Tensor, Tensor]:
        """Each pixel's place across and down, from -1 to 1."""
        steps = (torch.arange(CROP, device=self.device) + 0.5) / CROP * 2 - 1
        return steps.view(1, 1, 1, CROP), steps.view(1, 1, CROP, 1)

    def _stroke(self, chosen: Tensor) -> Tensor:
        """The masks with thinner or thicker strokes, as outlines, or in two tones."""
        count = len(chosen)
        mask = self.masks[chosen][:, None].float() / 255
        ground = self.grounds[chosen][:, None].float() / 255
        thick = functional.max_pool2d(mask, 3, 1, 1)
        thin = -functional.max_pool2d(-mask, 3, 1, 1)
        outline = mask - (-functional.max_pool2d(-mask, 7, 1, 3)) * 0.999
        change = self._uniform(count, -1, 1) * self._some(count, 0.6)
        # Thin strokes must not vanish: they become thinner by half a pixel at most.
        solid = (thin.amax((2, 3), keepdim=True) > 0.9).float()
        stroked = mask + change.clamp(min=0) * (thick - mask) + (-change).clamp(min=0) * (thin - mask) * solid
        # An outline only where there is an area to outline.
        area = (-functional.max_pool2d(-mask, 9, 1, 4)).amax((2, 3), keepdim=True)
        as_outline = self._some(count, 0.35) * (area > 0.8).float()
        stroked = stroked + as_outline * (outline.clamp(0, 1) - stroked)
        two_tone = self._some(count, 0.08) * self._uniform(count, 0.12, 0.35)
        return torch.maximum(stroked, ground * two_tone)

    def _place(self, mask: Tensor, part: Tensor | None) -> Tensor:
        """The mask in the crop: scaled, stretched, turned a little, shifted; sampled twice as fine for smoothness."""
        count = len(mask)
        shape = (count,)
        scale = torch.empty(shape, device=self.device).uniform_(0.48, 1.06, generator=self.random)
        shift = (1.12 - scale).clamp(0.06, 0.3)
        if part is not None:
            scale = torch.where(part, scale * 2.2, scale)
            shift = torch.where(part, scale * 0.8, shift)
        stretch = torch.empty(shape, device=self.device).uniform_(-0.08, 0.08, generator=self.random).exp()
        turn = torch.empty(shape, device=self.device).normal_(0, 0.05, generator=self.random).clamp(-0.15, 0.15)
        slant = torch.empty(shape, device=self.device).normal_(0, 0.04, generator=self.random)
        move = torch.empty((2, count), device=self.device).uniform_(-1, 1, generator=self.random) * shift
        if part is not None:
            move = torch.where(part, move.sign() * shift * (0.6 + 0.4 * move.abs() / shift), move)
        wide, high = 1 / (scale * stretch), stretch / scale
        rows = [
            torch.stack([turn.cos() * wide, (-turn.sin() + slant) * wide, -move[0] * wide], 1),
            torch.stack([turn.sin() * high, turn.cos() * high, -move[1] * high], 1),
        ]
        places = functional.affine_grid(torch.stack(rows, 1), [count, 1, CROP * 2, CROP * 2], align_corners=False)
        return functional.avg_pool2d(functional.grid_sample(mask, places, align_corners=False), 2)

    def _colours(self, count: int) -> dict[str, Tensor]:
        """Ink, ground and plate: dark on light, light on dark or two colours, far enough apart to be seen."""
        kind = self._uniform(count, 0, 1)
        grey_light = self._uniform(count, 0.85, 1) + self._uniform(count, -0.04, 0.04, 3)
        grey_dark = self._uniform(count, 0, 0.3) + self._uniform(count, -0.04, 0.04, 3)
        any_colour = self._uniform(count, 0, 1, 3)
        ground = torch.where(kind < 0.45, grey_light, torch.where(kind < 0.7, grey_dark, any_colour))
        other = torch.where(self._some(count, 0.5) > 0, self._uniform(count, 0, 1, 3), self._uniform(count, 0, 1))
        weights = torch.tensor([0.3, 0.59, 0.11], device=self.device).view(1, 3, 1, 1)
        plate = self._uniform(count, 0, 1, 3)
        plate = torch.where(self._some(count, 0.5) > 0, plate, ground + self._uniform(count, -0.12, 0.12))
        has_plate = self._some(count, 0.3)
        behind = (torch.where(has_plate > 0, plate, ground) * weights).sum(1, keepdim=True)
        away = torch.where(behind > 0.5, -1.0, 1.0)
        bright = (other * weights).sum(1, keepdim=True)
        least = self._uniform(count, 0.18, 0.7)
        # Push the ink's brightness away from what is behind it until the contrast is reached.
        short = (least - (bright - behind) * away).clamp(min=0)
        ink = (other + away * short).clamp(0, 1)
        return {"ground": ground, "ink": ink, "plate": torch.where(has_plate > 0, plate, torch.full_like(plate, -1))}

    def _ramp(self, count: int, colour: Tensor, strength: float) -> Tensor:
        """The colour, often with a gradient over the crop."""
        across, down = self._axes()
        turn = self._uniform(count, 0, 2 * math.pi)
        slope = self._uniform(count, -strength, strength, 3) * self._some(count, 0.3)
        return colour + slope * (across * turn.cos() + down * turn.sin())

    def _plate(self, picture: Tensor, plate: Tensor) -> Tensor:
        """A disc or a rounded square behind the icon, perhaps with a border."""
        count = len(picture)
        across, down = self._axes()
        power = torch.where(self._some(count, 0.5) > 0, self._uniform(count, 2, 2.2), self._uniform(count, 4, 12))
        x = (across - self._uniform(count, -0.1, 0.1)).abs() + 1e-4
        y = (down - self._uniform(count, -0.1, 0.1)).abs() + 1e-4
        far = (x**power + y**power) ** (1 / power)
        inside = torch.sigmoid((self._uniform(count, 0.8, 1.3) - far) * 40)
        return picture + (plate - picture) * inside * (plate[:, :1] >= 0).float()

    def _neighbours(self, picture: Tensor, ink: Tensor) -> Tensor:
        """Pieces of other icons or of words at the crop's edge."""
        count = len(picture)
        others = torch.randint(len(self.neighbours), (count,), generator=self.random, device=self.device)
        masks = self.masks[self.neighbours[others]][:, None].float() / 255
        angle = torch.rand(count, generator=self.random, device=self.device) * 2 * math.pi
        away = torch.empty(count, device=self.device).uniform_(1.25, 1.7, generator=self.random)
        size = torch.empty(count, device=self.device).uniform_(0.3, 0.7, generator=self.random)
        zero = torch.zeros_like(size)
        rows = [
            torch.stack([1 / size, zero, -angle.cos() * away / size], 1),
            torch.stack([zero, 1 / size, -angle.sin() * away / size], 1),
        ]
        places = functional.affine_grid(torch.stack(rows, 1), [count, 1, CROP, CROP], align_corners=False)
        opacity = functional.grid_sample(masks, places, align_corners=False) * self._some(count, 0.2)
        return picture + (ink - picture) * opacity

    def _badge(self, picture: Tensor) -> Tensor:
        """A red dot at the upper right, as for unread messages."""
        count = len(picture)
        across, down = self._axes()
        x, y = self._uniform(count, 0.35, 0.85), self._uniform(count, -0.85, -0.35)
        far = ((across - x) ** 2 + (down - y) ** 2).sqrt()
        inside = torch.sigmoid((self._uniform(count, 0.12, 0.32) - far) * 25) * self._some(count, 0.07)
        red = torch.tensor([0.93, 0.2, 0.2], device=self.device).view(1, 3, 1, 1)
        return picture + (red - picture) * inside

    def _damage(self, picture: Tensor) -> Tensor:
        """Blur, enlargement of small icons, noise and JPEG: one choice of size for the whole batch, others for each."""
        count = len(picture)
        size = int(torch.randint(14, 34, (1,), generator=self.random, device=self.device))
        small = functional.interpolate(picture, size=(size, size), mode="bilinear", antialias=True, align_corners=False)
        coarse = functional.interpolate(small, size=(CROP, CROP), mode="bicubic", align_corners=False)
        picture = picture + (coarse - picture) * self._some(count, 0.3)
        blurred = functional.avg_pool2d(picture, 3, 1, 1, count_include_pad=False)
        picture = picture + (blurred - picture) * self._some(count, 0.25) * self._uniform(count, 0, 1)
        picture = picture + (self._jpeg(picture) - picture) * self._some(count, 0.25)
        noise = torch.randn(picture.shape, generator=self.random, device=self.device)
        return picture + noise * self._some(count, 0.3) * self._uniform(count, 0, 0.06)

    def _jpeg(self, picture: Tensor) -> Tensor:
        """Rounds the cosine coefficients of blocks of 8 pixels, the higher the coarser, as JPEG does."""
        order = torch.arange(8, device=self.device, dtype=torch.float32)
        cosines = torch.cos((order[None, :] + 0.5) * order[:, None] * math.pi / 8) * 0.5
        cosines[0] *= math.sqrt(0.5)
        blocks = picture.unfold(2, 8, 8).unfold(3, 8, 8)
        found = torch.einsum("ui,bcyxij,vj->bcyxuv", cosines, blocks, cosines)
        step = self._uniform(len(picture), 0.01, 0.08)[:, :, :, :, None, None]
        step = step * (1 + (order[:, None] + order[None, :]) * 0.5)
        kept = torch.einsum("ui,bcyxuv,vj->bcyxij", cosines, (found / step).round() * step, cosines)
        return kept.permute(0, 1, 2, 4, 3, 5).reshape(picture.shape)
