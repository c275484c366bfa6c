"""Formats of dates and times for people."""

import pytest

from lintel.utils import humanize_datetime


@pytest.mark.parametrize(
    ("directives", "text"),
    [
        ("%d %b %Y", "DD [Jan-Dec] YYYY"),
        ("%A, %B %d %y", "[Monday-Sunday], [January-December] DD YY"),
        ("%I:%M:%S.%f %p %z", "hh:mm:ss.uuuuuu [AM|PM] [+HHMM|-HHMM]"),
        ("%a %H %j", "[Mon-Sun] hh %j"),
    ],
)
def test_directives(directives: str, text: str) -> None:
    assert humanize_datetime.humanize_strptime(directives) == text


def test_lists_of_formats() -> None:
    formats = ["iso-8601", "%Y"]
    assert humanize_datetime.date_formats(formats) == "YYYY-MM-DD, YYYY"
    assert humanize_datetime.time_formats(formats) == "hh:mm[:ss[.uuuuuu]], YYYY"
    assert humanize_datetime.datetime_formats(formats) == (
        "YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z], YYYY"
    )
