"""Checks what an annotator wrote about one element: an instruction to act on it, and a thought (SecAgent §3.1, step 3).

Each rule yields one sentence for each fault, which says what to write instead, so that the model can be asked again
with it. `problems` is all of them. The rules, where SecAgent leaves room:

- *Empty*: both texts are empty, or none. Empty is right where the box holds no interactive element, several, or one
  colour. With several, anything else is wrong. With none it is not: in Android's trees a row can be clicked, and its
  texts, the leaves, cannot.
- *Quotes*: English 'text', Chinese “text” (the ordinary mark of Chinese print), then the type: 'Sign in' button,
  “登录”按钮. Of texts longer than 30 characters, a beginning is enough. A name that is no visible text (text and
  caption are the same: an icon with a label for screen readers) need not be quoted.
- *Ordinals* count elements of the same type and label from top to bottom, each row from left to right.
- *Words*: instructions have at least 4, thoughts at least 10 (step 4). Chinese has no spaces, and a segmenter is a
  large dependency; in running Chinese text a word has about 1.5 characters, so 3 characters count as 2 words, rounded
  up, and a run of Latin letters or digits as one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import msgspec

from saccade.data.synthesis.element_filters import ElementCandidate, ElementFilterSettings, one_colour
from saccade.data.synthesis.icon_meanings import symbol_in
from saccade.data.synthesis.ordinals import ordinals_in, reading_order
from saccade.screens.marks import open_picture
from saccade.screens.widgets import EDITABLE, PICTURES, squeeze
from saccade.typed_values import to_type
from saccade.types import Element, Language, Screen
from saccade.untrusted import read_yaml

LEAST_INSTRUCTION, LEAST_THOUGHT = 4, 10
"""Words; SecAgent drops shorter ones."""
HAN_PER_WORD = 1.5
INSIDE = 0.8
"""An element is in a box if this share of its area is."""
LONGEST_QUOTED, LEAST_QUOTED = 30, 10
"""Characters: longer texts may be quoted in part, by at least so many."""
LONGEST_ANSWER = 1000
"""Characters of each text; the rules are not made for books."""
WORDS = Path(__file__).with_name("grounding_words.yaml")


class GroundingAnswer(msgspec.Struct, frozen=True):
    """What the annotator wrote; two empty texts say that the element is no sample."""

    instruction: str = ""
    thought: str = ""


class GroundingWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The words of one language; each field is a list with spaces."""

    verbs: str
    acts: str
    types: str
    fitting: dict[str, str]


@cache
def grounding_words() -> dict[str, GroundingWords]:
    return to_type(read_yaml(WORDS), dict[str, GroundingWords])


@dataclass(frozen=True)
class _Case:
    """An answer with what it is about."""

    answer: GroundingAnswer
    element: Element
    screen: Screen
    language: Language

    @property
    def words(self) -> GroundingWords:
        return grounding_words()[self.language]

    @property
    def instruction(self) -> str:
        """Without what is quoted: a quoted text may hold any word."""
        return unquoted(self.answer.instruction, self.element.text, self.language)

    @property
    def thought(self) -> str:
        return unquoted(self.answer.thought, self.element.text, self.language)

    @property
    def avatar(self) -> bool:
        return any(_AVATAR.search(each) for each in (self.element.type, self.element.text, self.element.caption))

    def quote(self, text: str) -> str:
        return f"'{text}'" if self.language == "en" else f"“{text}”"


_AVATAR = re.compile(r"\bavatar\b|profile (?:photo|picture)|头像", re.IGNORECASE)
_QUOTED = {"en": re.compile(r"(?<!\w)'(.+?)'(?!\w)"), "zh": re.compile(r"“(.+?)”")}
_HOLE = "\ufffc"
"""Stands where a quoted text was."""


def unquoted(text: str, visible: str, language: Language) -> str:
    """A text with a hole in place of each quoted part."""
    if visible:  # first: its own quotes must not end it
        text = text.replace(f"'{visible}'" if language == "en" else f"“{visible}”", _HOLE)
    return _QUOTED[language].sub(_HOLE, text)


