"""The serializer that ``many=True`` creates: one child, many items."""

import copy
import warnings
from collections.abc import Callable, Hashable, Iterable
from typing import Any

from django.db.models.manager import BaseManager
from django.utils.translation import gettext_lazy as _

from lintel import fast
from lintel.compat import InstanceT
from lintel.compatible import keeps
from lintel.cycle.steps import complete
from lintel.deprecation import RemovedInDRF320Warning
from lintel.exceptions import ErrorDetail, ValidationError
from lintel.fast import PLAIN
from lintel.fields import SkipField, empty
from lintel.fields.describing import DescribeNative, Schema, ViewSchema
from lintel.fields.types import Native, Primitive
from lintel.marks import inlinable
from lintel.overrides import is_ours
from lintel.serializers.base import BaseSerializer, set_usual_list
from lintel.serializers.declared import (
    Serializer,
    check_whole,
    each_field,
    named_errors,
    whole_error,
)
from lintel.serializers.related_keys import NONE, Related, prefetched, related_of
from lintel.serializers.unions import UnionSerializer, kind_of, member_of, with_kind
from lintel.settings import api_settings
from lintel.utils import html, representation
from lintel.utils.serializer_helpers import ReturnDict, ReturnList
from lintel_document import schemas as coreschema

_LIST_OF_ERRORS = (
    "The list-based error format for `ListSerializer` is deprecated and will be removed in DRF "
    '3.20. Set `REST_FRAMEWORK["LIST_SERIALIZER_ERRORS_AS_DICT"]` to `True` to use the '
    "dictionary-based error format."
)


class ListSerializer(BaseSerializer[InstanceT]):
    """Reads, validates and creates lists with its ``child`` serializer.

    ``allow_empty``, ``min_length`` and ``max_length`` limit the number of input items.
    """

    form_style = {"base_template": "list_fieldset.html"}
    child: Any = None
    many = True

    default_error_messages = {
        "not_a_list": _('Expected a list of items but got type "{input_type}".'),
        "empty": _("This list may not be empty."),
        "max_length": _("Ensure this field has no more than {max_length} elements."),
        "min_length": _("Ensure this field has at least {min_length} elements."),
    }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.child = kwargs.pop("child", copy.deepcopy(self.child))
        self.allow_empty: bool = kwargs.pop("allow_empty", True)
        self.max_length: int | None = kwargs.pop("max_length", None)
        self.min_length: int | None = kwargs.pop("min_length", None)
        if self.child is None:
            raise AssertionError(
                "`child` is a required argument. Pass `child=SomeSerializer()` to "
                f"{type(self).__name__}, or make the list with `SomeSerializer(many=True)`."
            )
        if isinstance(self.child, type):
            raise AssertionError(
                f"`child` has not been instantiated. Pass `child={self.child.__name__}()`."
            )
        super().__init__(*args, **kwargs)
        self.child.bind(field_name="", parent=self)

    def get_initial(self) -> Primitive:
        if not hasattr(self, "initial_data"):
            return []
        try:
            return self.to_representation(self.initial_data)
        except Exception:
            if not getattr(self, "_errors", None):
                raise
            # Invalid input often cannot be read like validated values.
            return self.initial_data if isinstance(self.initial_data, list) else []

    @inlinable("standard")
    def get_value(self, dictionary: Primitive) -> Primitive:
        """Return this list's part of the input; ``name[]`` without a value in a form is []."""
        if html.is_html_input(dictionary):
            absent: object = [] if dictionary.get(f"{self.field_name}[]") == "" else empty
            return html.parse_html_list(dictionary, prefix=self.field_name, default=absent)
        return dictionary.get(self.field_name, empty)

    @inlinable("list_serializer", "validate")
    def run_validation(self, data: Primitive = empty) -> Native:
        is_empty_value, data = self.validate_empty_values(data)
        if is_empty_value:
            return data
        return check_whole(self, self.to_internal_value(data))

    @inlinable("standard")
    def run_child_validation(self, data: Primitive) -> Native:
        """Validate one item; a subclass may choose an instance for it first."""
        return self.child.run_validation(data)

    @inlinable("list_serializer", "run_child_validation", "allow_empty", "max_length", "min_length")
    def to_internal_value(self, data: Primitive) -> list[Native]:
        """Raises ValidationError: errors by position, or a list with {} for each valid item."""
        if html.is_html_input(data):
            data = html.parse_html_list(data, default=[])
        _check_list(self, data)
        validate, related = _item_validation(self, data)
        values = []
        errors: dict[int, object] = {}
        with prefetched(related, data):
            for position, item in enumerate(data):
                try:
                    values.append(validate(item))
                except ValidationError as error:
                    errors[position] = error.detail
        if errors:
            raise ValidationError(shape_errors(errors, len(data)))
        return values

    @inlinable("list_serializer")
    def to_representation(self, data: Native) -> Primitive:
        items = data.all() if isinstance(data, BaseManager) else data
        result = fast.read_list(self, items)
        return read_kinds(self.child, items) if result is PLAIN else result

    @inlinable("standard")
    def validate(self, attrs: Native) -> Native:
        """Check the items as a whole; a subclass raises ValidationError or returns them."""
        return attrs

    def update(self, instance: Native, validated_data: Native) -> Native:
        raise NotImplementedError(
            "Serializers with many=True do not support multiple update by default, only multiple "
            "create. For updates it is unclear how to deal with insertions and deletions. If you "
            "need to support multiple update, use a `ListSerializer` class and override "
            "`.update()` so you can specify the behavior exactly."
        )

    def create(self, validated_data: Native) -> Native:
        return [complete(self.child.create(attrs)) for attrs in validated_data]

    def __repr__(self) -> str:
        return representation.list_repr(self, indent=1)

    @property
    def data(self) -> Primitive:
        return ReturnList(super().data, serializer=self)

    @property
    def errors(self) -> Primitive:
        """Return errors by position, or by name for the list as a whole."""
        errors = super().errors
        if isinstance(errors, list) and errors and isinstance(errors[0], ErrorDetail):
            errors = named_errors(errors)
        if isinstance(errors, dict):
            return ReturnDict(errors, serializer=self)
        return ReturnList(errors, serializer=self)

    def describe_values(self, schema: ViewSchema) -> Schema:
        described = ListSerializer.describe_in_contract(self, schema)
        return described if schema.document_form.receives else {**described, **_limits(self)}

    def describe_in_contract(self, schema: ViewSchema) -> Schema:
        return {"type": "array", "items": schema.map_field(self.child)}

    def describe_native(self, describe: DescribeNative) -> coreschema.Schema:
        return coreschema.Array(items=describe(self.child))


