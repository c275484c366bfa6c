"""``python -m lintel compare recorded.har``: answer recorded requests with both frameworks.

Each framework answers in a process of its own, with the project's database; its writes are rolled
back. Without --writes, only GET, HEAD and OPTIONS are sent.
"""

import datetime
import json
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from lintel.doctor.command import use_settings
from lintel.doctor.findings import counted
from lintel.doctor.programs import PATIENCE, ProgramError, said_by
from lintel.doctor.recordings import recorded_requests

#: Headers that differ from one answer to the next.
CHANGING = frozenset(["content-length", "date", "expires", "server-timing", "set-cookie"])

#: Headers that are lists without an order.
UNORDERED = frozenset(["allow", "vary"])

#: How much is shown: differences of one request, and characters of a value.
MAX_SHOWN = 20
MAX_LENGTH = 100

_MISSING: Any = object()
Answer = Mapping[str, Any]


DESCRIPTION = (
    "Send recorded requests to both frameworks, and show what they answer differently. Each runs "
    "in a process of its own, on the project's database; everything they write there is rolled "
    "back. Only GET, HEAD and OPTIONS are sent, unless --writes is given."
)


def compare(arguments: Sequence[str]) -> int:
    """Print what differs; return 1 if anything does, 2 if a framework could not answer."""
    parser = ArgumentParser(prog="python -m lintel compare", description=DESCRIPTION)
    parser.add_argument(
        "recording", type=Path, help="a HAR file, or a file with a JSON object on each line"
    )
    parser.add_argument("--settings", help="default: DJANGO_SETTINGS_MODULE, or those of manage.py")
    parser.add_argument("--user", help="log in the user with this name")
    parser.add_argument(
        "--prefix", default="/", help="send only requests whose path begins like this"
    )
    parser.add_argument("--writes", action="store_true", help="send the other methods, too")
    options = parser.parse_args(arguments)
    use_settings(parser, options.settings)
    try:
        requests = recorded_requests(options.recording, options.prefix, options.writes)
        before, after = (_answers(requests, options.user, lintel) for lintel in (False, True))
    except OSError as error:
        print(f"{options.recording} cannot be read: {error.strerror}")
        return 2
    except (ValueError, ProgramError) as error:
        print(error)
        return 2
    return _compare(requests, before, after)


def _answers(requests: Iterable[object], user: str | None, with_lintel: bool) -> list[Answer]:
    task = {"requests": requests, "user": user, "with_lintel": with_lintel}
    answers: Any = said_by("replay.py", Path.cwd(), task)
    if isinstance(answers, dict):
        name = "lintel" if with_lintel else "Django REST framework"
        raise ProgramError(f"The project does not answer with {name}: {answers['error']}")
    return list(answers)


def _compare(
    requests: Sequence[Mapping[str, Any]], before: Iterable[Answer], after: Iterable[Answer]
) -> int:
    differing = 0
    for request, *pair in zip(requests, before, after, strict=True):
        lines = list(differences(*pair))
        differing += bool(lines)
        if lines:
            print(request["method"], request["path"])
        for line in lines[:MAX_SHOWN]:
            print(f"     {line}")
        if len(lines) > MAX_SHOWN:
            print(f"     and {len(lines) - MAX_SHOWN} more")
    print(f"{counted(len(requests), 'request')}, {differing} answered differently")
    return int(differing > 0)


def differences(before: Answer, after: Answer) -> Iterator[str]:
    """Yield a line for each difference of two answers: status, headers, values of the body."""
    if before["status"] != after["status"]:
        yield _line("status", before["status"], after["status"])
    for name in sorted({*before["headers"], *after["headers"]} - CHANGING):
        pair = [answer["headers"].get(name, _MISSING) for answer in (before, after)]
        # Lists without an order: that of Allow differs from one process to the next.
        told = [_members(side) if name in UNORDERED else side for side in pair]
        if told[0] != told[1]:
            yield _line(name, *pair)
    # Pages look different on purpose.
    if not any("text/html" in side["headers"].get("content-type", "") for side in (before, after)):
        yield from _of_values("body", _value(before["body"]), _value(after["body"]))


def _members(value: object) -> object:
    return sorted(part.strip() for part in value.split(",")) if isinstance(value, str) else value


def _value(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _of_values(place: str, before: Any, after: Any) -> Iterator[str]:
    if isinstance(before, dict) and isinstance(after, dict):
        for key in {**before, **after}:
            pair = before.get(key, _MISSING), after.get(key, _MISSING)
            yield from _of_values(f"{place}/{key}", *pair)
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, pair in enumerate(zip(before, after, strict=True)):
            yield from _of_values(f"{place}/{index}", *pair)
    # What was created while answering has another moment in each answer.
    elif not (_are_equal(before, after) or (_is_recent(before) and _is_recent(after))):
        yield _line(place, before, after)


def _are_equal(before: object, after: object) -> bool:
    return type(before) is type(after) and before == after


def _is_recent(value: object) -> bool:
    """Tell whether a text is a moment of the last minutes."""
    try:
        moment = datetime.datetime.fromisoformat(str(value))
    except ValueError:
        return False
    age = datetime.datetime.now(moment.tzinfo) - moment
    return isinstance(value, str) and abs(age.total_seconds()) < PATIENCE


def _line(place: str, before: object, after: object) -> str:
    return f"{place}: {_shown(before)} before, {_shown(after)} with lintel"


def _shown(value: object) -> str:
    text = "nothing" if value is _MISSING else json.dumps(value)
    return text if len(text) <= MAX_LENGTH else f"{text[:MAX_LENGTH]}..."
