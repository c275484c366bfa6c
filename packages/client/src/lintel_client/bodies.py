"""Request bodies: values to bytes, in each encoding that a link can ask for."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from lintel_client.errors import UnsupportedEncoding
from lintel_client.files import OpenedFile, attachment, form_part_name, is_file, opened
from lintel_client.headers import checked_header
from lintel_client.parameters import FORM, JSON, MULTIPART, OCTET_STREAM, UNSET, Parameters

__all__ = ["Body", "encode_body"]


@dataclass(frozen=True, slots=True)
class Body:
    """Bytes and the headers that describe them; `content` is None where there is no body."""

    content: bytes | None = None
    headers: tuple[tuple[str, str], ...] = ()


def encode_body(encoding: str, parameters: Parameters) -> Body:
    """Return the body of a request. A whole body wins over form values.

    Falsy bodies are bodies. Raises UnsupportedEncoding for a media type that is not JSON, a form,
    a multipart form or octet-stream.
    """
    value: Any = parameters.form or UNSET if parameters.body is UNSET else parameters.body
    if value is UNSET:
        return Body()
    if encoding == OCTET_STREAM:
        return _upload(next(iter(value.values())) if value is parameters.form else value)
    encode = _ENCODERS.get(encoding or JSON)
    if encode is None:
        known = ", ".join([*_ENCODERS, OCTET_STREAM])
        raise UnsupportedEncoding(f"No body can be written as {encoding!r}; known are: {known}")
    return encode(value)


def _as_json(value: Any) -> Body:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Body(text.encode(), (("Content-Type", JSON),))


def _as_form(value: Mapping[str, Any]) -> Body:
    return Body(urlencode(value, doseq=True).encode(), (("Content-Type", FORM),))


def _as_multipart(value: Mapping[str, Any]) -> Body:
    parts = [
        _part(name, item)
        for name, items in value.items()
        for item in (items if isinstance(items, list) else [items])
    ]
    boundary = _boundary(parts)
    content = b"".join(b"--%b\r\n%b\r\n" % (boundary, part) for part in parts)
    content_type = f"{MULTIPART}; boundary={boundary.decode()}"
    return Body(content + b"--%b--\r\n" % boundary, (("Content-Type", content_type),))


def _part(name: str, value: Any) -> bytes:
    disposition = f'Content-Disposition: form-data; name="{form_part_name(name)}"'
    if not is_file(value):
        return f"{disposition}\r\n\r\n{value}".encode()
    file = opened(value)
    content_type = checked_header("Content-Type", file.content_type)[1]
    filename = form_part_name(file.name or name)
    head = f'{disposition}; filename="{filename}"\r\nContent-Type: {content_type}\r\n\r\n'
    return head.encode() + file.content


def _boundary(parts: list[bytes]) -> bytes:
    """A boundary that depends on all content, so that no content can contain it on purpose."""
    digest = hashlib.sha256()
    for part in parts:
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
