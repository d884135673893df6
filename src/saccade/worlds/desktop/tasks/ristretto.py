"""Tasks in the image viewer Ristretto (GTK 3)."""

from __future__ import annotations

import colorsys

from saccade.worlds.desktop.tasks.home_files import Content, Paint
from saccade.worlds.desktop.tasks.oracle import OracleStep, TaskScreen
from saccade.worlds.desktop.tasks.template import DesktopTask, Ending


class PictureTask(DesktopTask):
    """A folder with pictures; the first one is shown."""

    apps = ("ristretto",)

    def paint(self, count: int = 3) -> list[str]:
        names = sorted(f"{stem}.png" for stem in self.words("cities", count))
        for name in names:
            red, green, blue = (round(255 * part) for part in colorsys.hsv_to_rgb(self.random.random(), 0.6, 0.9))
            size = 10 * self.random.randint(20, 60), 10 * self.random.randint(20, 40)
            self.files[name] = Paint(*size, (red, green, blue))
        self.add_other_files()
        self.arguments = [names[0]]
        self.values |= {"picture": names[0], "other": self.random.choice(names[1:])}
        return names

    def close_warning(self, see: TaskScreen) -> OracleStep | None:
        """The viewer complains about a service that makes small previews; None if it does not."""
        return see.click("OK", "button") if see.titled("Warning") else None

    def show(self, see: TaskScreen, name: str) -> OracleStep | None:
        """Go on until this picture is shown; None if it is."""
        return None if see.titled(f"{name} - ") else see.click("Forward", "button")


class SaveCopy(PictureTask):
    name = "ristretto.save_copy"
    en = "Save a copy of the picture {picture} as {copy} in the same folder."
    zh = "把图片 {picture} 在同一文件夹中另存一份，命名为 {copy}。"
    which = "picture"

    def set_up(self) -> None:
        self.paint()
        self.values["copy"] = f"{self.word('people')}{self.random.randint(2, 99)}.png"
        self.goal = {**self.files, self.values["copy"]: self.files[self.values[self.which]]}

    def near_misses(self) -> dict[str, Ending]:
        picture, copy, files = self.values[self.which], self.values["copy"], self.written()
        other = next(name for name in self.files if name.endswith(".png") and name != picture)
        return {
            "of another picture": self.ending({**self.files, copy: self.files[other]}),
            "under another name": self.ending({**self.files, f"new{copy}": self.files[picture]}),
            "renamed": self.ending({name: content for name, content in files.items() if name != picture}),
            "written over another picture": self.ending({**files, other: files[picture]}),
        }

    def next_move(self, see: TaskScreen) -> OracleStep | None:
        if see.files == self.goal:
            return None
        if see.titled("Save copy"):
            return see.fill(see.field(), self.values["copy"]) or see.click("Save", "button")
        return self.close_warning(see) or self.show(see, self.values[self.which]) or see.press("ctrl+s")


class SaveCopyOfOther(SaveCopy):
    name = "ristretto.save_copy_of_other"
    held_out = True
    en = "Go to the picture {other} and save a copy of it as {copy} in the same folder."
    zh = "切换到图片 {other}，在同一文件夹中另存一份，命名为 {copy}。"
    which = "other"


class DeletePicture(PictureTask):
    name = "ristretto.delete"
    en = "Delete the picture {other} in the image viewer; it may go to the trash."
    zh = "在看图软件中删除图片 {other}，可以移到回收站。"

    def set_up(self) -> None:
        self.paint()
        other = self.values["other"]
        self.goal = self.trashed(other)

    def trashed(self, *gone: str) -> dict[str, Content]:
        return {f"Trash/{name}" if name in gone else name: content for name, content in self.files.items()}

    def near_misses(self) -> dict[str, Ending]:
        picture, other = self.values["picture"], self.values["other"]
        return {
            "another picture": self.ending(self.trashed(picture)),
            "another picture, too": self.ending(self.trashed(picture, other)),
            "deleted for good": self.ending({name: each for name, each in self.files.items() if name != other}),
        }

    def next_move(self, see: TaskScreen) -> OracleStep | None:
        if see.files == self.goal:
            return None
        if see.titled("Warning"):
            return self.close_warning(see)
        if button := see.find("Move to Trash", "button") or see.find("Yes", "button"):
            return see.click(button)
        return self.show(see, self.values["other"]) or see.click("Delete", "button")


class ReadWidth(PictureTask):
    name = "ristretto.read_width"
    kind = "ask"
    en = "How many pixels wide is the picture {other}?"
    zh = "图片 {other} 的宽度是多少像素？"

    def set_up(self) -> None:
        self.paint()
        picture = self.files[self.values["other"]]
        assert isinstance(picture, Paint)
        self.answer = str(picture.width)
        self.height = picture.height

    def near_misses(self) -> dict[str, Ending]:
        wrong = {"both sides": f"{self.answer} × {self.height}", "a digit missing": self.answer[:-1]}
        wrong["one more"] = str(int(self.answer) + 1)
        return {what: self.ending(answer=text) for what, text in wrong.items()}

    def next_move(self, see: TaskScreen) -> OracleStep | None:
        return self.close_warning(see) or self.show(see, self.values["other"])
