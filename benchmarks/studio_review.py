"""Several reviewers work through one queue at once, each in a process of its own; and a server that is killed.

python benchmarks/studio_review.py [--items 2000] [--kills 20]

Prints a line for SQLite with 4 reviewers and one for PostgreSQL with 8: every item must be given out once, none may be
left, and 95 % of the claims must take at most 100 ms. Then `saccade studio` is killed with SIGKILL while two people
review: every decision that it acknowledged must be in the database.
"""

from __future__ import annotations

import argparse
import http.client
import http.cookiejar
import json
import multiprocessing
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import select
from sqlalchemy.orm import Session

from saccade.geometry import Size
from saccade.studio.database.engine import database_address, open_database
from saccade.studio.database.review import ReviewEvent, ReviewItem
from saccade.studio.review.decisions import decide
from saccade.studio.review.queue import NewItem, add_items, claim
from saccade.types import Step
from throwaway_postgres import postgres

DECISION = {"feasible": True, "clear": True, "realistic": True}


class QueueResult(NamedTuple):
    """What the reviewers of one queue did."""

    given_out: int
    twice: int
    left: int
    p95_claim: float
    """Seconds."""
    seconds: float


def fill(address: str, items: int) -> None:
    """A queue of instructions."""
    engine = open_database(address)
    steps = (Step(id=str(at), instruction=f"Set an alarm for {at}", screen=Size(1080, 2400)) for at in range(items))
    add_items(engine, "instruction", (NewItem([step], Path()) for step in steps))
    engine.dispose()


def review(address: str, person: str, gate: Any, results: Any) -> None:
    """One reviewer, until nothing is left."""
    engine = open_database(address)
    said = json.dumps(DECISION).encode()
    claims: list[tuple[int, float]] = []
    gate.wait()
    while True:
        began = time.perf_counter()
        item = claim(engine, person, "instruction")
        if item is None:
            break
        claims.append((item, time.perf_counter() - began))
        decide(engine, person, item, said)
    results.put(claims)
    engine.dispose()


def measure(address: str, people: int, items: int) -> QueueResult:
    """Let so many people work through so many items."""
    address = database_address(address, [])
    fill(address, items)
    context = multiprocessing.get_context("spawn")
    gate, results = context.Barrier(people), context.Queue()
    workers = [context.Process(target=review, args=(address, f"reviewer {at}", gate, results)) for at in range(people)]
    for worker in workers:
        worker.start()
    began = time.perf_counter()
    claims = [each for _ in workers for each in results.get(timeout=300)]
    seconds = time.perf_counter() - began
    for worker in workers:
        worker.join()
    engine = open_database(address)
    with Session(engine) as session:
        left = items - len(session.scalars(select(ReviewItem.id).where(ReviewItem.state == "done")).all())
    engine.dispose()
    times = sorted(taken for _, taken in claims)
    twice = sum(count - 1 for count in Counter(item for item, _ in claims).values())
    return QueueResult(len(claims), twice, left, times[int(0.95 * len(times))], seconds)


# -- a server that is killed ------------------------------------------------------------------------------------------


class Reviewer(threading.Thread):
    """A person with a browser: takes items and decides them, over and over, until told to stop."""

    def __init__(self, name: str) -> None:
        super().__init__(daemon=True)
        self.person, self.address = name, ""
        self.acknowledged: dict[int, str] = {}
        """The text of each decision that the server said it has."""
        self.ended = threading.Event()

    def run(self) -> None:
        while not self.ended.is_set():
            try:
                self.session(self.address)
            except (OSError, ValueError, KeyError, http.client.HTTPException):
                time.sleep(0.02)  # the server is gone; somebody starts it again

    def session(self, address: str) -> None:
        """Log in, and decide item after item."""
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))
        page = opener.open(f"{address}/review", timeout=5).read().decode()
        csrf = page.split('name="csrf" content="')[1].split('"', maxsplit=1)[0]

        def post(path: str, body: bytes, kind: str) -> Any:
            headers = {"x-csrf-token": csrf, "content-type": kind, "origin": address}
            return opener.open(urllib.request.Request(f"{address}{path}", body, headers), timeout=5)

        post("/review/name", f"name={self.person}".encode(), "application/x-www-form-urlencoded")
        place = post("/review/next", b"kind=instruction", "application/x-www-form-urlencoded").geturl()
        while not self.ended.is_set() and "/items/" in place:
            item = int(place.rsplit("/", 1)[1])
            text = f"{self.person} {random.random()}"
            body = json.dumps(DECISION | {"text": text}).encode()
            answer = json.load(post(f"/review/items/{item}/decision", body, "application/json"))
            self.acknowledged[item] = text
            place = answer["next"]
        self.ended.wait(0.2)


def serve(folder: Path, database: str) -> tuple[subprocess.Popen[str], str]:
    """A studio in a process of its own, and its address."""
    command = [sys.executable, "-u", "-m", "saccade", "studio", str(folder), "--port", "0", "--database", database]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    return process, process.stdout.readline().split()[-1].rstrip("/")


def kill_while_reviewing(database: str, kills: int, items: int = 5000) -> tuple[int, int]:
    """Kill the server so many times; returns how many decisions it acknowledged and how many of them are lost."""
    address, chance = database_address(database, []), random.Random(1)
    fill(address, items)
    people = [Reviewer(f"reviewer{at}") for at in range(2)]
    with tempfile.TemporaryDirectory() as folder:
        for at in range(kills):
            process, place = serve(Path(folder), database)
            for person in people:
                person.address = place
                if at == 0:
                    person.start()
            known = sum(len(person.acknowledged) for person in people)
            limit = time.monotonic() + 20
            while sum(len(p.acknowledged) for p in people) < known + 3 and time.monotonic() < limit:
                time.sleep(0.01)
            time.sleep(chance.uniform(0, 0.2))
            process.send_signal(signal.SIGKILL)
            process.wait()
        for person in people:
            person.ended.set()
        for person in people:
            person.join(10)
    engine = open_database(address)
    with Session(engine) as session:
        events = session.execute(select(ReviewEvent.item_id, ReviewEvent.decision)).all()
    engine.dispose()
    stored = {(item, msgspec.json.decode(decision or b"{}").get("text")) for item, decision in events}
    acknowledged = [pair for person in people for pair in person.acknowledged.items()]
    return len(acknowledged), sum(pair not in stored for pair in acknowledged)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=2000)
    parser.add_argument("--kills", type=int, default=20)
    given = parser.parse_args()
    good = True
    with tempfile.TemporaryDirectory() as folder, postgres() as cluster:
        for name, address, people in (("SQLite", f"sqlite:///{folder}/queue.db", 4), ("PostgreSQL", cluster, 8)):
            found = measure(address, people, given.items)
            good &= (found.given_out, found.twice, found.left) == (given.items, 0, 0) and found.p95_claim <= 0.1
            print(
                f"{name}, {people} reviewers: {found.given_out} given out, {found.twice} twice, {found.left} left, "
                f"p95 of a claim {1000 * found.p95_claim:.1f} ms, {found.seconds:.1f} s"
            )
        if given.kills:
            acknowledged, lost = kill_while_reviewing(f"sqlite:///{folder}/killed.db", given.kills)
            good &= acknowledged >= given.kills and not lost
            print(f"{given.kills} kills: {acknowledged} decisions acknowledged, {lost} lost")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