def _limits(serializer: ListSerializer) -> Schema:
    least = max(serializer.min_length or 0, 0 if serializer.allow_empty else 1)
    limits = {"minItems": least or None, "maxItems": serializer.max_length}
    return {word: limit for word, limit in limits.items() if limit is not None}


set_usual_list(ListSerializer)


def read_kinds(child: BaseSerializer, items: Iterable[object]) -> list[object]:
    """Read each item; of a union, the items of a kind together, with their relations."""
    items = list(items)
    if not isinstance(child, UnionSerializer) or not is_ours(child.to_representation):
        return [child.to_representation(item) for item in items]
    kinds = [kind_of(child, item) for item in items]
    values: list[object] = [None] * len(items)
    for kind in dict.fromkeys(kinds):
        places = [place for place, item_kind in enumerate(kinds) if item_kind == kind]
        read = _read_kind(child, kind, [items[place] for place in places])
        for place, value in zip(places, read, strict=True):
            values[place] = value
    return values


def _read_kind(union: UnionSerializer, kind: Hashable | None, items: list[object]) -> list[object]:
    if kind is None:
        return [union.to_representation(item) for item in items]  # its error says what is wrong
    member = member_of(union, kind)
    result = fast.read_items(member, items)
    if result is PLAIN:
        result = [member.to_representation(item) for item in items]
    return [with_kind(union, kind, values) for values in result]


def shape_errors(errors: dict[int, object], length: int) -> object:
    is_said = "LIST_SERIALIZER_ERRORS_AS_DICT" in api_settings.user_settings
    is_kept = not is_said and keeps("list-errors")
    if api_settings.LIST_SERIALIZER_ERRORS_AS_DICT and not is_kept:
        return errors
    if not is_kept:
        warnings.warn(_LIST_OF_ERRORS, RemovedInDRF320Warning, stacklevel=2)
    return [errors.get(position, {}) for position in range(length)]


def _item_validation(
    serializer: ListSerializer, data: list[object]
) -> tuple[Callable[[Primitive], Native], Related]:
    child = serializer.child
    if not isinstance(child, Serializer):
        return serializer.run_child_validation, NONE
    writer = fast.item_writer(serializer)
    if writer is PLAIN:
        fields = each_field(child, "_writable_fields", "read_only") if len(data) > 1 else ()
        return serializer.run_child_validation, related_of(fields, data)
    names = writer.relations if len(data) > 1 else ()
    fields = [child._lintel_fields[name] for name in names]
    return writer.validate, related_of(fields, data) if fields else NONE


def _check_list(serializer: ListSerializer, data: object) -> None:
    if not isinstance(data, list):
        raise whole_error(serializer, "not_a_list", input_type=type(data).__name__)
    if not serializer.allow_empty and not data:
        if serializer.parent and serializer.partial:
            raise SkipField
        raise whole_error(serializer, "empty")
    if serializer.max_length is not None and len(data) > serializer.max_length:
        raise whole_error(serializer, "max_length", max_length=serializer.max_length)
    if serializer.min_length is not None and len(data) < serializer.min_length:
        raise whole_error(serializer, "min_length", min_length=serializer.min_length)
