"""Tables that a target measures and writes into a page of the documentation."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

PAGES = Path(__file__).resolve().parents[2] / "docs" / "server"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table of Markdown, below a line about the machine and what else it had to do."""
    lines = [_line(head), _line(["---"] * len(head)), *map(_line, rows)]
    return f"{machine()}\n\n" + "\n".join(lines)


def machine() -> str:
    day = datetime.now(UTC).date().isoformat()
    busy = f"load average {os.getloadavg()[0]:.0f}"
    return f"{day}, CPython {platform.python_version()}, {os.cpu_count()} cores, {busy}."


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(each.replace("|", "\\|").replace("\n", " ") for each in cells) + " |"


def put(page: str, name: str, text: str, folder: Path = PAGES) -> None:
    """Replace what stands between the two marks of this name. Raises RuntimeError without them."""
    path = folder / page
    before = path.read_text()
    marks = f"<!-- {name} -->", f"<!-- end of {name} -->"
    pattern = re.compile(f"({re.escape(marks[0])}\n).*?({re.escape(marks[1])})", re.S)
    if not pattern.search(before):
        raise RuntimeError(f"{page} has no place between {marks[0]} and {marks[1]}")
    path.write_text(pattern.sub(lambda match: f"{match[1]}{text}\n{match[2]}", before))
