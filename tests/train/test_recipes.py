"""Recipes: those that ship, and what a user may get wrong."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml  # type: ignore[import-untyped]
from train_data import RECIPE, write_data

from saccade.cli import main
from saccade.errors import InputError
from saccade.paradigms import get_paradigm
from saccade.scoring.profiles import get_profile
from saccade.train.recipe import Recipe
from saccade.train.recipe_files import FOLDERS, load_recipe, output_folder, recipes
from tiny_vl import make_tiny


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """`saccade train …`: exit code, what was printed, and what went to stderr."""

    def call(*arguments: str | Path) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["saccade", "train", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        return int(ended.value.code or 0), printed.out, printed.err

    return call


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("torch")
    return make_tiny(tmp_path_factory.mktemp("tiny") / "model")


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """A recipe, data, and a folder that looks like a model's until somebody loads it."""
    model = tmp_path / "model"
    model.mkdir()
    (model / "config.json").write_text("{}", encoding="utf-8")
    (model / "model.safetensors").write_bytes(b"")
    (tmp_path / "my.yaml").write_text(RECIPE, encoding="utf-8")
    return {"model": model, "config": tmp_path / "my.yaml", "data": write_data(tmp_path / "data")}


def test_shipped_recipes_are_sound() -> None:
    core = {name for name, file in recipes().items() if file.origin == "saccade"}
    assert {name for name in core if "/" not in name} == {
        "btl-3b-grpo",
        "btl-7b-grpo",
        "btl-3b-sft",
        "btl-7b-sft",
        "uiloop-3b-grpo",
        "uiloop-7b-grpo",
        "secagent-3b-sft",
        "secagent-3b-grpo",
        "guidnav-prm",
    }
    assert {name for name in core if "/" in name} == {
        "btl-table5a/sft",
        "btl-table5a/sft-blink",
        "btl-table5a/rft",
        "btl-table5a/rft-blink",
        "uiloop-no-lingualisation/sft",
        "uiloop-no-lingualisation/leverage",
        "uiloop-no-lingualisation/locate-leverage",
        "uiloop-no-lingualisation/full",
        "secagent-gr2nav/navigation",
        "secagent-gr2nav/grounding",
        "secagent-gr2nav/gr2nav",
    }
    for name, file in recipes().items():
        recipe = load_recipe(name)
        assert recipe.stage in name or "/" in name
        for variant in recipe.variants:
            get_paradigm(variant.paradigm, **variant.switches)
        get_paradigm(recipe.paradigm, **recipe.switches)
        if profile := recipe.grpo.reward.get("profile"):
            get_profile(profile)
        get_profile(recipe.prm.profile)
        text = file.path.read_text(encoding="utf-8")
        assert text.startswith("# ")
        assert max(map(len, text.splitlines())) <= 120


