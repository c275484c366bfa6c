"""Limits of attempts to log in: for an address, and for a user name from wherever it is tried."""

import unicodedata
from collections.abc import Mapping
from hashlib import sha256

from lintel.annotations import AnyRequest, AnyView
from lintel.throttling import SimpleRateThrottle


class LoginAddressThrottle(SimpleRateThrottle):
    """Attempts from one address, with any name."""

    scope = "login_address"
    rate = "60/10m"

    def get_cache_key(self, request: AnyRequest, view: AnyView) -> str | None:
        return self.cache_format % {"scope": self.scope, "ident": self.get_ident(request)}


class LoginNameThrottle(SimpleRateThrottle):
    """Attempts with one name, whether it is that of a user or not."""

    scope = "login_name"
    rate = "20/10m"

    def get_cache_key(self, request: AnyRequest, view: AnyView) -> str | None:
        data = request.data
        name = data.get("username") if isinstance(data, Mapping) else None
        if not isinstance(name, str):
            return None  # such input is refused
        # As databases that ignore case would compare them; a digest has no odd characters.
        same = unicodedata.normalize("NFKC", name).strip().casefold()
        ident = sha256(same.encode("utf-8", "surrogatepass")).hexdigest()
        return self.cache_format % {"scope": self.scope, "ident": ident}
