"""Values that look like those of a real service, found by the name of a field.

Nobody and nothing real is named: addresses are of ``example.com`` and of the networks for
documentation (RFC 2606, RFC 5737), telephone numbers of the range that nobody has.
"""

import re
from collections.abc import Iterator, Mapping
from typing import TypeVar

#: Texts by the last words of a name.
TEXTS: Mapping[str, str] = {
    "id": "1",
    "pk": "1",
    "uuid": "3fa85f64-5717-4562-b3fc-2c963f66afa6",
    "name": "Riverside",
    "full_name": "Jane Doe",
    "display_name": "Jane Doe",
    "first_name": "Jane",
    "given_name": "Jane",
    "last_name": "Doe",
    "family_name": "Doe",
    "surname": "Doe",
    "username": "jane",
    "user_name": "jane",
    "login": "jane",
    "nickname": "jane",
    "user": "jane",
    "owner": "jane",
    "author": "jane",
    "email": "jane@example.com",
    "email_address": "jane@example.com",
    "mail": "jane@example.com",
    "phone": "+1 202 555 0100",
    "phone_number": "+1 202 555 0100",
    "mobile": "+1 202 555 0100",
    "title": "Getting started",
    "subject": "Getting started",
    "headline": "Getting started",
    "label": "New",
    "tag": "new",
    "tags": "new",
    "slug": "getting-started",
    "description": "What to know before you begin.",
    "summary": "What to know before you begin.",
    "text": "What to know before you begin.",
    "body": "What to know before you begin.",
    "content": "What to know before you begin.",
    "note": "Please ring twice.",
    "notes": "Please ring twice.",
    "comment": "Please ring twice.",
    "message": "Please ring twice.",
    "detail": "Not found.",
    "reason": "No longer needed.",
    "bio": "Writes about rivers.",
    "address": "1 Main Street",
    "street": "1 Main Street",
    "city": "Springfield",
    "town": "Springfield",
    "district": "North",
    "region": "North",
    "state": "open",
    "status": "open",
    "postcode": "12345",
    "postal_code": "12345",
    "zip": "12345",
    "zip_code": "12345",
    "country": "NL",
    "country_code": "NL",
    "currency": "EUR",
    "language": "en",
    "locale": "en",
    "timezone": "Europe/Amsterdam",
    "time_zone": "Europe/Amsterdam",
    "company": "Example Ltd",
    "organization": "Example Ltd",
    "organisation": "Example Ltd",
    "publisher": "Example Press",
    "price": "19.50",
    "amount": "19.50",
    "total": "19.50",
    "cost": "19.50",
    "balance": "19.50",
    "rate": "1.50",
    "kind": "standard",
    "type": "standard",
    "category": "standard",
    "color": "#3366cc",
    "colour": "#3366cc",
    "code": "AB12",
    "reference": "AB-1042",
    "number": "AB-1042",
    "sku": "AB-1042",
    "isbn": "9780000000002",
    "version": "1.0",
    "file": "report.pdf",
    "filename": "report.pdf",
    "file_name": "report.pdf",
    "path": "/reports/report.pdf",
    "image": "photo.jpg",
    "photo": "photo.jpg",
    "avatar": "photo.jpg",
    "url": "https://example.com/",
    "link": "https://example.com/",
    "website": "https://example.com/",
    "host": "example.com",
    "domain": "example.com",
    "ip": "192.0.2.1",
    "ip_address": "192.0.2.1",
    "token": "0123456789abcdef",
    "secret": "0123456789abcdef",
    "api_key": "0123456789abcdef",
    "password": "a-long-passphrase",
    "query": "river",
    "search": "river",
    "date": "2026-01-31",
    "at": "2026-01-31T12:30:00Z",
}

#: Numbers by the last words of a name; whole where the field is.
NUMBERS: Mapping[str, float] = {
    "price": 19.5,
    "amount": 19.5,
    "total": 19.5,
    "cost": 19.5,
    "balance": 19.5,
    "year": 2026,
    "age": 34,
    "quantity": 2,
    "rating": 4.5,
    "stars": 4,
    "score": 4.5,
    "percent": 25,
    "percentage": 25,
    "minutes": 90,
    "duration": 90,
    "capacity": 12,
    "width": 640,
    "height": 480,
    "weight": 2.5,
    "distance": 3.2,
    "celsius": 18.5,
    "temperature": 18.5,
    "latitude": 52.1,
    "lat": 52.1,
    "longitude": 5.1,
    "lon": 5.1,
    "lng": 5.1,
    "port": 8000,
    "size": 20,
    "page_size": 20,
}

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


_Value = TypeVar("_Value", str, float)


def _found(values: Mapping[str, _Value], words: list[str]) -> Iterator[_Value]:
    """The longest phrase at the end of the name comes first."""
    for start in range(len(words)):
        phrase = "_".join(words[start:])
        if phrase in values:
            yield values[phrase]
