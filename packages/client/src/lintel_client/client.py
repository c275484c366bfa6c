"""The client: fetch a document, call its links by name."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Any, Self

from lintel_client.auth import Auth
from lintel_client.building import build_get, build_request
from lintel_client.errors import NetworkError
from lintel_client.exchange import exchange
from lintel_client.lookup import FoundLink, find_link
from lintel_client.messages import MAX_BODY, Request, Response
from lintel_client.negotiation import (
    accept_data,
    accept_documents,
    decoder_for_format,
    default_decoders,
)
from lintel_client.origins import Origin, origin_of, same_home
from lintel_client.responses import NO_CONTENT, decode_response
from lintel_client.transforms import apply_transform
from lintel_client.transports import HTTPTransport, Transport
from lintel_document.codec import Codec
from lintel_document.document import Document

__all__ = ["Client"]


class Client:
    """Calls an API by what its documents say.

    `auth` proves who is asking, `decoders` are the codecs that read answers (default: the native
    one, plugins, JSON, text, downloads), `transports` send requests (default: HTTPTransport).
    `max_body` is the most, in bytes, that an answer may hold in memory; downloads go to disk
    without a limit. Usable as a context manager, which closes the connections.

    All methods raise NetworkError when no answer comes, ErrorMessage when the server refuses,
    ParseError or NoCodecAvailable when the answer cannot be read; all of them are LintelError.
    """

    def __init__(
        self,
        auth: Auth | None = None,
        decoders: Sequence[Codec] | None = None,
        transports: Sequence[Transport] | None = None,
        *,
        max_body: int = MAX_BODY,
    ) -> None:
        self.auth = auth
        self.decoders: tuple[Codec, ...] = tuple(
            default_decoders() if decoders is None else decoders
        )
        self.transports: tuple[Transport, ...] = tuple(
            [HTTPTransport()] if transports is None else transports
        )
        self.max_body = max_body
        self._homes: dict[Origin, str] = {}
        if not self.decoders or not self.transports:
            raise ValueError("A client needs at least one decoder and one transport")

    def get(self, url: str, format: str | None = None) -> Any:
        """Fetch a URL and return what is there: a Document where the server describes itself.

        `format` names the codec to read it with, whatever its content type.
        """
        self._homes[origin_of(url)] = url
        return self._get(url, format)

    def _get(self, url: str, format: str | None) -> Any:
        forced = decoder_for_format(self.decoders, format) if format else None
        accept = accept_documents([forced] if forced else self.decoders)
        response = self._send(replace(build_get(url, accept), home=self._home(url)))
        result = decode_response(response, self.decoders, self.max_body, forced)
        return None if result is NO_CONTENT else result

    def action(
        self,
        document: Document,
        keys: Sequence[str | int] | str,
        params: Mapping[str, Any] | None = None,
        validate: bool = True,
        overrides: Mapping[str, Any] | None = None,
    ) -> Any:
        """Call the link at a path of keys and return its result.

        `validate` off lets unknown names through. `overrides` replaces attributes of the link:
        url, action, encoding, transform, title, description, fields. The result is plain data, a
        Document, text, a Download, or None for no content; a link that acts in place on an
        embedded document returns the whole document, changed. Raises LinkLookupError and
        ParameterError before anything is sent.
        """
        found = self._found(document, keys, overrides)
        response = self._send(self._request(document, found, params, validate))
        result = decode_response(response, self.decoders, self.max_body)
        return apply_transform(document, found, result)

    def request(
        self,
        document: Document,
        keys: Sequence[str | int] | str,
        params: Mapping[str, Any] | None = None,
        validate: bool = True,
        overrides: Mapping[str, Any] | None = None,
    ) -> Request:
        """Return the request that `action` would send, without sending it.

        Credentials are part of it, except those that a transport adds.
        """
        found = self._found(document, keys, overrides)
        request = self._request(document, found, params, validate)
        return next(exchange(request, self.auth))

    def reload(self, document: Document, format: str | None = None) -> Any:
        """Fetch a document anew. Raises ValueError for a document without a URL."""
        if not document.url:
            raise ValueError("A document without a URL cannot be loaded again")
        return self._get(document.url, format)

    def close(self) -> None:
        """Close all connections."""
        for transport in self.transports:
            close = getattr(transport, "close", None)
            if close is not None:
                close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _found(
        self,
        document: Document,
        keys: Sequence[str | int] | str,
        overrides: Mapping[str, Any] | None,
    ) -> FoundLink:
        found = find_link(document, keys)
        if not overrides:
            return found
        return FoundLink(found.link.replace(**overrides), found.document, found.document_path)

    def _request(
        self,
        document: Document,
        found: FoundLink,
        params: Mapping[str, Any] | None,
        validate: bool,
    ) -> Request:
        request = build_request(
            found.link,
            params,
            base_url=found.document.url,
            accept=accept_data(self.decoders),
            validate=validate,
        )
        return replace(request, home=self._home(document.url or request.url))

    def _home(self, url: str) -> str:
        """The URL on whose behalf a request is made: `url` if its origin is one to trust.

        Trusted are the origins that were passed to `get`. What a server says, be it a redirect or
        the URL in a document, does not add to them, so it cannot call credentials elsewhere.
        """
        origin = origin_of(url)
        if not self._homes or any(same_home(origin, home) for home in self._homes):
            return url
        return next(iter(self._homes.values()))

    def _send(self, request: Request) -> Response:
        conversation = exchange(request, self.auth)
        outgoing = next(conversation)
        while True:
            response = self._transport(outgoing).send(outgoing)
            try:
                outgoing = conversation.send(response)
            except StopIteration as stop:
                return stop.value
            except BaseException:
                response.close()
                raise

    def _transport(self, request: Request) -> Transport:
        scheme = origin_of(request.url).scheme
        for transport in self.transports:
            if scheme in transport.schemes:
                return transport
        known = ", ".join(name for transport in self.transports for name in transport.schemes)
        raise NetworkError(f"No transport serves {scheme!r} URLs; there are: {known}")