def problems(answer: GroundingAnswer, element: Element, screen: Screen, language: Language) -> list[str]:
    """What is wrong with an answer, one sentence for each fault; nothing if it may become a sample."""
    case = _Case(answer, element, screen, language)
    if not answer.instruction.strip() or not answer.thought.strip():
        return list(_empty(case))
    if max(len(answer.instruction), len(answer.thought)) > LONGEST_ANSWER:
        return [f"Write at most {LONGEST_ANSWER} characters as the instruction, and as the thought."]
    return [sentence for rule in RULES for sentence in rule(case)]


# -- empty answers ----------------------------------------------------------------------------------------------------


def _empty(case: _Case) -> Iterator[str]:
    if case.answer.instruction.strip() or case.answer.thought.strip():
        yield "Fill both the instruction and the thought, or leave both empty."
    elif len(interactive_in(case.element, case.screen)) == 1 and not _solid(case):
        yield "The box holds exactly one element to act on: write an instruction and a thought."


def several_elements(case: _Case) -> Iterator[str]:
    if (count := len(interactive_in(case.element, case.screen))) > 1:
        yield f"The box holds {count} elements to act on: leave the instruction and the thought empty."


def interactive_in(element: Element, screen: Screen) -> list[Element]:
    """The interactive elements in an element's box; of those with nearly the same box, one."""
    found: list[Element] = []
    for each in sorted(screen.elements, key=lambda other: other.box.area):
        inside = each.interactive and _inside(each, element)
        if inside and not any(each.box.iou(other.box) > INSIDE for other in found):
            found.append(each)
    return found


def _inside(inner: Element, outer: Element) -> bool:
    width = min(inner.box.x1, outer.box.x1) - max(inner.box.x0, outer.box.x0)
    height = min(inner.box.y1, outer.box.y1) - max(inner.box.y0, outer.box.y0)
    return min(width, height) > 0 and width * height >= INSIDE * inner.box.area


def _solid(case: _Case) -> bool:
    """Has the element one colour? Only empty answers ask, so that no picture is decoded for the others."""
    if case.screen.picture is None:
        return False
    picture = open_picture(case.screen.picture.data())
    candidate = ElementCandidate(case.element, case.screen.size, picture)
    return bool(one_colour(candidate, ElementFilterSettings()))


# -- the instruction --------------------------------------------------------------------------------------------------


def begins_with_verb(case: _Case) -> Iterator[str]:
    if case.language == "en":
        first = re.match(r"(?:please\s+)?([a-z-]+)", case.answer.instruction.strip(), re.IGNORECASE)
        right = first is not None and first[1].casefold() in case.words.verbs.split()
    else:
        right = case.answer.instruction.strip().removeprefix("请").startswith(tuple(case.words.verbs.split()))
    if not right:
        usual = "click, open or select" if case.language == "en" else "点击、打开 or 选择"
        yield f"Begin the instruction with a verb, for example {usual}, and name the element after it."


def names_known_type(case: _Case) -> Iterator[str]:
    named = _types_in(case.instruction, case.words.types, case.language)
    if not named:
        usual = "button, icon, text or tab" if case.language == "en" else "按钮、图标、文字 or 标签"
        yield f"Say what kind of element it is, for example {usual}."
        return
    fitting = case.words.fitting.get(case.element.type, "")
    if fitting and not case.avatar and not _types_in(case.instruction, fitting, case.language):
        kind = case.element.type
        yield f"The element is of the type {kind}: call it one of {', '.join(fitting.split())}."


def _types_in(text: str, types: str, language: Language) -> bool:
    words = "|".join(sorted(types.split(), key=len, reverse=True))
    return re.search(rf"\b(?:{words})s?\b" if language == "en" else words, text, re.IGNORECASE) is not None


