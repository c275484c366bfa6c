"""The base of all throttles: a decision, a time to wait, and the address of the client."""

from collections.abc import Sequence

from lintel.addresses import client_network
from lintel.annotations import AnyRequest, AnyView, HookResult
from lintel.marks import prompt
from lintel.request import Request
from lintel.settings import api_settings
from lintel.throttling.limits import RateLimit


class BaseThrottle:
    """Base of all throttles; ``allow_request`` may be ``async def``."""

    def allow_request(self, request: Request, view: AnyView) -> HookResult:
        raise NotImplementedError(".allow_request() must be overridden")

    @classmethod
    def may_refuse(cls, view: AnyView) -> bool:
        """Return whether requests to a view may be refused, for descriptions."""
        return True

    def get_ident(self, request: AnyRequest) -> str:
        """Return the address of the client: behind proxies, from X-Forwarded-For.

        Clients can put entries first there. With the setting NUM_PROXIES the entry added by the
        outermost of the project's own proxies counts; without it the whole header does. With
        TRUSTED_PROXIES see :mod:`lintel.addresses`.
        """
        if api_settings.TRUSTED_PROXIES is not None:
            return client_network(request)
        forwarded = request.META.get("HTTP_X_FORWARDED_FOR")
        remote = request.META.get("REMOTE_ADDR")
        proxies = api_settings.NUM_PROXIES
        if proxies is None:
            return "".join(forwarded.split()) if forwarded else remote
        if proxies == 0 or forwarded is None:
            return remote
        addresses = forwarded.split(",")
        return addresses[-min(proxies, len(addresses))].strip()

    @prompt
    def wait(self) -> float | None:
        """Return the seconds until a request may pass; None if unknown."""
        return None

    @prompt
    def get_rate_limit(self) -> RateLimit | Sequence[RateLimit] | None:
        """Return the limits to report after ``allow_request``; None for none."""
        return None
