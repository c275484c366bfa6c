"""What all formats of a schema ask about a view or a model."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.utils.translation import gettext_lazy as _

from lintel.mixins import RetrieveModelMixin

__all__ = ["RetrieveModelMixin", "get_pk_description", "is_list_view"]


def is_list_view(path: str, method: str, view: Any) -> bool:
    """Whether the operation answers with many objects.

    The action of a viewset decides. Other views are judged by what they are: a GET on a path that
    does not end in a parameter, unless the view retrieves single objects.
    """
    if hasattr(view, "action"):
        return bool(view.action == "list")
    if method.lower() != "get" or isinstance(view, RetrieveModelMixin):
        return False
    last = path.strip("/").split("/")[-1]
    return "{" not in last


def get_pk_description(model: type[models.Model], model_field: Any) -> str:
    """Text for the parameter of a path that picks an object by ``model_field``."""
    if isinstance(model_field, models.AutoField):
        value_type = _("unique integer value")
    elif isinstance(model_field, models.UUIDField):
        value_type = _("UUID string")
    else:
        value_type = _("unique value")
    template = str(_("A {value_type} identifying this {name}."))
    return template.format(value_type=value_type, name=model._meta.verbose_name)
