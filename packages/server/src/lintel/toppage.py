"""The picture of ``python -m lintel top`` as a page for staff.

urlpatterns = [path("top/", lintel.toppage.top)]

It counts the lines of the request log, from the import of this module on. Processes tell each other
what they have counted through the default cache, if they share it (Redis, Memcached): every five
seconds, from a thread of its own, so that requests do not wait for it.
"""

import datetime
import logging
import os
import socket
import threading
import time
from contextlib import suppress

from django.contrib.auth.views import redirect_to_login
from django.core.cache import BaseCache, caches
from django.core.cache.backends.memcached import BaseMemcachedCache
from django.core.cache.backends.redis import RedisCache
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from lintel.requestlog.lines import MEMBERS
from lintel.top import HEAD, LOGGER, ORDERS, Picture, Totals

#: Seconds from one telling to the next, and for how long it is shown once a process has ended.
EVERY, KEPT = 5.0, 3600
#: The most processes that are added up.
PLACES = 128
SHARED = (RedisCache, BaseMemcachedCache)

#: Of a process: its name, since when it counts, and its totals.
Told = tuple[str, datetime.datetime, Totals]


class Counting(logging.Handler):
    """Counts the requests that are logged."""

    def __init__(self) -> None:
        super().__init__()
        self.picture, self.start, self.pid = Picture(), timezone.now(), os.getpid()
        self.teller: threading.Thread | None = None

    def emit(self, record: logging.LogRecord) -> None:
        members = getattr(record, MEMBERS, None)
        if not members:
            return
        if self.pid != os.getpid():  # what a forked process has from its parent is counted there
            self.picture, self.start, self.pid = Picture(), timezone.now(), os.getpid()
            self.teller = None
        self.picture.count(members)
        if self.teller is None:
            self.teller = threading.Thread(target=tell_on, name="lintel-top", daemon=True)
            self.teller.start()

    def told(self) -> Told:
        self.acquire()
        try:
            return process(), self.start, self.picture.totals()
        finally:
            self.release()


counting = Counting()
logging.getLogger(LOGGER).addHandler(counting)


def process() -> str:
    return f"{socket.gethostname()}, {os.getpid()}"


def places() -> list[str]:
    """Where processes tell, each at one place; other services of the same cache have others."""
    service = salted_hmac("lintel.top", "processes").hexdigest()[:16]
    return [f"lintel.top.{service}.{number}" for number in range(PLACES)]


def tell_on() -> None:
    """Tell the others, again and again, if there is a cache for it."""
    cache, place = caches["default"], None
    while isinstance(cache, SHARED):
        with suppress(Exception):  # the cache is away: requests say so
            place = tell(cache, place)
        time.sleep(EVERY)


def tell(cache: BaseCache, place: str | None) -> str | None:
    """Write what was counted to our place, or to a free one; return it, None if there is none."""
    told = counting.told()
    if place is not None and (cache.get(place) or told)[0] == told[0]:
        cache.set(place, told, KEPT)
        return place
    return next((name for name in places() if cache.add(name, told, KEPT)), None)


def told_by_all() -> list[Told]:
    """What this process has counted, and what others have told."""
    mine, others = counting.told(), list[Told]()
    cache = caches["default"]
    if isinstance(cache, SHARED):
        with suppress(Exception):
            others = list(cache.get_many(places()).values())
    return [mine, *(told for told in others if told[0] != mine[0])]


@require_safe
@never_cache
def top(request: HttpRequest) -> HttpResponseBase:
    """The routes, for users with ``is_staff``; others log in first, or get 403.

    ``?by=`` chooses the order, ``?budget=`` the statements that a request may send.
    """
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return redirect_to_login(request.get_full_path())
    if not user.is_staff:
        raise PermissionDenied
    order = request.GET.get("by", "")
    order = order if order in ORDERS else ORDERS[0]
    return render(request, "rest_framework/top.html", _context(order, _budget_of(request)))


def _budget_of(request: HttpRequest) -> int | None:
    text = request.GET.get("budget", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 7 else None


def _rows(
    picture: Picture, order: str, budget: int | None
) -> list[tuple[str, tuple[str, ...], bool]]:
    picture = picture if budget is None else picture.over(budget)
    routes = picture.by(order)
    return [(name, route.cells(budget), bool(route.errors)) for name, route in routes]


def _context(order: str, budget: int | None) -> dict[str, object]:
    picture, told = Picture(), told_by_all()
    for _, _, totals in told:
        picture.join(totals)
    return {
        "rows": _rows(picture, order, budget),
        "head": HEAD[:-1],
        "orders": ORDERS,
        "order": order,
        "budget": budget,
        "start": min(start for _, start, _ in told),
        "process": "; ".join(sorted(name for name, _, _ in told)),
        "is_logging": logging.getLogger(LOGGER).isEnabledFor(logging.INFO),
    }
