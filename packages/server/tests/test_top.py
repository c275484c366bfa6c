"""``python -m lintel top``: the picture of a service, from the lines that it has written."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from lintel import top
from lintel.top import MOST_ROUTES, Picture


def line(**changed: Any) -> str:
    members = {
        "logger": "lintel.requests",
        "method": "GET",
        "route": "^snippets/$",
        "status": 200,
        "duration_ms": 2.0,
        "queries": 1,
    }
    return json.dumps({**members, **changed})


def rows(picture: Picture, order: str = "time") -> list[list[str]]:
    return [text.split() for text in picture.lines(order, 20)][1:]


def test_requests_are_added_up_by_operation() -> None:
    picture = Picture()
    assert picture.add(line())
    assert picture.add(line(duration_ms=4, queries=3))
    assert picture.add(line(operation_id="retrieveSnippet", status=500, duration_ms=1_500))
    assert rows(picture) == [
        ["GET", "retrieveSnippet", "1", "1", "1.5", "1,500.0", "1,500.0", "1.0", "1"],
        ["GET", "^snippets/$", "2", "0", "0.0", "3.0", "4.0", "2.0", "3"],
    ]
    assert rows(picture, "queries")[0][1] == "^snippets/$"


def test_routes_whose_statements_grow_are_marked() -> None:
    picture = Picture()
    for queries in (2, 7, 22):
        picture.add(line(queries=queries))
        picture.add(line(route="steady", queries=30))
    assert [row[-1] for row in rows(picture, "slowest")] == ["N+1?", "30"]


@pytest.mark.parametrize(
    "text",
    [
        *("", "not JSON", "[]", "null", '"text"', "{}", "[" * 100_000, "9" * 10_000),
        line(logger="django.request"),
        line(duration_ms="long"),
        line(queries=None),
        line(status=[]),
        line(duration_ms=float("inf"), queries=float("inf")),
    ],
)
def test_other_lines_are_skipped(text: str) -> None:
    picture = Picture()
    assert not picture.add(text)
    assert picture.routes == {}


def test_what_is_shown_is_bounded_and_moves_no_cursor() -> None:
    picture = Picture()
    picture.add(line(route="a\x1b[2Jb"))
    assert rows(picture)[0][1] == "a?[2Jb"
    for number in range(MOST_ROUTES + 5):
        picture.add(line(route=f"r{number}"))
    assert len(picture.routes) == MOST_ROUTES + 1
    assert picture.routes[top.OTHERS].requests == 6


def test_the_command_reads_files_and_pipes(tmp_path: Path) -> None:
    file = tmp_path / "requests.log"
    file.write_text(f"{line()}\nnoise\n{line()}\n")
    command = [sys.executable, "-m", "lintel", "top"]
    read = subprocess.run([*command, file], capture_output=True, text=True, check=True)
    piped = subprocess.run(
        [*command, "--by", "errors"],
        input=file.read_bytes() + b"\xff\n",
        capture_output=True,
        check=True,
    )
    assert read.stdout == piped.stdout.decode()
    assert read.stdout.splitlines()[1].split()[:3] == ["GET", "^snippets/$", "2"]
    lost = subprocess.run([*command, tmp_path / "no"], capture_output=True, text=True, check=False)
    assert (lost.returncode, "No such file" in lost.stderr) == (1, True)


def test_routes_over_a_budget_end_with_status_1(tmp_path: Path) -> None:
    file = tmp_path / "requests.log"
    file.write_text(f"{line(queries=9)}\n{line(route='small')}\n")
    command = [sys.executable, "-m", "lintel", "top", str(file), "--budget"]
    over = subprocess.run([*command, "8"], capture_output=True, text=True, check=False)
    assert (over.returncode, len(over.stdout.splitlines())) == (1, 2)
    assert over.stdout.rstrip().endswith("over 8")
    assert subprocess.run([*command, "9"], capture_output=True, check=False).returncode == 0
