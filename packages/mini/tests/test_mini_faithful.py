"""A task that is put plainly must stay the same task."""

import re

import numpy as np
import pytest

from saccade_mini.decode import Given, Weighed, chooser
from saccade_mini.paraphrase_check import Guess, faults, names, ranked
from saccade_mini.slots import fillings, joined, torn

WIFI = "墙上贴着“北门健身房”的口令bluewhale-64，请用它上网"
SHARE = 'Let guests see "Red Bicycle" and type walnut-1987'


@pytest.mark.parametrize(
    ("task", "plain", "count"),
    [
        (WIFI, "连接名为“北门健身房”的无线网络，密码是bluewhale-64", 0),
        (WIFI, "连接名为“云杉科技”的无线网络，密码是bluewhale-64", 2),  # one is made up, and one is lost
        (SHARE, "Name the hotspot “Red Bicycle” and give it the password walnut-1987", 0),
        (SHARE, "Name the hotspot “Red Bicycle” and give it the password walnut-1988", 2),
        (SHARE, "Name the hotspot “Red Bicycle”", 1),
        ("Wake me at 09:35", "Add an alarm for 09:35", 0),
        ("Wake me at 09:35", "Add an alarm for 09:30", 2),
        ("Call Ada Moss", "Call Ada Moss", 0),
        ("Call Ada Moss", "", 1),
    ],
)
def test_what_was_made_up_or_lost_is_counted(task: str, plain: str, count: int) -> None:
    assert faults(task, plain) == count


def test_fewest_faults_first_then_the_likeliest() -> None:
    wrong = Guess("Add an alarm for 09:30", -0.1)
    right, other = Guess("Add an alarm for 09:35", -2.0), Guess("Turn on the 09:35 alarm", -5.0)
    assert ranked("Wake me at 09:35", [wrong, other, right])[0] == right
    assert ranked("Wake me at 09:35", [wrong, other])[0] == other
    assert ranked("Wake me at 09:35", [wrong])[0] == wrong


def test_without_a_guess_nothing_is_said() -> None:
    assert ranked("Wake me at 09:35", []) == []


def test_how_likely_what_was_chosen_is() -> None:
    pick = Weighed(chooser(0.0, 1.0, None))
    logits = np.log(np.array([[0.5, 0.25, 0.25]], dtype=np.float32)) + 3
    assert pick(logits).tolist() == [0]
    pick(logits)
    assert np.exp(pick.likely(2)) == pytest.approx(0.25)
    assert np.exp(pick.likely(1)) == pytest.approx(0.5)
    assert pick.likely(0) == 0


@pytest.mark.parametrize(
    ("task", "plain", "count"),
    [
        ("When does “Yoga” begin? Tell Ann, written like 09:30", "Tell Ann when “Yoga” begins", 0),
        ("“看房”几点开始？以09:30这样的形式告诉小王", "告诉小王“看房”几点开始", 0),
        ("Move “Yoga” to 2026-01-31", "Move “Yoga”", 1),
        ("Wake me at 09:30, like 07:00 yesterday", "Wake me", 1),
    ],
)
def test_an_example_is_not_lost(task: str, plain: str, count: int) -> None:
    assert faults(task, plain) == count


def test_what_is_odd_in_itself_counts_as_a_fault() -> None:
    odd, right = Guess("Send Ada the number of Ada", -0.1, odd=1), Guess("Call Ada", -2.0)
    assert ranked("Ada's number, please", [odd, right])[0] == right
    assert ranked("Ada's number, please", [odd, right._replace(likely=-5.0)])[0] == odd, "it may be none"


def test_how_likely_given_texts_are() -> None:
    pick = Weighed(Given([[0, 1], [2]]))
    logits = np.log(np.array([[0.5, 0.25, 0.25], [0.1, 0.1, 0.8]], dtype=np.float32))
    assert pick(logits).tolist() == [0, 2]
    assert pick(logits).tolist() == [1, 2], "a text that is over waits for the others"
    assert np.exp(pick.likely(2, 0)) == pytest.approx(0.125)
    assert np.exp(pick.likely(1, 1)) == pytest.approx(0.8)


