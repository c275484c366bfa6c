"""The keys of an issuer: fetched from its JWKS (RFC 7517), held, and fetched again on rotation.

A fetch follows no redirect, reads a bounded body, and ends at its deadline, however slowly the
server sends. One thread fetches at a time; the others go on with the keys that are held.
"""

import http.client
import logging
import threading
import time
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import ip_address
from typing import Generic, TypeVar
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

from lintel import status
from lintel.exceptions import APIException, Detail
from lintel.throttling.deadlines import timed

logger = logging.getLogger(__name__)

KeysT = TypeVar("KeysT")

#: Seconds: of one fetch, until keys are fetched again, and how long they are used while that fails.
TIMEOUT = 5.0
LIFETIME = 60 * 60
LONGEST_USE = 24 * 60 * 60

#: Seconds between two fetches because of unknown keys, and between two after a failure.
INTERVAL = 30.0

#: The most bytes of a JWKS.
MAX_SIZE = 256 * 1024


class KeysUnavailable(APIException):
    """No token can be checked, because the issuer's keys cannot be fetched."""

    status_code = status.HTTP_503_SERVICE_UNAVAILABLE
    default_detail: Detail = "Tokens cannot be checked at the moment."
    default_code = "keys_unavailable"
    wait = INTERVAL


@dataclass(frozen=True, slots=True)
class _Held(Generic[KeysT]):
    keys: KeysT
    since: float


class KeySet(Generic[KeysT]):
    """The keys behind one URL, in the form that ``read`` makes of the body."""

    def __init__(self, url: str, read: Callable[[bytes], KeysT]) -> None:
        self.url, self.read = checked_url(url), read
        self.lock = threading.Lock()
        self.held: _Held[KeysT] | None = None
        #: When to fetch again: at all, and because of a key that is not there.
        self.next_try = self.next_search = 0.0

    def keys(self) -> KeysT:
        """Return the keys, fetched if there are none or they are old. Raises KeysUnavailable."""
        held, now = self.held, time.monotonic()
        if held is not None and now - held.since < LIFETIME:
            return held.keys
        return self.renewed(held, wait=self.usable(held) is None)

    def searched(self) -> KeysT:
        """Return the keys after a look for new ones, if one is due. Raises KeysUnavailable."""
        held = self.held
        if time.monotonic() < self.next_search:
            return self.keys()
        return self.renewed(held, wait=True, search=True)

    def renewed(self, seen: "_Held[KeysT] | None", *, wait: bool, search: bool = False) -> KeysT:
        if self.lock.acquire(timeout=TIMEOUT + 1 if wait else 0):
            try:
                if self.held is seen and time.monotonic() >= self.next_try:
                    self.fetch(search)
            finally:
                self.lock.release()
        usable = self.usable(self.held)
        if usable is None:
            raise KeysUnavailable
        return usable.keys

    def fetch(self, search: bool) -> None:
        now = time.monotonic()
        if search:
            self.next_search = now + INTERVAL
        try:
            body = timed(lambda: fetched(self.url), TIMEOUT)
            self.held = _Held(self.read(body), time.monotonic())
        except (OSError, ValueError, http.client.HTTPException) as error:
            self.next_try = time.monotonic() + INTERVAL
            reason = f"no answer within {TIMEOUT} s" if isinstance(error, TimeoutError) else error
            logger.error("The keys at %s cannot be fetched: %.200s", self.url, reason)

    def usable(self, held: "_Held[KeysT] | None") -> "_Held[KeysT] | None":
        is_usable = held is not None and time.monotonic() - held.since < LONGEST_USE
        return held if is_usable else None


@lru_cache(maxsize=32)
def key_set(url: str, read: Callable[[bytes], KeysT]) -> KeySet[KeysT]:
    """Return the keys of a URL that all requests of this process share."""
    return KeySet(url, read)


def checked_url(url: str) -> str:
    """Return the URL. Raises ImproperlyConfigured unless it is https, or on this machine."""
    parts = urlsplit(url)
    is_safe = parts.scheme == "https" or (parts.scheme == "http" and _is_here(parts.hostname or ""))
    if not is_safe or not parts.hostname:
        raise ImproperlyConfigured(f"Keys are fetched by https, not from {url!r}.")
    return url


def _is_here(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def fetched(url: str) -> bytes:
    """Return the body behind a URL. Raises OSError for anything but 200 and a body of some size."""
    # Without the handlers of redirects, files and FTP.
    opener = urllib.request.OpenerDirector()
    for handler in (urllib.request.ProxyHandler, urllib.request.HTTPHandler):
        opener.add_handler(handler())
    opener.add_handler(urllib.request.HTTPSHandler())
    headers = {"Accept": "application/json", "User-Agent": "django-lintel"}
    request = urllib.request.Request(url, headers=headers)  # noqa: S310 - checked_url()
    with opener.open(request, timeout=TIMEOUT) as response:
        if response.status != 200:
            raise OSError(f"status {response.status}")
        body: bytes = response.read(MAX_SIZE + 1)
    if len(body) > MAX_SIZE:
        raise OSError(f"more than {MAX_SIZE} bytes")
    return body
