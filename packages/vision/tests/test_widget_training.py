"""The widget network learns: assignment, loss, canvases, and the file it is written to."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from saccade_vision.element_types import TYPES  # noqa: E402
from saccade_vision.runtime import open_network  # noqa: E402
from saccade_vision.training import widget_data, widget_loss, widget_net  # noqa: E402
from saccade_vision.training.picture_changes import change_pictures  # noqa: E402
from saccade_vision.widget_boxes import decode, iou_matrix  # noqa: E402
from saccade_vision.widgets import WEIGHTS, WidgetDetector  # noqa: E402

pytestmark = pytest.mark.train
SMALL = widget_net.ChannelWidths(4, 8, 16, 16, 16, 8, 8)


def screen(elements: list[dict[str, object]], size: tuple[int, int] = (96, 64)) -> widget_data.LabelledScreen:
    pixels = np.full((size[1], size[0], 3), 255, np.uint8)
    pixels[22:28, 30:60] = 0
    return widget_data.labelled(pixels, elements)


def element(box: list[float], type: str = "button", interactive: bool = True) -> dict[str, object]:
    return {"box": box, "type": type, "interactive": interactive}


def test_texts_are_cut_to_their_ink_and_slivers_left_out() -> None:
    found = screen([element([0, 10, 96, 40], "text", False), element([0, 50, 96, 55]), element([0, 10, 96, 40])])
    assert found.boxes.tolist() == [[28.0, 20.0, 62.0, 30.0], [0.0, 10.0, 96.0, 40.0]]


def test_a_layer_hides_and_cuts_what_lies_beneath() -> None:
    canvas = widget_data.Canvas(96, 64, "cpu", random.Random(0))
    canvas.lay(
        screen([element([0, 0, 40, 20]), element([50, 0, 90, 20]), element([50, 40, 90, 60])]),
        1.0,
        (0, 0),
        (0, 0, 96, 64),
    )
    canvas.lay(screen([]), 1.0, (60, 0), (0, 0, 36, 30))
    # The second loses three quarters of itself and is dropped; the first and the third stay as they are.
    assert canvas.boxes.tolist() == [[0.0, 0.0, 40.0, 20.0], [50.0, 40.0, 90.0, 60.0]]
    canvas.lay(screen([]), 1.0, (80, 30), (0, 0, 16, 34))
    assert canvas.boxes.tolist()[1] == [50.0, 40.0, 80.0, 60.0]


def test_a_screen_is_moved_and_scaled_with_its_boxes() -> None:
    canvas = widget_data.Canvas(64, 64, "cpu", random.Random(0))
    canvas.lay(screen([element([20, 20, 60, 40])]), 0.5, (10, 10), (20, 10, 96, 64))
    assert canvas.boxes.tolist() == [[10.0, 15.0, 30.0, 25.0]]


def test_points_learn_the_box_around_them_at_the_level_of_its_short_side() -> None:
    net = widget_net.WidgetNet(SMALL)
    points = widget_loss.points_of(net(torch.zeros(1, 3, 96, 192)))
    truth = widget_data.truth_of(
        [(np.array([[8, 8, 184, 28], [16, 36, 100, 92]], np.float32), np.array([[8, 1], [0, 1]]))], "cpu"
    )
    owner, importance, target = widget_loss.assign(points, truth)
    for number, levels in ((0, {0}), (1, {1})):
        chosen = (owner[0] == number).nonzero()[:, 0]
        assert set(points.levels[chosen].tolist()) == levels
        box = truth.boxes[0, number]
        assert ((points.centres[chosen] >= box[:2]) & (points.centres[chosen] <= box[2:])).all()
    assert importance.max() == 1
    assert (target <= importance).all()


@pytest.mark.slow
def test_a_small_network_learns_a_screen_and_its_file_finds_the_same(tmp_path: Path) -> None:
    torch.manual_seed(0)
    boxes = np.array([[8, 8, 48, 32], [64, 8, 88, 32], [8, 48, 120, 72]], np.float32)
    labels = np.array([[0, 1], [10, 1], [12, 0]])
    picture = torch.ones(1, 3, 96, 128)
    for (x0, y0, x1, y1), colour in zip(boxes.astype(int).tolist(), (0.1, 0.4, 0.7), strict=True):
        picture[:, :, y0:y1, x0:x1] = torch.tensor([colour, 1 - colour, colour / 2])[:, None, None]
    net = widget_net.WidgetNet(SMALL)
    for part in net.modules():
        if isinstance(part, torch.nn.BatchNorm2d):
            part.momentum = 0.2
    truth = widget_data.truth_of([(boxes, labels)], "cpu")
    optimizer = torch.optim.Adam(net.parameters(), 1e-2, fused=True)
    losses = []
    for _ in range(200):  # with 100, processors that round otherwise are not there yet
        loss, _ = widget_loss.widget_loss(net(picture), truth)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(float(loss.detach()))
    assert losses[-1] < losses[0] / 3
    with torch.no_grad():
        found = decode([level.numpy() for level in net.eval()(picture)], 20)
    overlaps = iou_matrix(boxes, found.boxes)
    assert overlaps.max(1).min() > 0.6
    assert found.types[overlaps.argmax(1)].tolist() == [0, 10, 12]
    assert widget_net.write_onnx(net, tmp_path / "net.onnx") < 500_000
    pixels = (picture[0].permute(1, 2, 0).numpy() * 255).astype(np.uint8)
    widgets = WidgetDetector(tmp_path / "net.onnx", threads=1, backend="onnxruntime").find(pixels, 20, 0.03)
    assert len(widgets) == len(found.boxes)
    assert widgets[0].type == TYPES[found.types[0]]
    assert widgets[0].box == pytest.approx(found.boxes[0], abs=1)


def test_training_goes_on_from_the_file_that_runs() -> None:
    """The shipped network, read back, says the same, and goes on saying it with new weights: batch normalisation is in
    its convolutions, so the statistics must be kept.
    """
    net = widget_net.read_onnx(WEIGHTS)
    picture = torch.rand(1, 3, 96, 128, generator=torch.Generator().manual_seed(0))
    expected = open_network(WEIGHTS, 1, "onnxruntime")(picture.numpy())
    with torch.no_grad():
        found = [level.numpy() for level in net(picture)]
        widget_net.keep_statistics(net.train(), wanted=True)
        kept = [level.numpy() for level in net(picture)]
        moved = [level.numpy() for level in net.train()(picture)]
    for one, other, again, batch in zip(expected, found, kept, moved, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-3)
        np.testing.assert_allclose(other, again)
        assert np.abs(batch - other).max() > 0.1


def test_screens_with_rare_types_are_drawn_more_often() -> None:
    factors = widget_data.repeat_factors([{1}, {1}, {1}, {1, 2}] * 25 + [{1, 3}])
    assert factors[:3] == [1.0, 1.0, 1.0]
    assert factors[3] == pytest.approx((0.3 * 101 / 25) ** 0.5)
    assert factors[-1] == pytest.approx((0.3 * 101) ** 0.5)


def test_changed_pictures_stay_pictures() -> None:
    chance = random.Random(0)
    for _ in range(6):
        changed = change_pictures(torch.rand(3, 3, 32, 48), chance)
        assert changed.shape == (3, 3, 32, 48)
        assert 0 <= float(changed.min()) <= float(changed.max()) <= 1
