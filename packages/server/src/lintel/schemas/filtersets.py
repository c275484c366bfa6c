"""The query parameters of filter sets of django-filter, which describes itself no more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from copy import copy, deepcopy
from typing import TYPE_CHECKING, Any, TypeAlias

from django import forms
from django.db import models
from django.utils.encoding import force_str

from lintel.annotations import AnyView
from lintel.fields.columns import column_at, column_of, column_schema
from lintel.fields.describing import Schema, choice_type
from lintel.inspectors import query_parameter
from lintel.query_parameters import widget_names
from lintel.schemas.openapi_types import PLAIN, named_type
from lintel.schemas.overrides import field_override
from lintel.schemas.standins import queryset_of

if TYPE_CHECKING:
    from lintel.schemas.inspection import Inspection

#: The values of form fields, by the first class that fits; all others are text.
VALUES: list[tuple[tuple[type, ...], Schema]] = [
    ((forms.DecimalField, forms.FloatField), {"type": "number"}),
    ((forms.IntegerField,), {"type": "integer"}),
    ((forms.BooleanField, forms.NullBooleanField), {"type": "boolean"}),
    ((forms.DateTimeField,), {"type": "string", "format": "date-time"}),
    ((forms.DateField,), {"type": "string", "format": "date"}),
    ((forms.UUIDField,), {"type": "string", "format": "uuid"}),
]

#: Lookups of a whole column that take whole numbers.
WHOLE_LOOKUPS = ("exact", "in", "range", "gt", "gte", "lt", "lte")

#: Fields with several values, and widgets that read a name as often as it is there.
SEVERAL = (forms.MultipleChoiceField, forms.ModelMultipleChoiceField)
SEVERAL_READ = (forms.SelectMultiple, forms.CheckboxSelectMultiple, forms.MultipleHiddenInput)

#: A filter of django-filter, which may not be installed, a set of them, and its backend.
Filter: TypeAlias = Any
FilterSet: TypeAlias = Any
Backend: TypeAlias = Any
Column: TypeAlias = Any
FormField: TypeAlias = Any  # a class


def filterset_parameters(backend: Backend, view: AnyView, inspection: Inspection) -> list[Schema]:
    """Return the parameters of a view's filter set; with types alone unless in full."""
    try:
        return list(map(_copied, _described(backend, view, inspection)))
    except Exception as error:  # project code
        message = f"The filters of {type(view).__name__} are not described: {error!r}. "
        inspection.warn(f"{message}Name them by @extend_schema(parameters=…)", type(view))
        return []


def _copied(parameter: Schema) -> Schema:
    """A copy, because projects change what their schemas return."""
    values = parameter["schema"]
    is_flat = "enum" not in values and "items" not in values
    return {**parameter, "schema": dict(values) if is_flat else deepcopy(values)}


def _described(backend: Backend, view: AnyView, inspection: Inspection) -> list[Schema]:
    queryset, unsaid = _rows_of(backend, view, inspection)
    cls = _class_of(backend, view, queryset, inspection)
    if cls is None:
        # Without rows, names of fields make no filter set.
        if unsaid and getattr(view, "filterset_fields", None):
            inspection.warn(*unsaid)
        return []
    model = cls._meta.model if queryset is None else queryset.model
    if _is_of_package(cls.__init__):
        filters = cls.base_filters
        key = _parameters_of, cls, model
        return inspection.once(key, _parameters_of, filters, model, inspection.is_full)
    filters = _own_filters(backend, view, queryset, cls)
    return _parameters_of(filters, model, inspection.is_full)


def _rows_of(
    backend: Backend, view: AnyView, inspection: Inspection
) -> tuple[models.QuerySet[Any] | None, list[Any]]:
    """The rows of a view, or why there are none; asked once for all operations of a route."""

    def make() -> tuple[models.QuerySet[Any] | None, list[Any]]:
        unsaid: list[Any] = []
        return queryset_of(view, lambda *said: unsaid.extend(said)), unsaid

    callback = getattr(view, "_lintel_callback", None)
    if callback is None or not _is_of_package(backend.get_filterset_class):
        return make()
    return inspection.once((_rows_of, callback), make)


def _class_of(
    backend: Backend, view: AnyView, queryset: models.QuerySet[Any] | None, inspection: Inspection
) -> FilterSet | None:
    """The class of a view's filters; one that is made of names is made once."""
    fields = getattr(view, "filterset_fields", None)
    if fields is None or not _is_of_package(backend.get_filterset_class):
        return backend.get_filterset_class(view, queryset)
    given = getattr(view, "filterset_class", None)
    key = type(backend), given, getattr(queryset, "model", None)
    return inspection.once_for(fields, key, backend.get_filterset_class, view, queryset)


def _is_of_package(method: Any) -> bool:
    return str(method.__module__).startswith("django_filters.")


def _own_filters(
    backend: Backend, view: AnyView, queryset: models.QuerySet[Any] | None, cls: FilterSet
) -> Mapping[str, Filter]:
    # A constructor of the project may add some.
    try:
        return backend.get_filterset(view.request, queryset, view).filters
    except Exception:  # project code
        return cls.base_filters


