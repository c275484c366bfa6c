"""The base of all relations: the queryset, the choices, and reading only the key."""

from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import Any

from django.db.models import QuerySet
from django.db.models.manager import BaseManager

from lintel.fast import prefetch_keys
from lintel.fields import empty, get_attribute, is_simple_callable
from lintel.fields.base import FIELD_KWARGS, developer_error
from lintel.fields.choices import Choices
from lintel.fields.describing import DescribeNative
from lintel.fields.types import Native, Primitive
from lintel.marks import inlinable
from lintel.relations.many import ManyRelatedField, RelationField
from lintel.scoping import offered_rows, within
from lintel.settings import FROM_VIEW
from lintel_document import schemas as coreschema

#: Arguments that a relation made with ``many=True`` passes to the list around it.
MANY_RELATION_KWARGS = (*FIELD_KWARGS, "allow_empty", "html_cutoff", "html_cutoff_text")


def method_overridden(method_name: str, klass: type, instance: object) -> bool:
    method = getattr(klass, method_name)
    default = getattr(method, "__func__", method)
    current = getattr(instance, method_name)
    return default is not getattr(current, "__func__", current)


class PKOnlyObject:
    """Stands for a related object of which only the primary key has been read."""

    def __init__(self, pk: Native) -> None:
        self.pk = pk

    def __str__(self) -> str:
        return f"{self.pk}"


class RelatedField(RelationField):
    """Base of the fields that show a related object as one value.

    ``queryset``: where the objects come from when input is validated, a queryset or a manager;
    needed unless the field is read-only or overrides :meth:`get_queryset`. ``many=True`` makes a
    :class:`ManyRelatedField`. ``html_cutoff`` and ``html_cutoff_text`` limit the options of a form.
    ``scope_class``: which of the objects a request may refer to, by default those in the
    :class:`~lintel.scoping.RowScope` of the view; None for all.
    """

    form_style = {"base_template": "select.html"}
    queryset: Any = None
    scope_class: Any = FROM_VIEW

    def __init__(self, **kwargs: Any) -> None:
        self.queryset = kwargs.pop("queryset", self.queryset)
        self.scope_class = kwargs.pop("scope_class", self.scope_class)
        _check_queryset(self, kwargs.get("read_only", False))
        kwargs.pop("many", None)
        kwargs.pop("allow_empty", None)
        super().__init__(**kwargs)

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        if kwargs.pop("many", False):
            return cls.many_init(*args, **kwargs)
        return super().__new__(cls, *args, **kwargs)

    @classmethod
    def many_init(cls, *args: Any, **kwargs: Any) -> Any:
        """Make the field for ``many=True``, around one relation of this class."""
        list_kwargs = {name: kwargs[name] for name in kwargs if name in MANY_RELATION_KWARGS}
        return ManyRelatedField(child_relation=cls(*args, **kwargs), **list_kwargs)

    @inlinable("related")
    def run_validation(self, data: Primitive = empty) -> Native:
        """Validate input for this field; the empty string of a form is "no object"."""
        if isinstance(data, str) and data == "":
            data = None
        return super().run_validation(data)

    @inlinable("related", "queryset", "scope_class")
    def get_queryset(self) -> Any:
        """Return the queryset to search; a new clone, so that no results are cached."""
        queryset = self.queryset
        rows = queryset.all() if isinstance(queryset, QuerySet | BaseManager) else queryset
        return within(self, rows)

    def _lintel_together(self, values: Iterable[object]) -> AbstractContextManager[object]:
        return prefetch_keys(self, values)

    @inlinable("related")
    def use_pk_only_optimization(self) -> bool:
        """Return whether the representation needs only ``value.pk``."""
        return False

    @inlinable(
        "related", "source_attrs", "default", "allow_null", "required", "use_pk_only_optimization"
    )
    def get_attribute(self, instance: Native) -> Native:
        """Return the related object, or a PKOnlyObject if that is enough and saves a query."""
        if self.source_attrs and self.use_pk_only_optimization():
            try:
                return _get_pk_only(self, instance)
            except AttributeError:
                # Not a model instance, or a relation that has no column here.
                pass
        return super().get_attribute(instance)

    def get_choices(self, cutoff: int | None = None) -> Choices:
        queryset = offered_rows(self)
        if queryset is None:
            # A read-only field offers no choices.
            return {}
        if cutoff is not None:
            queryset = queryset[:cutoff]
        return {self.to_representation(item): self.display_value(item) for item in queryset}

    def display_value(self, instance: Native) -> str:
        return str(instance)

    def describe_native(self, describe: DescribeNative) -> coreschema.Schema:
        return self.native_type


def _check_queryset(field: RelatedField, read_only: bool) -> None:
    name = type(field).__name__
    if read_only and field.queryset is not None:
        developer_error(
            "Relational fields should not provide a `queryset` argument, when setting "
            f"read_only=`True`. A read-only `{name}` never looks anything up: leave out one of "
            "the two."
        )
    if read_only or field.queryset is not None:
        return
    if not method_overridden("get_queryset", RelatedField, field):
        developer_error(
            "Relational field must provide a `queryset` argument, override `get_queryset`, or "
            f"set read_only=`True`. Without one, `{name}` has nowhere to look objects up."
        )


def _get_pk_only(field: RelatedField, instance: object) -> PKOnlyObject:
    owner = get_attribute(instance, field.source_attrs[:-1])
    value = owner.serializable_value(field.source_attrs[-1])
    if is_simple_callable(value):
        value = value()
    # A property or a method in place of the column returns an object.
    return PKOnlyObject(pk=getattr(value, "pk", value))
