"""Rows by the values of their columns: ``?room=3&starts__gte=2026-01-01``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from django.core.checks import CheckMessage, Error
from django.core.exceptions import ImproperlyConfigured
from django.db import models
from django.db.models import QuerySet
from django.db.models.manager import BaseManager
from django.template import loader

from lintel.annotations import AnyView
from lintel.cycle.steps import complete
from lintel.exceptions import ValidationError
from lintel.fields.describing import Schema
from lintel.filters.base import BaseFilterBackend
from lintel.filters.columns import cross_many, filtered, queryset_of
from lintel.filters.comparisons import AnyColumn, Comparison, comparison_of, described, value_of
from lintel.marks import prompt_when
from lintel.request import Request


def fields_ask_nobody(
    backend: FieldFilter, request: Request, queryset: QuerySet[Any], view: object
) -> bool:
    """Tell whether no project code is involved that might query a database."""
    is_changed = type(backend).get_filter_fields is not FieldFilter.get_filter_fields
    if is_changed or getattr(type(queryset), "filter", None) is not QuerySet.filter:
        return False
    lookups = _asked(backend, request, view).values()
    return all(comparison_of(queryset, lookup).has_fixed_choices for lookup in lookups)


class FieldFilter(BaseFilterBackend):
    """Rows whose columns have the values that query parameters name.

    ``filter_fields`` of the view lists what ``QuerySet.filter()`` takes: ``"room"``,
    ``"starts__gte"``, ``"room__name__icontains"``; each is a parameter of that name. A dict gives
    them other names: ``{"from": "starts__gte"}``. Values are read as the column's type, others are
    rejected with 400; an empty value is no filter. Operations on one object take no filters unless
    the view sets ``filter_fields_everywhere = True``.

    Raises ImproperlyConfigured for a name that is no field or no lookup.
    """

    template: str | None = "rest_framework/filters/fields.html"

    #: The most values of ``in``; databases limit the parameters of a statement.
    max_values = 1000

    #: In characters; SQLite rejects patterns of more than 50,000 bytes.
    max_length = 10_000

    def get_filter_fields(self, view: AnyView) -> Mapping[str, str] | Iterable[str]:
        """Return lookups, each the name of its parameter, or a dict from parameters to lookups."""
        return getattr(view, "filter_fields", None) or ()

    @prompt_when(fields_ask_nobody)
    def filter_queryset(self, request: Request, queryset: QuerySet[Any], view: AnyView) -> Any:
        """Return the rows that match. Raises ValidationError, by parameter, for other values."""
        asked = _asked(self, request, view)
        return _filtered(self, request, queryset_of(queryset), asked) if asked else queryset

    def get_query_params(self, view: AnyView) -> list[str]:
        """Return the names of the parameters that this operation takes."""
        return list(_lookups(self, view))

    def get_schema_operation_parameters(self, view: AnyView) -> list[Schema]:
        return [
            {
                "name": name,
                "required": False,
                "in": "query",
                "description": comparison.description,
                **described(comparison),
            }
            for name, comparison in _comparisons(self, view)
        ]

    def to_html(self, request: Request, queryset: QuerySet[Any], view: AnyView) -> str:
        lookups = _lookups(self, view)
        if not self.template or not lookups:
            return ""
        controls = [
            _control(name, comparison_of(queryset, lookup), request.query_params.getlist(name))
            for name, lookup in lookups.items()
        ]
        return loader.get_template(self.template).render({"controls": controls})

    @classmethod
    def check_filter_fields(cls, view: AnyView) -> list[CheckMessage]:
        """Return what Django's system checks say of a view class (``lintel.E013``)."""
        queryset = getattr(view, "queryset", None)
        # A queryset that the project makes for each request may have annotations.
        method = getattr(view, "get_queryset", None)
        is_own = getattr(method, "__module__", None) != "lintel.generics"
        if is_own or not isinstance(queryset, models.QuerySet | BaseManager):
            return []
        names = _by_parameter(cls().get_filter_fields(view)).values()
        return [
            Error(mistake, obj=view, id="lintel.E013")
            for mistake in _mistakes(queryset_of(queryset), names)
        ]


# ---- which parameters ----

#: Handlers of single objects.
_SINGLE = ("retrieve", "update", "partial_update", "destroy")


def _lookups(backend: FieldFilter, view: object) -> Mapping[str, str]:
    return _by_parameter(backend.get_filter_fields(view)) if _takes_filters(view) else {}


