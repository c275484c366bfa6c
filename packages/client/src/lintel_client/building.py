"""From a link and parameters to the one request to send. Nothing is sent here."""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urldefrag, urlencode

from lintel_client.bodies import encode_body
from lintel_client.errors import LinkLookupError, NetworkError, ParameterError
from lintel_client.headers import Headers
from lintel_client.messages import Request, Security
from lintel_client.origins import origin_of
from lintel_client.parameters import Parameters, sort_parameters
from lintel_client.styles import COOKIE_SAFE, filled
from lintel_client.version import __version__
from lintel_document.links import Link
from lintel_document.operations import SecurityScheme
from lintel_document.uritemplates import expand
from lintel_document.urls import resolve

__all__ = ["USER_AGENT", "build_get", "build_request"]

USER_AGENT = f"lintel/{__version__}"

_METHOD = re.compile(r"[A-Za-z][A-Za-z-]*")
# Characters not allowed in a URL (RFC 3986, section 2), except controls, which are rejected.
_NOT_IN_URL = re.compile(r'[^\x00-\x7f\ud800-\udfff]+|[ "<>^`{|}]')
_EXPRESSION = re.compile(r"\{([+#./;?&]?)[^{}]*\}")
_HARMLESS = {"?": "", "&": "", "#": "", "/": "/x", ";": ";x", ".": ".x"}
_MEDIA_TYPE = re.compile(r"[\w!#$&^.+*-]+/[\w!#$&^.+*-]+(?:\s*;[\x20-\x7e]*)?", re.ASCII)


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
    schemes: Mapping[str, SecurityScheme] | None = None,
) -> Request:
    """Return the request of a link in the document at ``base_url``.

    A link that states its response type is asked for that, all others for ``accept``.
    ``schemes`` are the security schemes of the document, which are added to the request if
    the link asks for them. Raises LinkLookupError for a link whose description could not be read,
    ParameterError for parameters that do not fit, NetworkError for a URL or method that is invalid.
    """
    if link.problem:
        raise LinkLookupError(f"This operation cannot be called: {link.problem}")
    parameters = sort_parameters(link, params or {}, validate)
    body = encode_body(link.encoding, parameters, described=bool(link.bodies))
    headers = Headers(
        [("Accept", _accepted(link) or accept), ("User-Agent", USER_AGENT), *body.headers]
    )
    url = _url(resolve(base_url, link.url), parameters)
    origin_of(url)
    return Request(
        method=_method(link),
        url=url,
        headers=headers.setting(_parameter_headers(parameters)),
        body=body.content,
        home=base_url or url,
        security=_security(link, schemes or {}),
    )


def _accepted(link: Link) -> str:
    types = [kind for kind in link.accept if _MEDIA_TYPE.fullmatch(kind) and kind != "*/*"]
    return ", ".join([*types, "*/*;q=0.1"]) if types else ""


def _security(link: Link, schemes: Mapping[str, SecurityScheme]) -> Security | None:
    if link.security is None:
        return None
    return tuple(
        tuple(schemes.get(name, SecurityScheme(name, "")) for name in alternative)
        for alternative in link.security
    )


def _method(link: Link) -> str:
    method = link.action or "get"
    if not _METHOD.fullmatch(method):
        raise NetworkError(f"The link's action {method!r} is not an HTTP method")
    return method.upper()


def _url(template: str, parameters: Parameters) -> str:
    whole = filled(template, parameters.path_texts)
    url = urldefrag(expand(whole, parameters.path)).url
    _check_segments(template, url, parameters)
    plain = [urlencode(parameters.query, quote_via=quote, safe="")] if parameters.query else []
    query = "&".join([*plain, *parameters.query_texts])
    url = _quoted_literals(url)
    if not query:
        return url
    joint = "" if url.endswith(("?", "&")) else "&" if "?" in url else "?"
    return url + joint + query


def _quoted_literals(url: str) -> str:
    """Percent-encode literal characters in a description's path or query."""
    start = url.find("/", url.find("://") + 3) if "://" in url else 0
    if start < 0:
        return url
    return url[:start] + _NOT_IN_URL.sub(lambda found: quote(found[0], safe=""), url[start:])


def _check_segments(template: str, url: str, parameters: Parameters) -> None:
    """Reject values that make a dot segment of a path, alone or with the text around them."""
    # Each value in the path is replaced by a harmless one.
    literal = _EXPRESSION.sub(lambda found: _HARMLESS.get(found[1], "x"), template)
    if _dot_segments(url) <= _dot_segments(literal):
        return
    values = {**parameters.path, **parameters.path_texts}
    names = [name for name, value in values.items() if "." in str(value)] or list(values)
    raise ParameterError(
        dict.fromkeys(names, "This parameter must not make a dot segment of the path.")
    )


def _dot_segments(url: str) -> int:
    path = re.split("[?#]", url, maxsplit=1)[0]
    return sum(
        segment.lower().replace("%2e", ".") in (".", "..") for segment in re.split(r"[/\\]", path)
    )


def _parameter_headers(parameters: Parameters) -> list[tuple[str, str]]:
    plain = [f"{name}={quote(value, safe=COOKIE_SAFE)}" for name, value in parameters.cookies]
    cookies = "; ".join([*plain, *parameters.cookie_texts])
    return [*parameters.headers, ("Cookie", cookies)] if cookies else parameters.headers
