"""Does desktop tasks through a chat server on loopback that answers in the formats of other makers' models.

The server speaks the OpenAI chat protocol and stands for a model: it knows the task's oracle, and writes what
that would do as the makers document it: Qwen's `computer_use`, OpenAI's `computer_call`, Anthropic's `computer` tool,
and pyautogui calls as in AgentNet. Prompt, request, reading of the answer, approval, world and judge are those of
every run.

    python benchmarks/desktop_formats.py [--formats qwen openai anthropic pyautogui] [--seed 0]
"""

from __future__ import annotations

import argparse
import base64
import http.server
import io
import json
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from msgspec.structs import replace
from PIL import Image

from saccade.actions import Action
from saccade.agents.run import RunOverrides, start_run
from saccade.agents.settings import Settings
from saccade.data.readers.scripts import actions_of, parse_script
from saccade.geometry import Point, Size
from saccade.paradigms.base import Reply
from saccade.paradigms.foreign.base import Foreign
from saccade.paradigms.foreign.openai import VERBS
from saccade.plugins import plugins_loaded
from saccade.types import Screen
from saccade.worlds.desktop.tasks.oracle import TaskScreen
from saccade.worlds.desktop.tasks.world import DesktopTaskWorld
from saccade.worlds.observation import Observation

TASKS = (
    ("mousepad.append_line", "zh"),
    ("pcmanfm.rename", "zh"),
    ("pcmanfm.move", "en"),
    ("pcmanfm.count_files", "en"),
    ("sqlitebrowser.change_price", "en"),
)
"""Together they need clicks, double and right clicks, a drag, the wheel, chords, and texts in Chinese."""
PROMPT = "=== system ===\nUse the computer.\n=== user ===\n{{ image }}\n{{ instruction }}\n"


# -- how each maker's models write an action ---------------------------------------------------------------------------


def xy(point: Point | None) -> dict[str, int]:
    assert point is not None
    return {"x": round(point.x), "y": round(point.y)}


def pair(point: Point | None) -> list[int]:
    return list(xy(point).values())


def qwen(action: Action, size: Size) -> str:
    """Places on a scale of 0 to 1000, as Qwen3-VL writes them."""

    def place(point: Point | None) -> list[int]:
        assert point is not None
        return [round(1000 * point.x / size.width), round(1000 * point.y / size.height)]

    clicks = {"click": "left_click", "double_click": "double_click", "right_click": "right_click"}
    match action.type:
        case "click" | "double_click" | "right_click":
            call: dict[str, Any] = {"action": clicks[action.type], "coordinate": place(action.point)}
        case "drag":
            start, end = place(action.start), place(action.end)
            call = {"action": "left_click_drag", "start_coordinate": start, "coordinate": end}
        case "swipe":
            down = action.direction == "up"  # the finger goes up, and the page down
            call = {"action": "scroll", "coordinate": place(action.start), "pixels": -300 if down else 300}
        case "type":
            call = {"action": "type", "text": action.text}
        case "press":
            call = {"action": "key", "keys": str(action.key).split("+")}
        case "answer":
            call = {"action": "answer", "text": action.text}
        case "terminate":
            call = {"action": "terminate", "status": action.status}
        case other:
            raise ValueError(f"{other} is not written here")
    body = json.dumps({"name": "computer_use", "arguments": call}, ensure_ascii=False)
    return f"<tool_call>\n{body}\n</tool_call>"


def openai(action: Action, size: Size) -> str:
    match action.type:
        case "click" | "right_click":
            call: dict[str, Any] = {"type": "click", "button": "left", **xy(action.point)}
            call["button"] = "right" if action.type == "right_click" else "left"
        case "double_click":
            call = {"type": "double_click", **xy(action.point)}
        case "drag":
            call = {"type": "drag", "path": [xy(action.start), xy(action.end)]}
        case "swipe":
            call = {"type": "scroll", **xy(action.start), "scroll_x": 0}
            call["scroll_y"] = 300 if action.direction == "up" else -300
        case "type":
            call = {"type": "type", "text": action.text}
        case "press":
            call = {"type": "keypress", "keys": str(action.key).upper().split("+")}
        case "answer" | "terminate":
            content = [{"type": "output_text", "text": action.text or "It is done."}]
            return json.dumps([{"type": "message", "role": "assistant", "content": content}], ensure_ascii=False)
        case other:
            raise ValueError(f"{other} is not written here")
    item = {"type": "computer_call", "call_id": "call_1", "action": call, "status": "completed"}
    return json.dumps([{"type": "reasoning", "summary": []}, item], ensure_ascii=False)


