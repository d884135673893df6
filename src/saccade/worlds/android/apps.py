"""Opens apps by the name a person uses.

The adb shell lists packages but not the labels under the icons. So a name is looked up among the launchable packages:
as a package name, as the label of a well-known app, then as words of a package name.
"""

from __future__ import annotations

import difflib
import re
from itertools import islice

from saccade.worlds.android.device import AndroidDevice
from saccade.worlds.android.labels import LABELS

MAIN = "android.intent.action.MAIN"
LAUNCHER = "android.intent.category.LAUNCHER"
NEAR = 5
MOST_APPS = 3_000
"""Of those that a device lists; phones have a few hundred."""
_COMPONENT = re.compile(r"\s*([A-Za-z][\w.]{0,200})/([\w.$]{1,200})\s*", re.ASCII)
_PACKAGE = re.compile(r"package:([A-Za-z][\w.]{0,200})\s*", re.ASCII)
_COMMON = frozenset(("com", "org", "net", "cn", "io", "android", "app", "apps", "mobile", "client", "main"))


class Apps:
    """The launchable apps of one device; listed on first use, and again when a name is not found."""

    def __init__(self, device: AndroidDevice) -> None:
        self.device = device
        self._launchable: dict[str, str] = {}

    def open(self, name: str) -> str:
        """Start the app called `name`. Returns an error text, or ""."""
        if len(find_packages(name, list(self._launchable))) != 1:
            self._launchable = self._list()
        found = find_packages(name, list(self._launchable))
        if len(found) == 1:
            return self._start(found[0], self._launchable[found[0]])
        if found:
            return f"{name[:80]!r} may mean several apps: say which of {', '.join(found[:NEAR])}"
        return self._unknown(name)

    def _list(self) -> dict[str, str]:
        """Launchable packages and the activity that starts each; "" on devices too old to list activities."""
        done = self.device.run("cmd", "package", "query-activities", "--brief", "-a", MAIN, "-c", LAUNCHER)
        found: dict[str, str] = {}
        for line in done.out.splitlines():
            if len(found) < MOST_APPS and (match := _COMPONENT.fullmatch(line)):
                found.setdefault(match[1], match[2])
        if found:
            return found
        out = self.device.run("pm", "list", "packages").out
        names = (match[1] for line in out.splitlines() if (match := _PACKAGE.fullmatch(line)))
        return dict.fromkeys(islice(names, MOST_APPS), "")

    def _start(self, package: str, activity: str) -> str:
        if activity:
            done = self.device.run("am", "start", "-a", MAIN, "-c", LAUNCHER, "-n", f"{package}/{activity}")
            if not done.status and "Error" not in done.out:
                return ""
        done = self.device.run("monkey", "-p", package, "-c", LAUNCHER, 1)
        if done.status or "No activities found" in done.out:
            return f"{package} could not be started: {done.first_line}"
        return ""

    def _unknown(self, name: str) -> str:
        names = {package.lower(): package for package in self._launchable}
        for label, packages in LABELS.items():
            if any(package in self._launchable for package in packages):
                names[label] = label
        for package in self._launchable:
            names |= dict.fromkeys(_words(package), package)
        near = difflib.get_close_matches(name.lower(), names, n=NEAR, cutoff=0.5)
        known = list(dict.fromkeys(names[match] for match in near)) or sorted(self._launchable)[:20]
        hint = f": there are {', '.join(known)}" if known else ": the device lists no apps"
        return f"there is no app {name[:80]!r}{hint}"


def find_packages(name: str, packages: list[str]) -> list[str]:
    """The packages that a name may mean; for a well-known app, only the most common one.

    >>> find_packages("Google Maps", ["com.google.android.apps.maps", "com.android.settings"])
    ['com.google.android.apps.maps']
    """
    plain = _plain(name)
    exact = [package for package in packages if package.lower() == name.strip().lower()]
    labelled = [package for package in LABELS.get(plain, ()) if package in packages]
    if exact or labelled or not plain:
        return (exact or labelled)[:1]
    words, joined = plain.split(), plain.replace(" ", "")
    fits = [package for package in packages if set(words) <= set(_words(package)) or joined in _words(package)]
    ending = [package for package in fits if _words(package)[-1] in (joined, words[-1])]
    return ending or fits


def _words(package: str) -> list[str]:
    parts = re.split(r"[._]", package.lower())
    return [part for part in parts if part not in _COMMON] or parts


def _plain(name: str) -> str:
    """Lower case, words separated by spaces, without punctuation."""
    return " ".join(re.sub(r"[^\w]+|_", " ", name.lower()).split())
