"""Values that look like those of a real service, found by the name of a field.

Nobody and nothing real is named: addresses are of ``example.com`` and of the networks for
documentation (RFC 2606, RFC 5737), telephone numbers of the range that nobody has.
"""

import re
from collections.abc import Iterator, Mapping
from typing import TypeVar

_Value = TypeVar("_Value", str, float)


def _by_name(names: Mapping[_Value, str]) -> Mapping[str, _Value]:
    return {name: value for value, words in names.items() for name in words.split()}


#: Texts, and the last words of the names of their fields.
_TEXTS: Mapping[str, str] = {
    "1": "id pk",
    "3fa85f64-5717-4562-b3fc-2c963f66afa6": "uuid",
    "Riverside": "name",
    "Jane Doe": "full_name display_name",
    "Jane": "first_name given_name",
    "Doe": "last_name family_name surname",
    "jane": "username user_name login nickname user owner author",
    "jane@example.com": "email email_address mail",
    "+1 202 555 0100": "phone phone_number mobile",
    "Getting started": "title subject headline",
    "New": "label",
    "new": "tag tags",
    "getting-started": "slug",
    "What to know before you begin.": "description summary text body content",
    "Please ring twice.": "note notes comment message",
    "Not found.": "detail",
    "No longer needed.": "reason",
    "Writes about rivers.": "bio",
    "1 Main Street": "address street",
    "Springfield": "city town",
    "North": "district region",
    "open": "state status",
    "12345": "postcode postal_code zip zip_code",
    "NL": "country country_code",
    "EUR": "currency",
    "en": "language locale",
    "Europe/Amsterdam": "timezone time_zone",
    "Example Ltd": "company organization organisation",
    "Example Press": "publisher",
    "19.50": "price amount total cost balance",
    "1.50": "rate",
    "standard": "kind type category",
    "#3366cc": "color colour",
    "AB12": "code",
    "AB-1042": "reference number sku",
    "9780000000002": "isbn",
    "1.0": "version",
    "report.pdf": "file filename file_name",
    "/reports/report.pdf": "path",
    "photo.jpg": "image photo avatar",
    "https://example.com/": "url link website",
    "example.com": "host domain",
    "192.0.2.1": "ip ip_address",
    "0123456789abcdef": "token secret api_key",
    "a-long-passphrase": "password",
    "river": "query search",
    "2026-01-31": "date",
    "2026-01-31T12:30:00Z": "at",
}
TEXTS = _by_name(_TEXTS)

#: Numbers, and the last words of the names of their fields; whole where the field is.
_NUMBERS: Mapping[float, str] = {
    19.5: "price amount total cost balance",
    2026: "year",
    34: "age",
    2: "quantity",
    4.5: "rating score",
    4: "stars",
    25: "percent percentage",
    90: "minutes duration",
    12: "capacity",
    640: "width",
    480: "height",
    2.5: "weight",
    3.2: "distance",
    18.5: "celsius temperature",
    52.1: "latitude lat",
    5.1: "longitude lon lng",
    8000: "port",
    20: "size page_size",
}
NUMBERS = _by_name(_NUMBERS)

#: Values of formats, as sent on the wire.
BY_FORMAT: Mapping[str, str] = {
    "date": "2026-01-31",
    "date-time": "2026-01-31T12:30:00Z",
    "time": "12:30:00",
    "duration": "P1DT2H",
    "email": "jane@example.com",
    "hostname": "example.com",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "uri": "https://example.com/",
    "url": "https://example.com/",
    "uri-reference": "/page/",
    "json-pointer": "/name",
    "uuid": "3fa85f64-5717-4562-b3fc-2c963f66afa6",
    "slug": "getting-started",
    "decimal": "1.50",
    "binary": "(file)",
    "byte": "aGVsbG8=",
    "password": "a-long-passphrase",
}

#: Moments that come after others: two hours or three days later.
LATER: Mapping[str, str] = {
    "date": "2026-02-03",
    "date-time": "2026-01-31T14:30:00Z",
    "time": "14:30:00",
}
_ENDS = frozenset(["end", "ends", "until", "to", "finish", "expires", "due", "deadline", "closes"])

#: Addresses lead to objects called after the field, unless it says that it is any address.
_ADDRESSES: Mapping[str, str] = {"uri": "https://example.com", "uri-reference": ""}
_PAGES = frozenset(["url", "uri", "link", "website", "homepage", "page", "next", "previous"])

#: Formats whose values are free texts otherwise, so that the name may choose.
_NAMED = frozenset(["decimal", "slug"])

#: What a person has: beside these, a name is that of a person.
_PERSONAL = frozenset(["email", "username", "first_name", "last_name", "phone", "birthday"])

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def words_of(name: str) -> list[str]:
    """Split ``starts_at``, ``startsAt`` or ``starts-at``; in small letters."""
    return [word.lower() for word in _WORDS.findall(name)]


def called(name: str, beside: Mapping[str, object]) -> str:
    """The name to look values up by, given the fields beside it."""
    return "full_name" if name == "name" and not _PERSONAL.isdisjoint(beside) else name


def texts_for(name: str, form: str) -> Iterator[str]:
    """The best come first; the format of a field decides before its name."""
    words = words_of(name)
    if form in LATER and not _ENDS.isdisjoint(words):
        yield LATER[form]
    if form in _ADDRESSES and words and _PAGES.isdisjoint(words):
        plural = f"{'-'.join(words).removesuffix('s')}s"
        yield f"{_ADDRESSES[form]}/{plural}/1/"
    if form in BY_FORMAT and form not in _NAMED:
        yield BY_FORMAT[form]
        return
    yield from _found(TEXTS, words)
    if form in BY_FORMAT:
        yield BY_FORMAT[form]
    if form == "decimal":
        yield from ("1.5", "0.5")


def numbers_for(name: str, is_whole: bool) -> Iterator[float]:
    for value in _found(NUMBERS, words_of(name)):
        yield round(value) if is_whole else value


def _found(values: Mapping[str, _Value], words: list[str]) -> Iterator[_Value]:
    """The longest phrase at the end of the name comes first."""
    for start in range(len(words)):
        phrase = "_".join(words[start:])
        if phrase in values:
            yield values[phrase]
