"""The order of rows that clients ask for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.core.exceptions import FieldDoesNotExist, FieldError, ImproperlyConfigured
from django.db import models
from django.db.models import QuerySet
from django.db.models.constants import LOOKUP_SEP
from django.template import loader
from django.utils.encoding import force_str
from django.utils.translation import gettext_lazy as _

from lintel.cycle.steps import complete
from lintel.fields.describing import Schema
from lintel.filters.base import BaseFilterBackend, is_usual
from lintel.filters.columns import annotations_of, queryset_of
from lintel.inspectors import query_field, query_parameter
from lintel.marks import prompt_when
from lintel.request import Request
from lintel.settings import SettingDefault
from lintel_document import Field

#: Parts that a project may override without overriding the filter itself.
ORDERING_HOOKS = (
    *("get_ordering", "get_default_ordering", "get_default_valid_fields", "get_valid_fields"),
    "remove_invalid_fields",
)


def ordering_asks_nobody(
    backend: OrderingFilter, request: Request, queryset: QuerySet[Any], view: object
) -> bool:
    """Return whether no project code is involved that might query a database."""
    if not is_usual(backend, queryset, *ORDERING_HOOKS):
        return False
    if not request.query_params.get(backend.ordering_param):
        return True
    # The project may create the fields of a serializer, and the managers behind them.
    return getattr(view, "ordering_fields", backend.ordering_fields) is not None


class OrderingFilter(BaseFilterBackend):
    """Rows in the order that the client asks for: ``?ordering=-created,name``.

    ``ordering_fields`` of the view are allowed: a list of names or of (name, label), or
    ``"__all__"`` for all columns of the model. If it is not set, the readable fields
    are: what clients cannot see they cannot learn from the order of rows either.
    """

    ordering_param: Any = SettingDefault("ORDERING_PARAM")
    ordering_fields: Any = None
    ordering_title: Any = _("Ordering")
    ordering_description: Any = _("Which field to use when ordering the results.")
    template: str | None = "rest_framework/filters/ordering.html"

    def get_ordering(self, request: Request, queryset: QuerySet[Any], view: Any) -> Any:
        """Return names to order by: the allowed ones of the request, or the default of the view."""
        value = request.query_params.get(self.ordering_param)
        if value:
            names = [name.strip() for name in value.split(",")]
            ordering = self.remove_invalid_fields(queryset, names, view, request)
            if ordering:
                return ordering
        return self.get_default_ordering(view)

    def get_default_ordering(self, view: Any) -> Any:
        ordering = getattr(view, "ordering", None)
        return (ordering,) if isinstance(ordering, str) else ordering

    def get_default_valid_fields(
        self, queryset: Any, view: Any, context: Any = None
    ) -> list[tuple[str, Any]]:
        """Return name and label of the columns behind the serializer's readable fields."""
        serializer = _serializer_class(self, view)(context=context or {})
        model = getattr(queryset, "model", None)
        return [
            (field.source.replace(".", LOOKUP_SEP) or name, field.label)
            for name, field in serializer.fields.items()
            if not getattr(field, "write_only", False)
            and field.source != "*"
            and not isinstance(getattr(model, field.source, None), property)
        ]

    def get_valid_fields(
        self, queryset: Any, view: Any, context: Any = None
    ) -> list[tuple[str, Any]]:
        """Return name and label of everything that the view may be ordered by."""
        valid = getattr(view, "ordering_fields", self.ordering_fields)
        if valid is None:
            return self.get_default_valid_fields(queryset, view, context)
        if valid == "__all__":
            columns = [(field.name, field.verbose_name) for field in queryset.model._meta.fields]
            return columns + [(name, name.title()) for name in annotations_of(queryset)]
        return [(item, item) if isinstance(item, str) else item for item in valid]

    def remove_invalid_fields(
        self, queryset: QuerySet[Any], fields: Iterable[str], view: Any, request: Request
    ) -> list[str]:
        """Return the allowed ones of the names, with their signs."""
        valid = {item[0] for item in self.get_valid_fields(queryset, view, {"request": request})}
        # Ordering by a column a second time has no effect.
        chosen: dict[str, str] = {}
        for name in fields:
            chosen.setdefault(name.removeprefix("-"), name)
        return [
            name
            for column, name in chosen.items()
            if column in valid and (_is_column(queryset, column) or _can_order(queryset, name))
        ]

    @prompt_when(ordering_asks_nobody)
    def filter_queryset(self, request: Request, queryset: QuerySet[Any], view: Any) -> Any:
        ordering = self.get_ordering(request, queryset, view)
        return queryset.order_by(*ordering) if ordering else queryset

    def get_template_context(
        self, request: Request, queryset: QuerySet[Any], view: Any
    ) -> dict[str, Any]:
        current = self.get_ordering(request, queryset, view)
        options = []
        for name, label in self.get_valid_fields(queryset, view, {"request": request}):
            options.append((name, f"{label} - {_('ascending')}"))
            options.append((f"-{name}", f"{label} - {_('descending')}"))
        return {
            "request": request,
            "current": current[0] if current else None,
            "param": self.ordering_param,
            "options": options,
            "several": _several(current, dict(options)),
        }

    def to_html(self, request: Request, queryset: QuerySet[Any], view: Any) -> str:
        if not self.template:
            return ""
        template = loader.get_template(self.template)
        return template.render(self.get_template_context(request, queryset, view))

    def get_schema_operation_parameters(self, view: Any) -> list[Schema]:
        return [query_parameter(self.ordering_param, self.ordering_description)]

    def describe_parameters(self, view: Any) -> list[Schema]:
        """Return the parameter with the names of the fields that it accepts; others are ignored."""
        parameters = self.get_schema_operation_parameters(view)
        return [_with_fields(self, parameter, view) for parameter in parameters]

    def get_schema_fields(self, view: Any) -> list[Field]:
        return [query_field(self.ordering_param, self.ordering_title, self.ordering_description)]


