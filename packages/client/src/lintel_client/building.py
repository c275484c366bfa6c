"""From a link and parameters to the one request that would be sent. Nothing is sent here."""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urldefrag, urlencode

from lintel_client.bodies import encode_body
from lintel_client.errors import NetworkError
from lintel_client.headers import Headers
from lintel_client.messages import Request
from lintel_client.origins import origin_of
from lintel_client.parameters import Parameters, sort_parameters
from lintel_client.version import __version__
from lintel_document.links import Link
from lintel_document.uritemplates import expand
from lintel_document.urls import resolve

__all__ = ["USER_AGENT", "build_get", "build_request"]

USER_AGENT = f"lintel/{__version__}"

_METHOD = re.compile(r"[A-Za-z][A-Za-z-]*")
# What a cookie value may hold as it is (RFC 6265, section 4.1.1).
_COOKIE_SAFE = "!#$&'()*+-./:<=>?@[]^_`{|}~"


def build_get(url: str, accept: str) -> Request:
    """Return the request that fetches a URL. Raises NetworkError for an invalid URL."""
    origin_of(url)
    headers = Headers([("Accept", accept), ("User-Agent", USER_AGENT)])
    return Request("GET", urldefrag(url).url, headers, home=url)


def build_request(
    link: Link,
    params: Mapping[str, Any] | None = None,
    *,
    base_url: str = "",
    accept: str = "*/*",
    validate: bool = True,
) -> Request:
    """Return the request of a link that stands in the document at `base_url`.

    Raises ParameterError for parameters that do not fit, NetworkError for a link that cannot be
    called.
    """
    parameters = sort_parameters(link, params or {}, validate)
    body = encode_body(link.encoding, parameters)
    headers = Headers([("Accept", accept), ("User-Agent", USER_AGENT), *body.headers])
    url = _url(resolve(base_url, link.url), parameters)
    origin_of(url)
    return Request(
        method=_method(link),
        url=url,
        headers=headers.setting(_parameter_headers(parameters)),
        body=body.content,
        home=base_url or url,
    )


def _method(link: Link) -> str:
    method = link.action or "get"
    if not _METHOD.fullmatch(method):
        raise NetworkError(f"The link's action {method!r} is not an HTTP method")
    return method.upper()


def _url(template: str, parameters: Parameters) -> str:
    url = urldefrag(expand(template, parameters.path)).url
    if not parameters.query:
        return url
    query = urlencode(parameters.query, quote_via=quote, safe="")
    joint = "" if url.endswith(("?", "&")) else "&" if "?" in url else "?"
    return url + joint + query


def _parameter_headers(parameters: Parameters) -> list[tuple[str, str]]:
    cookies = "; ".join(
        f"{name}={quote(value, safe=_COOKIE_SAFE)}" for name, value in parameters.cookies
    )
    return [*parameters.headers, ("Cookie", cookies)] if cookies else parameters.headers
