"""What a paradigm writes it reads back, exactly in its own format: `parse(render(x)) == x` and `strict`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paradigm_checks import EXAMPLES, PROMPTED, SPOT, check_declared_actions
from saccade.actions import Action, ActionType, Convention, direction_between
from saccade.geometry import Box, Frame, Point, Size
from saccade.paradigms import Candidate, Paradigm, Reply, get_paradigm
from saccade.paradigms.verbs import Space
from saccade.types import Element, Screen
from strategies import directions, screen_sizes, seconds, statuses, texts, trimmed

PAPER = {
    "btl": "click long_press type swipe press:back press:home",
    "uiloop": "click long_press wait press:back type open_app swipe",
    "secagent": "click long_press swipe type press press:back press:home press:menu press:enter open_app wait "
    "terminate",
    "guidnav": "click type swipe press:enter press:home press:back terminate",
}
"""What each paper can say. `press` is any key, `press:back` the button of that name."""
WORLDS = {
    "phone": "click long_press swipe type press:back press:home press:enter press:menu press:recent open_app wait "
    "answer terminate",
    "web": "click double_click right_click hover long_press swipe drag type press press:back press:enter select "
    "open_url wait answer terminate",
    "desktop": "click double_click right_click hover swipe drag type press press:enter select open_app wait answer "
    "terminate",
}
UNSAYABLE = {("guidnav", "web"): "drag", ("guidnav", "desktop"): "drag", ("secagent", "phone"): "press:recent"}
"""What a format has no declared word for: its elements are named by number, its buttons are a closed list."""
FRAMES = [Frame.parse(name) for name in ("pixel", "unit", "permille", "permille:999", "resized")]


@dataclass(frozen=True)
class Format:
    """A paradigm with its switches, and what its format can carry."""

    paradigm: str
    switches: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return " ".join([self.paradigm, *(f"{key}={value}" for key, value in self.switches.items())])

    def meanings(self, space: str) -> list[str]:
        said = (PAPER[self.paradigm] if space == "paper" else WORLDS[space]).split()
        return [meaning for meaning in said if meaning not in UNSAYABLE.get((self.paradigm, space), "").split()]


FORMATS = [
    Format("btl", {"dialect": "xml"}),
    Format("btl", {"dialect": "json"}),
    Format("uiloop"),
    *(
        Format("secagent", {"semantic_context": context, "thought": t})
        for context in (True, False)
        for t in (True, False)
    ),
    Format("guidnav"),
]


@st.composite
def places(draw: st.DrawFn, frame: Frame, size: Size) -> Point:
    """A point that `frame` can write exactly."""
    width, height = frame.extent(size)
    step = 10**frame.digits
    across, down = draw(st.integers(0, int(width * step))), draw(st.integers(0, int(height * step)))
    return frame.decode(Point(across / step if frame.digits else across, down / step if frame.digits else down), size)


@st.composite
def said(draw: st.DrawFn, paradigm: str, meaning: str, place: st.SearchStrategy[Point]) -> Action:
    """An action of that meaning, with the fields that the paradigm's format carries."""
    kind, _, key = meaning.partition(":")
    type = cast(ActionType, kind)
    fields: dict[str, st.SearchStrategy[Any]] = {}
    optional: dict[str, st.SearchStrategy[Any]] = {}
    match type:
        case "click" | "long_press" | "double_click" | "right_click" | "hover":
            fields = {"point": place}
        case "swipe" if paradigm == "secagent":
            start = draw(place)
            end = draw(place.filter(lambda end: end != start))
            return Action("swipe", start=start, end=end, direction=direction_between(start, end))
        case "swipe":
            fields = {"direction": directions}
        case "drag":
            fields = {"start": place, "end": place}
        case "type" | "open_app" | "open_url" | "answer":
            fields = {"text": texts}
        case "press":
            fields = {"key": st.just(key) if key else st.sampled_from(["ctrl+a", "F5", "volume_up", "shift+tab", '"'])}
        case "select":
            fields = {"point": place, "text": texts}
        case "wait" if paradigm == "secagent":
            fields = {"seconds": seconds}
        case "wait" if paradigm != "uiloop":
            optional = {"seconds": seconds}
        case "terminate":
            fields = {"status": statuses}
            optional = {} if paradigm == "uiloop" else {"text": texts}
    return Action(type=type, **draw(st.fixed_dictionaries(fields, optional=optional)))


