"""Asking for one version of an API: in the Accept header, the path, the query or the host."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

from lintel_client.errors import NetworkError
from lintel_client.messages import Request
from lintel_client.origins import origin_of
from lintel_client.parameters import distinguished
from lintel_document.links import Link
from lintel_document.uritemplates import variables

__all__ = ["Version", "with_version", "with_version_parameter"]

PLACES = ("", "accept", "path", "query", "host")

_VALUE = re.compile(r"[\w.~:+-]+", re.ASCII)
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_LABEL = re.compile(r"[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?")
_LOOKS_LIKE_ONE = re.compile(r"v?\d+([._-]\w+)*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Version:
    """A version of an API, and where requests state it.

    ``place`` is "accept" (a parameter of the media types), "path" (the segment that looks like a
    version, else a new first one), "query", "host" (the first label), or empty: the parameter of
    the link named ``parameter``, else the Accept header. Raises
    ValueError for an unknown place and for a value that is invalid there.
    """

    value: str
    place: str = ""
    parameter: str = "version"

    def __post_init__(self) -> None:
        if self.place not in PLACES:
            raise ValueError(f"A version can be in {', '.join(PLACES[1:])}, not in {self.place!r}")
        if not _VALUE.fullmatch(self.value) or self.value in (".", ".."):
            raise ValueError(f"{self.value!r} is not a version: give something like v2 or 1.1")
        if self.place == "host" and not _LABEL.fullmatch(self.value):
            raise ValueError(f"{self.value!r} cannot be a label of a host name")
        if not _TOKEN.fullmatch(self.parameter):
            raise ValueError(f"{self.parameter!r} is not the name of a parameter")

    def pinned_url(self, url: str) -> str:
        """Return a URL with the version, if the URL is its place."""
        if self.place == "path":
            return _in_path(url, self.value)
        if self.place == "query":
            return _in_query(url, self.parameter, self.value)
        return _in_host(url, self.value) if self.place == "host" else url


def with_version_parameter(
    version: Version | None, link: Link, params: Mapping[str, Any] | None
) -> Mapping[str, Any]:
    """Return the parameters of a call with the version, if the link has a parameter for it."""
    given = params or {}
    if version is None or version.place in ("accept", "host") or not _takes(link, version):
        return given
    # A name of the body, which the caller may set, is not that of the query.
    names = [field.name for field in distinguished(link).fields if field.location == "query"]
    hidden = f"query.{version.parameter}"
    return {hidden if hidden in names else version.parameter: version.value, **given}


def with_version(version: Version | None, request: Request, link: Link | None = None) -> Request:
    """Return a request with the version, unless a parameter of its link states it."""
    if version is None:
        return request
    declared = link is not None and _takes(link, version)
    if version.place == "accept" or (not version.place and not declared):
        accept = _in_accept(request.headers.get("Accept", "*/*"), version)
        return replace(request, headers=request.headers.setting([("Accept", accept)]))
    if version.place in ("path", "query") and declared:
        return request
    return replace(request, url=version.pinned_url(request.url))


def _takes(link: Link, version: Version) -> bool:
    named = [field for field in link.fields if field.name == version.parameter]
    # A member of the body called version is data of the API, not its own version.
    in_url = [each for each in variables(link.url) if each.name == version.parameter]
    return bool(in_url) or any(field.location in ("path", "query", "header") for field in named)


def _in_accept(accept: str, version: Version) -> str:
    """Add the parameter to each media type, ahead of its weight (RFC 9110, 12.5.1)."""
    added = f"; {version.parameter}={_quoted(version.value)}"
    ranges = []
    for media_range in accept.split(", "):
        kind, weight, quality = media_range.partition(";q=")
        ranges.append(kind + added + weight + quality)
    return ", ".join(ranges)


def _quoted(value: str) -> str:
    return value if _TOKEN.fullmatch(value) else f'"{value}"'


def _in_path(url: str, value: str) -> str:
    parts = urlsplit(url)
    segments = parts.path.split("/")
    found = [at for at, segment in enumerate(segments) if _LOOKS_LIKE_ONE.fullmatch(segment)]
    # Plain numbers may be keys of rows; a v, a dot or the first position make them versions.
    sure = [at for at in found if not segments[at].isdigit() or at == 1]
    if sure:
        segments[sure[0]] = quote(value)
    else:
        segments = ["", quote(value), *(segments[1:] or [""])]
    return urlunsplit(parts._replace(path="/".join(segments)))


def _in_query(url: str, name: str, value: str) -> str:
    parts = urlsplit(url)
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    if (name, value) in pairs:
        return url
    kept = [part for part in parts.query.split("&") if part and part.partition("=")[0] != name]
    query = "&".join([*kept, urlencode({name: value}, quote_via=quote)])
    return urlunsplit(parts._replace(query=query))


def _in_host(url: str, value: str) -> str:
    parts = urlsplit(url)
    host = origin_of(url).host
    first, dot, rest = host.partition(".")
    if not dot or ":" in host or host.rpartition(".")[2].isdigit():
        raise NetworkError(f"The host {host} cannot contain a version: it needs a domain name")
    named = rest if _LOOKS_LIKE_ONE.fullmatch(first) and "." in rest else host
    port = f":{parts.port}" if parts.port else ""
    return urlunsplit(parts._replace(netloc=f"{value}.{named}{port}"))
