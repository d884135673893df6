"""Tasks in the spreadsheet Gnumeric (GTK 3). Its cells are not in the accessibility tree: the box with the current
cell's name and the line with its content are.
"""

from __future__ import annotations

import re
from typing import ClassVar

from saccade.types import Element
from saccade.worlds.desktop.tasks.home_files import Content
from saccade.worlds.desktop.tasks.oracle import OracleStep, TaskScreen
from saccade.worlds.desktop.tasks.spreadsheet import read_cells, write_cells
from saccade.worlds.desktop.tasks.template import DesktopTask, Ending

FILE = "sheet.gnumeric"


class SheetTask(DesktopTask):
    """A sheet with a list of things and their prices is open."""

    apps: ClassVar[tuple[str, ...]] = ("gnumeric",)

    def fill_sheet(self, rows: int = 4) -> dict[str, str]:
        """Cells: the heads in row 1, then things in column A, prices in B and numbers of pieces in C."""
        heads = {"en": ("thing", "price", "pieces"), "zh": ("物品", "价格", "数量")}[self.language]
        cells = dict(zip(("A1", "B1", "C1"), heads, strict=True))
        self.things = self.words("things", rows)
        self.prices = self.random.sample(range(11, 99), rows)
        for at, (thing, price) in enumerate(zip(self.things, self.prices, strict=True), 2):
            cells |= {f"A{at}": thing, f"B{at}": str(price), f"C{at}": str(self.random.randint(2, 9))}
        self.files[FILE] = cells
        self.arguments = [FILE]
        self.add_other_files()
        self.last = rows + 1
        """The number of the last row."""
        self.typed: dict[str, str] = {}
        return cells

    def want_cells(self, **typed: str) -> None:
        """What is typed into each cell that changes."""
        self.typed = typed
        cells = {**self.files[FILE], **typed}  # type: ignore[dict-item]
        self.goal = {**self.files, FILE: read_cells(write_cells(cells))}

    def written(self) -> dict[str, Content]:
        cells = {**self.files[FILE], **self.typed}  # type: ignore[dict-item]
        return super().written() | {FILE: cells}

    def near_misses(self) -> dict[str, Ending]:
        found = {
            what: self.ending({**self.files, FILE: {**self.files[FILE], **typed}})  # type: ignore[dict-item]
            for what, typed in self.wrong_cells().items()
        }
        found["not saved"] = self.ending(self.files)
        return found

    def wrong_cells(self) -> dict[str, dict[str, str]]:
        """What may be typed into cells that is almost right."""
        return {}

    # -- steps --------------------------------------------------------------------------------------------------------

    def boxes(self, see: TaskScreen) -> tuple[Element, Element]:
        """The box with the name of the current cell, and the line with its content."""
        fields = [each for each in see.elements if each.type == "input" and "%" not in each.text]
        if len(fields) < 2 or any(each.type == "dialog" for each in see.elements):
            raise LookupError("the boxes of the current cell are not on the screen")
        fields.sort(key=lambda element: element.box.x0)
        return fields[0], fields[1]

    def next_move(self, see: TaskScreen) -> OracleStep | None:
        if see.files.get(FILE) == (self.goal or {})[FILE]:
            return None
        name, line = self.boxes(see)
        last = [action.text if action.type == "type" else action.key for action in see.done[-2:]]
        if name.text in self.typed and see.done and see.done[-1].type != "type":
            see.notes[name.text] = line.text
        if last[1:] == ["enter"]:  # the current cell has moved on to the next one
            see.notes.update({cell: text for cell, text in self.typed.items() if text == last[0]})
        for cell, text in self.typed.items():
            if see.notes.get(cell, "").casefold() != text.casefold():
                return self._put(see, name, cell, text)
        if see.titled("*"):
            return see.press("ctrl+s")
        see.notes.clear()  # it was saved, but is not right: look at every cell again
        return self._put(see, name, *next(iter(self.typed.items())))

    def _put(self, see: TaskScreen, name: Element, cell: str, text: str) -> OracleStep:
        """Go to a cell by its name, and write into it."""
        if see.done and see.done[-1].type == "type" and see.done[-1].text in (cell, text):
            return see.press("enter")
        if see.just_clicked(name):
            return see.press("ctrl+a", name)
        if see.just_pressed("ctrl+a"):
            return see.type(cell, name)
        return see.type(text) if name.text == cell else see.click(name)


