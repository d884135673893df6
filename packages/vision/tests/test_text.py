"""Text from pixels: the steps around the networks with values worked out by hand, the networks on a drawn picture."""

import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image as Pictures
from PIL import ImageDraw, ImageFont

from saccade.errors import InputError, MissingError
from saccade.geometry import Box
from saccade_vision.content_memory import ContentMemory
from saccade_vision.graph_rewrites import replace_gelu, split_upsampling, whole_map
from saccade_vision.runtime import OnnxNetwork, default_backend, open_network
from saccade_vision.text import TextReader
from saccade_vision.text.detection import DetectedLine, detect, first_scale, lines_in, normalised
from saccade_vision.text.icon_separation import cut
from saccade_vision.text.line_filter import NAMES, load_filter, statistics
from saccade_vision.text.models import DETECTOR, RECOGNISER, characters, model_file
from saccade_vision.text.recognition import RecognisedText, decode, recognise
from saccade_vision.text.scripts import in_one_script
from saccade_vision.training.drawn_characters import pages
from saccade_vision.training.text_matching import compare, contains, joined, plain
from saccade_vision.training.text_screens import TrueLine
from saccade_vision.types import TextLine


@pytest.fixture(scope="module")
def reader() -> TextReader:
    return TextReader(threads=1)


@pytest.fixture(scope="module")
def picture() -> np.ndarray:
    """Two lines of text, and an icon: a ring with a handle."""
    drawn = Pictures.new("RGB", (352, 128), "white")
    pen = ImageDraw.Draw(drawn)
    pen.text((20, 12), "Settings and privacy", fill="black", font=ImageFont.load_default(26))
    pen.text((20, 76), "Wi-Fi 42", fill="#335599", font=ImageFont.load_default(26))
    pen.ellipse((290, 70, 316, 96), outline="black", width=4)
    pen.line((312, 92, 326, 106), fill="black", width=4)
    return np.asarray(drawn)


# -- the networks ------------------------------------------------------------------------------------------------------


def test_reads_lines_and_not_icons(reader: TextReader, picture: np.ndarray) -> None:
    lines = reader.read(picture)
    assert [plain(line.text) for line in lines] == ["settingsandprivacy", "wi-fi42"]
    first, second = (line.box for line in lines)
    assert first.contains(Box(25, 20, 240, 35).center)
    assert 60 < second.y0 < 85 < second.y1 < 120
    assert second.x1 < 290, "the icon is not part of the line"
    assert all(0.5 < line.confidence <= 1 for line in lines)


def test_onnxruntime_reads_the_same(picture: np.ndarray) -> None:
    boxes, readings = TextReader(threads=1, backend="onnxruntime").candidates(picture[:64])
    assert [plain(reading.text) for reading in readings] == ["settingsandprivacy"]
    assert boxes[0].score > 0.6


def test_rewritten_networks_compute_the_same(picture: np.ndarray) -> None:
    if default_backend() != "openvino":
        pytest.skip("only OpenVINO's graphs are rewritten")
    inputs = normalised(picture)[None]
    (plain_map,) = open_network(model_file(DETECTOR), 1)(inputs)
    done: list[object] = []
    rewrites = (lambda model: done.append(split_upsampling(model)), lambda model: done.append(replace_gelu(model)))
    (channels,) = open_network(model_file(DETECTOR), 1, rewrites=rewrites[:1])(inputs)
    assert channels.shape == (1, 16, 32, 88)
    assert np.abs(whole_map(channels[0]) - plain_map[0, 0]).max() < 0.02, "but for 16-bit rounding"
    (channels,) = open_network(model_file(DETECTOR), 1, rewrites=rewrites)(inputs)
    assert ((whole_map(channels[0]) > 0.3) != (plain_map[0, 0] > 0.3)).mean() < 0.01
    open_network(model_file(RECOGNISER), 1, rewrites=rewrites)
    assert done == [True, True, 13, False, 13], "the recogniser has no upsampling and is left as it is"


def test_openvino_is_opened_without_telemetry(reader: TextReader) -> None:
    assert reader.backend == default_backend()
    assert "openvino_telemetry" not in sys.modules


