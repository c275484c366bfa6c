"""Variations of a request: the same with another method, path, header or body."""

from __future__ import annotations

import base64
import random
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import quote

Step = dict[str, Any]

METHODS = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE", "TRACE", "BREW"]
PARTS_OF_PATHS = [
    *("99", "0", "-1", "9" * 25, str(2**63), "1.5", "abc", "%00", "a%00b", "%C3%A9", "%FF", "%20"),
    *("..", "v1", "v9", "%E2%80%A8", "%D9%A1", "x" * 300, "1%0A", "red", "None"),
]
PARAMETERS = [
    *("page", "size", "p", "limit", "offset", "n", "skip", "cursor", "c", "search", "ordering"),
    *("version", "v", "format", "unknown"),
]
VALUES = [
    *("", "0", "1", "2", "3", "-1", "9" * 30, "1.5", "abc", " 2", "02", "٢", "\0", "é", "last"),
    *("null", "a b", '"a b"', "a,b", "-id", "id,-title", "-owner__username", "nope,id", "v1"),
    *("v9", "alpha", "(", "\\", "json", "api", "txt", "xml", "red", "\u2028", "cD01", "!!!"),
]
ACCEPTED = [
    *(
        "",
        "*",
        "*/*",
        "text/*",
        "application/*",
        "text/html",
        "application/xml",
        "application/json",
    ),
    *("application/json; indent=4", "application/json;indent=x", "application/json;q=0"),
    *("text/html, application/json", "application/json; version=v1", "application/vnd.acme+json"),
    *("application/vnd.acme+json; version=2", ",", "application", "application/json;", "é/é"),
    *("a\0b/c", "text/plain, */*", "APPLICATION/JSON", "application/param+json; level=2"),
]
FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data; boundary=b"
PART = '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--b--\r\n'
SENT = [
    *(
        ("application/json", text)
        for text in ("", "null", "1", '"x"', "[]", "[{}]", "{}", "{", "[,1]")
    ),
    *(
        ("application/json", text)
        for text in ('{"a":NaN}', '{"a":1,"a":2}', '{"a" 1}', "1e5", "{}{}")
    ),
    *(
        ("application/json", text)
        for text in ("\xff", "\xef\xbb\xbf{}", '"\\x"', '"abc', "-", "\x0b{}")
    ),
    ("application/json; charset=utf-16", "{}"),
    ("application/json; charset=nonsense", "{}"),
    *((FORM, text) for text in ("", "a=1", "a=1&a=2", "a", "=1", "a=%FF", "a=\xe9", "_method=PUT")),
    *((FORM + "; charset=latin-1", text) for text in ("a=%E9", "a=\xe9")),
    *((MULTIPART, text) for text in (PART, "", "junk", "--b\r\n", PART.replace('="a"', "=a"))),
    *((other, PART) for other in ("multipart/form-data", "multipart/mixed; boundary=b")),
    *((other, "x") for other in ("", "text/plain", "application/xml", "*/*", "x", "a\0/b")),
]


def basic(credentials: str) -> str:
    return "Basic " + base64.b64encode(credentials.encode()).decode()


CREDENTIALS = [
    *("", "Basic", "Basic a b", "Basic !!!", "Basic é", "Bearer x", "Digest x", "\0"),
    *(basic(f"{name}:{name}-pw") for name in ("alice", "bob", "carol", "dave", "erin")),
    *(basic(text) for text in ("bob:no", "bob", ":", "bo\0b:x", "böb:x")),
    *(f"Token {key}" for key in ("", "x", "a b", "é", "bob-token-0123456789abcdef0123456789")),
]
HEADERS = [
    *(("X-HTTP-Method-Override", "DELETE"), ("X-Forwarded-Proto", "https"), ("X-Key", "carol")),
    *(("X-Forwarded-For", "1.2.3.4, 5.6.7.8"), ("If-None-Match", "*"), ("X-CSRFToken", "x")),
    *(("Origin", "https://evil.example"), ("Cookie", "sessionid=junk; csrftoken=x")),
    *(
        ("Content-Disposition", name)
        for name in ("attachment; filename=a.txt", "inline", "x; filename*=y")
    ),
]
SURROUNDINGS = [
    *({"HTTP_HOST": host} for host in ("v1.example.com", "v9.example.org:80", "bad host", "")),
    *({"CONTENT_LENGTH": length} for length in ("", "0", "x", "-1", "3")),
    *({"REMOTE_USER": name} for name in ("bob", "nobody", "dave", "")),
    *({"SCRIPT_NAME": "/sub"}, {"wsgi.url_scheme": "https"}, {"HTTP_TRANSFER_ENCODING": "chunked"}),
]


def with_method(step: Step) -> Iterator[Step]:
    yield from ({**step, "method": method} for method in METHODS)


def with_path(step: Step) -> Iterator[Step]:
    path, mark, query = step["path"].partition("?")
    parts = path.strip("/").split("/")
    end = "/" if path.endswith("/") else ""
    changed = [path.rstrip("/"), f"{path}/", f"{path}%00", path.upper()]
    for place in range(len(parts)):
        for part in PARTS_OF_PATHS:
            changed.append(f"/{'/'.join([*parts[:place], part, *parts[place + 1 :]])}{end}")
    for suffix in (".json", ".api", ".txt", ".xml", ".json/"):
        changed.append(path.rstrip("/") + suffix)
    yield from ({**step, "path": each + mark + query} for each in changed)


def with_parameters(step: Step) -> Iterator[Step]:
    mark = "&" if "?" in step["path"] else "?"
    for name in PARAMETERS:
        for value in VALUES:
            yield {**step, "path": f"{step['path']}{mark}{name}={quote(value)}"}


def with_header(name: str, values: list[str]) -> Callable[[Step], Iterator[Step]]:
    def neighbours(step: Step) -> Iterator[Step]:
        for value in values:
            yield {**step, "headers": {**step["headers"], name: value}}

    return neighbours


def with_headers(step: Step) -> Iterator[Step]:
    for name, value in HEADERS:
        yield {**step, "headers": {**step["headers"], name: value}}


def with_body(step: Step) -> Iterator[Step]:
    for method in ("POST", "PUT"):
        for content_type, text in SENT:
            headers = {**step["headers"], "Content-Type": content_type}
            yield {**step, "method": method, "headers": headers, "body": text}


def with_surroundings(step: Step) -> Iterator[Step]:
    yield from ({**step, "environ": {**step["environ"], **each}} for each in SURROUNDINGS)


AXES: dict[str, Callable[[Step], Iterator[Step]]] = {
    "method": with_method,
    "path": with_path,
    "parameters": with_parameters,
    "accept": with_header("Accept", ACCEPTED),
    "authorization": with_header("Authorization", CREDENTIALS),
    "headers": with_headers,
    "body": with_body,
    "surroundings": with_surroundings,
}


def several(step: Step, chance: random.Random) -> Step:
    """Return a variation in several respects at once."""
    for axis in chance.sample(list(AXES), chance.randint(2, 4)):
        step = chance.choice(list(AXES[axis](step)))
    return step
