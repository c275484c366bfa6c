"""Request bodies: values to bytes, in every encoding that a link can ask for."""

import hashlib
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from lintel_client.contents import Content, joined
from lintel_client.errors import UnsupportedEncoding
from lintel_client.files import File, OpenedFile, attachment, form_part_name, is_file, opened
from lintel_client.forms import FORM, MULTIPART, FormPart, Pairs, essence
from lintel_client.headers import checked_header
from lintel_client.nested_forms import LEFT_OUT, NestedValue
from lintel_client.parameters import JSON, OCTET_STREAM, UNSET, Parameters
from lintel_client.styles import form_encoded, is_json
from lintel_client.values import compact_json

__all__ = ["Body", "encode_body"]

Headers = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Body:
    """Content and the headers that describe it; ``content`` is None if there is no body."""

    content: bytes | Content | None = None
    headers: Headers = ()


def encode_body(encoding: str, parameters: Parameters, described: bool = False) -> Body:
    """Return the body of a request. A whole body takes precedence over form values.

    Falsy bodies are bodies. If the body is ``described``, any media type can be written: one that
    is neither JSON nor a form takes text, bytes or a file. Otherwise raises UnsupportedEncoding for
    anything but JSON, a form, a multipart form or octet-stream.
    """
    value: Any = parameters.form or UNSET if parameters.body is UNSET else parameters.body
    if value is UNSET:
        return Body()
    if described:
        return _described(encoding, value)
    if encoding == OCTET_STREAM:
        return _upload(next(iter(value.values())) if value is parameters.form else value)
    encode = _ENCODERS.get(encoding or JSON)
    if encode is None:
        known = ", ".join([*_ENCODERS, OCTET_STREAM])
        raise UnsupportedEncoding(f"No body can be written as {encoding!r}; available: {known}")
    return encode(value)


def _described(encoding: str, value: Any) -> Body:
    kind = essence(encoding)
    if is_json(kind):
        return _as_json(value, encoding)
    if kind == FORM:
        return _as_form(value)
    if kind.startswith("multipart/"):
        return _as_multipart(value, kind)
    if isinstance(value, str):
        return _as_plain_text(value, encoding)
    if is_file(value) or isinstance(value, bytes | bytearray):
        return _as_file(value, encoding)
    return _as_json(value)


def _as_plain_text(value: str, encoding: str) -> Body:
    content_type = "text/plain" if "*" in encoding else encoding
    if not value.isascii() and "charset" not in encoding.lower():
        content_type += "; charset=utf-8"
    return Body(value.encode(), (_content_type(content_type),))


def _as_file(value: Any, encoding: str) -> Body:
    file = opened(value)
    given = value.content_type if isinstance(value, File) else None
    content_type = given or (file.content_type if "*" in encoding else encoding)
    return Body(file.content, (checked_header("Content-Type", content_type),))


def _content_type(value: str) -> tuple[str, str]:
    try:
        return checked_header("Content-Type", value)
    except ValueError as error:
        raise UnsupportedEncoding(str(error)) from None


def _as_json(value: Any, encoding: str = JSON) -> Body:
    return Body(compact_json(value).encode(), (_content_type(encoding),))


def _as_form(value: Mapping[str, Any]) -> Body:
    pairs: list[tuple[str, str]] = []
    for name, item in value.items():
        if isinstance(item, Pairs):
            pairs += item.pairs
        else:
            pairs += [(name, text) for text in (item if isinstance(item, list) else [item])]
    return Body(form_encoded(pairs).encode(), (("Content-Type", FORM),))


def _as_multipart(value: Mapping[str, Any], kind: str = MULTIPART) -> Body:
    parts = [_part(name, item) for name, item in _named_parts(value)]
    boundary = _boundary(parts)
    framed = [piece for part in parts for piece in (b"--%b\r\n" % boundary, part, b"\r\n")]
    content_type = _content_type(f"{kind}; boundary={boundary.decode()}")
    return Body(joined([*framed, b"--%b--\r\n" % boundary]), (content_type,))


def _named_parts(value: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the parts of a form: first the documents of nested values, then all in order."""
    found = [
        (name, item)
        for name, items in value.items()
        for item in (items if isinstance(items, list) else [items])
    ]
    documents: dict[str, dict[str, Any]] = {}
    for name, item in found:
        if isinstance(item, NestedValue) and item.value is not LEFT_OUT:
            documents.setdefault(item.document, {})[name] = item.value
    for document, content in documents.items():
        yield document, FormPart(compact_json(content), JSON)
    for name, item in found:
        if isinstance(item, NestedValue):
            yield from item.files
        else:
            yield name, item


def _part(name: str, value: Any, kind: str = "", headers: Headers = ()) -> bytes | Content:
    """Return the content of one part; ``kind`` is the media type in its description."""
    if isinstance(value, FormPart):
        return _part(value.name or name, value.content, value.content_type, value.headers)
    extra = "".join(
        f"{header}: {text}\r\n" for header, text in (checked_header(*pair) for pair in headers)
    )
    disposition = f'Content-Disposition: form-data; name="{form_part_name(name)}"'
    if not is_file(value):
        typed = f"Content-Type: {_content_type(kind)[1]}\r\n" if kind else ""
        return f"{disposition}\r\n{typed}{extra}\r\n{value}".encode()
    file = opened(value)
    given = value.content_type if isinstance(value, File) else None
    content_type = checked_header("Content-Type", given or kind or file.content_type)[1]
    filename = form_part_name(file.name or name)
    typed = f"Content-Type: {content_type}\r\n{extra}\r\n"
    head = f'{disposition}; filename="{filename}"\r\n{typed}'
    return joined([head.encode(), file.content])


def _boundary(parts: list[bytes | Content]) -> bytes:
    """Return a boundary derived from all content, so that no content can contain it on purpose."""
    digest = hashlib.sha256()
    for part in parts:
        if isinstance(part, Content):
            # It is random, so it could not be known when the file was written.
            return secrets.token_hex(16).encode()
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()[:32].encode()


def _upload(value: Any) -> Body:
    file = opened(value)
    return Body(file.content, tuple(_upload_headers(file)))


def _upload_headers(file: OpenedFile) -> Iterator[tuple[str, str]]:
    yield checked_header("Content-Type", file.content_type)
    if file.name:
        yield "Content-Disposition", attachment(file.name)


_ENCODERS = {JSON: _as_json, FORM: _as_form, MULTIPART: _as_multipart}
