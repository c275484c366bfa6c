"""A client that reads the schema of an API and calls its operations by name.

Names are imported on first use: the command line answers ``--version`` without loading HTTP.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lintel_client.addresses import PublicAddresses
    from lintel_client.async_client import AsyncClient
    from lintel_client.async_transports import AsyncHTTPTransport, AsyncTransport
    from lintel_client.auth import (
        Auth,
        BasicAuthentication,
        SessionAuthentication,
        TokenAuthentication,
    )
    from lintel_client.caching import Cache
    from lintel_client.client import Client
    from lintel_client.codecs import JSONCodec, TextCodec
    from lintel_client.downloads import Download, DownloadCodec
    from lintel_client.errors import (
        ClientError,
        Conflict,
        ConnectionFailed,
        DigestMismatch,
        EncodeError,
        ErrorMessage,
        IncompleteList,
        InvalidInput,
        LinkLookupError,
        LintelError,
        LoginRequired,
        NetworkError,
        NoCodecAvailable,
        NotAuthenticated,
        NotFound,
        OAuth2Error,
        ParameterError,
        ParseError,
        PermissionDenied,
        RequestTimeout,
        ServerError,
        TooManyRedirects,
        TooManyRequests,
        Unavailable,
        UnsupportedEncoding,
    )
    from lintel_client.exchange import Hook
    from lintel_client.files import File
    from lintel_client.headers import Headers
    from lintel_client.messages import AsyncResponse, Request, Response
    from lintel_client.operations import Operation, Operations
    from lintel_client.pages import AsyncPages, Pages
    from lintel_client.progress import Progress
    from lintel_client.retries import Retry
    from lintel_client.security import CredentialsMissing, SchemeAuthentication
    from lintel_client.streaming.async_streams import AsyncStream
    from lintel_client.streaming.events import Event
    from lintel_client.streaming.streams import Stream
    from lintel_client.transports import HTTPTransport, Transport
    from lintel_client.version import __version__
    from lintel_client.versions import Version

__all__ = [
    "Client",
    "AsyncClient",
    "Operation",
    "Operations",
    "Pages",
    "AsyncPages",
    "Stream",
    "AsyncStream",
    "Event",
    "Retry",
    "Cache",
    "PublicAddresses",
    "Version",
    "Hook",
    "Progress",
    "Auth",
    "TokenAuthentication",
    "BasicAuthentication",
    "SessionAuthentication",
    "SchemeAuthentication",
    "Transport",
    "HTTPTransport",
    "AsyncTransport",
    "AsyncHTTPTransport",
    "Request",
    "Response",
    "AsyncResponse",
    "Headers",
    "File",
    "JSONCodec",
    "TextCodec",
    "DownloadCodec",
    "Download",
    "LintelError",
    "ParseError",
    "EncodeError",
    "NoCodecAvailable",
    "IncompleteList",
    "LinkLookupError",
    "ParameterError",
    "NetworkError",
    "RequestTimeout",
    "TooManyRedirects",
    "UnsupportedEncoding",
    "CredentialsMissing",
    "OAuth2Error",
    "LoginRequired",
    "ErrorMessage",
    "ClientError",
    "Conflict",
    "ConnectionFailed",
    "DigestMismatch",
    "InvalidInput",
    "NotAuthenticated",
    "NotFound",
    "PermissionDenied",
    "ServerError",
    "TooManyRequests",
    "Unavailable",
    "__version__",
]

_HOMES = {
    "addresses": ("PublicAddresses",),
    "auth": ("Auth", "BasicAuthentication", "SessionAuthentication", "TokenAuthentication"),
    "async_client": ("AsyncClient",),
    "async_transports": ("AsyncHTTPTransport", "AsyncTransport"),
    "caching": ("Cache",),
    "operations": ("Operation", "Operations"),
    "client": ("Client",),
    "codecs": ("JSONCodec", "TextCodec"),
    "downloads": ("Download", "DownloadCodec"),
    "errors": (
        "EncodeError",
        "ErrorMessage",
        "ClientError",
        "Conflict",
        "ConnectionFailed",
        "DigestMismatch",
        "InvalidInput",
        "NotAuthenticated",
        "NotFound",
        "PermissionDenied",
        "ServerError",
        "TooManyRequests",
        "Unavailable",
        "IncompleteList",
        "LinkLookupError",
        "LintelError",
        "LoginRequired",
        "NetworkError",
        "OAuth2Error",
        "NoCodecAvailable",
        "ParameterError",
        "ParseError",
        "RequestTimeout",
        "TooManyRedirects",
        "UnsupportedEncoding",
    ),
    "files": ("File",),
    "headers": ("Headers",),
    "exchange": ("Hook",),
    "messages": ("AsyncResponse", "Request", "Response"),
    "pages": ("AsyncPages", "Pages"),
    "progress": ("Progress",),
    "retries": ("Retry",),
    "security": ("CredentialsMissing", "SchemeAuthentication"),
    "streaming.async_streams": ("AsyncStream",),
    "streaming.events": ("Event",),
    "streaming.streams": ("Stream",),
    "transports": ("HTTPTransport", "Transport"),
    "version": ("__version__",),
    "versions": ("Version",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