def avatar_has_name(case: _Case) -> Iterator[str]:
    pattern = r"\S['’]s? avatar\b" if case.language == "en" else r"\S的头像"
    if case.avatar and not re.search(pattern, case.answer.instruction, re.IGNORECASE):
        form = "[name]'s avatar" if case.language == "en" else "[名字]的头像"
        yield f"The element is an avatar: name whose it is, as {form}."


def quotes_visible_text(case: _Case) -> Iterator[str]:
    wrong = (
        r"\"[^\"]+\"|“[^”]+”|‘[^’]+’"
        if case.language == "en"
        else r"\"[^\"]+\"|(?<![a-zA-Z])'[^']+'(?![a-zA-Z])|‘[^’]+’|「[^」]+」"
    )
    if found := re.search(wrong, case.instruction):
        yield f"Write {case.quote(found[0][1:-1])} instead of {found[0]}."
        return
    text = squeeze(case.element.text)
    quoted = [match[1] for match in _QUOTED[case.language].finditer(case.answer.instruction)]
    if text and case.quote(text) in case.answer.instruction:
        quoted = [text]
    for each in quoted:
        if (text or case.element.caption) and not _shows(case.element, each):
            yield f"The element does not show {case.quote(each)}: quote only what is in the box."
            return
    if _must_quote(case) and not quoted:
        form = f"{case.quote(text[:LONGEST_QUOTED])} and the type of the element"
        yield f"The element shows a text: name it by {form}."
    elif quoted and not case.avatar and not _type_follows(case):
        form = case.quote(quoted[0]) + (" text" if case.language == "en" else "文字")
        kind = f": write {form}." if case.element.type == "text" else ", for example button or icon."
        yield f"After the quoted text, say what kind of element it is{kind}"


def _must_quote(case: _Case) -> bool:
    element = case.element
    shown = bool(element.text.strip()) and element.text != element.caption
    return shown and element.type not in EDITABLE | PICTURES and not case.avatar


def _shows(element: Element, quoted: str) -> bool:
    """Is a quoted text what the element shows? Texts may be shortened where they are long; of other elements, such as
    cards, a part is enough.
    """
    asked = squeeze(quoted).rstrip("….").strip().casefold()
    for own in (squeeze(element.text).casefold(), squeeze(element.caption).casefold()):
        long = len(own) > LONGEST_QUOTED and len(asked) >= LEAST_QUOTED
        if asked == own.rstrip("….").strip() or (long and own.startswith(asked)):
            return True
        if element.type != "text" and len(asked) > 1 and asked in own:
            return True
    return False


def _type_follows(case: _Case) -> bool:
    types = case.words.fitting["text"] if case.element.type == "text" else case.words.types
    words = "|".join(sorted(types.split(), key=len, reverse=True))
    if case.language == "en":
        between = r"\s+" if case.element.type == "text" else r"\s+(?:[\w-]+\s+){0,2}"
        return re.search(rf"{_HOLE}{between}(?:{words})\b", case.instruction, re.IGNORECASE) is not None
    between = "" if case.element.type == "text" else r"[^，。,.]{0,4}?"
    return re.search(rf"{_HOLE}{between}(?:{words})", case.instruction) is not None


def names_function(case: _Case) -> Iterator[str]:
    if found := symbol_in(case.instruction, case.language):
        yield f"Name the function, {found.means!r}, and not the symbol, {found.word!r}."


# -- ordinals ---------------------------------------------------------------------------------------------------------


def has_ordinal_where_needed(case: _Case) -> Iterator[str]:
    label = _label(case.element)
    alike = [each for each in case.screen.elements if label and _label(each) == label and each.leaf]
    same = reading_order([each for each in alike if each.type == case.element.type])
    given = ordinals_in(case.instruction, case.language)
    place = next((at for at, each in enumerate(same, 1) if each.id == case.element.id), 0)
    if not label or not place:
        return
    count = len(same)
    if count > 1 and not given:
        yield f"There are {count} such elements: say that it is number {place} of them, from top to bottom."
    elif count > 1 and len(given) == 1 and (said := given[0].place(count)) != place:
        yield f"It is number {place} of {count} such elements, from top to bottom, and not number {said}."
    elif len(alike) == 1 and given:
        yield f"There is one such element: leave out {given[0].text!r}."


