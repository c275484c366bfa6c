"""Format suffixes: ``/users.json`` beside ``/users/``."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from django.urls import URLPattern, URLResolver, path, re_path, register_converter
from django.urls.converters import get_converters
from django.urls.resolvers import RoutePattern

from lintel.settings import api_settings as api_settings


def format_suffix_patterns(
    urlpatterns: Sequence[Any], suffix_required: bool = False, allowed: Sequence[str] | None = None
) -> list[Any]:
    """Return the patterns, each also with a format suffix.

    The view gets the suffix as the keyword argument of the setting FORMAT_SUFFIX_KWARG; without
    such a name the patterns are unchanged. ``suffix_required`` omits the patterns without a
    suffix. ``allowed`` are the only suffixes; by default any of lower-case letters and digits.
    """
    keyword = api_settings.FORMAT_SUFFIX_KWARG
    if not keyword:
        return list(urlpatterns)
    if allowed:
        choices = "|".join(map(re.escape, allowed))
        choices = choices if len(allowed) == 1 else f"({choices})"
    else:
        choices = "[a-z0-9]+"
    suffix_pattern = rf"\.(?P<{keyword}>{choices})/?$"
    suffix_route = f"<{_converter_name(allowed)}:{keyword}>"
    return apply_suffix_patterns(urlpatterns, suffix_pattern, suffix_required, suffix_route)


def apply_suffix_patterns(
    urlpatterns: Iterable[Any],
    suffix_pattern: str,
    suffix_required: bool,
    suffix_route: str | None = None,
) -> list[Any]:
    """Return the patterns, included ones too, each followed by itself with the suffix."""
    # ``suffix_pattern`` ends a regular expression, ``suffix_route`` a route of ``path()``.
    result: list[Any] = []
    for pattern in urlpatterns:
        if isinstance(pattern, URLResolver):
            inner = apply_suffix_patterns(
                pattern.url_patterns, suffix_pattern, suffix_required, suffix_route
            )
            names = pattern.app_name, pattern.namespace
            result.append(URLResolver(pattern.pattern, inner, pattern.default_kwargs, *names))
            continue
        if not suffix_required:
            result.append(pattern)
        result.append(_with_suffix(pattern, suffix_pattern, suffix_route))
    return result


def _with_suffix(pattern: URLPattern, suffix_pattern: str, suffix_route: str | None) -> URLPattern:
    if suffix_route is not None and isinstance(pattern.pattern, RoutePattern):
        route = str(pattern.pattern).rstrip("$").rstrip("/") + suffix_route
        return path(route, pattern.callback, pattern.default_args, pattern.name)
    regex = pattern.pattern.regex.pattern.rstrip("$").rstrip("/") + suffix_pattern
    return re_path(regex, pattern.callback, pattern.default_args, pattern.name)


def _converter_name(allowed: Sequence[str] | None) -> str:
    """Register the path converter of these suffixes, once; return its name."""
    converter = _converter(allowed)
    name = "_".join(["drf_format_suffix", *(re.sub(r"\W", "", part) for part in allowed or ())])
    # Two lists may result in the same name: "a.b" and "ab".
    while name in get_converters() and get_converters()[name].regex != converter.regex:
        name += "_"
    if name not in get_converters():
        register_converter(converter, name)
    return name


def _converter(allowed: Sequence[str] | None) -> type[Any]:
    choices = "|".join(map(re.escape, allowed)) if allowed else "[a-z0-9]+"
    choices = choices if not allowed or len(allowed) == 1 else f"(?:{choices})"

    class FormatSuffixConverter:
        """``.json`` or ``.json/`` in a path; the value is ``json``."""

        regex = rf"\.{choices}/?"

        def to_python(self, value: str) -> str:
            return value.strip("./")

        def to_url(self, value: str) -> str:
            return f".{value}/"

    return FormatSuffixConverter
