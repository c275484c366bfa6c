"""The base of all fields: flags, binding, reading an attribute, rejecting absent values.

A field takes part in two directions::

    input    get_value -> run_validation -> validate_empty_values
                                         -> to_internal_value -> run_validators
    output   get_attribute -> to_representation
"""

from __future__ import annotations

import copy
import itertools
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from types import FunctionType
from typing import Any, NoReturn, Self, TypeVar

from django.core.exceptions import ValidationError as DjangoValidationError
from django.core.validators import (
    BaseValidator,
    MaxLengthValidator,
    MaxValueValidator,
    MinLengthValidator,
    MinValueValidator,
)
from django.utils.functional import Promise, cached_property
from django.utils.translation import gettext_lazy as _

from lintel.exceptions import ErrorDetail, ValidationError
from lintel.fields.attributes import BuiltinSignatureError, called, get_attribute
from lintel.fields.describing import DescribeNative, Schema, ViewSchema
from lintel.fields.types import Native, Primitive
from lintel.marks import inlinable
from lintel.utils import html
from lintel.utils.formatting import lazy_format
from lintel.utils.representation import field_repr
from lintel_document import schemas as coreschema

_Field = TypeVar("_Field", bound="Field")

_Validator = TypeVar("_Validator")

#: Raises ValidationError for a value that is not valid.
Validator = Callable[..., object]

_creation_numbers = itertools.count()

#: A validator of a template field, and how each copy of the field gets its own.
Made = tuple[Validator, Callable[[Validator], Validator]]

REGEX_TYPE = re.Pattern

#: Values of these types are shared by copies; ``copy`` would take longer to find it out.
_UNCHANGING = frozenset([str, int, float, bool, type(None), type, FunctionType, REGEX_TYPE])

#: Arguments that mean the same for every field, whatever its values are.
FIELD_KWARGS = (
    *("read_only", "write_only", "required", "default", "initial", "source"),
    *("label", "help_text", "style", "error_messages"),
)

NOT_READ_ONLY_WRITE_ONLY = "May not set both `read_only` and `write_only`"
NOT_READ_ONLY_REQUIRED = "May not set both `read_only` and `required`"
NOT_REQUIRED_DEFAULT = "May not set both `required` and `default`"
USE_READONLYFIELD = "Field(read_only=True) should be ReadOnlyField"
MISSING_ERROR_MESSAGE = (
    "ValidationError raised by `{class_name}`, but error key `{key}` does "
    "not exist in the `error_messages` dictionary."
)


class empty:
    """Stands for "no value was given", as None is a value. A class that is not instantiated."""


class SkipField(Exception):
    """Raised to leave the field out of validated data or output."""


def developer_error(message: str) -> NoReturn:
    """Raise AssertionError, the contract for misuse of the API, also under ``python -O``."""
    raise AssertionError(message)


# ---- errors ----


def get_error_detail(exc_info: DjangoValidationError) -> Any:
    """The errors of a Django ValidationError as ErrorDetail: a list, or lists by field."""
    return detail_for(None, exc_info)


def detail_for(field: object, error: DjangoValidationError) -> Any:
    """Return what :func:`get_error_detail` does, without the input of a secret field."""
    default = getattr(error, "code", None) or "invalid"
    by_field = getattr(error, "error_dict", None)
    if by_field is not None:
        return {name: _details(field, errors, default) for name, errors in by_field.items()}
    return _details(field, error.error_list, default)


#: What stands for secret input in messages and on pages.
HIDDEN = "…"

#: The values of messages that repeat input.
_INPUT_VALUES = ("input", "value", "pk", "pk_value")


class _Hidden(str):
    """Stands for secret input in any format that a message has."""

    __slots__ = ()

    def __format__(self, format_spec: str) -> str:
        return str(self)


def is_secret(field: object) -> bool:
    while field is not None:
        if takes_secrets(field):
            return True
        field = getattr(field, "parent", None)
    return False


def takes_secrets(field: object) -> bool:
    if getattr(field, "write_only", False):
        return True
    return (getattr(field, "style", None) or {}).get("input_type") == "password"