def test_a_blank_picture_has_no_lines(reader: TextReader) -> None:
    assert reader.read(np.full((96, 96, 3), 200, np.uint8)) == []


def test_what_is_no_picture_is_refused(reader: TextReader) -> None:
    for wrong in (np.zeros((96, 96)), np.zeros((96, 96, 4), np.uint8), np.zeros((3, 96, 3), np.uint8)):
        with pytest.raises(InputError, match="a picture must"):
            reader.read(wrong)  # type: ignore[arg-type]


def test_missing_files_and_libraries_are_named(tmp_path: Path) -> None:
    with pytest.raises(MissingError, match="there is none"):
        open_network(tmp_path / "there is none")
    with pytest.raises(MissingError, match=r"no-such-model\.onnx of rapidocr is missing"):
        model_file("no-such-model.onnx")


def test_characters_are_read_from_the_network_file() -> None:
    found = characters(model_file(RECOGNISER))
    assert len(found) == 18710
    assert (found[0], found[1], found[-1]) == ("", "!", " ")
    assert {"A", "z", "0", "中", "确"} <= set(found)
    with pytest.raises(MissingError, match="which characters"):
        characters(model_file(DETECTOR))


# -- detection ---------------------------------------------------------------------------------------------------------


def test_boxes_of_a_probability_map() -> None:
    map = np.zeros((40, 80), np.float32)
    map[10:14, 10:30] = 0.9  # a line: dilated to rows 10-14, columns 10-30 (5 high, 21 wide)
    map[30:32, 70:71] = 0.9  # too thin
    map[20:30, 40:60] = 0.35  # above the threshold of pixels, below that of boxes
    (found,) = lines_in(map)
    grow = 5 * 21 * 1.6 / (2 * (5 + 21))
    assert found.box.height - 2 * grow == pytest.approx(4)
    assert found.box.width - 2 * grow == pytest.approx(20)
    assert found.score == pytest.approx(0.9 * 4 * 20 / (5 * 21), abs=1e-5)


def test_sizes_at_which_lines_are_looked_for() -> None:
    assert first_scale(1080, 2400) == 0.4
    assert first_scale(1080, 12_000) == 0.4
    assert first_scale(1440, 2560) == 0.375
    assert first_scale(1920, 1080) == 1
    assert first_scale(270, 600) == 1.6  # a reduced picture of a phone
    assert first_scale(3840, 2160) ** 2 * 3840 * 2160 == pytest.approx(4_200_000)


def test_small_lines_are_looked_at_again() -> None:
    """A long page of a desktop: lines five pixels high in the reduced picture."""
    shapes = []

    def run(inputs: dict[str, np.ndarray]) -> list[np.ndarray]:
        height, width = inputs["x"].shape[2:]
        shapes.append((height, width))
        map = np.zeros((1, 1, height, width), np.float32)
        for row in (100, 200, 300):
            map[0, 0, row : row + 3, 50:150] = 1
        return [map]

    detect(OnnxNetwork("onnxruntime", ["x"], run), np.zeros((2000, 1000, 3), np.uint8))
    assert shapes[0] == (960, 480)
    assert len(shapes) == 2
    assert shapes[1][1] > 480


# -- recognition -------------------------------------------------------------------------------------------------------


def test_greedy_decoding() -> None:
    best, sure = [0, 1, 1, 0, 1, 2, 2, 0], np.linspace(0.3, 1, 8, dtype=np.float32)
    scores = np.zeros((8, 3), np.float32)
    scores[np.arange(8), best] = sure
    reading = decode(scores, ["", "o", "k"])
    assert reading.text == "ook"
    assert reading.confidences == pytest.approx((0.4, 0.7, 0.8))
    assert decode(np.array([[1, 0]] * 3, np.float32), ["", "a"]) == RecognisedText("", ())


