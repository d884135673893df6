"""From step records on disk to the rows of a training: read, grouped into episodes, written in the recipe's formats.

Nothing is dropped in silence: a row that a format cannot say, or that is too long, is left out and counted by its
reason; a file that cannot be read ends the reading with its name and line.
"""

from __future__ import annotations

import multiprocessing
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec
from msgspec.structs import replace as changed

from saccade.actions import Action, plainest
from saccade.errors import InputError
from saccade.models.families import Sight
from saccade.paradigms import get_paradigm
from saccade.records import parse_object, read_lines, read_step, steps_file
from saccade.train.backbone import Backbone
from saccade.train.packed import Packed, pack
from saccade.train.recipe import Recipe, Variant
from saccade.train.rows import Row, RowMaker
from saccade.types import Message, Step
from saccade_mini.training.episode_cleanup import by_name, unrepeated
from saccade_mini.training.paraphrase import about_others, in_other_words, put_plainly
from saccade_mini.training.restating import restating

FEW = 500
"""Up to so many, other processes are not worth their start."""
UNTOLD = 0.2
"""How often a task that could be is not put plainly, so that a model can do without."""
T = TypeVar("T")
_DECODER = msgspec.json.Decoder(Step)


@dataclass
class Rows:
    """What is trained on, and what is held back to measure."""

    train: Any = field(default_factory=list)
    """A list of `Row`, or of packed ones."""
    held_back: Any = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    """Tokens of each training row."""
    thinned: dict[int, list[int]] = field(default_factory=dict)
    """The same with at most so many elements, for each lesson of a curriculum."""
    restating: list[int] = field(default_factory=list)
    """Which training rows put tasks plainly."""
    left_out: Counter[str] = field(default_factory=Counter)
    """How many rows are not there, by reason."""
    too_long: list[int] = field(default_factory=list)
    """Tokens of each that was."""


class Recorded(NamedTuple):
    """An episode on disk."""

    folder: Path
    """Where its images are named from."""
    steps: list[Step]


# -- reading -----------------------------------------------------------------------------------------------------------


def record_files(paths: Iterable[str | Path]) -> list[Path]:
    """The files that are meant, all of them there; of a folder that is still being collected, the episodes so far."""
    files: list[Path] = []
    for path in map(Path, paths):
        if not path.exists():
            raise InputError(f"there is no data {path}: name a .jsonl file of step records, or a folder with one")
        parts = sorted((path / "episodes").glob("*.jsonl")) if path.is_dir() else []
        files += parts if parts and not (path / "steps.jsonl").is_file() else [steps_file(path)]
    return files


def read_episodes(paths: Iterable[str | Path]) -> Iterator[Recorded]:
    """Episodes in order of first appearance, their steps in order; a step without one is an episode of its own."""
    for file in record_files(paths):
        folder = file.parent.parent if file.parent.name == "episodes" else file.parent
        found: dict[str, list[Step]] = {}
        for number, line in read_lines(file):
            step = _step(file, number, line)
            found.setdefault(step.episode or f"\n{number}", []).append(step)
        for name, steps in found.items():
            numbers = {step.step for step in steps}
            if len(numbers) != len(steps) and numbers != {0}:
                twice = Counter(step.step for step in steps).most_common(1)[0][0]
                problem = f"{file}: step {twice} of episode {name} is there twice"
                raise InputError(f"{problem}: give each episode its own name")
            yield Recorded(folder, sorted(steps, key=lambda step: step.step))


def _step(file: Path, number: int, line: str) -> Step:
    try:
        step = _DECODER.decode(line)
    except (msgspec.MsgspecError, UnicodeEncodeError, RecursionError):
        try:
            step = read_step(parse_object(line))
        except ValueError as error:
            raise InputError(f"{file}:{number}: {error}") from None
    step.id = step.id or f"{file.stem}:{number}"
    return step


# -- writing rows ------------------------------------------------------------------------------------------------------


def read_rows(recipe: Recipe, backbone: Backbone, tell: Callable[[str], None] | None = None) -> Rows:
    """All rows of a recipe. `tell` hears what was left out, in sentences."""
    if not recipe.data:
        raise InputError("the recipe names no data: give step records with --data FILE")
    if recipe.restate and not hasattr(backbone, "restates"):
        raise InputError("only the mini puts tasks plainly: leave restate out of the recipe")
    episodes = [each for recorded in read_episodes(recipe.data) for each in cut_grounding(recorded)]
    makers = [maker_of(variant, recipe, backbone) for variant in variants_of(recipe)]
    shares = [variant.share for variant in variants_of(recipe)]
    places, held = drawn(len(episodes), recipe)
    limits = sorted({lesson.elements for lesson in recipe.curriculum if not lesson.practice})
    rows = Rows(thinned={limit: [] for limit in limits})
    packed = recipe.stage == "sft" and backbone.sight is None

    def write(at: int) -> Written:
        """An episode in all its formats, and how long each row is: all that a process is asked for at once."""
        found: list[Row] = []
        left_out: Counter[str] = Counter()
        for index in chosen(shares, places[at]):
            found += written(makers[index], episodes[at], f"{recipe.seed}/{at}/{index}", recipe, left_out)
        if recipe.restate and recipe.stage == "sft":
            first = episodes[at].steps[0]
            found += restating(first, makers[0].paradigm, recipe.restate, f"{recipe.seed}/{at}/restate")
        sizes = [sizes_of(backbone, row.messages, row.answer, limits, recipe.seed) for row in found]
        if recipe.stage == "sft":
            found = [light(row) for row in found]
        restates = [row.restates for row in found]
        return Written([pack(row) for row in found] if packed else found, sizes, restates, left_out)

    if packed:
        rows.train, rows.held_back = Packed(makers[0].paradigm), Packed(makers[0].paradigm)
    workers = recipe.workers if backbone.sight is None else 0  # a picture may be a function, which cannot be sent
    for at, made in enumerate(spread(write, len(episodes), workers)):
        rows.left_out += made.left_out
        keep_short(made, rows, recipe, held_back=at in held)
    report(rows, recipe, tell)
    return rows


