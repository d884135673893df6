"""`saccade data mix` and `saccade data filter`: seeded draws from real formats, and instructions far enough apart."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from command import saccade
from test_read_episodes import odyssey_episode, write_odyssey

from grounding_sets import picture, showui
from readers import episode, example, shard
from saccade.data.instruction_filter import far_apart
from saccade.data.mix import mixes, read_mix
from saccade.data.write import PictureWriter
from saccade.records import parse_object, read_lines, read_step
from saccade.types import Step

PNG = b"\x89PNG\r\n\x1a\n"


def write(folder: Path, episodes: int, steps: int = 2, **changes: Any) -> Path:
    """Step records with pictures: episode e3 has the steps s3-0, s3-1 …"""
    (folder / "shots").mkdir(parents=True)
    lines = []
    for number, at in ((number, at) for number in range(episodes) for at in range(steps)):
        step = {"id": f"s{number}-{at}", "episode": f"e{number}", "step": at, "instruction": f"Do it {number}"}
        step |= {"screen": [20, 40], "image": f"shots/{number}.png", "history": ["Tap OK"] * at}
        step |= {"truth": [{"type": "click", "point": [5, 5]}], "tags": {"app": "shop" if number % 2 else "mail"}}
        lines.append(json.dumps(step | changes))
        picture(folder / "shots" / f"{number}.png", (20, 40))
    (folder / "steps.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def read_steps(file: Path) -> list[Step]:
    return [read_step(parse_object(line)) for _, line in read_lines(file)]


def mixed(out: Path, *arguments: str | Path) -> list[Step]:
    done = saccade("data", "mix", *arguments, "--out", out, "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    found = read_steps(out / "steps.jsonl")
    assert told["steps"] == len(found) and told["file"] == str(out / "steps.jsonl")
    return found


def test_the_same_seed_draws_the_same_rows_whatever_the_order(tmp_path: Path) -> None:
    source = write(tmp_path / "a", 30)
    (tmp_path / "b").mkdir()
    lines = (source / "steps.jsonl").read_text().splitlines()
    random.Random(3).shuffle(lines)
    (tmp_path / "b" / "steps.jsonl").write_text("\n".join(lines) + "\n")
    (tmp_path / "b" / "shots").symlink_to(source / "shots")
    first = mixed(tmp_path / "1", "--part", f"x={source}:20", "--seed", "7")
    again = mixed(tmp_path / "2", "--part", f"x={tmp_path / 'b'}:20", "--seed", "7")
    other = mixed(tmp_path / "3", "--part", f"x={source}:20", "--seed", "8")
    assert len(first) == 20 and {step.id for step in first} == {step.id for step in again}
    assert {step.id for step in first} != {step.id for step in other}
    assert {step.id for step in first} != {f"x/s{at // 2}-{at % 2}" for at in range(20)}, "not the first 20"
    more = mixed(tmp_path / "4", "--part", f"x={source}:30", "--seed", "7")
    assert {step.id for step in first} < {step.id for step in more}


def test_a_step_alone_keeps_its_history_and_is_an_episode(tmp_path: Path) -> None:
    found = mixed(tmp_path / "out", "--part", f"x={write(tmp_path / 'a', 9, 3)}:27")
    assert len({step.episode for step in found}) == 27 and {step.step for step in found} == {0, 1, 2}
    assert all(len(step.history) == step.step for step in found)
    assert all(step.tags["part"] == "x" and (tmp_path / "out" / step.image).is_file() for step in found)


def test_two_parts_of_one_data_set_are_drawn_independently(tmp_path: Path) -> None:
    source = write(tmp_path / "a", 40)
    found = mixed(tmp_path / "out", "--part", f"x={source}:20", "--part", f"y={source}:20")
    ids = {part: {step.id.partition("/")[2] for step in found if step.tags["part"] == part} for part in "xy"}
    assert len(ids["x"]) == len(ids["y"]) == 20 and ids["x"] != ids["y"]
    assert len({step.id for step in found}) == 40


def test_whole_episodes_for_each_value_of_a_tag(tmp_path: Path) -> None:
    source = write(tmp_path / "a", 20, 3)
    found = mixed(tmp_path / "out", "--part", f"x={source}:4,of=episodes,per=app")
    assert Counter(step.tags["app"] for step in found) == {"shop": 12, "mail": 12}
    assert Counter(Counter(step.episode for step in found).values()) == {3: 8}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--part", "x=SOURCE:50"], "the part x has 20 steps in SOURCE, not 50: give more data, a lower count, or"),
        (["--part", "x=SOURCE:8,of=episodes,per=app"], "has 5 episodes with app=mail in SOURCE, not 8"),
        (["--part", "x=SOURCE:8,per=colour"], "the step has no tag 'colour', which x draws by; it has app"),
        (["--part", "x=SOURCE"], "write NAME=FOLDER:COUNT"),
        (["--part", "x=SOURCE:8,of=apps"], "Invalid enum value 'apps'"),
        (["--part", "x=SOURCE:0"], "count must be at least 1"),
        (["--part", "x=SOURCE:1", "--part", "x=SOURCE:2"], "two parts of the mix are called x"),
        (["--part", "x=SOURCE:1", "--source", "aitw=y"], "--source aitw: no part of the mix comes from it"),
        (["--source", "aitw"], "write NAME=FOLDER"),
        ([], "the mix has no part"),
        (["nonsense"], "there is no mix 'nonsense': give a YAML file, or one of btl-table1, guidnav-prm"),
        (["btl-table1"], "the part grounding of the mix: give its data: --source showui-desktop=FOLDER"),
        (["--part", "x=SOURCE:1", "--images", "some"], "--images is 'some'"),
    ],
)
def test_mistakes_end_with_one_sentence_and_no_file(arguments: list[str], said: str, tmp_path: Path) -> None:
    source = str(write(tmp_path / "a", 10))
    given = [each.replace("SOURCE", source) for each in arguments]
    done = saccade("data", "mix", *given, "--out", tmp_path / "out")
    assert done.returncode == 2 and said.replace("SOURCE", source) in " ".join(done.stderr.split()), done.stderr
    assert len(done.stderr.splitlines()) == 1 and not (tmp_path / "out").exists()


def test_fewer_may_be_allowed(tmp_path: Path) -> None:
    source = write(tmp_path / "a", 10)
    assert len(mixed(tmp_path / "out", "--part", f"x={source}:50", "--allow-fewer")) == 20


def test_ctrl_c_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any) -> str:
        raise KeyboardInterrupt

    source = write(tmp_path / "a", 10)
    monkeypatch.setattr(PictureWriter, "keep", interrupted)
    done = saccade("data", "mix", "--part", f"x={source}:5", "--out", tmp_path / "new" / "out")
    assert done.returncode == 130 and "no partial output" in done.stderr
    assert not (tmp_path / "new").exists()


# -- the papers' mixes -------------------------------------------------------------------------------------------------


def android_control(folder: Path) -> Path:
    """Two training episodes of two steps each, in the published form."""
    actions = [{"action_type": "click", "x": 5, "y": 6}, {"action_type": "navigate_back"}]
    pictures = [PNG + b"%d" % at for at in range(3)]
    folder.mkdir()
    shard(
        folder / "android_control-00000-of-00001",
        [example(episode(id, actions, pictures, [b""] * 3)) for id in (1, 2, 3)],
    )
    (folder / "splits.json").write_text(json.dumps({"train": [1, 2], "test": [3], "validation": []}))
    return folder


def test_the_mix_of_btl_ui_has_the_counts_of_its_table(tmp_path: Path) -> None:
    parts = {part.name: part for part in read_mix("btl-table1")}
    assert {name: (part.source, part.count) for name, part in parts.items()} == {
        "grounding": ("showui-desktop", 2000),
        "low-androidcontrol": ("androidcontrol", 500),
        "low-gui-odyssey": ("gui-odyssey", 500),
        "high-androidcontrol": ("androidcontrol", 500),
        "high-gui-odyssey": ("gui-odyssey", 500),
    }
    assert sum(part.count for part in parts.values()) == 4000


def test_the_mix_of_btl_ui_on_the_published_formats(tmp_path: Path) -> None:
    odyssey = write_odyssey(tmp_path / "odyssey", odyssey_episode("11"), odyssey_episode("12"))
    sources = {"showui-desktop": showui(tmp_path / "showui"), "gui-odyssey": odyssey}
    sources["androidcontrol"] = android_control(tmp_path / "ac")
    given = [word for name, place in sources.items() for word in ("--source", f"{name}={place}")]
    few = saccade("data", "mix", "btl-table1", *given, "--out", tmp_path / "out", "--images", "none")
    assert few.returncode == 2 and "the part grounding has 6 steps" in few.stderr
    found = mixed(tmp_path / "out", "btl-table1", *given, "--allow-fewer", "--images", "none")
    assert Counter((step.tags["part"], step.tags["level"]) for step in found) == {
        ("grounding", "grounding"): 6,
        ("low-androidcontrol", "low"): 4,
        ("low-gui-odyssey", "low"): 10,
        ("high-androidcontrol", "high"): 4,
        ("high-gui-odyssey", "high"): 10,
    }
    android = [step for step in found if "androidcontrol" in step.tags["part"]]
    assert all(bool(step.step_instruction) == (step.tags["level"] == "low") for step in android)
    assert {step.tags["split"] for step in android} == {"train"}, "episode 3 is for testing"


def test_the_tasks_of_the_process_reward_model() -> None:
    parts = read_mix("guidnav-prm")
    assert [part.options["subset"] for part in parts] == ["general", "web_shopping", "google_apps", "install"]
    assert {(part.source, part.count, part.of, part.options["split"]) for part in parts} == {
        ("aitw", 300, "episodes", "train")
    }
    done = saccade("data", "mix", "--help")
    assert all(name in done.stdout for name in mixes())


# -- instructions far apart --------------------------------------------------------------------------------------------


def test_instructions_at_least_six_edits_apart() -> None:
    """kitten → sitting is 3 edits; abcdef → uvwxyz is 6; a text of 6 letters more is at least 6 edits away."""
    assert far_apart(["kitten", "sitting", "kitten"], 6) == [True, False, False]
    assert far_apart(["kitten", "sitting"], 3) == [True, True]
    assert far_apart(["kitten", "sitting"], 4) == [True, False]
    assert far_apart(["abcdef", "uvwxyz", "abcdefuvwxyz", "abcdefuvwxy"], 6) == [True, True, True, False]
    assert far_apart(["打开微信", "打开微博", "在淘宝搜索蓝色的鞋子"], 6) == [True, False, True]
    assert far_apart(["a", "b", "c"], 1) == [True] * 3 and far_apart(["a", "a"], 1) == [True, False]


def test_it_is_what_all_pairs_say() -> None:
    """Against the distance of all pairs, computed without the bound on lengths."""
    from rapidfuzz.distance import Levenshtein  # noqa: PLC0415

    chance = random.Random(0)
    texts = ["".join(chance.choices("abc", k=chance.randint(3, 14))) for _ in range(200)]
    kept: list[str] = []
    for text, keep in zip(texts, far_apart(texts, 6), strict=True):
        assert keep == all(Levenshtein.distance(text, other) >= 6 for other in kept), text
        kept += [text] if keep else []
    assert 1 < len(kept) < 200


def test_filter_by_command(tmp_path: Path) -> None:
    source = write(tmp_path / "a", 3)
    lines = (source / "steps.jsonl").read_text().replace("Do it 2", "Something else entirely")
    (source / "steps.jsonl").write_text(lines)
    done = saccade("data", "filter", source, "--min-edits", "6", "--out", tmp_path / "out", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["kept"], told["dropped"], told["steps"]) == (2, 1, 4)
    found = read_steps(tmp_path / "out" / "steps.jsonl")
    assert [step.id for step in found] == ["s0-0", "s0-1", "s2-0", "s2-1"]
    assert all((tmp_path / "out" / step.image).is_file() for step in found)
    done = saccade("data", "filter", source, "--out", tmp_path / "two.jsonl", "--images", "none")
    assert "2 of 3 episodes kept, 1 dropped; 4 steps" in done.stdout
    again = saccade("data", "filter", source, "--out", tmp_path / "two.jsonl")
    assert again.returncode == 2 and "already exists" in again.stderr
