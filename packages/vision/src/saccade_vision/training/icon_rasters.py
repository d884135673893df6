"""Draw the icons of seven npm packages as 64-pixel masks, labelled with the meanings of `meanings.json`.

    npm install --prefix CACHE lucide-static @tabler/icons @mdi/svg @phosphor-icons/core bootstrap-icons \
        @fortawesome/fontawesome-free remixicon
    python -m saccade_vision.training.icon_rasters --packages CACHE/node_modules --out icons.npz

The file holds, for each picture, its opacity (64 x 64 pixels of 16 levels, two in a byte), its package, its name and
its meaning. The meaning is `NO_MEANING` for icons that no meaning names and `LETTERS` for letters and words, which
teach the network to answer "unknown". Icons whose name only adds something to a named one (`bell-dot` to `bell`) may
or may not keep the meaning and are left out.
"""

import argparse
import json
import random
import re
from pathlib import Path
from typing import Any

import numpy as np

SIZE = 64
NO_MEANING = -1
LETTERS = -2
MEANINGS = Path(__file__).parents[1] / "meanings.json"

# package: (folder of drawings, what a file's name has beyond the icon's name)
PACKAGES = {
    "lucide-static": ("icons", r"$"),
    "@tabler/icons": ("icons", r"$"),
    "@mdi/svg": ("svg", r"$"),
    "@phosphor-icons/core": ("assets", r"-(bold|duotone|fill|light|thin)$"),
    "bootstrap-icons": ("icons", r"$"),
    "@fortawesome/fontawesome-free": ("svgs", r"$"),
    "remixicon": ("icons", r"-(line|fill)$"),
}
# The split, fixed before the first training: learned from, chosen on, and measured once.
TRAIN = ("lucide-static", "@tabler/icons", "@mdi/svg", "@fortawesome/fontawesome-free", "remixicon")
CHOOSE = "bootstrap-icons"
REPORT = "@phosphor-icons/core"
# Letters that are themselves icons of a meaning: bold, italic, close, parking and the like.
LETTERS_WITH_MEANING = set("ABHIPSTUXabhipstuxQqOolVv")


def icon_files(packages: Path) -> dict[str, dict[str, list[Path]]]:
    """For each package the drawings of each icon name: outline and filled, several weights."""
    found: dict[str, dict[str, list[Path]]] = {}
    for package, (folder, variant) in PACKAGES.items():
        names: dict[str, list[Path]] = {}
        for file in sorted((packages / package / folder).rglob("*.svg")):
            names.setdefault(re.sub(variant, "", file.stem), []).append(file)
        if not names:
            raise SystemExit(f"No icons in {packages / package / folder}. Install the packages with npm first.")
        found[package] = names
    return found


def check(meanings: list[dict[str, Any]], files: dict[str, dict[str, list[Path]]]) -> list[str]:
    """What is wrong with the table: names that do not exist, icons with two meanings."""
    wrong = []
    owner: dict[tuple[str, str], str] = {}
    for meaning in meanings:
        for package, names in meaning["icons"].items():
            for name in names:
                if name.startswith("!"):
                    if not any(file.stem == name[1:] for drawings in files[package].values() for file in drawings):
                        wrong.append(f"{meaning['key']}: {package} has no drawing {name[1:]}")
                    continue
                if name not in files[package]:
                    wrong.append(f"{meaning['key']}: {package} has no icon {name}")
                other = owner.setdefault((package, name), meaning["key"])
                if other != meaning["key"]:
                    wrong.append(f"{package} {name} means {other} and {meaning['key']}")
    return wrong


def labelled(meanings: list[dict[str, Any]], files: dict[str, dict[str, list[Path]]]) -> list[tuple[str, int, Path]]:
    """(package, meaning, drawing) for each drawing that is used, in a fixed order."""
    chosen = []
    for package, names in files.items():
        label = {}
        dropped = set()
        for number, meaning in enumerate(meanings):
            for name in meaning["icons"].get(package, []):
                if name.startswith("!"):
                    dropped.add(name[1:])
                else:
                    label[name] = number
        for name, drawings in names.items():
            parts = name.split("-")
            extends = any("-".join(parts[:end]) in label for end in range(1, len(parts)))
            contains = any("-".join(parts[start:]) in label for start in range(1, len(parts)))
            if name not in label and (extends or contains):
                continue
            for file in drawings:
                if file.stem not in dropped:
                    chosen.append((package, label.get(name, NO_MEANING), file))
    return chosen