@pytest.mark.parametrize(
    ("slot", "task", "found"),
    [
        ("time", "I want to be woken at 08:25: arrange it", ["08:25"]),
        ("time", "Time:08:25, from 13:00-14:30", ["08:25", "13:00", "14:30"]),
        ("time", "at 08:25:30 or 108:250", []),
        ("count", "3 of 2026-01-31, 4.5 or 08:25", ["3"]),
        ("count", "make it 3.", ["3"]),
        ("phone", "call 555-123-4567: now", ["555-123-4567"]),
    ],
)
def test_what_has_the_form_of_a_slot(slot: str, task: str, found: list[str]) -> None:
    assert [task[begin:end] for begin, end in fillings(slot, task) or ()] == found
    assert fillings("name", task) is None


@pytest.mark.parametrize(
    ("plain", "count"),
    [
        ("新建联系人：南宫雁，公司极地航运", 0),
        ("新建联系人：南宫，公司极地航运", 1),
        ("新建联系人：宫雁，公司极地航运", 1),
        ("新建便签“极地航运”", 0),  # who is not spoken of is not torn
    ],
)
def test_a_surname_of_two_letters_is_not_torn(plain: str, count: int) -> None:
    task = "刚认识一位朋友叫南宫雁，在极地航运上班，帮我录进通讯录"
    assert faults(task, plain) == count


@pytest.mark.parametrize(
    ("said", "task", "count"),
    [
        ("新建联系人：班的上官婉，公司灯塔", "认识了在灯塔上班的上官婉", 1),
        ("新建联系人：上官婉，公司灯塔", "认识了在灯塔上班的上官婉", 0),
        ("新建联系人：我的朋友，公司灯塔", "把“我的朋友”存进去，公司是灯塔", 0),  # somebody said so
    ],
)
def test_a_letter_that_joins_words_counts_against_a_slot(said: str, task: str, count: int) -> None:
    assert joined("新建联系人：{name}，公司{company}", said, task) == count
    one, other = Guess("a", -1.5, joined=0), Guess("b", -1.0, joined=count)
    assert ranked("", [one, other])[0].text == ("a" if count else "b")


@pytest.mark.parametrize(
    ("way", "said", "task", "count"),
    [
        ("添加{city}", "添加斯德哥尔", "我姐姐搬去了斯德哥尔摩，请加上", 1),
        ("添加{city}", "添加斯德哥尔摩", "我姐姐搬去了斯德哥尔摩，请加上", 0),
        ("打给{name}", "打给出王鹏飞", "请找出王鹏飞的号码", 1),
        ("打给{name}", "打给王鹏飞", "请找出王鹏飞的号码", 0),
        ("打给{name}", "打给飞机", "请找出王鹏飞的号码", 0),  # it is not there at all
        ("把{a}给{b}", "把豆腐给摩", "把麻婆豆腐给斯德哥尔摩", 2),
        ("添加{city}", "添加斯德哥尔摩", "斯德哥尔摩人在斯德哥尔摩", 0),  # it need not be the first one
        ("Call {name}", "Call Ann", "Ring up Anna", 0),  # words of English have gaps between them
    ],
)
def test_a_word_of_chinese_is_not_torn(way: str, said: str, task: str, count: int) -> None:
    assert torn(way, said, task) == count


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Let Leo Okafor know, written like 2026-01-31, in a chat", {"Leo Okafor"}),
        ("Chat Samuel Okafor the sum. In Chat: pin Noah Marsh's", {"Samuel Okafor", "Noah Marsh"}),
        ("What is in “The Winter Postmen”? The Slow one", set()),
        ("In Shop I ordered the Trio 65 W fast charger", set()),
        ("给Leo Okafor发消息", set()),
    ],
)
def test_names_in_english(text: str, found: set[str]) -> None:
    assert names(text) == found
    assert faults(text, re.sub(r"[A-Z]\w+ [A-Z]\w+", "somebody", text)) >= len(found)
