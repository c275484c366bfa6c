"""The errors that can occur.

The errors are one tree::

    LintelError                 (lintel_document.errors)
    ├── ParseError              a response, or a file, is not valid in its format
    │   └── ModelError          a result is not what its model describes (lintel_client.models)
    ├── EncodeError             a tree contains something that the format cannot represent
    ├── NoCodecAvailable        no codec is installed for a media type or a format
    ├── LinkLookupError         keys do not lead to a link
    ├── ParameterError          parameters are missing, unknown or of the wrong type
    ├── NetworkError            no request could be sent, or no response came
    │   ├── ConnectionFailed    the connection could not be made, or broke
    │   ├── RequestTimeout      the server took too long
    │   ├── TooManyRedirects    the server redirects too often
    │   ├── DigestMismatch      the content does not match its digest
    │   ├── OAuth2Error         no token could be obtained
    │   │   └── LoginRequired   only a person can get a new one
    │   └── UnsupportedEncoding the link asks for a body in a format that the client cannot write
    └── ErrorMessage            the server responded with an error
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
    "IncompleteList",
    "ClientError",
    "Conflict",
    "ConnectionFailed",
    "DigestMismatch",
    "EncodeError",
    "ErrorMessage",
    "InvalidInput",
    "LinkLookupError",
    "LintelError",
    "LoginRequired",
    "NetworkError",
    "NoCodecAvailable",
    "NotAuthenticated",
    "NotFound",
    "OAuth2Error",
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

# Headers in which services send the id of a request in their logs.
REQUEST_ID_HEADERS = (
    "X-Request-ID",
    "Request-ID",
    "X-Correlation-ID",
    "X-GitHub-Request-Id",
    "X-Amzn-RequestId",
)


class LinkLookupError(LintelError):
    """The keys do not lead to a link that can be called.

    The message names the path, the key and similar keys, or what in the link cannot be read.
    """


class ParameterError(LintelError):
    """Parameters do not fit the link. ``errors`` maps each name to what is wrong with it."""

    def __init__(self, errors: Mapping[str, str]) -> None:
        self.errors: dict[str, str] = dict(errors)
        super().__init__("; ".join(f"{name}: {message}" for name, message in errors.items()))

    def __reduce__(self) -> tuple[type["ParameterError"], tuple[dict[str, str]]]:
        return ParameterError, (self.errors,)


class NetworkError(LintelError):
    """No request could be sent, or no usable response came."""


class IncompleteList(UserWarning):
    """A list has more items than its first page, and it is not known how to get them."""


class ConnectionFailed(NetworkError):
    """The connection could not be made, or broke before the whole response had arrived."""


class RequestTimeout(NetworkError):
    """The server did not connect, accept the request or respond in the time allowed."""


class TooManyRedirects(NetworkError):
    """The chain of redirects is longer than the client follows."""


class DigestMismatch(NetworkError):
    """The content differs from the digest that the server sent with it (RFC 9530)."""


class OAuth2Error(NetworkError):
    """No token could be obtained.

    ``code`` is that of the authorization server, such as "access_denied", or empty.
    """

    def __init__(self, message: str, code: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.code = code

    def __reduce__(self) -> tuple[type["OAuth2Error"], tuple[str, str]]:
        return type(self), (self.message, self.code)


class LoginRequired(OAuth2Error):
    """The tokens have ended, and only a person can get new ones."""


class UnsupportedEncoding(NetworkError):
    """The link requires a body in a media type that the client cannot write."""


class ErrorMessage(LintelError):
    """The server responded with an error: a status of 400 or more, or an error document.

    ``error`` is the content as an ``Error``, ``content`` its bytes; ``status``, ``reason``,
    ``headers`` and ``url`` are those of the response. ``names`` are the parameters of the call.
    ``refused`` says which credentials status 401 refuses, empty if none were sent. The class
    depends on the status.
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
        refused: str = "",
    ) -> None:
        self.error = error
        self.status = status
        self.reason = reason
        self.headers: Headers = headers or Headers()
        self.url = url
        self.content = content
        self.names = names
        self.refused = refused
        lines = [text_of(error, self._content_type), refused]
        super().__init__("\n".join(filter(None, lines)))

    @property
    def messages(self) -> dict[str, list[str]]:
        """Return the messages by the parameter names of the caller.

        Messages about no parameter are under the server's own name, such as "detail".
        """
        return messages_by_name(self.error, self._content_type, self.names)

    @property
    def retry_after(self) -> int | None:
        """Return the seconds to wait that the server asks for; None if it does not say.

        A date is relative to the response's own Date (RFC 9110, 10.2.3).
        """
        return seconds_to_wait(self.headers)

    @property
    def code(self) -> str | None:
        """Return the machine-readable code of the error, None if the server sent none."""
        return code_of(self.error, self._content_type)

    @property
    def request_id(self) -> str | None:
        """Return the service's identifier of the request, None without one."""
        found = [self.headers[name] for name in REQUEST_ID_HEADERS if name in self.headers]
        return found[0] if found else None

    @property
    def _content_type(self) -> str:
        return self.headers.get("Content-Type", "")

    def __reduce__(self) -> tuple[type["ErrorMessage"], tuple[Any, ...]]:
        texts = (self.error, self.status, self.reason, self.headers, self.url)
        return type(self), (*texts, self.content, self.names, self.refused)


class ClientError(ErrorMessage):
    """The request was wrong: 4xx."""


class InvalidInput(ClientError):
    """The parameters were rejected: 400 or 422. ``messages`` says why, by parameter."""


class NotAuthenticated(ClientError):
    """Credentials are missing, wrong or expired: 401."""


class PermissionDenied(ClientError):
    """The caller is known but not permitted to do this: 403."""


class NotFound(ClientError):
    """Nothing is there: 404, or 410 if there used to be something."""


class Conflict(ClientError):
    """The resource is in another state than the request assumes: 409 or 412."""


class TooManyRequests(ClientError):
    """The caller sends too many requests: 429. ``retry_after`` may say how long to wait."""


class ServerError(ErrorMessage):
    """The server failed: 5xx."""


class Unavailable(ServerError):
    """The service, or one behind it, is unavailable at the moment: 502, 503 or 504."""


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
