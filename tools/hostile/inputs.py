"""Hostile requests, by grammar: the same ones for the same seed."""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any
from urllib.parse import quote, urlencode

from hostile.texts import cases

Headers = dict[str, str]


@dataclass(frozen=True, slots=True)
class Sent:
    """One request; texts are in Latin-1, as they are on the wire."""

    method: str
    target: str
    headers: Headers = field(default_factory=dict)
    body: bytes = b""

    def dumped(self) -> dict[str, Any]:
        return {**asdict(self), "body": base64.b64encode(self.body).decode()}

    @classmethod
    def loaded(cls, told: dict[str, Any]) -> Sent:
        return cls(**{**told, "body": base64.b64decode(told["body"])})


JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data; boundary=XX"
TEXTS = [case for _, case in cases()]
COLUMNS = ["title", "slug", "number", "price", "ratio", "is_open", "day", "moment", "length"]
COLUMNS += [
    "identity",
    "link",
    "mail",
    "address",
    "kind",
    "extra",
    "photo",
    "owner",
    "labels",
    "id",
]
PLAIN = ["text", "pattern", "integer", "number", "decimal", "boolean", "day", "moment", "clock"]
PLAIN += ["span", "key", "address", "choice", "choices", "numbers", "words", "anything", "label"]
PLAIN += ["named", "inner", "inners"]

