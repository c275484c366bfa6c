"""The picture of ``python -m lintel top`` as a page for staff.

urlpatterns = [path("top/", lintel.toppage.top)]

It counts the lines of the request log of the process that answers, from the import of this module
on; several processes have one picture each, and that of all is made from their lines.
"""

import logging
import os
import socket

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from lintel.requestlog.lines import MEMBERS
from lintel.top import HEAD, LOGGER, ORDERS, Picture


class Counting(logging.Handler):
    """Counts the requests that are logged."""

    def __init__(self) -> None:
        super().__init__()
        self.picture, self.start = Picture(), timezone.now()

    def emit(self, record: logging.LogRecord) -> None:
        members = getattr(record, MEMBERS, None)
        if members:
            self.picture.count(members)


counting = Counting()
logging.getLogger(LOGGER).addHandler(counting)


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


def _rows(order: str, budget: int | None) -> list[tuple[str, tuple[str, ...], bool]]:
    counting.acquire()
    try:
        picture = counting.picture if budget is None else counting.picture.over(budget)
        routes = picture.by(order)
        return [(name, route.cells(budget), bool(route.errors)) for name, route in routes]
    finally:
        counting.release()


def _context(order: str, budget: int | None) -> dict[str, object]:
    return {
        "rows": _rows(order, budget),
        "head": HEAD[:-1],
        "orders": ORDERS,
        "order": order,
        "budget": budget,
        "start": counting.start,
        "process": f"{socket.gethostname()}, {os.getpid()}",
        "is_logging": logging.getLogger(LOGGER).isEnabledFor(logging.INFO),
    }