def _without_secrets(field: object, values: object) -> Any:
    if not isinstance(values, dict) or values.keys().isdisjoint(_INPUT_VALUES):
        return values
    if not is_secret(field):
        return values
    hidden = _Hidden(HIDDEN)
    return {key: hidden if key in _INPUT_VALUES else value for key, value in values.items()}


#: The validators of limits, by the names of the arguments and of the messages.
_LIMITS: dict[str, type[BaseValidator]] = {
    "max_length": MaxLengthValidator,
    "min_length": MinLengthValidator,
    "max_value": MaxValueValidator,
    "min_value": MinValueValidator,
}


def add_limits(field: Field, *names: str) -> None:
    for name in names:
        limit = getattr(field, name)
        if limit is not None:
            message: Any = lazy_format(field.error_messages[name], **{name: limit})
            field.validators.append(_LIMITS[name](limit, message=message))


def _details(
    field: object, errors: Iterable[DjangoValidationError], default: str
) -> list[ErrorDetail]:
    return [ErrorDetail(_text(field, error), code=error.code or default) for error in errors]


def _text(field: object, error: DjangoValidationError) -> str:
    params = _without_secrets(field, error.params)
    try:
        return str(error.message % params if params else error.message)
    except (TypeError, ValueError):
        if params is error.params:
            raise
        return str(_("Invalid value."))  # "%(value)d" takes nothing but numbers


def remade(validator: _Validator) -> _Validator:
    made = object.__new__(type(validator))
    made.__dict__.update(validator.__dict__)
    return made


# ---- defaults that look at the request ----


class CreateOnlyDefault:
    """A default for new objects; updates leave the field out.

    ``default`` is a value or a callable, which receives the field if it sets ``requires_context``.
    """

    requires_context = True

    def __init__(self, default: object) -> None:
        self.default = default

    def __call__(self, serializer_field: Field) -> Native:
        if serializer_field.parent.instance is not None:
            raise SkipField
        return called_default(self.default, serializer_field)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.default!r})"


class CurrentUserDefault:
    """The user of the request that the serializer has in its context."""

    requires_context = True

    def __call__(self, serializer_field: Field) -> Native:
        return serializer_field.context["request"].user

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


def called_default(default: object, field: Field) -> Native:
    if not callable(default):
        return default
    if getattr(default, "requires_context", False):
        return default(field)
    return default()


#: What a serializer with ``partial=False`` has: it is whole, whatever is around it.
WHOLE = "_lintel_whole"


def is_partial(serializer: Any) -> bool:
    """Return whether input may be missing: in this serializer, or in the next that says so."""
    while serializer is not None:
        if getattr(serializer, "partial", False):
            return True
        if WHOLE in getattr(serializer, "__dict__", ()):
            return False
        serializer = serializer.parent
    return False


def in_partial(field: Field) -> bool:
    return is_partial(field if field.parent is None else field.parent)


