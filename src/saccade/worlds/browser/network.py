"""Which hosts a browser may connect to: none unless allowed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

INNER = ("about:", "data:", "blob:", "chrome-error:")
"""Address schemes that need no network."""


@dataclass(frozen=True)
class AllowList:
    """Allowed hosts: exact names, `*.example.com` for a host and its subdomains, `*` for all; `file`: local files."""

    hosts: frozenset[str] = frozenset()

    @classmethod
    def of(cls, hosts: Iterable[str], *urls: str) -> AllowList:
        """The given hosts and the hosts of `urls`."""
        own = {host_of(url) for url in urls} - {""}
        files = {"file"} if any(url.startswith("file:") for url in urls) else set()
        return cls(frozenset(host.lower() for host in hosts) | own | files)

    def allows(self, url: str) -> bool:
        if url.startswith(INNER) or "*" in self.hosts:
            return True
        if url.startswith("file:"):
            return "file" in self.hosts
        host = host_of(url)
        return host in self.hosts or any(
            allowed.startswith("*.") and (host == allowed[2:] or host.endswith(allowed[1:])) for allowed in self.hosts
        )

    def launch_arguments(self) -> list[str]:
        """The same rule for Chromium's host resolver. It also covers redirects, sockets, workers and prefetches, which
        request interception does not see.
        """
        if "*" in self.hosts:
            return []
        names = sorted(host for host in self.hosts if re.fullmatch(r"(\*\.)?[\w.\-]+|\[[0-9a-f:]+\]", host))
        excluded = [f"EXCLUDE {form}" for host in names for form in _forms(host)]
        return ["--host-resolver-rules=" + ", ".join(["MAP * ~NOTFOUND", *excluded])]


def _forms(host: str) -> list[str]:
    return [host[2:], host] if host.startswith("*.") else [host]


def host_of(url: str) -> str:
    """Lower-case host name; empty if there is none or the address is malformed."""
    try:
        return (urlsplit(url).hostname or "").lower()
    except ValueError:
        return ""
