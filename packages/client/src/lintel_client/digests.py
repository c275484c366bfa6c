"""Digests of received content (RFC 9530): sha-256 and sha-512 in Content-Digest, Repr-Digest."""

import base64
import binascii
import hashlib
import re
from pathlib import Path
from typing import Any

from lintel_client.errors import DigestMismatch
from lintel_client.headers import Headers

__all__ = ["Verifier", "check_file", "verifier_of"]

# The strongest first: of several digests, one is enough.
ALGORITHMS = {"sha-512": hashlib.sha512, "sha-256": hashlib.sha256}

_MEMBER = re.compile(r"(sha-256|sha-512)\s*=\s*:([A-Za-z0-9+/=]*):")


class Verifier:
    """Compares received bytes with the promised digest."""

    def __init__(self, header: str, algorithm: str, expected: bytes, place: str) -> None:
        self._header = header
        self._algorithm = algorithm
        self._expected = expected
        self._place = place
        self._hash: Any = ALGORITHMS[algorithm]()

    def update(self, chunk: bytes) -> None:
        self._hash.update(chunk)

    def verify(self) -> None:
        """Raise DigestMismatch unless everything has arrived, unchanged."""
        if self._hash.digest() != self._expected:
            raise DigestMismatch(
                f"The content of {self._place} differs from its {self._header} ({self._algorithm})"
            )


def verifier_of(headers: Headers, status: int, method: str, place: str) -> Verifier | None:
    """Return the verifier for a response's raw body; None without a known digest."""
    if method == "HEAD" or status in (204, 304):
        return None
    found = _promised(headers, "Content-Digest", place)
    is_whole = method == "GET" and status == 200
    return found or (_promised(headers, "Repr-Digest", place) if is_whole else None)


def check_file(path: Path, headers: Headers, place: str) -> None:
    """Compare a file that arrived in parts with the digest of the whole. Raises DigestMismatch."""
    verifier = _promised(headers, "Repr-Digest", place)
    if verifier is None or headers.get("Content-Encoding", "identity") != "identity":
        return
    with path.open("rb") as file:
        while chunk := file.read(1 << 20):
            verifier.update(chunk)
    verifier.verify()


def _promised(headers: Headers, header: str, place: str) -> Verifier | None:
    members = dict(_MEMBER.findall(headers.get(header, "")))
    for algorithm in ALGORITHMS:
        try:
            expected = base64.b64decode(members[algorithm], validate=True)
        except (KeyError, binascii.Error):
            continue
        return Verifier(header, algorithm, expected, place)
    return None