def _label(element: Element) -> str:
    return squeeze(element.text or element.caption).casefold()


# -- both texts -------------------------------------------------------------------------------------------------------

_PLACE = re.compile(
    r"[(\[（【]\s*\d+(?:\.\d+)?\s*[,，]\s*\d+|\b[xy]\s*[=:：]\s*\d|\bcoordinates?\b|坐标"
    r"|\d+\s*(?:px\b|pixels?\b|像素)|\d{2,}\s*[x×*]\s*\d{2,}",
    re.IGNORECASE,
)
_MAKING = re.compile(
    r"\b(?:red|green|marked|highlighted|outlined|drawn|annotated|bounding)\s+(?:bounding\s+)?"
    r"(?:box|rectangle|frame|border|outline|region|area)\b|\bannotat(?:ion|ed|or)s?\b|(?<!map )\bmarker\b"
    r"|\b(?:marked|outlined|boxed) (?:in|with|by)\b|\btraining (?:sample|data)\b|\bdata ?set\b"
    r"|[红绿]色?的?(?:方框|矩形|边框|框)|标注|标记框|边界框|框选|框出|框中|圈出|被框|数据集|训练样本|训练数据",
    re.IGNORECASE,
)


def tells_no_places(case: _Case) -> Iterator[str]:
    for name in ("instruction", "thought"):
        if found := _PLACE.search(getattr(case, name)):
            yield f"Leave coordinates and sizes in pixels out of the {name}: {found[0].strip()!r}."


def tells_no_making(case: _Case) -> Iterator[str]:
    for name in ("instruction", "thought"):
        if found := _MAKING.search(getattr(case, name)):
            yield f"The {name} must not tell of the drawn box or of annotating: {found[0].strip()!r}."


def tells_how_to_execute(case: _Case) -> Iterator[str]:
    acts = "|".join(case.words.acts.split())
    pattern = rf"\b(?:{acts})(?:p?p?(?:ing|ed)|g?ging|s|es)?\b" if case.language == "en" else acts
    if not re.search(pattern, case.answer.thought, re.IGNORECASE):
        usual = "click or open" if case.language == "en" else "点击 or 打开"
        yield f"The thought must say how the instruction is executed: what to {usual}, and why."


def is_long_enough(case: _Case) -> Iterator[str]:
    for name, least in (("instruction", LEAST_INSTRUCTION), ("thought", LEAST_THOUGHT)):
        if (count := count_words(getattr(case.answer, name), case.language)) < least:
            yield f"The {name} has {count} words: write at least {least}."


def count_words(text: str, language: Language) -> int:
    """Words of a text; in Chinese, by characters (see the head of this file).

    >>> count_words("Tap the 'Sign in' button", "en")
    5
    >>> count_words("点击“登录”按钮", "zh"), count_words("点击设置", "zh")
    (4, 3)
    """
    if language == "en":
        return len(re.findall(r"\w+(?:['’.-]\w+)*", text))
    return math.ceil(len(re.findall(_HAN, text)) / HAN_PER_WORD) + len(re.findall(r"[^\W\u3400-\u9fff]+", text))


_HAN = r"[\u3400-\u9fff]"


def is_in_language(case: _Case) -> Iterator[str]:
    for name in ("instruction", "thought"):
        if bool(re.search(_HAN, getattr(case, name))) != (case.language == "zh"):
            yield f"Write the {name} in {'English' if case.language == 'en' else 'Chinese'}."


RULES: Sequence[Callable[[_Case], Iterator[str]]] = (
    several_elements,
    is_in_language,
    begins_with_verb,
    names_known_type,
    avatar_has_name,
    quotes_visible_text,
    names_function,
    has_ordinal_where_needed,
    tells_no_places,
    tells_no_making,
    tells_how_to_execute,
    is_long_enough,
)
