"""What a plug-in does wrong is told as the plug-in's: one sentence with its file and line, and what was expected."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import saccade
from typer.testing import CliRunner

from saccade.cli import app
from saccade.errors import InputError

PLUGIN = Path(__file__).parents[2] / "examples" / "plugins" / "counter_world.py"
RUN = ["run", "--world", "counter/3", "--model", "oracle", "--with", "start=1"]
BENCH = ["bench", "counter", "--model", "oracle", "--limit", "2"]
COLLECT = ["data", "collect", "counter", "--episodes", "2"]


@pytest.fixture(autouse=True)
def jobs_in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """For all tests that do not say `--engine local`."""
    monkeypatch.setenv("SACCADE_ENGINE", "inline")


def refused(tmp_path: Path, text: str, *words: str) -> str:
    file = tmp_path / "mine.py"
    file.write_text(text, encoding="utf-8")
    out = [] if words[:1] == ("worlds",) else ["--out", str(tmp_path / "out")]
    result = CliRunner().invoke(app, [*words, *out, "--plugin", str(file)])
    assert isinstance(result.exception, InputError), (result.output, result.exception)
    said = str(result.exception)
    assert "\n" not in said
    return said.replace(str(file), "mine.py")


def changed(*pairs: tuple[str, str]) -> str:
    """The example with some of its text changed."""
    text = PLUGIN.read_text(encoding="utf-8")
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    return text


def line_of(text: str, part: str) -> int:
    return next(at for at, line in enumerate(text.splitlines(), 1) if part in line)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("x = (1,\n", "mine.py, line 1: not valid Python"),
        ("import os\nimport nothing_of_that_name\n", "mine.py, line 2: it cannot be loaded (ModuleNotFoundError"),
        ("def f():\n    return 1 / 0\n\nf()\n", "mine.py, line 2: it cannot be loaded (ZeroDivisionError"),
        ("x = 1\n", "mine.py has no mapping of that name"),
        ("SACCADE = [1]\n", "mine.py has no mapping of that name"),
        ('SACCADE = {"world": {}}\n', "mine.py, line 1: there is no group 'world': use worlds, tasks, suites"),
        (
            '\nSACCADE = {"worlds": [1]}\n',
            "mine.py, line 2: 'worlds' must be a mapping from names to objects, got list",
        ),
        ('SACCADE = {"worlds": {"browser": print}}\n', "mine.py, line 1: there is a built-in world 'browser'"),
    ],
)
def test_a_file_that_cannot_be_used(tmp_path: Path, text: str, says: str) -> None:
    assert says in refused(tmp_path, text, "worlds", "list")


def test_a_file_that_is_not_there() -> None:
    result = CliRunner().invoke(app, ["worlds", "list", "--plugin", "nowhere.py"])
    assert "there is no plug-in file nowhere.py" in str(result.exception)
    assert "--plugin needs a file" in str(CliRunner().invoke(app, ["worlds", "list", "--plugin"]).exception)


@pytest.mark.parametrize(
    ("group", "words", "expected"),
    [
        ("worlds", ["run", "--world", "odd", "--model", "oracle"], "a function open(rest, **options) that returns"),
        ("suites", ["bench", "odd", "--model", "oracle"], "a Suite"),
        ("tasks", ["tasks", "list", "--world", "odd"], "a TaskCatalog"),
        ("players", ["data", "collect", "miniwob", "--episodes", "1", "--player", "odd", "--out", "x"], "a function"),
        ("models", ["data", "collect", "miniwob", "--episodes", "1", "--player", "odd/x", "--out", "x"], "a function"),
        ("commands", ["odd"], "a function or a typer.Typer"),
    ],
)
def test_an_object_of_the_wrong_kind(tmp_path: Path, group: str, words: list[str], expected: str) -> None:
    file = tmp_path / "mine.py"
    file.write_text(f'\nSACCADE = {{"{group}": {{"odd": 3}}}}\n')
    result = CliRunner().invoke(app, [*words, "--plugin", str(file)])
    assert isinstance(result.exception, InputError), result.output
    said = f"the plug-in {file}, line 2: an entry of '{group}' must be {expected}"
    assert said in str(result.exception) and str(result.exception).endswith("got int")


@pytest.mark.parametrize("words", [RUN, BENCH, COLLECT], ids=["run", "bench", "collect"])
@pytest.mark.parametrize(
    ("old", "method"),
    [
        ("        self.over = False\n        self.value = random", "reset"),
        ("        if action.point is not None:", "act"),
        ("        missing = self.world.goal", "_teach"),
    ],
)
def test_an_exception_in_a_method_later(tmp_path: Path, words: list[str], old: str, method: str) -> None:
    """The traceback's innermost line of theirs."""
    check_exception(tmp_path, words, old, method)


@pytest.mark.parametrize("words", [BENCH, COLLECT], ids=["bench", "collect"])
def test_an_exception_in_a_worker_process(tmp_path: Path, words: list[str]) -> None:
    check_exception(tmp_path, [*words, "--engine", "local"], "        if action.point is not None:", "act")


