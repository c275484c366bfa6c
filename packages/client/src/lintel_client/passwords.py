"""User names and passwords from a .netrc file."""

import os
import stat
from netrc import NetrcParseError, netrc
from pathlib import Path

from lintel_client.auth import basic_credentials
from lintel_client.errors import NetworkError
from lintel_client.messages import Request
from lintel_client.origins import origin_of, same_home

__all__ = ["Passwords", "PasswordsUnusable"]

_SHARED = stat.S_IRWXG | stat.S_IRWXO


class PasswordsUnusable(NetworkError):
    """A .netrc file cannot be used, so that nothing was sent."""


class Passwords:
    """The entries of a .netrc file, read when the first request needs one.

    Without a path, the file is that of the environment variable NETRC, or ~/.netrc (~/_netrc on
    Windows); only there it may be missing. An entry is for its host alone, on every port; the
    entry ``default`` is for every other host. A redirect to another host gets none of them.
    """

    def __init__(self, path: str | Path | None = None) -> None:
        self._path = None if path is None else Path(path).expanduser()
        self._entries: dict[str, tuple[str, str]] | None = None

    def authorization(self, request: Request) -> str | None:
        """Return the value of the Authorization header for a request, None without an entry.

        Raises PasswordsUnusable for a file that cannot be read or that others may read.
        """
        target = origin_of(request.url)
        if not same_home(target, origin_of(request.home or request.url)):
            return None
        if self._entries is None:
            self._entries = self._read()
        entry = self._entries.get(target.host) or self._entries.get("default")
        if entry is None:
            return None
        try:
            return basic_credentials(*entry)
        except ValueError as error:
            raise PasswordsUnusable(f"{self._place()}: {error}") from None

    def _read(self) -> dict[str, tuple[str, str]]:
        place = self._place()
        try:
            _check(place)
            hosts = netrc(place).hosts
        except FileNotFoundError:
            if self._path is None and not os.environ.get("NETRC"):
                return {}
            raise PasswordsUnusable(f"{place} does not exist") from None
        except NetrcParseError as error:
            # Its message may quote a password.
            raise PasswordsUnusable(f"{place} is not valid in line {error.lineno}") from None
        except (OSError, UnicodeDecodeError) as error:
            raise PasswordsUnusable(f"{place} cannot be read: {_reason(error)}") from None
        return {name.lower(): (entry[0], entry[2]) for name, entry in hosts.items()}

    def _place(self) -> Path:
        if self._path is not None:
            return self._path
        named = os.environ.get("NETRC")
        name = "_netrc" if os.name == "nt" else ".netrc"
        return Path(named).expanduser() if named else Path.home() / name


def _check(path: Path) -> None:
    """Reject a file that other users may read or write. Raises PasswordsUnusable."""
    if os.name == "nt":
        return
    found = path.stat()
    if found.st_mode & _SHARED or found.st_uid not in (0, os.getuid()):
        raise PasswordsUnusable(f"{path} belongs to others or they may read it: chmod 600 {path}")


def _reason(error: OSError | UnicodeDecodeError) -> str:
    return error.strerror or "" if isinstance(error, OSError) else "it is not in UTF-8"
