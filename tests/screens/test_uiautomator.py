"""Elements from uiautomator dumps: as devices write them, and as nobody should."""

from __future__ import annotations

import doctest
import time
from xml.sax.saxutils import quoteattr

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saccade.geometry import Box, Size
from saccade.screens import widgets
from saccade.screens.uiautomator import DEEPEST, MOST_CHARACTERS, MOST_NODES, uiautomator_elements
from saccade.types import Element

SIZE = Size(1080, 2400)
HEAD = "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>"
FLAGS = "checkable checked clickable focusable focused scrollable long-clickable password selected".split()


def node(kind: str = "View", box: str = "[0,100][500,200]", *children: str, on: str = "", **values: str) -> str:
    """One view with all the attributes that a device writes."""
    flags = {flag: "true" if flag in on.split() else "false" for flag in FLAGS}
    flags["enabled"] = "false" if "disabled" in on.split() else "true"
    name = kind if "." in kind else f"android.widget.{kind}"
    given = {"text": "", "resource-id": "", "content-desc": "", "package": "com.example", "class": name}
    given |= {key.replace("_", "-"): value for key, value in values.items()} | flags | {"bounds": box}
    attributes = " ".join(f"{key}={quoteattr(value)}" for key, value in given.items())
    return f"<node {attributes}>{''.join(children)}</node>"


def dump(*nodes: str, rotation: int = 0) -> str:
    return f'{HEAD}<hierarchy rotation="{rotation}">{"".join(nodes)}</hierarchy>'


def read(*nodes: str, size: Size = SIZE) -> list[Element]:
    return uiautomator_elements(dump(*nodes), size)


def one(*nodes: str) -> Element:
    (element,) = read(*nodes)
    return element


# -- what an element is -----------------------------------------------------------------------------------------------


def test_a_screen_as_a_phone_writes_it() -> None:
    rows = node(
        "androidx.recyclerview.widget.RecyclerView",
        "[0,300][1080,2300]",
        node(
            "LinearLayout",
            "[0,300][1080,460]",
            node("ImageView", "[40,340][120,420]"),
            node("TextView", "[160,320][900,380]", text="网络和互联网"),
            node("TextView", "[160,390][900,440]", text="WLAN、移动网络"),
            on="clickable focusable",
        ),
        node(
            "LinearLayout",
            "[0,460][1080,620]",
            node("TextView", "[160,480][900,540]", text="Bluetooth"),
            node(
                "Switch",
                "[900,480][1040,600]",
                on="checkable checked clickable",
                resource_id="com.android.settings:id/switchWidget",
            ),
            on="clickable",
        ),
        on="scrollable focusable",
        resource_id="com.android.settings:id/recycler_view",
    )
    found = read(
        node(
            "FrameLayout",
            "[0,0][1080,2400]",
            node("ImageButton", "[0,100][140,240]", content_desc="Navigate up", on="clickable"),
            node("EditText", "[160,100][1040,240]", text="Search", hint="Search", on="clickable focusable"),
            rows,
        ),
    )
    assert [(e.id, e.type, e.text, e.caption, e.state, e.interactive, e.leaf) for e in found] == [
        (1, "button", "Navigate up", "Navigate up", "", True, True),
        (2, "input", "", "Search", "", True, True),
        (3, "list", "", "recycler view", "", True, False),
        (4, "button", "网络和互联网 WLAN、移动网络", "", "", True, False),
        (5, "image", "", "", "", False, True),
        (6, "text", "网络和互联网", "", "", False, True),
        (7, "text", "WLAN、移动网络", "", "", False, True),
        (8, "button", "Bluetooth", "", "", True, False),
        (9, "switch", "", "switch widget", "checked", True, True),
    ]
    assert found[8].box == Box(900, 480, 1040, 600)


def test_a_compose_button_is_one_element() -> None:
    button = node(
        "android.view.View",
        "[53,2010][1027,2147]",
        node("TextView", "[342,2052][739,2105]", text="Start & go"),
        node("Button", "[53,2010][1027,2147]"),
        on="clickable focusable",
    )
    assert one(button) == Element(1, Box(53, 2010, 1027, 2147), "button", "Start & go")