def draw_svg(source: str) -> np.ndarray:
    """The opacity of a drawing, fitted into a square of SIZE pixels."""
    import skia  # noqa: PLC0415  (only where icons are drawn)

    root = re.search(r"<svg\b[^>]*>", source, re.DOTALL)
    if root is None:
        raise ValueError("not an SVG drawing")
    sized = re.sub(r'\s(width|height)="[^"]*"', "", root.group()).replace(
        "<svg", f'<svg width="{SIZE}" height="{SIZE}"', 1
    )
    text = source.replace(root.group(), sized, 1).replace("currentColor", "#000")
    drawing = skia.SVGDOM.MakeFromStream(skia.MemoryStream(text.encode(), True))
    return _opacity(drawing.render)


def draw_text(text: str, family: str) -> np.ndarray:
    """The opacity of a word in the middle of the square."""
    import skia  # noqa: PLC0415

    font = skia.Font(skia.Typeface(family), 60 if len(text) == 1 else 100 / len(text) ** 0.8)
    bounds = skia.Rect()
    font.measureText(text, skia.TextEncoding.kUTF8, bounds)
    x, y = SIZE / 2 - bounds.centerX(), SIZE / 2 - bounds.centerY()
    return _opacity(lambda canvas: canvas.drawString(text, x, y, font, skia.Paint(AntiAlias=True)))


def _opacity(paint: Any) -> np.ndarray:
    import skia  # noqa: PLC0415

    surface = skia.Surface(SIZE, SIZE)
    with surface as canvas:
        canvas.clear(skia.ColorTRANSPARENT)
        paint(canvas)
    return np.asarray(surface.makeImageSnapshot().toarray()[:, :, 3])


def words(count: int, seed: int = 0) -> list[tuple[str, str]]:
    """Letters, digits, short words and Chinese characters that are no icon, each with a font family."""
    source = random.Random(seed)
    letters = [letter for letter in "CDEFGJKLMNRWYZcdefgjkmnrwyz0123456789" if letter not in LETTERS_WITH_MEANING]
    every = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
    chinese = [chr(code) for code in range(0x4E00, 0x9FA0)]
    made = []
    for number in range(count):
        if number % 3 == 0:
            text = source.choice(letters)
        elif number % 3 == 1:
            text = "".join(source.choices(every, k=source.randint(2, 6)))
        else:
            text = "".join(source.choices(chinese, k=source.randint(1, 4)))
        latin = ["Liberation Sans", "DejaVu Sans", "Liberation Serif", "Liberation Mono"]
        made.append((text, "Noto Sans CJK SC" if number % 3 == 2 else source.choice(latin)))
    return made


def pack(mask: np.ndarray) -> np.ndarray:
    """Opacity in 16 levels, two pixels in a byte: the file becomes a third of its size."""
    levels = ((mask.astype(np.uint16) * 15 + 127) // 255).astype(np.uint8).reshape(-1, 2)
    return levels[:, 0] << 4 | levels[:, 1]


def unpack(packed: np.ndarray) -> np.ndarray:
    """Packed masks (count x bytes) as opacities 0 to 255 (count x SIZE x SIZE)."""
    levels = np.stack([packed >> 4, packed & 15], axis=-1)
    return np.asarray((levels * np.uint8(17)).reshape(-1, SIZE, SIZE))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--packages", type=Path, required=True, help="the folder node_modules of the npm packages")
    parser.add_argument("--out", type=Path, required=True, help="the .npz file to write")
    parser.add_argument("--words", type=int, default=1500, help="how many letters and words are drawn as unknown")
    given = parser.parse_args()
    meanings = json.loads(MEANINGS.read_text(encoding="utf-8"))
    files = icon_files(given.packages)
    wrong = check(meanings, files)
    if wrong:
        raise SystemExit("meanings.json is wrong:\n" + "\n".join(wrong))
    masks, labels, packages, names = [], [], [], []
    order = list(PACKAGES)
    for package, label, file in labelled(meanings, files):
        # Phosphor draws each icon in six weights: two are enough of those that mean nothing here.
        if label == NO_MEANING and file.stem.endswith(("-bold", "-duotone", "-light", "-thin")):
            continue
        mask = draw_svg(file.read_text(encoding="utf-8"))
        if mask.max() == 0:
            continue
        masks.append(pack(mask))
        labels.append(label)
        packages.append(order.index(package))
        names.append(f"{file.parent.name}/{file.stem}")
    for text, family in words(given.words):
        masks.append(pack(draw_text(text, family)))
        labels.append(LETTERS)
        packages.append(-1)
        names.append(text)
    np.savez_compressed(
        given.out,
        masks=np.stack(masks),
        labels=np.array(labels, np.int16),
        packages=np.array(packages, np.int8),
        names=np.array(names),
        keys=np.array([meaning["key"] for meaning in meanings]),
        package_names=np.array(order),
    )
    counts = {name: int((np.array(packages) == number).sum()) for number, name in enumerate(order)}
    named = int((np.array(labels) >= 0).sum())
    print(f"{len(masks)} pictures, {named} of them of {len(meanings)} meanings; {counts}")


if __name__ == "__main__":
    main()
