"""What every paradigm must do, whoever wrote it: the checks that a plug-in's paradigm gets too.

`SACCADE_PLUGINS=my_paradigm.py pytest tests/paradigms` runs them, and the hostile texts, on one that is not built in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from saccade.actions import Action
from saccade.geometry import Box, Point, Size
from saccade.paradigms import PARADIGMS, Candidate, Paradigm, Parsed, Reply, Situation, get_paradigm
from saccade.paradigms.verbs import Space
from saccade.types import Element, Picture, Screen

PROMPTED = [name for name in PARADIGMS.names() if PARADIGMS.get(name).has_prompt]
"""Paradigms that ask for their answers themselves: all but the formats of other people's models."""
SPOT = Point(550, 800)
SCREEN = Screen(Size(1080, 2400), elements=[Element(1, Box(500, 700, 600, 900), "button", "OK", "confirms")])
EXAMPLES = {
    **{kind: Action(kind, SPOT) for kind in ("click", "long_press", "double_click", "right_click", "hover")},
    "swipe": Action("swipe", direction="up"),
    "drag": Action("drag", start=SPOT, end=Point(1, 2)),
    "type": Action("type", text="a"),
    "press": Action("press", key="ctrl+a"),
    **{f"press:{key}": Action("press", key=key) for key in ("back", "home", "enter", "menu", "recent")},
    "select": Action("select", SPOT, text="two"),
    "open_app": Action("open_app", text="Maps"),
    "open_url": Action("open_url", text="http://example.org"),
    "wait": Action("wait"),
    "answer": Action("answer", text="42"),
    "terminate": Action("terminate", status="failure"),
    **{f"terminate:{status}": Action("terminate", status=status) for status in ("success", "failure")},
}
"""An action of each meaning."""


def reply_of(action: Action) -> Reply:
    """A reply with all parts that a format may write."""
    elements = (Element(1, Box(500, 700, 600, 900), caption="a field"),)
    return Reply(action, elements, "because", "a plan", "a summary", (Candidate(action, "because", 0.5),))


def declared(paradigm: Paradigm, space: Space) -> Iterator[Action]:
    """An example of each action that is declared in a space."""
    for verb in paradigm.vocabulary.verbs:
        if verb.in_space(space):
            keys = [Action("press", key=key) for key in verb.values.values()]
            yield from keys or [EXAMPLES[verb.meaning]]


def check_declared_actions(name: str, space: Space) -> None:
    """What the prompt offers can be written, and is read back exactly in the format."""
    paradigm = get_paradigm(name, space=space)
    actions = list(declared(paradigm, space))
    for action in actions:
        parsed = paradigm.parse(paradigm.render(reply_of(action), SCREEN), SCREEN)
        assert parsed.strict, (action, parsed)
        assert parsed.reply.action is not None
        assert parsed.reply.action.name == action.name
        check_parts(paradigm, parsed)
    assert actions or space not in ("paper", "grounding")


def check_parts(paradigm: Paradigm, parsed: Parsed) -> None:
    """An answer says what `answer_parts` promises, and nothing else."""
    reply = parsed.reply
    said = {"elements": reply.elements, "think": reply.think, "plan": reply.plan, "summary": reply.summary}
    said["candidates"] = reply.candidates
    assert {part for part, value in said.items() if value} == paradigm.answer_parts
    assert paradigm.candidates == ("candidates" in paradigm.answer_parts)


def check_prompt(name: str, space: Space, language: Any) -> None:
    """The prompt holds the task, the screen and each declared action."""
    paradigm = get_paradigm(name, space=space, language=language)
    picture = Picture("now.png", SCREEN.size)
    situation = Situation("打开时钟", Screen(SCREEN.size, picture, SCREEN.elements), history=["opened the drawer"])
    messages = paradigm.messages(situation)
    prompt = "\n".join(message.text for message in messages)
    assert "打开时钟" in prompt
    assert picture in [part for message in messages for part in message.content]
    for action in paradigm.vocabulary.listing(space, language):
        assert action["name"] in prompt
        assert action["purpose"] in prompt
    assert ("{{" not in prompt) and ("{%" not in prompt)


def check_sound(parsed: Parsed) -> None:
    """An action that is one, or a reason."""
    action = parsed.reply.action
    if action is None:
        assert parsed.problem
        assert not parsed.strict
    for found in (action, *(candidate.action for candidate in parsed.reply.candidates)):
        if found is not None:
            assert msgspec.json.decode(msgspec.json.encode(found), type=Action) == found
    assert parsed.strict == (not parsed.repairs and not parsed.problem)


_HOLES = re.compile(
    r'(?<=">)[^<]+|(?<=>)[^<>]+(?=</)|(?<=")[^"]*(?=")|(?<=\[)[^\[\]]*(?=\])|(?<=: )[^"\[{\n]+$', re.MULTILINE
)
"""Where answers hold what may be anything: between tags, in quotes, in brackets, after a colon."""


def places(paradigm: Paradigm) -> tuple[str, ...]:
    """Answers of a format with one of their parts replaced by §, for texts that try to break its reader."""
    found = {"§": None}
    for action in (Action("click", SPOT), Action("type", text="a"), Action("swipe", direction="up")):
        try:
            answer = paradigm.render(reply_of(action), SCREEN)
        except ValueError:
            continue
        found |= {answer[: hole.start()] + "§" + answer[hole.end() :]: None for hole in _HOLES.finditer(answer)}
        found |= {answer[: len(answer) // 2] + "§": None, answer + "§": None}
    return tuple(found)
