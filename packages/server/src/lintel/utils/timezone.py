"""Local times that a clock change skips or repeats (PEP 495)."""

from datetime import UTC, datetime


def datetime_exists(dt: datetime) -> bool:
    """Return whether a clock in the zone of ``dt`` ever shows this time; False for naive values."""
    if dt.tzinfo is None:
        return False
    try:
        shown = dt.astimezone(UTC).astimezone(dt.tzinfo)
    except OverflowError:  # at the ends of the calendar, where clocks never change
        return True
    # Wall times are compared: aware values in one zone compare without regard to the offset.
    return shown.replace(tzinfo=None) == dt.replace(tzinfo=None)


def datetime_ambiguous(dt: datetime) -> bool:
    """Return whether a clock in the zone of ``dt`` shows this time twice; False if naive."""
    if dt.tzinfo is None:
        return False
    other = dt.replace(fold=not dt.fold)
    return dt.utcoffset() != other.utcoffset() and datetime_exists(dt)


def valid_datetime(dt: datetime) -> bool:
    """Return whether ``dt`` is a unique moment in its zone."""
    return datetime_exists(dt) and not datetime_ambiguous(dt)