class Written(NamedTuple):
    """What became of an episode."""

    rows: Sequence[Row | bytes]
    sizes: list[list[int]]
    """Of each row: tokens as it is, then at the most elements of each lesson."""
    restates: list[bool]
    left_out: Counter[str]


def light(row: Row) -> Row:
    """Without what only rewards need: most of what would be sent from process to process."""
    return row._replace(step=changed(row.step, elements=[], key_elements=[], truth=[]))


def variants_of(recipe: Recipe) -> tuple[Variant, ...]:
    return recipe.variants or (Variant(paradigm=recipe.paradigm, switches=recipe.switches),)


def maker_of(variant: Variant, recipe: Recipe, backbone: Backbone) -> RowMaker:
    """A writer of rows. A paradigm sees pictures at its own size, unless the recipe says one for all."""
    switches = dict(variant.switches)
    if isinstance(switches.get("template"), str):
        switches["template"] = Path(switches["template"])
    try:
        paradigm = get_paradigm(variant.paradigm, **switches)
    except TypeError:
        raise InputError(f"the paradigm {variant.paradigm} has no switch among {', '.join(switches)}") from None
    sight = sight_of(backbone.sight, recipe.pixels or paradigm.pixels) if backbone.sight else None
    paradigm = replace(paradigm, frame=sight.frame if sight else backbone.frame)
    if backbone.template:
        paradigm = replace(paradigm, template=backbone.template)
    return RowMaker(paradigm, sight, recipe.elements == "parsed" or sight is None, points=sight is None)


def sight_of(seen: Sight, pixels: tuple[int, int]) -> Sight:
    low, high = pixels
    frame = seen.frame
    if frame.kind == "resized":
        frame = replace(frame, min_pixels=low, max_pixels=high)
    return replace(seen, frame=frame, min_pixels=low, max_pixels=high)


def drawn(count: int, recipe: Recipe) -> tuple[list[float], set[int]]:
    """For each episode a place between 0 and 1, evenly spread; and which episodes are held back."""
    order = list(range(count))
    random.Random(f"{recipe.seed}/variants").shuffle(order)
    places = [0.0] * count
    for rank, at in enumerate(order):
        places[at] = (rank + 0.5) / count
    if not 0 <= recipe.held_back < 1:
        raise InputError(f"held_back is {recipe.held_back}: it is a share of the episodes, from 0 up to less than 1")
    many = min(count - 1, max(1, round(count * recipe.held_back))) if recipe.held_back and count else 0
    return places, set(random.Random(f"{recipe.seed}/held back").sample(range(count), many))


def chosen(shares: Sequence[float], place: float) -> Iterator[int]:
    """The variants in which an episode is written. Laid end to end around a circle of length 1, those that cover its
    place: shares that add up to 1 write each episode once, shares of 1 write it in every format.
    """
    end = 0.0
    for at, share in enumerate(shares):
        begin, end = end, end + share
        yield from [at] * sum(begin <= place + turn < end for turn in range(int(end) + 1))


def cut_grounding(recorded: Recorded) -> Iterator[Recorded]:
    """Each grounding sample stands alone: it asks for a place, not for what comes next."""
    rest = [step for step in recorded.steps if not step.grounding]
    for step in recorded.steps:
        if step.grounding:
            yield Recorded(recorded.folder, [step])
    if rest:
        yield Recorded(recorded.folder, rest)


def written(maker: RowMaker, episode: Recorded, chance: str, recipe: Recipe, left_out: Counter[str]) -> list[Row]:
    """The rows of an episode. A step that the format cannot say is passed over, but remembered."""
    paradigm = maker.paradigm
    navigates = recipe.stage == "sft" or paradigm.grounding_as_navigation
    played = unrepeated(episode.steps)
    if len(played) < len(episode.steps):
        left_out["the same was done again on the same screen, more than thrice"] += len(episode.steps) - len(played)
    told = retold(played, recipe, random.Random(f"{chance}/words"))
    told = by_name(told) if recipe.shortcuts else told
    steps = [paradigm.prepare(gr2nav(step) if navigates else step) for step in told]
    if maker.sight:
        steps = [pictured(step, episode.folder, maker, left_out) for step in steps]
    while True:
        rows: list[Row] = []
        try:
            for row in maker.episode(steps, random.Random(chance), episode.folder):
                rows.append(row)
            return [row for row in rows if exact(row, left_out)]
        except ValueError as error:
            left_out[str(error)] += 1
            failed = [at for at, step in enumerate(steps) if step.truth][len(rows)]
            steps[failed] = untaught(steps[failed])


