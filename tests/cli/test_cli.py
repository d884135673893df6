"""`saccade score` and `saccade reward` as a user runs them: real files, right and wrong input."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from command import saccade

from saccade import __version__
from saccade.cli import main

EXAMPLE = Path(__file__).parents[2] / "src" / "saccade" / "examples" / "steps.jsonl"


def json_lines(*arguments: str | Path) -> list[dict[str, Any]]:
    done = saccade(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def record(**changes: Any) -> dict[str, Any]:
    whole = {
        "id": "s1",
        "screen": [1000, 2000],
        "truth": [{"type": "click", "point": [50, 50], "box": [0, 0, 100, 100]}],
        "prediction": {"type": "click", "point": [60, 60]},
    }
    return {key: value for key, value in (whole | changes).items() if value is not ...}


@pytest.fixture
def steps(tmp_path: Path) -> Any:
    def write(*records: Any) -> Path:
        file = tmp_path / "steps.jsonl"
        lines = [item if isinstance(item, str) else json.dumps(item, ensure_ascii=False) for item in records]
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return file

    return write


def test_score_all_profiles_as_json() -> None:
    lines = json_lines("score", EXAMPLE, "--profile", "all")
    assert [line["profile"] for line in lines] == [
        "btl",
        "gui-r1",
        "os-atlas",
        "qwen",
        "qwen-infigui",
        "odyssey",
        "aitw",
        "guidnav",
        "aitz",
        "cmgui",
        "screenspot",
    ]
    for line in lines:
        wanted = (
            {"accuracy"} if line["profile"] == "screenspot" else {"type", "gr", "sr", "step_accuracy", "task_accuracy"}
        )
        assert wanted <= line["metrics"].keys()
        for figure in line["metrics"].values():
            assert 0 <= figure["low"] <= figure["value"] <= figure["high"] <= 1
    assert {line["n"] for line in lines} == {21, 13}
    assert "language=zh" in lines[0]["groups"]


def test_score_prints_tables_and_disagreement() -> None:
    done = saccade("score", EXAMPLE, "--profile", "btl,qwen")
    assert done.returncode == 0
    assert "BTL-UI, released reward functions" in done.stdout
    assert "language=zh" in done.stdout
    assert "right under some rules and wrong under others" in done.stdout
    assert "…" not in done.stdout


def test_prediction_and_raw_output_agree(steps: Any) -> None:
    link = json.dumps({"Plan": "p", "Action": {"function": "Tap", "position": [60, 60]}})
    output = f"<blink>None</blink><think>t</think><link>{link}</link>"
    raw = record(prediction=..., output=output, paradigm="btl")
    (parsed,), (read,) = json_lines("score", steps(record())), json_lines("score", steps(raw))
    assert parsed == read
    assert parsed["metrics"]["sr"]["value"] == 1


def test_null_prediction_is_wrong_but_counted(steps: Any) -> None:
    (line,) = json_lines("score", steps(record(), record(id="s2", prediction=None)))
    assert (line["n"], line["metrics"]["sr"]["value"]) == (2, 0.5)


def test_coordinates_of_raw_outputs(steps: Any) -> None:
    raw = record(prediction=..., output='<answer>{"coordinate": [60, 30]}</answer>', paradigm="point")
    values = [
        json_lines("score", steps(raw), "--profile", "screenspot", "--coordinates", frame)[0]["metrics"]["accuracy"][
            "value"
        ]
        for frame in ("permille", "pixel", "unit")
    ]
    assert values == [1, 1, 0]


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("{not json", ":2: not JSON"),
        ("[1]", ":2: a step record is a JSON object"),
        (record(truth=...), ":2: truth: missing"),
        (record(prediction=...), ":2: prediction: missing (and no output either)"),
        (record(screen=...), ":2: missing required field `screen`"),
        (record(screen=["a", 1]), ":2: screen[0]: Expected `int`"),
        (record(screen=[0, 10]), ":2: `screen` needs a positive width"),
        (record(truth=[{"type": "click"}]), ":2: truth[0]: `point` is missing"),
        (record(truth=[{"type": "fly"}]), ":2: truth[0].type: Invalid enum value 'fly'"),
        (record(prediction={"type": "click", "point": [1, 2], "pont": 1}), "unknown field `pont`"),
        (record(prediction={"type": "click", "point": [1]}), ":2: prediction.point: Expected `array` of length 2"),
        (record(truth=[]), ":2: truth: there must be at least one"),
    ],
)
def test_bad_line_is_named_and_can_be_skipped(steps: Any, line: Any, complaint: str) -> None:
    file = steps(record(), line, record(id="s3"))
    done = saccade("score", file, "--json")
    assert done.returncode == 2
    assert complaint in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) == 1
    kept = saccade("score", file, "--json", "--keep-going")
    assert kept.returncode == 0
    assert json.loads(kept.stdout)["n"] == 2
    assert complaint in kept.stderr
    assert "skipped 1 of 3 records" in kept.stderr


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["score", "nowhere.jsonl"], "there is no file nowhere.jsonl"),
        (["score", "."], "is a folder"),
        (["score", EXAMPLE, "--profile", "qwn"], "unknown profile 'qwn' (did you mean qwen?)"),
        (["score", EXAMPLE, "--coordinates", "percent"], "unknown coordinate frame 'percent'"),
        (["score", EXAMPLE, "--swipe", "sideways"], "--swipe is 'sideways'"),
        (["reward", EXAMPLE, "--paradigm", "guidnav"], "unknown reward 'guidnav'"),
        (["reward", EXAMPLE, "--paradigm", "btl", "--profile", "nope"], "unknown profile 'nope'"),
        (["reward", EXAMPLE], "--paradigm"),
        (["scor"], "scor"),
    ],
)
def test_wrong_use_is_one_sentence_and_exit_2(arguments: list[Any], complaint: str) -> None:
    done = saccade(*arguments)
    assert done.returncode == 2
    assert complaint in done.stderr
    assert "Traceback" not in done.stderr + done.stdout


def test_unknown_paradigm_in_a_record(steps: Any) -> None:
    done = saccade("score", steps(record(prediction=..., output="x", paradigm="bt")))
    assert done.returncode == 2
    assert "unknown paradigm 'bt' (did you mean btl?)" in done.stderr
    done = saccade("score", steps(record(prediction=..., output="x")))
    assert done.returncode == 2
    assert "step s1: paradigm: missing" in done.stderr


def test_binary_and_empty_files(tmp_path: Path) -> None:
    (tmp_path / "b.jsonl").write_bytes(b"\x89PNG\xff\xfe")
    (tmp_path / "e.jsonl").write_text("")
    for name, complaint in [("b.jsonl", "not UTF-8"), ("e.jsonl", "holds no step record")]:
        done = saccade("score", tmp_path / name)
        assert (done.returncode, complaint in done.stderr) == (2, True)


def test_nothing_to_judge(steps: Any) -> None:
    done = saccade("score", steps(record(truth=[{"type": "wait"}])), "--profile", "screenspot")
    assert done.returncode == 2
    assert "no step that screenspot can judge" in done.stderr


def test_reward_as_json() -> None:
    lines = json_lines("reward", EXAMPLE, "--paradigm", "btl")
    assert len(lines) == 21
    assert lines[0] == {"id": "alarm-0", "total": 3.0, "parts": {"format": 1.0, "blink": 1.0, "link": 1.0}}
    assert lines[-1]["total"] == 0


@pytest.mark.parametrize(
    ("paradigm", "names"),
    [
        ("btl", ["format", "blink", "link"]),
        ("uiloop", ["format", "location", "lingualisation", "leverage"]),
        ("secagent", ["format", "action"]),
    ],
)
def test_reward_parts(paradigm: str, names: list[str]) -> None:
    found = [list(line["parts"]) for line in json_lines("reward", EXAMPLE, "--paradigm", paradigm)]
    lacking = ["format", "leverage"]  # a step on which nothing matters has nothing to locate
    assert len(found) == 21 and found.count(names) >= 14
    assert all(each == names or (paradigm == "uiloop" and each == lacking) for each in found)
    table = saccade("reward", EXAMPLE, "--paradigm", paradigm)
    assert table.returncode == 0
    for name in [*names, "total"]:
        assert name in table.stdout


@pytest.mark.parametrize("profile", ["aitw", "guidnav", "screenspot", "aitz", "qwen"])
def test_reward_under_any_profile(profile: str) -> None:
    """Also under those that judge whole gestures: UILoop's leverage asks for their test of a point."""
    for paradigm in ("btl", "uiloop", "secagent"):
        assert len(json_lines("reward", EXAMPLE, "--paradigm", paradigm, "--profile", profile)) == 21


