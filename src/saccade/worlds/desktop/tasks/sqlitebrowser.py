"""Tasks in DB Browser for SQLite (Qt 5). Changes count once they are written to the file."""

from __future__ import annotations

from typing import Any, ClassVar

from saccade.types import Element
from saccade.worlds.desktop.tasks.oracle import OracleStep, TaskScreen
from saccade.worlds.desktop.tasks.template import DesktopTask, Ending

FILE = "shop.db"
Row = tuple[Any, ...]
COLUMNS = ("id", "name", "price", "city")


class DatabaseTask(DesktopTask):
    """A database with one table is open."""

    apps: ClassVar[tuple[str, ...]] = ("sqlitebrowser",)

    def fill_table(self) -> list[Row]:
        """The rows of the table: a number, a thing, its price and where it is."""
        things, prices = self.words("things", 5), self.random.sample(range(11, 99), 5)
        rows = [
            (at, thing, price, self.word("cities"))
            for at, (thing, price) in enumerate(zip(things, prices, strict=True), 1)
        ]
        self.files[FILE] = {"items": [COLUMNS, *rows]}
        self.arguments = [FILE]
        self.add_other_files()
        chosen = rows[self.random.randrange(5)]
        self.values |= {"name": chosen[1], "row": chosen, "rows": rows}
        return rows

    def want_rows(self, rows: list[Row]) -> None:
        self.goal = {**self.files, FILE: {"items": [COLUMNS, *rows]}}

    def near_misses(self) -> dict[str, Ending]:
        """Of tasks that change the table."""
        rows = self.values["rows"]
        found = {
            what: self.ending({**self.files, FILE: {"items": [COLUMNS, *wrong]}})
            for what, wrong in self.wrong_rows(rows).items()
        }
        return found | ({"not written": self.ending(self.files)} if self.touched else {})

    def wrong_rows(self, rows: list[Row]) -> dict[str, list[Row]]:
        """Rows that are almost those that the table must have."""
        return {}

    # -- steps --------------------------------------------------------------------------------------------------------

    def browse(self, see: TaskScreen) -> OracleStep | None:
        """Show the rows; None if they are shown."""
        return None if see.find("name", "columnheader") else see.click("Browse Data", "tab")

    def shown_rows(self, see: TaskScreen) -> list[list[Element]]:
        """The cells of the table, row by row."""
        heads = [see.get(name, "columnheader") for name in COLUMNS]
        left, right, top = heads[0].box.x0, heads[-1].box.x1, heads[0].box.y1
        cells = [each for each in see.elements if each.type == "cell" and left <= each.center.x <= right]
        rows: dict[float, list[Element]] = {}
        for cell in cells:
            if cell.box.y0 >= top - 1:
                rows.setdefault(cell.box.y0, []).append(cell)
        return [row for row in rows.values() if len(row) == len(COLUMNS)]

    def set_cell(self, see: TaskScreen, row: list[Element], column: str, value: str) -> OracleStep | None:
        """Write into a cell of a row; None if it is there. Where the column has such a value already, a list of values
        opens below the cell, and the first enter key only closes that list.
        """
        cell = row[COLUMNS.index(column)]
        if cell.text == value:
            return None
        enter = see.press("enter", cell)
        underway = see.by_keyboard(
            first := see.press("f2", cell), see.press("ctrl+a", cell), see.type(value, cell), enter, enter
        )
        return underway if underway is not first or see.just_clicked(cell) else see.click(cell)

    def write(self, see: TaskScreen) -> OracleStep | None:
        """Write the changes to the file; None if that was done."""
        return None if see.files.get(FILE) == (self.goal or {})[FILE] else see.click("Write Changes", "button")


class ChangePrice(DatabaseTask):
    name = "sqlitebrowser.change_price"
    en = "In the table items of shop.db, set the price of “{name}” to {price}, and write the change to the file."
    zh = "在 shop.db 的 items 表中，把“{name}”的 price 改为 {price}，并把更改写入文件。"
    column = "price"

    def set_up(self) -> None:
        rows = self.fill_table()
        number, name, _, city = self.values["row"]
        self.values["price"] = self.random.randint(100, 999)
        self.want_rows([(number, name, self.values["price"], city) if row[1] == name else row for row in rows])

    def wrong_rows(self, rows: list[Row]) -> dict[str, list[Row]]:
        at, value = COLUMNS.index(self.column), self.values[self.column]
        right = self.values["row"][0]
        other = next(row[0] for row in rows if row[0] != right and row[at] != value)

        def put(*numbers: int, column: int = at) -> list[Row]:
            return [(*row[:column], value, *row[column + 1 :]) if row[0] in numbers else row for row in rows]

        return {"another row": put(other), "another row, too": put(right, other), "the name": put(right, column=1)}

    def next_move(self, see: TaskScreen) -> OracleStep | None:
        if see.files.get(FILE) == (self.goal or {})[FILE]:
            return None
        if step := self.browse(see):
            return step
        row = self.shown_rows(see)[self.values["row"][0] - 1]
        wanted = (self.goal or {})[FILE]["items"][self.values["row"][0]]  # type: ignore[index]
        return self.set_cell(see, row, self.column, str(wanted[COLUMNS.index(self.column)])) or self.write(see)


