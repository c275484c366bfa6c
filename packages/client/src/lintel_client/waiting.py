"""The wait that a server asks for: Retry-After in seconds or as a date (RFC 9110, 10.2.3)."""

from email.utils import parsedate_to_datetime

from lintel_client.headers import Headers

__all__ = ["seconds_to_wait"]


def seconds_to_wait(headers: Headers, now: float | None = None) -> int | None:
    """Return the seconds that a server asks to wait, None without a valid value.

    A date is relative to the response's Date, else to ``now``, in seconds since the epoch.
    """
    value = headers.get("Retry-After", "").strip()
    if value.isascii() and value.isdigit():
        return int(value) if len(value) < 10 else None
    then, since = _moment(value), _moment(headers.get("Date", "")) or now
    return None if then is None or since is None else max(0, round(then - since))


def _moment(text: str) -> float | None:
    """Return an HTTP date in seconds since the epoch."""
    try:
        return parsedate_to_datetime(text).timestamp()
    except (ValueError, OverflowError, OSError):
        return None