def anthropic(action: Action, size: Size) -> str:
    clicks = {"click": "left_click", "double_click": "double_click", "right_click": "right_click"}
    match action.type:
        case "click" | "double_click" | "right_click":
            call: dict[str, Any] = {"action": clicks[action.type], "coordinate": pair(action.point)}
        case "drag":
            start, end = pair(action.start), pair(action.end)
            call = {"action": "left_click_drag", "start_coordinate": start, "coordinate": end}
        case "swipe":
            call = {"action": "scroll", "coordinate": pair(action.start), "scroll_amount": 3}
            call["scroll_direction"] = "down" if action.direction == "up" else "up"
        case "type":
            call = {"action": "type", "text": action.text}
        case "press":
            call = {"action": "key", "text": action.key}
        case "answer" | "terminate":
            return json.dumps([{"type": "text", "text": action.text or "It is done."}], ensure_ascii=False)
        case other:
            raise ValueError(f"{other} is not written here")
    use = {"type": "tool_use", "id": "toolu_1", "name": "computer", "input": call}
    return json.dumps([{"type": "text", "text": "Next step."}, use], ensure_ascii=False)


def pyautogui(action: Action, size: Size) -> str:
    """Places are shares of the screen."""

    def place(point: Point | None) -> str:
        assert point is not None
        return f"x={point.x / size.width:.4f}, y={point.y / size.height:.4f}"

    clicks = {"click": "click", "double_click": "doubleClick", "right_click": "rightClick"}
    match action.type:
        case "click" | "double_click" | "right_click":
            lines = [f"pyautogui.{clicks[action.type]}({place(action.point)})"]
        case "drag":
            lines = [
                f"pyautogui.moveTo({place(action.start)})",
                f"pyautogui.dragTo({place(action.end)}, button='left')",
            ]
        case "swipe":
            turn = -5 if action.direction == "up" else 5
            lines = [f"pyautogui.moveTo({place(action.start)})", f"pyautogui.scroll({turn})"]
        case "type":
            lines = [f"pyautogui.write(message={action.text!r})"]
        case "press":
            keys = str(action.key).split("+")
            lines = [f"pyautogui.hotkey({keys})" if len(keys) > 1 else f"pyautogui.press(keys={keys})"]
        case "answer":
            lines = [f"computer.terminate(status='success', answer={action.text!r})"]
        case "terminate":
            lines = [f"computer.terminate(status={action.status!r})"]
        case other:
            raise ValueError(f"{other} is not written here")
    return "```python\n" + "\n".join(lines) + "\n```"


class PyAutoGUI(Foreign):
    """Reads a script of pyautogui calls that does one action, as AgentNet's models write it."""

    name = "pyautogui"
    vocabulary = VERBS

    def _split(self, text: str, repairs: list[str]) -> tuple[str, str]:
        return "", text

    def _action(self, answer: str, screen: Screen, repairs: list[str]) -> Action:
        actions = actions_of(parse_script(answer), screen.size, unit=True)
        if len(actions) != 1:
            raise ValueError(f"the script does {len(actions)} actions")
        return actions[0]

    def render(self, reply: Reply, screen: Screen) -> str:
        raise ValueError("this format is only read")


SACCADE = {"paradigms": {"pyautogui": PyAutoGUI}}
"""This file is a plug-in, too."""
FORMATS: dict[str, Callable[[Action, Size], str]] = {
    "qwen": qwen,
    "openai": openai,
    "anthropic": anthropic,
    "pyautogui": pyautogui,
}
MODELS = {
    "qwen": "openai/qwen3-vl-8b",
    "openai": "openai/computer-use-preview",
    "anthropic": "openai/claude",
    "pyautogui": "openai/opencua-7b",
}
"""Names by which pictures are sent as each maker's models want them."""
SWITCHES = {"qwen": {"tool": "computer_use"}}


# -- the model that answers with the oracle's actions ------------------------------------------------------------------


class WatchedWorld(DesktopTaskWorld):
    """A desktop with a task that keeps what was last seen, for the server that stands for a model."""

    seen: Observation

    def reset(self, seed: int | None = None, task: str | None = None) -> Observation:
        self.seen = super().reset(seed, task)
        return self.seen

    def act(self, action: Action) -> Observation:
        self.seen = super().act(action)
        return self.seen


