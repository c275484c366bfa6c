"""Calls one operation for an agent, with rules in place of human checks."""

import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from lintel_client.client import Client
from lintel_client.errors import ConnectionFailed, NetworkError, ParameterError, RequestTimeout
from lintel_client.files import File
from lintel_client.messages import Request, Response
from lintel_client.origins import origin_of, same_home
from lintel_client.streaming.kinds import always_streams, format_of
from lintel_client.streaming.streams import Stream
from lintel_document.agents.inputs import GivenFile, Inputs, given_file
from lintel_document.agents.operations import Operation
from lintel_document.document import Document
from lintel_document.urls import resolve

__all__ = ["StreamLimits", "WatchedTransport", "call", "parameters"]


@dataclass(frozen=True, slots=True)
class StreamLimits:
    """How much of a stream an agent receives: items, seconds and bytes, whichever is first."""

    items: int = 100
    seconds: float = 10
    size: int = 1024 * 1024


class WatchedTransport:
    """A transport that passes each request, as it is sent, to a function, and bounds streams."""

    def __init__(
        self,
        inner: Any,
        watch: Callable[[Request], None],
        limits: StreamLimits = StreamLimits(),
    ) -> None:
        self.schemes: tuple[str, ...] = inner.schemes
        self.limits = limits
        self._inner = inner
        self._watch = watch

    def send(self, request: Request) -> Response:
        self._watch(self._inner.prepared(request))
        response: Response = self._inner.send(request)
        if response.status < 400 and format_of(response.headers.get("Content-Type", "")):
            response.body = _bounded(response.body, self.limits)
        return response

    def close(self) -> None:
        self._inner.close()


def _bounded(body: Iterable[bytes], limits: StreamLimits) -> Iterator[bytes]:
    """Yield what a stream sends within its limits; one that pauses for long ends there."""
    end = time.monotonic() + limits.seconds
    left = limits.size
    try:
        for chunk in body:
            yield chunk[:left]
            left -= len(chunk)
            if left <= 0 or time.monotonic() > end:
                return
    except RequestTimeout:
        return


def call(
    client: Client,
    document: Document,
    operation: Operation,
    inputs: Inputs,
    arguments: Mapping[str, Any],
    limits: StreamLimits,
) -> Any:
    """Call an operation and return its result; of a stream, a list of its first items.

    Writes have an Idempotency-Key. Raises ParameterError for arguments that do not fit or that
    would leave their place in the path, NetworkError for a URL that an argument would direct to
    another host, and what Client.action raises.
    """
    params = parameters(inputs, arguments)
    # The result is used alone, even if the link belongs to an embedded document.
    overrides = {"fields": inputs.fields, "transform": "new"}
    request = client.request(document, operation.keys, params, overrides=overrides)
    _check_origin(document, operation, request)
    keys = operation.keys
    if always_streams(operation.link):
        seconds = limits.seconds
        return _first_items(
            client.stream(
                document, keys, params, overrides=overrides, reconnect=False, timeout=seconds
            ),
            limits,
        )
    key = None if operation.is_safe else str(uuid.uuid4())
    return client.action(document, keys, params, overrides=overrides, idempotency_key=key)


def _first_items(stream: Stream[Any], limits: StreamLimits) -> list[Any]:
    items: list[Any] = []
    with stream:
        try:
            items.extend(islice(stream, limits.items))
        except (ConnectionFailed, RequestTimeout):
            # What has arrived is a result, too.
            if not items:
                raise
    return items


def parameters(inputs: Inputs, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of the client. Raises ParameterError for arguments that do not fit."""
    wrong = inputs.unknown(arguments) or inputs.misplaced(arguments)
    if wrong:
        raise ParameterError(wrong)
    return {
        inputs[name].parameter: _value(inputs, name, given) for name, given in arguments.items()
    }


def _value(inputs: Inputs, name: str, given: Any) -> Any:
    if not inputs[name].is_file:
        return given
    try:
        found = given_file(inputs[name], given)
    except ValueError as error:
        raise ParameterError({inputs[name].parameter: str(error)}) from None
    if isinstance(found, GivenFile):
        return File(found.name, found.content, found.content_type)
    return found


def _check_origin(document: Document, operation: Operation, request: Request) -> None:
    """Reject a URL whose host comes from an argument."""
    target = origin_of(request.url)
    template = resolve(document.url, operation.link.url)
    start, separator, rest = template.partition("://")
    authority = rest.partition("/")[0].partition("?")[0]
    if separator and "{" not in start + authority:
        expected = origin_of(f"{start}://{authority}/")
    else:
        expected = origin_of(document.url)
    if not same_home(target, expected):
        raise NetworkError("The arguments lead to another host, so nothing was sent")
