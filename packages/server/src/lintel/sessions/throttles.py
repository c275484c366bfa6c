"""Limits of attempts to log in: for an address, and for a user name from wherever it is tried."""

import unicodedata
from collections.abc import Mapping
from hashlib import sha256

from lintel.annotations import AnyRequest, AnyView
from lintel.throttling import SimpleRateThrottle

#: The largest number that is counted as a user name; no field for names takes as many digits.
MAX_NUMBER = 10**1000


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
            # The serializer takes numbers for their text, and refuses anything else.
            if not isinstance(name, int | float) or abs(name) > MAX_NUMBER:
                return None
            name = str(name)
        # As databases that ignore case would compare them; a digest has no odd characters.
        same = unicodedata.normalize("NFKC", name).strip().casefold()
        ident = sha256(same.encode("utf-8", "surrogatepass")).hexdigest()
        return self.cache_format % {"scope": self.scope, "ident": ident}
