"""Downloads that resume after an interruption (RFC 9110, 13.1.5 and 14).

Received bytes are in ``NAME.part`` beside the final file; ``NAME.part.json`` records their
source and the server's validator, so that parts of two versions never mix.
"""

import hashlib
import json
import os
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from lintel_client.codecs import media_type_of
from lintel_client.digests import check_file
from lintel_client.downloads import Download, file_name, free_path
from lintel_client.errors import ConnectionFailed, DigestMismatch, NetworkError
from lintel_client.headers import Headers
from lintel_client.messages import Request
from lintel_client.origins import without_query
from lintel_client.progress import ProgressCallback, reporter
from lintel_client.steps import AnyResponse, Call, Close, Receive, Work

__all__ = ["PartialFile"]

_RANGE = re.compile(r"bytes (?:(\d{1,18})-\d{1,18}|\*)/(?:(\d{1,18})|\*)")


@dataclass(frozen=True, slots=True)
class _Memory:
    """The record of a part: a digest of its URL, and the validator."""

    source: str = ""
    validator: str = ""


class PartialFile:
    """A file that is being downloaded to ``target``, a path or an existing folder."""

    def __init__(self, target: Path, request: Request, resume: bool) -> None:
        self._url = request.url
        # A query may contain secrets: neither records nor messages repeat it.
        self._source = hashlib.sha256(request.url.encode()).hexdigest()
        self._place = without_query(request.url)
        self._folder = target if target.is_dir() else None
        name = file_name("", request.url, "") if self._folder else target.name
        self._target = target / name if self._folder else target
        self._part = self._target.with_name(f"{name}.part")
        self._notes = self._target.with_name(f"{name}.part.json")
        self._asked = False
        if not resume:
            self.forget()

    def asking(self, request: Request) -> Request:
        """Return the request for what is missing: all of it, or the rest of a part."""
        fields = [("Accept-Encoding", "identity")]
        size, memory = self._size(), self._memory()
        self._asked = bool(size and memory.validator and memory.source == self._source)
        if self._asked:
            fields += [("Range", f"bytes={size}-"), ("If-Range", memory.validator)]
        return replace(request, headers=request.headers.setting(fields))

    def expects(self, response: AnyResponse) -> bool:
        """Return whether a 416 may mean that the file is complete, or that it has changed."""
        return response.status == 416 and self._asked

    def receiving(
        self, response: AnyResponse, progress: ProgressCallback | None
    ) -> Call[Download | None]:
        """Write a successful response; return None if it is useless and all must be sent again.

        Raises ConnectionFailed if less arrives than promised, DigestMismatch if it is not
        what was promised, NetworkError for a part that was not requested, OSError if the file
        cannot be written.
        """
        size = yield Work(self._size)
        start = _start_of(response, size)
        if start is None:
            if not self._asked:
                raise NetworkError(
                    f"{self._place} sent a part of its content that was not requested"
                )
            yield Work(self.forget)
            yield Close(response)
            return None
        if response.status == 416:
            yield Close(response)
        else:
            yield from self._writing(response, start, progress)
        return (yield Work(self._finished, (response.headers,)))

    def _writing(
        self, response: AnyResponse, start: int, progress: ProgressCallback | None
    ) -> Call[None]:
        yield Work(self._remember, (response.headers,))
        with (yield Work(self._opened, (start,))) as file:
            report = reporter(response.headers, progress, start)
            yield Receive(response, file.write, report, blocks=True)
            yield Work(file.flush)
        promised = _total(response.headers)
        size = yield Work(self._size)
        if promised is not None and size != promised:
            raise ConnectionFailed(f"Of {promised} bytes, {size} arrived")

    def _opened(self, start: int) -> IO[bytes]:
        file = self._part.open("r+b" if start else "wb")
        file.seek(start)
        file.truncate()
        return file

    def _finished(self, headers: Headers) -> Download:
        try:
            check_file(self._part, headers, self._place)
        except DigestMismatch:
            self.forget()
            raise
        content_type = headers.get("Content-Type", "")
        target = self._target
        if self._folder:
            disposition = headers.get("Content-Disposition", "")
            target = free_path(self._folder, file_name(disposition, self._url, content_type))
        os.replace(self._part, target)
        self._notes.unlink(missing_ok=True)
        return Download(target, target.name, media_type_of(content_type))

    def forget(self) -> None:
        """Remove the received part."""
        self._part.unlink(missing_ok=True)
        self._notes.unlink(missing_ok=True)

    def leave(self) -> None:
        """Remove the received part unless it can be resumed."""
        if not self._memory().validator:
            self.forget()

    def _size(self) -> int:
        return self._part.stat().st_size if self._part.exists() else 0

    def _remember(self, headers: Headers) -> None:
        notes = {"source": self._source, "validator": _validator(headers)}
        self._notes.write_text(json.dumps(notes), encoding="utf-8")

    def _memory(self) -> _Memory:
        try:
            notes = json.loads(self._notes.read_text(encoding="utf-8"))
            source, validator = notes["source"], notes["validator"]
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return _Memory()
        is_text = isinstance(source, str) and isinstance(validator, str) and validator.isprintable()
        return _Memory(source, validator) if is_text else _Memory()


def _validator(headers: Headers) -> str:
    """Return what identifies the arriving version: a strong ETag, else its Last-Modified."""
    etag = headers.get("ETag", "")
    if etag.startswith('"') and etag.isprintable():
        return etag
    return "" if etag else headers.get("Last-Modified", "")


def _start_of(response: AnyResponse, size: int) -> int | None:
    """Return where the content of a response begins; None if it does not fit."""
    if response.status not in (206, 416):
        return 0
    found = _RANGE.fullmatch(response.headers.get("Content-Range", "").strip())
    if found is None:
        return None
    if response.status == 416:
        return size if found[2] and int(found[2]) == size else None
    return size if found[1] and int(found[1]) == size else None


def _total(headers: Headers) -> int | None:
    found = _RANGE.fullmatch(headers.get("Content-Range", "").strip())
    return int(found[2]) if found and found[2] else None
