"""Files to upload, and the header that names a file (RFC 6266)."""

import mimetypes
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any
from urllib.parse import quote

from lintel_client.contents import Content, content_at_path, content_of_file

__all__ = ["File", "attachment", "form_part_name", "holds_file", "is_file", "opened"]

OCTET_STREAM = "application/octet-stream"


@dataclass(frozen=True, slots=True)
class File:
    """A file to upload: its name, its content as bytes or text, and optionally its media type."""

    name: str
    content: bytes | str
    content_type: str | None = None


@dataclass(frozen=True, slots=True)
class OpenedFile:
    """A file whose content has been read."""

    name: str
    content: bytes | Content
    content_type: str


def is_file(value: Any) -> bool:
    """Return whether a value is a File, a path or an object to read from."""
    return isinstance(value, File | Path) or callable(getattr(value, "read", None))


def holds_file(value: Any, depth: int = 3) -> bool:
    """Return whether a value is a file, or contains one in lists and mappings."""
    if not depth or isinstance(value, str | bytes | bytearray):
        return False
    if isinstance(value, Mapping):
        return any(holds_file(inner, depth - 1) for inner in value.values())
    if isinstance(value, list | tuple):
        return any(holds_file(inner, depth - 1) for inner in value)
    return is_file(value)


def opened(value: Any) -> OpenedFile:
    """Read a File, a path, an object to read from, or bytes.

    The media type is guessed from the name. A large file is read when it is sent. Raises OSError
    for a path that cannot be read.
    """
    if isinstance(value, bytes | bytearray):
        return OpenedFile("", bytes(value), OCTET_STREAM)
    if isinstance(value, Path):
        return _at_path(value)
    given_name = value.name if isinstance(value, File) else getattr(value, "name", "")
    name = PurePath(given_name).name if isinstance(given_name, str) else ""
    content = value.content if isinstance(value, File) else content_of_file(value) or value.read()
    content_type = value.content_type if isinstance(value, File) else None
    guessed = content_type or mimetypes.guess_type(name)[0] or OCTET_STREAM
    return OpenedFile(name, content.encode() if isinstance(content, str) else content, guessed)


def _at_path(path: Path) -> OpenedFile:
    kind = mimetypes.guess_type(path.name)[0] or OCTET_STREAM
    return OpenedFile(path.name, content_at_path(path), kind)


def attachment(name: str) -> str:
    """Return the value of a Content-Disposition header that names an upload.

    Quotes and backslashes are escaped; non-ASCII names are sent in ``filename*``.
    """
    printable = "".join(char for char in name if char.isprintable())
    plain = "".join(char if char.isascii() else "_" for char in printable)
    escaped = plain.replace("\\", "\\\\").replace('"', '\\"')
    value = f'attachment; filename="{escaped}"'
    if plain != name:
        value += f"; filename*=UTF-8''{quote(name, safe='')}"
    return value


def form_part_name(name: str) -> str:
    """Escape a name in the header of a multipart form, as browsers do (WHATWG HTML, 4.10.22.8)."""
    return name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
