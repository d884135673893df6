"""A chat server that answers as three makers' models and AgentNet's do gets tasks done, judged on their files."""

from __future__ import annotations

from pathlib import Path

import pytest

from desktop_formats import FORMATS, TASKS, do_tasks

pytest_plugins = ["desktop_fixtures"]
pytestmark = [pytest.mark.desktop, pytest.mark.slow, pytest.mark.usefixtures("installed")]

NEEDED = {"click", "double_click", "right_click", "drag", "swipe", "press", "type", "answer", "terminate"}


@pytest.mark.parametrize("name", FORMATS)
def test_tasks_with_all_types_of_actions_are_done_in_the_format(name: str, tmp_path: Path) -> None:
    """The benchmark does one more, which needs no other type of action."""
    tasks = TASKS[:4]
    problems, types = do_tasks(name, tmp_path, tasks=tasks)
    assert problems == dict.fromkeys([task for task, _ in tasks], "")
    assert types == NEEDED
