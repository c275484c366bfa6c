"""Formats of dates and times in readable form, for error messages."""

from collections.abc import Iterable

from lintel import ISO_8601

_DATETIME = "YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z]"
_DATE = "YYYY-MM-DD"
_TIME = "hh:mm[:ss[.uuuuuu]]"

_DIRECTIVES = {
    "%Y": "YYYY",
    "%m": "MM",
    "%b": "[Jan-Dec]",
    "%B": "[January-December]",
    "%d": "DD",
    "%H": "hh",
    "%I": "hh",
    "%p": "[AM|PM]",
    "%M": "mm",
    "%S": "ss",
    "%f": "uuuuuu",
    "%a": "[Mon-Sun]",
    "%A": "[Monday-Sunday]",
    "%y": "YY",
    "%z": "[+HHMM|-HHMM]",
}


def datetime_formats(formats: Iterable[str]) -> str:
    return _joined(formats, _DATETIME)


def date_formats(formats: Iterable[str]) -> str:
    return _joined(formats, _DATE)


def time_formats(formats: Iterable[str]) -> str:
    return _joined(formats, _TIME)


def _joined(formats: Iterable[str], iso: str) -> str:
    return ", ".join(humanize_strptime(text.replace(ISO_8601, iso)) for text in formats)


def humanize_strptime(format_string: str) -> str:
    """Return ``%d %b %Y`` as ``DD [Jan-Dec] YYYY``; unknown directives are unchanged."""
    for directive, text in _DIRECTIVES.items():
        format_string = format_string.replace(directive, text)
    return format_string
