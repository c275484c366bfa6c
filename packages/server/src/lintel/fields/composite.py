"""Fields whose value contains other values: lists, dictionaries and JSON."""

import copy
import inspect
import json
from collections.abc import Iterable, Mapping
from typing import Any, NoReturn, TypeVar

from django.core.exceptions import ValidationError as DjangoValidationError
from django.utils.translation import gettext_lazy as _

from lintel.compatible import keeps
from lintel.exceptions import ValidationError
from lintel.fields.base import Field, add_limits, detail_for, developer_error, empty
from lintel.fields.describing import DescribeNative, Schema, ViewSchema
from lintel.fields.storable import (
    STORABLE_TEXT,
    refuse_unstorable,
    refuse_unstorable_json,
    unstorable_keys,
)
from lintel.fields.text import CharField
from lintel.fields.types import Native, Primitive
from lintel.marks import inlinable
from lintel.utils import html
from lintel_document import schemas as coreschema


class _UnvalidatedField(Field):
    """Any value, unchanged: the child of a list or dictionary without a given one."""

    form_is_exact = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.allow_blank = True
        self.allow_null = True

    @inlinable("as_is")
    def to_internal_value(self, data: Primitive) -> Native:
        if type(data) is not str or not data.isascii() or "\0" in data:
            refuse_unstorable(self, data)
        return data

    @inlinable("as_is")
    def to_representation(self, value: Native) -> Primitive:
        return value


_Key = TypeVar("_Key")


def _validated_members(
    members: Iterable[tuple[_Key, object]], child: Field
) -> list[tuple[_Key, Any]]:
    """Return key and validated value of each member, or raise one error for all of them."""
    values: list[tuple[_Key, Any]] = []
    validate = child.run_validation
    errors: dict[_Key, object] = {}
    for key, member in members:
        try:
            values.append((key, validate(member)))
        except ValidationError as error:
            errors[key] = error.detail
        except DjangoValidationError as error:
            errors[key] = detail_for(child, error)
    if errors:
        raise ValidationError(errors)
    return values


class _ParentField(Field):
    """Base of lists and dictionaries, which have a child field and may be empty."""

    child: Any = _UnvalidatedField()

    def __init__(self, **kwargs: Any) -> None:
        self.child = kwargs.pop("child") if "child" in kwargs else copy.deepcopy(self.child)
        if inspect.isclass(self.child):
            developer_error("`child` has not been instantiated.")
        if self.child.source is not None:
            developer_error(
                "The `source` argument is not meaningful when applied to a `child=` field. "
                "Remove `source=` from the field declaration."
            )
        self.allow_empty: bool = kwargs.pop("allow_empty", True)
        super().__init__(**kwargs)
        self.child.bind(field_name="", parent=self)


def _described_child(child: Field, schema: ViewSchema) -> Schema:
    if isinstance(child, _UnvalidatedField):
        return {}
    described = dict(schema.map_field(child))
    return {**described, "nullable": True} if described and child.allow_null else described


class ListField(_ParentField):
    """A list. ``child``: the field of its items, default any value.

    ``allow_empty``: [] is valid. ``min_length``, ``max_length``: of items.
    """

    metadata_type = "list"
    column_options = ("child",)
    form_style = {"base_template": "list_field.html"}
    column_types = ["ArrayField"]

    initial: Any = []
    default_error_messages = {
        "not_a_list": _('Expected a list of items but got type "{input_type}".'),
        "empty": _("This list may not be empty."),
        "min_length": _("Ensure this field has at least {min_length} elements."),
        "max_length": _("Ensure this field has no more than {max_length} elements."),
    }

    def __init__(self, **kwargs: Any) -> None:
        self.max_length: int | None = kwargs.pop("max_length", None)
        self.min_length: int | None = kwargs.pop("min_length", None)
        super().__init__(**kwargs)
        add_limits(self, "max_length", "min_length")

    @inlinable("list", "field_name")
    def get_value(self, dictionary: Primitive) -> Primitive:
        """All values of the name in a form, or of ``name[0]``, …; ``name[]`` without one is []."""
        if not html.is_html_input(dictionary):
            return dictionary.get(self.field_name, empty)
        values = dictionary.getlist(self.field_name)
        if values:
            return values
        absent: object = [] if dictionary.get(f"{self.field_name}[]") == "" else empty
        return html.parse_html_list(dictionary, prefix=self.field_name, default=absent)

    @inlinable("list", "child", "allow_empty", "run_child_validation")
    def to_internal_value(self, data: Primitive) -> list[Native]:
        if html.is_html_input(data):
            data = html.parse_html_list(data, default=[])
        if isinstance(data, str | Mapping) or not hasattr(data, "__iter__"):
            self.fail("not_a_list", input_type=type(data).__name__)
        if not isinstance(data, list | tuple):
            data = list(data)
        if not self.allow_empty and not data:
            self.fail("empty")
        return self.run_child_validation(data)

    @inlinable("list", "child")
    def to_representation(self, data: Native) -> list[Primitive]:
        convert = self.child.to_representation
        return [None if item is None else convert(item) for item in data]

    @inlinable("list", "child")
    def run_child_validation(self, data: Primitive) -> list[Native]:
        """Return the validated items. Raises ValidationError with the errors by index."""
        with self.child._lintel_together(data):
            members = _validated_members(enumerate(data), self.child)
        return [value for _index, value in members]

    def describe_values(self, schema: ViewSchema) -> Schema:
        return {"type": "array", "items": _described_child(self.child, schema)}

    def describe_in_contract(self, schema: ViewSchema) -> Schema:
        # A list without an explicit child accepts anything.
        is_any = isinstance(self.child, _UnvalidatedField)
        return {"type": "array", "items": {} if is_any else schema.map_field(self.child)}

    def describe_native(self, describe: DescribeNative) -> coreschema.Schema:
        return coreschema.Array(items=describe(self.child))


