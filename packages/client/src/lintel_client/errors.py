"""What can go wrong, as one tree.

LintelError                 (lintel_document.errors)
├── ParseError              an answer, or a file, is not valid in its format
├── EncodeError             a tree holds something that the format cannot write
├── NoCodecAvailable        no codec is installed for a media type or a format
├── LinkLookupError         keys do not lead to a link
├── ParameterError          parameters are missing, unknown or of the wrong type
├── NetworkError            no request could be sent, or no answer came
│   ├── RequestTimeout      the server took too long
│   ├── TooManyRedirects    the server sends the client around
│   └── UnsupportedEncoding the link asks for a body in a format that the client cannot write
└── ErrorMessage            the server answered with an error
"""

from collections.abc import Mapping

from lintel_client.headers import Headers
from lintel_document.document import Array, Error
from lintel_document.errors import EncodeError, LintelError, NoCodecAvailable, ParseError

__all__ = [
    "EncodeError",
    "ErrorMessage",
    "LinkLookupError",
    "LintelError",
    "NetworkError",
    "NoCodecAvailable",
    "ParameterError",
    "ParseError",
    "RequestTimeout",
    "TooManyRedirects",
    "UnsupportedEncoding",
]


class LinkLookupError(LintelError):
    """The keys do not lead to a link; the message names the path, the key and near misses."""


class ParameterError(LintelError):
    """Parameters do not fit the link. `errors` maps each name to what is wrong with it."""

    def __init__(self, errors: Mapping[str, str]) -> None:
        self.errors = dict(errors)
        super().__init__("; ".join(f"{name}: {message}" for name, message in errors.items()))

    def __reduce__(self) -> tuple[type["ParameterError"], tuple[dict[str, str]]]:
        return ParameterError, (self.errors,)


class NetworkError(LintelError):
    """No request could be sent, or no usable answer came."""


class RequestTimeout(NetworkError):
    """The server did not connect, take the request or answer in the time allowed."""


class TooManyRedirects(NetworkError):
    """The chain of redirects is longer than the client follows."""


class UnsupportedEncoding(NetworkError):
    """The link asks for a request body in a media type that the client cannot write."""


class ErrorMessage(LintelError):
    """The server answered with an error: a status of 400 or more, or an error document.

    `error` is the content as an `Error`; `status`, `reason`, `headers` and `url` are those of the
    response.
    """

    def __init__(
        self,
        error: Error,
        status: int | None = None,
        reason: str = "",
        headers: Headers | None = None,
        url: str = "",
    ) -> None:
        self.error = error
        self.status = status
        self.reason = reason
        self.headers = headers or Headers()
        self.url = url
        super().__init__(_summary(error))

    @property
    def messages(self) -> dict[str, list[str]]:
        """The messages of the content by the name that they stand under, such as a field's."""
        found = {name: _messages(value) for name, value in self.error.items()}
        return {name: messages for name, messages in found.items() if messages}

    @property
    def retry_after(self) -> int | None:
        """The seconds that the server asks to wait; None when it does not say so in seconds."""
        seconds = self.headers.get("Retry-After", "")
        is_number = seconds.isascii() and seconds.isdigit() and len(seconds) < 10
        return int(seconds) if is_number else None


def _messages(value: object) -> list[str]:
    """Messages at any depth; those of nested objects name their key."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, Array | list):
        return [message for item in value for message in _messages(item)]
    if isinstance(value, Mapping):
        return [f"{key}: {message}" for key, inner in value.items() for message in _messages(inner)]
    return []


def _summary(error: Error) -> str:
    lines = [error.title] if error.title else []
    for name, value in error.items():
        lines += [f"{name}: {message}" for message in _messages(value)]
    return "\n".join(lines) or "The server answered with an error"