class Field:
    """Base of all fields; only subclasses convert anything.

    ``read_only``: output only. ``write_only``: input only. ``required``: must be in the input;
    default: true unless there is a ``default`` or ``read_only``. ``default``: value or callable
    for absent input, and for output if the attribute is missing. ``initial``: what an empty
    form shows. ``source``: dotted path on the object, ``"*"`` for the whole object. ``label``,
    ``help_text``, ``style``: for forms and schemas. ``error_messages``: custom messages by code.
    ``validators``: replaces the default validators. ``allow_null``: None is valid.

    Raises AssertionError for contradictory flags.
    """

    _creation_counter = 0

    #: What OPTIONS calls fields of this kind.
    metadata_type: str = "field"

    #: How forms show fields of this kind, in the words of ``style``.
    form_style: dict[str, str] = {"base_template": "input.html", "input_type": "text"}

    #: Whether the inputs of a form can send any value back unchanged.
    form_is_exact: bool = True

    #: Whether clients send or receive values.
    is_exchanged: bool = True

    #: What OpenAPI calls the format of the text that the values are.
    schema_format: str | None = None

    #: What the native schema says of the values, unless ``describe_native`` says more.
    native_type: coreschema.Schema = coreschema.String()

    #: The names of Django's columns for which a ModelSerializer takes this class.
    column_types: list[str] = []

    #: What a ModelSerializer passes to this class of the options that not every column has.
    column_options: tuple[str, ...] = ()

    default_error_messages: dict[str, Any] = {
        "required": _("This field is required."),
        "null": _("This field may not be null."),
    }
    default_validators: list[Validator] = []
    default_empty_html: Any = empty
    initial: Any = None

    _args: tuple[object, ...]
    _kwargs: dict[str, Any]
    source_attrs: list[str]

    def __new__(cls: type[_Field], *args: Any, **kwargs: Any) -> _Field:
        instance = super().__new__(cls)
        instance._args = args
        instance._kwargs = kwargs
        return instance

    def __class_getitem__(cls, *args: object, **kwargs: object) -> type[Self]:
        return cls

    def __init__(
        self,
        *,
        read_only: bool = False,
        write_only: bool = False,
        required: bool | None = None,
        default: object = empty,
        initial: object = empty,
        source: str | None = None,
        label: str | Promise | None = None,
        help_text: str | Promise | None = None,
        style: dict[str, Any] | None = None,
        error_messages: dict[str, Any] | None = None,
        validators: Iterable[Validator] | None = None,
        allow_null: bool = False,
    ) -> None:
        self._creation_counter = next(_creation_numbers)
        if required is None:
            required = default is empty and not read_only
        if read_only or default is not empty:
            _check_flags(type(self), read_only, write_only, required, default)

        self.read_only = read_only
        self.write_only = write_only
        self.required = required
        self.default = default
        self.source: Any = source
        self.initial = self.initial if initial is empty else initial
        self.label: Any = label
        self.help_text = help_text
        self.style: dict[str, Any] = {} if style is None else style
        self.allow_null = allow_null
        if default is not empty and self.default_empty_html is not empty:
            self.default_empty_html = default
        if validators is not None:
            self._validators = list(validators)
        if error_messages:
            self.error_messages = {**self.error_messages, **error_messages}
        # Both are set by bind().
        self.field_name: Any = None
        self.parent: Any = None

    def bind(self, field_name: str, parent: Any) -> None:
        """Attach the field to ``parent``; its name is also the default source."""
        source = self.source
        if source == field_name:
            developer_error(
                f"It is redundant to specify `source='{field_name}'` on field "
                f"'{type(self).__name__}' in serializer '{type(parent).__name__}', because it is "
                "the same as the field name. Remove the `source` keyword argument."
            )
        self.field_name = field_name
        self.parent = parent
        if self.label is None:
            self.label = field_name.replace("_", " ").capitalize()
        if source is None:
            source = self.source = field_name
        self.source_attrs = [] if source == "*" else source.split(".")

    # ---- messages and validators ----

    @property
    def error_messages(self) -> dict[str, Any]:
        """Return messages by code: those of all base classes, then those passed to this field."""
        messages: dict[str, Any] | None = self.__dict__.get("_error_messages")
        if messages is None:
            messages = {}
            for cls in reversed(type(self).__mro__):
                messages.update(cls.__dict__.get("default_error_messages", {}))
            self.__dict__["_error_messages"] = messages
        return messages

    @error_messages.setter
    def error_messages(self, messages: dict[str, Any]) -> None:
        self.__dict__["_error_messages"] = messages

    @cached_property
    def _validators(self) -> list[Validator]:
        made: tuple[Made, ...] | None = self.__dict__.get("_lintel_validators")
        return self.get_validators() if made is None else [copied(item) for item, copied in made]

    @property
    def validators(self) -> list[Validator]:
        """Return the callables that get each converted value; assign or change the list freely."""
        return self._validators

    @validators.setter
    def validators(self, validators: list[Validator]) -> None:
        self._validators = validators

    def get_validators(self) -> list[Validator]:
        return list(self.default_validators)

    def fail(self, key: str, **kwargs: object) -> NoReturn:
        """Raise the ValidationError with the message and code ``key``, which must exist."""
        try:
            message = self.error_messages[key]
        except KeyError:
            developer_error(MISSING_ERROR_MESSAGE.format(class_name=type(self).__name__, key=key))
        raise ValidationError(message.format(**_without_secrets(self, kwargs)), code=key)

    # ---- input ----

    def get_initial(self) -> Primitive:
        return self.initial() if callable(self.initial) else self.initial

    @inlinable("standard", "field_name")
    def get_value(self, dictionary: Primitive) -> Primitive:
        """Return the raw input of this field in ``dictionary``, or ``empty``.

        Forms cannot express null or "not sent": an empty text and a missing checkbox are read as
        the flags of the field allow.
        """
        if html.is_html_input(dictionary):
            return _html_value(self, dictionary)
        return dictionary.get(self.field_name, empty)

    @inlinable("standard", "default")
    def get_default(self) -> Native:
        """Return the value for absent input. Raises SkipField for none, and in a partial update."""
        if self.default is empty or in_partial(self):
            raise SkipField
        return called_default(self.default, self)

    @inlinable("standard", "read_only", "required", "default", "allow_null", "source")
    def validate_empty_values(self, data: Primitive) -> tuple[bool, Primitive]:
        """(True, value) ends the validation of the field. Raises SkipField or ValidationError."""
        if self.read_only:
            return True, self.get_default()
        if data is empty:
            if in_partial(self):
                raise SkipField
            if self.required:
                self.fail("required")
            return True, self.get_default()
        if data is None:
            if not self.allow_null:
                self.fail("null")
            # A field on the whole object must see None: there is no key to store it under.
            return self.source != "*", None
        return False, data

    @inlinable("standard")
    def run_validation(self, data: Primitive = empty) -> Native:
        """Return the validated value for raw input. Raises ValidationError or SkipField."""
        ended, data = self.validate_empty_values(data)
        if ended:
            return data
        value = self.to_internal_value(data)
        self.run_validators(value)
        return value

    @inlinable("standard", "validators")
    def run_validators(self, value: Native) -> None:
        """Raise one ValidationError with all messages, or the first error that is a mapping."""
        errors: list[object] = []
        for validator in self.validators:
            try:
                if getattr(validator, "requires_context", False):
                    validator(value, self)
                else:
                    validator(value)
            except ValidationError as error:
                if isinstance(error.detail, dict):
                    raise
                errors.extend(error.detail)
            except DjangoValidationError as error:
                detail = detail_for(self, error)
                if isinstance(detail, dict):
                    raise ValidationError(detail) from error
                errors.extend(detail)
        if errors:
            raise ValidationError(errors)

    def to_internal_value(self, data: Primitive) -> Native:
        """Convert raw input, which is neither absent nor None. Raises ValidationError."""
        raise NotImplementedError(
            f"{type(self).__name__}.to_internal_value() must be implemented for field "
            f"{self.field_name}. If you do not need to support write operations you probably want "
            "to subclass `ReadOnlyField` instead."
        )

    def _lintel_together(self, values: Iterable[object]) -> AbstractContextManager[object]:
        """Return a context that validates many values; relations look them all up at once."""
        return nullcontext()

    # ---- output ----

    @inlinable("attribute", "source_attrs", "default", "allow_null", "required")
    def get_attribute(self, instance: Native) -> Native:
        """Return the value of this field on ``instance``, before ``to_representation``.

        If the path ends early: the default, None if that is allowed, else SkipField for a
        field that is not required, else the KeyError or AttributeError with advice.
        """
        return read_attribute(self, instance, instance, self.source_attrs)

    def to_representation(self, value: Native) -> Primitive:
        """Convert an attribute, which is not None, to a primitive value."""
        raise NotImplementedError(
            f"{type(self).__name__}.to_representation() must be implemented for field "
            f"{self.field_name}."
        )

    # ---- surroundings ----

    @property
    def root(self) -> Any:
        root: Any = self
        while root.parent is not None:
            root = root.parent
        return root

    @property
    def context(self) -> dict[str, Any]:
        return getattr(self.root, "_context", {})

    # ---- copies ----

    def __deepcopy__(self: _Field, memo: dict[int, Any]) -> _Field:
        """Return a new, unbound field from the same arguments; it shares validators, patterns."""
        args = [
            value if type(value) in _UNCHANGING else copy.deepcopy(value, memo)
            for value in self._args
        ]
        kwargs = {
            key: value
            if type(value) in _UNCHANGING or key in ("validators", "regex")
            else copy.deepcopy(value, memo)
            for key, value in self._kwargs.items()
        }
        return type(self)(*args, **kwargs)

    def __repr__(self) -> str:
        return field_repr(self)

    # ---- descriptions ----

    def describe_values(self, schema: ViewSchema) -> Schema:
        """Return the JSON Schema of the values, in the keywords of OpenAPI 3.0; {} for any value.

        ``schema``: the schema object of the view. ``schema.map_field(field)`` describes a field
        inside this one, ``schema.document_form.receives`` tells the direction.
        """
        return {}

    def describe_in_contract(self, schema: ViewSchema) -> Schema:
        """Return the same for version 3.0.2, which has one schema for both directions."""
        text: Schema = {"type": "string"}
        return {**text, "format": self.schema_format} if self.schema_format else text

    def describe_native(self, describe: DescribeNative) -> coreschema.Schema:
        """Return the values for the native schema; ``describe`` describes a field inside."""
        is_long = self.style.get("base_template") == "textarea.html"
        if is_long and self.native_type is Field.native_type:
            return coreschema.String(format="textarea")
        return self.native_type


