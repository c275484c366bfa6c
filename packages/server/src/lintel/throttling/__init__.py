"""Rate limits per client. All throttles of a view must agree, and each counts the request.

The built-in throttles store the times of each client's latest requests in Django's cache, as a
list under ``get_cache_key()``. Reading, deciding and writing are one step, in the cache itself or
under a lock for the client, so that of simultaneous requests, also in other threads and
processes, exactly the number that the rate allows passes.
"""

from lintel.patches import carry_on_patches
from lintel.settings import api_settings as api_settings
from lintel.throttling.base import BaseThrottle as BaseThrottle
from lintel.throttling.limits import RateLimit as RateLimit
from lintel.throttling.rates import AnonRateThrottle as AnonRateThrottle
from lintel.throttling.rates import ScopedRateThrottle as ScopedRateThrottle
from lintel.throttling.rates import SimpleRateThrottle as SimpleRateThrottle
from lintel.throttling.rates import UserRateThrottle as UserRateThrottle

carry_on_patches(__name__)
