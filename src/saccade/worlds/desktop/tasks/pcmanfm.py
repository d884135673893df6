"""Tasks in the file manager PCManFM (GTK 2 or 3, as Debian builds it)."""

from __future__ import annotations

from saccade.worlds.desktop.tasks.home_files import Content, plain
from saccade.worlds.desktop.tasks.oracle import OracleStep, TaskScreen
from saccade.worlds.desktop.tasks.template import DesktopTask, Ending

LOCATION = "Folder location bar"


class FileTask(DesktopTask):
    """The home folder is open, with some files and folders."""

    apps = ("pcmanfm",)

    def fill_home(self, files: int = 4, folders: int = 2) -> tuple[list[str], list[str]]:
        """The names of files and of folders, each of which holds a file."""
        names = [f"{stem}.txt" for stem in self.words("files", files)]
        places = self.words("folders", folders)
        self.files |= {name: self.word("lines") for name in names}
        self.files |= {f"{place}/{self.word('things')}.txt": self.word("lines") for place in places}
        self.values |= {"file": names[0], "folder": places[0]}
        self.other_file, self.other_folder = names[1], places[-1]
        return names, places

    def move_entry(self, start: str, end: str) -> None:
        """In the end, one path has become another."""
        self.goal = self.moved(start, end) | dict.fromkeys(self.values.get("kept", ()))

    def moved(self, start: str, end: str) -> dict[str, Content]:
        """The files of the beginning, where one path has become another."""
        return {end if name == start else name: content for name, content in self.files.items()}

    def copied(self, start: str, end: str) -> dict[str, Content]:
        """The files of the beginning, and one of them a second time."""
        return {**self.files, end: self.files[start]}

    # -- steps --------------------------------------------------------------------------------------------------------

    def inside(self, see: TaskScreen, folder: str) -> bool:
        """Is this folder shown? The home folder is the empty name."""
        return see.field(LOCATION).text.endswith(f"/user/{folder}".rstrip("/"))

    def go(self, see: TaskScreen, folder: str) -> OracleStep:
        """One step towards a folder in the home folder, or to the home folder itself."""
        if folder and self.inside(see, ""):
            return see.click(folder, "icon", how="double_click")
        return see.click("Home Folder", "button")

    def choose(self, see: TaskScreen, name: str, key: str) -> OracleStep:
        """Select an entry, then press a key."""
        icon = see.get(name, "icon")
        return see.press(key, icon) if "selected" in icon.state else see.click(icon)

    def answer_dialog(self, see: TaskScreen, title: str, text: str) -> OracleStep | None:
        """Write into the dialog with this title and confirm it; None if it is not there."""
        if not see.titled(title):
            return None
        return see.fill(see.field(), text) or see.click("OK", "button")

    def carry(self, see: TaskScreen, name: str, start: str, end: str, key: str) -> OracleStep:
        """Copy (ctrl+c) or cut (ctrl+x) an entry of one folder, and paste it into another."""
        if self.inside(see, end) and see.pressed(key) and not see.just_pressed("ctrl+v"):
            return see.press("ctrl+v")
        if not self.inside(see, start) or see.just_pressed(key):
            return self.go(see, end if see.just_pressed(key) else start)
        if self.inside(see, "") and end and see.pressed(key) and not see.just_pressed("ctrl+v"):
            return self.go(see, end)
        return self.choose(see, name, key)


class Rename(FileTask):
    name = "pcmanfm.rename"
    en = "Rename the file {file} to {new}."
    zh = "把文件 {file} 重命名为 {new}。"

    def set_up(self) -> None:
        self.fill_home()
        self.values["new"] = f"{self.word('cities')}{self.random.randint(2, 40)}.txt"
        self.move_entry(self.values["file"], self.values["new"])

    def near_misses(self) -> dict[str, Ending]:
        file, new, folder = self.values["file"], self.values["new"], self.values["folder"]
        return {
            "another file": self.ending(self.moved(self.other_file, new)),
            "a copy": self.ending(self.copied(file, new)),
            "no suffix": self.ending(self.moved(file, new.removesuffix(".txt"))),
            "moved into a folder": self.ending(self.moved(file, f"{folder}/{new}")),
        }

    def next_move(self, see: TaskScreen) -> OracleStep | None:
        if see.files == self.goal:
            return None
        return self.answer_dialog(see, "Rename", self.values["new"]) or (
            self.choose(see, self.values["file"], "f2") if self.inside(see, "") else self.go(see, "")
        )


