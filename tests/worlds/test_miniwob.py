"""All MiniWoB pages, in one browser: they load, repeat to the pixel, and those with a solver are solved."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from saccade.actions import Action
from saccade.errors import InputError, MissingError
from saccade.geometry import Size
from saccade.types import Element, Picture
from saccade.worlds import miniwob, open_world
from saccade.worlds.miniwob import MINIWOB_20, catalog, task_set, tasks
from saccade.worlds.miniwob.solvers import SOLVED, SOLVERS, LostError, Player, solve
from saccade.worlds.miniwob.world import MiniWobObservation, MiniWobWorld

SEEDS = (1, 2, 3)
PNG = b"\x89PNG"
differ: dict[str, bool] = {}
"""Whether two seeds gave two screens, for each page looked at."""


@pytest.fixture(scope="module")
def world() -> Iterator[MiniWobWorld]:
    with MiniWobWorld(scale=1) as world:
        yield world


def pixels(seen: MiniWobObservation) -> bytes:
    picture = seen.screen.picture
    assert isinstance(picture, Picture)
    assert isinstance(picture.source, bytes)
    return picture.source


def look(seen: MiniWobObservation) -> tuple[bytes, list[Element], str]:
    return pixels(seen), list(seen.screen.elements), seen.instruction


def meddle(world: MiniWobWorld, seen: MiniWobObservation) -> None:
    """Leave traces: the mouse somewhere, the focus on something, perhaps text in a field."""
    touched = [each for each in seen.screen.elements if each.interactive][:1] or list(seen.screen.elements)[:1]
    for each in touched:
        if not world.act(Action("click", each.center)).done:
            world.act(Action("press", key="a"))


@pytest.mark.parametrize("task", tasks())
def test_page(world: MiniWobWorld, task: str) -> None:
    """Every page: two seeds, then the first again after somebody was there; solvers on three seeds."""
    loads = world.loads
    first = look(world.reset(1, task))
    other = world.reset(2, task)
    for image, elements, instruction in (first, look(other)):
        assert image.startswith(PNG)
        assert elements
        assert instruction.strip()
        assert not any(each.text == "START" or "Last reward" in each.text for each in elements)
    assert not other.error
    assert not other.done
    assert world.instruction == other.instruction
    differ[task] = first[0] != pixels(other)
    if task in SOLVERS:
        for seed in SEEDS:
            end = solve(world, task, seed)
            assert end.done, f"seed {seed} is not done: {end.instruction}"
            assert end.reward > 0, f"seed {seed} has reward {end.reward}: {end.instruction}"
    else:
        meddle(world, other)
    again = look(world.reset(1, task))
    assert again[1:] == first[1:]
    assert again[0] == first[0], "the same seed gave other pixels"
    if task not in catalog.RELOADED:
        assert world.loads == loads + 1, "the page was loaded more than once"


def test_seeds_differ() -> None:
    if len(differ) < len(tasks()):
        pytest.skip("needs the pages that test_page looked at in this run")
    assert sum(differ.values()) >= 0.9 * len(differ)


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


def test_default_screen() -> None:
    """Sharp enough to read, and nothing outside it."""
    with open_world("miniwob/click-dialog-2") as opened:
        assert isinstance(opened, MiniWobWorld)
        assert (opened.name, opened.real) == ("miniwob", False)
        seen = opened.reset(7)
        assert seen.screen.size == Size(664, 480)
        assert seen.app == "miniwob/click-dialog-2"
        assert seen.instruction.startswith("Click the button in the dialog")
        assert all(each.box.x1 <= 664 and each.box.y1 <= 480 for each in seen.screen.elements)
        assert solve(opened, "click-dialog-2", 7).reward == 1
        assert pixels(opened.reset(7)) == pixels(seen)
        opened.close()
        assert pixels(opened.reset(7)) == pixels(seen), "the same again in a new browser"


def test_wrong_and_over(world: MiniWobWorld) -> None:
    player = Player(world, "click-test-2", 1)
    player.click("TWO")
    assert (player.seen.done, player.seen.reward) == (True, -1)
    after = world.act(Action("click", player.the("ONE").center))
    assert (after.done, after.reward) == (True, -1)
    assert "over" in after.error
    assert not world.reset(1).done


def test_reward_does_not_decay(world: MiniWobWorld) -> None:
    player = Player(world, "click-test", 1)
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
    player = Player(world, "click-test-2", 1)
    with pytest.raises(LostError, match="no 'THREE' among 'ONE', 'TWO'"):
        player.click("THREE")
    with pytest.raises(LostError, match="does not read"):
        player.said("Select (.+)")
