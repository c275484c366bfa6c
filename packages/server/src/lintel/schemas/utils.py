"""Questions about views and models that all schema formats share."""

import re
import warnings
from collections.abc import Callable, Iterable
from typing import Any

from django import forms
from django.db import models
from django.utils.encoding import force_str
from django.utils.translation import gettext as _

from lintel.cycle.steps import complete
from lintel.fields.columns import column_at
from lintel.fields.describing import Schema
from lintel.generics import GenericAPIView
from lintel.mixins import RetrieveModelMixin
from lintel.query_parameters import widget_names
from lintel.schemas.inspection import Inspection, warn_of
from lintel.views import APIView

#: The JSON Schema type of form fields; all others are text.
PARAMETER_TYPES: list[tuple[type[forms.Field] | tuple[type[forms.Field], ...], str]] = [
    ((forms.DecimalField, forms.FloatField), "number"),
    (forms.IntegerField, "integer"),
    ((forms.BooleanField, forms.NullBooleanField), "boolean"),
]

_VARIABLE = re.compile(r"{(\w+)}")


def is_list_view(path: str, method: str, view: APIView) -> bool:
    """Return whether the operation returns many objects.

    The action of a viewset decides. For other views, a GET on a path that
    does not end in a parameter lists, unless the view retrieves single objects.
    """
    if hasattr(view, "action"):
        return bool(view.action == "list")
    if method.lower() != "get" or isinstance(view, RetrieveModelMixin):
        return False
    return "{" not in path.strip("/").rpartition("/")[2]


def model_of(view: object) -> type[models.Model] | None:
    return getattr(getattr(view, "queryset", None), "model", None)


def variables_of(path: str) -> list[str]:
    return list(dict.fromkeys(_VARIABLE.findall(path)))


LOOKUP_ACTIONS = frozenset(["list", "retrieve", "update", "partial_update", "destroy"])


def applies_filters(view: APIView, method: str) -> bool:
    if getattr(view, "filter_backends", None) is None:
        return False
    if hasattr(view, "action"):
        return view.action in LOOKUP_ACTIONS
    return method.lower() in ("get", "put", "patch", "delete")


def get_pk_description(model: type[models.Model], model_field: object) -> str:
    if isinstance(model_field, models.AutoField):
        value_type = _("unique integer value")
    elif isinstance(model_field, models.UUIDField):
        value_type = _("UUID string")
    else:
        value_type = _("unique value")
    template: str = _("A {value_type} identifying this {name}.")
    return template.format(value_type=value_type, name=model._meta.verbose_name)


def filter_parameters(
    backend: Any, view: GenericAPIView, inspection: Inspection | None = None
) -> list[Schema]:
    """Return the query parameters of a filter, for OpenAPI; in full with an inspection.

    For django-filter they are those of the filter set, because its own schema support ended with
    version 25; other filters that declare none have none.
    """
    if hasattr(backend, "get_schema_operation_parameters"):
        if inspection is not None and hasattr(backend, "describe_parameters"):
            return list(backend.describe_parameters(view))
        return list(backend.get_schema_operation_parameters(view))
    if not hasattr(backend, "get_filterset_class"):
        return []
    try:
        queryset = complete(view.get_queryset())
        filterset_class = backend.get_filterset_class(view, queryset)
    except Exception as error:
        # Without a request, project code may fail in any way.
        message = f"The filters of {type(view).__name__} are not described: {error!r}"
        if inspection is None:
            warnings.warn(message, stacklevel=2)
        else:
            inspection.warn(message, type(view))
        return []
    filters = filterset_class.base_filters if filterset_class is not None else {}
    return [
        parameter
        for name, item in filters.items()
        for parameter in _filter_parameters(name, item, queryset.model, inspection is not None)
    ]


def allowed_parameters(view: APIView, warn: Callable[..., None] = warn_of) -> list[str]:
    try:
        return list(dict.fromkeys(view.allowed_query_params))
    except Exception as error:  # project code
        warn(f"allowed_query_params failed without a request: {error!r}", type(view))
        return []


def _filter_parameters(
    name: str, item: Any, model: type[models.Model], is_full: bool
) -> Iterable[Schema]:
    widget = item.extra.get("widget") or item.field_class.widget
    for parameter in widget_names(name, widget):
        yield {
            "name": parameter,
            "required": bool(item.extra.get("required", False)),
            "in": "query",
            "description": force_str(item.label or parameter),
            **_filter_values(item.field_class, _is_whole(item, model), is_full),
        }


def _is_whole(item: Any, model: type[models.Model]) -> bool:
    column = column_at(model, str(item.field_name or "").replace("__", "."))
    if item.lookup_expr not in ("exact", "in", "gt", "gte", "lt", "lte"):
        return False
    return isinstance(column, models.IntegerField)


def _filter_values(field_class: type[forms.Field], is_whole: bool, is_full: bool) -> Schema:
    kind = next((word for cls, word in PARAMETER_TYPES if issubclass(field_class, cls)), "string")
    if kind == "number" and is_whole:
        kind = "integer"
    commas = any(cls.__name__ == "BaseCSVField" for cls in field_class.__mro__)
    repeated = issubclass(field_class, forms.MultipleChoiceField | forms.ModelMultipleChoiceField)
    if not commas and not repeated:
        return {"schema": {"type": kind}}
    if not is_full:
        return {"schema": {"type": "string"}}
    return {
        "schema": {"type": "array", "items": {"type": kind}},
        **({"explode": False} if commas else {}),
    }
