"""Forty-six ways in which a page shows a secret, whole or in pieces, each with the script or markup that does it."""

from __future__ import annotations

from html import escape

VALUE = "kestrel7hunter2"
CARD = "4929137358801426"
STYLE = "<!doctype html><meta charset=utf-8><style>body{font:24px sans-serif;margin:16px}</style>"


def _spans(value: str, tag: str = "span", more: str = "") -> str:
    return "".join(f"<{tag}{more}>{escape(letter)}</{tag}>" for letter in value)


def _placed(value: str, order: list[int]) -> str:
    """Letters one by one at their places, in another order in the page."""
    return "".join(f"<b style='position:absolute;left:{20 + 22 * at}px;top:60px'>{value[at]}</b>" for at in order)


def _parts(value: str, size: int = 4) -> list[str]:
    return [value[at : at + size] for at in range(0, len(value), size)]


def _root(value: str, mode: str) -> str:
    script = f"document.querySelector('x-word').attachShadow({{mode:'{mode}'}}).innerHTML={_spans(value, 'i')!r}"
    return f"<x-word></x-word><script>{script}</script>"


def _frame(page: str, more: str = "") -> str:
    return f'<iframe frameborder=0 {more} srcdoc="{escape(page, quote=True)}"></iframe>'


MARKS = "".join(
    f"<style>#m{at}::marker{{content:'{letter}'}}</style><li id=m{at}>" for at, letter in enumerate(VALUE[:9])
)
RENDERINGS: dict[str, str] = {
    "plain": f"<p>{VALUE}",
    "in a sentence": f"<p>Your code is {VALUE}, keep it.",
    "capitals by style": f"<p style='text-transform:uppercase'>{VALUE}",
    "small capitals": f"<p style='font-variant:small-caps'>{VALUE}",
    "a letter a span": f"<p>{_spans(VALUE)}",
    "a letter a block": f"<div style='display:flex'>{_spans(VALUE, 'div')}</div>",
    "a letter a button": f"<p>{_spans(VALUE, 'button')}",
    "a letter a table cell": f"<table><tr>{_spans(VALUE, 'td')}</table>",
    "bold and italic pieces": f"<p>{VALUE[:3]}<b>{VALUE[3:7]}<i>{VALUE[7:9]}</i></b>{VALUE[9:]}",
    "letter spacing": f"<p style='letter-spacing:6px'>{VALUE}",
    "spaces between letters": f"<p>{' '.join(VALUE)}",
    "hyphens between letters": f"<p>{'-'.join(VALUE)}",
    "dots between letters": f"<p>{'·'.join(VALUE)}",
    "soft hyphens": f"<p>{'&shy;'.join(VALUE)}",
    "zero width joiners": f"<p>{'&zwnj;'.join(VALUE)}",
    "word breaks": f"<p>{'<wbr>'.join(VALUE)}",
    "full width letters": f"<p>{''.join(chr(ord(letter) + 0xFEE0) for letter in VALUE)}",
    "boxes for a code": f"<p>{''.join(f'<input size=1 value={letter}>' for letter in VALUE)}",
    "a field": f"<input value={VALUE} size=30>",
    "a read-only field": f"<input value={VALUE} size=30 readonly>",
    "a text area": f"<textarea cols=30>{VALUE}</textarea>",
    "a placeholder": f"<input placeholder={VALUE} size=30>",
    "a list to choose from": f"<select><option>{VALUE}</select>",
    "an open list": f"<select size=4><option>one<option>{VALUE}</select>",
    "card in four fields": "".join(f"<input size=4 value={part}> " for part in _parts(CARD)),
    "card in four cells": f"<table><tr>{''.join(f'<td>{part}' for part in _parts(CARD))}</table>",
    "card in two lines": f"<p>{CARD[:8]}<p>{CARD[8:]}",
    "card with dashes in spans": "<span>-</span>".join(f"<b>{part}</b>" for part in _parts(CARD)),
    "before and after": f"<style>#a::before{{content:'{VALUE[:5]}'}}#a::after{{content:'{VALUE[9:]}'}}</style>"
    f"<p id=a>{VALUE[5:9]}",
    "content of an attribute": f"<style>p::after{{content:attr(data-x)}}</style><p data-x={VALUE}>",
    "list markers": f"<ul style='margin-left:40px'>{MARKS}</ul><p>{VALUE[9:]}",
    "counters": f"<style>li{{list-style:none}}li::before{{counter-increment:c;content:counter(c,decimal)}}</style>"
    f"<ol style='display:flex;counter-reset:c {int(CARD[:8]) - 1}'><li></ol><p>{CARD[8:]}",
    "first letter": f"<style>p::first-letter{{color:red;font-size:32px}}</style><p>{VALUE}",
    "turned round by style": f"<p><bdo dir=rtl>{VALUE[::-1]}</bdo>",
    "a row in reverse": "<div style='display:flex;flex-direction:row-reverse;justify-content:flex-end'>"
    f"{_spans(VALUE[::-1], 'b')}</div>",
    "placed out of order": _placed(VALUE, [*range(0, len(VALUE), 2), *range(1, len(VALUE), 2)]),
    "a column of letters": f"<p style='line-height:18px;font-size:17px;margin:0'>{_spans(VALUE, 'div')}",
    "an open shadow root": _root(VALUE, "open"),
    "a closed shadow root": _root(VALUE, "closed"),
    "a frame": _frame(f"<p style='font-size:24px'>{_spans(VALUE)}"),
    "a scaled frame in a frame": _frame(
        _frame(f"<p style='font-size:30px'>{VALUE}", "width=400 height=120 style='transform:scale(.8)'"),
        "width=460 height=180",
    ),
    "drawn as SVG text": f"<svg width=460 height=60><text y=30>{_spans(VALUE, 'tspan')}</text></svg>",
    "an editor": f"<div contenteditable>{_spans(VALUE, 'u')}</div>",
    "turned by ten degrees": f"<p style='transform:rotate(10deg);width:300px'>{_spans(VALUE)}",
    "the text of a broken picture": f"<img alt={VALUE} src=data: width=300 height=40>",
    "vertical writing": f"<p style='writing-mode:vertical-rl;font-size:17px;margin:0'>{VALUE}",
}


def page(name: str) -> str:
    return STYLE + RENDERINGS[name]


def value_of(name: str) -> str:
    return CARD if name.startswith(("card", "counters")) else VALUE