def check_exception(tmp_path: Path, words: list[str], old: str, method: str) -> None:
    text = changed((old, "        {}['gone']\n" + old))
    said = refused(tmp_path, text, *words)
    kind = "CounterTeacher" if method == "_teach" else "CounterWorld"
    place = f"the plug-in mine.py, line {line_of(text, 'gone')}, in {kind}.{method}: KeyError: 'gone'"
    assert said.startswith(place), said
    assert f"(expected: {'Teacher' if method == '_teach' else 'World'}.{method}(self" in said


@pytest.mark.parametrize(
    ("pairs", "says"),
    [
        ([("    return CounterWorld(read_goal(goal), start, colour)", "    return 5")], "it must return a World"),
        ([("self.start\n        return self.observe()", "self.start")], "CounterWorld.reset returned NoneType"),
        ([('"terminate"\n        return self.observe()', '"terminate"')], "CounterWorld.act returned NoneType"),
        ([("return Lesson([Action(\"click\"", "return ([Action(\"click\""), (", tags=tags)\n\n\ndef", ")\n\n\ndef")],
         "CounterTeacher._teach returned tuple: it must return a Lesson"),
        ([("def reset(self, seed: int | None = None, task: str | None = None)", "def reset(self)")],
         "CounterWorld.reset() takes 1 positional argument but 2 were given (expected: World.reset"),
        ([("    def close(self) -> None:\n        self.over = True\n", "")], "Can't instantiate abstract class"),
        ([('Action("click", box.center, box)', 'Action("click", "here", box)')], "`point` of click is 'here'"),
        ([('Action("click", box.center, box)', 'Action("push", box.center, box)')], "`type` is 'push'"),
    ],
)  # fmt: skip
def test_what_is_returned_or_called_wrongly(tmp_path: Path, pairs: list[tuple[str, str]], says: str) -> None:
    said = refused(tmp_path, changed(*pairs), *RUN)
    assert says in said and "mine.py, line " in said


def test_a_value_of_the_wrong_type_deep_inside(tmp_path: Path) -> None:
    """No line of theirs is in the traceback: at least the file is named."""
    text = changed(("screen = Screen(SIZE, Picture(self.drawn(), SIZE), elements)", "screen = 7"))
    said = refused(tmp_path, text, *RUN)
    assert "AttributeError: 'int' object has no attribute" in said
    assert said.endswith("the plug-in mine.py may have given something of the wrong type")


def test_a_world_that_breaks_is_no_mistake(tmp_path: Path) -> None:
    """The run ends as broken, as with any other world."""
    text = changed(
        (
            "from saccade.worlds.base import Observation",
            "from saccade.worlds.base import InfrastructureError, Observation",
        ),
        ("        if action.point is not None:", "        raise InfrastructureError('the battery is empty')"),
    )
    file = tmp_path / "mine.py"
    file.write_text(text.replace("            self.value +=", "        self.value +="), encoding="utf-8")
    result = CliRunner().invoke(app, [*RUN, "--out", str(tmp_path / "out"), "--plugin", str(file)])
    assert result.exit_code == 1 and "broken" in result.stdout and "the battery is empty" in result.stdout


def test_a_player_must_choose_an_action(tmp_path: Path) -> None:
    text = changed(('    "worlds": {"counter"', '    "players": {"lazy": lambda *_: None},\n    "worlds": {"counter"'))
    said = refused(tmp_path, text, *COLLECT, "--player", "lazy")
    assert f"mine.py, line {line_of(text, 'lazy')}: a player must return an Action, got NoneType" in said


def test_a_wrong_option_of_its_world_is_the_users(tmp_path: Path) -> None:
    said = refused(tmp_path, changed(), *RUN, "--with", "size=3")
    assert said.startswith("the world counter/3:") and "'size'" in said


def test_two_files_with_the_same_name(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(changed())
    (tmp_path / "b.py").write_text(changed())
    result = CliRunner().invoke(
        app, ["worlds", "list", "--plugin", str(tmp_path / "a.py"), "--plugin", str(tmp_path / "b.py")]
    )
    assert "both bring 'counter' in 'worlds': rename one" in str(result.exception)


def test_on_the_command_line_it_is_one_sentence_and_exit_code_2(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    text = changed(("        if action.point is not None:", "        1 / 0\n        if action.point is not None:"))
    file.write_text(text)
    done = saccade(*COLLECT, "--plugin", file, "--out", tmp_path / "out")
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and "a mistake of ours" not in done.stderr
    assert f"saccade: the plug-in {file}, line {line_of(text, '1 / 0')}, in CounterWorld.act: " in done.stderr


def test_a_command_of_its_own(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    body = 'def hello(name: str = "you") -> None:\n    """Say hello."""\n    typer.echo(f"hello {name}")\n'
    file.write_text(f'import typer\n\n\n{body}\n\nSACCADE = {{"commands": {{"hello": hello}}}}\n')
    assert CliRunner().invoke(app, ["hello", "--name", "Ada", "--plugin", str(file)]).stdout == "hello Ada\n"
    assert "Say hello." in CliRunner().invoke(app, ["--help", "--plugin", str(file)]).stdout
    without = saccade("hello")
    assert (without.returncode, without.stderr.partition(":")[0]) == (2, "saccade")
    assert "unknown command 'hello'" in without.stderr
