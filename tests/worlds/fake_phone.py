"""The device side of a phone for tests: Android's shell commands, done to a live page in a real Chromium.

`screencap` is the page's screenshot, `input` touches it, `uiautomator` lists its elements: what a tap does is seen in
the next screenshot.
"""

from __future__ import annotations

import base64
import re
import threading
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from posix_line import SecondCommandError, parse_line

from saccade.actions import Action
from saccade.geometry import Point
from saccade.types import Element
from saccade.worlds.browser.engine import BrowserEngine
from saccade.worlds.browser.input_actions import BrowserInput
from saccade.worlds.browser.network import AllowList
from saccade.worlds.browser.world import PHONE, BrowserWorld, Device

PAGE = (Path(__file__).parent / "pages" / "phone.html").as_uri()
SMALL = Device(PHONE.width, PHONE.height, 1.0, touch=True)
"""The same phone with a ninth of the pixels: ten times as fast where they do not matter."""
ADB_KEYBOARD = "com.android.adbkeyboard/.AdbIME"
USUAL_KEYBOARD = "com.google.android.inputmethod.latin/com.android.inputmethod.latin.LatinIME"
APPS = {
    "com.example.counter": (".Main", "counter"),
    "com.miui.notes": (".Notes$Start", "notes"),
    "com.example.items": (".ItemList", "items-app"),
    "com.example.restless": (".Main", "restless"),
}
CLASSES = {
    "button": "android.widget.Button",
    "link": "android.widget.TextView",
    "input": "android.widget.EditText",
    "password": "android.widget.EditText",
    "checkbox": "android.widget.CheckBox",
    "text": "android.widget.TextView",
    "heading": "android.widget.TextView",
    "image": "android.widget.ImageView",
    "scroll": "android.widget.ScrollView",
}
PRESSED = {
    "KEYCODE_ENTER": "Enter",
    "KEYCODE_DEL": "Backspace",
    "KEYCODE_TAB": "Tab",
    "KEYCODE_A": "a",
    "KEYCODE_X": "x",
    "KEYCODE_CTRL_LEFT": "Control",
}
Answer = tuple[int, bytes]