def _several(current: Any, labels: dict[str, str]) -> tuple[str, str] | None:
    """The value and label of an order by several columns, which is no option; None for others."""
    names = [] if current is None or isinstance(current, str) else list(current)
    if len(names) < 2 or not all(isinstance(name, str) and name in labels for name in names):
        return None
    return ",".join(names), ", ".join(labels[name] for name in names)


def _with_fields(backend: OrderingFilter, parameter: Schema, view: Any) -> Schema:
    """Add the names of fields; without a request project code may fail in any way."""
    if parameter.get("name") != backend.ordering_param:
        return parameter
    try:
        fields = backend.get_valid_fields(complete(view.get_queryset()), view, {"request": None})
        names = ", ".join(f"`{name}`" for name, _ in fields)
    except Exception:
        return parameter
    text = force_str(parameter.get("description", ""))
    accepted = f"Known are {names}; separate several with commas; a minus before one reverses it."
    return {**parameter, "description": f"{text} {accepted}".strip() if names else text}


def _is_column(queryset: QuerySet[Any], name: str) -> bool:
    if not isinstance(queryset, models.QuerySet) or queryset.query.is_sliced:
        return False
    try:
        return bool(queryset.model._meta.get_field(name).concrete)
    except FieldDoesNotExist:
        return False


def _can_order(queryset: QuerySet[Any], name: str) -> bool:
    """Return whether there is a column behind a name: a readable field may be a method."""
    rows = queryset_of(queryset)
    if not isinstance(rows, models.QuerySet):
        return True  # what only resembles a queryset may order right away
    try:
        rows.order_by(name)
    except (FieldError, TypeError):
        return False
    return True


def _serializer_class(backend: OrderingFilter, view: Any) -> Any:
    try:
        serializer_class = view.get_serializer_class()
    except AssertionError:
        serializer_class = None
    if serializer_class is None:
        raise ImproperlyConfigured(
            f"Cannot use {type(backend).__name__} on a view which does not have either a "
            "'serializer_class', an overriding 'get_serializer_class' or 'ordering_fields' "
            "attribute."
        )
    return serializer_class
