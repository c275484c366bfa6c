"""The request of a view: Django's request with parsed data and lazy authentication.

Every attribute of Django's request is available: ``request.method``, ``request.META``,
``request.session``. The body is parsed when ``request.data`` is first read, and the user is
looked up when ``request.user`` is.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Self

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.core.handlers.asgi import ASGIRequest
from django.core.handlers.wsgi import WSGIRequest
from django.http import HttpRequest, QueryDict
from django.http.request import RawPostDataException
from django.utils.datastructures import MultiValueDict
from django.utils.http import parse_header_parameters

from lintel import exceptions
from lintel.cycle.chains import chain
from lintel.cycle.steps import Steps, arun, blocking, hook
from lintel.overrides import is_ours
from lintel.settings import api_settings
from lintel.utils.form_names import FormDocument
from lintel.utils.mediatypes import parse_media_type

#: Tests and packages may replace the object under the known name.
django_parser = parse_header_parameters

#: A content type longer than this is unknown.
MAX_MEDIA_TYPE_LENGTH = 256

#: Content types that Django itself reads.
FORM_MEDIA_TYPES = frozenset(["application/x-www-form-urlencoded", "multipart/form-data"])


def is_form_media_type(media_type: str | None) -> bool:
    if not media_type or len(media_type) > MAX_MEDIA_TYPE_LENGTH:
        return False
    if parse_header_parameters is not django_parser:
        return parse_header_parameters(media_type)[0] in FORM_MEDIA_TYPES
    return parse_media_type(media_type).full_type in FORM_MEDIA_TYPES


class override_method:
    """Gives a view a clone of the request with another method, and its action, for one block."""

    def __init__(self, view: Any, request: Request, method: str) -> None:
        self.view = view
        self.request = request
        self.method = method
        self.action: Any | None = getattr(view, "action", None)

    def __enter__(self) -> Request:
        self.view.request = clone_request(self.request, self.method)
        action_map = getattr(self.view, "action_map", None) or {}
        self.view.action = action_map.get(self.method.lower())
        return self.view.request

    def __exit__(self, *exc_info: object) -> None:
        self.view.request = self.request
        self.view.action = self.action


def knows_user(request: object) -> bool:
    """Return whether ``request.user`` runs no authenticator, which might query a database."""
    return not isinstance(request, Request) or "_user" in request.__dict__


class WrappedAttributeError(Exception):
    """An AttributeError of an authenticator, not of a missing attribute of the request."""


@contextmanager
def wrap_attributeerrors() -> Iterator[None]:
    """Raise WrappedAttributeError, with the same traceback, for an AttributeError inside."""
    try:
        yield
    except AttributeError as error:
        raise _wrapped(error) from error


def _wrapped(error: AttributeError) -> WrappedAttributeError:
    return WrappedAttributeError(str(error)).with_traceback(error.__traceback__)


def _once(step: Callable[[], None]) -> None:
    """Parse or authenticate; an AttributeError of that must not look like one of the property."""
    try:
        step()
    except AttributeError as error:
        raise _wrapped(error) from error


class Empty:
    """Marks values that have not been loaded yet, because None is a value."""


def clone_request(request: Request, method: str) -> Request:
    clone = Request(
        request=request._request,
        parsers=request.parsers,
        authenticators=request.authenticators,
        negotiator=request.negotiator,
        parser_context=request.parser_context,
    )
    for name in _CLONED_ALWAYS:
        setattr(clone, name, getattr(request, name))
    clone.method = method
    for name in _CLONED_IF_SET:
        if name in request.__dict__:
            setattr(clone, name, request.__dict__[name])
    return clone


_CLONED_ALWAYS = ("_data", "_files", "_full_data", "_content_type", "_stream")
_CLONED_IF_SET = (
    *("_user", "_auth", "_authenticator", "accepted_renderer", "accepted_media_type"),
    *("version", "versioning_scheme"),
)


@dataclass(eq=False, repr=False)
class ForcedAuthentication:
    """The authenticator of ``force_authenticate()``: one user, whatever the request contains."""

    force_user: object
    force_token: object

    def authenticate(self, request: Request) -> tuple[object, object]:
        return self.force_user, self.force_token


class LimitedStream(io.RawIOBase):
    """The body as a stream that rejects a body larger than DATA_UPLOAD_MAX_MEMORY_SIZE.

    Counting while reading also covers bodies of unknown length (chunked transfer). Attributes
    of the request are available on it. Raises RequestDataTooBig (status 400) above the limit.
    """

    def __init__(self, request: HttpRequest, limit: int) -> None:
        self._request = request
        self._left = limit

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1) -> bytes:
        whole = size is None or size < 0
        data = self._request.read(self._left + 1 if whole else size)
        self._left -= len(data)
        if self._left < 0:
            raise too_big()
        return data

    def readall(self) -> bytes:
        return self.read()

    def readinto(self, buffer: Any) -> int:
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._request, name)


class _PeekedStream(io.IOBase):
    """A body of unknown length whose source cannot ``seek``, with a look at its first byte.

    Where Django compares only the header, which this body lacks, reading all of it at once keeps
    to DATA_UPLOAD_MAX_MEMORY_SIZE, unless ``is_limited`` is off. Reading ends with the source.
    """

    is_limited = True
    is_at_start = True

    def __init__(self, source: Any) -> None:
        self._source = source
        self._ahead = b""

    def is_at_end(self) -> bool:
        self._ahead = self._ahead or self._received(self._source.read, 1)
        return not self._ahead

    def read(self, size: int | None = -1, /) -> bytes:
        if size is None or size < 0:
            return self._whole()
        pieces = [self._ahead]
        left = size - len(self._ahead)
        while left > 0 and (piece := self._received(self._source.read, left)):
            pieces.append(piece)
            left -= len(piece)
        return self._first(b"".join(pieces), size)

    def readline(self, size: int | None = -1, /) -> bytes:
        size = sys.maxsize if size is None or size < 0 else size
        line = self._ahead
        if b"\n" not in line and len(line) < size:
            # Not every server takes a negative size.
            left = () if size == sys.maxsize else (size - len(line),)
            line += self._received(self._source.readline, *left)
        return self._first(line, min(size, line.find(b"\n") + 1 or len(line)))

    def _received(self, read: Callable[..., bytes], *size: int) -> bytes:
        """Raises ParseError for chunks that a server cannot read (RFC 9112, 7.1)."""
        try:
            return read(*size)
        except OSError:  # the client has gone; Django says so
            raise
        except Exception as error:  # of the server's own class
            raise exceptions.ParseError from error

    def _whole(self) -> bytes:
        limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE if self.is_limited else None
        if limit is None:
            return b"".join(iter(lambda: self.read(_PIECE), b""))
        body = self.read(limit + 1)
        if len(body) > limit:
            raise too_big()
        return body

    def _first(self, data: bytes, size: int) -> bytes:
        result, self._ahead = data[:size], data[size:]
        self.is_at_start = self.is_at_start and not result
        return result


#: How many bytes of a body without a limit are read at once.
_PIECE = 2**16


def too_big() -> RequestDataTooBig:
    """Return the error for a body above the limit, which Django turns into status 400."""
    return RequestDataTooBig("Request body exceeded settings.DATA_UPLOAD_MAX_MEMORY_SIZE.")


def declared_length(request: HttpRequest) -> int | None:
    """Return the length of the body by its header; 0 for nonsense, None if unknown.

    It is unknown for chunked bodies, and without a header where the server marks the end of
    bodies: under ASGI, and under WSGI with ``wsgi.input_terminated``. HTTP/2 ends bodies by
    frames (RFC 9113, 8.1). Elsewhere under WSGI a body without a length has none (PEP 3333).
    """
    meta = request.META
    value = meta.get("CONTENT_LENGTH", meta.get("HTTP_CONTENT_LENGTH"))
    if not value:
        http_request = getattr(request, "_request", request)
        ends_by_itself = isinstance(http_request, ASGIRequest) or _marks_the_end(meta)
        is_chunked = "chunked" in meta.get("HTTP_TRANSFER_ENCODING", "").lower()
        return None if ends_by_itself or is_chunked else 0
    try:
        return int(value)
    except ValueError:
        return 0


def _marks_the_end(meta: dict[str, Any]) -> bool:
    return bool(meta.get("wsgi.input_terminated"))


def has_body(request: HttpRequest) -> bool:
    """Peek at a body of unknown length. Raises LengthRequired if the server marks no end of it."""
    length = declared_length(request)
    if length is not None:
        return length != 0
    if isinstance(request, WSGIRequest):
        _uncover(request)
    if hasattr(request, "_body"):
        return bool(request.body)
    stream = request._stream
    if request._read_started and not _is_at_start(stream):  # type: ignore[attr-defined]
        return bool(request.body)
    return not _is_at_end(request)


def _uncover(request: Any) -> None:
    """Let a body without a length be read, which Django ends before its first byte."""
    if not _marks_the_end(request.META):
        raise exceptions.LengthRequired  # reading could wait for ever
    # What somebody has read of it so far is nothing, and no reason to ignore it.
    held = request.__dict__
    if held.get("_body") or (held.get("_body") is None and not _is_empty(request._stream)):
        return
    for name in ("_body", "_post", "_files"):
        held.pop(name, None)
    request._read_started = False
    request._stream = _PeekedStream(request.environ["wsgi.input"])


def _is_empty(stream: object) -> bool:
    """Return whether Django lets nothing of a stream be read."""
    return getattr(stream, "limit", None) == 0


def _is_at_start(stream: Any) -> bool:
    """Return whether nothing has been read yet; reading an empty body consumes nothing."""
    if not stream.seekable():
        return getattr(stream, "is_at_start", False) or _is_empty(stream)
    return bool(stream.tell() == 0)


def _is_at_end(request: Any) -> bool:
    stream = request._stream
    if not stream.seekable():
        if not isinstance(stream, _PeekedStream):
            stream = request._stream = _PeekedStream(stream)
        return stream.is_at_end()
    place = stream.tell()
    is_at_end = not stream.read(1)
    stream.seek(place)
    return is_at_end


def _closable(files: Any) -> MultiValueDict:
    lists = files.lists() if hasattr(files, "lists") else ((name, [files[name]]) for name in files)
    return MultiValueDict(
        {name: [file for file in uploads if hasattr(file, "close")] for name, uploads in lists}
    )


def buffered_body(request: HttpRequest) -> bytes:
    """Return the whole body, also for ``request.body``. Raises RequestDataTooBig before its end."""
    is_read = hasattr(request, "_body") or request._read_started  # type: ignore[attr-defined]
    if not is_read and declared_length(request) is None:
        # Django only compares the header, which this body lacks.
        limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        body = request.read() if limit is None else LimitedStream(request, limit).read()
        request._body = body
        request._stream = io.BytesIO(body)
    return request.body


class Request:
    """Wraps Django's ``request``.

    ``parsers`` and ``authenticators`` are instances, tried in order; ``negotiator`` selects
    the parser. ``parser_context`` is passed to the parser, with ``request`` and ``encoding`` added.
    """

    accepted_renderer: Any
    accepted_media_type: str
    version: Any
    versioning_scheme: Any

    _lintel_parser_context: dict[str, Any]

    # Values that have not been read yet: most requests never read them.
    _data: Any = Empty
    _files: Any = Empty
    _full_data: Any = Empty
    _content_type: Any = Empty
    _stream: Any = Empty

    def __init__(
        self,
        request: HttpRequest,
        parsers: Sequence[Any] | None = None,
        authenticators: Sequence[Any] | None = None,
        negotiator: Any = None,
        parser_context: dict[str, Any] | None = None,
    ) -> None:
        if not isinstance(request, HttpRequest):
            kind = type(request)
            raise AssertionError(
                "The `request` argument must be an instance of `django.http.HttpRequest`, not "
                f"`{kind.__module__}.{kind.__name__}`. Pass the request that Django made."
            )
        self._request = request
        is_chunked = "HTTP_TRANSFER_ENCODING" in request.META and isinstance(request, WSGIRequest)
        if is_chunked and declared_length(request) is None and _marks_the_end(request.META):
            # Django's own ``request.POST`` and ``request.body`` see this body too.
            _uncover(request)
        self.parsers: Sequence[Any] = parsers or ()
        self.authenticators: Sequence[Any] = authenticators or ()
        self.negotiator: Any = negotiator or self._default_negotiator()
        self._lintel_parser_context = {} if parser_context is None else parser_context
        # Where test clients store their forced user.
        user = getattr(request, "_force_auth_user", None)
        token = getattr(request, "_force_auth_token", None)
        if user is not None or token is not None:
            self.authenticators = (ForcedAuthentication(user, token),)

    def __repr__(self) -> str:
        path = self._request.get_full_path()
        return f"<{type(self).__module__}.{type(self).__qualname__}: {self.method} {path!r}>"

    def __class_getitem__(cls, *args: Any, **kwargs: Any) -> type[Self]:
        return cls

    def _default_negotiator(self) -> Any:
        return api_settings.DEFAULT_CONTENT_NEGOTIATION_CLASS()

    @property
    def parser_context(self) -> dict[str, Any]:
        context = self._lintel_parser_context
        if context.get("request") is not self:
            context["request"] = self
            context["encoding"] = self._request.encoding or settings.DEFAULT_CHARSET
        return context

    @parser_context.setter
    def parser_context(self, value: dict[str, Any]) -> None:
        self._lintel_parser_context = value

    # Read for every request: without these two, __getattr__ would look them up each time.

    @property
    def META(self) -> dict[str, Any]:
        return self._request.META

    @property
    def method(self) -> str | None:
        """Return the HTTP method; assigning it does not change the method of Django's request."""
        return self.__dict__.get("_lintel_method") or self._request.method

    @method.setter
    def method(self, value: str | None) -> None:
        self.__dict__["_lintel_method"] = value

    @property
    def content_type(self) -> str:
        """Return the ``Content-Type`` header as it was sent, with parameters."""
        meta = self._request.META
        return meta.get("CONTENT_TYPE", meta.get("HTTP_CONTENT_TYPE", ""))

    @property
    def stream(self) -> Any:
        """Return the body as a stream; None if there is no body."""
        if self._stream is Empty:
            self._load_stream()
        return self._stream

    @property
    def query_params(self) -> QueryDict:
        """Return the parameters of the query string (Django's ``request.GET``)."""
        return self._request.GET

    @property
    def data(self) -> Any:
        """The parsed body, with files, of any method. Raises ParseError, UnsupportedMediaType."""
        if self._full_data is Empty:
            _once(self._load_data_and_files)
        return self._full_data

    @property
    def FILES(self) -> Any:
        if self._files is Empty:
            _once(self._load_data_and_files)
        return self._files

    @property
    def POST(self) -> QueryDict:
        """The fields of a form without its files; empty for other content types."""
        # Checks of CSRF tokens read this: errors of a body are reported when its sender is known.
        if not is_form_media_type(self.content_type):
            return QueryDict("", encoding=self._request.encoding)
        if self._data is Empty:
            _once(self._load_data_and_files)
        return self._data.form if isinstance(self._data, FormDocument) else self._data

    @property
    def user(self) -> Any:
        """Return the user of the first authenticator that finds one, else UNAUTHENTICATED_USER."""
        if "_user" not in self.__dict__:
            _once(self._authenticate)
        return self._user

    @user.setter
    def user(self, value: Any) -> None:
        """Set the user, also that of Django's request, for middleware and templates."""
        self._user = value
        self._request.user = value

    async def auser(self) -> Any:
        """Return :attr:`user`, on the event loop; not Django's user of the session."""
        if "_user" not in self.__dict__:
            await arun(user_steps(self))
        return self.user

    @property
    def auth(self) -> Any:
        """Return what the authenticator returned with the user, such as a token, else None."""
        if "_auth" not in self.__dict__:
            _once(self._authenticate)
        return self._auth

    @auth.setter
    def auth(self, value: Any) -> None:
        self._auth = value
        self._request.auth = value  # type: ignore[attr-defined]

    @property
    def successful_authenticator(self) -> Any:
        if "_authenticator" not in self.__dict__:
            _once(self._authenticate)
        return self._authenticator

    def _load_data_and_files(self) -> None:
        if self._data is not Empty:
            return
        self._data, self._files = self._parse()
        if self._files and not isinstance(self._data, FormDocument):
            self._full_data = self._data.copy()
            self._full_data.update(self._files)
        else:
            self._full_data = self._data
        if is_form_media_type(self.content_type):
            # Django's middleware and views see the same form, also for methods other than POST.
            self._request._post = self.POST  # type: ignore[attr-defined]
            self._request._files = self.FILES  # type: ignore[attr-defined]
        elif self._files and not hasattr(self._request, "_files"):
            # Django closes the files in this list when the response has been sent.
            self._request._files = _closable(self._files)  # type: ignore[attr-defined]

    def _load_stream(self) -> None:
        request = self._request
        if not has_body(request):
            self._stream = None
        elif request._read_started:  # type: ignore[attr-defined]
            self._stream = io.BytesIO(request.body)
        else:
            self._stream = request

    def _supports_form_parsing(self) -> bool:
        """Return whether a parser of the view reads forms, so that Django's result can be used."""
        return any(
            parser.media_type in FORM_MEDIA_TYPES for parser in self.parsers if parser.media_type
        )

    def _parse(self) -> tuple[Any, Any]:
        media_type = self.content_type
        try:
            stream = self.stream
        except RawPostDataException:
            return _form_of_django(self)
        if stream is None or media_type is None:
            return _nothing(self)
        parser = self.negotiator.select_parser(self, self.parsers)
        if not parser:
            raise exceptions.UnsupportedMediaType(media_type)
        if _read_by_django(self, parser):
            return _form_for(self, parser)
        try:
            parsed = parser.parse(_input_of(self, parser, stream), media_type, self.parser_context)
        except Exception:
            _forget(self)
            raise
        try:
            return parsed.data, parsed.files
        except AttributeError:
            return parsed, MultiValueDict()

    def _authenticate(self) -> None:
        identity_steps.run(self)

    def _not_authenticated(self) -> None:
        self._authenticator = None
        user, token = api_settings.UNAUTHENTICATED_USER, api_settings.UNAUTHENTICATED_TOKEN
        self.user, self.auth = user() if user else None, token() if token else None

    def __getattr__(self, attr: str) -> Any:
        if attr != "_request":
            try:
                return getattr(self._request, attr)
            except AttributeError:
                pass
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{attr}'")

    def force_plaintext_errors(self, value: bool) -> None:
        """Make Django's debug pages plain text, for clients that show no HTML."""
        self._request.is_ajax = lambda: value  # type: ignore[attr-defined]


