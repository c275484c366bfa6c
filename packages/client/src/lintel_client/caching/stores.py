"""Where a cache keeps its entries: in memory, or in the files of a private folder.

The key of an entry is a group, whose entries are forgotten together, and a name in it.
"""

import json
import os
import secrets
import stat
import tempfile
import time
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Protocol

from lintel_client.caching.entries import Entry
from lintel_client.headers import Headers

__all__ = ["FolderStore", "Key", "MemoryStore", "Store"]

Key = tuple[str, str]

_FORMAT = 1
_BLOCK = 4096
# The file in a group whose time is that of the last write to its URL.
_MARK = "written"
_SECRET = "secret"  # noqa: S105 (the name of a file)


class Store(Protocol):
    """The interface between a cache and what keeps its entries. Failures are misses."""

    secret: bytes

    def get(self, key: Key) -> Entry | None: ...

    def put(self, key: Key, entry: Entry) -> None: ...

    def remove(self, key: Key) -> None: ...

    def drop(self, group: str) -> None: ...


class MemoryStore:
    """Keeps the entries that were used last, in at most ``max_size`` bytes."""

    def __init__(self, max_size: int) -> None:
        self.secret: bytes = secrets.token_bytes(32)
        self._max_size = max_size
        self._size = 0
        self._entries: OrderedDict[Key, Entry] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Key) -> Entry | None:
        with self._lock:
            if key in self._entries:
                self._entries.move_to_end(key)
            return self._entries.get(key)

    def put(self, key: Key, entry: Entry) -> None:
        with self._lock:
            self._forget(key)
            self._entries[key] = entry
            self._size += _size(entry)
            while self._size > self._max_size:
                self._forget(next(iter(self._entries)))

    def remove(self, key: Key) -> None:
        with self._lock:
            self._forget(key)

    def drop(self, group: str) -> None:
        with self._lock:
            for key in [key for key in self._entries if key[0] == group]:
                self._forget(key)

    def _forget(self, key: Key) -> None:
        entry = self._entries.pop(key, None)
        self._size -= _size(entry) if entry else 0


class FolderStore:
    """Keeps each entry in a file with mode 0600, which is replaced as a whole.

    Several processes may use one folder. Those entries that were used last stay; the folder
    may exceed ``max_size`` bytes by an eighth. Raises ValueError for a folder that others may
    write to.
    """

    def __init__(self, path: Path, max_size: int) -> None:
        self._path = path
        self._max_size = max_size
        self._written = max_size
        _check(path)
        self.secret: bytes = self._shared_secret()

    def get(self, key: Key) -> Entry | None:
        path = self._path / key[0] / key[1]
        with suppress(OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError):
            head, _, body = path.read_bytes().partition(b"\n")
            entry = _read(json.loads(head), body)
            os.utime(path)
            return entry
        return None

    def put(self, key: Key, entry: Entry) -> None:
        with suppress(OSError):
            group = self._path / key[0]
            group.mkdir(mode=0o700, parents=True, exist_ok=True)
            if entry.requested <= _written(group) <= time.time():
                return
            _write(group / key[1], _head(entry) + b"\n" + entry.body)
            self._written += _size(entry)
            if self._written > self._max_size // 8:
                self._written = 0
                self._sweep()

    def remove(self, key: Key) -> None:
        with suppress(OSError):
            os.unlink(self._path / key[0] / key[1])

    def drop(self, group: str) -> None:
        folder = self._path / group
        with suppress(OSError):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            # Other processes may be waiting for older answers, which they must not store.
            _mark(folder / _MARK)
            self._written += _BLOCK
            for file in os.scandir(folder):
                if file.name != _MARK:
                    os.unlink(file)

    def _shared_secret(self) -> bytes:
        """Return the secret of the folder, which the first process makes."""
        path = self._path / _SECRET
        made = secrets.token_bytes(32)
        with suppress(OSError):
            self._path.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not path.exists():
                with suppress(FileExistsError):  # another process was faster
                    _write(path, made, replaces=False)
            return path.read_bytes() or made
        return made

    def _sweep(self) -> None:
        """Remove the entries that were not used for the longest time until the others fit."""
        found = sorted(self._files())
        size = sum(each[1] for each in found)
        for _, of_file, path in found:
            if size <= self._max_size:
                break
            with suppress(OSError):
                os.unlink(path)
            size -= of_file
        for group in self._groups():
            with suppress(OSError):
                os.rmdir(group)

    def _groups(self) -> list[str]:
        with os.scandir(self._path) as found:
            return [each.path for each in found if each.is_dir(follow_symlinks=False)]

    def _files(self) -> Iterator[tuple[float, int, str]]:
        for group in self._groups():
            with suppress(OSError), os.scandir(group) as files:
                for file in files:
                    about = file.stat(follow_symlinks=False)
                    yield about.st_mtime, max(about.st_size, _BLOCK), file.path


def _mark(path: Path) -> None:
    """Let a file have the time of now, as precisely as entries have theirs."""
    path.touch(mode=0o600)
    now = time.time_ns()
    os.utime(path, ns=(now, now))


def _written(group: Path) -> float:
    """Return when a URL was written to last, 0 if that is not known."""
    with suppress(FileNotFoundError):
        return (group / _MARK).stat().st_mtime
    return 0


def _check(path: Path) -> None:
    if os.name == "nt" or not path.exists():
        return
    found = path.stat()
    if not path.is_dir() or found.st_uid != os.getuid():
        raise ValueError(f"{path} is not your folder: name another one for the cache")
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise ValueError(f"Others may write to {path}: name another folder, or chmod 700 {path}")


def _write(path: Path, content: bytes, replaces: bool = True) -> None:
    """Write a private file as a whole; without ``replaces``, the first writer wins."""
    descriptor, temporary = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        if replaces:
            os.replace(temporary, path)
        else:
            os.link(temporary, path)
    finally:
        Path(temporary).unlink(missing_ok=True)


def _head(entry: Entry) -> bytes:
    times = [entry.requested, entry.received]
    pairs = entry.headers.pairs()
    head = [_FORMAT, len(entry.body), times, list(pairs), list(entry.varying)]
    return json.dumps(head).encode()


def _read(head: list[object], body: bytes) -> Entry:
    """Return the entry in a file. Raises ValueError or TypeError for a damaged one."""
    version, size, times, pairs, varying = head
    if version != _FORMAT or size != len(body):
        raise ValueError("another format, or damaged")
    requested, received = map(float, times)  # type: ignore[call-overload] # TypeError is caught
    fields = Headers([(str(name), str(value)) for name, value in pairs])  # type: ignore[attr-defined] # as above
    known = tuple((str(name), str(value)) for name, value in varying)  # type: ignore[attr-defined] # as above
    return Entry(fields, body, requested, received, known)


def _size(entry: Entry) -> int:
    fields = sum(len(name) + len(value) for name, value in entry.headers.pairs())
    return len(entry.body) + fields + _BLOCK