def _parameters_of(
    filters: Mapping[str, Filter], model: type[models.Model], is_full: bool
) -> list[Schema]:
    result = [
        parameter
        for name, item in filters.items()
        for parameter in _parameters(name, item, _values(item, model, is_full))
    ]
    return list(map(_without_repetition, result)) if is_full else result


def _without_repetition(parameter: Schema) -> Schema:
    """Leave out a description that is only the name."""
    is_name = parameter["description"] == parameter["name"]
    return {**parameter, "description": ""} if is_name else parameter


def _parameters(name: str, item: Filter, values: Schema) -> Iterator[Schema]:
    widget = item.extra.get("widget") or item.field_class.widget
    for parameter in widget_names(name, widget):
        yield {
            "name": parameter,
            "required": bool(item.extra.get("required", False)),
            "in": "query",
            "description": force_str(item.label or parameter),
            **values,
        }
    # The field class of a LookupChoiceFilter is that of the first of its two parts.
    if _is_kind_of(getattr(item, "outer_class", object), "LookupChoiceField"):
        yield query_parameter(f"{name}_lookup", f"The lookup of {name}.")


def _values(item: Filter, model: type[models.Model], is_full: bool) -> Schema:
    cls = item.field_class
    commas = _is_kind_of(cls, "BaseCSVField")
    repeated = _is_repeated(item)
    column = _column(item, model)
    if not is_full:
        plain = _of_form_field(cls, item, column).get("type", "string")
        return {"schema": {"type": "string" if commas or repeated else plain}}
    described = _said_of(item) or _choice(item) or _key(item, column)
    schema = described or _of_form_field(_inner(cls), item, column)
    if (not commas and not repeated) or schema.get("type") == "array":
        return {"schema": schema}
    pair = {"minItems": 2, "maxItems": 2} if _is_kind_of(cls, "BaseRangeField") else {}
    many = {"type": "array", "items": schema, **pair}
    return {"schema": many, **({"explode": False} if commas else {})}


def _is_repeated(item: Filter) -> bool:
    """Whether a filter takes its parameter several times, which its widget decides."""
    widget = item.extra.get("widget") or item.field_class.widget
    widget_class = widget if isinstance(widget, type) else type(widget)
    return issubclass(item.field_class, SEVERAL) or issubclass(widget_class, SEVERAL_READ)


def _said_of(item: Filter) -> Schema | None:
    """What ``@extend_schema_field`` says of a class of filters by a type or a schema."""
    said = named_type(field_override(type(item)))
    if isinstance(said, type):
        said = next((schema for kind, schema in PLAIN if issubclass(said, kind)), None)
    return dict(said) if isinstance(said, Mapping) else None


def _is_kind_of(cls: type, name: str) -> bool:
    return any(base.__name__ == name for base in cls.__mro__)


def _inner(cls: FormField) -> FormField:
    if not issubclass(cls, forms.MultiValueField) or not _is_kind_of(cls, "RangeField"):
        return cls
    return type(cls().fields[0])


def _of_form_field(cls: FormField, item: Filter, column: object) -> Schema:
    result = next((value for kinds, value in VALUES if issubclass(cls, kinds)), {"type": "string"})
    is_whole = isinstance(column, models.IntegerField) and item.lookup_expr in WHOLE_LOOKUPS
    return {"type": "integer"} if is_whole and result["type"] == "number" else dict(result)


def _column(item: Filter, model: type[models.Model]) -> Column:
    source = str(item.field_name or "").replace("__", ".")
    if source == "pk":
        return model._meta.pk
    column = column_at(model, source.removesuffix(".pk"))
    while getattr(column, "remote_field", None) is not None and hasattr(column, "target_field"):
        column = column.target_field
    return column


def _choice(item: Filter) -> Schema | None:
    """Return one of the choices of a filter; None if it has none, or only a function has them."""
    given = item.extra.get("choices")
    if not issubclass(item.field_class, forms.ChoiceField) or given is None:
        return None
    if callable(given) and not isinstance(given, type):
        return None
    try:
        # A copy, because the filter would keep the form field.
        values = [choice for choice in _flat(copy(item).field.choices) if choice not in ("", None)]
    except Exception:  # project code, such as a query
        return None
    if choice_type(values) == "integer" and not any(isinstance(value, bool) for value in values):
        return {"type": "integer", "enum": values}
    return {"type": "string", "enum": [str(value) for value in values]} if values else None


def _flat(choices: Iterable[tuple[object, object]]) -> Iterator[object]:
    for value, label in choices:
        if isinstance(label, list | tuple):
            yield from _flat(label)
        else:
            yield value


def _key(item: Filter, column: Column) -> Schema | None:
    if not issubclass(item.field_class, forms.ModelChoiceField):
        return None
    model = getattr(item.extra.get("queryset"), "model", None)
    name = item.extra.get("to_field_name")
    if model is not None:
        column = column_of(model, name) if name else model._meta.pk
    return column_schema(column) or {"type": "string"}
