"""All MiniWoB pages, in one browser: they load, repeat to the pixel, and those with a solver are solved."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from saccade.actions import Action
from saccade.errors import InputError, MissingError
from saccade.geometry import Size
from saccade.types import Element, Picture
from saccade.worlds import InfrastructureError, miniwob, open_world
from saccade.worlds.browser.engine import BrowserEngine
from saccade.worlds.browser.network import AllowList
from saccade.worlds.miniwob import MINIWOB_20, catalog, task_set, tasks
from saccade.worlds.miniwob.solvers import SOLVED, SOLVERS, LostError, SolverSession, solve
from saccade.worlds.miniwob.world import MiniWobObservation, MiniWobWorld

pytestmark = pytest.mark.browser

SEEDS = (1, 2)
PNG = b"\x89PNG"
ALWAYS_THE_SAME = {"guess-number", "hot-cold", "simon-says", "tic-tac-toe"}
"""Their seed shows only once one plays."""


@pytest.fixture(scope="module")
def world() -> Iterator[MiniWobWorld]:
    """In a browser that can reach nothing at all: the pages come from the installed package."""
    engine = BrowserEngine(AllowList())
    with MiniWobWorld(scale=1, engine=engine) as world:
        yield world
    engine.close()


def pixels(seen: MiniWobObservation) -> bytes:
    picture = seen.screen.picture
    assert isinstance(picture, Picture)
    assert isinstance(picture.source, bytes)
    return picture.source


def look(seen: MiniWobObservation) -> tuple[bytes, list[Element], str]:
    return pixels(seen), list(seen.screen.elements), seen.instruction


@pytest.mark.parametrize("task", tasks())
def test_page(world: MiniWobWorld, task: str) -> None:
    """Every page: some seeds, solved where there is a solver, then the first again after somebody was there."""
    loads = world.loads
    starts = []
    solver = SOLVERS.get(task)
    for seed in SEEDS:
        player = SolverSession(world, task, seed)
        start = player.seen
        starts.append(look(start))
        assert not start.error
        assert not start.done
        assert start.instruction == world.instruction
        if solver is not None:
            solver(player)
            assert player.seen.done, f"seed {seed} is not done: {start.instruction}"
            assert player.seen.reward > 0, f"seed {seed} has reward {player.seen.reward}: {start.instruction}"
    if solver is None:
        meddle(player)
    for image, elements, instruction in starts:
        assert image.startswith(PNG)
        assert elements
        assert instruction.strip()
        assert not any(each.text == "START" or "Last reward" in each.text for each in elements)
    assert (starts[0] != starts[1]) == (task not in ALWAYS_THE_SAME)
    again = look(world.reset(SEEDS[0], task))
    assert again[1:] == starts[0][1:]
    assert again[0] == starts[0][0], "the same seed gave other pixels"
    if task not in catalog.RELOADED:
        assert world.loads <= loads + 1, "the page was loaded more than once"


def meddle(player: SolverSession) -> None:
    """Leave traces: the mouse somewhere, the focus on something, a key in it."""
    shown = list(player.seen.screen.elements)
    touched = next((each for each in shown if each.interactive), shown[0])
    player.act(Action("click", touched.center))
    player.act(Action("press", key="a"))


def test_sets() -> None:
    assert len(tasks()) == 130
    assert miniwob.ALL == task_set("all") == tasks()
    assert len(set(MINIWOB_20)) == 20
    assert set(MINIWOB_20) <= set(SOLVED) <= set(tasks())
    assert task_set("miniwob-20") == MINIWOB_20
    assert len(SOLVED) >= 27
    assert set(tasks()) >= catalog.RELOADED
    with pytest.raises(InputError, match="miniwob-20 or all"):
        task_set("some")


def test_names(world: MiniWobWorld) -> None:
    with pytest.raises(InputError, match="did you mean click-test"):
        open_world("miniwob/click-tset")
    with pytest.raises(InputError, match="no MiniWoB task"):
        world.reset(1, "../core/core")
    with pytest.raises(InputError, match="no solver for 'drag-cube'"):
        solve(world, "drag-cube", 1)


def test_missing_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalog, "_places", lambda: iter(()))
    with pytest.raises(MissingError, match="pip install --no-deps miniwob"):
        catalog.pages.__wrapped__()


def test_default_screen(world: MiniWobWorld) -> None:
    """Sharp enough to read, and nothing outside it."""
    with open_world("miniwob/click-dialog-2", engine=world.engine) as opened:
        assert isinstance(opened, MiniWobWorld)
        assert (opened.name, opened.real) == ("miniwob", False)
        seen = opened.reset(7)
        assert seen.screen.size == Size(664, 480)
        assert seen.app == "miniwob/click-dialog-2"
        assert seen.instruction.startswith("Click the button in the dialog")
        assert all(each.box.x1 <= 664 and each.box.y1 <= 480 for each in seen.screen.elements)
        assert solve(opened, "click-dialog-2", 7).reward == 1
        assert pixels(opened.reset(7)) == pixels(seen)


def test_wrong_and_over(world: MiniWobWorld) -> None:
    player = SolverSession(world, "click-test-2", 1)
    player.click("TWO")
    assert (player.seen.done, player.seen.reward) == (True, -1)
    after = world.act(Action("click", player.require("ONE").center))
    assert (after.done, after.reward) == (True, -1)
    assert "over" in after.error
    assert not world.reset(1).done


def test_reward_does_not_decay(world: MiniWobWorld) -> None:
    player = SolverSession(world, "click-test", 1)
    for _ in range(3):
        player.act(Action("wait", seconds=10))
    player.click(player.elements("button")[0])
    assert player.seen.reward == 1


def test_time_stands_still(world: MiniWobWorld) -> None:
    seen = world.reset(1, "moving-items")
    assert pixels(world.act(Action("wait", seconds=0))) == pixels(seen)
    later = pixels(world.act(Action("wait", seconds=1)))
    assert later != pixels(seen)
    world.reset(1)
    assert pixels(world.act(Action("wait", seconds=1))) == later


def test_what_cannot_be_done(world: MiniWobWorld) -> None:
    seen = world.reset(1, "click-test")
    assert "cannot do open_url" in world.act(Action("open_url", text="https://example.com")).error
    for key in ("back", "home"):
        assert "no" in world.act(Action("press", key=key)).error
    assert pixels(world.act(Action("wait", seconds=0))) == pixels(seen)


def test_seed_is_drawn(world: MiniWobWorld) -> None:
    seen = world.reset(task="login-user")
    assert pixels(world.reset(world.seed)) == pixels(seen)


def test_leaving_the_page_ends_the_episode(world: MiniWobWorld) -> None:
    world.reset(1, "click-test")
    world.engine.run(world.tabs.page.goto("about:blank"), 5)
    seen = world.act(Action("wait", seconds=0))
    assert (seen.done, seen.reward) == (True, 0)
    assert "left" in seen.error
    assert not world.reset(1).error


FETCH = "url => fetch(url).then(answer => answer.status, () => 0)"


@pytest.mark.parametrize(
    ("url", "status"),
    [
        ("/core/core.js", 200),
        ("/core/", 404),
        ("/..%2f__init__.py", 404),
        ("/%2e%2e/%2e%2e/pip/__init__.py", 404),
        ("//etc/passwd", 0),
        ("http://127.0.0.1:9/", 0),
        ("https://example.com/", 0),
        ("file:///etc/passwd", 0),
    ],
)
def test_reaches_nothing_else(world: MiniWobWorld, url: str, status: int) -> None:
    world.reset(1, "click-test")
    assert world.engine.run(world.tabs.page.evaluate(FETCH, url), 5) == status


def test_lost_solver_says_where(world: MiniWobWorld) -> None:
    player = SolverSession(world, "click-test-2", 1)
    with pytest.raises(LostError, match="no 'THREE' among 'ONE', 'TWO'"):
        player.click("THREE")
    with pytest.raises(LostError, match="does not match"):
        player.match_instruction("Select (.+)")


def test_dead_browser(world: MiniWobWorld) -> None:
    """Nobody's failure; a new browser shows the same."""
    seen = world.reset(1, "click-test")
    browser = world.tabs.context.browser
    assert browser is not None
    world.engine.run(browser.close(), 10)
    with pytest.raises(InfrastructureError):
        world.act(Action("wait"))
    assert pixels(world.reset(1)) == pixels(seen)
