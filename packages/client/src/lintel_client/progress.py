"""The progress of a transfer."""

from collections.abc import Callable
from dataclasses import dataclass

from lintel_client.headers import Headers

__all__ = ["Progress", "ProgressCallback", "reporter"]


@dataclass(frozen=True, slots=True)
class Progress:
    """The state of one transfer: bytes done, and their total, None if unknown."""

    direction: str  # "upload" or "download"
    done: int
    total: int | None


ProgressCallback = Callable[[Progress], object]


def reporter(
    headers: Headers, progress: ProgressCallback | None, start: int = 0
) -> Callable[[bytes], object] | None:
    """Return a function to call with each chunk of a response, which reports the progress.

    ``start`` is what existed before. The total of a compressed response is unknown.
    """
    if progress is None:
        return None
    total = _length(headers)
    done = start

    def report(chunk: bytes) -> None:
        nonlocal done
        done += len(chunk)
        progress(Progress("download", done, None if total is None else start + total))

    return report


def _length(headers: Headers) -> int | None:
    length = headers.get("Content-Length", "")
    if headers.get("Content-Encoding", "identity") != "identity" or len(length) > 18:
        return None
    return int(length) if length.isascii() and length.isdigit() else None
