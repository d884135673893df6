"""The framework of pipelines: what is kept, dropped, asked, paid for and written, also after kill -9."""

from __future__ import annotations

import json
import re
import time
from hashlib import sha256
from io import BytesIO
from pathlib import Path

import msgspec
import pytest
from command import saccade
from fake_openai import Behaviour, Handler, failing, serving, whole
from PIL import Image

from forks import begin_fork, kill_fork
from saccade.data.synthesis.manifest import Manifest
from saccade.records import write_steps
from saccade.types import Step

PLUGIN = Path(__file__).parent / "pipeline_plugin.py"
SCREENS = 24


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Screens of one colour each; the last one is the picture of the first again."""
    folder = tmp_path_factory.mktemp("records")
    (folder / "screens").mkdir()
    steps = []
    for at in range(SCREENS):
        drawn = BytesIO()
        Image.new("RGB", (20, 40), (at % (SCREENS - 1) * 9, 80, 120)).save(drawn, "PNG")
        (folder / "screens" / f"{at}.png").write_bytes(drawn.getvalue())
        steps.append(Step(id=f"r{at:02}", screen=(20, 40), image=f"screens/{at}.png", instruction="open it"))  # type: ignore[arg-type]
    write_steps(folder / "steps.jsonl", steps)
    return folder


def titled(handler: Handler) -> None:
    """A title that depends on what was asked alone; every fifth answer breaks the rules at first."""
    told = json.dumps(handler.body["messages"])
    number = int(sha256(told.encode()).hexdigest()[:8], 16)
    again = len(handler.body["messages"]) > 1
    title = "short" if number % 5 == 0 and not again else f"title {number % 17}"
    whole(json.dumps({"title": title}))(handler)


def command(records: Path, out: Path, *more: str) -> list[str]:
    return ["--plugin", str(PLUGIN), "data", "blink", str(records), "--config", "titles", "--out", str(out), *more]


def made(out: Path) -> dict[str, bytes]:
    """The data set and every stage's output, without what is on the way."""
    files = [file for file in sorted(out.rglob("*")) if file.is_file() and file.name != ".lock"]
    return {file.relative_to(out).as_posix(): file.read_bytes() for file in files}


def manifest(out: Path) -> Manifest:
    return msgspec.json.decode((out / "manifest.json").read_bytes(), type=Manifest)


def test_the_teacher_answers_without_a_model(records: Path, tmp_path: Path) -> None:
    done = saccade(*command(records, tmp_path / "a", "--seed", "1"))
    assert done.returncode == 0, done.stderr
    found = manifest(tmp_path / "a")
    source, thin, title, review, once = found.stages
    assert (source.made, thin.taken, thin.made) == (SCREENS, SCREENS, title.taken)
    assert thin.dropped["the lot fell on it"].count == SCREENS - thin.made
    assert len(thin.dropped["the lot fell on it"].examples) == 3
    assert (review.taken, review.made, once.made) == (thin.made, thin.made, found.samples)
    assert once.facts == {"titles": once.made} and not found.paid and found.licence == "CC0"
    steps = (tmp_path / "a" / "steps.jsonl").read_text().splitlines()
    assert json.loads(steps[0])["instruction"].startswith("taught r")
    assert saccade("data", "check", str(tmp_path / "a"), "--json").returncode == 1, "titles have no right action"
    assert (tmp_path / "a" / "sheet.jpg").stat().st_size > 1000
    assert "the lot fell on it" in (tmp_path / "a" / "README.md").read_text()
    again = saccade(*command(records, tmp_path / "b", "--seed", "1", "--engine", "local", "--workers", "2"))
    assert again.returncode == 0 and made(tmp_path / "a") == made(tmp_path / "b")
    other = saccade(*command(records, tmp_path / "a", "--seed", "2"))
    assert other.returncode == 2 and "made otherwise (model, seed differ)" in other.stderr


