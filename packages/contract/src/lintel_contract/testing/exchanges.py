"""One request and its response, as test clients report them to observers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and the service's response. Header names are in lower case.

    A body is None if it is a stream, which only its reader may consume. ``response`` is the
    client's own object, for observers that know its library.
    """

    method: str
    path: str
    query: str
    request_headers: Mapping[str, str]
    request_body: bytes | None
    status: int
    response_headers: Mapping[str, str]
    response_body: bytes | None
    response: object = None


#: Called with each exchange of the clients that are listened to, while the settings of the test
#: are active.
observers: list[Callable[[Exchange], None]] = []


def note(exchange: Exchange) -> None:
    """Report an exchange to the observers."""
    for observe in observers:
        observe(exchange)
