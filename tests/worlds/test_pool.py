"""Worlds from task to task: kept open where they can take another task, opened and closed for each where not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from saccade.errors import InputError
from saccade.plugins import plugins_loaded
from saccade.worlds import open_world, split_name, takes_option
from saccade.worlds.pool import WorldPool
from saccade.worlds.tasks import Task

PLUGIN = Path(__file__).parents[2] / "examples" / "plugins" / "counter_world.py"


@pytest.fixture
def counter() -> Iterator[None]:
    with plugins_loaded([str(PLUGIN)]):
        yield


@pytest.fixture
def counter_per_task(tmp_path: Path) -> Iterator[None]:
    file = tmp_path / "counter.py"
    file.write_text(PLUGIN.read_text(encoding="utf-8").replace("    def configure(", "    def reconfigure("))
    with plugins_loaded([str(file)]):
        yield


def task(goal: int, **options: object) -> Task:
    return Task("t", f"counter/{goal}", 0, dict(options))


def instruction(pool: WorldPool, wanted: Task) -> tuple[int, str]:
    with pool.world(wanted) as world:
        return id(world), world.reset(wanted.seed).instruction


def test_one_world_for_all_tasks(counter: None) -> None:
    pool = WorldPool({"start": 0})
    first, said = instruction(pool, task(3))
    assert said == "Set the counter to 3"
    assert instruction(pool, task(5, start=2)) == (first, "Set the counter to 5")
    with pool.world(task(2)) as world:
        assert not world.over  # type: ignore[attr-defined]
    pool.close()
    assert world.over, "it is closed"  # type: ignore[attr-defined]


def test_other_options_need_another_world(counter: None) -> None:
    pool = WorldPool({"colour": "khaki"})
    with pool.world(task(3)) as first:
        assert first.colour == "khaki"  # type: ignore[attr-defined]
    with pool.world(task(3, colour="pink")) as second:
        assert second is not first and second.colour == "pink"  # type: ignore[attr-defined]
    assert first.over and not second.over  # type: ignore[attr-defined]
    with pool.world(task(3, colour="pink", start=1)) as third:
        assert third is not second, "an option that only some tasks give must not stay for the others"
    pool.close()


def test_a_world_for_each_task_is_closed_after_it(counter_per_task: None) -> None:
    pool = WorldPool({"start": 0})
    with pool.world(task(3)) as first:
        assert not first.configurable and first.start == 0  # type: ignore[attr-defined]
    assert first.over  # type: ignore[attr-defined]
    with pytest.raises(ZeroDivisionError), pool.world(task(3)) as second:
        1 / 0  # noqa: B018
    assert second.over and second is not first  # type: ignore[attr-defined]


def test_names_and_options(counter: None) -> None:
    assert split_name("counter/3") == ("counter", "3") and split_name("android:") == ("android", "")
    assert takes_option("counter/3", "start") and not takes_option("counter/3", "language")
    with pytest.raises(InputError, match=r"the world counter/3: .*'size'"):
        open_world("counter/3", size=2)
