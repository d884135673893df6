"""The static site: opened from disk, without a server."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="needs the extra studio")
from playwright.sync_api import Page, expect
from run_folders import SIZE, logged, write_measurement, write_run
from studio_server import browser, page
from typer.testing import CliRunner

from saccade.cli import app
from saccade.errors import InputError
from saccade.studio.bundle import write_bundle
from saccade.studio.settings import StudioSettings

__all__ = ["browser", "page"]


@pytest.mark.slow
def test_a_site_opens_from_disk(tmp_path: Path, page: Page) -> None:
    folder, out = tmp_path / "in", tmp_path / "site"
    script = "</script><script>document.title='taken over'</script>"
    write_run(folder / "a", [logged(0, script), logged(1)], f"Set an alarm {script}")
    write_run(folder / "b", [], "打开蓝牙", "failure", model="mini")
    write_measurement(folder / "phone")
    result = CliRunner().invoke(app, ["studio", str(folder), "--bundle", str(out)])
    assert result.exit_code == 0, result.output
    assert "3 runs with 3 steps and 1 measurements" in result.output
    page.goto((out / "index.html").as_uri())
    expect(page.locator("#runs tbody tr")).to_have_count(3)
    page.get_by_label("Model").select_option("mini")
    expect(page.locator("#count")).to_have_text("1 runs")
    page.get_by_label("Model").select_option("")
    page.get_by_label("Search").fill("taken over")
    page.locator("#runs tbody a").click()
    expect(page.locator(".facts h2")).to_contain_text("Step 1")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".facts h2")).to_contain_text("Step 2")
    page.keyboard.press("1")
    assert page.locator(".frame img").evaluate("e => [e.clientWidth, e.naturalWidth]") == [SIZE[0], SIZE[0]]
    page.get_by_role("link", name="Measurements").click()
    page.get_by_role("link", name="phone").click()
    page.get_by_role("link", name="alarm-en-0").click()
    expect(page.get_by_role("link", name="Part of a measurement")).to_be_visible()
    assert "taken over" not in page.title()


def test_a_folder_with_files_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site/mine.txt").write_text("mine")
    with pytest.raises(InputError, match="is not empty"):
        write_bundle(StudioSettings((tmp_path,)), tmp_path / "site", "en", print)
