"""Exports to other trainers: rows against golden files, reward files against our rewards, scripts against papers."""

from __future__ import annotations

import io
import json
import re
import runpy
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from command import saccade
from msgspec.structs import replace
from PIL import Image
from train_data import draw, episode

from saccade.data.export import EXPORTERS, get_exporter
from saccade.records import write_steps
from saccade.scoring.completion_reward import AnswerFormat, AnswerRecord, read_record
from saccade.scoring.evaluate import reward
from saccade.scoring.profiles import get_profile

GOLDEN = Path(__file__).parent / "golden"
PARADIGMS = {"verl": "uiloop", "ms-swift": "btl", "easyr1": "secagent", "llama-factory": "secagent"}
"""As the papers trained: UILoop with verl, BTL with ms-swift."""
SMALL = ("--set", "pixels=[3136,25088]", "--set", "switches.space=phone")


@pytest.fixture(scope="session")
def records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("records")
    for at in range(3):
        draw(folder / f"screens/{at}.png", at)
    write_steps(folder / "steps.jsonl", [*episode("a"), *episode("b", "zh")])
    return folder


@pytest.fixture(scope="session")
def exports(records: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """One export for each framework."""
    folder = tmp_path_factory.mktemp("exports")
    for name in EXPORTERS.names():
        words = ("data", "export", name, records, "--paradigm", PARADIGMS[name], *SMALL, "--out", folder / name)
        done = saccade(*words)
        assert done.returncode == 0, done.stderr
        assert "6 rows" in done.stdout
    return {name: folder / name for name in EXPORTERS.names()}


def rows_of(folder: Path) -> list[dict[str, Any]]:
    """The rows, as a reader of tables finds them."""
    if (folder / "train.jsonl").exists():
        return [json.loads(line) for line in (folder / "train.jsonl").read_text(encoding="utf-8").splitlines()]
    parquet = pytest.importorskip("pyarrow.parquet")
    rows: list[dict[str, Any]] = parquet.read_table(folder / "train.parquet").to_pylist()
    return rows


def readable(value: Any) -> Any:
    """A row with pictures as their size, long texts cut, and the truth as its object: what a person can compare."""
    if isinstance(value, bytes):
        return list(Image.open(io.BytesIO(value)).size)
    if isinstance(value, dict):
        return {key: readable(part) for key, part in value.items()}
    if isinstance(value, list):
        return [readable(part) for part in value]
    if isinstance(value, str) and value.startswith('{"id"'):
        return json.loads(value)
    if isinstance(value, str) and value.startswith("images/"):
        return re.sub(r"[0-9a-f]{24}", "HASH", value)
    return f"{value[:40]} … {value.count('<image>')}" if isinstance(value, str) and len(value) > 400 else value


@pytest.mark.parametrize("name", EXPORTERS.names())
def test_rows_are_as_the_golden_file_has_them(name: str, exports: dict[str, Path]) -> None:
    found = readable(rows_of(exports[name]))
    assert len(found) == 6
    golden = (GOLDEN / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    assert [found[1], found[4]] == [json.loads(line) for line in golden]  # a touch, in English and in Chinese


@pytest.mark.parametrize("name", EXPORTERS.names())
def test_as_many_marks_as_pictures_and_none_is_resized_again(name: str, exports: dict[str, Path]) -> None:
    for row in rows_of(exports[name]):
        asked = row.get("prompt") or row["messages"]
        text = asked if isinstance(asked, str) else "".join(each["content"] for each in asked)
        assert text.count("<image>") == len(row["images"]) > 0
        for picture in row["images"]:
            data = exports[name] / picture if isinstance(picture, str) else io.BytesIO(picture["bytes"])
            with Image.open(data) as image:
                assert image.width % 28 == image.height % 28 == 0 and 3136 <= image.width * image.height <= 25088


def swift_rewards() -> Any:
    """What a reward file imports of ms-swift, which is not installed here."""
    made: Any = ModuleType("swift.rewards")
    made.ORM, made.orms = object, {}
    return made


@pytest.mark.parametrize("name", [name for name in EXPORTERS.names() if "grpo" in get_exporter(name).stages])
def test_reward_files_give_our_rewards(name: str, exports: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    swift = swift_rewards()
    monkeypatch.setitem(sys.modules, "swift", ModuleType("swift"))
    monkeypatch.setitem(sys.modules, "swift.rewards", swift)
    module = runpy.run_path(str(exports[name] / "reward.py"))
    told = json.loads((exports[name] / "export.json").read_text())
    options = told["settings"]["grpo"]["reward"]
    if "profile" in options:
        options["profile"] = get_profile(options["profile"])
    for row in rows_of(exports[name]):
        truth = row.get("solution") or row.get("answer") or row["reward_model"]["ground_truth"]
        record = read_record(truth)
        assert record.paradigm == PARADIGMS[name] and record.output is None
        record.output = taught = answer(record)
        expected = reward([record], record.reader(), **options)[0]["total"]
        assert expected > 1
        calls = {
            "verl": lambda said, truth=truth: module["compute_score"]("saccade", said, truth)["score"],
            "ms-swift": lambda said, truth=truth: swift.orms["saccade"]()([said], solution=[truth])[0],
            "easyr1": lambda said, truth=truth: module["compute_score"](
                [{"response": said, "response_length": 9, "ground_truth": truth}]
            )[0]["overall"],
        }
        assert calls[name](taught) == expected
        assert calls[name]("no idea") == 0


def answer(record: AnswerRecord) -> str:
    """The right answer, in the record's format."""
    from random import Random  # noqa: PLC0415

    from saccade.data.training_rows import RowWriter  # noqa: PLC0415

    return next(RowWriter(record.reader()).episode([record], Random(0))).answer


def test_every_row_has_the_same_reward_parts() -> None:
    """verl takes the names of the first row's parts for all rows."""
    from saccade.scoring.completion_reward import CompletionReward  # noqa: PLC0415

    with_key = episode("a")[1]
    truths = [replace(with_key, paradigm="uiloop"), replace(with_key, paradigm="uiloop", key_elements=None)]
    records = [AnswerRecord.of(step, AnswerFormat().paradigm("uiloop")) for step in truths]
    texts = [json.dumps(json.loads(_json(record))) for record in records]
    first, second = CompletionReward().score_all(["", ""], texts)
    assert first.keys() == second.keys() == {"score", "format", "location", "lingualisation", "leverage"}


def _json(record: AnswerRecord) -> bytes:
    import msgspec  # noqa: PLC0415

    return msgspec.json.encode(record)


@pytest.mark.parametrize(
    ("name", "said"),
    {
        "ms-swift": "--learning_rate 1e-06|--num_train_epochs 3|--num_generations 8|--temperature 0.9|--beta 0.04|"
        "--max_completion_length 1280|--loss_type grpo|--external_plugins reward.py",
        "verl": "actor.optim.lr=1e-06|trainer.total_epochs=6|rollout.n=5|actor.kl_loss_coef=0.001|"
        "rollout.temperature=1|actor.loss_agg_mode=seq-mean-token-mean|data.train_batch_size=8",
        "easyr1": "actor.optim.lr=1e-06|trainer.total_epochs=2|rollout.n=16|algorithm.kl_coef=0.04|"
        "actor.clip_ratio_low=0.2|actor.clip_ratio_high=0.28|actor.loss_avg_mode=token|data.max_pixels=25088",
        "llama-factory": "llamafactory-cli train train.yaml",
    }.items(),
)
def test_run_scripts_have_the_papers_hyperparameters(name: str, said: str, exports: dict[str, Path]) -> None:
    script = (exports[name] / "run.sh").read_text(encoding="utf-8")
    words = script.replace("actor_rollout_ref.", "").replace("worker.", "").split("\n")
    lines = {word.strip(" \\").removeprefix("exec ") for word in words}
    assert set(said.split("|")) <= lines, set(said.split("|")) - lines


def test_llama_factory_is_told_its_data_and_settings(exports: dict[str, Path]) -> None:
    import yaml  # type: ignore[import-untyped]  # noqa: PLC0415

    folder = exports["llama-factory"]
    about = json.loads((folder / "dataset_info.json").read_text())["saccade"]
    assert about["file_name"] == "train.jsonl" and about["formatting"] == "sharegpt"
    assert about["tags"]["system_tag"] == "system"
    settings = yaml.safe_load((folder / "train.yaml").read_text())
    wanted = {"learning_rate": 2e-5, "num_train_epochs": 6.0, "lora_rank": 8, "lora_alpha": 16, "stage": "sft"}
    assert wanted.items() <= settings.items() and settings["image_max_pixels"] == 25088
    assert not (folder / "reward.py").exists()


def test_held_back_episodes_and_rows_that_cannot_be_written(records: Path, tmp_path: Path) -> None:
    odd = [replace(step, id=f"o{at}", episode="o", instruction="Open <image>") for at, step in enumerate(episode("o"))]
    (tmp_path / "screens").symlink_to(records / "screens")
    write_steps(tmp_path / "steps.jsonl", [*episode("a"), *episode("b"), *odd])
    words = ("data", "export", "ms-swift", tmp_path, "--paradigm", "btl", *SMALL, "--set", "held_back=0.3", "--json")
    done = saccade(*words, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["left_out"] == {"its text contains <image>, which marks a picture": 3}
    assert told["rows"] + told["held_back"] == 6
    if told["held_back"]:
        assert "--val_dataset held_back.jsonl" in (tmp_path / "out/run.sh").read_text()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("veril", "--paradigm", "btl"), "unknown exporter 'veril' (did you mean verl?)"),
        (("verl",), "say which format to export: --paradigm NAME, or --config RECIPE"),
        (("verl", "--paradigm", "btl", "--stage", "sft"), "verl 0.9 trains grpo only, not 'sft'"),
        (("verl", "--paradigm", "guidnav"), "no recipe trains guidnav by grpo"),
        (("verl", "--config", "btl-3b-sft"), "the recipe btl-3b-sft trains btl by sft: it does not fit this export"),
        (("verl", "--paradigm", "uiloop", "--set", "schedule=linear"), "verl has no schedule 'linear'"),
        (("verl", "--paradigm", "btl", "--set", "grpo.reward.tua=1"), "the btl reward has no option 'tua'"),
    ],
)
def test_wrong_input_is_one_sentence(words: tuple[str, ...], said: str, records: Path, tmp_path: Path) -> None:
    name, *rest = words
    done = saccade("data", "export", name, records, *rest, *SMALL, "--out", tmp_path / "out")
    assert done.returncode == 2 and said in " ".join(done.stderr.split()), done.stderr
    assert list(tmp_path.iterdir()) == []


def test_what_is_there_is_not_overwritten(exports: dict[str, Path], records: Path) -> None:
    before = sorted(exports["verl"].iterdir())
    done = saccade("data", "export", "verl", records, "--paradigm", "uiloop", *SMALL, "--out", exports["verl"])
    assert done.returncode == 2 and "already exists" in done.stderr
    assert sorted(exports["verl"].iterdir()) == before


OWN = """
from saccade.data.export import Exporter


class Own(Exporter):
    name, title, stages = "own", "my trainer", ("sft",)

    def row(self, row, stage):
        return {"ask": row.messages, "say": row.answer, "see": [picture.name for picture in row.pictures]}

    def run_script(self, settings, files):
        return f"train {files.train} --rate {settings.learning_rate}"


SACCADE = {"exporters": {"own": Own}}
"""


def test_a_plug_in_brings_an_exporter(records: Path, tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(OWN, encoding="utf-8")
    words = ("data", "export", "own", records, "--paradigm", "btl", *SMALL, "--out", tmp_path / "out")
    done = saccade(*words, "--plugin", tmp_path / "own.py")
    assert done.returncode == 0 and "my trainer: 6 rows" in done.stdout, done.stderr
    assert (tmp_path / "out/run.sh").read_text() == "train train.jsonl --rate 1e-05"
    first = rows_of(tmp_path / "out")[0]
    assert set(first) == {"ask", "say", "see"} and (tmp_path / "out" / first["see"][0]).is_file()
