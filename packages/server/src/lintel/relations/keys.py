"""Relations shown as a key of the related object, or as its text."""

from operator import attrgetter
from typing import Any, NoReturn

from django.core.exceptions import MultipleObjectsReturned, ObjectDoesNotExist
from django.db.models import AutoField
from django.utils.encoding import smart_str
from django.utils.translation import gettext_lazy as _

from lintel.compatible import keeps
from lintel.fast import found_object
from lintel.fields.base import developer_error
from lintel.fields.columns import INTEGER_TEXT, column_at, column_schema, is_big
from lintel.fields.describing import DescribeNative, Schema, ViewSchema
from lintel.fields.types import Native, Primitive
from lintel.marks import inlinable
from lintel.relations.base import RelatedField
from lintel.relations.lookups import fail_missing, sole_object
from lintel.relations.many import ManyRelatedField
from lintel.scoping import rows_of
from lintel.settings import api_settings
from lintel_document import schemas as coreschema


class StringRelatedField(RelatedField):
    """The related object as ``str(object)``; read-only."""

    def __init__(self, **kwargs: Any) -> None:
        kwargs["read_only"] = True
        super().__init__(**kwargs)

    @inlinable("string_related")
    def to_representation(self, value: Native) -> str:
        return str(value)

    def describe_values(self, schema: ViewSchema) -> Schema:
        return {"type": "string"}


class _BigKeys:
    """Whether a relation writes its keys as text: those of big integers by the setting."""

    def __get__(self, instance: Any, owner: type | None = None) -> bool:
        if instance is None or not api_settings.COERCE_BIGINT_TO_STRING:
            return False
        model = _related_model(instance)
        return model is not None and is_big(model._meta.pk)


class PrimaryKeyRelatedField(RelatedField):
    """The related object as its key. ``pk_field`` converts it: ``UUIDField(format="hex")``.

    ``coerce_to_string``: write the key as text; by default, if it is a big integer and the setting
    COERCE_BIGINT_TO_STRING is on.
    """

    default_error_messages = {
        "required": _("This field is required."),
        "does_not_exist": _('Invalid pk "{pk_value}" - object does not exist.'),
        "incorrect_type": _("Incorrect type. Expected pk value, received {data_type}."),
    }

    key_name = "pk"
    coerce_to_string: Any = _BigKeys()

    def __init__(self, **kwargs: Any) -> None:
        self.pk_field: Any = kwargs.pop("pk_field", None)
        coerce_to_string = kwargs.pop("coerce_to_string", None)
        if coerce_to_string is not None:
            self.coerce_to_string = coerce_to_string
        super().__init__(**kwargs)

    @inlinable("primary_key")
    def use_pk_only_optimization(self) -> bool:
        return True

    @inlinable("primary_key", "pk_field")
    def to_key(self, data: Primitive) -> Native:
        return data if self.pk_field is None else self.pk_field.to_internal_value(data)

    @inlinable("primary_key", "get_queryset", "to_key", "queryset", "pk_field")
    def to_internal_value(self, data: Primitive) -> Native:
        key = self.to_key(data)
        result = found_object(self, key)
        if result is not None:
            return result
        queryset = rows_of(self)
        try:
            if isinstance(key, bool):
                raise TypeError
            return sole_object(queryset, "pk", key)
        except ObjectDoesNotExist:
            fail_missing(self, key)
        except (TypeError, ValueError, OverflowError):
            self.fail("incorrect_type", data_type=type(key).__name__)

    @inlinable("primary_key", "pk_field", "coerce_to_string")
    def to_representation(self, value: Native) -> Primitive:
        if self.pk_field is not None:
            return self.pk_field.to_representation(value.pk)
        return str(value.pk) if self.coerce_to_string and value.pk is not None else value.pk

    def describe_values(self, schema: ViewSchema) -> Schema:
        if getattr(self, "pk_field", None):
            return dict(schema.map_field(self.pk_field))
        if self.coerce_to_string:
            return dict(INTEGER_TEXT)
        model = _related_model(self)
        return {} if model is None else column_schema(model._meta.pk)

    def describe_in_contract(self, schema: ViewSchema) -> Schema:
        if getattr(self, "pk_field", None) and not keeps("page-schemas"):
            return schema.map_field(self.pk_field)
        return {"type": "integer" if _has_numbers(self) else "string"}

    def describe_native(self, describe: DescribeNative) -> coreschema.Schema:
        return coreschema.Integer() if _has_numbers(self) else coreschema.String()


def _has_numbers(field: PrimaryKeyRelatedField) -> bool:
    model = getattr(field.queryset, "model", None)
    return model is not None and isinstance(model._meta.pk, AutoField)


class SlugRelatedField(RelatedField):
    """The related object as the value of its unique ``slug_field``, such as ``owner__name``."""

    default_error_messages = {
        "does_not_exist": _("Object with {slug_name}={value} does not exist."),
        "invalid": _("Invalid value."),
    }

    def __init__(self, slug_field: str | None = None, **kwargs: Any) -> None:
        if slug_field is None:
            developer_error(
                f"The `slug_field` argument is required. Name the field of the related object "
                f'that `{type(self).__name__}` shows, such as `slug_field="name"`.'
            )
        self.slug_field = slug_field
        super().__init__(**kwargs)

    @property
    def key_name(self) -> str:
        return self.slug_field

    @inlinable("slug_related")
    def to_key(self, data: Primitive) -> Native:
        return data

    @inlinable("slug_related", "get_queryset", "to_key", "queryset", "slug_field")
    def to_internal_value(self, data: Primitive) -> Native:
        result = found_object(self, data)
        if result is not None:
            return result
        queryset = rows_of(self)
        try:
            return sole_object(queryset, self.slug_field, data)
        except ObjectDoesNotExist:
            fail_missing(self, data)
        except (TypeError, ValueError, OverflowError, MultipleObjectsReturned):
            # A slug shared by several objects identifies none of them.
            self.fail("invalid")

    @inlinable("slug_related", "slug_field")
    def to_representation(self, obj: Native) -> Primitive:
        return attrgetter(self.slug_field.replace("__", "."))(obj)

    def describe_values(self, schema: ViewSchema) -> Schema:
        model = _related_model(self)
        if model is None:
            return {}
        column = column_at(model, self.slug_field.replace("__", "."))
        return {} if column is None else column_schema(column)


def _related_model(field: RelatedField) -> Any:
    model = getattr(field.queryset, "model", None)
    if model is not None:
        return model
    relation = field.parent if isinstance(field.parent, ManyRelatedField) else field
    owner = getattr(getattr(relation.parent, "Meta", None), "model", None)
    return getattr(column_at(owner, relation.source or ""), "related_model", None)


@fail_missing.register
def _fail_missing_key(field: PrimaryKeyRelatedField, key: object) -> NoReturn:
    try:
        str(key)
    except (ValueError, RecursionError):
        # Python does not convert numbers of more than 4,300 digits to text.
        field.fail("incorrect_type", data_type=type(key).__name__)
    field.fail("does_not_exist", pk_value=key)


@fail_missing.register
def _fail_missing_slug(field: SlugRelatedField, data: Primitive) -> NoReturn:
    try:
        value = smart_str(data)
    except (ValueError, RecursionError):
        # Bytes that are not text, and numbers with too many digits for Python.
        field.fail("invalid")
    field.fail("does_not_exist", slug_name=field.slug_field, value=value)