def by_mouse(see: TaskScreen, values: dict[str, Any]) -> dict[str, Action | None]:
    """For some tasks, a step with the mouse that the oracle would do by keyboard; None where it is not possible now."""
    file, folder = see.find(values.get("file", ""), "icon"), see.find(values.get("folder", ""), "icon")
    rename = see.find("Rename...", "menuitem")
    fields = [each for each in see.elements if each.type == "input"]
    chosen = rename or file
    ask_menu: Action | None = None
    if chosen and not see.titled("Rename"):
        ask_menu = Action("click" if rename else "right_click", point=chosen.center)
    drag = Action("drag", start=file.center, end=folder.center) if file and folder else None
    scroll = Action("swipe", direction="up", start=fields[0].center) if fields and not see.done else None
    return {"mousepad.append_line": scroll, "pcmanfm.rename": ask_menu, "pcmanfm.move": drag}


@dataclass
class OracleModel:
    """Answers a chat request with the right action on the world's current screen, in a format."""

    world: WatchedWorld
    write: Callable[[Action, Size], str]
    types: set[str] = field(default_factory=set)
    """The types of the actions written so far."""

    def answer(self, request: dict[str, Any]) -> str:
        shown = picture_size(request)
        world, seen = self.world, self.world.seen
        see = TaskScreen(list(seen.screen.elements), world.user_files(), tuple(world.done))
        action = None
        if see.files != world.episode.goal:
            action = by_mouse(see, world.episode.values).get(world.episode.name)
        action = action or world.teacher().teach(seen).truth[0]
        self.types.add(action.type)
        return self.write(on_picture(action, seen.screen.size, shown), shown)


def picture_size(request: dict[str, Any]) -> Size:
    """The size of the only picture in a chat request."""
    parts = [part for message in request["messages"] for part in message["content"] if isinstance(part, dict)]
    (url,) = [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]
    with Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2]))) as picture:
        return Size(*picture.size)


def on_picture(action: Action, size: Size, shown: Size) -> Action:
    """An action with its places in pixels of the picture that was shown, which may be smaller than the screen."""
    across, down = shown.width / size.width, shown.height / size.height
    places = {name: getattr(action, name) for name in ("point", "start", "end")}
    moved = {name: Point(at.x * across, at.y * down) for name, at in places.items() if at is not None}
    return replace(action, box=None, **moved)


@contextmanager
def serving(model: OracleModel) -> Iterator[str]:
    """A chat server on loopback; gives its address."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            message = {"role": "assistant", "content": model.answer(request)}
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            body = json.dumps({"object": "chat.completion", "choices": [choice]}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/v1"
        finally:
            server.shutdown()


def do_tasks(
    name: str, folder: Path, seed: int = 0, tasks: Sequence[tuple[str, str]] = TASKS
) -> tuple[dict[str, str], set[str]]:
    """Do the tasks in a format; for each what was wrong (nothing: it was done), and the actions' types."""
    template = folder / "prompt.j2"
    template.write_text(PROMPT, encoding="utf-8")
    problems: dict[str, str] = {}
    model = OracleModel(world := WatchedWorld(tasks[0][0]), FORMATS[name])
    with plugins_loaded([__file__]), world, serving(model) as url:
        for task, language in tasks:
            options = {"language": language, "split": "test"}
            world.configure(task, options)
            settings = Settings(
                world=f"desktop/{task}",
                world_options=options,
                paradigm=name,
                switches={"template": str(template), **SWITCHES.get(name, {})},
                model=MODELS[name],
                base_url=url,
                seed=seed,
            )
            outcome = start_run(settings, folder / f"{name}-{task}", RunOverrides(world=world)).run.outcome
            good = outcome is not None and outcome.successful
            problems[task] = "" if good else "; ".join(world.problems) or str(outcome and outcome.reason)
    return problems, model.types


def report(names: Iterable[str], seed: int = 0) -> bool:
    """Print for each format how many tasks were done; were all?"""
    good = True
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            problems, types = do_tasks(name, Path(folder), seed)
        done = sum(not problem for problem in problems.values())
        print(f"{name}: {done} of {len(problems)} tasks ({', '.join(sorted(types))})", flush=True)
        for task, problem in problems.items():
            if problem:
                print(f"    {task}: {problem}", flush=True)
        good = good and done == len(problems)
    return good


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--formats", nargs="+", choices=FORMATS, default=list(FORMATS))
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    return 0 if report(given.formats, given.seed) else 1


if __name__ == "__main__":
    sys.exit(main())