@pytest.mark.parametrize(
    ("kind", "on", "word"),
    [
        ("Button", "", "button"),
        ("ImageButton", "", "button"),
        ("EditText", "", "input"),
        ("TextView", "", "text"),
        ("TextView", "clickable", "button"),
        ("MultiAutoCompleteTextView", "", "input"),
        ("ImageView", "", "image"),
        ("CheckBox", "", "checkbox"),
        ("RadioButton", "", "radio"),
        ("Switch", "", "switch"),
        ("ToggleButton", "", "switch"),
        ("SeekBar", "", "slider"),
        ("Spinner", "", "select"),
        ("ProgressBar", "", "progressbar"),
        ("ListView", "", "list"),
        ("ScrollView", "", "scroll"),
        ("HorizontalScrollView", "", "scroll"),
        ("LinearLayout", "scrollable", "scroll"),
        ("androidx.appcompat.widget.SwitchCompat", "", "switch"),
        ("androidx.viewpager2.widget.ViewPager2", "", "scroll"),
        ("com.google.android.material.tabs.TabLayout$TabView", "", "tab"),
        ("android.app.ActionBar$Tab", "", "tab"),
        ("com.google.android.material.textfield.TextInputEditText", "", "input"),
        ("android.webkit.WebView", "", "frame"),
        ("com.google.android.material.floatingactionbutton.FloatingActionButton", "", "button"),
        ("", "", "text"),
        ("android.view.View", "clickable", "button"),
        ("android.view.View", "", "text"),
        ("EditText", "password", "password"),
        ("android.view.View", "checkable", "checkbox"),
        ("com.example.MyEditText", "", "input"),
    ],
)
def test_types(kind: str, on: str, word: str) -> None:
    assert one(node(kind or "x.", content_desc="Something", on=on)).type == word


@pytest.mark.parametrize("ability", ["clickable", "long-clickable", "checkable", "scrollable"])
def test_what_can_be_acted_on(ability: str) -> None:
    assert one(node("FrameLayout", on=ability)).interactive


def test_fields_can_be_acted_on_if_they_take_the_focus() -> None:
    assert one(node("EditText", text="a", on="focusable")).interactive
    assert not one(node("EditText", text="a")).interactive
    assert not one(node("TextView", text="a", on="focusable")).interactive


def test_states() -> None:
    assert (
        one(node("CheckBox", on="checkable checked selected disabled focused")).state
        == "checked selected disabled focused"
    )


def test_what_says_nothing_is_left_out() -> None:
    assert read(node("FrameLayout", "[0,0][9,9]", node("LinearLayout", "[0,0][9,9]", node("View", "[0,0][9,9]")))) == []
    assert read(node("ImageView", "[0,0][50,50]", node("View", "[0,0][9,9]"))) == []
    assert one(node("ImageView", "[0,0][50,50]")).type == "image"
    assert one(node("View", content_desc="说明")).caption == "说明"


def test_captions() -> None:
    assert one(node("Button", content_desc="Say", hint="h", resource_id="a:id/theId", on="clickable")).caption == "Say"
    assert one(node("EditText", hint="E-mail", resource_id="a:id/theId", on="clickable")).caption == "E-mail"
    assert one(node("Button", resource_id="com.a.b:id/btnSend_msg2", on="clickable")).caption == "btn send msg 2"
    assert one(node("Button", resource_id="com.tencent.mm:id/ni8", on="clickable")).caption == "", "scrambled"
    assert one(node("Button", resource_id="搜索按钮", on="clickable")).caption == "搜索按钮"


def test_long_and_ragged_texts_become_one_line() -> None:
    assert one(node("TextView", text="  a \n\t b ")).text == "a b"
    assert len(one(node("TextView", text="x" * 5000)).text) == 300


# -- passwords --------------------------------------------------------------------------------------------------------


def test_passwords_are_never_read() -> None:
    row = node(
        "LinearLayout",
        "[0,0][1000,300]",
        node("EditText", text="hunter2", on="password clickable", resource_id="a:id/field"),
        node("TextView", text="hunter2", on="password"),
        node("EditText", text="hunter2", content_desc="hunter2", on="clickable", resource_id="a:id/password_shown"),
        node("EditText", text="1234", on="clickable focusable", resource_id="a:id/pin"),
        node("EditText", text="Password", hint="Password", on="password clickable"),
        node("EditText", on="password clickable", content_desc="Password"),
        on="clickable",
    )
    found = read(row)
    assert not any("hunter2" in repr(element) or "1234" in repr(element) for element in found)
    assert [(e.type, e.text, e.state) for e in found[1:]] == [
        ("password", "", "filled"),
        ("password", "", "filled"),
        ("password", "", "filled"),
        ("password", "", "filled"),
        ("password", "", ""),
        ("password", "", ""),
    ]


# -- places -----------------------------------------------------------------------------------------------------------


def test_boxes_are_clipped_and_empty_ones_dropped() -> None:
    found = read(
        node("Button", "[-50,2300][200,2500]", on="clickable", text="a"),
        node("Button", "[0,2400][200,2500]", on="clickable", text="below"),
        node("Button", "[300,300][300,400]", on="clickable", text="thin"),
        node("Button", "[400,400][300,300]", on="clickable", text="inside out"),
        node("Button", "[0,0][99,99]", on="clickable", text="hidden", visible_to_user="false"),
    )
    assert [(e.id, e.text, e.box) for e in found] == [(1, "a", Box(0, 2300, 200, 2400))]


def test_a_turned_screen() -> None:
    wide = dump(node("Button", "[2000,900][2400,1080]", text="OK", on="clickable"), rotation=1)
    assert uiautomator_elements(wide, Size(2400, 1080))[0].box == Box(2000, 900, 2400, 1080)


