"""Tokens as plain data, and how the answers of token endpoints are read (RFC 6749, 5.1)."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from lintel_client.errors import OAuth2Error
from lintel_client.headers import checked_header

__all__ = ["Tokens", "read_seconds", "tokens_of"]

LONGEST_TOKEN = 64 * 1024
LONGEST_LIFE = 10 * 365 * 24 * 3600
EARLY = 60.0
"""At most so many seconds before its end a token is replaced, or a quarter of a short life."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """An access token, and what belongs to it.

    ``expires_at`` and ``received_at`` are in seconds since the epoch; an ``expires_at`` of None
    is unknown. ``issuer``, ``token_url`` and ``client_id`` say where the tokens are from, ``host``
    is the origin that they are for, ``asked`` are the scopes that were asked for and ``scope``
    those that were granted, both separated by spaces.
    """

    access_token: str = field(repr=False)
    refresh_token: str = field(default="", repr=False)
    expires_at: float | None = None
    received_at: float = 0.0
    scope: str = ""
    asked: str = ""
    issuer: str = ""
    token_url: str = ""
    client_id: str = ""
    host: str = ""

    @property
    def header(self) -> tuple[str, str]:
        """Return the header field that carries the token (RFC 6750, 2.1)."""
        return "Authorization", f"Bearer {self.access_token}"

    def is_over(self, now: float) -> bool:
        """Return whether the token has expired by the clock of this machine."""
        return self.expires_at is not None and now >= self.expires_at

    def is_due(self, now: float) -> bool:
        """Return whether it is time for a new token: shortly before the end of this one."""
        if self.expires_at is None:
            return False
        return now >= self.expires_at - min(EARLY, (self.expires_at - self.received_at) / 4)

    def as_mapping(self) -> dict[str, Any]:
        """Return the tokens as JSON can hold them, secrets included."""
        return {name: value for name, value in asdict(self).items() if value not in ("", None)}

    @classmethod
    def read(cls, stored: Any) -> "Tokens":
        """Return tokens from what ``as_mapping`` returned. Raises ValueError for anything else."""
        names = {each.name for each in fields(cls)}
        if not isinstance(stored, Mapping) or not stored.get("access_token"):
            raise ValueError("there is no access token")
        kept = {name: value for name, value in stored.items() if name in names}
        for name, value in kept.items():
            wanted = int | float if name.endswith("_at") else str
            if not isinstance(value, wanted) or isinstance(value, bool):
                raise ValueError(f"{name} is not valid")
        checked_header("Authorization", kept["access_token"])
        return cls(**kept)


def tokens_of(answer: Mapping[str, Any], now: float) -> Tokens:
    """Return the tokens in a successful response. Raises OAuth2Error for one that is unusable."""
    kind = answer.get("token_type") or "Bearer"
    if not isinstance(kind, str) or kind.lower() != "bearer":
        raise OAuth2Error("The authorization server returned a token that is no bearer token")
    life = read_seconds(answer.get("expires_in"))
    scope = answer.get("scope")
    return Tokens(
        access_token=_secret(answer, "access_token", needed=True),
        refresh_token=_secret(answer, "refresh_token"),
        expires_at=None if life is None else now + life,
        received_at=now,
        scope=scope if isinstance(scope, str) else "",
    )


def read_seconds(value: Any) -> float | None:
    """Return a duration, which some servers send as text; None if there is no valid one."""
    try:
        seconds = float(value) if isinstance(value, int | float | str) else math.nan
    except (ValueError, OverflowError):
        return None
    if isinstance(value, bool) or not math.isfinite(seconds) or seconds < 0:
        return None
    return min(seconds, LONGEST_LIFE)


def _secret(answer: Mapping[str, Any], name: str, needed: bool = False) -> str:
    value = answer.get(name)
    if value is None and not needed:
        return ""
    if not isinstance(value, str) or not value or len(value) > LONGEST_TOKEN or not _plain(value):
        raise OAuth2Error(f"The response of the authorization server has no usable {name}")
    return value


def _plain(value: str) -> bool:
    """Return whether a secret has the characters that the standard allows (RFC 6749, A.12)."""
    return all("\x20" <= char <= "\x7e" for char in value)
