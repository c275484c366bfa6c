"""How far a transfer is."""

from collections.abc import Callable
from dataclasses import dataclass

from lintel_client.headers import Headers

__all__ = ["Progress", "ProgressCallback", "reported"]


@dataclass(frozen=True, slots=True)
class Progress:
    """The state of one transfer: bytes that are done, and all of them, None when nobody knows."""

    direction: str  # "upload" or "download"
    done: int
    total: int | None


ProgressCallback = Callable[[Progress], object]


def reported(
    write: Callable[[bytes], object],
    headers: Headers,
    progress: ProgressCallback | None,
    start: int = 0,
) -> Callable[[bytes], object]:
    """Return a function that writes a chunk of an answer and tells how far it is.

    `start` is what was there before. The total is not known of an answer that is compressed.
    """
    if progress is None:
        return write
    total = _length(headers)
    done = start

    def write_and_report(chunk: bytes) -> None:
        nonlocal done
        write(chunk)
        done += len(chunk)
        progress(Progress("download", done, None if total is None else start + total))

    return write_and_report


def _length(headers: Headers) -> int | None:
    length = headers.get("Content-Length", "")
    if headers.get("Content-Encoding", "identity") != "identity" or len(length) > 18:
        return None
    return int(length) if length.isascii() and length.isdigit() else None
