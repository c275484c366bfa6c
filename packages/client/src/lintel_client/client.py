"""The client: fetch a document, call its links by name."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar, Unpack

from lintel_client.auth import Auth
from lintel_client.caching import Cache
from lintel_client.core import BaseClient, CallOptions, Keys
from lintel_client.downloads import Download
from lintel_client.exchange import Hook
from lintel_client.messages import MAX_BODY, Request, Response
from lintel_client.operations import Operations
from lintel_client.pages import Pages
from lintel_client.retries import Retry
from lintel_client.steps import Call, take_steps
from lintel_client.streaming.reception import MAX_ITEM, StreamOptions
from lintel_client.streaming.streams import Stream
from lintel_client.transports import HTTPTransport, Transport, chosen_transports
from lintel_client.versions import Version
from lintel_document.codec import Codec
from lintel_document.document import Document
from lintel_document.operations import Pagination

__all__ = ["Client"]

Outcome = TypeVar("Outcome")


class Client(BaseClient):
    """Calls an API as described by its documents.

    ``auth`` authenticates the caller, ``decoders`` are the codecs that read responses (default: the
    native one, plugins, JSON, text, downloads), ``transports`` send requests (default:
    HTTPTransport), or ``session``, an ``httpx2.Client`` of yours, does. ``max_body`` is the most,
    in bytes, that a response may hold in memory; downloads go to disk without a limit. ``retry``
    controls when calls are tried again (default: never). ``hooks`` are called around each request,
    see Hook. ``version`` is the version of the API to ask for, see Version. With ``parse``, texts
    in answers become dates, UUIDs and decimals where the description says so. ``netrc``
    reads passwords from ~/.netrc or the file that it names; ``cache``, a
    Cache, keeps responses to GET (default: none). Usable as a context manager, which
    closes the connections.

    All methods raise NetworkError if no response comes, ErrorMessage if the server refuses,
    ParseError or NoCodecAvailable if the response cannot be read; all of them are LintelError.
    All methods that send take the options of ``lintel_client.core.CallOptions`` as well.
    """

    def __init__(
        self,
        auth: Auth | None = None,
        decoders: Sequence[Codec] | None = None,
        transports: Sequence[Transport] | None = None,
        *,
        max_body: int = MAX_BODY,
        session: Any = None,
        retry: Retry | None = None,
        hooks: Sequence[Hook] = (),
        version: Version | str | None = None,
        parse: bool = False,
        netrc: bool | str | Path = False,
        cache: Cache | None = None,
    ) -> None:
        chosen = chosen_transports(HTTPTransport, transports, session, netrc=netrc, cache=cache)
        super().__init__(
            auth,
            decoders,
            chosen,
            max_body=max_body,
            retry=retry,
            hooks=hooks,
            version=version,
            parse=parse,
        )

    def get(self, url: str, format: str | None = None, **options: Unpack[CallOptions]) -> Any:
        """Fetch a URL and return its content: a Document if the server describes itself.

        ``format`` names the codec to read it with, whatever its content type.
        """
        return self._take(self._getting(url, format, options))

    def action(
        self,
        document: Document,
        keys: Keys,
        params: Mapping[str, Any] | None = None,
        validate: bool = True,
        overrides: Mapping[str, Any] | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Call the link at a path of keys and return its result.

        With ``validate=False``, unknown names are allowed. ``overrides`` replaces attributes of the
        link: url, action, encoding, transform, title, description, fields; ``server`` and
        ``server_variables`` choose among the servers of a described link. The result is plain data,
        a Document, text, a Download, or None for no content; a link that acts in place on an
        embedded document returns the whole changed document. Raises LinkLookupError and
        ParameterError before anything is sent.
        """
        return self._take(self._acting(document, keys, params, validate, overrides, options))

    def reload(
        self, document: Document, format: str | None = None, **options: Unpack[CallOptions]
    ) -> Any:
        """Fetch a document again. Raises ValueError for a document without a URL."""
        return self._take(self._reloading(document, format, options))

    def download(
        self,
        document: Document,
        keys: Keys,
        path: str | Path,
        params: Mapping[str, Any] | None = None,
        validate: bool = True,
        overrides: Mapping[str, Any] | None = None,
        *,
        resume: bool = True,
        **options: Unpack[CallOptions],
    ) -> Download:
        """Call the link at a path of keys and write the response to a file.

        ``path`` names the file, which is replaced when all has arrived, or an existing folder, in
        which no file is replaced. An interrupted call leaves its part as NAME.part, and
        a later call resumes it if the server supports that and has the same version; with
        ``resume=False``, it starts again. Raises OSError if the file cannot be written.
        """
        arguments = (path, params, validate, overrides, resume, options)
        return self._take(self._downloading(document, keys, *arguments))

    def operations(self, document: Document) -> Operations:
        """Return the operations of a document, each callable: ``[key][key](params)``.

        Stubs give them types; for all else they are what ``action``, ``pages`` and ``stream`` do.
        """
        return Operations(self, document)

    def pages(
        self,
        document: Document,
        keys: Keys,
        params: Mapping[str, Any] | None = None,
        validate: bool = True,
        overrides: Mapping[str, Any] | None = None,
        *,
        pagination: Pagination | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages[Any]:
        """Iterate over the items of all pages of a list, fetching them while they are read.

        The next page is given by the link (``pagination``, from a description or passed here),
        or by the response in one of the known styles. The errors of ``action`` are raised when a
        page is fetched, LinkLookupError and ParameterError at once; ParseError if a response has
        no list.
        """
        start = self._paging(document, keys, params, validate, overrides, pagination, options)
        return Pages(start, self._take)

    def stream(
        self,
        document: Document,
        keys: Keys,
        params: Mapping[str, Any] | None = None,
        validate: bool = True,
        overrides: Mapping[str, Any] | None = None,
        *,
        format: str | None = None,
        max_item: int = MAX_ITEM,
        reconnect: bool = True,
        last_event_id: str = "",
        **options: Unpack[CallOptions],
    ) -> Stream[Any]:
        """Iterate over the items of a stream as they arrive, for as long as it lasts.

        Server-sent events are Event, the items of NDJSON and of JSON text sequences are the values
        of the JSON; ``format`` ("sse", "ndjson", "json-seq") names one that the server does not.
        Events that are read with GET are asked for again when the connection ends or breaks, after
        the time that the server has named, from the last event on, until it responds with 204;
        ``reconnect=False`` ends with the connection. ``last_event_id`` continues an earlier stream.

        The stream may pause for any time, unless the call has a ``timeout``. The errors of
        ``action`` are raised before the first item, LinkLookupError and ParameterError at once;
        later NetworkError for a broken connection and for an item of more than ``max_item`` bytes,
        ParseError for one that is malformed. Raises ValueError for an unknown format.
        """
        how = StreamOptions(format, max_item, reconnect, last_event_id)
        start = self._streaming(document, keys, params, validate, overrides, how, options)
        return Stream(start, self._take)

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

    def _take(self, call: Call[Outcome]) -> Outcome:
        return take_steps(call, self._send)

    def _send(self, request: Request) -> Response:
        response: Response = self._transport(request).send(request)
        return response
