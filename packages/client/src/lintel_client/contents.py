"""Request bodies that are read from files while they are sent."""

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from lintel_client.errors import NetworkError
from lintel_client.progress import Progress, ProgressCallback

__all__ = ["Content", "content_at_path", "content_of_file", "joined", "reporting"]

CHUNK = 65536
# Smaller files are read at once: a request with its bytes is easier to inspect.
STREAM_FROM = 1 << 20


class _FilePart:
    """The rest of an open file, from its position. It can be read any number of times."""

    def __init__(self, file: IO[bytes], start: int, size: int) -> None:
        self._file = file
        self._start = start
        self._size = size

    def __len__(self) -> int:
        return self._size

    def chunks(self) -> Iterator[bytes]:
        """Yield the content. Raises NetworkError if the file has become shorter."""
        self._file.seek(self._start)
        left = self._size
        while left and (chunk := self._file.read(min(CHUNK, left))):
            left -= len(chunk)
            yield chunk
        if left:
            raise NetworkError(f"A file was to be sent, but its last {left} bytes are gone")


class _PathPart:
    """A whole file, which is open only while it is read."""

    def __init__(self, path: Path, size: int) -> None:
        self._path = path
        self._size = size

    def __len__(self) -> int:
        return self._size

    def chunks(self) -> Iterator[bytes]:
        """Yield the content. Raises NetworkError if the file cannot be read or became shorter."""
        try:
            with self._path.open("rb") as file:
                yield from _FilePart(file, 0, self._size).chunks()
        except OSError as error:
            raise NetworkError(f"The file {self._path.name} cannot be read: {error}") from error


class Content:
    """Bytes and parts of files in sequence: has a length, and yields chunks whenever it is sent."""

    def __init__(
        self,
        parts: Iterable["bytes | Content | _FilePart | _PathPart"],
        progress: ProgressCallback | None = None,
    ) -> None:
        self._parts: list[bytes | _FilePart | _PathPart] = []
        for part in parts:
            self._parts += part._parts if isinstance(part, Content) else [part]
        self._progress = progress

    def __len__(self) -> int:
        return sum(len(part) for part in self._parts)

    def __bytes__(self) -> bytes:
        return b"".join(self.chunks())

    def __iter__(self) -> Iterator[bytes]:
        """Yield the chunks, and report the bytes sent before the next one is requested."""
        report = self.reporter()
        for chunk in self.chunks():
            yield chunk
            report(chunk)

    @property
    def reads_files(self) -> bool:
        """Return whether some of it is still in a file."""
        return any(not isinstance(part, bytes) for part in self._parts)

    def reporter(self) -> Callable[[bytes], None]:
        """Return a function to call with each chunk that was sent."""
        done, total = 0, len(self)

        def report(chunk: bytes) -> None:
            nonlocal done
            done += len(chunk)
            if self._progress:
                self._progress(Progress("upload", done, total))

        return report

    def chunks(self) -> Iterator[bytes]:
        """Yield the content without reporting progress."""
        for part in self._parts:
            if isinstance(part, bytes):
                yield from (part[at : at + CHUNK] for at in range(0, len(part), CHUNK))
            else:
                yield from part.chunks()


def joined(parts: list[bytes | Content]) -> bytes | Content:
    """Return the joined parts: bytes, unless some of it is still in a file."""
    plain = [part for part in parts if isinstance(part, bytes)]
    return b"".join(plain) if len(plain) == len(parts) else Content(parts)


def content_of_file(file: Any) -> Content | None:
    """Return the rest of a large file without reading it, None for content to be read at once."""
    try:
        if not file.seekable() or not isinstance(file.read(0), bytes):
            return None
        start = file.tell()
        size = file.seek(0, os.SEEK_END) - start
        file.seek(start)
    except (AttributeError, OSError, TypeError, ValueError):
        return None
    return Content([_FilePart(file, start, size)]) if size >= STREAM_FROM else None


def content_at_path(path: Path) -> bytes | Content:
    """Return a small file's bytes; a large one is read when it is sent. Raises OSError."""
    size = path.stat().st_size
    return Content([_PathPart(path, size)]) if size >= STREAM_FROM else path.read_bytes()


def reporting(body: bytes | Content | None, progress: ProgressCallback) -> Content | None:
    """Return a body that reports its progress while it is sent."""
    return None if body is None else Content([body], progress)
