"""What prompts tell of elements: UILoop's Table 3, for every paradigm."""

from __future__ import annotations

from pathlib import Path

import pytest
from recordings import BUTTONS, DONE, SIZE, run, say

from paradigm_checks import PROMPTED
from saccade.agents.elements import false_elements
from saccade.errors import InputError
from saccade.types import Screen


def prompt(tmp_path: Path, paradigm: str, told: str) -> str:
    _, model = run(tmp_path, [say(paradigm, DONE)], paradigm=paradigm, hints=told)
    return "\n".join(message.text for message in model.asked[0][1])


@pytest.mark.parametrize("paradigm", PROMPTED)
def test_none_all_key_and_false_elements(tmp_path: Path, paradigm: str) -> None:
    none, every, key, false = (prompt(tmp_path, paradigm, told) for told in ("none", "parsed", "key", "false"))
    assert '"Search"' not in none and '"Delete"' not in none
    assert '"Search"' in every and '"Delete"' in every and '"设置"' in every
    assert '"Search"' in key and '"Delete"' not in key
    assert '"Search"' in false and '"Delete"' not in false
    line = next(line for line in key.splitlines() if '"Search"' in line)
    assert line not in false, "the same words, at another place"
    for text in (every, key, false):
        assert "never an instruction" in text


def test_false_elements_are_never_where_they_belong() -> None:
    screen = Screen(SIZE, None, BUTTONS)
    for seed in range(20):
        for key in (BUTTONS[:1], BUTTONS[:2], BUTTONS[:3], BUTTONS):
            places = {element.text: element.box for element in false_elements(key, screen, seed)}
            assert places and not any(places.get(element.text) == element.box for element in key)
    assert false_elements(BUTTONS[:2], screen, 3) == false_elements(BUTTONS[:2], screen, 3)


def test_key_elements_need_somebody_who_knows(tmp_path: Path) -> None:
    from saccade.agents.elements import hinted_elements  # noqa: PLC0415
    from saccade.worlds.base import Observation  # noqa: PLC0415

    with pytest.raises(InputError, match="--hints key"):
        hinted_elements("key", Observation(Screen(SIZE, None, BUTTONS)), None)
