"""The phone as a state machine: one JSON state, and what each touch does to it. No browser is needed.

    state = {"seed", "language", "now", "battery", "theme", "serial", "steps", "toast", "nav", "apps", "interruptions"}
    nav = {"app", "stacks": {app: [{"screen", "args", "form"}, …]}, "recents", "system", "banner", "journal"}

Everything is pure data: a state can be read, stored, set and compared, and the planner can try moves on a copy.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import msgspec

from saccade_phone.app import App, CommandContext, State, View, json_copy
from saccade_phone.widgets import Op, Page, back, go

Stack = list[dict[str, Any]]
LAUNCHER, RECENTS = "launcher", "recents"
MOST_VISITS = 200


class Machine:
    """Runs the apps on a state."""

    def __init__(self, state: State, apps: Mapping[str, App], dry: bool = False) -> None:
        self.state = state
        self.apps = apps
        self.dry = dry
        """For trying moves: visits are not recorded, and opening a screen has no side effects."""

    def trial(self) -> Machine:
        """A copy to try moves on. It shares the apps' data and has its own screens."""
        nav = self.nav
        stacks = {
            app: [{**entry, "form": dict(entry["form"])} for entry in stack] for app, stack in nav["stacks"].items()
        }
        copied = {**nav, "stacks": stacks, "recents": list(nav["recents"]), "system": list(nav["system"])}
        return Machine({**self.state, "nav": copied}, self.apps, dry=True)

    # -- what is shown --------------------------------------------------------------------------------------------

    @property
    def nav(self) -> dict[str, Any]:
        nav: dict[str, Any] = self.state["nav"]
        return nav

    @property
    def stack(self) -> Stack:
        """The open screens of the app in front; the last one is shown."""
        nav = self.nav
        stack: Stack = nav["stacks"][nav["app"]]
        return stack

    @property
    def top(self) -> dict[str, Any]:
        """The screen that receives touches: a system dialog if one is open."""
        nav = self.nav
        system: Stack = nav["system"]
        stack: Stack = nav["stacks"][nav["app"]]
        return system[-1] if system else stack[-1]

    @property
    def front(self) -> str:
        """The app that receives touches."""
        nav = self.nav
        return "system" if nav["system"] else str(nav["app"])

    def page(self, app: str, entry: Mapping[str, Any]) -> Page:
        """One screen as its app declares it, with an id for every touchable widget."""
        spec = self.apps[app].screens[entry["screen"]]
        page = spec.view(View(self.state, app, entry["args"], entry["form"]))
        page.style = spec.style
        name_widgets(page)
        return page

    def shown(self) -> Page:
        return self.page(self.front, self.top)

    # -- what touches do ------------------------------------------------------------------------------------------

    def touch(self, event: Mapping[str, Any]) -> str:
        """Handle a touch `{"id", "kind", "value"}`. Returns what was wrong with it, or an empty string."""
        id, kind = str(event.get("id", "")), str(event.get("kind", "tap"))
        self.state["toast"] = ""
        if id.startswith("nav:"):
            self.press(id.removeprefix("nav:"))
        elif id in ("bar:back", "scrim"):
            self.apply(back())
        elif id.startswith("banner:"):
            self.banner(id)
        elif kind == "input":
            if not self.is_field(id):
                return f"there is no text field {id!r}"
            self.top["form"][id] = str(event.get("value", ""))
        elif kind in ("left", "right"):
            self.turn(kind)
        else:
            op = self.op(id, kind)
            if op is None:
                return f"nothing takes {kind} at {id!r}"
            self.apply(op)
        return ""

    def op(self, id: str, kind: str) -> Op | None:
        page = self.shown()
        if kind == "pull":
            return page.pull
        widget = next((widget for widget in page.walk() if widget.id == id), None)
        if widget is None:
            return None
        return {"tap": widget.tap, "hold": widget.hold, "submit": widget.submit}.get(kind)

    def is_field(self, id: str) -> bool:
        return any(widget.kind == "field" and widget.id == id for widget in self.shown().walk())

    def press(self, key: str) -> None:
        """The buttons below the screen."""
        if key == "back":
            self.apply(back())
        elif self.nav["system"]:
            return  # a system dialog wants its answer first
        elif key == "home":
            self.front_app(LAUNCHER)
            self.nav["stacks"][LAUNCHER] = self.nav["stacks"][LAUNCHER][:1]
        elif key in ("recents", "recent"):
            self.front_app(RECENTS)

    def turn(self, way: str) -> None:
        """A swipe over the launcher turns its page."""
        if self.front == LAUNCHER and len(self.stack) == 1:
            form = self.stack[0]["form"]
            pages = int(self.state["apps"][LAUNCHER]["pages"])
            form["page"] = min(max(form["page"] + (1 if way == "left" else -1), 0), pages - 1)

    def banner(self, id: str) -> None:
        banner, self.nav["banner"] = self.nav["banner"], None
        if banner and not id.endswith(":close"):
            self.apply(go(banner["screen"], app=banner["app"], **banner["args"]))

    def apply(self, op: Op) -> None:
        """Apply an op to the screen in front."""
        entry = self.top
        if op.kind == "put":
            entry["form"][op.name] = op.value
        elif op.kind == "pick":
            self.leave()
            self.top["form"][op.name] = op.value
        elif op.kind == "back":
            self.leave()
        elif op.kind == "tab":
            stack = self.stack
            stack[-1] = self.entry(str(self.nav["app"]), op)
            self.visit()
        elif op.kind == "go":
            if op.app and op.app != self.nav["app"]:
                self.front_app(op.app)
            self.stack.append(self.entry(str(self.nav["app"]), op))
            self.visit()
        elif op.kind == "open":
            self.front_app(op.name)
        elif op.kind == "do":
            self.act(op, entry)

    def act(self, op: Op, entry: dict[str, Any]) -> None:
        """Run a command, then the navigation it asked for."""
        app = self.front
        hand = CommandContext(self.state, app, entry["args"], entry["form"])
        self.apps[app].commands[op.name](hand, **op.args)
        if hand.said:
            self.state["toast"] = hand.said
        for move in hand.moves:
            self.apply(move)

    def entry(self, app: str, op: Op) -> dict[str, Any]:
        """A newly opened screen with its form's initial values."""
        spec = self.apps[app].screens[op.name]
        args = dict(op.args)
        form = spec.form(View(self.state, app, args, {})) if spec.form else {}
        if spec.opened and not self.dry:
            spec.opened(CommandContext(self.state, app, args, form))
        return {"screen": op.name, "args": args, "form": form}

    def leave(self) -> None:
        """Go back: close a dialog, else a screen; from an app's first screen to the launcher."""
        nav = self.nav
        if nav["system"]:
            nav["system"].pop()
        elif len(self.stack) > 1:
            self.stack.pop()
        elif nav["app"] != LAUNCHER:
            self.front_app(LAUNCHER)
        self.visit()

    def front_app(self, app: str) -> None:
        """Bring an app to the front, with the screens it had."""
        nav = self.nav
        if app not in nav["stacks"]:
            nav["stacks"][app] = [self.entry(app, Op("go", self.apps[app].home))]
        nav["app"] = app
        if app not in (LAUNCHER, RECENTS):
            nav["recents"] = [app, *(other for other in nav["recents"] if other != app)]
        if app == RECENTS:
            nav["stacks"][RECENTS] = [self.entry(RECENTS, Op("go", self.apps[RECENTS].home))]
        self.visit()

    def visit(self) -> None:
        """Record that a screen was shown."""
        if self.dry:
            return
        entry = self.stack[-1]
        seen = [self.nav["app"], entry["screen"], entry["args"]]
        if seen not in self.nav["journal"]:
            self.nav["journal"] = [*self.nav["journal"][-MOST_VISITS:], seen]