@st.composite
def conversations(draw: st.DrawFn, format: Format, space: Space) -> tuple[Paradigm, Screen, Reply]:
    """A paradigm, a screen, and a reply that the paradigm can write on it without loss."""
    size, frame = draw(screen_sizes), draw(st.sampled_from(FRAMES))
    convention: Convention = draw(st.sampled_from(["finger", "content"]))
    name = format.paradigm
    paradigm = get_paradigm(name, frame=frame, swipe=convention, space=space, **format.switches)
    place = places(frame, size)
    meanings = st.sampled_from(format.meanings(space))
    if name == "guidnav":
        elements = draw(marks(size))
        place = st.sampled_from([element.center for element in elements])
        candidate = st.builds(
            Candidate, meanings.flatmap(lambda m: said(name, m, place)), trimmed, st.floats(0, 1) | st.just(1)
        )
        candidates = tuple(draw(st.lists(candidate, min_size=1, max_size=4)))
        best = max(candidates, key=lambda c: c.probability)
        return paradigm, Screen(size, elements=elements), Reply(best.action, (), best.thought, candidates=candidates)
    action = draw(meanings.flatmap(lambda m: said(name, m, place)))
    think = draw(trimmed)
    match name:
        case "btl":
            return paradigm, Screen(size), Reply(action, draw(blinks(place, format)), think, plan=draw(texts))
        case "uiloop":
            captions = draw(st.lists(trimmed.filter(bool), min_size=1, max_size=4))
            found = tuple(Element(i, Box.at(draw(place)), caption=text) for i, text in enumerate(captions, 1))
            return paradigm, Screen(size), Reply(action, found, think)
    summary = draw(trimmed.filter(lambda text: text != "None")) if format.switches["semantic_context"] else ""
    return paradigm, Screen(size), Reply(action, think=think if format.switches["thought"] else "", summary=summary)


@st.composite
def blinks(draw: st.DrawFn, place: st.SearchStrategy[Point], format: Format) -> tuple[Element, ...]:
    """Up to five regions of interest: xml keeps the number and the kind, json the label."""
    found = []
    for at in range(1, draw(st.integers(0, 5)) + 1):
        box = Box(*draw(place), *draw(place))
        if format.switches["dialect"] == "xml":
            found.append(Element(draw(st.integers(0, 10**6)), box, interactive=draw(st.booleans())))
        else:
            found.append(Element(at, box, caption=draw(texts)))
    return tuple(found)


@st.composite
def marks(draw: st.DrawFn, size: Size) -> list[Element]:
    """Numbered elements, overlapping ones and points among them."""
    ids = draw(st.lists(st.integers(0, 300), min_size=1, max_size=5, unique=True))
    corner = st.builds(Point, st.integers(0, size.width), st.integers(0, size.height))
    found = []
    for id in ids:
        a, b = draw(corner), draw(corner)
        found.append(Element(id, Box(min(a.x, b.x), min(a.y, b.y), max(a.x, b.x), max(a.y, b.y))))
    return found


