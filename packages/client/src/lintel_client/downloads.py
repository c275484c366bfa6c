"""Saves responses that no other codec reads as files."""

import mimetypes
import os
import re
import tempfile
import weakref
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from email.message import Message
from pathlib import Path
from typing import IO, Any
from urllib.parse import unquote, urlsplit

from lintel_client.codecs import media_type_of
from lintel_document.codec import Codec

__all__ = ["Download", "DownloadCodec", "created", "file_name", "free_path", "safe_file_name"]

_UNSAFE = re.compile(r"[^\w .-]")
_LONGEST = 150


@dataclass(frozen=True)
class Download(os.PathLike[str]):
    """A downloaded file: ``path`` on disk, the server's ``name`` for it, and its media type.

    A temporary file is deleted with this object.
    """

    path: Path
    name: str
    content_type: str = ""

    def __fspath__(self) -> str:
        return str(self.path)

    def open(self) -> IO[bytes]:
        """Open the file for reading bytes."""
        return self.path.open("rb")

    def read(self) -> bytes:
        """Return the whole content."""
        return self.path.read_bytes()


class DownloadCodec(Codec):
    """Writes a response to a file as it arrives, without holding it in memory.

    Files are saved permanently in ``download_dir``, with " (1)" and so on if a name is taken;
    without a folder they are temporary.
    """

    media_type = "*/*"
    format = "download"
    abilities: tuple[str] = ("data",)

    def __init__(self, download_dir: str | Path | None = None) -> None:
        self.download_dir: Path | None = None if download_dir is None else Path(download_dir)

    def decode(self, content: bytes, **options: Any) -> Download:
        return self.decode_stream([content], **options)

    def decode_stream(self, chunks: Iterable[bytes], **options: Any) -> Download:
        """Write chunks to a file and return it; an incomplete file is removed.

        Raises OSError if the folder cannot be written.
        """
        with self.receiving(**options) as incoming:
            incoming.start()
            for chunk in chunks:
                incoming.write(chunk)
            return incoming.completed()

    @contextmanager
    def receiving(self, **options: Any) -> Iterator["Incoming"]:
        """Yield a file to write chunks to, which is removed unless it was finished."""
        content_type = options.get("content_type") or ""
        name = file_name(
            options.get("content_disposition") or "", options.get("base_url") or "", content_type
        )
        incoming = Incoming(self, name, media_type_of(content_type))
        try:
            yield incoming
        finally:
            incoming.abandon()

    def _create(self, name: str) -> tuple[int, Path]:
        if self.download_dir is None:
            descriptor, temporary = tempfile.mkstemp("-" + name, "lintel-")
            return descriptor, Path(temporary)
        return created(self.download_dir, name)


def created(folder: Path, name: str) -> tuple[int, Path]:
    """Create a file in a folder, numbered if the name is taken; return descriptor and path."""
    stem, suffix = Path(name).stem, Path(name).suffix
    number = 0
    while True:
        path = folder / (f"{stem} ({number}){suffix}" if number else name)
        try:
            # Exclusive creation: existing files are never overwritten.
            return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666), path
        except FileExistsError:
            number += 1


def free_path(folder: Path, name: str) -> Path:
    """Create an empty file in a folder, as ``created`` does, to be replaced."""
    descriptor, path = created(folder, name)
    os.close(descriptor)
    return path


class Incoming:
    """A download in progress: the file is created when the first byte arrives."""

    def __init__(self, codec: DownloadCodec, name: str, content_type: str) -> None:
        self._codec = codec
        self._name = name
        self._content_type = content_type
        self._file: IO[bytes] | None = None
        self._path = Path()

    def start(self) -> IO[bytes]:
        """Create the file, unless it exists already. Raises OSError if that fails."""
        if self._file is None:
            descriptor, self._path = self._codec._create(self._name)
            self._file = os.fdopen(descriptor, "wb")
        return self._file

    def write(self, chunk: bytes) -> None:
        if chunk:
            self.start().write(chunk)

    def finished(self) -> Download | None:
        """Return the file, None if nothing arrived."""
        return None if self._file is None else self.completed()

    def completed(self) -> Download:
        """Close the file and return it. A temporary file is deleted with the download."""
        self.start().close()
        self._file = None
        download = Download(self._path, self._name, self._content_type)
        if self._codec.download_dir is None:
            weakref.finalize(download, self._path.unlink, missing_ok=True)
        return download

    def abandon(self) -> None:
        """Remove the file unless it was completed."""
        if self._file is not None:
            self._file.close()
            self._path.unlink(missing_ok=True)


def safe_file_name(name: str) -> str:
    """Return a server's file name made safe for disk: plain characters, no folders, no dots."""
    base = re.split(r"[/\\]", name)[-1]
    plain = _UNSAFE.sub("", base).strip(" .")
    stem, suffix = os.path.splitext(plain)
    ending = _shortened(suffix, 40)
    return _shortened(stem, _LONGEST - len(ending.encode())) + ending


def _shortened(text: str, size: int) -> str:
    """Truncate text to a size in bytes, which is what file systems count."""
    return text.encode()[:size].decode(errors="ignore")


def file_name(disposition: str, url: str, content_type: str) -> str:
    """Return the name for a download: the header's, else the end of the URL."""
    named = safe_file_name(_disposition_name(disposition))
    if named:
        return named
    from_url = safe_file_name(unquote(urlsplit(url).path.rstrip("/").rpartition("/")[2]))
    name = from_url or "download"
    if Path(name).suffix:
        return name
    return name + (mimetypes.guess_extension(media_type_of(content_type)) or "")


def _disposition_name(disposition: str) -> str:
    """Return the file name of a Content-Disposition header, ``filename*`` first (RFC 6266)."""
    message = Message()
    message["Content-Disposition"] = re.sub(r"[\r\n]", " ", disposition)
    extended = re.search(r"filename\*\s*=\s*([\w-]+)'[^']*'([^;\s]+)", disposition, re.IGNORECASE)
    if extended:
        try:
            return unquote(extended[2], encoding=extended[1], errors="replace")
        except LookupError:
            pass
    plain = message.get_param("filename", "", "Content-Disposition")
    return plain if isinstance(plain, str) else ""
