"""Bytes that look like HTTP/1.1, by grammar (RFC 9112): the same ones for the same seed."""

from __future__ import annotations

import random

from hostile.inputs import KINDS, Sent

LINES = [
    *(b"GET /echo/ HTTP/1.1", b"POST /echo/ HTTP/1.1", b"GET / HTTP/1.0"),
    *(b"GET /notes/1/ HTTP/1.1", b"GET /echo/", b"GET /echo/ HTTP/1.1", b"GET\t/echo/\tHTTP/1.1"),
    *(b"get /echo/ HTTP/1.1", b"GET /echo/ HTTP/9.9", b"GET /echo/ HTTP/2.0"),
    *(b"GET /echo/ http/1.1", b"GET /echo/ HTTP/1.1 x", b"GET http://localhost/echo/ HTTP/1.1"),
    *(b"GET http://[/ HTTP/1.1", b"GET //a/b HTTP/1.1", b"OPTIONS * HTTP/1.1"),
    *(b"CONNECT localhost:80 HTTP/1.1", b"GET localhost HTTP/1.1", b"", b"\0"),
    *(b"GET /%00 HTTP/1.1", b"GET /%ff/ HTTP/1.1", b"GET /\xff/ HTTP/1.1", b"GET /a\0b HTTP/1.1"),
    *(b"GET /echo/#a HTTP/1.1", b"GET /echo/?\xe9=\xff HTTP/1.1", b"GET /../../etc HTTP/1.1"),
    *(b" GET /", b"GET /" + b"a" * 9000 + b" HTTP/1.1"),
    *(b"GET /?" + b"a=1&" * 20_000 + b" HTTP/1.1", b"\x16\x03\x01", b"PRI * HTTP/2.0"),
    *(b"A" * 300 + b" / HTTP/1.1", b"P\xffST / HTTP/1.1", b"GET ? HTTP/1.1", b"{}"),
]
HEADERS = [
    *(b"Content-Length: 5", b"Content-Length: -1", b"Content-Length: +5", b"Content-Length: 5, 5"),
    *(b"Content-Length: 5, 6", b"Content-Length: 0x5", b"Content-Length: 99999999999999999999"),
    *(b"Content-Length: 9223372036854775808", b"Content-Length: 18446744073709551615"),
    *(b"Content-Length: " + b"9" * 400, b"Content-Length:", b"Content-Length: \xff"),
    *(b"Content_Length: 3", b"Transfer-Encoding: chunked", b"Transfer-Encoding: identity"),
    *(b"Transfer-Encoding: gzip, chunked", b"Transfer-Encoding: chunked, chunked"),
    *(b"Transfer-Encoding: xchunked", b"Transfer-Encoding:", b"Transfer-Encoding : chunked"),
    *(b"Transfer_Encoding: chunked", b"Transfer-Encoding: \x0bchunked", b"Host: evil.example"),
    *(b"Host: localhost:99999", b"Host: a b", b"Host: \xff", b"Host:", b"Host"),
    *(b"X-A: b\r\n folded", b" leading: 1", b": empty", b"no colon", b"X-A : b", b"X\0A: b"),
    *(b"X-A: \0", b"X-A: \rb", b"X-A: b\nX-B: c", b"X-\xff: a", b"X-A: " + b"b" * 9000),
    *(b"X-A: " + b"b" * 70_000, b"Expect: 100-continue", b"Expect: x"),
    *(b"Connection: upgrade\r\nUpgrade: websocket", b"TE: trailers"),
    *(b"Upgrade: h2c\r\nHTTP2-Settings: \xff", b"Connection: close, x", b"Connection: keep-alive"),
    *(b"Content-Type: application/json", b"Content-Type: multipart/form-data; boundary=XX"),
    *(b"Cookie: \xff", b"Content-Type: application/json; charset=\xff", b"Accept: \xff"),
    *(b"Range: bytes=0-", b"Trailer: X", b"Cookie: " + b"a=b; " * 3000, b"X-Forwarded-Host: a b"),
    *(b"Forwarded: for=", b"Accept-Encoding: \x7f", b"Content-Encoding: gzip"),
    *(b"Content-Disposition: attachment; filename=a", b"Authorization: Basic \xff"),
]
CHUNKS = [
    *(b"2\r\n{}\r\n", b"2;a=b\r\n{}\r\n", b"2 \r\n{}\r\n", b"+2\r\n{}\r\n", b"0x2\r\n{}\r\n"),
    *(b"02\r\n{}\r\n", b"-1\r\n{}\r\n", b"\r\n", b"ffffffffffffffff\r\n{}\r\n", b"5\r\n{}\r\n"),
    *(b"1\r\n{}\r\n", b"2\n{}\n", b"zz", b"2;" + b"a" * 9000 + b"\r\n{}\r\n", b"0\r\n"),
    *(b"0\r\nX: y\r\n\r\n", b"0" * 300 + b"2\r\n{}\r\n"),
]
BODIES = [b"", b"{}", b"a=b&c", b"--XX\r\n\r\n--XX--", b"\xff" * 5, b"[" * 5, b"x" * 3000]


def made(seed: int, number: int) -> bytes:
    """What one connection sends; the same whenever it is asked for."""
    chance = random.Random(f"{seed}/wire/{number}")
    if chance.random() < 0.3:
        kind = chance.choice(list(KINDS))
        return written(KINDS[kind](chance))
    requests = [request(chance) for _ in range(1 if chance.random() < 0.8 else 2)]
    return b"".join(requests)


def request(chance: random.Random) -> bytes:
    """A request line, headers and a body, of which each may be odd."""
    line = LINES[chance.randrange(4)] if chance.random() < 0.6 else chance.choice(LINES)
    headers = [b"Host: localhost"] if chance.random() < 0.9 else []
    headers += [chance.choice(HEADERS) for _ in range(chance.randrange(4))]
    headers += [b"X-%d: a" % number for number in range(300)] if chance.random() < 0.02 else []
    body = chance.choice(BODIES)
    if chance.random() < 0.3:
        headers.append(b"Transfer-Encoding: chunked")
        body = b"".join(chance.choice(CHUNKS) for _ in range(chance.randrange(4)))
        body += b"0\r\n\r\n" if chance.random() < 0.7 else b""
    elif chance.random() < 0.7:
        headers.append(b"Content-Length: %d" % len(body))
    headers += [b"Connection: close"] if chance.random() < 0.8 else []
    chance.shuffle(headers)
    end = b"\r\n" if chance.random() < 0.95 else b"\n"
    return end.join([line, *headers, b""]) + end + body


def written(sent: Sent) -> bytes:
    """A request of the other grammars, with the bytes of its headers as they are."""
    headers = {"Host": "localhost", "Content-Length": str(len(sent.body)), **sent.headers}
    lines = [f"{sent.method} {sent.target} HTTP/1.1"]
    lines += [f"{name}: {text}" for name, text in headers.items()]
    return (
        "\r\n".join([*lines, "Connection: close", "", ""]).encode("latin-1", "replace") + sent.body
    )