def name_widgets(page: Page) -> None:
    """Give each touchable widget an id made from what it does; repeated ids get a number."""
    seen: dict[str, int] = {}
    for widget in page.walk():
        if widget.tap or widget.hold or widget.kind == "field":
            name = widget.id or op_name(widget.tap or widget.hold)
            count = seen[name] = seen.get(name, 0) + 1
            widget.id = name if count == 1 else f"{name}~{count}"


def op_name(op: Op | None) -> str:
    if op is None:
        return ""
    values = [*op.args.values()] if op.value is None else [*op.args.values(), op.value]
    return "/".join(filter(None, [op.kind, op.app, op.name, *map(_short, values)]))


def _short(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def clone(state: State) -> State:
    """A deep copy of a state through JSON, which also ensures that it holds nothing but JSON."""
    return json_copy(state)


def shared_copy(state: State) -> State:
    """A copy of a state that shares the apps' data with it: made fast, and compared fast. Who changes an app's data
    must change a copy of it, as `CommandContext` does.
    """
    return {name: dict(part) if name == "apps" else json_copy(part) for name, part in state.items()}


def tree(machine: Machine, animations: bool = False) -> dict[str, Any]:
    """What the page draws: the screen in front, the sheets and dialogs over it, status bar and navigation bar."""
    state, nav, stack = machine.state, machine.nav, machine.stack
    app = machine.apps[nav["app"]]
    first = max(at for at, entry in enumerate(stack) if app.screens[entry["screen"]].style == "page")
    theme = state["theme"]
    return {
        "language": state["language"],
        "theme": {"mode": theme["mode"], "font": theme["font"]},
        "animations": animations,
        "time": state["now"][11:16],
        "battery": state["battery"],
        "app": {
            "id": app.id,
            "name": app.name(state["language"]),
            "tint": app.tint,
            "kit": theme["kits"].get(app.id, app.kit),
        },
        "depth": first + 1,
        "pages": [drawn(msgspec.to_builtins(machine.page(app.id, entry))) for entry in stack[first:]],
        "system": [drawn(msgspec.to_builtins(machine.page("system", entry))) for entry in nav["system"]],
        "banner": nav["banner"] and {"id": "banner:open", **nav["banner"]["shows"]},
        "toast": state["toast"],
    }


def drawn(part: Any) -> Any:
    """A widget for the page: which touches it takes, without what they do."""
    if isinstance(part, dict):
        part = {"children": [], **part} if "kind" in part else part
        return {key: True if key in ("tap", "hold", "submit", "pull") else drawn(value) for key, value in part.items()}
    return [drawn(value) for value in part] if isinstance(part, list) else part