class SetCell(SheetTask):
    name = "gnumeric.set_cell"
    en = "Write {value} into cell {cell} of the sheet and save it."
    zh = "在表格的 {cell} 单元格中写入 {value} 并保存。"

    def set_up(self) -> None:
        self.fill_sheet()
        cell, value = f"{self.random.choice('DEF')}{self.random.randint(2, 9)}", str(self.random.randint(100, 999))
        self.values = {"cell": cell, "value": value}
        self.want_cells(**{cell: value})

    def wrong_cells(self) -> dict[str, dict[str, str]]:
        cell, value = self.values["cell"], self.values["value"]
        return {
            "the cell below": {f"{cell[0]}{int(cell[1:]) + 1}": value},
            "another cell, too": {cell: value, "B2": value},
            "another value": {cell: f"{value}0"},
        }


class ChangePrice(SheetTask):
    name = "gnumeric.change_price"
    en = "Change the price of {thing} to {value} and save the sheet."
    zh = "把{thing}的价格改成 {value} 并保存表格。"

    def set_up(self) -> None:
        self.fill_sheet()
        at, value = self.random.randrange(4), str(self.random.randint(100, 999))
        self.values = {"thing": self.things[at], "value": value}
        self.row = at + 2
        self.want_cells(**{f"B{self.row}": value})

    def wrong_cells(self) -> dict[str, dict[str, str]]:
        value, other = self.values["value"], 2 if self.row == self.last else self.row + 1
        return {
            "of another thing": {f"B{other}": value},
            "the number of pieces": {f"C{self.row}": value},
            "the name overwritten": {f"A{self.row}": value, f"B{self.row}": value},
        }


class AppendRow(SheetTask):
    name = "gnumeric.append_row"
    en = "Add a row for {thing} below the last one: price {price}, {pieces} pieces. Save the sheet."
    zh = "在最后一行下面加上{thing}：价格 {price}，数量 {pieces}。保存表格。"

    def set_up(self) -> None:
        self.fill_sheet()
        new = next(each for each in self.words("things", 5) if each not in self.things)
        price, pieces = str(self.random.randint(100, 199)), str(self.random.randint(20, 99))
        self.values = {"thing": new, "price": price, "pieces": pieces}
        row = self.last + 1
        self.want_cells(**{f"A{row}": new, f"B{row}": price, f"C{row}": pieces})

    def wrong_cells(self) -> dict[str, dict[str, str]]:
        new, price, pieces = (self.values[each] for each in ("thing", "price", "pieces"))
        row = self.last + 1
        return {
            "one row too low": {f"A{row + 1}": new, f"B{row + 1}": price, f"C{row + 1}": pieces},
            "in place of the last row": {f"A{row - 1}": new, f"B{row - 1}": price, f"C{row - 1}": pieces},
            "price and pieces swapped": {f"A{row}": new, f"B{row}": pieces, f"C{row}": price},
            "without the pieces": {f"A{row}": new, f"B{row}": price},
        }


class FormulaTask(SheetTask):
    """A formula over the prices."""

    function = ""

    def set_up(self) -> None:
        self.fill_sheet()
        cell = f"{self.random.choice('BDEF')}{self.last + self.random.randint(1, 9)}"
        self.values = {"cell": cell, "range": f"B2:B{self.last}"}
        self.want_cells(**{cell: f"={self.function}(B2:B{self.last})"})

    def wrong_cells(self) -> dict[str, dict[str, str]]:
        ((cell, formula),) = self.typed.items()
        result = (self.goal or {})[FILE][cell].split()[0].lstrip("=")  # type: ignore[index]
        return {
            "a number, no formula": {cell: result},
            "the cell below": {f"{cell[0]}{int(cell[1:]) + 1}": formula},
            "over the pieces": {cell: formula.replace("B", "C")},
            "the lowest price": {cell: f"=MIN(B2:B{self.last})"},
            "one price too few": {cell: formula.replace(f"B{self.last}", f"B{self.last - 1}")},
            "a formula that follows no price": {cell: f"={result}+0*B2"},
        }