# The body


def _nothing(request: Request) -> tuple[Any, Any]:
    if is_form_media_type(request.content_type):
        return QueryDict("", encoding=request._request.encoding), MultiValueDict()
    return {}, MultiValueDict()


def _read_by_django(request: Request, parser: Any) -> bool:
    """Return whether Django has parsed a form, of which it leaves one without a length unread."""
    http_request = request._request
    return (
        hasattr(http_request, "_post")
        and http_request.method == "POST"
        and parser.media_type in FORM_MEDIA_TYPES
        and is_form_media_type(request.content_type)
        and (http_request._read_started or declared_length(http_request) is not None)  # type: ignore[attr-defined]
    )


def _form_for(request: Request, parser: Any) -> tuple[Any, Any]:
    """Return what Django parsed, as a parser of nested forms has it."""
    form, files = request._request.POST, request._request.FILES
    if not hasattr(parser, "nested_form"):
        return form, files
    try:
        parsed = parser.nested_form(form, files)
    except Exception:
        _forget(request)
        raise
    return parsed.data, parsed.files


def _forget(request: Request) -> None:
    """Leave no data: the error page may read them again, and gets none, and no second error."""
    request._data = request._full_data = QueryDict("", encoding=request._request.encoding)
    request._files = MultiValueDict()