WORDS = [
    *("", " ", "a", "0", "1", "-1", "1.5", "1e9", "1e400", "NaN", "inf", "-inf", "null", "true"),
    *(
        "on",
        "9" * 25,
        "9" * 400,
        "0x1",
        "1_000",
        "٣",
        "\uff11",
        "½",
        "+1",
        " 1 ",
        "1,2",
        "1;2",
        "[]",
    ),
    *("{}", "{0}", "\0", "a\0b", "\n", "\r\nX: y", "\t", "\x1b[31m", "\x7f", "\x85", "\u2028"),
    *("\u202e", "\ufeff", "é", "𝄞", "\ud800", "\udfff\ud800", "ß" * 30, "İ", "a" * 3000),
    *("a/" * 500, "..", "../..", "/", "//", "%", "%00", "%zz", "%s", "%(a)s", "{a}", "${a}"),
    *("{{a}}", "{% a %}", "<script>", "'\"><b>", "&amp;", "'; --", "' OR 1=1", "\\", "\\'", "*"),
    *("?", "$", "^(a+)+$", "(", "[", "a__b", "__class__", "_id", "2020-01-01", "2020-02-30"),
    *("0000-00-00", "9999-12-31", "10000-01-01", "2020-W53-7", "20200101", "2020-01-01T00:00:00Z"),
    *("0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "2020-01-01T24:00"),
    *("2020-01-01T00:00:00+99:99", "23:59:60", "24:00", "-1 00:00:00"),
    *("999999999 23:59:59.999999", "P1D", "P999999999999D", "-P1Y", "PT1E9S"),
    *("1000000000 00:00:00", "12:00:00.1234567890123", "00000000-0000-0000-0000-000000000000"),
    *("{" + "0" * 32 + "}", "urn:uuid:" + "0" * 32, "0" * 32, "::1", "::ffff:1.2.3.4", "1.2.3"),
    *("01.2.3.4", "1.2.3.4/8", "[::1]", "fe80::1%eth0", ":" * 50, "a@b.c", "a@b", "@"),
    *("a@[1.2.3.4]", "a@" + "b." * 60 + "c", "http://a", "http://[", "javascript:1"),
    *("http://a:99999/", "http://" + "a" * 300 + ".b", "mailto:a", "//a", "http://é.b", "data:,a"),
]
VALUES: list[Any] = [
    *(None, True, False, 0, -1, 1, 2**31, 2**63, -(2**63) - 1, 10**40, 1.5, -0.0, 1e308, 5e-324),
    *([], {}, [[]], [None], [1, 1], ["a", {"a": []}], {"": 1}, {"a": {"b": {"c": None}}}),
    *({"id": 1}, [{"id": 1, "name": "a"}], {"name": "x" * 30}, [[[[[[[[1]]]]]]]], ["\0"]),
    *({"\0": "\0"}, [1.0]),
]
TYPES = [
    *(JSON, FORM, MULTIPART, "", "application/json; charset=utf-8"),
    *("application/json;charset=utf-16", "application/json; charset="),
    *("application/json; charset=bz2", "application/json; charset=idna"),
    *("application/json; charset=\0", "application/json; charset=utf-7"),
    *("application/json; charset=x", "application/json; charset=unicode_escape"),
    *("application/json; charset=punycode", "text/plain", "APPLICATION/JSON", "application", "/"),
    *("*/*", "application/*", "application/json,text/html", "multipart/form-data"),
    *("multipart/form-data; boundary=", "multipart/form-data; boundary=\xff"),
    *("multipart/form-data; boundary=" + "a" * 300, 'multipart/form-data; boundary="X X"', ";"),
    *("a/b;c", "multipart/mixed; boundary=XX", "application/octet-stream"),
    *("application/json; v=" + "a" * 3000, "application/json-patch+json"),
    *("application/merge-patch+json", "application/x-www-form-urlencoded;"),
    *("application/x-www-form-urlencoded; charset=utf-16",),
    *("multipart/form-data; charset=rot13; boundary=XX", "application/json; charset*=utf-8''x"),
    *("application/json; charset*0=a", "image/png", "a/" + "b" * 999),
]
MEDIA = [
    *("*/*", "text/html", JSON, "application/*", "text/*;q=0.5", "*", "", "/", ";", ",", "*/*;q="),
    *("q=1", "application/json;q=2", "application/json;q=-1", "application/json;q=nan"),
    *("application/json;q=1e9", "application/json; indent=4", "application/json; indent=99999999"),
    *("application/json; indent=-1", "application/json; indent=a", "application/json; version=1"),
    *('application/json; version="', "a/b", "application/json; version=" + "9" * 500),
    *("text/html; charset=utf-8; q=0", "application/json;;;;", "application/vnd.oai.openapi"),
    *("application/vnd.oai.openapi+json", "application/yaml", "*/json", "\xff/\xfe"),
    *("text/html\x00", "application/coreapi+json", "text/event-stream", "application/xml"),
]
HOSTS = [
    *("testserver", "localhost", "evil.example", "", " ", "testserver:80", "testserver:99999"),
    *(":80", "testserver:", "testserver:a", "[::1]", "[::1", "::1", "TESTSERVER", "testserver."),
    *(".testserver", "a@testserver", "testserver/a", "testserver\\", "testserver?a"),
    *("testserver#a", "testserver\x00", "v1.testserver", "a" * 300, "\xff"),
    *("testserver, evil.example", "127.0.0.1", "127.1", "0", "é"),
]
METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD", "TRACE", "CONNECT", "QUERY"]
METHODS += [
    "get",
    "Post",
    "",
    "A",
    "LIST",
    "__CLASS__",
    "DISPATCH",
    "HTTP_METHOD_NOT_ALLOWED",
    "\xff",
]
LISTS = ["/notes/", "/limited/", "/cursors/", "/labels/"]
PLACES = ["/fields/", "/echo/", "/notes/", "/notes/1/", "/labels/", "/labels/1/", "/echo/a.txt"]
PARAMETERS = [
    *("page", "page_size", "limit", "offset", "cursor", "search", "ordering", "format", "version"),
]
SPARSE = [
    *("fields", "expand", "title", "number__gte", "price", "day__lt", "labels", "id__in", "kind"),
]


def word(chance: random.Random) -> str:
    found = chance.choice(WORDS)
    return found + chance.choice(WORDS) if chance.random() < 0.1 else found


def value(chance: random.Random) -> Any:
    if chance.random() < 0.4:
        return word(chance)
    if chance.random() < 0.1:
        return [value(chance) for _ in range(chance.randrange(4))]
    return chance.choice(VALUES)


def latin(text: str) -> str:
    """A text as WSGI hands it on: its UTF-8 read as Latin-1."""
    return text.encode("utf-8", "surrogatepass").decode("latin-1")


def encoded(data: Any) -> bytes:
    return json.dumps(data, ensure_ascii=True).encode()


def damaged(chance: random.Random, body: bytes) -> bytes:
    """Bytes with some of them changed, moved, repeated or cut off."""
    found = bytearray(body)
    for _ in range(chance.randint(1, 4)):
        place = chance.randrange(len(found) + 1)
        kind = chance.randrange(4)
        if kind == 0:
            found[place : place + 1] = bytes([chance.randrange(256)])
        elif kind == 1:
            found[place:place] = found[place : place + chance.randrange(20)] * 2
        elif kind == 2:
            del found[place : place + chance.randrange(8)]
        else:
            found[place:place] = chance.choice(TEXTS)[:200]
    return bytes(found)


def query(chance: random.Random, names: list[str]) -> str:
    pairs = [(chance.choice(names), word(chance)) for _ in range(chance.randint(1, 4))]
    if chance.random() < 0.3:
        return "&".join(latin(f"{name}={text}").replace("#", "") for name, text in pairs)
    return urlencode(pairs, errors="surrogatepass")


# ---- one function for each kind ----


def json_texts(chance: random.Random) -> Sent:
    body = chance.choice(TEXTS)
    if chance.random() < 0.5:
        body = damaged(chance, body[:2000])
    return Sent("POST", chance.choice(PLACES[:3]), {"Content-Type": JSON}, body)


def json_values(chance: random.Random) -> Sent:
    target = chance.choice(PLACES)
    names = PLAIN if target == "/fields/" else COLUMNS
    data: Any = {chance.choice(names): value(chance) for _ in range(chance.randint(1, 5))}
    data = {**data, "title": "a", "name": word(chance)} if chance.random() < 0.5 else data
    method = "PATCH" if target[-2:] == "1/" and chance.random() < 0.7 else "POST"
    method = "PUT" if target[-2:] == "1/" and method == "POST" else method
    return Sent(method, target, {"Content-Type": JSON}, encoded(data))


def forms(chance: random.Random) -> Sent:
    target = chance.choice(PLACES)
    names = [
        *(PLAIN if target == "/fields/" else COLUMNS),
        "inner.name",
        "inners[0]name",
        "words.a",
    ]
    body = query(chance, [*names, "inners[99999999]name", "numbers[0]", "_method", "_content"])
    content = (
        damaged(chance, latin(body).encode("latin-1"))
        if chance.random() < 0.3
        else body.encode("latin-1")
    )
    method = "PUT" if target.endswith("1/") else "POST"
    return Sent(method, target, {"Content-Type": FORM}, content)


def part(chance: random.Random, names: list[str]) -> bytes:
    name = latin(chance.choice([chance.choice(names), word(chance)]))
    lines = [f'Content-Disposition: form-data; name="{name}"']
    if chance.random() < 0.5:
        extended = chance.choice(["", f"; filename*=utf-8''{quote(word(chance), errors='ignore')}"])
        lines[0] += f'; filename="{latin(word(chance))}"{extended}'
        lines.append(f"Content-Type: {chance.choice(TYPES)}")
    if chance.random() < 0.3:
        codec = chance.choice(["base64", "quoted-printable", "binary", "8bit", "x", ""])
        lines.append(f"Content-Transfer-Encoding: {codec}")
    content = latin(word(chance)).encode("latin-1")
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + content


def multipart(chance: random.Random, targets: tuple[str, ...] = tuple(PLACES)) -> Sent:
    target = chance.choice(targets)
    names = [
        *(PLAIN if target == "/fields/" else COLUMNS),
        "json",
        "a.b[0].c",
        "a[1000000]",
        "file",
    ]
    parts = [part(chance, names) for _ in range(chance.randint(0, 4))]
    end = chance.choice([b"\r\n--XX--\r\n", b"\r\n--XX--", b"\r\n--XX", b"", b"--XX--"])
    body = b"".join(b"--XX\r\n" + each + b"\r\n" for each in parts)[:-2] + end
    if chance.random() < 0.3:
        body = damaged(chance, body)
    return Sent(chance.choice(["POST", "POST", "PUT"]), target, {"Content-Type": MULTIPART}, body)


def queries(chance: random.Random) -> Sent:
    return Sent("GET", f"{chance.choice(LISTS)}?{query(chance, PARAMETERS)}")


def cursors(chance: random.Random, targets: tuple[str, ...] = ("/cursors/",)) -> Sent:
    tokens = [
        f"{chance.choice('oprkvbs')}={latin(word(chance))}" for _ in range(chance.randint(0, 4))
    ]
    text = "&".join(tokens).encode("latin-1")
    made = base64.b64encode(text) if chance.random() < 0.8 else base64.urlsafe_b64encode(text)
    if chance.random() < 0.3:
        made = damaged(chance, made)
    if chance.random() < 0.2:
        keys = [value(chance) for _ in range(chance.randint(0, 3))]
        made = base64.b64encode(b"k=" + quote(json.dumps(keys)).encode() + b"&v=1&b=" + made[:9])
    return Sent("GET", f"{chance.choice(targets)}?cursor={quote(made)}")


def tokens(chance: random.Random, target: str = "/private/") -> Sent:
    scheme = chance.choice(
        ["Token", "Basic", "Bearer", "token", "Digest", "", " ", latin(word(chance))]
    )
    text = latin(word(chance))
    kind = chance.randrange(4)
    if kind == 0:
        text = base64.b64encode(f"{text}:{latin(word(chance))}".encode("latin-1")).decode()
    elif kind == 1:
        text = chance.choice(
            ["a" * 40, "é" * 40, "a b", "a\tb", "=" * 20, "a.b.c", "lt_" + "a" * 40]
        )
    elif kind == 2:
        scheme, text = chance.choice([("Token", "a" * 40), ("Basic", "YWRhOnNlY3JldA==")])
    cookies = chance.choice([{}, {"Cookie": f"sessionid={text}; csrftoken={latin(word(chance))}"}])
    return Sent("GET", target, {"Authorization": f"{scheme} {text}", **cookies})


def logins(chance: random.Random) -> Sent:
    data = {name: value(chance) for name in ("username", "password") if chance.random() < 0.9}
    data = {**data, "username": "ada"} if chance.random() < 0.3 else data
    data = {**data, "password": "secret"} if chance.random() < 0.3 else data
    return Sent("POST", "/token/", {"Content-Type": JSON}, encoded(data))


def accepted(chance: random.Random) -> Sent:
    media = ",".join(chance.choice(MEDIA) for _ in range(chance.randint(1, 4)))
    languages = chance.choice(["", "de", "*;q=9", "a" * 600, "x-" * 200, "en-\xff", "fr;q=nan, de"])
    target = chance.choice(
        [*LISTS, "/notes/1/", "/nothing/", "/accepted/", "/schema/", "/private/"]
    )
    method = chance.choice(["GET", "GET", "OPTIONS", "DELETE" if target == "/nothing/" else "HEAD"])
    return Sent(method, target, {"Accept": media, "Accept-Language": languages})


def content_types(chance: random.Random) -> Sent:
    body = chance.choice([b"{}", b"a=b", b"", b"\xff", b"--XX--", chance.choice(TEXTS)[:500]])
    names = {"Content-Disposition": f"attachment; filename={latin(word(chance))}"}
    headers = {"Content-Type": chance.choice(TYPES), **chance.choice([{}, names])}
    length = chance.choice(
        [None, None, None, "0", "-1", "a", "9" * 30, "1e3", "", " 1", "+1", "٣", str(2**63)]
    )
    if length is not None:
        headers["Content-Length"] = latin(length)
    return Sent(chance.choice(["POST", "PUT", "PATCH"]), chance.choice(PLACES), headers, body)


def hosts(chance: random.Random) -> Sent:
    forwarded = chance.choice(
        ["Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"]
    )
    headers = {"Host": chance.choice(HOSTS), forwarded: latin(word(chance))}
    target = chance.choice(["/hosted/", "/cursors/", "/schema/", "/notes/", "/login/login/"])
    return Sent("GET", target, headers)


def methods(chance: random.Random) -> Sent:
    override = chance.choice([{}, {"X-HTTP-Method-Override": latin(word(chance))}])
    headers = {"Content-Type": chance.choice([JSON, FORM]), **override}
    body = chance.choice([b"", b"{}", b"_method=DELETE", b"[1]", b'{"title": "a"}'])
    return Sent(chance.choice(METHODS), chance.choice([*PLACES, *LISTS, "/schema/"]), headers, body)


def paths(chance: random.Random) -> Sent:
    text = (
        quote(word(chance), safe="", errors="ignore")
        if chance.random() < 0.6
        else latin(word(chance))
    )
    text = text.replace("?", "").replace("#", "")
    made = chance.choice(
        ["/notes/{}/", "/notes/{}", "/notes.{}", "/echo/{}", "/v{}/versioned/", "/{}", "{}"]
    )
    return Sent(chance.choice(["GET", "OPTIONS", "DELETE"]), made.replace("{}", text, 1))


def descriptions(chance: random.Random, targets: tuple[str, ...] = ("/schema/", "/")) -> Sent:
    asked = query(chance, ["format", "version", "lang", "operation", "as"])
    target = f"{chance.choice(targets)}?{asked}"
    return Sent("GET", target, {"Accept": chance.choice(MEDIA), "Host": chance.choice(HOSTS[:2])})


def pages(chance: random.Random) -> Sent:
    """What a browser sends: pages and their forms, with data of a form."""
    sent = chance.choice([forms, queries, json_values, paths, multipart])(chance)
    return Sent(sent.method, sent.target, {**sent.headers, "Accept": "text/html"}, sent.body)


# ---- what only lintel has ----


def pointer(chance: random.Random) -> str:
    steps = [*COLUMNS, "extra", "a", "0", "-", "01", "~0", "~1", "~2", "~", "", "9" * 30, "-1", "é"]
    return "".join("/" + chance.choice(steps) for _ in range(chance.randrange(4)))


def patches(chance: random.Random) -> Sent:
    names = ["add", "remove", "replace", "move", "copy", "test", "ADD", "", None, 1, "x"]
    operations: list[Any] = [
        {
            "op": chance.choice(names[:6] if chance.random() < 0.9 else names),
            "path": pointer(chance) if chance.random() < 0.9 else value(chance),
            "from": pointer(chance) if chance.random() < 0.9 else value(chance),
            "value": value(chance),
        }
        for _ in range(chance.randint(0, 6))
    ]
    for operation in operations:
        if chance.random() < 0.1:
            operation.pop(chance.choice(list(operation)))
    is_merge = chance.random() < 0.3
    data: Any = (
        {chance.choice(COLUMNS): value(chance) for _ in range(3)} if is_merge else operations
    )
    kind = f"application/{'merge' if is_merge else 'json'}-patch+json"
    body = encoded(data if chance.random() < 0.95 else value(chance))
    body = damaged(chance, body) if chance.random() < 0.1 else body
    return Sent("PATCH", "/ours/patched/1/", {"Content-Type": kind}, body)


def bulk(chance: random.Random) -> Sent:
    rows: list[Any] = [
        chance.choice(
            [{"id": value(chance), "name": word(chance)}, {"name": word(chance)}, value(chance)]
        )
        for _ in range(chance.randint(0, 5))
    ]
    method = chance.choice(["POST", "PUT", "PATCH", "DELETE"])
    target = chance.choice(["/ours/bulk/", f"/ours/bulk/?{query(chance, ['id', 'name', 'page'])}"])
    return Sent(method, target, {"Content-Type": JSON}, encoded(rows))


def conditions(chance: random.Random) -> Sent:
    names = [
        "If-Match",
        "If-None-Match",
        "If-Modified-Since",
        "If-Unmodified-Since",
        "Range",
        "Prefer",
    ]
    odd = ["*", '"a"', 'W/"a"', '"', "Mon, 01 Jan 0001 00:00:00 GMT", '"a", ' * 500, "Mon", "\xff"]
    headers = {chance.choice(names): chance.choice([*odd, latin(word(chance))]) for _ in range(2)}
    method = chance.choice(["GET", "PATCH", "PUT", "DELETE", "HEAD"])
    target = chance.choice(["/ours/conditional/1/", "/ours/conditional/"])
    return Sent(method, target, {**headers, "Content-Type": JSON}, b'{"title": "a"}')


def repeated(chance: random.Random) -> Sent:
    key = chance.choice(["a", '"a"', "é" * 9, "a" * 300, "", " ", latin(word(chance))])
    headers = {"Idempotency-Key": key, "Content-Type": JSON}
    return Sent("POST", "/ours/idempotent/", headers, encoded({"title": word(chance)}))


def sparse(chance: random.Random) -> Sent:
    names = [*SPARSE, *PARAMETERS[:7]]
    if chance.random() < 0.5:
        return Sent("GET", f"/ours/sparse/?{query(chance, names)}")
    data = {chance.choice(names): value(chance) for _ in range(chance.randint(0, 4))}
    body = chance.choice([encoded(data), encoded(value(chance)), chance.choice(TEXTS)[:300]])
    return Sent("QUERY", "/ours/sparse/", {"Content-Type": chance.choice([JSON, FORM])}, body)


def agents(chance: random.Random) -> Sent:
    names = [
        "initialize",
        "tools/list",
        "tools/call",
        "ping",
        "notifications/initialized",
        word(chance),
    ]
    tools = ["get_notes", "post_notes", "get_notes_id", word(chance)]
    arguments = {chance.choice([*COLUMNS, *PARAMETERS]): value(chance) for _ in range(3)}
    params = chance.choice([{"name": chance.choice(tools), "arguments": arguments}, value(chance)])
    call = {"jsonrpc": "2.0", "id": value(chance), "method": chance.choice(names), "params": params}
    data = chance.choice([call, call, call, [call], value(chance)])
    headers = {"Content-Type": JSON, "Accept": "application/json, text/event-stream"}
    version = chance.choice([{}, {"MCP-Protocol-Version": latin(word(chance))}])
    return Sent("POST", "/ours/agents/", {**headers, **version}, encoded(data))


Kind = Callable[[random.Random], Sent]

#: On both sides.
SHARED: dict[str, Kind] = {
    "JSON texts": json_texts,
    "JSON values": json_values,
    "forms": forms,
    "multipart": multipart,
    "query strings": queries,
    "cursors": cursors,
    "credentials": tokens,
    "logins": logins,
    "Accept, languages": accepted,
    "Content-Type": content_types,
    "hosts, proxies": hosts,
    "methods": methods,
    "paths, suffixes": paths,
    "schema, root": descriptions,
    "pages": pages,
}
#: On lintel alone.
ALONE: dict[str, Kind] = {
    "patches": patches,
    "bulk requests": bulk,
    "conditions": conditions,
    "repeated writes": repeated,
    "sparse fields, QUERY": sparse,
    "nested forms": partial(multipart, targets=("/ours/nested/",)),
    "signed cursors": partial(cursors, targets=("/ours/signed/",)),
    "hashed tokens": partial(tokens, target="/ours/hashed/"),
    "documentation pages": partial(descriptions, targets=("/ours/docs/",)),
    "tools for agents": agents,
}
KINDS = {**SHARED, **ALONE}


def made(kind: str, seed: int, number: int) -> Sent:
    """The request of this number; the same whenever it is asked for."""
    return KINDS[kind](random.Random(f"{seed}/{kind}/{number}"))
