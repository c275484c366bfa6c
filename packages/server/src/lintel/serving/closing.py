"""The end of a response, without a signal if nobody but Django listens."""

import contextlib
from collections.abc import Iterator
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from lintel.overrides import OURS, package_of
from lintel.serving.connections import caches_need_no_closing
from lintel.serving.signals import end, finished

_close = HttpResponseBase.close


def closes_promptly(response: Any, request: HttpRequest) -> bool:
    """Return whether closing it calls nothing that blocks."""
    return (
        # A view of lintel only drops there what it holds.
        all(
            closer == request.close or package_of(type(closer)) == OURS
            for closer in response._resource_closers
        )
        and not vars(request).get("_files")
        and _is_djangos(response)
        and finished.is_only_django()
        and caches_need_no_closing()
    )


def close(response: Any) -> None:
    """Do what ``response.close()`` does."""
    if not _is_djangos(response) or not finished.is_only_django():
        response.close()
        return
    for closer in response._resource_closers:
        with contextlib.suppress(Exception):
            closer()
    response._resource_closers.clear()
    response.closed = True
    end()


def _is_djangos(response: Any) -> bool:
    return type(response).close is _close and "close" not in vars(response)


class Body:
    """What a WSGI server sends, and closes afterwards."""

    __slots__ = ("_response",)

    def __init__(self, response: Any) -> None:
        self._response = response

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._response)

    def close(self) -> None:
        close(self._response)
