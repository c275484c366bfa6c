"""Clients that go on asking: what they got, how long it took, which writes were acknowledged."""

from __future__ import annotations

import itertools
import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx2

from production.stack import PASSWORD, Stack

#: The limits of nginx, out of the way of load from one address.
UNLIMITED: dict[str, object] = {"rate": 100_000, "burst": 100_000, "connections": 10_000}

#: How often a client sends a write again that was not answered, or answered by 409 or 503.
MOST_TRIES = 40
PAUSE_SECONDS = 0.25


@dataclass(frozen=True)
class Write:
    """A booking that a client wanted: its text, and whether it was told that it was made."""

    note: str
    acknowledged: bool


@dataclass
class Tally:
    """What all clients saw."""

    answers: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    writes: list[Write] = field(default_factory=list)
    slowest: float = 0.0

    @property
    def requests(self) -> int:
        return self.answers.total()

    @property
    def failures(self) -> Counter[str]:
        """Answers that are no success: a status, or the class of an exception."""
        kept = (item for item in self.answers.items() if not item[0].startswith("2"))
        return Counter(dict(kept))

    def percentile(self, share: float, since: int = 0) -> float:
        """A latency in milliseconds of requests since this one: of the median, share is 0.5."""
        ordered = sorted(self.seconds[since:])
        return ordered[min(len(ordered) - 1, int(len(ordered) * share))] * 1000 if ordered else 0.0


class Traffic:
    """Threads that ask in turn for a row, a page, a page with a cached count, and a new booking."""

    def __init__(self, stack: Stack, token: str = "", pause: float = 0.0) -> None:
        self.stack = stack
        #: The least seconds from one request of a client to its next one.
        self.pause = pause
        self.headers = {"Authorization": f"Token {token}"} if token else {}
        self.tally = Tally()
        self.stopped = threading.Event()
        self.lock = threading.Lock()

    def work(self) -> None:
        with self.stack.client(headers=self.headers) as client:
            for turn in itertools.count():
                due = time.monotonic() + self.pause
                self.take(client, turn)
                if self.stopped.wait(max(0.0, due - time.monotonic())):
                    return

    def take(self, client: httpx2.Client, turn: int) -> None:
        if turn % 4 == 0:
            self.ask(client, "GET", f"/rides/bikes/{turn % 300 + 1}/")
        elif turn % 4 == 1:
            self.ask(client, "GET", "/rides/stations/?district=Harbour")
        elif turn % 4 == 2:
            self.ask(client, "GET", "/receipts/")
        else:
            self.write(client)

    def write(self, client: httpx2.Client) -> None:
        """Book, and send the request again with its key until it is answered for good."""
        note, acknowledged = uuid.uuid4().hex, False
        headers = {"Idempotency-Key": note}
        for _ in range(MOST_TRIES):
            body = {"bike": 1, "note": note}
            status = self.ask(client, "POST", "/rides/bookings/", json=body, headers=headers)
            acknowledged = status == 201
            if acknowledged or (status is not None and status not in (409, 500, 502, 503, 504)):
                break
            time.sleep(PAUSE_SECONDS)
        with self.lock:
            self.tally.writes.append(Write(note, acknowledged))

    def ask(self, client: httpx2.Client, method: str, path: str, **own: Any) -> int | None:
        """Return the status; None if there was no answer."""
        began = time.monotonic()
        status: int | None = None
        try:
            response = client.request(method, path, **own)
            status = response.status_code
            seen = str(status)
            if status == 503 and "Retry-After" not in response.headers:
                seen = "503 without Retry-After"
        except httpx2.TransportError as error:
            seen = type(error).__name__
        took = time.monotonic() - began
        with self.lock:
            self.tally.answers[seen] += 1
            self.tally.seconds.append(took)
            self.tally.slowest = max(self.tally.slowest, took)
        return status


def token_of(stack: Stack, name: str = "ada") -> str:
    with stack.client() as client:
        answer = client.post("/token/", json={"username": name, "password": PASSWORD})
        return str(answer.json()["token"])


def flowing(
    stack: Stack, token: str, clients: int = 4, rate: float = 0.0
) -> AbstractContextManager[Tally]:
    """Let clients ask for the duration of the block; afterwards the tally is complete.

    With a rate, in requests per second, they do not ask more often than that together.
    """
    return asking(Traffic(stack, token, pause=clients / rate if rate else 0.0), clients)


@contextmanager
def asking(traffic: Traffic, clients: int) -> Iterator[Tally]:
    threads = [threading.Thread(target=traffic.work) for _ in range(clients)]
    for thread in threads:
        thread.start()
    try:
        yield traffic.tally
    finally:
        traffic.stopped.set()
        for thread in threads:
            thread.join()


@dataclass(frozen=True)
class Books:
    """What is in the database of the writes of a tally."""

    acknowledged: int
    lost: int
    twice: int

    def __str__(self) -> str:
        return f"{self.acknowledged:,} acknowledged, {self.lost} lost, {self.twice} twice"


def checked(stack: Stack, tally: Tally) -> Books:
    """Compare what clients were told with the rows."""
    with stack.database() as connection:
        rows = connection.execute("SELECT note FROM rides_booking").fetchall()
    counts = Counter(note for (note,) in rows)
    known = [write.note for write in tally.writes if write.acknowledged]
    lost = sum(not counts[note] for note in known)
    twice = sum(counts[write.note] > 1 for write in tally.writes)
    return Books(len(known), lost, twice)