def _form_of_django(request: Request) -> tuple[Any, Any]:
    """Return what Django parsed from a body that is gone. Raises RawPostDataException for none."""
    if is_form_media_type(request.content_type) and hasattr(request._request, "_post"):
        if request._supports_form_parsing():
            return _form_for(request, request.negotiator.select_parser(request, request.parsers))
        return _nothing(request)
    raise RawPostDataException(
        "The body was read as a stream before request.data was used. Read request.data, or "
        "request.body, first."
    )


def _input_of(request: Request, parser: object, stream: object) -> Any:
    http_request = request._request
    if stream is not http_request:
        return stream
    if getattr(parser, "reads_unlimited_stream", False):
        if isinstance(http_request._stream, _PeekedStream):
            http_request._stream.is_limited = False
        return stream
    if getattr(parser, "reads_buffered_body", False):
        return io.BytesIO(buffered_body(http_request))
    limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    length = declared_length(http_request)
    if limit is not None and length is not None and length > limit:
        raise too_big()
    return stream if limit is None else LimitedStream(http_request, limit)


# Authentication


@chain
def identity_steps(request: Any) -> Steps[None]:
    for authenticator in request.authenticators:
        try:
            identity = yield hook(authenticator, "authenticate", request)
        except exceptions.APIException:
            request._not_authenticated()
            raise
        except AttributeError as error:
            raise _wrapped(error) from error
        if identity is not None:
            request._authenticator = authenticator
            request.user, request.auth = identity
            return
    request._not_authenticated()


def user_steps(request: Any) -> Steps[None]:
    cls = type(request)
    # Projects override these, tests replace them.
    if all(map(is_ours, (cls.user, cls._authenticate))):
        yield from identity_steps(request)
    else:
        yield blocking(getattr, request, "user")


def class_of_user(user: object) -> str:
    """Return the full name of a user's class, or of that of the user behind a lazy object."""
    cls = user.__class__
    return f"{cls.__module__}.{cls.__qualname__}"


def credentials_of(request: Any) -> list[str]:
    """Return what identifies callers whose users have no key: header, session, authentication."""
    auth = request.auth
    key = auth if isinstance(auth, str | bytes | int) else getattr(auth, "pk", None)
    session = getattr(getattr(request._request, "session", None), "session_key", None)
    parts = (request.META.get("HTTP_AUTHORIZATION"), session, key)
    return ["" if part is None else str(part) for part in parts]