class FakePhone:
    """One device. What it was asked is in `lines`; a line that is not one plain command is in `refused`."""

    def __init__(self, engine: BrowserEngine, serial: str, *, device: Device = PHONE, keyboard: bool = True) -> None:
        self.engine = engine
        self.serial = serial
        self.device = device
        self.state = "device"
        self.features = "shell_v2,cmd,stat_v2"
        self.keyboards = [USUAL_KEYBOARD, ADB_KEYBOARD] if keyboard else [USUAL_KEYBOARD]
        self.keyboard = USUAL_KEYBOARD
        self.has_clipboard = False
        self.clipboard = ""
        self.lines: list[str] = []
        self.refused: list[str] = []
        self.keys: list[str] = []
        self.dumps: list[str] = []
        """What the next dumps say instead of the truth."""
        self.shots: list[bytes] = []
        self.tty = True
        self.files: dict[str, str] = {}
        self.breaks_off_at = ""
        """The command in the middle of which the cable is pulled."""
        self.lock = threading.RLock()
        self._world: BrowserWorld | None = None

    # -- the page -----------------------------------------------------------------------------------------------------

    @property
    def world(self) -> BrowserWorld:
        if self._world is None:
            self._world = BrowserWorld(PAGE + "#home", device=self.device, engine=self.engine)
            self._world.allow = AllowList(frozenset(("file",)))
            self._world.reset()
        return self._world

    @property
    def user_input(self) -> BrowserInput:
        user_input = self.world._input
        assert user_input is not None
        return user_input

    def _run(self, work: Coroutine[Any, Any, Any]) -> Any:
        return self.engine.run(work, 20)

    def page(self, script: str) -> Any:
        """Ask the page itself."""
        return self._run(self.world.tabs.page.evaluate(script))

    def show(self, section: str) -> None:
        self.page(f"location.hash = '{section}'")

    def turn(self, landscape: bool) -> None:
        """To its side, or upright again."""
        device, world = self.device, self.world
        if landscape:
            device = Device(device.height, device.width, device.scale, touch=True)
        world.device = device
        self.user_input.size = device.pixels
        session = self._run(world.tabs.session())
        self._run(session.send("Emulation.setDeviceMetricsOverride", device.metrics()))

    def close(self) -> None:
        if self._world is not None:
            self._world.close()

    # -- the shell ----------------------------------------------------------------------------------------------------

    def shell(self, line: str) -> Answer:
        """Do one command line as `sh` on the device would."""
        self.lines.append(line)
        try:
            name, *words = parse_line(line)
        except SecondCommandError as error:
            self.refused.append(str(error))
            return 2, b"sh: refused\n"
        doing: dict[str, Callable[..., Answer]] = {
            "input": self._input,
            "screencap": self._screencap,
            "uiautomator": self._uiautomator,
            "am": self._am,
            "dumpsys": self._dumpsys,
            "monkey": self._monkey,
            "cmd": self._cmd,
            "pm": self._pm,
            "ime": self._ime,
            "cat": self._cat,
            "rm": self._rm,
            "settings": lambda *_: (0, self.keyboard.encode() + b"\n"),
            "wm": lambda *_: (0, b""),
            "true": lambda: (0, b""),
            "echo": lambda *said: (0, " ".join(said).encode()),
        }
        if name not in doing:
            return 127, f"/system/bin/sh: {name}: inaccessible or not found\n".encode()
        with self.lock:
            return doing[name](*words)

    def _screencap(self, *_: str) -> Answer:
        return 0, self.shots.pop(0) if self.shots else self._run(self.world._screenshot())

    def _cat(self, path: str) -> Answer:
        return (0, self.files[path].encode()) if path in self.files else (1, b"cat: No such file or directory\n")

    def _rm(self, _: str, path: str) -> Answer:
        self.files.pop(path, None)
        return 0, b""

    def _dumpsys(self, service: str) -> Answer:
        if service == "input_method":
            return 0, f"  mCurMethodId={self.keyboard}\n  mBoundToMethod=true\n".encode()
        shown = self.page("location.hash").lstrip("#")
        names = {section: f"{package}/{package}{start}" for package, (start, section) in APPS.items()}
        window = names.get(shown, "com.android.launcher3/com.android.launcher3.Launcher")
        return 0, f"  mCurrentFocus=Window{{1f2e3d u0 {window}}}\n  mFocusedApp=x\n".encode()

    # -- input --------------------------------------------------------------------------------------------------------

    def _input(self, verb: str, *words: str) -> Answer:
        if verb == "text":
            return self._text(*words)
        if verb in ("keyevent", "keycombination"):
            return self._keys(verb, list(words))
        numbers = [float(word) for word in words]
        if verb == "tap":
            action = Action("click", point=Point(*numbers))
        elif verb == "swipe" and numbers[:2] == numbers[2:4]:
            action = Action("long_press", point=Point(*numbers[:2]))
        elif verb == "swipe":
            action = Action("swipe", direction="up", start=Point(*numbers[:2]), end=Point(*numbers[2:4]))
        elif verb == "draganddrop":
            action = Action("drag", start=Point(*numbers[:2]), end=Point(*numbers[2:4]))
        else:
            return 255, b"Error: Unknown command: " + verb.encode() + b"\n"
        problem = self._run(self.user_input.do(action))
        return (255, problem.encode()) if problem else (0, b"")

    def _text(self, word: str) -> Answer:
        """Only what a plain keyboard has can be typed."""
        if not re.fullmatch(r"[\x20-\x7e\n\t]*", word):
            return 255, b"Exception occurred while executing 'text':\njava.lang.NullPointerException\n"
        self._run(self.world.tabs.page.keyboard.type(android_text(word)))
        return 0, b""

    def _keys(self, verb: str, codes: list[str]) -> Answer:
        self.keys.append("+".join(codes))
        page = self.world.tabs.page
        if codes == ["KEYCODE_HOME"]:
            self.show("home")
        elif codes == ["KEYCODE_BACK"]:
            self.page("location.hash === '#home' || history.back()")  # a launcher goes nowhere
        elif codes == ["KEYCODE_PASTE"]:
            self._run(page.keyboard.insert_text(self.clipboard))
        elif all(code in PRESSED for code in codes):
            self._run(page.keyboard.press("+".join(PRESSED[code] for code in codes)))
        return 0, b""

    # -- apps and keyboards -------------------------------------------------------------------------------------------

    def _cmd(self, service: str, *words: str) -> Answer:
        if service == "package":
            lines = [f"    {package}/{start}" for package, (start, _) in APPS.items()]
            return 0, "\n".join([f"{len(lines)} activities found:", "  Activity #0:", *lines, ""]).encode()
        if service == "clipboard" and self.has_clipboard:
            self.clipboard = words[1]
            return 0, b""
        return 255, b"No shell command implementation.\n"

    def _pm(self, *_: str) -> Answer:
        return 0, "".join(f"package:{package}\n" for package in APPS).encode()

    def _am(self, verb: str, *words: str) -> Answer:
        given = dict(zip(words[::2], words[1::2], strict=False))
        if verb == "broadcast":
            if self.keyboard == ADB_KEYBOARD and given["-a"] == "ADB_INPUT_B64":
                text = base64.b64decode(words[words.index("msg") + 1]).decode()
                self._run(self.world.tabs.page.keyboard.insert_text(text))
            return 0, b"Broadcasting: Intent\nBroadcast completed: result=0\n"
        if "-d" in given:
            return 0, f"Starting: Intent {{ act={given['-a']} dat={given['-d']} }}\n".encode()
        package, _, activity = given["-n"].partition("/")
        if APPS.get(package, ("", ""))[0] != activity:
            return 1, b"Error type 3\nError: Activity class does not exist.\n"
        self.show(APPS[package][1])
        return 0, b"Starting: Intent\n"

    def _monkey(self, *words: str) -> Answer:
        package = words[words.index("-p") + 1]
        if package not in APPS:
            return 252, b"** No activities found to run, monkey aborted.\n"
        self.show(APPS[package][1])
        return 0, b"Events injected: 1\n"

    def _ime(self, verb: str, *words: str) -> Answer:
        if verb == "list":
            return 0, "\n".join(self.keyboards).encode()
        if words[0] not in self.keyboards:
            return 255, b"Unknown input method\n"
        if verb == "set":
            self.keyboard = words[0]
        return 0, b""

    # -- elements -----------------------------------------------------------------------------------------------------

    def _uiautomator(self, _: str, path: str) -> Answer:
        said = self.dumps.pop(0) if self.dumps else self._hierarchy()
        if said.startswith("ERROR"):
            return 0, said.encode() + b"\n"
        if path == "/dev/tty":
            done = f"UI hierchary dumped to: {path}\n"
            return (0, (said + done).encode()) if self.tty else (1, b"java.io.FileNotFoundException: /dev/tty\n")
        self.files[path] = said
        return 0, f"UI hierchary dumped to: {path}\n".encode()

    def _hierarchy(self) -> str:
        width, height = self.world.device.pixels
        turned = int(width > height)
        inner = "".join(_node(element) for element in self._run(self.world._page_elements()))
        frame = f'<node class="android.widget.FrameLayout" text="" bounds="[0,0][{width},{height}]">{inner}</node>'
        head = "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>"
        return f'{head}<hierarchy rotation="{turned}">{frame}</hierarchy>'


