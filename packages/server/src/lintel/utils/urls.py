"""Query strings of URLs: set or remove one parameter."""

from urllib.parse import parse_qs, urlencode, urlsplit

from django.utils.encoding import force_str

from lintel.annotations import AnyRequest
from lintel.settings import api_settings


def replace_query_param(url: object, key: object, val: object) -> str:
    """Set the query parameter ``key`` of ``url`` to ``val``; the parameters are sorted by name."""
    return _with_values(url, key, [force_str(val)])


def remove_query_param(url: object, key: object) -> str:
    """Remove every value of the query parameter ``key``; the rest is sorted by name."""
    return _with_values(url, key, [])


def _with_values(url: object, key: object, values: list[str]) -> str:
    parts = urlsplit(force_str(url))
    query = {**parse_qs(parts.query, keep_blank_values=True), force_str(key): values}
    return parts._replace(query=urlencode(sorted(query.items()), doseq=True)).geturl()


def preserve_builtin_query_params(url: str, request: AnyRequest = None) -> str:
    """Copy the parameter that overrides the format (``URL_FORMAT_OVERRIDE``) to ``url``."""
    name = api_settings.URL_FORMAT_OVERRIDE
    if request is None or not name or name not in request.GET:
        return url
    return replace_query_param(url, name, request.GET[name])
