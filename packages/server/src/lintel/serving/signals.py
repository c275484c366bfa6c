"""What Django's own receivers do at the start and at the end of a request, without the signals.

Each of them asks for the connections of the thread again. If nobody else listens, their work is
done here, in one go; else the signals are sent.
"""

import weakref
from collections.abc import Callable
from typing import Any

from django.core.cache import caches, close_caches
from django.core.handlers.base import reset_urlconf
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, reset_queries
from django.dispatch import Signal
from django.urls import set_urlconf

from lintel.serving.connections import caches_need_no_closing, opened


class Listening:
    """Whether exactly Django's own receivers listen to a signal."""

    def __init__(self, signal: Signal, *expected: Callable[..., object]) -> None:
        self._signal, self._own = signal, {(id(None), receiver) for receiver in expected}
        self._kept: list[Any] = []
        self._answer = False

    def is_only_django(self) -> bool:
        receivers = self._signal.receivers
        if receivers != self._kept:
            current = list(receivers)
            self._answer = {_listener(entry) for entry in current} == self._own
            self._kept = current
        return self._answer


def _listener(entry: Any) -> tuple[int, object]:
    """Return the id of the sender and the function of an entry of ``Signal.receivers``."""
    (_, sender), receiver = entry[0], entry[1]
    is_reference = isinstance(receiver, weakref.ReferenceType)
    return sender, receiver() if is_reference else receiver


started = Listening(request_started, reset_queries, close_old_connections)
finished = Listening(request_finished, close_old_connections, close_caches, reset_urlconf)


def begin() -> None:
    """Do the work of Django's receivers of ``request_started``."""
    for connection in (used := opened()):
        connection.queries_log.clear()
    for connection in used:
        connection.close_if_unusable_or_obsolete()


def end() -> None:
    """Do the work of Django's receivers of ``request_finished``."""
    for connection in opened():
        connection.close_if_unusable_or_obsolete()
    if not caches_need_no_closing():
        caches.close_all()
    set_urlconf(None)