def test_the_larger_models_differ_in_memory_only() -> None:
    for name in ("btl-{}-grpo", "btl-{}-sft", "uiloop-{}-grpo"):
        assert load_recipe(name.format("3b")) == load_recipe(name.format("7b"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("stage: sft\nlerning_rate: 1\n", "lerning_rate"),
        ("stage: sft\nlora: {rnak: 8}\n", "rnak"),
        ("stage: sft\ngrpo: {kl: high}\n", r"grpo\.kl: Expected `float`"),
        ("stage: ppo\n", "stage: Invalid enum value"),
        ("batch: 2\n", "missing required field `stage`"),
        ("stage: sft\nbatch: two\n", "batch: Expected `int`"),
        ("stage: sft\nbackbone: {paraphrase: 1}\n", "backbone: .*paraphrase.*no settings of its own"),
        ("- sft\n", "a recipe is a mapping"),
        ("stage: [sft\n", "not YAML"),
        ("", "a recipe is a mapping"),
    ],
)
def test_mistakes_are_named(text: str, expected: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=expected) as caught:
        load_recipe(str(file))
    assert str(file) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_recipe_like_another(tmp_path: Path) -> None:
    """What it says itself counts, and the rest is the other's."""
    (tmp_path / "mine.yaml").write_text("like: btl-3b-grpo\nsteps: 7\n", encoding="utf-8")
    mine = load_recipe(str(tmp_path / "mine.yaml"))
    assert mine == msgspec.structs.replace(load_recipe("btl-3b-grpo"), steps=7)
    part = "like: btl-3b-grpo\nswitches: {blink: false}\ngrpo: {reward: {weights: [1, 0, 1]}, kl: 0}\n"
    (tmp_path / "part.yaml").write_text(part, encoding="utf-8")
    mine, base = load_recipe(str(tmp_path / "part.yaml")), load_recipe("btl-3b-grpo")
    assert mine.switches == {"space": "paper", "blink": False}
    changed = {"reward": {"weights": [1, 0, 1]}, "kl": 0.0}
    assert mine.grpo == msgspec.structs.replace(base.grpo, **changed), "of a block, what it does not say stays"
    (tmp_path / "mine.yaml").write_text(f"like: {tmp_path / 'other.yaml'}\n", encoding="utf-8")
    (tmp_path / "other.yaml").write_text(f"like: {tmp_path / 'mine.yaml'}\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"mine\.yaml: its like: leads back to itself"):
        load_recipe(str(tmp_path / "mine.yaml"))
    (tmp_path / "mine.yaml").write_text("like: nothing\n", encoding="utf-8")
    with pytest.raises(InputError, match="no recipe 'nothing'"):
        load_recipe(str(tmp_path / "mine.yaml"))


def test_where_results_go() -> None:
    assert output_folder("btl-3b-grpo", "grpo") == Path("runs/grpo-btl-3b-grpo")
    assert output_folder("btl-table5a/sft", "sft") == Path("runs/btl-table5a/sft")
    assert output_folder("my/own.yaml", "sft") == Path("runs/sft-own")


def test_a_recipe_goes_through_yaml_unharmed() -> None:
    for name in recipes():
        recipe = load_recipe(name)
        again = yaml.safe_load(yaml.safe_dump(json.loads(msgspec.json.encode(recipe))))
        assert msgspec.convert(again, Recipe) == recipe


# -- the command -------------------------------------------------------------------------------------------------------


def test_list(command: Any) -> None:
    code, out, _ = command("list", "--json")
    lines = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert [line["name"] for line in lines] == list(recipes())
    assert {line["origin"] for line in lines} == set(FOLDERS.names())
    assert {line["set"] for line in lines} == {"", "btl-table5a", "uiloop-no-lingualisation", "secagent-gr2nav"}
    assert all(line["about"] and line["paradigms"] and Path(line["file"]).is_file() for line in lines)
    code, out, _ = command("list")
    assert code == 0
    assert all(f"| {name} " in out for name in recipes())


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"config": "nonsense"}, "there is no recipe 'nonsense'"),
        ({"config": "btl-3b-grpo"}, "is for grpo: saccade train grpo"),
        ({"model": None}, "names no model"),
        ({"model": "/no/such/folder"}, "there is no folder '/no/such/folder'"),
        ({"data": None}, "names no data"),
        ({"data": "/no/such.jsonl"}, "there is no data /no/such.jsonl"),
        ({"set": "bacth=2"}, "bacth"),
        ({"set": "batch=two"}, "batch: Expected `int`"),
        ({"set": "batch"}, "write KEY=VALUE"),
        ({"set": "model=x"}, "write KEY=VALUE"),
        ({"set": "prm.layers=x"}, "prm.layers: Expected `int`, got `str`"),
        ({"set": "prm.colour=red"}, "colour"),
        ({"set": "batch.size=2"}, "batch.size: batch is no block of settings"),
        ({"set": "prm={layers: x}"}, "prm.layers: Expected `int`, got `str`"),
        ({"set": "paradigm=btll"}, "did you mean btl"),
    ],
)
def test_mistakes_end_with_two_before_anything_is_loaded(
    changes: dict[str, str | None], expected: str, files: dict[str, Path], command: Any, tmp_path: Path
) -> None:
    given = {**files, "out": tmp_path / "out", **changes}
    arguments = [part for key, value in given.items() if value is not None for part in (f"--{key}", value)]
    code, out, err = command("sft", *arguments)
    assert code == 2, err
    assert expected in err
    assert err.startswith("saccade: ")
    assert not out
    assert not (tmp_path / "out").exists()