def test_answers_are_asked_for_again_once_and_paid_for_once(records: Path, tmp_path: Path) -> None:
    with serving(titled) as server:
        model = ("--model", "openai/tester", "--base-url", server.url, "--set", "thin_out.share=0")
        done = saccade(*command(records, tmp_path / "a", *model, "--engine", "local", "--workers", "2"))
        assert done.returncode == 0, done.stderr
        asked = [json.dumps(body["messages"]) for body in server.bodies]
        assert len(asked) == len(set(asked)), "no question was asked twice"
        repeated = [body for body in server.bodies if len(body["messages"]) > 1]
        assert repeated and "one word: write at least two" in json.dumps(repeated[0]["messages"])
        found = manifest(tmp_path / "a")
        assert found.paid["title_writer"].calls == len(asked)
        assert set(found.roles["title_writer"]) == {"en", "zh"}
        before = len(asked)
        assert saccade(*command(records, tmp_path / "a", *model)).returncode == 0
        assert len(server.bodies) == before, "a finished data set asks nothing"


def test_what_stays_unusable_is_dropped_and_counted(records: Path, tmp_path: Path) -> None:
    with serving(whole('{"title": "short"}')) as server:
        model = ("--model", "openai/tester", "--base-url", server.url, "--max-items", "5")
        done = saccade(*command(records, tmp_path / "a", *model, "--set", "thin_out.share=0"))
        assert done.returncode == 0, done.stderr
    stage = manifest(tmp_path / "a").stages[2]
    gone = stage.dropped["the title_writer's answer breaks the rules"]
    assert gone.count == 5 and gone.examples[0].detail == "the title has one word: write at least two"


def test_a_broken_server_loses_nothing(records: Path, tmp_path: Path) -> None:
    def limited(most: int) -> Behaviour:
        def answer(handler: Handler) -> None:
            number = len(handler.fake.asked)
            (titled if number <= most else failing(400, "no more"))(handler)

        return answer

    with serving(limited(6)) as server:
        model = ("--model", "openai/tester", "--base-url", server.url, "--workers", "1")
        broken = saccade(*command(records, tmp_path / "a", *model))
        assert broken.returncode == 2 and "no more" in broken.stderr, broken.stderr
        stored = len(list((tmp_path / "a" / "answers").glob("??/*.json")))
        assert stored == 6
        server.script = [titled]
        assert saccade(*command(records, tmp_path / "a", *model)).returncode == 0
        fine = [json.dumps(each.body["messages"]) for each in server.asked[:6] + server.asked[7:]]
        assert len(fine) == len(set(fine)), "what was answered before is not asked again"


def test_the_budget_stops_and_a_higher_one_goes_on(records: Path, tmp_path: Path) -> None:
    with serving(titled) as server:
        model = ["--model", "openai/gpt-4o", "--base-url", server.url, "--workers", "1"]
        stopped = saccade(*command(records, tmp_path / "a", *model, "--max-cost", "0.005"))
        assert stopped.returncode == 1 and "the limit of --max-cost $0.01" in stopped.stderr, stopped.stderr
        few = len(server.asked)
        assert 1 <= few < 10
        assert saccade(*command(records, tmp_path / "a", *model)).returncode == 0
        assert len(server.asked) > few


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--config", "nothing.yaml"), "there is no pipeline 'nothing.yaml'"),
        (("--set", "thin_out.shore=1"), "the stage thin_out: Object contains unknown field `shore`"),
        (("--set", "thick.share=1"), "give STAGE.KEY=VALUE with one of the stages thin_out"),
        (("--review", "some"), "--review is 'some': use none, all, or sample:SHARE"),
        (("--model", "heuristic"), "--model heuristic cannot answer as title_writer"),
        (("--elements", "vision"), "has no stage find_elements"),
    ],
)
def test_wrong_options(records: Path, tmp_path: Path, more: tuple[str, ...], said: str) -> None:
    done = saccade(*command(records, tmp_path / "a", *more))
    assert done.returncode == 2 and said in re.sub(r"\s+", " ", done.stderr), done.stderr


def test_stages_are_shown(records: Path, tmp_path: Path) -> None:
    done = saccade(*command(records, tmp_path / "a", "--stages", "--json"))
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["stage"] for line in lines] == ["thin_out", "write_title", "review", "once_per_title"]
    assert lines[0]["settings"] == {"share": 0.25} and not (tmp_path / "a").exists()


