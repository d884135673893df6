"""Tasks in the text editor Mousepad (GTK 3)."""

from __future__ import annotations

from saccade.screens.widgets import squeeze
from saccade.types import Element
from saccade.worlds.desktop.tasks.oracle import OracleStep, TaskScreen
from saccade.worlds.desktop.tasks.template import DesktopTask, Ending


class MousepadTask(DesktopTask):
    """A text file is open."""

    apps = ("mousepad",)

    def open_file(self, count: int = 4) -> tuple[str, list[str]]:
        """A file with some lines, open in the editor."""
        name = f"{self.word('files')}.txt"
        lines = self.words("lines", count)
        self.files[name] = "\n".join(lines) + "\n"
        self.arguments = [name]
        self.add_other_files()
        self.values["file"] = name
        return name, lines

    def want(self, name: str, lines: list[str]) -> None:
        self.goal = {**self.files, name: "\n".join(lines)}

    def near_misses(self) -> dict[str, Ending]:
        """Of tasks that change or write one file."""
        (path,) = self.touched
        wrong = self.wrong_texts(*str(self.written()[path]).split("\n"))
        found = {what: self.ending(self.written() | {path: "\n".join(lines)}) for what, lines in wrong.items()}
        found["not saved"] = self.ending(self.files)
        found["saved under another name"] = self.ending({**self.files, f"new-{path}": self.written()[path]})
        return found

    def wrong_texts(self, *lines: str) -> dict[str, list[str]]:
        """Lines that are almost those that the file must have."""
        return {}

    def editor(self, see: TaskScreen) -> Element:
        if any(element.type == "dialog" for element in see.elements):
            raise LookupError("a dialog covers the text")
        return see.field()

    def edit(self, see: TaskScreen, *steps: OracleStep) -> OracleStep | None:
        """Change the open file by these steps of the keyboard, and save it. If the text has become something else, it
        is written anew.
        """
        assert self.goal is not None
        (name,) = self.touched
        wanted = str(self.goal[name])
        if see.files.get(name) == wanted:
            return None
        editor = self.editor(see)
        if editor.text == squeeze(wanted) and see.titled("*"):
            return see.press("ctrl+s", editor)
        underway = see.by_keyboard(*steps)
        if underway is not steps[0] or editor.text == squeeze(str(self.files.get(name, ""))):
            return underway
        return see.by_keyboard(see.press("ctrl+a", editor), see.type(wanted, editor))

    def open_other(self, see: TaskScreen, name: str) -> OracleStep | None:
        """Open another file; None if it is open."""
        if see.titled("Open File"):
            return see.click(name, "cell", how="double_click")
        return None if see.titled(f"{name} - Mousepad") else see.press("ctrl+o", self.editor(see))


class AppendLine(MousepadTask):
    name = "mousepad.append_line"
    en = "Add the line “{line}” at the end of {file} and save the file."
    zh = "在 {file} 的末尾加上一行“{line}”，然后保存文件。"

    def set_up(self) -> None:
        name, (*lines, new) = self.open_file(5)
        self.files[name] = "\n".join(lines)
        self.values["line"] = new
        self.want(name, [*lines, new])

    def wrong_texts(self, *lines: str) -> dict[str, list[str]]:
        *old, new = lines
        return {"an empty line before it": [*old, "", new], "at the beginning": [new, *old], "twice": [*lines, new]}

    def next_move(self, see: TaskScreen) -> OracleStep | None:
        return self.edit(see, see.press("ctrl+end"), see.type(f"\n{self.values['line']}"))


class InsertTitle(MousepadTask):
    name = "mousepad.insert_title"
    en = "Put the title “{title}” in a line of its own at the top of {file}, and save it."
    zh = "在 {file} 的最上面单独加一行标题“{title}”，并保存。"

    def set_up(self) -> None:
        name, lines = self.open_file()
        self.values["title"] = self.word("cities")
        self.want(name, [self.values["title"], *lines])

    def wrong_texts(self, *lines: str) -> dict[str, list[str]]:
        title, first, *rest = lines
        return {"no line of its own": [title + first, *rest], "at the end": [first, *rest, title]}

    def next_move(self, see: TaskScreen) -> OracleStep | None:
        return self.edit(see, see.press("ctrl+home"), see.type(f"{self.values['title']}\n"))


