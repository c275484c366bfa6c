"""Fields without a type of their own: read-only, hidden, computed, or of a model field."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from decimal import Decimal
from inspect import getattr_static
from typing import Any

from django.core.exceptions import ValidationError as DjangoValidationError
from django.db import models
from django.utils.encoding import is_protected_type
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _

from lintel.exceptions import ValidationError
from lintel.fields.base import Field, add_limits, developer_error, empty, get_error_detail
from lintel.fields.columns import column_at, column_schema
from lintel.fields.describing import Schema, ViewSchema
from lintel.fields.storable import refuse_unstorable
from lintel.fields.types import Native, Primitive
from lintel.marks import inlinable

# The same limit as for number fields: int(Decimal("1e999999")) takes half a minute.
MAX_DIGITS = 1000


class ReadOnlyField(Field):
    """The attribute, unchanged; never read from input."""

    def __init__(self, **kwargs: Any) -> None:
        kwargs["read_only"] = True
        super().__init__(**kwargs)

    @inlinable("as_is")
    def to_representation(self, value: Native) -> Primitive:
        return value

    def describe_values(self, schema: ViewSchema) -> Schema:
        model = getattr(getattr(self.parent, "Meta", None), "model", None)
        if model is None or not self.source:
            return {}
        column = column_at(model, self.source)
        if column is None:
            return _described_attribute(self, schema, model)
        described = column_schema(column)
        is_nullable = described and getattr(column, "null", False)
        return {**described, "nullable": True} if is_nullable else described


def _described_attribute(field: Field, schema: ViewSchema, model: object) -> Schema:
    *way, name = field.source.split(".")
    if way:
        model = getattr(column_at(model, ".".join(way)), "related_model", None)
    attribute = getattr_static(model, name, None) if model is not None else None
    if isinstance(attribute, property):
        attribute = attribute.fget
    elif isinstance(attribute, functools.cached_property | cached_property):
        attribute = attribute.func
    if not callable(attribute):
        return {}
    return schema.document_form.returned(schema, attribute, field) or {}


class HiddenField(Field):
    """A value that comes only from ``default``, not in input or output."""

    is_exchanged = False

    def __init__(self, **kwargs: Any) -> None:
        if "default" not in kwargs:
            developer_error("default is a required argument.")
        kwargs["write_only"] = True
        super().__init__(**kwargs)

    @inlinable("hidden")
    def get_value(self, dictionary: Primitive) -> Primitive:
        return empty

    @inlinable("as_is")
    def to_internal_value(self, data: Primitive) -> Native:
        return data


class SerializerMethodField(Field):
    """What a method of the serializer, default ``get_<field>``, returns for the whole object."""

    def __init__(self, method_name: str | None = None, **kwargs: Any) -> None:
        self.method_name = method_name
        kwargs["source"] = "*"
        kwargs["read_only"] = True
        super().__init__(**kwargs)

    def bind(self, field_name: str, parent: Any) -> None:
        if self.method_name is None:
            self.method_name = f"get_{field_name}"
        super().bind(field_name, parent)

    @inlinable("method", "method_name")
    def to_representation(self, value: Native) -> Primitive:
        return getattr(self.parent, self.method_name or "")(value)

    def describe_values(self, schema: ViewSchema) -> Schema:
        return schema.document_form.method_values(schema, self, self.method_name or "")


class CompositeKeyField(Field):
    """A composite primary key, as the list of its parts; read-only.

    ``parts``: the fields that write each part, in the order of the key.
    """

    def __init__(self, parts: Iterable[Field] = (), **kwargs: Any) -> None:
        self.parts = list(parts)
        kwargs["read_only"] = True
        super().__init__(**kwargs)

    def to_representation(self, value: Native) -> list[Primitive]:
        parts = zip(self.parts, value, strict=True)
        return [None if item is None else part.to_representation(item) for part, item in parts]

    def describe_values(self, schema: ViewSchema) -> Schema:
        described = [dict(schema.map_field(part)) for part in self.parts]
        distinct = [item for number, item in enumerate(described) if item not in described[:number]]
        items = distinct[0] if len(distinct) == 1 else {"oneOf": distinct}
        length = len(described)
        return {"type": "array", "items": items, "minItems": length, "maxItems": length}


class ModelField(Field):
    """A field of a model, converted by itself. ``max_length``: of the input."""

    column_types = ["Field"]
    column_options = ("model_field",)
    default_error_messages = {
        "max_length": _("Ensure this field has no more than {max_length} characters."),
    }

    def __init__(self, model_field: Any, **kwargs: Any) -> None:
        self.model_field = model_field
        self.max_length: int | None = kwargs.pop("max_length", None)
        super().__init__(**kwargs)
        add_limits(self, "max_length")

    @inlinable("model_field", "model_field")
    def to_internal_value(self, data: Primitive) -> Native:
        """Raises Django's ValidationError unchanged; callers of a field treat it as ours."""
        relation = self.model_field.remote_field
        field = self.model_field
        if relation is not None:
            field = relation.model._meta.get_field(relation.field_name)
        try:
            value = _to_python(field, data)
            if hasattr(field, "range_type"):
                value = _checked_range(field, value)
        except (TypeError, ValueError, ArithmeticError, LookupError, RecursionError) as error:
            # Model fields expect input cleaned by a form, and fail on anything else.
            raise ValidationError from error
        if self.max_length is not None and not hasattr(value, "__len__"):
            raise ValidationError
        refuse_unstorable(self, value)
        return value

    @inlinable("model_field")
    def get_attribute(self, obj: Native) -> Native:
        return obj

    @inlinable("model_field", "model_field")
    def to_representation(self, obj: Native) -> Primitive:
        value = self.model_field.value_from_object(obj)
        if is_protected_type(value):
            return value
        return self.model_field.value_to_string(obj)

    def describe_values(self, schema: ViewSchema) -> Schema:
        return column_schema(self.model_field)


def _to_python(model_field: models.Field[Any, Any], data: object) -> Any:
    if isinstance(data, Decimal) and (not data.is_finite() or abs(data.adjusted()) > MAX_DIGITS):
        raise ValueError("This number takes too long to write out.")
    try:
        return model_field.to_python(data)
    except DjangoValidationError as error:
        # Formatting the message converts the input to text, which fails for some input.
        get_error_detail(error)
        raise


def _checked_range(column: Any, value: Native) -> Any:
    """Return a range with bounds that its column can hold: Django takes those of a list unread."""
    if value is None:
        return None
    if not isinstance(value, column.range_type):
        raise TypeError(f"A {type(value).__name__} is not a range.")
    bounds = [value.lower, value.upper]
    lower, upper = (_bound(column.base_field, bound) for bound in bounds)
    if lower is not None and upper is not None and lower > upper:
        raise ValueError("The lower bound is above the upper one.")
    unchanged = [lower, upper] == bounds
    return value if unchanged else column.range_type(lower, upper, value._bounds)


def _bound(column: models.Field[Any, Any], bound: object) -> Any:
    if bound is None:
        return None
    value = _to_python(column, bound)
    column.run_validators(value)
    return value
