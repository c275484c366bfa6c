"""Questions about views and models that all schema formats share."""

import re
from collections.abc import Callable
from typing import Any

from django.db import models
from django.utils.translation import gettext as _

from lintel.annotations import AnyView
from lintel.fields.describing import Schema
from lintel.generics import GenericAPIView
from lintel.mixins import RetrieveModelMixin
from lintel.schemas.filtersets import filterset_parameters
from lintel.schemas.inspection import Inspection, warn_of
from lintel.views import APIView

_VARIABLE = re.compile(r"{(\w+)}")


def is_list_view(path: str, method: str, view: APIView) -> bool:
    """Return whether the operation returns many objects.

    The action of a viewset decides. For other views, a GET on a path that
    does not end in a parameter lists, unless the view retrieves single objects.
    """
    if hasattr(view, "action"):
        return bool(view.action == "list")
    if method.lower() not in ("get", "query") or isinstance(view, RetrieveModelMixin):
        return False
    return "{" not in path.strip("/").rpartition("/")[2]


def model_of(view: object) -> type[models.Model] | None:
    try:
        return getattr(getattr(view, "queryset", None), "model", None)
    except Exception:  # a property of the project
        return None


def owner_of_variable(view: AnyView, name: str) -> tuple[AnyView, str]:
    """Return the view, and the name there, of a variable in a nested path; else as given."""
    route = getattr(view, "parent_route", None)
    for level in route.levels() if route is not None else ():
        if level.lookup == name:
            key, model = level.lookup_field, model_of(level.viewset)
            return level.viewset, key if key != "pk" or model is None else model._meta.pk.name
    return view, name


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


def filter_parameters(backend: Any, view: GenericAPIView, inspection: Inspection) -> list[Schema]:
    """Return the query parameters of a filter in the form of the document, for OpenAPI.

    For django-filter they are those of the filter set, because its own schema support ended with
    version 25; other filters that declare none have none.
    """
    if hasattr(backend, "get_schema_operation_parameters"):
        if inspection.is_full and hasattr(backend, "describe_parameters"):
            return list(backend.describe_parameters(view))
        return list(backend.get_schema_operation_parameters(view))
    if not hasattr(backend, "get_filterset_class"):
        return []
    return filterset_parameters(backend, view, inspection)


def allowed_parameters(view: APIView, warn: Callable[..., None] = warn_of) -> list[str]:
    try:
        return list(dict.fromkeys(view.allowed_query_params))
    except Exception as error:  # project code
        warn(f"allowed_query_params failed without a request: {error!r}", type(view))
        return []
