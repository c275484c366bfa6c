"""The key that says which row an item of a list is about."""

from __future__ import annotations

from collections.abc import Mapping

from django.core.exceptions import FieldDoesNotExist, ImproperlyConfigured
from django.core.exceptions import ValidationError as DjangoValidationError
from django.db import connections, models

from lintel.exceptions import ErrorDetail, ValidationError
from lintel.fields import Field
from lintel.fields.types import Native
from lintel.relations import PrimaryKeyRelatedField
from lintel.serializers.storing import Column, ModelClass
from lintel.validators import UniqueValidator

#: The longest part of a key that an error repeats.
MAX_SHOWN = 100


class KeyOfItems:
    """The column that tells rows apart, and the names under which items have its value."""

    def __init__(self, lookup: str, model: ModelClass, database: str, serializer: Native) -> None:
        options = model._meta
        try:
            self.column = options.pk if lookup == "pk" else options.get_field(lookup)
        except FieldDoesNotExist:
            raise ImproperlyConfigured(
                f"{lookup!r} is to identify rows of {options.object_name}, which has no such "
                "field. Name a field that identifies a row."
            ) from None
        sources = {self.column.name, lookup}
        fields = getattr(serializer, "fields", {})
        shown = [name for name, field in fields.items() if field.source in sources]
        self.lookup = lookup
        self.database = database
        self.names = list(dict.fromkeys([*shown, self.column.name, lookup]))
        #: Names that are no input of the serializer.
        self.foreign = [name for name in self.names if name not in fields or fields[name].read_only]
        #: Whether an item with an unknown value is a new row, which gets it.
        self.is_written = not self.column.primary_key and len(self.foreign) < len(self.names)

    @property
    def name(self) -> str:
        return self.names[0]

    def is_in(self, sent: Mapping[str, object]) -> bool:
        return any(name in sent for name in self.names)

    def value_in(self, sent: Mapping[str, object]) -> tuple[object, object]:
        """Return the value of a key as it was sent, and as the column has it.

        Raises ValidationError for an item without one.
        """
        for name in self.names:
            if name in sent:
                return sent[name], self.prepared(sent[name])
        text = Field.default_error_messages["required"]
        raise ValidationError({self.name: [text]}, code="required")

    def prepared(self, value: object) -> object:
        """Return a value as the column has it; None for one that no row has."""
        column = self.column
        while column.remote_field:
            column = column.target_field
        lowest, highest = self.range_of(column)
        if isinstance(value, bool | list | dict | float) or value in (None, ""):
            return None
        try:
            converted = column.to_python(value)
            column.get_prep_value(converted)
            hash(converted)
            if lowest is not None and not lowest <= converted <= highest:
                return None
        except (TypeError, ValueError, ArithmeticError, DjangoValidationError):
            return None
        return None if isinstance(converted, str) and "\x00" in converted else converted

    def range_of(self, column: Column) -> tuple[Native, Native]:
        """Return the least and the greatest number that a column holds; None for other columns."""
        if not isinstance(column, models.IntegerField):
            return None, None
        operations = connections[self.database].ops
        lowest, highest = operations.integer_field_range(column.get_internal_type())
        return lowest, highest

    def without(self, sent: Mapping[str, object]) -> dict[str, object]:
        """Return the input of an item without the key, unless the serializer reads it."""
        return {name: value for name, value in sent.items() if name not in self.foreign}

    def missing(self, sent: object) -> ValidationError:
        text = PrimaryKeyRelatedField.default_error_messages["does_not_exist"]
        shown = ErrorDetail(text.format(pk_value=str(sent)[:MAX_SHOWN]), "does_not_exist")
        return ValidationError({self.name: [shown]})

    def repeated(self) -> ValidationError:
        return ValidationError({self.name: [UniqueValidator.message]}, code="unique")
