"""Keeps secrets out of everything that an agent sees."""

import base64
import binascii
import json
from collections.abc import Iterable
from threading import Lock
from urllib.parse import parse_qsl, quote, urlsplit

from lintel_client.messages import Request
from lintel_document.agents.answers import SECRET_NAMES
from lintel_document.hiding import HIDDEN

__all__ = ["Secrets"]

_HEADERS = frozenset(
    {
        *("authorization", "proxy-authorization", "cookie", "api-key", "x-api-key"),
        *("x-auth-token", "x-csrftoken", "x-access-token"),
    }
)
# Shorter values would hide parts of common words.
_SHORTEST = 4


class Secrets:
    """The secrets seen in requests; they are hidden in every text."""

    def __init__(self, headers: Iterable[str] = ()) -> None:
        self._headers = _HEADERS | {name.lower() for name in headers}
        self._values: set[str] = set()
        self._lock = Lock()

    def learn(self, request: Request) -> None:
        """Remember the secrets of a request as it is sent."""
        keys = {scheme.parameter.lower() for each in request.security or () for scheme in each}
        found: set[str] = set()
        for name, value in request.headers.pairs():
            if name.lower() in self._headers | keys:
                found |= _parts(value)
        for name, value in parse_qsl(urlsplit(request.url).query):
            if name.lower() in SECRET_NAMES | keys and len(value) >= _SHORTEST:
                found.add(value)
        spellings = {spelling for value in found for spelling in _spellings(value)}
        with self._lock:
            self._values |= spellings

    def hidden(self, text: str) -> str:
        """Return a text without any known secret."""
        with self._lock:
            # Longer ones first: one may be part of another.
            values = sorted(self._values, key=len, reverse=True)
        for value in values:
            text = text.replace(value, HIDDEN)
        return text


def _spellings(value: str) -> set[str]:
    """Return the forms of a value in a response: unchanged, in JSON, in a URL."""
    escaped = {json.dumps(value, ensure_ascii=ascii)[1:-1] for ascii in (True, False)}
    return {value, *escaped, quote(value, safe=""), quote(value)}


def _parts(value: str) -> set[str]:
    """Return a header's value, the part after its scheme, and its decoded base64."""
    credentials = value.partition(" ")[2]
    cookies = [pair.partition("=")[2] for pair in value.split("; ")]
    found = {value, credentials, *cookies, *_decoded(credentials)}
    return {part for part in found if len(part) >= _SHORTEST}


def _decoded(credentials: str) -> set[str]:
    try:
        text = base64.b64decode(credentials, validate=True).decode()
    except (binascii.Error, ValueError):
        return set()
    return {text, text.partition(":")[2]}