class DeleteLine(MousepadTask):
    name = "mousepad.delete_line"
    en = "Remove the line “{line}” from {file} and save it. No empty line may be left in its place."
    zh = "从 {file} 中删除“{line}”这一行并保存，不要留下空行。"

    def set_up(self) -> None:
        name, lines = self.open_file()
        self.values |= {"line": lines[self.random.randrange(3)]}
        self.want(name, [line for line in lines if line != self.values["line"]])

    def wrong_texts(self, *lines: str) -> dict[str, list[str]]:
        return {"an empty line left": ["", *lines], "another line, too": list(lines[1:])}

    def next_move(self, see: TaskScreen) -> OracleStep | None:
        (name,) = self.touched
        at = str(self.files[name]).split("\n").index(self.values["line"])
        down = [see.press("down")] * at
        return self.edit(see, see.press("ctrl+home"), *down, see.press("shift+down"), see.press("delete"))


class ReplaceWord(MousepadTask):
    name = "mousepad.replace_word"
    en = "In {file}, replace “{old}” by “{new}” everywhere, and save the file."
    zh = "把 {file} 中所有的“{old}”替换成“{new}”，并保存文件。"

    def set_up(self) -> None:
        name, lines = self.open_file(3)
        old, new = self.words("people", 2)
        lines = [f"{line}: {old}" for line in lines[:2]] + [f"{old}, {lines[2]}"]
        self.files[name] = "\n".join(lines)
        self.values |= {"old": old, "new": new}
        self.want(name, [line.replace(old, new) for line in lines])

    def wrong_texts(self, *lines: str) -> dict[str, list[str]]:
        first, *rest = lines
        old, new = self.values["old"], self.values["new"]
        return {"only once": [first, *(line.replace(new, old) for line in rest)], "added": [f"{first} {old}", *rest]}

    def next_move(self, see: TaskScreen) -> OracleStep | None:
        if not see.titled("Find and Replace"):
            return self.edit(see, see.press("ctrl+r"))
        button = see.find("Replace All", "button") or see.get("Replace", "button")
        if see.just_clicked(button):
            return see.click("Close", "button")
        first, second = [element for element in see.elements if element.type == "input"][-2:]
        return (
            see.fill(first, self.values["old"])
            or see.fill(second, self.values["new"])
            or self._everywhere(see)
            or see.click(button)
        )

    def _everywhere(self, see: TaskScreen) -> OracleStep | None:
        box = see.get("Replace all in:", "checkbox")
        return None if "checked" in box.state else see.click(box)


class Uppercase(MousepadTask):
    name = "mousepad.uppercase"
    held_out = True
    en = "Turn the whole text of {file} into capital letters and save it."
    zh = "把 {file} 的全部文字变成大写字母并保存。"

    def set_up(self) -> None:
        language, self.language = self.language, "en"  # Chinese has no capitals
        name, lines = self.open_file(2)
        self.language = language
        self.want(name, [line.upper() for line in lines])

    def wrong_texts(self, *lines: str) -> dict[str, list[str]]:
        return {"the first line": [lines[0], lines[1].lower()], "each word": [line.title() for line in lines]}

    def next_move(self, see: TaskScreen) -> OracleStep | None:
        if see.just_pressed("ctrl+a") or see.find("Convert", "menuitem") or see.find("To Uppercase", "menuitem"):
            return see.menu("Edit", "Convert", "To Uppercase")
        return self.edit(see, see.press("ctrl+a"))


class SaveDialogTask(MousepadTask):
    """The text is saved under a name of its own."""

    def save_under(self, see: TaskScreen, name: str) -> OracleStep:
        if see.titled("Save As"):
            return see.fill(see.field(), name) or see.click("Save", "button")
        return see.menu("File", "Save As...")


class SaveCopy(SaveDialogTask):
    name = "mousepad.save_as"
    en = "Save the text of {file} under the name {copy} too; {file} stays as it is."
    zh = "把 {file} 的内容另存为 {copy}，{file} 保持不变。"

    def set_up(self) -> None:
        _, lines = self.open_file()
        self.values["copy"] = f"{self.word('people')}-{self.random.randint(10, 99)}.txt"
        self.want(self.values["copy"], lines)

    def near_misses(self) -> dict[str, Ending]:
        file, copy, files = self.values["file"], self.values["copy"], self.written()
        renamed = {name: content for name, content in files.items() if name != file}
        return {
            **super().near_misses(),
            "renamed": self.ending(renamed),
            "an empty file": self.ending(files | {copy: ""}),
        }

    def next_move(self, see: TaskScreen) -> OracleStep | None:
        return None if self.values["copy"] in see.files else self.save_under(see, self.values["copy"])


