"""A page that tries every way to reach a host that is not allowed, and what listens there."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

PAGE = Path(__file__).with_suffix(".html").read_text(encoding="utf-8")


class Listener(BaseHTTPRequestHandler):
    """Of the allowed host: the page, and redirects to the other."""

    page = ""
    out = ""

    def do_GET(self) -> None:
        if self.path == "/redirect":
            self.send_response(302)
            self.send_header("Location", f"{self.out}/redirected")
            self.end_headers()
            return
        report = f'{{"group":"g","max_age":60,"endpoints":[{{"url":"{self.out}/report"}}]}}'
        self.send_response(200)
        self.send_header("Content-Type", "text/javascript" if self.path == "/worker.js" else "text/html")
        self.send_header("Report-To", report)
        self.send_header("Reporting-Endpoints", f'csp="{self.out}/reporting"')
        self.send_header("NEL", '{"report_to":"g","max_age":60,"success_fraction":1}')
        self.send_header(
            "Content-Security-Policy-Report-Only", f"img-src 'none'; report-uri {self.out}/csp; report-to g"
        )
        self.send_header("Link", f"<{self.out}/header.css>; rel=preload; as=style")
        self.end_headers()
        self.wfile.write(
            f"fetch('{self.out}/from-worker')".encode() if self.path == "/worker.js" else self.page.encode()
        )

    def do_POST(self) -> None:
        self.do_GET()

    def log_message(self, *_: object) -> None: ...


class Outside:
    """A listener on another address of this machine: TCP and UDP on one port. It counts all that arrives."""

    def __init__(self) -> None:
        self.tcp = socket.create_server(("127.0.0.2", 0))
        self.port = self.tcp.getsockname()[1]
        self.udp = socket.socket(type=socket.SOCK_DGRAM)
        self.udp.bind(("127.0.0.2", self.port))
        self.arrived: list[str] = []
        for listen in (self._streams, self._packets):
            Thread(target=listen, daemon=True).start()

    def _streams(self) -> None:
        while True:
            try:
                connection, _ = self.tcp.accept()
            except OSError:
                return
            with connection:
                connection.settimeout(0.5)
                try:
                    said = connection.recv(200)
                except OSError:
                    said = b""
                self.arrived.append(said.decode("latin-1").partition("\r\n")[0] or "a connection")

    def _packets(self) -> None:
        while True:
            try:
                self.udp.recvfrom(2000)
            except OSError:
                return
            self.arrived.append("a packet")

    def close(self) -> None:
        self.tcp.close()
        self.udp.close()


@contextmanager
def ways_out() -> Iterator[tuple[str, Outside]]:
    """The address of the page on an allowed host, and the listener outside."""
    outside = Outside()
    out = f"http://127.0.0.2:{outside.port}"
    page = PAGE.replace("[[out]]", out).replace("[[name]]", "127.0.0.2").replace("[[port]]", str(outside.port))
    handler = type("Page", (Listener,), {"page": page, "out": out})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/", outside
        server.shutdown()
    outside.close()
