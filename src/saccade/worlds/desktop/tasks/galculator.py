"""Tasks in the calculator Galculator (GTK 3). Its state is what it shows."""

from __future__ import annotations

from saccade.worlds.desktop.tasks.oracle import OracleStep, TaskScreen
from saccade.worlds.desktop.tasks.template import DesktopTask, Ending


class CalculatorTask(DesktopTask):
    apps = ("galculator",)

    def work_out(self, formula: str, result: int, slips: dict[str, int], *, last: str = "=") -> None:
        """The formula must be worked out; in tasks that ask, its result is the answer. `slips`: other numbers that
        somebody may come to. `last`: the button after the formula.
        """
        self.slips = slips
        self.values["formula"] = formula.replace("*", "×").replace("/", "÷")
        self.buttons = [*formula, last]
        self.display = "" if self.kind == "ask" else str(result)
        self.answer = str(result) if self.kind == "ask" else ""

    def near_misses(self) -> dict[str, Ending]:
        shown = "answer" if self.kind == "ask" else "display"
        return {what: self.ending(**{shown: str(number)}) for what, number in self.slips.items()}  # type: ignore[arg-type]

    def next_move(self, see: TaskScreen) -> OracleStep | None:
        return press_buttons(see, self.buttons)


def press_buttons(see: TaskScreen, buttons: list[str]) -> OracleStep | None:
    """The next button of the calculator; all from the beginning if others were pressed in between."""
    boxes = {element.text: element.box for element in see.elements if element.type == "button"}
    pressed: list[str] = []
    for action in see.done:
        hit = next((name for name, box in boxes.items() if action.point is not None and box.contains(action.point)), "")
        pressed = [] if hit == "AC" else [*pressed, hit]
    if pressed == buttons:
        return None
    at = len(pressed)
    return see.click(buttons[at], "button") if pressed == buttons[:at] else see.click("AC", "button")


class Add(CalculatorTask):
    name = "galculator.add"
    en = "Work out {formula} with the calculator and leave the result on its display."
    zh = "用计算器计算 {formula}，让结果留在显示屏上。"

    def set_up(self) -> None:
        numbers = [self.random.randint(100, 999) for _ in range(3)]
        slips = {"two of the numbers": sum(numbers[:2]), "not worked out": numbers[2], "one more": sum(numbers) + 1}
        self.work_out("+".join(map(str, numbers)), sum(numbers), slips)


class Multiply(CalculatorTask):
    name = "galculator.multiply"
    kind = "ask"
    en = "What is {formula}? Use the calculator."
    zh = "{formula} 等于多少？请用计算器计算。"

    def set_up(self) -> None:
        one, other = self.random.randint(101, 999), self.random.randint(11, 99)
        slips = {"added": one + other, "one digit more": one * other * 10, "not worked out": other}
        self.work_out(f"{one}*{other}", one * other, slips)


class Parentheses(CalculatorTask):
    name = "galculator.parentheses"
    held_out = True
    en = "Let the calculator show the result of {formula}."
    zh = "让计算器显示 {formula} 的结果。"

    def set_up(self) -> None:
        one, two, three = (self.random.randint(11, 99) for _ in range(3))
        slips = {"no parentheses": one + two * three, "only the sum": one + two, "all added": one + two + three}
        self.work_out(f"({one}+{two})*{three}", (one + two) * three, slips)


class Divide(CalculatorTask):
    name = "galculator.share"
    kind = "ask"
    en = "{total} euros are shared equally among {count} people. How many euros does each get? Use the calculator."
    zh = "{total} 元平均分给 {count} 个人，每人多少元？请用计算器计算。"

    def set_up(self) -> None:
        count, each = self.random.randint(12, 48), self.random.randint(21, 99)
        self.values |= {"total": count * each, "count": count}
        slips = {"added": count * each + count, "the total": count * each, "multiplied": count * each * count}
        self.work_out(f"{count * each}/{count}", each, slips)


class SquareRoot(CalculatorTask):
    name = "galculator.square_root"
    en = "Show the square root of {number} on the calculator."
    zh = "在计算器上显示 {number} 的平方根。"

    def set_up(self) -> None:
        root = self.random.randint(13, 99)
        self.values["number"] = root * root
        slips = {"the number": root * root, "its square": root**4, "half of it": root * root // 2}
        self.work_out(str(root * root), root, slips, last="sqrt")