class Sum(FormulaTask):
    name = "gnumeric.sum"
    function = "SUM"
    en = "Let cell {cell} work out the sum of the prices by a formula, and save the sheet."
    zh = "在 {cell} 单元格中用公式求出价格之和，并保存表格。"


class Average(FormulaTask):
    name = "gnumeric.average"
    function = "AVERAGE"
    held_out = True
    en = "Put a formula into {cell} that gives the average of {range}, and save the sheet."
    zh = "在 {cell} 中写一个公式，求 {range} 的平均值，并保存表格。"


class Largest(FormulaTask):
    name = "gnumeric.largest"
    function = "MAX"
    en = "Put a formula into {cell} that finds the highest price, and save the sheet."
    zh = "在 {cell} 中写一个求最高价格的公式，并保存表格。"


class ReadCell(SheetTask):
    name = "gnumeric.read_cell"
    kind = "ask"
    en = "What is in cell {cell} of the sheet?"
    zh = "表格的 {cell} 单元格里是什么？"

    def set_up(self) -> None:
        cells = self.fill_sheet()
        cell = self.random.choice([each for each in cells if re.fullmatch(r"[AB][2-9]", each)])
        self.values, self.answer = {"cell": cell}, cells[cell]

    def near_misses(self) -> dict[str, Ending]:
        cell, cells = self.values["cell"], dict(self.files[FILE])  # type: ignore[arg-type]
        row, beside = int(cell[1:]), {"A": "B", "B": "C"}[cell[0]]
        wrong = {"the cell above": cells[f"{cell[0]}{row - 1}"], "the cell beside it": cells[f"{beside}{row}"]}
        wrong["the cell's name"] = cell
        return {what: self.ending(answer=text) for what, text in wrong.items()}

    def next_move(self, see: TaskScreen) -> OracleStep | None:
        name, _ = self.boxes(see)
        if name.text == self.values["cell"] and not (see.done and see.done[-1].type == "type"):
            return None
        return self._put(see, name, self.values["cell"], "")


class MissingThing(SheetTask):
    name = "gnumeric.missing_thing"
    kind = "infeasible"
    en = "Open stock.gnumeric and set the price of {missing} there to {value}. If it is not in that list, say so."
    zh = "打开 stock.gnumeric，把其中{missing}的价格改成 {value}。如果那个列表里没有，请说明无法完成。"

    def set_up(self) -> None:
        self.files["stock.gnumeric"] = dict(self.fill_sheet())
        listed = set(self.things)
        self.fill_sheet()
        missing = next((each for each in self.things if each not in listed), None)
        missing = missing or next(each for each in self.words("things", 5) if each not in listed)
        self.values = {"missing": missing, "value": self.random.randint(100, 999)}

    def near_misses(self) -> dict[str, Ending]:
        value, stock = str(self.values["value"]), dict(self.files["stock.gnumeric"])  # type: ignore[arg-type]
        row = {"A6": self.values["missing"], "B6": value}
        here = {**self.files, FILE: {**self.files[FILE], "B2": value}}  # type: ignore[dict-item]
        return {
            "in the sheet that was open": self.ending(here),
            "added to the list": self.ending({**self.files, "stock.gnumeric": stock | row}),
            "said that it was done": self.ending(status="success"),
        }

    def looked(self, see: TaskScreen) -> bool:
        return see.titled("stock.gnumeric - Gnumeric")

    def next_move(self, see: TaskScreen) -> OracleStep | None:
        if any(each.type == "dialog" for each in see.elements):
            return see.click("stock.gnumeric", "cell", how="double_click")
        return None if self.looked(see) else see.press("ctrl+o")