@pytest.mark.train
@pytest.mark.parametrize(
    ("layers", "expected"),
    [
        ("99", "prm.layers is 99, and the model has 2"),
        ("-1", "prm.layers is -1: it is a number of layers, or 0 for all"),
        ("x", "prm.layers: Expected `int`, got `str`"),
    ],
)
def test_layers_that_a_model_does_not_have(
    layers: str, expected: str, tiny: Path, files: dict[str, Path], command: Any, tmp_path: Path
) -> None:
    """Said in a recipe; 0 is none of them, and means all."""
    files["config"].write_text(f"stage: prm\nelements: parsed\nprm: {{layers: {layers}}}\n", encoding="utf-8")
    given = ["--config", files["config"], "--model", tiny, "--data", files["data"], "--out", tmp_path / "out"]
    code, out, err = command("prm", *given)
    assert code == 2, err
    assert err.startswith("saccade: ") and err.rstrip().endswith(expected)
    assert len(err.splitlines()) == 1 and not out


def test_one_setting_of_a_block_is_changed_and_the_others_stay() -> None:
    plain = load_recipe("guidnav-prm")
    recipe = load_recipe("guidnav-prm", **{"prm.layers": 3, "prm.weighting.margin": 0.2})
    assert (recipe.prm.layers, recipe.prm.weighting.margin) == (3, 0.2)
    assert (recipe.prm.profile, recipe.prm.weighting.prior) == (plain.prm.profile, plain.prm.weighting.prior)
    assert load_recipe("guidnav-prm") == plain, "nothing is kept of it"
    assert load_recipe("btl-3b-grpo", **{"lora.rank": 4}).lora is not None, "a block that was not there"


@pytest.mark.train
def test_a_folder_without_a_model_is_named(files: dict[str, Path], command: Any, tmp_path: Path) -> None:
    given = ["--config", files["config"], "--model", files["model"], "--data", files["data"]]
    code, _, err = command("sft", *given, "--out", tmp_path / "out")
    assert code == 2
    assert f"{files['model']} cannot be loaded as a model" in err


@pytest.mark.train
def test_train_by_command(tiny: Path, files: dict[str, Path], command: Any, tmp_path: Path) -> None:
    arguments = ["sft", "--config", files["config"], "--model", tiny, "--data", files["data"], "--steps", "1"]
    arguments += ["--out", tmp_path / "out", "--set", "batch=1", "--set", "learning_rate=1e-5"]
    code, out, err = command(*arguments, "--json")
    assert code == 0, err
    told = json.loads(out)
    assert told["model"] == str(tmp_path / "out" / "model")
    assert told["step"] == 1
    assert told["loss"] > 0
    ran = load_recipe(str(tmp_path / "out" / "recipe.yaml"))
    assert (ran.batch, ran.steps, ran.model, ran.learning_rate) == (1, 1, str(tiny), 1e-5)
    code, out, err = command(*arguments)
    assert code == 0
    assert "trained: " in out
    code, _, err = command(*arguments, "--set", "seed=4")
    assert code == 2
    assert "another seed" in err


@pytest.mark.train
def test_without_torch_it_says_what_to_install(
    files: dict[str, Path], command: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    code, _, err = command("sft", "--config", files["config"], "--model", files["model"], "--data", files["data"])
    assert code == 3
    assert "pip install 'saccade[train]'" in err


def test_help_shows_examples(command: Any) -> None:
    for stage in ("sft", "grpo", "prm"):
        code, out, _ = command(stage, "--help")
        assert code == 0
        assert f"saccade train {stage} --config" in out