class DictField(_ParentField):
    """A dictionary with text as keys, and ``child`` for values. ``allow_empty``: {} is valid."""

    metadata_type = "nested object"
    form_style = {"base_template": "dict_field.html"}
    form_is_exact = False
    native_type = coreschema.Object()

    initial: Any = {}
    default_error_messages = {
        "not_a_dict": _('Expected a dictionary of items but got type "{input_type}".'),
        "empty": _("This dictionary may not be empty."),
    }

    @inlinable("dict", "field_name")
    def get_value(self, dictionary: Primitive) -> Primitive:
        """Return ``name.key`` values of a form; the name alone means an empty dictionary."""
        if not html.is_html_input(dictionary):
            return dictionary.get(self.field_name, empty)
        is_empty = self.field_name in dictionary or keeps("empty-form-dictionaries")
        absent: object = {} if is_empty else empty
        return html.parse_html_dict(dictionary, prefix=self.field_name, default=absent)

    @inlinable("dict", "child", "allow_empty", "run_child_validation")
    def to_internal_value(self, data: Primitive) -> dict[str, Native]:
        if not isinstance(data, dict):
            self.fail("not_a_dict", input_type=type(data).__name__)
        if not self.allow_empty and not data:
            self.fail("empty")
        return self.run_child_validation(data)

    @inlinable("dict", "child")
    def to_representation(self, value: Native) -> dict[str, Primitive]:
        convert = self.child.to_representation
        return {
            str(key): None if member is None else convert(member) for key, member in value.items()
        }

    @inlinable("dict", "child")
    def run_child_validation(self, data: Primitive) -> dict[str, Native]:
        """Return the validated values. Raises ValidationError with the errors by key."""
        members = [(str(key), value) for key, value in data.items()]
        if refused := unstorable_keys(self, members):
            _validated_members(zip(refused, refused, strict=True), STORABLE_TEXT)
        return dict(_validated_members(members, self.child))

    def describe_values(self, schema: ViewSchema) -> Schema:
        return {"type": "object", "additionalProperties": _described_child(self.child, schema)}

    def describe_in_contract(self, schema: ViewSchema) -> Schema:
        return {"type": "object"}


class HStoreField(DictField):
    """A dictionary of text, for PostgreSQL's ``hstore``: values are text or None."""

    column_types = ["HStoreField"]
    child = CharField(allow_blank=True, allow_null=True)

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if not isinstance(self.child, CharField):
            developer_error(
                "The `child` argument must be an instance of `CharField`, as the hstore extension "
                "stores values as strings."
            )

    def run_child_validation(self, data: Primitive) -> dict[str, Native]:
        """A key that a text column cannot hold is an error under its name."""
        keys = [str(key) for key in data]
        _validated_members(zip(keys, keys, strict=True), STORABLE_TEXT)
        return super().run_child_validation(data)


class _FormText(str):
    """Text from a form, which may contain JSON."""

    __slots__ = ()
    is_json_string = True


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON (RFC 8259, section 6).")


class JSONField(Field):
    """Any value that JSON can represent.

    ``binary``: the value is stored as JSON text in bytes, and read from text. ``encoder``,
    ``decoder``: classes for ``json``.
    """

    form_style = {"base_template": "textarea.html"}
    form_is_exact = False
    native_type = coreschema.Object()
    column_types = ["JSONField"]
    column_options = ("encoder", "decoder")
    default_error_messages = {"invalid": _("Value must be valid JSON.")}
    _is_jsonfield = True

    def __init__(self, **kwargs: Any) -> None:
        self.binary: bool = kwargs.pop("binary", False)
        self.encoder: type[json.JSONEncoder] | None = kwargs.pop("encoder", None)
        self.decoder: type[json.JSONDecoder] | None = kwargs.pop("decoder", None)
        super().__init__(**kwargs)

    @inlinable("json", "field_name")
    def get_value(self, dictionary: Primitive) -> Primitive:
        if html.is_html_input(dictionary) and self.field_name in dictionary:
            return _FormText(dictionary[self.field_name])
        return dictionary.get(self.field_name, empty)

    @inlinable("json", "binary", "encoder", "decoder")
    def to_internal_value(self, data: Primitive) -> Native:
        value = data
        try:
            if self.binary or getattr(data, "is_json_string", False):
                text = data.decode() if isinstance(data, bytes) else data
                value = json.loads(text, cls=self.decoder, parse_constant=_refuse_constant)
            else:
                text = json.dumps(data, cls=self.encoder, allow_nan=False)
            refuse_unstorable_json(self, text)
        except (TypeError, ValueError, RecursionError):
            self.fail("invalid")
        return value

    @inlinable("json", "binary", "encoder")
    def to_representation(self, value: Native) -> Primitive:
        if not self.binary:
            return value
        return json.dumps(value, cls=self.encoder, allow_nan=False).encode()

    def describe_values(self, schema: ViewSchema) -> Schema:
        return {"type": "string"} if self.binary else {}

    def describe_in_contract(self, schema: ViewSchema) -> Schema:
        return {"type": "object"}
