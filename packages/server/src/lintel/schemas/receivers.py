"""What methods return whose names are not Django's alone, by what they are called on.

``rows.count()`` is a number if ``rows`` certainly are those of a queryset: a project has methods of
that name too. Models show it, by their managers, relations and columns.
"""

import ast
import re
from dataclasses import dataclass
from inspect import getattr_static
from typing import TypeGuard

from django.db import models
from django.db.models.manager import ManagerDescriptor
from django.utils.translation import gettext, gettext_lazy, ngettext, pgettext

from lintel.fields.describing import Schema
from lintel.schemas.columns import TEXTS
from lintel.schemas.returned import kind_of
from lintel.schemas.sources import Source
from lintel.utils.model_meta import known_field_info

#: Methods, by the class of what they are called on and the type of what they return.
METHODS: dict[str, tuple[type, str]] = {
    "count": (models.QuerySet, "integer"),
    "exists": (models.QuerySet, "boolean"),
    "format": (str, "string"),
    "join": (str, "string"),
}

#: What Django adds to models for each field with choices.
_LABEL = re.compile("get_([a-z0-9_]+)_display")

#: Functions that return text, or what has its methods.
_TEXTS = (gettext, gettext_lazy, ngettext, pgettext)

#: Methods of querysets that return another one.
_ROWS = frozenset(["all", "annotate", "defer", "distinct", "exclude", "filter", "none", "only"])
_ROWS |= {"order_by", "prefetch_related", "reverse", "select_related", "using", "values"}
_ROWS |= {"values_list"}


def is_shared(method: ast.expr) -> TypeGuard[ast.Attribute]:
    """Say whether what a method returns depends on what it is called on."""
    named = method.attr if isinstance(method, ast.Attribute) else ""
    return named in METHODS or _LABEL.fullmatch(named) is not None


@dataclass(frozen=True)
class Receivers:
    """The classes of expressions in a function whose second parameter is a row of a model."""

    source: Source
    model: type[models.Model] | None

    def schema_of_call(self, method: ast.Attribute) -> Schema | None:
        """Return the schema of what a shared method returns; None if it may be another's."""
        owner = self.class_of(method.value, frozenset())
        label = _LABEL.fullmatch(method.attr)
        if label is not None:
            return {"type": "string", **_null_of(owner, label[1])}
        expected, kind = METHODS[method.attr]
        return {"type": kind} if owner is expected else None

    def class_of(self, value: ast.expr | None, inside: frozenset[str]) -> type | None:
        """Return a model, ``QuerySet`` or ``str``; None for anything else."""
        if isinstance(value, ast.Name):
            return None if value.id in inside else self.of_name(value.id, inside | {value.id})
        if isinstance(value, ast.Attribute):
            return self.of_attribute(value, inside)
        if isinstance(value, ast.Call):
            return self.of_call(value.func, inside)
        return str if value is not None and kind_of(value) == "string" else None

    def of_call(self, called: ast.expr, inside: frozenset[str]) -> type | None:
        if isinstance(called, ast.Attribute) and called.attr in _ROWS:
            rows = self.class_of(called.value, inside)
            return rows if rows is models.QuerySet else None
        is_str = isinstance(called, ast.Name) and called.id == "str"
        named = self.source.meaning(called)
        is_text = self.source.is_builtin("str") if is_str else named in _TEXTS
        return str if is_text else None

    def of_name(self, name: str, inside: frozenset[str]) -> type | None:
        values = list(self.source.assigned(name))
        if values == [None]:
            code = self.source.function.__code__
            is_row = name in code.co_varnames[1 : min(code.co_argcount, 2)]
            return self.model if is_row else None
        classes = {self.class_of(value, inside) for value in values}
        return classes.pop() if len(classes) == 1 else None

    def of_attribute(self, value: ast.Attribute, inside: frozenset[str]) -> type | None:
        named = self.source.meaning(value.value)
        if _is_model(named):
            is_manager = isinstance(getattr_static(named, value.attr, None), ManagerDescriptor)
            return models.QuerySet if is_manager else None
        return _of_member(self.class_of(value.value, inside), value.attr)


def _is_model(owner: object) -> TypeGuard[type[models.Model]]:
    return isinstance(owner, type) and issubclass(owner, models.Model)


def _null_of(owner: type | None, name: str) -> Schema:
    column = known_field_info(owner).fields.get(name) if _is_model(owner) else None
    return {"nullable": True} if getattr(column, "null", False) else {}


def _of_member(owner: type | None, name: str) -> type | None:
    """Return the class of what an attribute of a row gives."""
    if not _is_model(owner):
        return None
    parts = known_field_info(owner)
    if name in parts.relations:
        relation = parts.relations[name]
        return models.QuerySet if relation.to_many else relation.related_model
    column = parts.fields_and_pk.get(name)
    is_plain = isinstance(column, TEXTS) and not hasattr(column, "from_db_value")
    return str if is_plain else None
