"""How the controls of some npm UI kits are written (web_kits.json), for pages that are made up as training data.

In a template `{t}` becomes a short text, `{w}` a word, `{p}` a paragraph, `{n}` a number, `{i}` an icon, `{img}` the
address of a picture, `{id}` a fresh name, `{{` and `}}` a single brace, and `[[...]]` is repeated two to five times. A
kit says only what differs from plain HTML. No kit follows Material Design: that look is kept for tests.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

_KNOWN = json.loads(Path(__file__).with_name("web_kits.json").read_text(encoding="utf-8"))
_PLAIN: dict[str, str] = _KNOWN["templates"]["plain"]


@dataclass(frozen=True)
class WebKit:
    """A UI kit."""

    files: tuple[str, ...]
    """Style sheets and scripts inside the folder of npm packages; scripts that are modules begin with `module:`."""
    templates: dict[str, str]
    body: str = ""
    dark: str = ""
    """Attributes of the body, and those that make it dark."""
    mount: str = ""
    """A script that turns the page's template into components, where the kit has any."""

    def template(self, name: str) -> str:
        return self.templates.get(name, _PLAIN[name])


KITS: dict[str, WebKit] = {
    name: WebKit(
        tuple(kit.get("files", ())),
        _KNOWN["templates"][kit["templates"]],
        kit.get("body", ""),
        kit.get("dark", ""),
        "\n".join(kit.get("mount", ())),
    )
    for name, kit in _KNOWN["kits"].items()
}
