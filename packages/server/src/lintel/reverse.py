"""URLs of views: Django's ``reverse`` with the request's host, version and format."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeAlias

from django.urls import NoReverseMatch
from django.urls import reverse as django_reverse
from django.utils.functional import lazy

from lintel.annotations import AnyRequest
from lintel.settings import api_settings as api_settings
from lintel.utils.urls import preserve_builtin_query_params as preserve_builtin_query_params
from lintel.utils.urls import replace_query_param as replace_query_param

ViewName: TypeAlias = Any  # the name of a URL pattern, or the view itself
UrlArguments: TypeAlias = Any  # a sequence, or a mapping of keywords


def in_namespace(view_name: str, request: object) -> str:
    match = getattr(request, "resolver_match", None)
    return f"{match.namespace}:{view_name}" if match is not None and match.namespace else view_name


def names_in_namespaces(view_name: object, request: object) -> list[str]:
    """Return a plain name in each namespace of the request, innermost first."""
    match = getattr(request, "resolver_match", None)
    if match is None or not isinstance(view_name, str) or ":" in view_name:
        return []
    parts = match.namespaces
    return [":".join([*parts[:end], view_name]) for end in range(len(parts), 0, -1)]


def reverse(
    viewname: ViewName,
    args: Sequence[object] | None = None,
    kwargs: Mapping[str, object] | None = None,
    request: AnyRequest = None,
    format: str | None = None,
    **extra: Any,
) -> str:
    """Return the URL of a view, absolute if a request is given. Raises NoReverseMatch.

    The versioning scheme of the request comes first: it may put the version into the URL. If it
    finds nothing, the name is looked up unchanged, and then in the namespaces that the request came
    through. ``extra`` goes to Django's ``reverse``.
    """
    scheme = getattr(request, "versioning_scheme", None)
    if scheme is None:
        url = _found(viewname, args, kwargs, request, format, **extra)
    else:
        try:
            url = scheme.reverse(viewname, args, kwargs, request, format, **extra)
        except NoReverseMatch:
            url = _found(viewname, args, kwargs, request, format, **extra)
    return preserve_builtin_query_params(url, request)


def _found(
    viewname: ViewName,
    args: Sequence[object] | None,
    kwargs: Mapping[str, object] | None,
    request: AnyRequest,
    format: str | None,
    **extra: Any,
) -> str:
    try:
        return _reverse(viewname, args, kwargs, request, format, **extra)
    except NoReverseMatch:
        for name in names_in_namespaces(viewname, request):
            with suppress(NoReverseMatch):
                return _reverse(name, args, kwargs, request, format, **extra)
        raise


def _reverse(
    viewname: ViewName,
    args: Sequence[object] | None = None,
    kwargs: Mapping[str, object] | None = None,
    request: AnyRequest = None,
    format: str | None = None,
    **extra: Any,
) -> str:
    if format is not None:
        kwargs = {**(kwargs or {}), "format": format}
    options = None if kwargs is None else dict(kwargs)
    url: str = django_reverse(viewname, args=args, kwargs=options, **extra)
    return request.build_absolute_uri(url) if request else url


reverse_lazy: Any = lazy(reverse, str)