class NewFolder(FileTask):
    name = "pcmanfm.new_folder"
    en = "Make a new folder {new} in the home folder."
    zh = "在主目录中新建文件夹 {new}。"

    def set_up(self) -> None:
        self.fill_home()
        self.values["new"] = f"{self.word('cities')} {self.random.randint(2001, 2030)}"
        self.goal = {**self.files, self.values["new"]: None}

    def near_misses(self) -> dict[str, Ending]:
        new, folder = self.values["new"], self.values["folder"]
        wrong: dict[str, dict[str, Content]] = {
            "another name": {new[:-1]: None},
            "in the other folder": {f"{self.other_folder}/{new}": None},
            "in a wrong place, too": {new: None, f"{folder}/{new}": None},
            "a file": {new: ""},
        }
        return {what: self.ending({**self.files, **made}) for what, made in wrong.items()}

    def next_move(self, see: TaskScreen) -> OracleStep | None:
        if see.files == self.goal:
            return None
        dialog = self.answer_dialog(see, "Creating New Folder", self.values["new"])
        return dialog or (see.press("ctrl+shift+n") if self.inside(see, "") else self.go(see, ""))


class NewFolderInside(NewFolder):
    name = "pcmanfm.new_folder_inside"
    held_out = True
    en = "Make a new folder {new} inside the folder {folder}."
    zh = "在文件夹 {folder} 里新建文件夹 {new}。"

    def set_up(self) -> None:
        super().set_up()
        self.goal = {**self.files, f"{self.values['folder']}/{self.values['new']}": None}

    def near_misses(self) -> dict[str, Ending]:
        new, folder = self.values["new"], self.values["folder"]
        wrong = {"in the home folder": new, "in the other folder": f"{self.other_folder}/{new}"}
        wrong |= {"another name": f"{folder}/{new[:-1]}", "a folder deeper": f"{folder}/{new}/{new}"}
        return {what: self.ending(plain({**self.files, path: None})) for what, path in wrong.items()}

    def next_move(self, see: TaskScreen) -> OracleStep | None:
        if see.files == self.goal:
            return None
        dialog, folder = self.answer_dialog(see, "Creating New Folder", self.values["new"]), self.values["folder"]
        return dialog or (see.press("ctrl+shift+n") if self.inside(see, folder) else self.go(see, folder))


class Trash(FileTask):
    name = "pcmanfm.trash"
    en = "Move the file {file} to the trash."
    zh = "把文件 {file} 移到回收站。"

    def set_up(self) -> None:
        self.fill_home()
        self.move_entry(self.values["file"], f"Trash/{self.values['file']}")

    def near_misses(self) -> dict[str, Ending]:
        file, other = self.values["file"], self.other_file
        both = {f"Trash/{name}" if name in (file, other) else name: text for name, text in self.files.items()}
        return {
            "another file": self.ending(self.moved(other, f"Trash/{other}")),
            "another file, too": self.ending(both),
            "deleted for good": self.ending({name: text for name, text in self.files.items() if name != file}),
        }

    def next_move(self, see: TaskScreen) -> OracleStep | None:
        if see.files == self.goal:
            return None
        if see.titled("Question"):
            return see.click("Yes", "button")
        return self.choose(see, self.values["file"], "delete") if self.inside(see, "") else self.go(see, "")


class MoveInto(FileTask):
    name = "pcmanfm.move"
    en = "Move the file {file} into the folder {folder}."
    zh = "把文件 {file} 移动到文件夹 {folder} 里。"

    def set_up(self) -> None:
        self.fill_home()
        self.move_entry(self.values["file"], f"{self.values['folder']}/{self.values['file']}")

    def near_misses(self) -> dict[str, Ending]:
        file, folder, other = self.values["file"], self.values["folder"], self.other_file
        return {
            "copied": self.ending(self.copied(file, f"{folder}/{file}")),
            "into the other folder": self.ending(self.moved(file, f"{self.other_folder}/{file}")),
            "another file": self.ending(self.moved(other, f"{folder}/{other}")),
        }

    def next_move(self, see: TaskScreen) -> OracleStep | None:
        if see.files == self.goal:
            return None
        return self.carry(see, self.values["file"], "", self.values["folder"], "ctrl+x")


