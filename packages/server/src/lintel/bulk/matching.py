"""Which rows the items of a request are about."""

from collections.abc import Iterable, Mapping, Sequence

from django.core.exceptions import FieldDoesNotExist, ImproperlyConfigured
from django.core.exceptions import PermissionDenied as DjangoPermissionDenied
from django.core.exceptions import ValidationError as DjangoValidationError
from django.db import connections, models
from django.http import Http404

from lintel.annotations import AnyView, Instance
from lintel.bulk.batches import Item
from lintel.cycle.steps import called
from lintel.exceptions import (
    APIException,
    ErrorDetail,
    NotFound,
    PermissionDenied,
    ValidationError,
)
from lintel.fields import Field
from lintel.relations import PrimaryKeyRelatedField
from lintel.serializers import Serializer
from lintel.serializers.storing import Column, ModelClass, Rows
from lintel.settings import api_settings
from lintel.validators import UniqueValidator

#: Keys in one query.
CHUNK_SIZE = 500

#: The longest part of a key that an error repeats.
MAX_SHOWN = 100


class KeyOfItems:
    """The column that tells rows apart, and the names under which items have its value."""

    def __init__(
        self, view: AnyView, model: ModelClass, database: str, serializer: Instance
    ) -> None:
        name = getattr(view, "bulk_lookup_field", None) or view.lookup_field
        options = model._meta
        try:
            self.column = options.pk if name == "pk" else options.get_field(name)
        except FieldDoesNotExist:
            raise ImproperlyConfigured(
                f"`{type(view).__name__}.bulk_lookup_field` is {name!r}, which is no field of "
                f"{options.object_name}. Set it to a field that identifies a row."
            ) from None
        sources = {self.column.name, name}
        fields = getattr(serializer, "fields", {})
        shown = [each for each, field in fields.items() if field.source in sources]
        self.lookup = name
        self.database = database
        self.names = list(dict.fromkeys([*shown, self.column.name, name]))
        #: Names that are no input of the serializer.
        self.foreign = [each for each in self.names if each not in fields or fields[each].read_only]

    @property
    def name(self) -> str:
        return self.names[0]

    def value_in(self, sent: object) -> tuple[object, object]:
        """Return the value of a key as it was sent, and as the column has it.

        Raises ValidationError for an item without one.
        """
        if not isinstance(sent, Mapping):
            text = Serializer.default_error_messages["invalid"].format(datatype=type(sent).__name__)
            raise ValidationError({api_settings.NON_FIELD_ERRORS_KEY: [text]}, code="invalid")
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
            found = column.to_python(value)
            column.get_prep_value(found)
            hash(found)
            if lowest is not None and not lowest <= found <= highest:
                return None
        except (TypeError, ValueError, ArithmeticError, DjangoValidationError):
            return None
        return None if isinstance(found, str) and "\x00" in found else found

    def range_of(self, column: Column) -> Sequence[int | None]:
        """Return the least and the greatest number that a column holds; None for other columns."""
        if not isinstance(column, models.IntegerField):
            return None, None
        return connections[self.database].ops.integer_field_range(column.get_internal_type())

    def without(self, sent: Mapping[str, object]) -> dict[str, object]:
        """Return the input of an item without the key, unless the serializer reads it."""
        return {name: value for name, value in sent.items() if name not in self.foreign}


def match(view: AnyView, rows: Rows, key: KeyOfItems, items: Sequence[Item]) -> None:
    """Give each item its row. Items without one, or with one of an earlier item, get an error."""
    wanted: list[tuple[Item, object, object]] = []
    for item in items:
        try:
            wanted.append((item, *key.value_in(item.sent)))
        except ValidationError as error:
            item.error = error
    found = _rows_by_key(rows, key, [value for *_, value in wanted if value is not None])
    seen: set[object] = set()
    for item, sent, value in wanted:
        if value not in found:
            item.error = _missing(key, sent)
        elif value in seen:
            item.error = ValidationError({key.name: [UniqueValidator.message]}, code="unique")
        else:
            item.instance = found[value]
            item.error = refused(view, "check_object_permissions", item.instance)
            if isinstance(item.error, NotFound):  # a permission hides the row
                item.error = _missing(key, sent)
        seen.add(value)


def _missing(key: KeyOfItems, sent: object) -> ValidationError:
    text = PrimaryKeyRelatedField.default_error_messages["does_not_exist"]
    shown = ErrorDetail(text.format(pk_value=str(sent)[:MAX_SHOWN]), "does_not_exist")
    return ValidationError({key.name: [shown]})


def _rows_by_key(rows: Rows, key: KeyOfItems, values: Iterable[object]) -> dict[object, Instance]:
    wanted = list(dict.fromkeys(values))
    found: dict[object, Instance] = {}
    for start in range(0, len(wanted), CHUNK_SIZE):
        chosen = rows.filter(**{f"{key.lookup}__in": wanted[start : start + CHUNK_SIZE]})
        found.update((getattr(row, key.column.attname), row) for row in chosen)
    return found


def refused(view: AnyView, check: str, about: object) -> APIException | None:
    """Return the error of a check of permissions: of a row, or of the values of a new one."""
    try:
        called(view, check, view.request, about)
    except APIException as error:
        return error
    except DjangoPermissionDenied as error:
        return PermissionDenied(*error.args)
    except Http404:
        return NotFound()
    return None