def retold(steps: Sequence[Step], recipe: Recipe, chance: random.Random) -> list[Step]:
    """An episode about other things, its task put plainly and in other words, as often as the recipe says. SFT and the
    reward model draw the words anew each time (`sft.Drawn`, `prm.Samples`).
    """
    told = about_others(steps, recipe.paraphrase, chance)
    if recipe.restate and chance.random() >= UNTOLD:
        told = [put_plainly(step) for step in told]
    return in_other_words(told, recipe.paraphrase, chance) if recipe.stage == "grpo" else told


def untaught(step: Step) -> Step:
    return changed(step, truth=[], prediction=step.prediction or plainest(step.truth))


def exact(row: Row, left_out: Counter[str]) -> bool:
    """Is the answer what the format rewards ask for? What is not must not be taught."""
    parsed = row.paradigm.parse(row.answer, row.step.view)
    if not parsed.strict:
        reason = parsed.problem or parsed.repairs[0]
        left_out[f"{row.paradigm.name} cannot say it: {reason}"] += 1
    return parsed.strict


def pictured(step: Step, folder: Path, maker: RowMaker, left_out: Counter[str]) -> Step:
    """A model that sees needs the screenshot, unless it is told the elements."""
    if step.image and not (folder / step.image).is_file():
        raise InputError(f"there is no image {folder / step.image}, which step {step.id} names")
    if not step.image and step.truth and not maker.told:
        left_out["it has no screenshot (elements: parsed would tell the elements instead)"] += 1
        return untaught(step)
    return step


def gr2nav(step: Step) -> Step:
    """Gr2Nav (SecAgent §4.3): a grounding sample becomes a navigation of one step, a click at the box's centre."""
    if not step.grounding or not step.truth:
        return step
    boxes = [action.box for action in step.truth if action.box is not None]
    clicks = [Action("click", box.center, box=box) for box in boxes] or step.truth
    tags = {key: tag for key, tag in step.tags.items() if key != "task"} | {"from": "grounding"}
    return changed(step, truth=clicks, prediction=None, tags=tags, history=[], context="")


# -- lengths -----------------------------------------------------------------------------------------------------------


def spread(work: Callable[[int], T], count: int, workers: int) -> list[T]:
    """`work` of each number, by several processes where it is much."""
    if not workers or count < FEW:
        return [work(at) for at in range(count)]
    global _work  # noqa: PLW0603  (a fork inherits it: only numbers and results are sent)
    _work = work
    try:
        with multiprocessing.get_context("fork").Pool(workers) as pool:
            return pool.map(_do, range(count), chunksize=32)
    finally:
        _work = None


_work: Callable[[int], Any] | None = None


def _do(at: int) -> Any:
    assert _work is not None
    return _work(at)


def sizes_of(backbone: Backbone, messages: Sequence[Message], answer: str, limits: Sequence[int] = (), seed: int = 0
             ) -> list[int]:  # fmt: skip
    """Tokens of a row, then with at most so many elements each."""
    if (several := getattr(backbone, "sizes", None)) is not None:
        return list(several(messages, answer, limits))
    quick = getattr(backbone, "measure", None)  # where opening pictures can be spared
    whole = (
        quick(messages, answer) if quick else len(backbone.encode(messages, answer, random.Random(seed))["input_ids"])
    )
    return [int(whole)] * (1 + len(limits))


def keep_short(made: Written, rows: Rows, recipe: Recipe, held_back: bool) -> None:
    """What is not too long joins the others."""
    for row, sizes, restates in zip(made.rows, made.sizes, made.restates, strict=True):
        if sizes[0] > recipe.longest:
            rows.too_long.append(sizes[0])
        elif held_back:
            rows.held_back.append(row)
        else:
            rows.restating += [len(rows.train)] if restates else []
            rows.train.append(row)
            rows.lengths.append(sizes[0])
            for limit, size in zip(rows.thinned, sizes[1:], strict=True):
                rows.thinned[limit].append(size)


def report(rows: Rows, recipe: Recipe, tell: Callable[[str], None] | None) -> None:
    if rows.too_long:
        rows.left_out[f"longer than {recipe.longest} tokens, up to {max(rows.too_long)} (longest)"] = len(rows.too_long)
    if not rows.train:
        common = [f": {count} left out because {reason}" for reason, count in rows.left_out.most_common(1)]
        raise InputError("the data gives no row to train on" + "".join(common))
    if tell is None:
        return
    held = f", {len(rows.held_back)} held back" if rows.held_back else ""
    tell(f"{len(rows.train):,} rows of {sum(rows.lengths) // len(rows.train)} tokens on average{held}")
    for reason, count in rows.left_out.most_common(5):
        tell(f"{count} rows left out: {reason}")
