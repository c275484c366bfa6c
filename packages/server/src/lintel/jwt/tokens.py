"""An access token after its check, as ``request.auth``."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

#: The claims of a token, by name; what JSON can be.
Claims = Mapping[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class AccessToken:
    """The claims of a token, and the names of its scopes."""

    claims: Claims = field(repr=False)
    scopes: frozenset[str] = frozenset()

    @property
    def client_id(self) -> str | None:
        """Return the client that the token was issued to (RFC 9068, 2.2), or ``azp`` for it."""
        result = self.claims.get("client_id", self.claims.get("azp"))
        return result if isinstance(result, str) else None

    @property
    def expires(self) -> datetime | None:
        """When the token ends; None for never, or later than any date."""
        try:
            return datetime.fromtimestamp(self.claims["exp"], UTC)
        except (KeyError, TypeError, ValueError, OverflowError, OSError):
            return None


def scopes_in(claims: Claims) -> frozenset[str]:
    """Return names of scopes: of ``scope`` (RFC 8693, 4.2), or of ``scp`` of other issuers."""
    claim = claims.get("scope", claims.get("scp"))
    names = claim.split(" ") if isinstance(claim, str) else claim
    if not isinstance(names, list):
        return frozenset()
    return frozenset(name for name in names if isinstance(name, str) and name)
