"""What can go wrong.

The errors are one tree::

    LintelError                 (lintel_document.errors)
    ├── ParseError              an answer, or a file, is not valid in its format
    ├── EncodeError             a tree holds something that the format cannot write
    ├── NoCodecAvailable        no codec is installed for a media type or a format
    ├── LinkLookupError         keys do not lead to a link
    ├── ParameterError          parameters are missing, unknown or of the wrong type
    ├── NetworkError            no request could be sent, or no answer came
    │   ├── ConnectionFailed    the connection could not be made, or broke
    │   ├── RequestTimeout      the server took too long
    │   ├── TooManyRedirects    the server sends the client around
    │   ├── DigestMismatch      the content is not what the server says it sent
    │   └── UnsupportedEncoding the link asks for a body in a format that the client cannot write
    └── ErrorMessage            the server answered with an error
        ├── ClientError         4xx, and of these:
        │   ├── InvalidInput    400, 422
        │   ├── NotAuthenticated 401
        │   ├── PermissionDenied 403
        │   ├── NotFound        404, 410
        │   ├── Conflict        409, 412
        │   └── TooManyRequests 429
        └── ServerError         5xx, and of these:
            └── Unavailable     502, 503, 504
"""

from collections.abc import Mapping
from typing import Any

from lintel_client.headers import Headers
from lintel_client.refusals import NO_NAMES, ParameterNames, code_of, messages_by_name, text_of
from lintel_client.waiting import seconds_to_wait
from lintel_document.document import Error
from lintel_document.errors import EncodeError, LintelError, NoCodecAvailable, ParseError

__all__ = [
    "ClientError",
    "Conflict",
    "ConnectionFailed",
    "DigestMismatch",
    "EncodeError",
    "ErrorMessage",
    "InvalidInput",
    "LinkLookupError",
    "LintelError",
    "NetworkError",
    "NoCodecAvailable",
    "NotAuthenticated",
    "NotFound",
    "ParameterError",
    "ParseError",
    "PermissionDenied",
    "RequestTimeout",
    "ServerError",
    "TooManyRedirects",
    "TooManyRequests",
    "Unavailable",
    "UnsupportedEncoding",
]

# Where services write the number under which their logs know a request.
REQUEST_ID_HEADERS = (
    "X-Request-ID",
    "Request-ID",
    "X-Correlation-ID",
    "X-GitHub-Request-Id",
    "X-Amzn-RequestId",
)


class LinkLookupError(LintelError):
    """The keys do not lead to a link; the message names the path, the key and similar keys."""


class ParameterError(LintelError):
    """Parameters do not fit the link. ``errors`` maps each name to what is wrong with it."""

    def __init__(self, errors: Mapping[str, str]) -> None:
        self.errors: dict[str, str] = dict(errors)
        super().__init__("; ".join(f"{name}: {message}" for name, message in errors.items()))

    def __reduce__(self) -> tuple[type["ParameterError"], tuple[dict[str, str]]]:
        return ParameterError, (self.errors,)


class NetworkError(LintelError):
    """No request could be sent, or no usable answer came."""


class ConnectionFailed(NetworkError):
    """The connection could not be made, or broke before the whole answer was there."""


class RequestTimeout(NetworkError):
    """The server did not connect, take the request or answer in the time allowed."""


class TooManyRedirects(NetworkError):
    """The chain of redirects is longer than the client follows."""


class DigestMismatch(NetworkError):
    """The content differs from the digest that the server sent with it (RFC 9530)."""


class UnsupportedEncoding(NetworkError):
    """The link requires a body in a media type that the client cannot write."""


class ErrorMessage(LintelError):
    """The server answered with an error: a status of 400 or more, or an error document.

    ``error`` is the content as an ``Error``, ``content`` its bytes; ``status``, ``reason``,
    ``headers`` and ``url`` are those of the response. ``names`` are the parameters of the call. The
    class says which family the status belongs to.
    """

    def __init__(
        self,
        error: Error,
        status: int | None = None,
        reason: str = "",
        headers: Headers | None = None,
        url: str = "",
        content: bytes = b"",
        names: ParameterNames = NO_NAMES,
    ) -> None:
        self.error = error
        self.status = status
        self.reason = reason
        self.headers: Headers = headers or Headers()
        self.url = url
        self.content = content
        self.names = names
        super().__init__(text_of(error, self._content_type))

    @property
    def messages(self) -> dict[str, list[str]]:
        """The messages by the name of the parameter that the caller gave.

        What concerns no parameter stands under the name that the server uses, such as "detail".
        """
        return messages_by_name(self.error, self._content_type, self.names)

    @property
    def retry_after(self) -> int | None:
        """The seconds that the server asks to wait; None if it does not say.

        A date counts from the answer's own Date (RFC 9110, 10.2.3).
        """
        return seconds_to_wait(self.headers)

    @property
    def code(self) -> str | None:
        """The code of the error for programs, None when the server sent none."""
        return code_of(self.error, self._content_type)

    @property
    def request_id(self) -> str | None:
        """The identifier under which the service knows the request, None without one."""
        found = [self.headers[name] for name in REQUEST_ID_HEADERS if name in self.headers]
        return found[0] if found else None

    @property
    def _content_type(self) -> str:
        return self.headers.get("Content-Type", "")

    def __reduce__(self) -> tuple[type["ErrorMessage"], tuple[Any, ...]]:
        texts = (self.error, self.status, self.reason, self.headers, self.url)
        return type(self), (*texts, self.content, self.names)


class ClientError(ErrorMessage):
    """The request was wrong: 4xx."""


class InvalidInput(ClientError):
    """The parameters were refused: 400 or 422. ``messages`` says why, by parameter."""


class NotAuthenticated(ClientError):
    """Credentials are missing, wrong or expired: 401."""


class PermissionDenied(ClientError):
    """The caller is known and may not do this: 403."""


class NotFound(ClientError):
    """Nothing is there: 404, or 410 where there was something once."""


class Conflict(ClientError):
    """The resource is in another state than the request takes it to be in: 409 or 412."""


class TooManyRequests(ClientError):
    """The caller sends too many requests: 429. ``retry_after`` may say how long to wait."""


class ServerError(ErrorMessage):
    """The server failed: 5xx."""


class Unavailable(ServerError):
    """The service, or one behind it, cannot answer at the moment: 502, 503 or 504."""


_CLASSES: dict[int, type[ErrorMessage]] = {
    400: InvalidInput,
    401: NotAuthenticated,
    403: PermissionDenied,
    404: NotFound,
    409: Conflict,
    410: NotFound,
    412: Conflict,
    422: InvalidInput,
    429: TooManyRequests,
    502: Unavailable,
    503: Unavailable,
    504: Unavailable,
}


def error_class(status: int) -> type[ErrorMessage]:
    """Return the class of errors for a status; ErrorMessage itself for one below 400."""
    family = ServerError if status >= 500 else ClientError if status >= 400 else ErrorMessage
    return _CLASSES.get(status, family)
