"""A client that reads the schema of an API and calls its operations by name.

Names are imported on first use: the command line answers `--version` without loading HTTP.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lintel_client.auth import (
        Auth,
        BasicAuthentication,
        SessionAuthentication,
        TokenAuthentication,
    )
    from lintel_client.client import Client
    from lintel_client.codecs import JSONCodec, TextCodec
    from lintel_client.downloads import Download, DownloadCodec
    from lintel_client.errors import (
        EncodeError,
        ErrorMessage,
        LinkLookupError,
        LintelError,
        NetworkError,
        NoCodecAvailable,
        ParameterError,
        ParseError,
        RequestTimeout,
        TooManyRedirects,
        UnsupportedEncoding,
    )
    from lintel_client.files import File
    from lintel_client.headers import Headers
    from lintel_client.messages import Request, Response
    from lintel_client.transports import HTTPTransport, Transport
    from lintel_client.version import __version__

__all__ = [
    "Client",
    "Auth",
    "TokenAuthentication",
    "BasicAuthentication",
    "SessionAuthentication",
    "Transport",
    "HTTPTransport",
    "Request",
    "Response",
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
    "LinkLookupError",
    "ParameterError",
    "NetworkError",
    "RequestTimeout",
    "TooManyRedirects",
    "UnsupportedEncoding",
    "ErrorMessage",
    "__version__",
]

_HOMES = {
    "auth": ("Auth", "BasicAuthentication", "SessionAuthentication", "TokenAuthentication"),
    "client": ("Client",),
    "codecs": ("JSONCodec", "TextCodec"),
    "downloads": ("Download", "DownloadCodec"),
    "errors": (
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
    ),
    "files": ("File",),
    "headers": ("Headers",),
    "messages": ("Request", "Response"),
    "transports": ("HTTPTransport", "Transport"),
    "version": ("__version__",),
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
