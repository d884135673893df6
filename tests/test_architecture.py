"""The house rules that a machine can check: imports only go down the floors, files stay small, nothing is evaluated."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "saccade"
FLOORS = [
    {"errors", "geometry", "registry"},
    {"actions"},
    {"types"},
    {"records"},
    {"paradigms"},
    {"scoring"},
    {"screens"},
    {"models"},
    {"worlds"},
    {"agents"},
    {"data"},
    {"bench", "train"},
    {"cli"},
]
FILES = sorted(SOURCE.rglob("*.py"))


def floor(room: str) -> int:
    return next(at for at, rooms in enumerate(FLOORS) if room in rooms)


def imports(tree: ast.AST) -> list[str]:
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            found.append(node.module)
        elif isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
    return found


@pytest.mark.parametrize("file", FILES, ids=[str(file.relative_to(SOURCE)) for file in FILES])
def test_house_rules(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    tree = ast.parse(text)
    assert text.count("\n") <= 400, "more than one room?"
    room = file.relative_to(SOURCE).parts[0].removesuffix(".py")
    for module in imports(tree):
        parts = module.split(".")
        if parts[0] == "saccade" and len(parts) > 1 and not room.startswith("__"):
            assert floor(parts[1]) <= floor(room), f"{room} must not import {module}"
    called = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    assert not called & {"eval", "exec", "compile", "__import__"}
    assert not set(imports(tree)) & {"pickle", "marshal", "shelve", "ast"}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            assert (node.end_lineno or 0) - node.lineno <= 60, f"{node.name} does not fit a screen"
