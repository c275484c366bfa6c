"""ISO 8601 as this package writes it, for fields, columns, encoders and cursors alike."""

import datetime

from lintel import ISO_8601


def is_iso(format: object) -> bool:
    return isinstance(format, str) and format.lower() == ISO_8601


def datetime_text(value: datetime.datetime) -> str:
    """RFC 3339, with ``Z`` for the offset zero; without an offset where ``value`` has no zone."""
    text = value.isoformat()
    return f"{text[:-6]}Z" if text.endswith("+00:00") else text