@pytest.mark.parametrize("space", ["paper", "phone", "web", "desktop"])
@pytest.mark.parametrize("format", FORMATS, ids=str)
@given(data=st.data())
@settings(max_examples=2 * settings().max_examples // 5)
def test_what_is_written_is_read_back(format: Format, space: Space, data: st.DataObject) -> None:
    paradigm, screen, reply = data.draw(conversations(format, space))
    parsed = paradigm.parse(paradigm.render(reply, screen), screen)
    assert parsed.repairs == ()
    assert parsed.strict
    assert parsed.problem == ""
    assert parsed.reply == reply


@pytest.mark.parametrize("space", ["paper", "phone", "web", "desktop", "grounding"])
@pytest.mark.parametrize("name", PROMPTED)
def test_what_a_prompt_offers_can_be_said(name: str, space: Space) -> None:
    check_declared_actions(name, space)


@pytest.mark.parametrize("format", FORMATS, ids=str)
@pytest.mark.parametrize("space", ["paper", "phone", "web", "desktop"])
def test_every_action_of_a_space_can_be_said_exactly(format: Format, space: Space) -> None:
    """The property above draws actions; this one leaves none out."""
    screen = Screen(Size(1080, 2400), elements=[Element(1, Box(500, 700, 600, 900))])
    paradigm = get_paradigm(format.paradigm, space=space, **format.switches)
    for meaning in format.meanings(space):
        action = EXAMPLES[meaning]
        reply = Reply(action, (Element(1, Box(1, 2, 3, 4), caption="a field"),), "because")
        parsed = paradigm.parse(paradigm.render(reply, screen), screen)
        assert parsed.repairs == (), meaning
        assert parsed.strict, meaning
        assert parsed.reply.action is not None
        assert parsed.reply.action.name == action.name


# frames and conventions, seen from the written side


@pytest.mark.parametrize(
    ("frame", "written"),
    [
        ("pixel", [540, 600]),
        ("unit", [0.5, 0.25]),
        ("permille", [500, 250]),
        ("permille:999", [500, 250]),  # 499.5 and 249.75, rounded half to even
        ("resized", [336, 371]),
    ],
)
def test_points_are_written_in_the_frame(frame: str, written: list[float]) -> None:
    screen, action = Screen(Size(1080, 2400)), Action("click", Point(540, 600))
    output = get_paradigm("secagent", frame=Frame.parse(frame)).render(Reply(action), screen)
    call = json.loads(output.partition("<tool_call>")[2].partition("</tool_call>")[0])
    assert call == {"name": "mobile_use", "arguments": {"action": "click", "coordinate": written}}


@pytest.mark.parametrize(
    ("paradigm", "switches", "written"),
    [
        ("btl", {}, '"direction": "up"'),
        ("btl", {"swipe": "content"}, '"direction": "down"'),
        ("guidnav", {}, '"direction": "up"'),
        ("guidnav", {"swipe": "content"}, '"direction": "down"'),
        ("uiloop", {}, '"input_text": "down"'),
        ("uiloop", {"swipe": "finger"}, '"input_text": "up"'),
    ],
)
def test_a_swipe_is_written_in_the_convention_of_the_format(
    paradigm: str, switches: dict[str, Any], written: str
) -> None:
    """btl and guidnav name the finger's direction, uiloop the content's, unless told otherwise."""
    output = get_paradigm(paradigm, **switches).render(Reply(Action("swipe", direction="up")), Screen(Size(10, 20)))
    assert written in output


@pytest.mark.parametrize("convention", ["finger", "content"])
@given(directions, screen_sizes, st.sampled_from(FRAMES))
def test_secagent_writes_a_bare_direction_as_two_points(
    convention: Convention, word: Any, size: Size, frame: Frame
) -> None:
    paradigm = get_paradigm("secagent", swipe=convention, frame=frame)
    screen = Screen(size)
    parsed = paradigm.parse(paradigm.render(Reply(Action("swipe", direction=word)), screen), screen)
    assert parsed.strict
    action = parsed.reply.action
    assert action is not None
    assert action.direction == word
    assert action.start is not None
    assert action.end is not None
    assert direction_between(action.start, action.end) == word


# what cannot be said


@pytest.mark.parametrize("format", FORMATS, ids=str)
@pytest.mark.parametrize(
    "action",
    [
        None,
        Action("type", text="a", submit=True),
        Action("type", Point(1, 2), text="a"),
    ],
    ids=["nothing", "submit", "focus"],
)
def test_render_refuses_what_would_be_lost(format: Format, action: Action | None) -> None:
    paradigm = get_paradigm(format.paradigm, space="web", **format.switches)
    with pytest.raises(ValueError, match=r"\w"):
        paradigm.render(Reply(action), Screen(Size(100, 100)))


@pytest.mark.parametrize(
    ("paradigm", "switches", "action"),
    [
        ("guidnav", {}, Action("drag", start=SPOT, end=SPOT)),
        ("guidnav", {}, Action("click", Point(1, 2))),  # no element stands there
        ("uiloop", {}, Action("terminate", status="success", text="done")),
        ("btl", {"dialect": "json", "space": "grounding"}, Action("type", text="a")),
        ("btl", {"dialect": "json", "space": "grounding"}, Action("long_press", SPOT)),
    ],
)
def test_render_refuses_what_the_format_has_no_word_for(
    paradigm: str, switches: dict[str, Any], action: Action
) -> None:
    screen = Screen(Size(1080, 2400), elements=[Element(1, Box(500, 700, 600, 900))])
    with pytest.raises(ValueError, match=r"\w"):
        get_paradigm(paradigm, **switches).render(Reply(action), screen)


@pytest.mark.parametrize("probability", [-0.1, 1.5, float("nan"), float("inf")])
def test_guidnav_refuses_to_write_what_is_no_probability(probability: float) -> None:
    candidate = Candidate(Action("press", key="back"), "", probability)
    with pytest.raises(ValueError, match="probability"):
        get_paradigm("guidnav").render(Reply(candidates=(candidate,)), Screen(Size(10, 20)))


@pytest.mark.parametrize("format", FORMATS, ids=str)
def test_grounding_says_only_clicks(format: Format) -> None:
    screen = Screen(Size(1080, 2400), elements=[Element(1, Box(500, 700, 600, 900))])
    paradigm = get_paradigm(format.paradigm, space="grounding", **format.switches)
    reply = Reply(Action("click", SPOT), (Element(1, Box(1, 2, 3, 4), caption="a field"),), "because")
    parsed = paradigm.parse(paradigm.render(reply, screen), screen)
    assert parsed.strict
    assert parsed.reply.action == reply.action
    assert [row["purpose"] for row in paradigm.vocabulary.listing("grounding", "en")] == ["tap or click this place"]


def test_btl_writes_a_grounding_answer_as_the_released_code_does() -> None:
    output = get_paradigm("btl", dialect="json", space="grounding").render(
        Reply(Action("click", Point(1266, 1229))), Screen(Size(2560, 1440))
    )
    link = output.partition("<link>")[2].partition("</link>")[0]
    assert json.loads(link.removeprefix("```json").removesuffix("```")) == [{"point_2d": [1266, 1229]}]


@pytest.mark.parametrize(
    ("format", "meaning"),
    [(f, m) for f in FORMATS for m in ("double_click", "answer", "open_url") if m not in PAPER[f.paradigm].split()],
    ids=str,
)
def test_action_outside_the_declared_space_is_read_but_not_strict(format: Format, meaning: str) -> None:
    screen = Screen(Size(1080, 2400), elements=[Element(1, Box(500, 700, 600, 900))])
    reply = Reply(EXAMPLES[meaning], (Element(1, Box(1, 2, 3, 4), caption="a field"),), "because")
    paradigm = get_paradigm(format.paradigm, **format.switches)
    parsed = paradigm.parse(paradigm.render(reply, screen), screen)
    assert not parsed.strict
    assert parsed.reply.action == EXAMPLES[meaning]
    assert any("space" in repair for repair in parsed.repairs)


@pytest.mark.parametrize(
    ("paradigm", "names"),
    [
        ("btl", "Tap LongPress Type Swipe Back Home"),
        ("secagent", "click long_press swipe type key system_button open wait terminate"),
        ("guidnav", "click type scroll enter navigate_home navigate_back task_complete task_impossible"),
    ],
)
def test_the_paper_space_declares_what_the_paper_lists(paradigm: str, names: str) -> None:
    listing = get_paradigm(paradigm).vocabulary.listing("paper", "en")
    assert {row["name"] for row in listing} == set(names.split())


def test_uiloop_declares_select_besides_the_mobile_actions() -> None:
    """The web adds `select`."""
    mobile = set("wait long_press click press_back type open_app scroll".split())
    listing = get_paradigm("uiloop").vocabulary.listing("paper", "en")
    assert {row["name"] for row in listing} - {"select"} == mobile
    assert "select" in {row["name"] for row in get_paradigm("uiloop").vocabulary.listing("web", "en")}