class CopyInto(MoveInto):
    name = "pcmanfm.copy"
    en = "Put a copy of the file {file} into the folder {folder}; {file} itself stays where it is."
    zh = "把文件 {file} 复制一份到文件夹 {folder} 里，原文件保留。"

    def set_up(self) -> None:
        self.fill_home()
        file = self.values["file"]
        self.goal = self.copied(file, f"{self.values['folder']}/{file}")

    def near_misses(self) -> dict[str, Ending]:
        file, folder, other = self.values["file"], self.values["folder"], self.other_file
        return {
            "moved": self.ending(self.moved(file, f"{folder}/{file}")),
            "into the other folder": self.ending(self.copied(file, f"{self.other_folder}/{file}")),
            "another file": self.ending(self.copied(other, f"{folder}/{other}")),
            "under another name": self.ending(self.copied(file, f"{folder}/copy of {file}")),
        }

    def next_move(self, see: TaskScreen) -> OracleStep | None:
        if see.files == self.goal:
            return None
        return self.carry(see, self.values["file"], "", self.values["folder"], "ctrl+c")


class MoveOut(FileTask):
    name = "pcmanfm.move_out"
    held_out = True
    en = "Move the file {inner} from the folder {folder} to the home folder."
    zh = "把文件夹 {folder} 里的文件 {inner} 移动到主目录。"

    def set_up(self) -> None:
        self.fill_home()
        path = next(name for name in self.files if name.startswith(f"{self.values['folder']}/"))
        self.values["inner"] = path.partition("/")[2]
        self.values["kept"] = [self.values["folder"]]
        self.move_entry(path, self.values["inner"])

    def near_misses(self) -> dict[str, Ending]:
        inner, folder = self.values["inner"], self.values["folder"]
        path = f"{folder}/{inner}"
        without = {name: content for name, content in self.written().items() if name != folder}
        return {
            "copied": self.ending(self.copied(path, inner)),
            "into the other folder": self.ending(self.moved(path, f"{self.other_folder}/new {inner}")),
            "the folder deleted": self.ending(without),
        }

    def next_move(self, see: TaskScreen) -> OracleStep | None:
        if see.files == self.goal:
            return None
        return self.carry(see, self.values["inner"], self.values["folder"], "", "ctrl+x")


class CountFiles(FileTask):
    name = "pcmanfm.count_files"
    kind = "ask"
    en = "How many files are in the folder {folder}?"
    zh = "文件夹 {folder} 里有多少个文件？"

    def set_up(self) -> None:
        self.fill_home()
        folder, count = self.values["folder"], self.random.randint(2, 9)
        self.files |= {f"{folder}/{stem}.txt": self.word("lines") for stem in self.words("files", count)}
        self.answer = str(sum(name.startswith(f"{folder}/") for name in self.files))

    def near_misses(self) -> dict[str, Ending]:
        count, everywhere = int(self.answer), sum(content is not None for content in self.files.values())
        wrong = {"one too few": count - 1, "with the folder": count + 1, "in all folders": everywhere}
        return {what: self.ending(answer=str(number)) for what, number in wrong.items()}

    def next_move(self, see: TaskScreen) -> OracleStep | None:
        return None if self.inside(see, self.values["folder"]) else self.go(see, self.values["folder"])


class RenameMissing(FileTask):
    name = "pcmanfm.rename_missing"
    kind = "infeasible"
    en = "Rename the file {missing} in the folder {folder} to {new}. If there is none, say so and change nothing."
    zh = "把文件夹 {folder} 中的文件 {missing} 重命名为 {new}。如果没有这个文件，请说明，不要改动任何东西。"

    def set_up(self) -> None:
        names, _ = self.fill_home()
        self.values |= {"missing": names[0], "new": f"{self.word('cities')}.txt"}

    def near_misses(self) -> dict[str, Ending]:
        missing, new, folder = self.values["missing"], self.values["new"], self.values["folder"]
        inside = next(name for name in self.files if name.startswith(f"{folder}/"))
        return {
            "the one in the home folder": self.ending(self.moved(missing, new)),
            "another one in the folder": self.ending(self.moved(inside, f"{folder}/{new}")),
            "said that it was done": self.ending(status="success"),
        }

    def looked(self, see: TaskScreen) -> bool:
        return self.inside(see, self.values["folder"])

    def next_move(self, see: TaskScreen) -> OracleStep | None:
        return None if self.looked(see) else self.go(see, self.values["folder"])
