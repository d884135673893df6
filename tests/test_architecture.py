"""The house rules that a machine can check: which room may import which, no circles, nothing evaluated, small files."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
CORE = ROOT / "src" / "saccade"
PACKAGES = [CORE, *(ROOT / f"packages/{name}/src/saccade_{name}" for name in ("phone", "mini", "vision"))]
GROUND = (
    *(
        "errors",
        "geometry",
        "typed_values",
        "untrusted",
        "memory_limit",
        "plugins",
        "registry",
        "actions",
        "types",
        "records",
    ),
    "npm_packages",
)
FLOORS = (
    "paradigms",
    "scoring",
    "screens",
    "models",
    "worlds",
    "agents",
    "engines",
    "data",
    "train",
    "bench",
    "studio",
    "cli",
)
"""From the lowest: a room imports from the ground floor and from rooms before it."""
NOT_ALLOWED = {("worlds", "models"), ("train", "worlds"), ("bench", "train"), ("studio", "train")}
"""Rooms that know nothing of another although it lies below."""
LONGEST_FILE, LONGEST_FUNCTION = 400, 60


class SourceFile(NamedTuple):
    """A source file: its package's folder, its own path, its imports, calls and functions."""

    package: Path
    file: Path
    nodes: list[ast.AST]


@cache
def sources() -> list[SourceFile]:
    """Every source file. Each is parsed and walked through once: that is what takes time here."""
    kinds = (ast.Import, ast.ImportFrom, ast.Call, ast.FunctionDef)
    found = []
    for package in PACKAGES:
        for file in sorted(package.rglob("*.py")):
            tree = ast.parse(file.read_text(encoding="utf-8"))
            found.append(SourceFile(package, file, [node for node in ast.walk(tree) if isinstance(node, kinds)]))
    return found


def imported(nodes: list[ast.AST]) -> list[tuple[str, list[str]]]:
    found: list[tuple[str, list[str]]] = []
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module:
            found.append((node.module, [alias.name for alias in node.names]))
        elif isinstance(node, ast.Import):
            found += [(alias.name, []) for alias in node.names]
    return found


def test_core_rooms_import_only_downwards() -> None:
    wrong = []
    for package, file, nodes in sources():
        room = file.relative_to(package).parts[0].removesuffix(".py")
        if package != CORE or room.startswith("__"):
            continue
        for module, _ in imported(nodes):
            top, _, rest = module.partition(".")
            other = rest.partition(".")[0]
            if top.startswith("saccade_"):
                wrong.append(f"{file}: the core must not import {module}")
            elif top == "saccade" and other and other != room and not allowed(room, other):
                wrong.append(f"{file}: {room} must not import {module}")
    assert not wrong, "\n".join(wrong)


def allowed(room: str, other: str) -> bool:
    if other in GROUND:
        return room not in GROUND or GROUND.index(other) < GROUND.index(room) or {room, other} <= {"errors", "geometry"}
    return room in FLOORS and FLOORS.index(other) < FLOORS.index(room) and (room, other) not in NOT_ALLOWED


def test_no_room_imports_private_names_of_another() -> None:
    wrong = []
    for package, file, nodes in sources():
        for module, names in imported(nodes):
            own = file.relative_to(package.parent).with_suffix("").as_posix().replace("/", ".")
            same_room = module.split(".")[:2] == own.split(".")[:2]
            if module.startswith("saccade") and not same_room:
                wrong += [
                    f"{file}: {module}.{name}" for name in names if name.startswith("_") and name != "__version__"
                ]
    assert not wrong, "\n".join(wrong)


def test_no_circle_of_imports() -> None:
    """Also not inside functions: a late import hides a circle, it does not open it."""
    graph: dict[str, set[str]] = {}
    modules = {name_of(package, file) for package, file, _ in sources()}
    for package, file, nodes in sources():
        own = name_of(package, file)
        found = {module for module, _ in imported(nodes)}
        found |= {f"{module}.{name}" for module, names in imported(nodes) for name in names}
        graph[own] = {each for each in found if each in modules and each != own}
    assert not (circle := find_circle(graph)), " → ".join(circle)


def name_of(package: Path, file: Path) -> str:
    parts = file.relative_to(package.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def find_circle(graph: dict[str, set[str]]) -> list[str]:
    done: set[str] = set()
    for start, first in graph.items():
        path = [start]
        stack = [(start, iter(sorted(first)))]
        while stack:
            node, rest = stack[-1]
            following = next(rest, None)
            if following is None:
                done.add(node)
                stack.pop()
                path.pop()
            elif following in path:
                return [*path[path.index(following) :], following]
            elif following not in done:
                stack.append((following, iter(sorted(graph[following]))))
                path.append(following)
    return []


def test_files_and_functions_fit_a_screen_and_evaluate_nothing() -> None:
    wrong = []
    for _, file, nodes in sources():
        if (lines := file.read_text(encoding="utf-8").count("\n")) > LONGEST_FILE:
            wrong.append(f"{file}: {lines} lines: more than one room?")
        for node in nodes:
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                if node.func.id in {"eval", "exec", "compile", "__import__"}:
                    wrong.append(f"{file}:{node.lineno}: {node.func.id}")
            elif isinstance(node, ast.FunctionDef) and (node.end_lineno or 0) - node.lineno > LONGEST_FUNCTION:
                wrong.append(f"{file}:{node.lineno}: {node.name} is longer than a screen")
        wrong += [f"{file}: imports {name}" for name, _ in imported(nodes) if name in {"pickle", "marshal", "shelve"}]
    assert not wrong, "\n".join(wrong)
