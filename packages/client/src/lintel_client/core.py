"""The shared part of Client and AsyncClient: the requests of a call and their results.

All calls are generators of steps (``lintel_client.steps``); each client runs the steps in its way.
"""

import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol, TypedDict

from lintel_client.auth import Auth
from lintel_client.building import build_get, build_request
from lintel_client.contents import reporting
from lintel_client.downloads import Download
from lintel_client.errors import ConnectionFailed, DigestMismatch, NetworkError, RequestTimeout
from lintel_client.exchange import exchange, with_credentials
from lintel_client.files import holds_file
from lintel_client.headers import checked_header
from lintel_client.lookup import FoundLink, find_link, overridden
from lintel_client.messages import Request
from lintel_client.negotiation import (
    accept_data,
    accept_documents,
    decoder_for_format,
    default_decoders,
)
from lintel_client.origins import Origin, origin_of, same_home
from lintel_client.pages import WalkStart
from lintel_client.parameters import FRAMING_HEADERS
from lintel_client.progress import ProgressCallback
from lintel_client.refusals import NO_NAMES, ParameterNames
from lintel_client.responses import NO_CONTENT, Reading, decoding
from lintel_client.resuming import PartialFile
from lintel_client.retries import KEY_HEADER, Attempts, Retry, is_key, may_repeat
from lintel_client.steps import AnyResponse, Call, Close, Wait, Work
from lintel_client.streaming.kinds import accept_streams
from lintel_client.streaming.reception import Receive, StreamOptions, StreamStart
from lintel_client.transforms import apply_transform
from lintel_client.versions import Version, with_version, with_version_parameter
from lintel_document.codec import Codec
from lintel_document.document import Document
from lintel_document.links import Link
from lintel_document.operations import Pagination

__all__ = ["BaseClient", "CallOptions", "Keys", "Schemed"]

Keys = Sequence[str | int] | str


class CallOptions(TypedDict, total=False):
    """The options of one call.

    ``timeout`` is in seconds for each of connecting, sending and waiting for data, infinite for no
    limit. ``headers`` are sent only to the origin of the call. ``progress`` is called with a
    Progress after each part of a body. ``retry`` overrides that of the client. ``idempotency_key``
    identifies a write, so that the service carries it out once however often it arrives.
    """

    timeout: float | None
    headers: Mapping[str, str] | None
    progress: ProgressCallback | None
    retry: Retry | None
    idempotency_key: str | None


@dataclass(frozen=True, slots=True)
class _Options:
    """CallOptions with their defaults."""

    timeout: float | None = None
    headers: Mapping[str, str] | None = None
    progress: ProgressCallback | None = None
    retry: Retry | None = None
    idempotency_key: str | None = None


class Schemed(Protocol):
    """The attribute by which a client chooses a transport."""

    @property
    def schemes(self) -> tuple[str, ...]: ...


