"""Serializers whose fields are declared as class attributes.

Two paths give the same result. The plain path is the public methods of this module: loops over
``fields`` that call the methods of each field. The compiled path is a function that
:mod:`lintel.fast.compiler` generates from a plan of the same fields; it calls the plain path if a
method is not the one that the plan describes.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar

from django.core.exceptions import ObjectDoesNotExist
from django.core.exceptions import ValidationError as DjangoValidationError
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _

from lintel import fast
from lintel.compat import InstanceT
from lintel.exceptions import ErrorDetail, ValidationError
from lintel.fast import PLAIN, SKIPPED, CompiledField, CompiledSerializer, Tools, Unwalkable
from lintel.fields import Field, JSONField, SkipField, empty
from lintel.fields.base import (
    CreateOnlyDefault,
    CurrentUserDefault,
    detail_for,
    is_partial,
    missing_attribute,
    read_attribute,
    remade,
)
from lintel.fields.describing import DescribeNative, Schema, ViewSchema
from lintel.fields.types import Native, Primitive
from lintel.marks import inlinable
from lintel.relations import PKOnlyObject
from lintel.relations.hyperlinks import key_at_url
from lintel.relations.lookups import fail_missing
from lintel.reports import report
from lintel.serializers.base import BaseSerializer, as_serializer_error, makes_usual_lists
from lintel.serializers.cleaning import cleaned
from lintel.serializers.partial_defaults import with_partial_defaults
from lintel.serializers.parts import declares_parts, validate_with_parts
from lintel.serializers.types import Errors, Names, Values
from lintel.serializers.unknown import (
    add_unknown,
    forbids_unknown,
    known_names,
    notices_unknown,
    unknown_keys,
)
from lintel.settings import api_settings
from lintel.utils import html, representation
from lintel.utils.serializer_helpers import (
    BindingDict,
    BoundField,
    JSONBoundField,
    NestedBoundField,
    ReturnDict,
)
from lintel.validators import UniqueValidator
from lintel_document import schemas as coreschema


class SerializerMetaclass(type):
    """Collects the fields among the class attributes as ``_declared_fields``.

    Fields of the bases come first, in the order of the bases; a redeclared field keeps the
    place of the first one, and ``name = None`` removes an inherited field.
    """

    @classmethod
    def _get_declared_fields(
        mcs, bases: tuple[type, ...], attrs: dict[str, Any]
    ) -> dict[str, Field]:
        names = [name for name, value in attrs.items() if isinstance(value, Field)]
        fields = [(name, attrs.pop(name)) for name in names]
        fields.sort(key=lambda entry: entry[1]._creation_counter)
        declared: dict[str, Field] = {}
        for base in bases:
            for name, field in getattr(base, "_declared_fields", {}).items():
                if name not in attrs:
                    declared.setdefault(name, field)
        declared.update(fields)
        return declared

    def __new__(
        mcs, name: str, bases: tuple[type, ...], attrs: dict[str, Any]
    ) -> SerializerMetaclass:
        attrs["_declared_fields"] = mcs._get_declared_fields(bases, attrs)
        return super().__new__(mcs, name, bases, attrs)


class Serializer(BaseSerializer[InstanceT], metaclass=SerializerMetaclass):
    """Turns an object into a dict of primitives and a dict of input into validated values.

    Fields are class attributes. ``validate_<field>(value)`` and ``validate(attrs)`` check and
    return their argument; ``Meta.validators`` are callables that receive all values at once.
    """

    metadata_type = "nested object"
    form_style = {"base_template": "fieldset.html"}

    default_error_messages = {
        "invalid": _("Invalid data. Expected a dictionary, but got {datatype}."),
    }

    _declared_fields: dict[str, Field]

    _lintel_state: ClassVar[Any] = None

    #: Set while a list is read: its ``read`` reads one item with what was prepared for all.
    _lintel_read: Any

    @inlinable("standard")
    def set_value(self, dictionary: dict[str, Any], keys: list[str], value: Native) -> None:
        """Put ``value`` at a path of keys; without keys, add the entries of a mapping."""
        if not keys:
            dictionary.update(value)
            return
        for key in keys[:-1]:
            dictionary = dictionary.setdefault(key, {})
        dictionary[keys[-1]] = value

    @cached_property
    @inlinable("standard")
    def fields(self) -> BindingDict:
        """Return the fields of this instance by name, bound to it; they may be changed freely."""
        fields = BindingDict(self)
        made = fast.fields(self)
        if made is not PLAIN:
            fields.fields = made
            return fields
        for name, field in self.get_fields().items():
            fields[name] = field
        return fields

    @cached_property
    def _lintel_fields(self) -> Mapping[str, Any]:
        return fast.own_fields(self)

    @property
    def _lintel_current_fields(self) -> Mapping[str, Field]:
        return fast.current_fields(self)

    @property
    @inlinable("standard")
    def _writable_fields(self) -> Iterator[Field]:
        return (field for field in self.fields.values() if not field.read_only)

    @property
    @inlinable("standard")
    def _readable_fields(self) -> Iterator[Field]:
        return (field for field in self.fields.values() if not field.write_only)

    @inlinable("standard")
    def get_fields(self) -> dict[str, Field]:
        """Return new fields by name, in order; a subclass may add, change and remove some."""
        made = fast.drafts(self, Serializer.get_fields)
        return copy.deepcopy(self._declared_fields) if made is PLAIN else made

    def get_validators(self) -> list[Any]:
        validators = getattr(getattr(self, "Meta", None), "validators", None)
        return list(validators) if validators is not None else []

    def get_initial(self) -> Primitive:
        """Return values for an empty form, or the raw input if there is any."""
        if not hasattr(self, "initial_data"):
            return {
                field.field_name: field.get_initial()
                for field in fast.current_fields(self).values()
                if not field.read_only
            }
        if not isinstance(self.initial_data, Mapping):
            return {}
        values = {}
        for name, field in fast.current_fields(self).items():
            value = empty if field.read_only else field.get_value(self.initial_data)
            if value is not empty:
                values[name] = value
        return values

    @inlinable("standard")
    def get_value(self, dictionary: Primitive) -> Primitive:
        if html.is_html_input(dictionary):
            return html.parse_html_dict(dictionary, prefix=self.field_name) or empty
        return dictionary.get(self.field_name, empty)

    @inlinable("serializer")
    def run_validation(self, data: Primitive = empty) -> Native:
        """Raises ValidationError with a mapping of names to errors, or SkipField."""
        is_empty_value, data = self.validate_empty_values(data)
        if is_empty_value:
            return data
        return check_whole(self, self.to_internal_value(data))

    @inlinable("standard")
    def _read_only_defaults(self) -> Values:
        defaults = {}
        for field in fast.current_fields(self).values():
            source = field.source
            if not field.read_only or field.default is empty or source == "*" or "." in source:
                continue
            try:
                defaults[source] = field.get_default()
            except SkipField:
                continue
        return defaults

    @inlinable("standard")
    def run_validators(self, value: Native) -> None:
        """Run the validators of the whole; they also see the defaults of read-only fields."""
        if self.validators and isinstance(value, dict):
            value = {**self._read_only_defaults(), **value}
        super().run_validators(value)

    @inlinable("serializer")
    def to_internal_value(self, data: Primitive) -> Values:
        """Validate each writable field; raise one ValidationError with the errors by name."""
        if declares_parts(self) and isinstance(data, Mapping):
            return validate_with_parts(self, data, plain_validation)
        if type(data) is dict:
            write = fast.writer(self)
            if write is not PLAIN:
                return write(data)
        if not isinstance(data, Mapping):
            raise whole_error(self, "invalid", datatype=type(data).__name__)
        return plain_validation(self, data, {}, {})

    @inlinable("serializer")
    def to_representation(self, instance: Native) -> Primitive:
        read = fast.reader(self)
        return plain_representation(self, instance) if read is PLAIN else read(instance)

    @inlinable("standard")
    def validate(self, attrs: Native) -> Native:
        """Check the values as a whole; a subclass raises ValidationError or returns them."""
        return attrs

    def __repr__(self) -> str:
        return representation.serializer_repr(self, indent=1)

    def __iter__(self) -> Iterator[BoundField]:
        for field in self.fields.values():
            yield self[field.field_name]

    def __getitem__(self, key: str) -> BoundField:
        field = self.fields[key]
        value = self.data.get(key)
        errors = self.errors.get(key) if hasattr(self, "_errors") else None
        bound: type[BoundField] = BoundField
        if isinstance(field, Serializer):
            bound = NestedBoundField
        elif isinstance(field, JSONField):
            bound = JSONBoundField
        return bound(field, value, errors)

    @property
    def data(self) -> ReturnDict:
        return ReturnDict(super().data, serializer=self)

    @property
    def errors(self) -> ReturnDict:
        return ReturnDict(named_errors(super().errors), serializer=self)

    def describe_values(self, schema: ViewSchema) -> Schema:
        return dict(schema.get_reference(self))

    def describe_in_contract(self, schema: ViewSchema) -> Schema:
        return schema.map_serializer(self)

    def describe_native(self, describe: DescribeNative) -> coreschema.Schema:
        properties = {field.field_name: describe(field) for field in self.fields.values()}
        return coreschema.Object(properties=properties)


def represent(field: CompiledField, attribute: object) -> object:
    """None stays None; so does a relation without its row, an object that holds only a key."""
    key = attribute.pk if isinstance(attribute, PKOnlyObject) else attribute
    return None if key is None else field.to_representation(attribute)


def plain_validation(
    serializer: Serializer, data: Primitive, values: Values, errors: Errors, names: Names = None
) -> Values:
    """Validate input field by field, without generated text; if ``names``, only these fields."""
    for field in each_field(serializer, "_writable_fields", "read_only"):
        if names is None or field.field_name in names:
            _validate_field(serializer, field, data, values, errors)
    if notices_unknown(serializer):
        _refuse_unknown(serializer, data, errors)
    if errors:
        raise ValidationError(errors)
    return values


def plain_representation(
    serializer: Serializer, instance: object, values: Values | None = None, names: Names = None
) -> Values:
    """Read an object field by field, without generated text; if ``names``, only these fields."""
    values = {} if values is None else values
    for field in each_field(serializer, "_readable_fields", "write_only"):
        if names is not None and field.field_name not in names:
            continue
        try:
            attribute = field.get_attribute(instance)
        except SkipField:
            continue
        values[field.field_name] = represent(field, attribute)
    return values


def each_field(serializer: Serializer, name: str, excluding: str) -> Iterable[Field]:
    """Return the fields of ``_readable_fields`` or ``_writable_fields``, overridden or not."""
    if fast.conversion(serializer, name) is None:
        return getattr(serializer, name)
    fields = fast.current_fields(serializer).values()
    return (field for field in fields if not getattr(field, excluding))


def _check_field(
    serializer: CompiledSerializer, name: str, data: object, values: Values, errors: Errors
) -> None:
    field = serializer._lintel_fields[name]
    if not field.read_only:
        _validate_field(serializer, field, data, values, errors)


def _validate_field(
    serializer: CompiledSerializer, field: Any, data: object, values: Values, errors: Errors
) -> None:
    validate_method = getattr(serializer, f"validate_{field.field_name}", None)
    try:
        value = field.run_validation(field.get_value(data))
        if validate_method is not None:
            value = validate_method(value)
    except ValidationError as error:
        errors[field.field_name] = error.detail
    except DjangoValidationError as error:
        errors[field.field_name] = detail_for(field, error)
    except SkipField:
        return
    else:
        serializer.set_value(values, field.source_attrs, value)


def _store_field(
    serializer: CompiledSerializer, name: str, value: object, values: Values, errors: Errors
) -> None:
    try:
        value = getattr(serializer, f"validate_{name}")(value)
    except ValidationError as error:
        errors[name] = error.detail
    except DjangoValidationError as error:
        errors[name] = detail_for(serializer._lintel_fields[name], error)
    except SkipField:
        return
    else:
        serializer.set_value(values, serializer._lintel_fields[name].source_attrs, value)


def check_whole(serializer: Any, value: object) -> object:
    meta = getattr(serializer, "Meta", None)
    names = getattr(meta, "partial_defaults", None)
    if names:
        value = with_partial_defaults(serializer, names, value)
    try:
        serializer.run_validators(value)
        value = serializer.validate(value)
        if getattr(meta, "full_clean", False) and isinstance(value, dict):
            value = cleaned(serializer, value)
    except (ValidationError, DjangoValidationError) as error:
        raise ValidationError(detail=as_serializer_error(error)) from error
    if value is None:
        raise AssertionError(
            f".validate() should return the validated data: {type(serializer).__name__}.validate() "
            "returned None."
        )
    return value


def whole_error(serializer: BaseSerializer, code: str, **values: object) -> ValidationError:
    message = serializer.error_messages[code].format(**values)
    return ValidationError({api_settings.NON_FIELD_ERRORS_KEY: [message]}, code=code)


def _refuse_unknown(serializer: Any, data: Mapping[str, object], errors: Errors) -> None:
    keys = unknown_keys(data, fast.current_fields(serializer))
    if forbids_unknown(serializer):
        add_unknown(serializer, keys, errors)
    else:
        report("keys in the input", serializer, keys)


def _stored(serializer: CompiledSerializer, name: str, instance: object) -> object:
    try:
        return serializer._lintel_fields[name].get_attribute(instance)
    except SkipField:
        return SKIPPED


def _absent(
    serializer: CompiledSerializer, name: str, instance: object, error: Exception
) -> object:
    field = serializer._lintel_fields[name]
    try:
        if isinstance(error, Unwalkable):
            return read_attribute(field, instance, error.owner, error.rest)
        # A relation without its row is None; its error is an AttributeError as well.
        has_no_row = isinstance(error, ObjectDoesNotExist)
        if isinstance(error, KeyError | AttributeError) and not has_no_row:
            return missing_attribute(field, instance, error)
    except SkipField:
        return SKIPPED
    return None


def _prototype(cls: type[Serializer]) -> Serializer:
    """Return a serializer with fields that represent those of the class, without project code."""
    prototype = Field.__new__(cls)
    BaseSerializer.__init__(prototype)
    return prototype


TOOLS = Tools(
    field=Field,
    prototype=_prototype,
    known_names=known_names,
    shared_defaults=(CreateOnlyDefault, CurrentUserDefault),
    own_validators=(UniqueValidator,),
    remade=remade,
    fail_missing=fail_missing,
    key_at_url=key_at_url,
    empty=empty,
    skip=SkipField,
    error=ValidationError,
    represent=represent,
    plain=plain_representation,
    validate=plain_validation,
    check=_check_field,
    store=_store_field,
    refuse_unknown=_refuse_unknown,
    forbids_unknown=notices_unknown,
    is_partial=is_partial,
    stored=_stored,
    absent=_absent,
    check_whole=check_whole,
    makes_usual_lists=makes_usual_lists,
)
fast.lend(TOOLS)


def named_errors(errors: object) -> object:
    """Put errors of the whole input, a bare list, under the name for errors without a field."""
    if not isinstance(errors, list):
        return errors
    if not errors:
        return {}
    if len(errors) == 1 and getattr(errors[0], "code", None) == "null":
        # "This field" would be wrong for input that is null as a whole.
        errors = [ErrorDetail("No data provided", code="null")]
    return {api_settings.NON_FIELD_ERRORS_KEY: errors}