class NewFile(SaveDialogTask):
    name = "mousepad.new_file"
    en = "Write a new text file with the only line “{line}” and save it as {file} in the home folder."
    zh = "新建一个文本文件，内容只有一行“{line}”，保存到主目录，文件名为 {file}。"

    def set_up(self) -> None:
        self.values = {"line": self.word("lines"), "file": f"{self.word('files')}.txt"}
        self.files["Music"] = None
        self.want(self.values["file"], [self.values["line"]])

    def near_misses(self) -> dict[str, Ending]:
        inside = {**self.files, f"Music/{self.values['file']}": self.values["line"]}
        return {**super().near_misses(), "in a folder": self.ending(inside)}

    def wrong_texts(self, *lines: str) -> dict[str, list[str]]:
        return {"a second line": [*lines, *lines], "the last letter missing": [lines[0][:-1]]}

    def next_move(self, see: TaskScreen) -> OracleStep | None:
        name, line = self.values["file"], self.values["line"]
        if see.files.get(name) == line:
            return None
        if see.titled("Save As") or see.find("Save As...", "menuitem"):
            return self.save_under(see, name)
        editor = self.editor(see)
        if editor.text == squeeze(line):
            return see.press("ctrl+s", editor) if name in see.files else self.save_under(see, name)
        return see.by_keyboard(see.press("ctrl+a", editor), see.type(line, editor))


class OpenAndAppend(MousepadTask):
    name = "mousepad.open_and_append"
    held_out = True
    en = "Open the file {other} in the editor, add the line “{line}” at its end, and save it."
    zh = "在编辑器中打开文件 {other}，在末尾加上一行“{line}”并保存。"

    def set_up(self) -> None:
        name, lines = self.open_file(3)
        other = next(each for each in self.files if each != name)
        self.files[other] = "\n".join(lines[:2])
        self.values |= {"other": other, "line": lines[2]}
        self.want(other, lines)

    def near_misses(self) -> dict[str, Ending]:
        first, line = self.values["file"], self.values["line"]
        wrong = self.ending({**self.files, first: f"{self.files[first]}\n{line}"})
        return {**super().near_misses(), "in the file that was open": wrong}

    def wrong_texts(self, *lines: str) -> dict[str, list[str]]:
        return {"above the last line": [lines[0], lines[2], lines[1]]}

    def next_move(self, see: TaskScreen) -> OracleStep | None:
        other = self.values["other"]
        step = None if see.files[other] == (self.goal or {})[other] else self.open_other(see, other)
        return step or self.edit(see, see.press("ctrl+end"), see.type(f"\n{self.values['line']}"))


class ReadLine(MousepadTask):
    name = "mousepad.read_line"
    kind = "ask"
    en = "{file} is open in the editor. What does line {number} say?"
    zh = "编辑器中打开了 {file}。第 {number} 行写的是什么？"

    def set_up(self) -> None:
        _, lines = self.open_file(6)
        at = self.random.randrange(6)
        self.values["number"], self.answer = at + 1, lines[at]
        self.lines = lines

    def near_misses(self) -> dict[str, Ending]:
        at = self.values["number"] - 1
        wrong = {"the line before": self.lines[at - 1], "the line after": self.lines[(at + 1) % 6]}
        wrong |= {"only its first letters": self.answer[:2]}
        return {what: self.ending(answer=text) for what, text in wrong.items()}

    def next_move(self, see: TaskScreen) -> OracleStep | None:
        self.editor(see)
        return None


class MissingWord(MousepadTask):
    name = "mousepad.missing_word"
    kind = "infeasible"
    en = "Open {other}, replace “{old}” by “{new}” there and save it. If {old} is not in it, say that you cannot."
    zh = "打开 {other}，把其中的“{old}”替换成“{new}”并保存。如果里面没有{old}，请说明无法完成。"

    def set_up(self) -> None:
        name, lines = self.open_file(3)
        old, new, third = self.words("people", 3)
        other = next(each for each in self.files if each != name)
        self.files[name] = f"{lines[0]}: {old}"
        self.files[other] = "\n".join(f"{line}: {third}" for line in lines)
        self.values |= {"other": other, "old": old, "new": new, "third": third}

    def near_misses(self) -> dict[str, Ending]:
        first, other, old, new, third = (self.values[each] for each in ("file", "other", "old", "new", "third"))
        here = {**self.files, first: str(self.files[first]).replace(old, new)}
        there = {**self.files, other: str(self.files[other]).replace(third, new)}
        return {
            "replaced in the file that was open": self.ending(here),
            "another name replaced": self.ending(there),
            "said that it was done": self.ending(status="success"),
        }

    def looked(self, see: TaskScreen) -> bool:
        return see.titled(f"{self.values['other']} - Mousepad")

    def next_move(self, see: TaskScreen) -> OracleStep | None:
        return self.open_other(see, self.values["other"])