class BaseClient:
    """The arguments of a client, and its calls as steps. Use Client or AsyncClient."""

    def __init__(
        self,
        auth: Auth | None,
        decoders: Sequence[Codec] | None,
        transports: Sequence[Any],
        *,
        max_body: int,
        retry: Retry | None,
        hooks: Sequence[Any],
        version: Version | str | None,
        parse: bool,
    ) -> None:
        self.auth = auth
        self.decoders: tuple[Codec, ...] = tuple(
            default_decoders() if decoders is None else decoders
        )
        self.transports: tuple[Any, ...] = tuple(transports)
        self.max_body = max_body
        self.retry = retry
        self.hooks: tuple[Any, ...] = tuple(hooks)
        self.version: Version | None = Version(version) if isinstance(version, str) else version
        self.parse = parse
        self._homes: dict[Origin, str] = {}
        if not self.decoders or not self.transports:
            raise ValueError("A client needs at least one decoder and one transport")
        _check("auth", auth, Auth, "TokenAuthentication(...)")
        _check("retry", retry, Retry, "Retry(total=3)")
        _check("version", self.version, Version, "'v2' or Version('v2', 'path')")
        _check_parts("decoder", self.decoders, _is_decoder, "a codec: JSONCodec()")
        _check_parts("transport", self.transports, _is_transport, "one with schemes and send()")
        _check_parts("hook", self.hooks, _is_hook, "an object with before() or after()")

    def request(
        self,
        document: Document,
        keys: Keys,
        params: Mapping[str, Any] | None = None,
        validate: bool = True,
        overrides: Mapping[str, Any] | None = None,
    ) -> Request:
        """Return the request that ``action`` would send, without sending it.

        It includes credentials, except those that a transport adds.
        """
        found = _found(document, keys, overrides)
        request = self._request(document, found, params, validate)
        return with_credentials(request, self.auth)

    def _getting(self, url: str, format: str | None, options: CallOptions) -> Call[Any]:
        url = self.version.pinned_url(url) if self.version else url
        self._homes[origin_of(url)] = url
        return self._fetching(url, format, options)

    def _reloading(self, document: Document, format: str | None, options: CallOptions) -> Call[Any]:
        if not document.url:
            raise ValueError("A document without a URL cannot be reloaded")
        return self._fetching(document.url, format, options)

    def _fetching(self, url: str, format: str | None, options: CallOptions) -> Call[Any]:
        forced = decoder_for_format(self.decoders, format) if format else None
        accept = accept_documents([forced] if forced else self.decoders)
        request = with_version(self.version, build_get(url, accept))
        request = replace(request, home=self._home(request.url))
        chosen = _chosen(options)
        result = yield from self._calling(request, chosen, forced=forced, documents=True)
        return None if result is NO_CONTENT else result

    def _acting(
        self,
        document: Document,
        keys: Keys,
        params: Mapping[str, Any] | None,
        validate: bool,
        overrides: Mapping[str, Any] | None,
        options: CallOptions,
    ) -> Call[Any]:
        found = _found(document, keys, overrides)
        chosen = _chosen(options)
        request = yield from self._building(document, found, params, validate)
        request = self._identified(request, found.link, chosen)
        names = _names(found.link, params or {})
        parsing = found.link if self.parse else None
        result = yield from self._calling(request, chosen, names, parsing=parsing)
        return apply_transform(document, found, result)

    def _paging(
        self,
        document: Document,
        keys: Keys,
        params: Mapping[str, Any] | None,
        validate: bool,
        overrides: Mapping[str, Any] | None,
        pagination: Pagination | None,
        options: CallOptions,
    ) -> WalkStart:
        found = _found(document, keys, overrides)
        chosen = _chosen(options)
        names, parsing = _names(found.link, params or {}), found.link if self.parse else None
        reading = Reading(self.decoders, self.max_body, names=names, parsing=parsing)

        def receive(response: AnyResponse) -> Call[tuple[AnyResponse, Any]]:
            result = yield from decoding(response, reading)
            return response, None if result is NO_CONTENT else result

        def fetch(request: Request) -> Call[tuple[AnyResponse, Any]]:
            identified = self._identified(request, found.link, chosen)
            return self._trying(identified, chosen.retry or self.retry, receive)

        def build(params: Mapping[str, Any]) -> Request:
            return _with_options(self._request(document, found, params, validate), chosen)

        hint = pagination or found.link.pagination
        return WalkStart(found.link, params or {}, hint, build, fetch)

    def _streaming(
        self,
        document: Document,
        keys: Keys,
        params: Mapping[str, Any] | None,
        validate: bool,
        overrides: Mapping[str, Any] | None,
        how: StreamOptions,
        options: CallOptions,
    ) -> StreamStart:
        found = _found(document, keys, overrides)
        chosen = _chosen(options)
        request = self._identified(
            self._request(document, found, params, validate), found.link, chosen
        )
        if how.format is None:
            accept = ("Accept", accept_streams(found.link.accept))
            request = replace(request, headers=request.headers.setting([accept]))
        request = replace(_with_options(request, chosen), patient=chosen.timeout is None)
        reading = Reading(self.decoders, self.max_body, None, _names(found.link, params or {}))

        def send(request: Request, receive: Receive) -> Call[AnyResponse | None]:
            return self._trying(request, chosen.retry or self.retry, receive)

        return StreamStart(request, send, reading, found.link.item_schemas, how)

    def _downloading(
        self,
        document: Document,
        keys: Keys,
        path: str | Path,
        params: Mapping[str, Any] | None,
        validate: bool,
        overrides: Mapping[str, Any] | None,
        resume: bool,
        options: CallOptions,
    ) -> Call[Download]:
        found = _found(document, keys, overrides)
        chosen = _chosen(options)
        request = yield from self._building(document, found, params, validate)
        request = _with_options(self._identified(request, found.link, chosen), chosen)
        request = replace(request, uncached=True)
        partial = yield Work(PartialFile, (Path(path), request, resume))
        reading = Reading(self.decoders, self.max_body, None, _names(found.link, params or {}))

        def receive(response: AnyResponse) -> Call[Download | None]:
            if response.status >= 400 and not partial.expects(response):
                return (yield from decoding(response, reading))
            return (yield from partial.receiving(response, chosen.progress))

        try:
            retry = chosen.retry or self.retry
            complete = yield from self._trying(request, retry, receive, partial.asking)
            while complete is None:
                complete = yield from self._trying(request, retry, receive, partial.asking)
            return complete
        except Exception:
            yield Work(partial.leave)
            raise
        except BaseException:
            # A cancelled call takes no more steps.
            partial.leave()
            raise

    def _calling(
        self,
        request: Request,
        options: _Options,
        names: ParameterNames = NO_NAMES,
        forced: Codec | None = None,
        documents: bool = False,
        parsing: Link | None = None,
    ) -> Call[Any]:
        decoders, limit, progress = self.decoders, self.max_body, options.progress
        reading = Reading(decoders, limit, forced, names, progress, documents, parsing)
        return self._trying(
            _with_options(request, options),
            options.retry or self.retry,
            lambda response: decoding(response, reading),
        )

    def _trying(
        self,
        request: Request,
        retry: Retry | None,
        receive: Callable[[AnyResponse], Call[Any]],
        prepare: Callable[[Request], Request] | None = None,
    ) -> Call[Any]:
        """Send a request, with retries if enabled, and return what ``receive`` makes of it.

        Each try sends the result of ``prepare``, which may read files.
        """
        attempts = Attempts(retry, request)
        while True:
            try:
                prepared = (yield Work(prepare, (request,))) if prepare else request
                response = yield from exchange(prepared, self.auth, self.hooks)
                delay = attempts.after_answer(response.status, response.headers)
                if delay is None:
                    return (yield from receive(response))
                yield Close(response)
            except (ConnectionFailed, DigestMismatch, RequestTimeout):
                delay = attempts.after_failure()
                if delay is None:
                    raise
            yield Wait(delay)

    def _building(
        self,
        document: Document,
        found: FoundLink,
        params: Mapping[str, Any] | None,
        validate: bool,
    ) -> Call[Request]:
        """Return the request of a link, reading files that are sent whole."""
        arguments = (document, found, params, validate)
        if holds_file(params):
            return (yield Work(self._request, arguments))
        return self._request(*arguments)

    def _request(
        self,
        document: Document,
        found: FoundLink,
        params: Mapping[str, Any] | None,
        validate: bool,
    ) -> Request:
        request = build_request(
            found.link,
            with_version_parameter(self.version, found.link, params),
            base_url=found.document.url,
            accept=accept_data(self.decoders),
            validate=validate,
            schemes=document.security_schemes,
        )
        home = document.url or request.url
        if self.version and same_home(origin_of(request.url), origin_of(home)):
            # Another host has its own versions.
            request = with_version(self.version, request, found.link)
            home = self.version.pinned_url(home)
        return replace(request, home=self._home(home))

    def _home(self, url: str) -> str:
        """Return the URL on whose behalf a request is made: ``url`` if its origin is trusted.

        Trusted are the origins that were passed to ``get``. Nothing a server sends, such as a
        redirect or a URL in a document, adds to them, so it cannot direct credentials elsewhere.
        """
        origin = origin_of(url)
        if not self._homes or any(same_home(origin, home) for home in self._homes):
            return url
        return next(iter(self._homes.values()))

    def _identified(self, request: Request, link: Link, options: _Options) -> Request:
        """Give a write the key by which the service recognises repetitions."""
        key = options.idempotency_key
        retry = options.retry or self.retry
        if key is None and not may_repeat(request):
            declared = [field for field in link.fields if is_key(field)]
            repeats = retry and (declared or retry.idempotency_keys)
            is_needed = repeats or any(field.required for field in declared)
            key = str(uuid.uuid4()) if is_needed else None
        if key is None:
            return request
        return replace(request, headers=request.headers.setting([checked_header(KEY_HEADER, key)]))

    def _transport(self, request: Request) -> Any:
        scheme = origin_of(request.url).scheme
        for transport in self.transports:
            if scheme in transport.schemes:
                return transport
        known = ", ".join(name for transport in self.transports for name in transport.schemes)
        raise NetworkError(f"No transport serves {scheme!r} URLs; available: {known}")


