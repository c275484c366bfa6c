"""A request in a form that can be run: an HTTP message, curl, Python or JavaScript."""

import base64
import json
import shlex
from collections.abc import Callable
from urllib.parse import quote, urlsplit

from lintel_client.messages import Request
from lintel_client.origins import origin_of

__all__ = ["PROGRAMS", "program_of"]

# Characters that a URL may contain; all others are percent-encoded, as when it is sent.
_IN_URLS = "%/:=&?~#+!$,;'@()*[]"


def program_of(request: Request, language: str) -> bytes:
    """Return a request in a language of PROGRAMS."""
    return PROGRAMS[language](request)


def _http(request: Request) -> bytes:
    """Return the message as it is sent (RFC 9112)."""
    parts = urlsplit(_wire_url(request.url))
    path = parts.path or "/"
    target = f"{path}?{parts.query}" if parts.query else path
    fields = [("Host", parts.netloc), *request.headers.pairs(), ("Connection", "close")]
    if request.body is not None:
        fields.append(("Content-Length", str(len(request.content))))
    lines = [f"{request.method} {target} HTTP/1.1", *(f"{name}: {text}" for name, text in fields)]
    return "\r\n".join([*lines, "", ""]).encode() + request.content


def _curl(request: Request) -> bytes:
    words = ["--globoff", "--path-as-is"]
    words += ["--head"] if request.method == "HEAD" else ["-X", request.method]
    words.append(_wire_url(request.url))
    for name, value in request.headers.pairs():
        words += ["-H", f"{name}: {value}" if value else f"{name};"]
    before = ""
    if request.body is not None:
        if "Content-Type" not in request.headers:
            words += ["-H", "Content-Type:"]
        text = _text(request.content)
        words += ["--data-raw", text] if text is not None else ["--data-binary", "@-"]
        if text is None:
            before = f"printf %s {_base64(request.content)} | base64 -d | "
    return f"{before}curl -sS {shlex.join(words)}\n".encode()


def _python(request: Request) -> bytes:
    headers = "".join(f"        {name!r}: {text!r},\n" for name, text in request.headers.items())
    body = "" if request.body is None else f"    data={request.content!r},\n"
    return (
        "import sys\nimport urllib.request\n\n"
        f"request = urllib.request.Request(\n    {_wire_url(request.url)!r},\n"
        f"    method={request.method!r},\n    headers={{\n{headers}    }},\n{body})\n"
        "with urllib.request.urlopen(request) as response:\n"
        "    sys.stdout.buffer.write(response.read())\n"
    ).encode()


def _javascript(request: Request) -> bytes:
    fields = dict(request.headers)
    headers = "".join(f"    {json.dumps(name)}: {json.dumps(fields[name])},\n" for name in fields)
    body = "" if request.body is None else f"  body: {_script_body(request.content)},\n"
    return (
        f"fetch({json.dumps(_wire_url(request.url))}, {{\n  method: {json.dumps(request.method)},\n"
        f"  headers: {{\n{headers}  }},\n{body}}})\n"
        "  .then((response) => response.text())\n  .then((text) => console.log(text));\n"
    ).encode()


PROGRAMS: dict[str, Callable[[Request], bytes]] = {
    "http": _http,
    "curl": _curl,
    "python": _python,
    "javascript": _javascript,
}


def _wire_url(url: str) -> str:
    parts = urlsplit(url)
    host = origin_of(url).host
    if not parts.netloc.isascii():
        port = f":{parts.port}" if parts.port else ""
        parts = parts._replace(netloc=f"{host}{port}")
    return quote(parts.geturl(), safe=_IN_URLS)


def _text(body: bytes) -> str | None:
    """Return the body as text, None if a shell could not pass it on."""
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text


def _base64(body: bytes) -> str:
    return base64.b64encode(body).decode()


def _script_body(body: bytes) -> str:
    text = _text(body)
    if text is not None:
        return json.dumps(text)
    return f'Uint8Array.from(atob("{_base64(body)}"), (char) => char.charCodeAt(0))'
