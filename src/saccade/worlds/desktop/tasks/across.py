"""Tasks that need two applications."""

from __future__ import annotations

from saccade.screens.widgets import squeeze
from saccade.worlds.desktop.tasks.galculator import press_buttons
from saccade.worlds.desktop.tasks.gnumeric import SheetTask
from saccade.worlds.desktop.tasks.oracle import OracleStep, TaskScreen
from saccade.worlds.desktop.tasks.sqlitebrowser import DatabaseTask
from saccade.worlds.desktop.tasks.template import DesktopTask, Ending


class NoteTask(DesktopTask):
    """Something is found out in one application and written into a new file in the text editor."""

    def want_note(self, text: str) -> None:
        self.values["note"] = f"{self.word('files')}-{self.random.randint(10, 99)}.txt"
        self.goal = {**self.files, self.values["note"]: text}

    def near_misses(self) -> dict[str, Ending]:
        name, files = self.values["note"], self.written()
        text = str(files[name])
        wrong = {"another text": text[:-1], "more than asked for": f"{text} {text}", "empty": ""}
        found = {what: self.ending(files | {name: content}) for what, content in wrong.items()}
        found["under another name"] = self.ending({**self.files, f"new-{name}": text})
        return found

    def write_note(self, see: TaskScreen) -> OracleStep | None:
        """Open the text editor, write the text, and save it under its name."""
        name = self.values["note"]
        text = str((self.goal or {})[name])
        if see.files.get(name) == text:
            return None
        if see.titled("Save As"):
            return see.fill(see.field(), name) or see.click("Save", "button")
        if see.app != "mousepad":
            return see.open("mousepad")
        editor = see.field()
        if editor.text == squeeze(text):
            return see.press("ctrl+s", editor)
        return see.by_keyboard(see.press("ctrl+a", editor), see.type(text, editor))


class CalculateAndNote(NoteTask):
    name = "across.calculate_and_note"
    apps = ("galculator", "mousepad")
    en = "Work out {formula} with the calculator, and save the result with the text editor as {note}, nothing else."
    zh = "用计算器计算 {formula}，然后用文本编辑器把结果保存为 {note}，文件里只有结果。"

    def set_up(self) -> None:
        one, other = self.random.randint(101, 999), self.random.randint(11, 99)
        self.buttons = [*f"{one}*{other}", "="]
        self.values["formula"] = f"{one}×{other}"
        self.add_other_files()
        self.want_note(str(one * other))

    def next_move(self, see: TaskScreen) -> OracleStep | None:
        if see.app == "galculator" and (step := press_buttons(see, self.buttons)):
            return step
        return self.write_note(see)


class DatabaseToNote(NoteTask, DatabaseTask):
    name = "across.database_to_note"
    apps = ("sqlitebrowser", "mousepad")
    held_out = True
    en = "Look up the city of “{name}” in the table items of shop.db, and save it, and nothing else, as {note}."
    zh = "在 shop.db 的 items 表中查出“{name}”的 city，只把它保存为文本文件 {note}。"

    def set_up(self) -> None:
        self.fill_table()
        self.want_note(self.values["row"][3])

    def next_move(self, see: TaskScreen) -> OracleStep | None:
        if see.app == "sqlitebrowser" and (step := self.browse(see)):
            return step
        return self.write_note(see)


class SheetToNote(NoteTask, SheetTask):
    name = "across.sheet_to_note"
    apps = ("gnumeric", "mousepad")
    en = "What does {thing} cost in the sheet? Write the price, and nothing else, into a new text file {note}."
    zh = "表格里{thing}的价格是多少？把价格（不写别的）写到新的文本文件 {note} 里。"

    def set_up(self) -> None:
        self.fill_sheet()
        at = self.random.randrange(4)
        self.values["thing"] = self.things[at]
        self.want_note(str(self.prices[at]))

    def next_move(self, see: TaskScreen) -> OracleStep | None:
        return self.write_note(see)
