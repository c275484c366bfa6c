"""The query parameters that a view accepts, and the rejection of all others.

Off by default; the setting STRICT_QUERY_PARAMS, or ``strict_query_params`` of a view, turns it on;
``"report"`` only logs the names.
Accepted are parameters that the filters, the pagination and the versioning of the view declare,
the one that overrides the format, and ``allowed_query_params`` of the view.
"""

from collections.abc import Collection, Iterable, Iterator
from difflib import get_close_matches
from typing import Any

from django.utils.translation import gettext_lazy as _

from lintel.annotations import AnyView
from lintel.cycle.steps import complete
from lintel.exceptions import ValidationError
from lintel.settings import api_settings

UNKNOWN = _("Unknown query parameter.")
NEAR_MISS = _("Unknown query parameter. Did you mean {names}?")

#: How much of a client's own text is repeated in the response.
MAX_NAMED = 20
MAX_NAME_LENGTH = 100
MAX_SUGGESTIONS = 3


#: The attributes of a view with sparse fields that name its parameters.
_OF_SPARSE_FIELDS = ("fields_param", "expand_param")


def known_query_params(view: AnyView) -> set[str]:
    scheme = getattr(view.request, "versioning_scheme", None)
    filters = [backend() for backend in getattr(view, "filter_backends", None) or ()]
    policies = [*filters, getattr(view, "paginator", None), scheme]
    names = {name for policy in policies for name in _declared(policy, view)}
    names.update(view.allowed_query_params)
    if view.request.method in ("GET", "HEAD"):
        named = (getattr(view, name, None) for name in _OF_SPARSE_FIELDS)
        names.update(name for name in named if name)
    if api_settings.URL_FORMAT_OVERRIDE:
        names.add(api_settings.URL_FORMAT_OVERRIDE)
    return names


def _declared(policy: Any, view: AnyView) -> Iterable[str]:
    # django-filter has no schema support of its own since version 25.
    if hasattr(policy, "get_query_params"):
        return policy.get_query_params(view)
    names: list[str] = []
    if hasattr(policy, "get_schema_operation_parameters"):
        parameters = policy.get_schema_operation_parameters(view)
        names += [item["name"] for item in parameters if item.get("in", "query") == "query"]
    if hasattr(policy, "get_filterset"):
        names += _filterset_names(policy, view)
    return names


def _filterset_names(backend: Any, view: AnyView) -> Iterator[str]:
    queryset = complete(view.get_queryset())
    filterset = backend.get_filterset(view.request, queryset, view)
    if filterset is None:
        return
    form = filterset.form
    for name, field in form.fields.items():
        yield from widget_names(form.add_prefix(name), field.widget)


def widget_names(name: str, widget: Any) -> list[str]:
    """Return the parameters that a form field reads: a range reads two."""
    if hasattr(widget, "suffixes"):
        return [f"{name}_{suffix}" if suffix else name for suffix in widget.suffixes]
    return [f"{name}{suffix}" for suffix in getattr(widget, "widgets_names", [""])]


def refuse_unknown(names: Iterable[str], allowed: Collection[str]) -> None:
    """Raise ValidationError that names each unknown parameter, and similar known ones."""
    unknown = [name for name in names if name not in allowed][:MAX_NAMED]
    if unknown:
        errors = {name[:MAX_NAME_LENGTH]: [_message(name, allowed)] for name in unknown}
        raise ValidationError(errors, code="unknown_query_parameter")


def _message(name: str, allowed: Collection[str]) -> Any:
    if len(name) > MAX_NAME_LENGTH:
        return UNKNOWN
    by_lower = {parameter.lower(): parameter for parameter in sorted(allowed)}
    near = get_close_matches(name.lower(), by_lower, MAX_SUGGESTIONS)
    names = ", ".join(f"'{by_lower[word]}'" for word in near)
    return NEAR_MISS.format(names=names) if near else UNKNOWN