@pytest.mark.slow
def test_kill_9_at_any_moment_changes_nothing(records: Path, tmp_path: Path) -> None:
    def pausing(handler: Handler) -> None:
        time.sleep(0.02)
        titled(handler)

    with serving(pausing) as server:
        model = ("--model", "openai/tester", "--base-url", server.url, "--workers", "2")
        uninterrupted, killed = (command(records, tmp_path / name, *model) for name in ("whole", "killed"))
        assert saccade(*uninterrupted).returncode == 0
        for engine in ("local", "inline"):
            asked_before = len(server.bodies)
            child = begin_fork(lambda: saccade(*killed, "--engine", engine))  # noqa: B023
            kill_fork(child, lambda: len(server.bodies) > asked_before + 4)  # noqa: B023
        assert saccade(*killed).returncode == 0
        assert made(tmp_path / "whole") == made(tmp_path / "killed")
        asked = [json.dumps(body["messages"]) for body in server.bodies]
        different = len(set(asked))
        assert len(asked) <= 2 * different + 2 * 2, "only what was in flight when the process died is asked again"


def test_people_judge_and_the_same_command_goes_on(records: Path, tmp_path: Path) -> None:
    pytest.importorskip("fastapi", reason="needs the extra studio")
    from sqlalchemy.orm import Session  # noqa: PLC0415

    from saccade.studio.database.engine import database_address, open_database  # noqa: PLC0415
    from saccade.studio.database.review import ReviewItem  # noqa: PLC0415
    from saccade.studio.review.decisions import decide  # noqa: PLC0415
    from saccade.studio.review.queue import claim  # noqa: PLC0415

    out, database = tmp_path / "a", f"sqlite:///{tmp_path / 'review.db'}"
    asked = command(records, out, "--review", "all", "--database", database, "--max-items", "6")
    waiting = saccade(*asked)
    assert waiting.returncode == 1 and "items wait for people: saccade studio" in waiting.stderr, waiting.stderr
    engine = open_database(database_address(database, [out]))
    rejected = ""
    while (item := claim(engine, "Lin")) is not None:
        yes = {"feasible": True, "clear": True, "realistic": True}
        decide(engine, "Lin", item, json.dumps(yes if rejected else {"rejected": "blurred"}).encode())
        with Session(engine) as session:
            rejected = rejected or session.get_one(ReviewItem, item).title
    engine.dispose()
    done = saccade(*asked)
    assert done.returncode == 0, done.stderr
    found = manifest(out)
    assert found.stages[3].dropped["a person rejected it"].examples[0].detail == "blurred"
    assert found.stages[3].facts == {"asked": found.stages[3].taken, "share": 1.0} and found.review
    titles = [json.loads(line) for line in (out / "steps.jsonl").read_text().splitlines()]
    assert rejected not in [step["instruction"] for step in titles]
    assert all(step["tags"]["reviewed"] == "yes" for step in titles)


def test_wrong_input_is_one_sentence(records: Path, tmp_path: Path) -> None:
    """Each with exit code 2, and nothing else on stderr."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "words.txt").write_text("hello")
    out = ("--out", tmp_path / "out")
    wrong = {
        ("blink", tmp_path / "missing", *out): "there is no",
        ("ground", tmp_path / "empty", *out): "name the folder of a finished walk or collection",
        ("reverse", tmp_path / "words.txt", *out): "holds neither step records",
        ("blink", records, *out, "--model", "gpt-4"): "--model 'gpt-4' is unknown: use one of teacher, heuristic",
        ("blink", records, *out, "--model", "teachr"): r"did you mean teacher\?",
        ("blink", records, *out, "--set", "rank_elements"): "write STAGE.KEY=VALUE",
        ("blink", records, *out, "--set", "rank.keep=3"): "one of the stages find_elements, rank_elements",
        ("blink", records, *out, "--set", "rank_elements.keeps=3"): "its settings: keep, most_elements",
        ("blink", records, *out, "--templates", tmp_path / "missing"): "there is no folder",
        ("blink", records): "--out is missing",
    }
    for words, said in wrong.items():
        done = saccade("data", *words)
        assert done.returncode == 2 and re.search(said, done.stderr), (words, done.stderr)
        assert done.stderr.strip().count("\n") == 0, done.stderr
    assert saccade("data", "blink", records, *out, "--max-cost", "0").returncode == 0, "no limit"