def test_help_has_examples_and_version() -> None:
    for command in ("score", "reward"):
        assert f"saccade {command} steps.jsonl" in saccade(command, "--help").stdout
    assert saccade("--version").stdout.strip() == __version__


def test_closed_pipe_is_quiet() -> None:
    command = f"{sys.executable} -m saccade score {EXAMPLE} --profile all | head -1"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=60, check=False)
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("raised", "code", "said"),
    [
        (KeyboardInterrupt(), 130, "saccade: interrupted\n"),
        (OSError(28, "No space left on device"), 1, "saccade: [Errno 28] No space left on device\n"),
        (
            TypeError("1 + 'a'"),
            1,
            "saccade: a mistake of ours, TypeError: 1 + 'a'; SACCADE_TRACEBACK=1 shows where, for a report\n",
        ),
    ],
)
def test_ctrl_c_and_our_own_mistakes_get_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], raised: BaseException, code: int, said: str
) -> None:
    def fails() -> list[str]:
        raise raised

    monkeypatch.delenv("SACCADE_TRACEBACK", raising=False)
    monkeypatch.setattr("saccade.cli.train.recipes", fails)
    monkeypatch.setattr(sys, "argv", ["saccade", "train", "list"])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == code
    assert capfd.readouterr().err == said
    if isinstance(raised, TypeError):
        monkeypatch.setenv("SACCADE_TRACEBACK", "1")
        with pytest.raises(TypeError):
            main()


def test_only_the_command_that_is_called_is_imported() -> None:
    program = "import sys\nfrom saccade.cli import main\ntry:\n    main()\nfinally:\n    print(*sys.modules)"
    words = [sys.executable, "-c", program, "score", "--help"]
    said = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()
    assert "saccade.cli.score" in said
    assert not {"saccade.cli.bench", "saccade.cli.data", "saccade.cli.studio", "saccade.cli.train"} & set(said)


def test_a_command_that_is_not_there_is_told_with_a_near_one() -> None:
    done = saccade("bensh", "--help")
    assert done.returncode == 2
    assert "unknown command 'bensh' (did you mean bench?)" in done.stderr