def test_a_screen_is_written_in_one_script() -> None:
    """黃 (traditional) is 黄 on a screen of simplified characters, and the other way round. 喆, which names are written
    with, is in neither set, and stays.
    """
    letters = ["", "黃", "黄", "色", "设", "喆"]
    scores = np.array([[0, 0.97, 0.03, 0, 0, 0], [0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 0.001, 0.999]], np.float32)
    read = decode(scores, letters)
    assert read.text == "黃色喆" and dict(read.others) == {0: "黄"}
    simplified = in_one_script([read.text, "网络设置"], [dict(read.others), {}])
    assert simplified == ["黄色喆", "网络设置"]
    assert in_one_script([read.text, "設置臺灣"], [dict(read.others), {}]) == ["黃色喆", "設置臺灣"]
    assert in_one_script([read.text, "中文"], [dict(read.others), {}])[0] == "黃色喆", "nothing says which script it is"
    assert in_one_script([read.text, "黃灯"], [dict(read.others), {0: "黄"}]) == ["黄色喆", "黄灯"], (
        "the doubtful do not count"
    )
    turned = decode(scores[:, [0, 2, 1, 3, 4, 5]], letters)
    assert in_one_script([turned.text, "設置臺灣"], [dict(turned.others), {}])[0] == "黃色喆"


def test_lines_are_read_beside_lines_of_the_same_width_only() -> None:
    shapes = []

    def run(inputs: dict[str, np.ndarray]) -> list[np.ndarray]:
        shapes.append(inputs["x"].shape)
        output = np.zeros((inputs["x"].shape[0], 2, 2), np.float32)
        output[:, 0, 1] = 1
        output[:, 1, 0] = 1
        return [output]

    image = np.full((480, 1000, 3), 255, np.uint8)
    for top, width in ((10, 400), (110, 100), (210, 100), (310, 104)):
        image[top : top + 40, 20 : 20 + width] = 0
    boxes = [Box(2, top, 500, top + 60) for top in (0, 100, 200, 300)]
    found = recognise(OnnxNetwork("onnxruntime", ["x"], run), ["", "a"], image, [*boxes, Box(5, 5, 5, 60)])
    assert [one.text for one in found] == ["a", "a", "a", "a", ""]
    # 40 pixels and a margin of 8 on each side become 48; 116 pixels are drawn 80 wide, 120 pixels 82, 416 pixels 285
    assert shapes == [(1, 3, 48, 80), (1, 3, 48, 96), (1, 3, 48, 288)], "two lines are the same, and read once"
    shapes.clear()
    image[230, 60] = 255
    recognise(OnnxNetwork("onnxruntime", ["x"], run), ["", "a"], image, boxes)
    assert shapes == [(2, 3, 48, 80), (1, 3, 48, 96), (1, 3, 48, 288)]


def test_a_line_in_another_box_is_not_read_again(picture: np.ndarray) -> None:
    calls = []

    def run(inputs: dict[str, np.ndarray]) -> list[np.ndarray]:
        calls.append(inputs["x"].shape[0])
        return [np.ones((inputs["x"].shape[0], 1, 2), np.float32) * [0, 1]]

    network, memory = OnnxNetwork("onnxruntime", ["x"], run), ContentMemory[RecognisedText]()
    first = recognise(network, ["", "a"], picture, [Box(10, 75, 180, 111), Box(6, 77, 184, 113)], memory)
    moved = recognise(network, ["", "a"], np.roll(picture, -9, axis=0), [Box(8, 68, 182, 103)], memory)
    assert calls == [1]
    assert [one.text for one in first + moved] == ["a", "a", "a"]
    recognise(network, ["", "a"], picture, [Box(10, 75, 100, 111)], memory)
    assert calls == [1, 1], "a part of the line is another one"


def test_normalised_is_blue_green_red_around_zero() -> None:
    found = normalised(np.array([[[255, 0, 51]]], np.uint8))
    assert found[:, 0, 0] == pytest.approx([-0.6, -1, 1])


# -- icons beside lines ------------------------------------------------------------------------------------------------