def _by_parameter(given: Mapping[str, str] | Iterable[str]) -> Mapping[str, str]:
    if isinstance(given, Mapping):
        return given
    return {name: name for name in ([given] if isinstance(given, str) else given)}


def _takes_filters(view: AnyView) -> bool:
    """Tell whether an operation is about a list, as far as the view says."""
    if getattr(view, "filter_fields_everywhere", False):
        return True
    detail = getattr(view, "detail", None)
    if detail is not None:
        return not detail
    action = getattr(view, "action", None)
    if action is not None:
        return action not in _SINGLE
    if not any(hasattr(view, name) for name in _SINGLE):
        return True
    key = getattr(view, "lookup_url_kwarg", None) or getattr(view, "lookup_field", None)
    return hasattr(view, "list") and key not in (getattr(view, "kwargs", None) or ())


def _asked(backend: FieldFilter, request: Request, view: object) -> dict[str, str]:
    """Choose the lookups of parameters that have a value: forms send empty ones, too."""
    query = request.query_params
    if not query:
        return {}
    lookups = _lookups(backend, view)
    return {name: lookup for name, lookup in lookups.items() if any(query.getlist(name))}


# ---- rows ----


def _filtered(
    backend: FieldFilter, request: Request, queryset: QuerySet[Any], asked: Mapping[str, str]
) -> QuerySet[Any]:
    values, errors = {}, {}
    for name, lookup in asked.items():
        texts = [text for text in request.query_params.getlist(name) if text]
        comparison = comparison_of(queryset, lookup)
        try:
            value = value_of(comparison, texts, backend.max_values, backend.max_length)
            values[name] = comparison, value
        except ValidationError as error:
            errors[name] = error.detail
    if errors:
        raise ValidationError(errors)
    return _matching(queryset, values.values())


def _matching(
    queryset: QuerySet[Any], conditions: Iterable[tuple[Comparison, object]]
) -> QuerySet[Any]:
    """Return the rows that meet all conditions, each row once."""
    direct: list[tuple[str, object]] = []
    of_many: list[tuple[str, object]] = []
    for comparison, value in conditions:
        kind = of_many if cross_many(field for _, field in comparison.path) else direct
        kind.append((comparison.lookup, value))
    result = filtered(queryset, models.Q(*direct))
    if not of_many:
        return result
    # DISTINCT would compare whole rows, and not every column can be compared.
    related = _every_row(queryset).filter(models.Q(*of_many), pk=models.OuterRef("pk"))
    return result.filter(models.Exists(related))


def _every_row(queryset: QuerySet[Any]) -> QuerySet[Any]:
    """Return all rows, without annotations: joins with many rows would change their counts."""
    rows = queryset.all()
    rows.query = models.QuerySet(queryset.model).query
    return rows


# ---- descriptions ----


def _comparisons(backend: FieldFilter, view: AnyView) -> Iterator[tuple[str, Comparison]]:
    lookups = _lookups(backend, view)
    if lookups:
        queryset = _described_rows(view)
        for name, lookup in lookups.items():
            yield name, comparison_of(queryset, lookup)


def _described_rows(view: AnyView) -> QuerySet[Any]:
    """Get the rows of a view; those of the class if its method fails without a request."""
    try:
        return queryset_of(complete(view.get_queryset()))
    except Exception:
        if view.queryset is None:
            raise
        return queryset_of(view.queryset)


def _mistakes(queryset: QuerySet[Any], lookups: Iterable[object]) -> Iterator[str]:
    for lookup in lookups:
        if not isinstance(lookup, str):
            yield f"filter_fields has {lookup!r}; list the lookups: ['name', 'name__icontains']"
            continue
        try:
            comparison_of(queryset, lookup)
        except ImproperlyConfigured as error:
            yield str(error)


# ---- controls ----

#: The type of input for each type of value; others are text.
_INPUTS = {"integer": "number", "date": "date"}


def _control(name: str, comparison: Comparison, texts: list[str]) -> dict[str, object]:
    is_one = described(comparison)["schema"].get("type") != "array"
    kind = comparison.reader.metadata_type if is_one else ""
    return {
        "name": name,
        "label": comparison.description,
        "value": ",".join(filter(None, texts)),
        "type": _INPUTS.get(kind, "text"),
        "options": _options(kind, comparison.reader),
    }


def _options(kind: str, reader: AnyColumn) -> list[tuple[str, object]] | None:
    if kind == "boolean":
        return [("true", "true"), ("false", "false")]
    if kind == "choice":
        return [(str(value), label) for value, label in reader.choices.items()]
    return None