def test_windows_and_named_tags() -> None:
    several = (
        "<displays><display id='0'><window><hierarchy>"
        + node("Button", text="a")
        + "</hierarchy></window></display></displays>"
    )
    assert [e.text for e in uiautomator_elements(several, SIZE)] == ["a"]
    named = '<hierarchy><android.widget.Button text="b" clickable="true" bounds="[0,0][9,9]" /></hierarchy>'
    assert uiautomator_elements(named, SIZE)[0].type == "button"
    assert uiautomator_elements("<hierarchy rotation='0' />UI hierchary dumped to: /dev/tty\n", SIZE) == []


# -- broken and hostile -----------------------------------------------------------------------------------------------


def test_emoji_as_android_writes_them() -> None:
    halves = dump(node("TextView", text="MARK")).replace("MARK", "a&#55357;&#56832;b&#55357;c&#0;d\x01&#128512;&amp;")
    assert uiautomator_elements(halves, SIZE)[0].text == "a😀b\ufffdc\ufffdd\ufffd😀&"


BOMB = (
    '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">'
    + "".join(f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefgh", "bcdefghi", strict=True))
    + '] ><hierarchy><node bounds="[0,0][9,9]" text="&i;" /></hierarchy>'
)


@pytest.mark.parametrize(
    ("xml", "message"),
    [
        ("", "not XML"),
        ("ERROR: could not get idle state.", "not XML.*could not get idle"),
        ("<hierarchy>", "not XML"),
        ("<hierarchy><node bounds='[0,0][1,1]'></hierarchy>", "not XML"),
        ("<hierarchy/><hierarchy/>", "not XML"),
        ("<html></html>", "begins with <html>"),
        (BOMB, "document type or entities"),
        ("<?xml version='1.0'?><!doctype hierarchy SYSTEM 'file:///etc/passwd'><hierarchy/>", "document type or entit"),
        ("<hierarchy><node text='&undefined;' bounds='[0,0][1,1]'/></hierarchy>", "not XML"),
        ("<hierarchy><node text='a'/></hierarchy>", r"view 1 of the dump \(without a class\) has no `bounds`"),
        ("<hierarchy><node class='x.Y' bounds='[0,0][a,1]'/></hierarchy>", r"view 1 of the dump \(x.Y\) has `bounds`"),
        ("<hierarchy><node bounds='[0,0][99999999999999999999,1]'/></hierarchy>", "must look like"),
        ("<hierarchy><node bounds='[٠,0][1,1]'/></hierarchy>", "must look like"),
        ("<hierarchy>" + "<node bounds='[0,0][9,9]'>" * (DEEPEST + 1), "nests more than"),
        ("<hierarchy>" + "<node bounds='[0,0][9,9]'>" * 200_000, "nests more than"),
        ("<hierarchy>" + "<window>" * 200_000, "nests more than"),
        ("<hierarchy>" + "<node bounds='[0,0][9,9]'/>" * (MOST_NODES + 1), "more than 20000 views"),
        ("<hierarchy>" + " " * MOST_CHARACTERS, "more than 8000000"),
    ],
)
def test_what_is_no_dump_is_refused_at_once(xml: str, message: str) -> None:
    began = time.process_time()
    with pytest.raises(ValueError, match=message):
        uiautomator_elements(xml, SIZE)
    assert time.process_time() - began < 5


def test_the_largest_dump_that_is_read_is_read_quickly() -> None:
    deep = node("FrameLayout", on="clickable", text="x")
    for _ in range(DEEPEST - 2):
        deep = node("FrameLayout", "[0,0][9,9]", deep, on="clickable")
    wide = "".join(node("TextView", text=f"row {at}") for at in range(2000))
    began = time.monotonic()
    assert len(read(deep, wide)) == DEEPEST - 1 + 2000
    assert time.monotonic() - began < 5


pieces = st.sampled_from(
    [
        "<hierarchy>",
        "</hierarchy>",
        "<node bounds='[0,0][9,9]' text='a'/>",
        "<node",
        ">",
        "&#55357;",
        "&x;",
        "<!DOCTYPE",
        "]]>",
        "<!--",
    ]
)


@given(xml=st.lists(pieces | st.text(max_size=8), max_size=12).map("".join))
def test_anything_is_read_or_refused(xml: str) -> None:
    try:
        found = uiautomator_elements(xml, SIZE)
    except ValueError:
        return
    assert [element.id for element in found] == list(range(1, len(found) + 1))


@given(
    text=st.text(max_size=40),
    description=st.text(max_size=40),
    box=st.tuples(*[st.integers(-3000, 3000)] * 4),
    on=st.lists(st.sampled_from(FLAGS)),
)
def test_elements_lie_on_the_screen(text: str, description: str, box: tuple[int, ...], on: list[str]) -> None:
    for element in read(
        node("View", "[{},{}][{},{}]".format(*box), text=text, content_desc=description, on=" ".join(on))
    ):
        assert 0 <= element.box.x0 < element.box.x1 <= 1080
        assert 0 <= element.box.y0 < element.box.y1 <= 2400
        assert element.text == " ".join(element.text.split())


def test_examples() -> None:
    assert doctest.testmod(widgets).failed == 0
