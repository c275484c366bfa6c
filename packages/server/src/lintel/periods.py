"""Rates as text: a number, and a period such as ``s``, ``minute``, ``15m`` or ``month``."""

import re

#: Seconds of a period by its first letter, the only one that counts.
DURATIONS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800, "y": 31_536_000}

#: Words that begin like a minute.
MONTHS = frozenset(["mo", "mon", "month", "months"])
MONTH = 30 * DURATIONS["d"]

_MULTIPLE = re.compile(r"(\d+) ?(?=[a-z])")


def parse_rate(rate: str) -> tuple[int, int]:
    """Return the number of requests and the period in seconds.

    Raises ValueError without exactly one slash, for a number that is none and for a period of no
    time; KeyError for an unknown period.
    """
    number, period = rate.split("/")
    match = _MULTIPLE.match(period)
    count, unit = (int(match[1]), period[match.end() :]) if match else (1, period)
    seconds = count * (MONTH if unit in MONTHS else DURATIONS[unit[0]])
    if not seconds:
        raise ValueError(f"the rate {rate!r} has a period of zero")
    return int(number), seconds