def _check(name: str, value: Any, kind: type, example: str) -> None:
    if value is not None and not isinstance(value, kind):
        raise TypeError(f"{name} must be such as {example}, not {type(value).__name__}")


def _check_parts(
    name: str, parts: Sequence[Any], fits: Callable[[Any], bool], example: str
) -> None:
    for part in parts:
        if isinstance(part, type):
            raise TypeError(f"A {name} must be an object, not the class {part.__name__}")
        if not fits(part):
            raise TypeError(f"A {name} must be {example}, not {type(part).__name__}")


def _is_decoder(part: Any) -> bool:
    return callable(getattr(part, "decode", None)) and hasattr(part, "get_media_types")


def _is_transport(part: Any) -> bool:
    return callable(getattr(part, "send", None)) and hasattr(part, "schemes")


def _is_hook(part: Any) -> bool:
    return any(callable(getattr(part, name, None)) for name in ("before", "after"))


def _chosen(options: CallOptions) -> _Options:
    known = CallOptions.__annotations__
    unknown = [name for name in options if name not in known]
    if unknown:
        raise TypeError(f"unknown option {unknown[0]!r}; calls take {', '.join(known)}")
    _check("retry", options.get("retry"), Retry, "Retry(total=3)")
    _check("headers", options.get("headers"), Mapping, "{'X-Key': 'a'}")
    return _Options(**options)


def _found(document: Document, keys: Keys, overrides: Mapping[str, Any] | None) -> FoundLink:
    found = find_link(document, keys)
    if not overrides:
        return found
    return FoundLink(overridden(found.link, overrides), found.document, found.document_path)


def _names(link: Link, params: Mapping[str, Any]) -> ParameterNames:
    bodies = [field.name for field in link.fields if field.location == "body"]
    given = [name for name in params if name in bodies or name.partition(".")[2] in bodies]
    renamed = tuple((each.wire_name, each.name) for each in link.fields if each.wire_name)
    return ParameterNames(tuple(params), given[0] if given else "", renamed)


def _with_options(request: Request, options: _Options) -> Request:
    fields = [checked_header(name, value) for name, value in (options.headers or {}).items()]
    framing = [name for name, _ in fields if name.lower() in FRAMING_HEADERS]
    if framing:
        raise ValueError(f"The header {framing[0]} belongs to each request and cannot be set")
    headers, body = request.headers.setting(fields), request.body
    if options.progress:
        body = reporting(body, options.progress)
    return replace(request, headers=headers, body=body, timeout=options.timeout)