class ChangeCity(ChangePrice):
    name = "sqlitebrowser.change_city"
    held_out = True
    en = "The “{name}” in shop.db has moved: set its city to {city} and write the change to the file."
    zh = "shop.db 中的“{name}”换了地方：把它的 city 改为 {city}，并把更改写入文件。"
    column = "city"

    def set_up(self) -> None:
        rows = self.fill_table()
        number, name, price, _ = self.values["row"]
        self.values["city"] = city = next(each for each in self.words("cities", 2) if each != self.values["row"][3])
        self.want_rows([(number, name, price, city) if row[1] == name else row for row in rows])


class AddRow(DatabaseTask):
    name = "sqlitebrowser.add_row"
    en = "Add a record to the table items of shop.db: name {new}, price {price}, city {city}. Write it to the file."
    zh = "在 shop.db 的 items 表中添加一条记录：name 为 {new}，price 为 {price}，city 为 {city}，并写入文件。"

    def set_up(self) -> None:
        rows = self.fill_table()
        new = next(each for each in self.words("things", 6) if each not in {row[1] for row in rows})
        self.values |= {"new": new, "price": self.random.randint(11, 99), "city": self.word("cities")}
        self.want_rows([*rows, (6, new, self.values["price"], self.values["city"])])

    def wrong_rows(self, rows: list[Row]) -> dict[str, list[Row]]:
        new, price, city = (self.values[each] for each in ("new", "price", "city"))
        return {
            "no city": [*rows, (6, new, price, None)],
            "an empty row, too": [*rows, (6, new, price, city), (7, None, None, None)],
            "in place of the last row": [*rows[:-1], (5, new, price, city)],
        }

    def next_move(self, see: TaskScreen) -> OracleStep | None:
        if see.files.get(FILE) == (self.goal or {})[FILE]:
            return None
        if step := self.browse(see):
            return step
        rows = self.shown_rows(see)
        if len(rows) == 5:
            return see.click("New Record", "button")
        cells = (("name", self.values["new"]), ("price", str(self.values["price"])), ("city", self.values["city"]))
        steps = (self.set_cell(see, rows[5], column, value) for column, value in cells)
        return next(filter(None, steps), None) or self.write(see)


class DeleteRow(DatabaseTask):
    name = "sqlitebrowser.delete_row"
    en = "Delete the record of “{name}” from the table items of shop.db, and write the change to the file."
    zh = "从 shop.db 的 items 表中删除“{name}”的记录，并把更改写入文件。"

    def set_up(self) -> None:
        rows = self.fill_table()
        self.want_rows([row for row in rows if row != self.values["row"]])

    def wrong_rows(self, rows: list[Row]) -> dict[str, list[Row]]:
        gone = self.values["row"]
        others = [row for row in rows if row != gone]
        return {
            "another row": [gone, *others[1:]],
            "another row, too": others[1:],
            "emptied": [(*row[:1], None, None, None) if row == gone else row for row in rows],
        }

    def next_move(self, see: TaskScreen) -> OracleStep | None:
        if see.files.get(FILE) == (self.goal or {})[FILE]:
            return None
        if step := self.browse(see):
            return step
        row = next((row for row in self.shown_rows(see) if row[1].text == self.values["name"]), None)
        if row is None:
            return self.write(see)
        if see.find("Delete Record", "button") is None:  # the toolbar is too narrow for it beside the other windows
            return see.click("Close", "button")
        return see.click("Delete Record", "button") if see.just_clicked(row[1]) else see.click(row[1])


class ReadPrice(DatabaseTask):
    name = "sqlitebrowser.read_price"
    kind = "ask"
    en = "What is the price of “{name}” in the table items of shop.db?"
    zh = "在 shop.db 的 items 表中，“{name}”的 price 是多少？"

    def set_up(self) -> None:
        self.fill_table()
        self.answer = str(self.values["row"][2])

    def near_misses(self) -> dict[str, Ending]:
        number, _, price, city = self.values["row"]
        other = next(row[2] for row in self.values["rows"] if row[0] != number)
        wrong = {"of another row": str(other), "the number": str(number), "the city": f"{city} {price + 1}"}
        return {what: self.ending(answer=text) for what, text in wrong.items()}

    def next_move(self, see: TaskScreen) -> OracleStep | None:
        return self.browse(see)


class MissingRow(DatabaseTask):
    name = "sqlitebrowser.missing_row"
    kind = "infeasible"
    en = (
        "Delete the record of “{missing}” from the table items of shop.db. If there is none, say so and change nothing."
    )
    zh = "从 shop.db 的 items 表中删除“{missing}”的记录。如果没有，请说明，不要改动任何东西。"

    def set_up(self) -> None:
        rows = self.fill_table()
        self.values["missing"] = next(each for each in self.words("things", 6) if each not in {row[1] for row in rows})

    def near_misses(self) -> dict[str, Ending]:
        return {**super().near_misses(), "said that it was done": self.ending(status="success")}

    def wrong_rows(self, rows: list[Row]) -> dict[str, list[Row]]:
        return {"another row deleted": rows[1:], "such a row added": [*rows, (6, self.values["missing"], 11, None)]}

    def looked(self, see: TaskScreen) -> bool:
        return self.browse(see) is None

    def next_move(self, see: TaskScreen) -> OracleStep | None:
        return self.browse(see)
