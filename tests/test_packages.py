"""The four wheels in an environment outside the repository that nobody can write to: their sizes, and a phone task."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

from saccade_phone.ui_kits import UI_KITS

pytestmark = [pytest.mark.slow, pytest.mark.browser]

ROOT = Path(__file__).resolve().parents[1]
MEGABYTE = 1_000_000
PACKAGES = {
    "saccade": (ROOT, 3),
    "saccade_phone": (ROOT / "packages/phone", 3),
    "saccade_mini": (ROOT / "packages/mini", 64),
    "saccade_vision": (ROOT / "packages/vision", 8),
}
"""Import name → folder, and the largest wheel in megabytes."""


def run(
    *command: str | Path, cwd: Path | None = None, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    words = list(map(str, command))
    done = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False, cwd=cwd, env=env)
    assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"
    return done


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Built with the hatchling that is installed: nothing is downloaded."""
    out = tmp_path_factory.mktemp("wheels")
    for folder, _ in PACKAGES.values():
        run(sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", out, cwd=folder)
    return {name: next(out.glob(f"{name}-*.whl")) for name in PACKAGES}


@pytest.fixture(scope="module")
def python(wheels: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An interpreter with the four wheels, which nobody may write to.

    What they depend on is not downloaded again: a .pth file leads to the packages of the present environment, behind
    the new environment's own. Editable installations there do not count: their .pth files are not read.
    """
    environment = tmp_path_factory.mktemp("outside") / "environment"
    venv.create(environment, with_pip=False, symlinks=True)
    interpreter = environment / "bin" / "python"
    site = next((environment / "lib").glob("python*")) / "site-packages"
    into: list[str | Path] = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        interpreter,
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
        "--no-compile",
    ]
    run(*into, *wheels.values())
    (site / "dependencies.pth").write_text(f"{sysconfig.get_path('purelib')}\n{sysconfig.get_path('platlib')}\n")
    for path in [environment, *environment.rglob("*")]:
        if not path.is_symlink():
            path.chmod(path.stat().st_mode & ~0o222)
    return interpreter


def read_only() -> list[str | Path]:
    """Before a command: root may write to any file, unless it gives up that right."""
    if os.geteuid() != 0:
        return []
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        pytest.skip("root can write to read-only files, and there is no setpriv to stop it")
    return [setpriv, "--bounding-set=-dac_override"]


def test_wheels_are_small(wheels: dict[str, Path]) -> None:
    sizes = {name: wheel.stat().st_size / MEGABYTE for name, wheel in wheels.items()}
    assert all(sizes[name] <= largest for name, (_, largest) in PACKAGES.items()), sizes
    versions = {wheel.name.split("-")[1] for wheel in wheels.values()}
    assert len(versions) == 1


def test_scoring_imports_nothing_heavy(python: Path, tmp_path: Path) -> None:
    code = (
        "import sys, saccade.scoring, saccade.scoring.profiles, saccade.scoring.rewards\n"
        "print(saccade.scoring.__file__)\n"
        "assert not {'onnxruntime', 'torch', 'playwright', 'tokenizers'} & set(sys.modules)"
    )
    assert run(python, "-c", code, cwd=tmp_path).stdout.startswith(str(python.parents[1]))


def test_a_phone_task_with_the_mini_from_a_read_only_installation(python: Path, tmp_path: Path) -> None:
    """HOME and cache are new; the phone's UI kits are linked there instead of being downloaded again."""
    installed = python.parents[1]
    cache = tmp_path / "cache"
    kits = UI_KITS.ensure().parent
    (cache / "phone-kits").mkdir(parents=True)
    (cache / "phone-kits" / kits.name).symlink_to(kits)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    environment = kept | {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(cache), "SACCADE_CACHE": str(cache)}

    def do(*command: str | Path) -> str:
        return run(*read_only(), python, *command, cwd=tmp_path, env=environment).stdout

    with pytest.raises(AssertionError, match="Permission denied"):
        do("-c", f"open({str(installed / 'file')!r}, 'w')")
    for file in do("-c", "import saccade_phone as p, saccade_mini as m; print(p.__file__, m.__file__)").split():
        assert Path(file).is_relative_to(installed)
    words = ["--world", "phone/clock.start_timer", "--model", "mini", "--language", "en", "--seed", "1"]
    assert "success" in do("-m", "saccade", "run", *words, "--out", tmp_path / "run")
    assert (tmp_path / "run" / "replay.html").exists()