def _html_value(field: Field, dictionary: Primitive) -> Any:
    if field.field_name not in dictionary:
        return empty if in_partial(field) else field.default_empty_html
    value = dictionary[field.field_name]
    if value == "" and (field.allow_null or not field.required):
        if getattr(field, "allow_blank", False):
            return ""
        return None if field.allow_null else empty
    return value


def read_attribute(field: Any, instance: object, owner: object, attrs: Sequence[str]) -> Native:
    """Walk ``attrs`` from ``owner``, which is ``instance`` or an object reached from it."""
    try:
        if owner is not instance:
            owner = called(owner, field.source_attrs[-len(attrs) - 1])
        return get_attribute(owner, attrs)
    except BuiltinSignatureError as error:
        raise BuiltinSignatureError(
            f"Field source for `{type(field.parent).__name__}.{field.field_name}` maps to a "
            "built-in function type and is invalid. Define a property or method on the "
            f"`{type(instance).__name__}` instance that wraps the call to the built-in "
            "function."
        ) from error
    except (KeyError, AttributeError) as error:
        return missing_attribute(field, instance, error)


def missing_attribute(field: Any, instance: object, error: KeyError | AttributeError) -> Native:
    """Return the default, or None. Raises SkipField if not required, else the error with advice."""
    if field.default is not empty:
        return field.get_default()
    if field.allow_null:
        return None
    if not field.required:
        raise SkipField
    kind = type(error).__name__
    raise type(error)(
        f"Got {kind} when attempting to get a value for field `{field.field_name}` on "
        f"serializer `{type(field.parent).__name__}`.\nThe serializer field might be named "
        f"incorrectly and not match any attribute or key on the `{type(instance).__name__}` "
        f"instance.\nOriginal exception text was: {error}."
    ) from error


def _check_flags(
    cls: type[Field], read_only: bool, write_only: bool, required: bool, default: object
) -> None:
    if read_only and write_only:
        developer_error(NOT_READ_ONLY_WRITE_ONLY)
    if read_only and required:
        developer_error(NOT_READ_ONLY_REQUIRED)
    if required and default is not empty:
        developer_error(NOT_REQUIRED_DEFAULT)
    if read_only and cls is Field:
        developer_error(USE_READONLYFIELD)
