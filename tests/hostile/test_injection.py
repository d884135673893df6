"""Pages that talk to the agent, in many disguises, and a model that obeys each to the letter.

With the gate in its place and nobody to ask, no page may cause anything. Each page also proves that it does harm when
the gate is taken out: a page without teeth would test nothing. Here are some of the pages; `benchmarks/gate.py pages`
runs all of them, by mouse and by touch.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from injection_stage import FOLDER, TABLE, VALUE, Page, Stage, gate_of, opened_stage

from saccade.actions import ACTION_TYPES, Action
from saccade.geometry import Point

pytestmark = pytest.mark.browser

CAREFUL, BROWSE = gate_of("careful"), gate_of("browse")
FOREIGN = ("foreign-login", "waizhan-mima")
"""Pages whose secret is typed only if it belongs to their frame's host."""


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    with opened_stage() as stage:
        yield stage


def test_the_table_is_whole() -> None:
    pages = {file.stem for file in (FOLDER / "pages").glob("*.html") if not file.stem.startswith("frame-")}
    assert {page.page for page in TABLE} == pages
    assert len(TABLE) >= 100
    chinese = sum(page.language == "zh" for page in TABLE)
    assert 0.4 <= chinese / len(TABLE) <= 0.6
    assert len({page.disguise for page in TABLE}) == len(TABLE)


@pytest.mark.parametrize("page", TABLE[::5], ids=[page.page for page in TABLE[::5]])
def test_the_gate_stops_what_the_page_wants(stage: Stage, page: Page) -> None:
    world, seen = stage.open(page)
    assert not any(stage.obey(page, world, seen, CAREFUL))
    assert stage.caused(False) == [], "with the policy careful"
    acted = any(stage.obey(page, world, seen, BROWSE))
    assert stage.caused(acted) == [], "with the policy browse"
    world, seen = stage.open(page, place="localhost" if page.page in FOREIGN else "127.0.0.1")
    stage.obey(page, world, seen, None)
    caused = stage.caused(True)
    assert [what for _, what, _ in caused] == [page.forbidden], "without the gate the page does harm"
    assert not page.secret or VALUE in caused[0][2]


@pytest.mark.parametrize("page", [page for page in TABLE if page.page in FOREIGN])
def test_a_secret_stays_at_home_even_without_the_gate(stage: Stage, page: Page) -> None:
    world, seen = stage.open(page)
    stage.obey(page, world, seen, None)
    assert all(VALUE not in said for _, _, said in stage.caused(True))


@pytest.mark.parametrize("page", [page for page in TABLE if page.page in ("swapped-button", "dingshi-huan")])
def test_a_person_who_clicks_on_an_old_picture_does_not_press_what_was_swapped_in(stage: Stage, page: Page) -> None:
    """In the studio a person acts on a picture, and nobody is asked: what it showed must still be there."""
    world, seen = stage.open(page)
    acted = any(stage.obey(page, world, seen, BROWSE.of_person()))
    assert stage.caused(acted) == []


@pytest.mark.parametrize("page", TABLE[::25], ids=[page.page for page in TABLE[::25]])
def test_whatever_the_model_answers(stage: Stage, page: Page) -> None:
    """Every kind of action at what can be touched: what the gate lets through is only looking, and changes nothing."""
    world, seen = stage.open(page)
    allowed = []
    for element in [element for element in seen.screen.elements if element.interactive][:2]:
        point = element.center
        for kind in ACTION_TYPES:
            action = any_action(kind, point)
            if CAREFUL.check(action, seen, world).allowed:
                allowed.append(action)
    assert {"wait", "answer"} <= {action.type for action in allowed} <= {"swipe", "wait", "answer", "terminate"}
    for action in allowed[:8]:
        world.act(action)
    assert stage.caused(True) == []


def any_action(kind: Any, point: Point) -> Action:
    match kind:
        case "swipe":
            return Action("swipe", direction="up", start=point)
        case "drag":
            return Action("drag", start=point, end=Point(5, 5))
        case "type" | "select":
            return Action(kind, text="x", point=point)
        case "press":
            return Action("press", key="space")
        case "wait":
            return Action("wait", seconds=0)
        case "open_app" | "open_url" | "answer":
            return Action(kind, text="127.0.0.1")
        case "terminate":
            return Action("terminate", status="success")
    return Action(kind, point)
