"""The types of operations: what stubs derive the operations of an API from."""

from collections.abc import Mapping
from typing import Any, Protocol, TypeVar, Unpack

from lintel_client.core import CallOptions
from lintel_document.operations import Pagination

__all__ = [
    "Call",
    "Listing",
    "OptionalCall",
    "OptionalListing",
    "OptionalStreaming",
    "Streaming",
]

Overrides = Mapping[str, Any]
Parameters = TypeVar("Parameters", contravariant=True)
Result = TypeVar("Result", covariant=True)


class Call(Protocol[Parameters, Result]):
    """The type of an operation that has required parameters."""

    def __call__(
        self,
        params: Parameters,
        validate: bool = True,
        overrides: Overrides | None = None,
        **options: Unpack[CallOptions],
    ) -> Result: ...


class OptionalCall(Protocol[Parameters, Result]):
    """The type of an operation that can be called without parameters."""

    def __call__(
        self,
        params: Parameters | None = None,
        validate: bool = True,
        overrides: Overrides | None = None,
        **options: Unpack[CallOptions],
    ) -> Result: ...


class Listing(Protocol[Parameters, Result]):
    """The type of an operation whose answer has a list and that has required parameters."""

    def pages(
        self,
        params: Parameters,
        validate: bool = True,
        overrides: Overrides | None = None,
        *,
        pagination: Pagination | None = None,
        **options: Unpack[CallOptions],
    ) -> Result: ...


class OptionalListing(Protocol[Parameters, Result]):
    """The type of an operation whose answer has a list and that needs no parameters."""

    def pages(
        self,
        params: Parameters | None = None,
        validate: bool = True,
        overrides: Overrides | None = None,
        *,
        pagination: Pagination | None = None,
        **options: Unpack[CallOptions],
    ) -> Result: ...


class Streaming(Protocol[Parameters, Result]):
    """The type of an operation that answers with a stream and has required parameters."""

    def stream(
        self,
        params: Parameters,
        validate: bool = True,
        overrides: Overrides | None = None,
        *,
        format: str | None = None,
        max_item: int = ...,
        reconnect: bool = True,
        last_event_id: str = "",
        **options: Unpack[CallOptions],
    ) -> Result: ...


class OptionalStreaming(Protocol[Parameters, Result]):
    """The type of an operation that answers with a stream and needs no parameters."""

    def stream(
        self,
        params: Parameters | None = None,
        validate: bool = True,
        overrides: Overrides | None = None,
        *,
        format: str | None = None,
        max_item: int = ...,
        reconnect: bool = True,
        last_event_id: str = "",
        **options: Unpack[CallOptions],
    ) -> Result: ...
