"""``python -m lintel top``: the picture of a service, from the lines of its request log."""

import json
import sys
import time
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import astuple, dataclass
from typing import Any

DESCRIPTION = """Show which routes take the time, fail, and send many statements. Reads the lines
of lintel.requestlog from files or a pipe, and skips all others. On a terminal the picture is drawn
again every second for as long as lines arrive."""

LOGGER = "lintel.requests"

#: Routes beyond this number are counted as one: lines may come from anywhere.
MOST_ROUTES = 1_000
OTHERS = "(others)"

#: Requests of one route that differ by so many statements depend on how much they found.
SPREAD = 10

#: Clears a terminal, and goes to its first line.
CLEAR = "\x1b[2J\x1b[H"
HEAD = ("requests", "errors", "total s", "mean ms", "max ms", "queries", "most", "")
ORDERS = ("time", "errors", "queries", "slowest")

#: Numbers of routes by name, in the order of the fields of :class:`Route`.
Totals = dict[str, tuple[Any, ...]]


@dataclass(slots=True)
class Route:
    """What the requests of one operation took together."""

    requests: int = 0
    errors: int = 0
    milliseconds: float = 0.0
    slowest: float = 0.0
    queries: int = 0
    fewest: int = sys.maxsize
    most: int = 0

    def add(self, line: Mapping[str, Any]) -> None:
        milliseconds, queries = float(line["duration_ms"]), int(line["queries"])
        self.requests += 1
        self.errors += int(line["status"]) >= 500
        self.milliseconds += milliseconds
        self.slowest = max(self.slowest, milliseconds)
        self.queries += queries
        self.fewest, self.most = min(self.fewest, queries), max(self.most, queries)

    def join(self, other: "Route") -> None:
        self.requests += other.requests
        self.errors += other.errors
        self.milliseconds += other.milliseconds
        self.slowest = max(self.slowest, other.slowest)
        self.queries += other.queries
        self.fewest, self.most = min(self.fewest, other.fewest), max(self.most, other.most)

    @property
    def varies(self) -> bool:
        """Whether the number of statements depends on what a request finds, as with N+1."""
        return self.most - self.fewest >= SPREAD

    def remark(self, budget: int | None) -> str:
        over = f"over {budget}" if budget is not None and self.most > budget else ""
        return " ".join(filter(None, [over, "N+1?" if self.varies else ""]))

    def cells(self, budget: int | None = None) -> tuple[str, ...]:
        return (
            f"{self.requests:,}",
            f"{self.errors:,}",
            f"{self.milliseconds / 1000:,.1f}",
            f"{self.milliseconds / self.requests:,.1f}",
            f"{self.slowest:,.1f}",
            f"{self.queries / self.requests:,.1f}",
            f"{self.most:,}",
            self.remark(budget),
        )

    def key(self, order: str) -> float:
        """The number that routes are ordered by, the largest first."""
        return {
            "time": self.milliseconds,
            "errors": self.errors,
            "queries": self.queries / self.requests,
            "slowest": self.slowest,
        }[order]


class Picture:
    """The routes so far."""

    def __init__(self) -> None:
        self.routes: dict[str, Route] = {}

    def add(self, text: str) -> bool:
        """Count a line; False if it is none of a request."""
        try:
            line = json.loads(text)
            if line["logger"] != LOGGER:
                return False
            self.count(line)
        except (ValueError, TypeError, KeyError, RecursionError, OverflowError):
            return False
        return True

    def count(self, line: Mapping[str, Any]) -> None:
        """Count the members of a line. Raises ValueError, TypeError or KeyError for other ones."""
        name = place_in(self.routes, name_of(line))
        route = self.routes.get(name) or Route()
        route.add(line)
        self.routes[name] = route

    def totals(self) -> Totals:
        return {name: astuple(route) for name, route in self.routes.items()}

    def join(self, totals: Totals) -> None:
        """Add what another process has counted."""
        for name, numbers in totals.items():
            self.routes.setdefault(place_in(self.routes, name), Route()).join(Route(*numbers))

    def by(self, order: str) -> list[tuple[str, Route]]:
        """The routes with their names, the one with the largest number first."""
        return sorted(self.routes.items(), key=lambda pair: -pair[1].key(order))

    def over(self, budget: int) -> "Picture":
        """The routes of which a request sent more statements than ``budget``, or that vary."""
        result = Picture()
        result.routes = {name: route for name, route in self.routes.items() if route.remark(budget)}
        return result

    def lines(self, order: str, number: int, budget: int | None = None) -> Iterator[str]:
        routes = self.by(order)[:number]
        rows = [("", *HEAD), *((name, *route.cells(budget)) for name, route in routes)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        for name, *cells in rows:
            numbers = [cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=True)]
            yield "  ".join([name.ljust(widths[0]), *numbers]).rstrip()


def place_in(routes: Mapping[str, Route], name: str) -> str:
    is_full = name not in routes and len(routes) >= MOST_ROUTES
    return OTHERS if is_full else name


def name_of(line: Mapping[str, Any]) -> str:
    """The operation, or the route; nothing in it moves the cursor of a terminal."""
    name = f"{line['method']} {line.get('operation_id') or line.get('route') or '(no route)'}"
    return "".join(letter if letter.isprintable() else "?" for letter in name)[:80]


def main(arguments: list[str]) -> None:
    """Read all lines and print the picture; end quietly with Ctrl-C."""
    parser = ArgumentParser("python -m lintel top", description=DESCRIPTION)
    parser.add_argument("files", nargs="*", help="files of lines; standard input without any")
    parser.add_argument("--by", choices=ORDERS, default="time", help="what is at the top")
    parser.add_argument("--number", type=int, default=20, help="how many routes are shown")
    report = "show routes that sent more statements than this, or vary; status 1 if there are any"
    parser.add_argument("--budget", type=int, metavar="QUERIES", help=report)
    given = parser.parse_args(arguments)
    picture = Picture()
    try:
        watch(picture, lines_of(given.files), given.by, given.number)
    except KeyboardInterrupt:
        return
    except OSError as error:
        sys.exit(f"{error.filename}: {error.strerror}")
    if given.budget is not None:
        picture = picture.over(given.budget)
    print("\n".join(picture.lines(given.by, given.number, given.budget)))
    sys.exit(1 if given.budget is not None and picture.routes else 0)


def lines_of(files: list[str]) -> Iterator[str]:
    if not files:
        sys.stdin.reconfigure(errors="replace")  # type: ignore[union-attr]
        yield from sys.stdin
    for name in files:
        with open(name, encoding="utf-8", errors="replace") as file:
            yield from file


def watch(picture: Picture, lines: Iterable[str], order: str, number: int) -> None:
    is_drawn, drawn = sys.stdout.isatty(), 0.0
    for line in lines:
        if picture.add(line) and is_drawn and time.monotonic() - drawn >= 1:
            print(CLEAR + "\n".join(picture.lines(order, number)), flush=True)
            drawn = time.monotonic()