def test_small_pieces_at_the_ends_of_a_line() -> None:
    image = np.full((60, 400, 3), 255, np.uint8)
    for begin, end in ((10, 40), (60, 150), (156, 200), (230, 250), (270, 290)):  # small, two near words, two small
        image[20:40, begin:end] = np.arange(end - begin)[:, None] % 2 * 200
    found = cut(image, Box(0, 0, 400, 60))
    assert found.boxes == [Box(6, 0, 44, 60), Box(56, 0, 204, 60), Box(226, 0, 254, 60), Box(266, 0, 294, 60)]
    assert (found.left, found.right) == (1, 2)
    assert found.ends == [found.boxes[0], found.boxes[3], found.boxes[2]]
    assert found.without_icons([True, True, False]) is None, "an icon between words stays"
    assert found.without_icons([False, False, True]) == Box(56, 0, 254, 60)
    assert found.without_icons([True, False, False]) == Box(6, 0, 204, 60)
    assert cut(image, Box(55, 0, 205, 60)).ends == []
    assert cut(image, Box(0, 0, 50, 60)).ends == []
    assert cut(image, Box(390, 0, 390, 60)).boxes == []


# -- the filter --------------------------------------------------------------------------------------------------------


def test_filter_keeps_words_and_drops_odd_characters() -> None:
    shipped = load_filter()
    assert len(shipped.weights) == len(shipped.mean) == len(shipped.deviation) == 2 * len(NAMES)
    image = np.full((200, 400, 3), 255, np.uint8)
    image[20:60:3, 20:200:5] = 0
    boxes = [DetectedLine(Box(10, 10, 210, 70), 0.8), DetectedLine(Box(10, 100, 70, 160), 0.55)]
    readings = [RecognisedText("Bluetooth", (0.99,) * 9), RecognisedText("凸", (0.3,))]
    word, odd = shipped.probabilities(statistics(image, boxes, readings))
    assert odd < shipped.threshold < word
    assert statistics(image, [], []).shape == (0, 2 * len(NAMES))


# -- matching with truth -----------------------------------------------------------------------------------------------


def test_matching_of_lines() -> None:
    true = [
        TrueLine("Wi-Fi", Box(0, 0, 50, 20)),
        TrueLine("On", Box(300, 0, 330, 20)),
        TrueLine("Bluetooth", Box(0, 40, 90, 60)),
        TrueLine("half covered", Box(0, 80, 90, 100), whole=False),
        TrueLine("☕", Box(0, 120, 20, 140)),
    ]
    read = [
        TextLine(Box(0, 1, 335, 21), "WiFi   On", 1),  # two lines joined
        TextLine(Box(0, 41, 40, 60), "Blue", 1),  # one line cut in two
        TextLine(Box(42, 41, 90, 60), "tooth", 1),
        TextLine(Box(0, 81, 60, 100), "half co", 1),  # not asked for
        TextLine(Box(0, 120, 22, 141), "B", 1),  # an emoji is no letter
        TextLine(Box(200, 200, 220, 220), "··", 1),  # no letter
    ]
    verdict = compare(true, read)
    assert verdict.found == [True, True, True, None]
    assert verdict.right == [True, True, True, True, False, None]
    assert compare(true[:1], []).found == [False]


def test_matching_of_texts() -> None:
    assert contains("settin9s", "settings")
    assert not contains("set", "settings")
    assert not contains("", "a")
    assert joined([(Box(50, 0, 90, 10), "b"), (Box(0, 1, 40, 11), "a"), (Box(0, 30, 9, 40), "c")]) == "abc"


def test_drawn_characters_need_a_font_with_hanzi(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has Chinese characters"):
        next(pages(1, tmp_path))
    found = next(Path("/usr/share/fonts").rglob("wqy-*.ttc"), None)
    if found is None:
        pytest.skip("no such font on this machine")
    tmp_path.joinpath(found.name).symlink_to(found)
    image, screen = next(pages(1, tmp_path, seed=3))
    assert image.shape == (2400, 1080, 3) and 30 < len(screen.lines) < 80
    for line in screen.lines:
        x0, y0, x1, y1 = map(int, line.box)
        assert 1 <= len(line.text) <= 2 and np.ptp(image[y0:y1, x0:x1]) > 60