def android_text(word: str) -> str:
    """What `input text` makes of its argument, step by step as in Android's InputShellCommand.sendText."""
    signs, at, escaped = list(word), 0, False
    while at < len(signs):
        if escaped:
            escaped = False
            if signs[at] == "s":
                signs[at] = " "
                at -= 1
                del signs[at]
        if signs[at] == "%":
            escaped = True
        at += 1
    return "".join(signs)


def _node(element: Element) -> str:
    box = "[{:.0f},{:.0f}][{:.0f},{:.0f}]".format(*element.box)
    secret, field = element.type == "password", element.type in ("password", "input")
    text = ("hunter2" if "filled" in element.state else "") if secret else element.text
    values = {
        "text": text or (element.caption if field else ""),
        "hint": element.caption if field else "",
        "class": CLASSES.get(element.type, "android.view.View"),
        "content-desc": "" if field else element.caption,
        "password": str(secret).lower(),
        "checkable": str(element.type == "checkbox").lower(),
        "checked": str("checked" in element.state).lower(),
        "clickable": str(element.interactive).lower(),
        "scrollable": str(element.type == "scroll").lower(),
        "focusable": str(element.interactive).lower(),
        "focused": str("focused" in element.state).lower(),
        "enabled": str("disabled" not in element.state).lower(),
        "bounds": box,
    }
    return "<node " + " ".join(f"{name}={quoteattr(value)}" for name, value in values.items()) + " />"
