"""Where tokens are kept, for one process or for several that share them."""

import errno
import json
import os
import sys
import tempfile
from pathlib import Path
from threading import Lock
from typing import Protocol

from lintel_client.errors import OAuth2Error
from lintel_client.oauth2.tokens import Tokens

__all__ = ["FileLock", "FileTokens", "MemoryTokens", "TokenStore"]


_TAKEN = frozenset({errno.EAGAIN, errno.EACCES, errno.EDEADLK})


class TokenStore(Protocol):
    """Keeps tokens. Whoever gets new ones holds the lock, so that each is used only once."""

    def load(self) -> Tokens | None:
        """Return the tokens, None without any."""
        ...

    def save(self, tokens: Tokens | None) -> None:
        """Keep these tokens, or none, in place of the old ones."""
        ...

    def acquire(self) -> bool:
        """Take the lock, if it is free; never wait for it."""
        ...

    def release(self) -> None:
        """Free the lock."""
        ...


class MemoryTokens:
    """Keeps tokens for this process alone."""

    def __init__(self, tokens: Tokens | None = None) -> None:
        self._tokens = tokens
        self._lock = Lock()

    def load(self) -> Tokens | None:
        """Return the tokens, None without any."""
        return self._tokens

    def save(self, tokens: Tokens | None) -> None:
        """Keep these tokens in place of the old ones."""
        self._tokens = tokens

    def acquire(self) -> bool:
        """Take the lock, if it is free."""
        return self._lock.acquire(blocking=False)

    def release(self) -> None:
        """Free the lock."""
        self._lock.release()


class FileTokens:
    """Keeps tokens in a file that only its owner can read, for all processes that name it.

    A second file beside it, with ".lock" at the end of its name, is the lock.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._lock = FileLock(self.path.with_name(f"{self.path.name}.lock"))

    def load(self) -> Tokens | None:
        """Return the tokens in the file. Raises OAuth2Error for a file that holds anything else."""
        try:
            return Tokens.read(json.loads(self.path.read_bytes()))
        except FileNotFoundError:
            return None
        except (ValueError, RecursionError):
            raise OAuth2Error(f"{self.path} holds no tokens: remove it and log in again") from None

    def save(self, tokens: Tokens | None) -> None:
        """Replace the file as a whole, so that an interruption leaves the old tokens."""
        if tokens is None:
            self.path.unlink(missing_ok=True)
            return
        # A temporary file is private from the start, and so is the final file.
        descriptor, temporary = tempfile.mkstemp(dir=self.path.parent, prefix=f".{self.path.name}.")
        try:
            with os.fdopen(descriptor, "w") as file:
                json.dump(tokens.as_mapping(), file)
            os.replace(temporary, self.path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise

    def acquire(self) -> bool:
        """Take the lock, if no process has it."""
        return self._lock.acquire()

    def release(self) -> None:
        """Free the lock."""
        self._lock.release()


class FileLock:
    """A lock between processes; the system frees it when its holder ends."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._held: int | None = None

    def acquire(self) -> bool:
        """Take the lock, if no other holder has it."""
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            _lock(descriptor)
        except OSError as error:
            os.close(descriptor)
            if error.errno not in _TAKEN:
                raise
            return False
        self._held = descriptor
        return True

    def release(self) -> None:
        """Free the lock."""
        if self._held is not None:
            held, self._held = self._held, None
            os.close(held)


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
