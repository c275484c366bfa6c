"""URLs of views: Django's ``reverse`` with the request's host, version and format."""

from collections.abc import Mapping, Sequence
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
    finds nothing, the name is looked up unchanged. ``extra`` goes to Django's ``reverse``.
    """
    scheme = getattr(request, "versioning_scheme", None)
    if scheme is None:
        url = _reverse(viewname, args, kwargs, request, format, **extra)
    else:
        try:
            url = scheme.reverse(viewname, args, kwargs, request, format, **extra)
        except NoReverseMatch:
            url = _reverse(viewname, args, kwargs, request, format, **extra)
    return preserve_builtin_query_params(url, request)


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
