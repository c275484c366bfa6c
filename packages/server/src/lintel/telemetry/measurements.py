"""What the requests of this process took, counted here: the SDK takes ten times as long.

Names, units and attributes are those of the stable conventions for HTTP, where these have any.
"""

import time
from bisect import bisect_left
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, field
from threading import Lock
from typing import NamedTuple

from lintel.schemas.generators import path_of

#: Boundaries in seconds that the conventions for HTTP advise, and those for numbers of statements.
SECONDS = (0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10)
STATEMENTS = (0, 1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 100, 200, 500)

#: Pairs of names and values.
Labels = tuple[tuple[str, str | int], ...]


class Exemplar(NamedTuple):
    """One measurement of a bucket, and the span that it belongs to; ``time`` is in seconds."""

    value: float
    trace_id: int
    span_id: int
    time: float


@dataclass(slots=True)
class Distribution:
    """How often values were at most each bound, and above the last one."""

    bounds: tuple[float, ...]
    buckets: list[int] = field(default_factory=list)
    exemplars: dict[int, Exemplar] = field(default_factory=dict)
    count: int = 0
    sum: float = 0
    min: float = float("inf")
    max: float = float("-inf")

    def __post_init__(self) -> None:
        self.buckets = [0] * (len(self.bounds) + 1)

    def add(self, value: float, trace_id: int, span_id: int) -> None:
        place = bisect_left(self.bounds, value)
        self.buckets[place] += 1
        self.count += 1
        self.sum += value
        if value < self.min:  # min() would be a call
            self.min = value
        if value > self.max:
            self.max = value
        if trace_id:
            self.exemplars[place] = Exemplar(value, trace_id, span_id, time.time())

    def as_now(self) -> "Distribution":
        result = copy(self)
        result.buckets, result.exemplars = self.buckets.copy(), self.exemplars.copy()
        return result


@dataclass(slots=True)
class Instrument:
    """One metric: ``kind`` is histogram, counter or gauge."""

    name: str
    unit: str
    kind: str
    description: str
    bounds: tuple[float, ...] = ()
    points: dict[Labels, Distribution] = field(default_factory=dict)
    numbers: dict[Labels, int] = field(default_factory=dict)

    def add(self, labels: Labels, number: int = 1) -> None:
        self.numbers[labels] = self.numbers.get(labels, 0) + number

    def at(self, labels: Labels) -> Distribution:
        point = self.points.get(labels)
        if point is None:
            point = self.points[labels] = Distribution(self.bounds)
        return point


#: What requests that ended alike have in common: their method and scheme, the pattern of their
#: URLs, their status (0 without a response) and their error.
Outcome = tuple[tuple[str, str], str | None, int, str]


class Series(NamedTuple):
    """Where requests of one outcome are counted."""

    labels: Labels
    place: Labels
    duration: Distribution
    queries: Distribution


class Measurements:
    """The instruments of this process; change them within ``lock``."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.start = time.time()
        self.duration = Instrument(
            *("http.server.request.duration", "s", "histogram"),
            "Duration of HTTP server requests.",
            SECONDS,
        )
        self.queries = Instrument(
            *("lintel.server.queries", "{query}", "histogram"),
            "Statements that a request sends to databases.",
            STATEMENTS,
        )
        self.active = Instrument(
            *("http.server.active_requests", "{request}", "gauge"),
            "Number of active HTTP server requests.",
        )
        self.throttled = Instrument(
            *("lintel.server.throttled", "{request}", "counter"),
            "Requests that throttles refused.",
        )
        self.replays = Instrument(
            *("lintel.server.idempotent_replays", "{request}", "counter"),
            "Requests that were answered with a kept response.",
        )

        self.series: dict[Outcome, Series] = {}

    def begin(self, outcome: Outcome) -> Series:
        """Return where requests of a new outcome are counted."""
        (method, scheme), route, status, error = outcome
        place: Labels = (("http.request.method", method),)
        if route is not None:
            place = (*place, ("http.route", path_of(route)))
        labels: Labels = (*place, ("url.scheme", scheme))
        if status:
            labels = (*labels, ("http.response.status_code", status))
        if error:
            labels = (*labels, ("error.type", error))
        series = Series(labels, place, self.duration.at(labels), self.queries.at(place))
        self.series[outcome] = series
        return series

    def __iter__(self) -> Iterator[Instrument]:
        return iter((self.duration, self.queries, self.active, self.throttled, self.replays))

    def snapshot(self) -> list[Instrument]:
        """Return the instruments as they are now, those that have measured anything."""
        with self.lock:
            return [
                Instrument(
                    *(it.name, it.unit, it.kind, it.description, it.bounds),
                    {labels: point.as_now() for labels, point in it.points.items()},
                    it.numbers.copy(),
                )
                for it in self
                if it.points or it.numbers
            ]


measurements = Measurements()
