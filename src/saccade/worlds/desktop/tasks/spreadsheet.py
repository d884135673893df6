"""Reads and writes the cells of Gnumeric's files, and works out their formulas."""

from __future__ import annotations

import ast
import gzip
import math
import re
from collections.abc import Mapping
from typing import Any
from xml.sax.saxutils import escape

from saccade.untrusted import inflate, parse_xml

_SPACE = "http://www.gnumeric.org/v10.dtd"
_CELL = re.compile(r"\$?([A-Z]{1,2})\$?(\d{1,4})")
_RANGE = re.compile(r"([A-Z]{1,2}\d{1,4}):([A-Z]{1,2}\d{1,4})")
_TEXT, _NUMBER = "60", "40"
MOST_BYTES = 20_000_000
MOST_FORMULAS, MOST_NUMBERS = 20, 50
RAISE = 1000
_FUNCTIONS: dict[str, Any] = {
    "SUM": sum,
    "AVERAGE": lambda values: sum(values) / len(values),
    "MAX": max,
    "MIN": min,
    "COUNT": len,
    "COUNTA": len,
    "PRODUCT": math.prod,
}


def column_name(column: int) -> str:
    """0 is A, 26 is AA."""
    letters = ""
    while column >= 0:
        letters, column = chr(65 + column % 26) + letters, column // 26 - 1
    return letters


def _place(name: str) -> tuple[int, int]:
    found = _CELL.fullmatch(name)
    if found is None:
        raise ValueError(f"{name!r} is no cell")
    column = 0
    for letter in found[1]:
        column = column * 26 + ord(letter) - 64
    return int(found[2]) - 1, column - 1


def write_cells(cells: Mapping[str, str]) -> bytes:
    """A workbook with one sheet."""
    lines = []
    for name, value in cells.items():
        row, column = _place(name)
        kind = _NUMBER if _is_number(value) else _TEXT
        lines.append(f'<gnm:Cell Row="{row}" Col="{column}" ValueType="{kind}">{escape(value)}</gnm:Cell>')
    sheet = f"<gnm:Sheet><gnm:Name>Sheet1</gnm:Name><gnm:Cells>{''.join(lines)}</gnm:Cells></gnm:Sheet>"
    index = '<gnm:SheetName gnm:Cols="256" gnm:Rows="65536">Sheet1</gnm:SheetName>'
    parts = f"<gnm:SheetNameIndex>{index}</gnm:SheetNameIndex><gnm:Sheets>{sheet}</gnm:Sheets>"
    text = f'<gnm:Workbook xmlns:gnm="{_SPACE}">{parts}</gnm:Workbook>'
    return gzip.compress(f'<?xml version="1.0" encoding="UTF-8"?>{text}'.encode(), mtime=0)


def read_cells(data: bytes) -> dict[str, str]:
    """The cells of the first sheet by name. A formula that refers to other cells is `=` and its value, then what it
    gives if one of the sheet's numbers is larger by `RAISE`, for each number: a formula over fewer cells may happen to
    have the same value, but does not follow the same numbers.
    """
    plain = inflate(data, MOST_BYTES) if data[:2] == b"\x1f\x8b" else data
    sheet = parse_xml(plain).find(f".//{{{_SPACE}}}Sheet")
    if sheet is None:
        raise ValueError("a workbook without a sheet")
    raw = {
        f"{column_name(int(cell.get('Col', 0)))}{int(cell.get('Row', 0)) + 1}": cell.text or ""
        for cell in sheet.iter(f"{{{_SPACE}}}Cell")
    }
    if sum(text.startswith("=") for text in raw.values()) > MOST_FORMULAS:
        raise ValueError("more formulas than any task asks for")
    return {name: _shown(text, raw) for name, text in raw.items() if text}


def _shown(text: str, cells: dict[str, str]) -> str:
    if not text.startswith("="):
        return text
    try:
        value = f"{_value(text, cells, 0):.10g}"
        if not _CELL.search(text.upper()):
            return value
        numbers = sorted(name for name, each in cells.items() if _is_number(each))[:MOST_NUMBERS]
        raised = [cells | {name: str(float(cells[name]) + RAISE)} for name in numbers]
        return f"={value} ({' '.join(f'{_value(text, each, 0):.10g}' for each in raised)})"
    except (ValueError, SyntaxError, ArithmeticError, TypeError, RecursionError):
        return f"=?{text[1:]}"


def _is_number(text: str) -> bool:
    return re.fullmatch(r"-?\d{1,15}(\.\d{1,15})?", text) is not None


def _value(text: str, cells: Mapping[str, str], depth: int) -> float:
    """The number that a cell's text stands for."""
    if not text.startswith("="):
        return float(text)
    if depth > 20:
        raise ValueError("formulas refer to each other")
    formula = _RANGE.sub(r"_RANGE(\1,\2)", text[1:].upper().replace("$", "").replace(";", ","))
    return float(_evaluate(ast.parse(formula.strip(), mode="eval").body, cells, depth + 1))


def _evaluate(node: ast.AST, cells: Mapping[str, str], depth: int) -> Any:
    match node:
        case ast.Constant(value=int() | float()):
            return node.value
        case ast.Name():
            return _value(cells.get(node.id, "0"), cells, depth)
        case ast.UnaryOp(op=ast.USub()):
            return -_evaluate(node.operand, cells, depth)
        case ast.BinOp():
            left, right = _evaluate(node.left, cells, depth), _evaluate(node.right, cells, depth)
            match node.op:
                case ast.Add():
                    return left + right
                case ast.Sub():
                    return left - right
                case ast.Mult():
                    return left * right
                case ast.Div():
                    return left / right
        case ast.Call(func=ast.Name(id="_RANGE"), args=[ast.Name() as start, ast.Name() as end]):
            return _numbers(start.id, end.id, cells, depth)
        case ast.Call(func=ast.Name() as name) if name.id in _FUNCTIONS:
            values: list[float] = []
            for argument in node.args:
                found = _evaluate(argument, cells, depth)
                values += found if isinstance(found, list) else [found]
            return _FUNCTIONS[name.id](values)
    raise ValueError("this formula is beyond what tasks ask for")


def _numbers(start: str, end: str, cells: Mapping[str, str], depth: int) -> list[float]:
    """The numbers in a range; texts and empty cells are left out."""
    (top, left), (bottom, right) = _place(start), _place(end)
    if (bottom - top + 1) * (right - left + 1) > 10_000:
        raise ValueError("a very large range")
    names = [f"{column_name(column)}{row + 1}" for row in range(top, bottom + 1) for column in range(left, right + 1)]
    values = []
    for name in names:
        try:
            values.append(_value(cells.get(name, "-"), cells, depth))
        except ValueError:
            continue
    return values
