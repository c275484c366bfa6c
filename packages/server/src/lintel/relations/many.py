"""The field that ``many=True`` makes of a relation."""

from collections.abc import Iterator
from typing import Any

from django.utils.translation import gettext_lazy as _

from lintel.fast import prefetch_keys
from lintel.fields import Field, empty, get_attribute, iter_options
from lintel.fields.base import developer_error, in_partial, missing_attribute
from lintel.fields.choices import Choices, EndOptionGroup, Option, StartOptionGroup
from lintel.fields.describing import DescribeNative, Schema, ViewSchema
from lintel.fields.types import Native, Primitive
from lintel.marks import inlinable
from lintel.settings import api_settings
from lintel.utils import html
from lintel_document import schemas as coreschema


class RelationField(Field):
    """Base of all relations: the options of a form, limited by ``html_cutoff``."""

    html_cutoff: int | None = None
    html_cutoff_text: str | None = None

    def __init__(self, **kwargs: Any) -> None:
        cutoff = api_settings.HTML_SELECT_CUTOFF
        self.html_cutoff = kwargs.pop("html_cutoff", None if cutoff is None else int(cutoff))
        self.html_cutoff_text = kwargs.pop(
            "html_cutoff_text", self.html_cutoff_text or api_settings.HTML_SELECT_CUTOFF_TEXT
        )
        super().__init__(**kwargs)

    def get_choices(self, cutoff: int | None = None) -> Choices:
        """Return the choices as representation → text, at most ``cutoff`` entries."""
        return {}

    @property
    def choices(self) -> Choices:
        return self.get_choices()

    @property
    def grouped_choices(self) -> Choices:
        return self.choices

    def iter_options(self) -> Iterator[StartOptionGroup | EndOptionGroup | Option]:
        return iter_options(
            self.get_choices(cutoff=self.html_cutoff),
            cutoff=self.html_cutoff,
            cutoff_text=self.html_cutoff_text,
        )


class ManyRelatedField(RelationField):
    """A list of related objects, each read and validated by ``child_relation``.

    Made by ``many=True`` on any relation. ``allow_empty=False`` rejects the empty list.
    """

    form_style = {"base_template": "select_multiple.html"}
    form_is_exact = False
    initial: Any = []
    default_empty_html: Any = []
    default_error_messages = {
        "not_a_list": _('Expected a list of items but got type "{input_type}".'),
        "empty": _("This list may not be empty."),
    }

    def __init__(self, child_relation: Any = None, *args: object, **kwargs: Any) -> None:
        self.child_relation = child_relation
        self.allow_empty: bool = kwargs.pop("allow_empty", True)
        if child_relation is None:
            developer_error(
                "`child_relation` is a required argument. Pass a relation such as "
                "`PrimaryKeyRelatedField(...)`, or make this field with `many=True`."
            )
        super().__init__(*args, **kwargs)
        self.child_relation.bind(field_name="", parent=self)

    @inlinable("many_related")
    def get_value(self, dictionary: Primitive) -> Primitive:
        """Return the list in the input; a form without the field means an empty list."""
        if not html.is_html_input(dictionary):
            return dictionary.get(self.field_name, empty)
        if self.field_name not in dictionary and in_partial(self):
            return empty
        return dictionary.getlist(self.field_name)

    @inlinable("many_related", "allow_empty", "child_relation")
    def to_internal_value(self, data: Primitive) -> list[Native]:
        """Return the objects of a list of keys; raise the error of the first key that has one."""
        if isinstance(data, str) or not hasattr(data, "__iter__"):
            self.fail("not_a_list", input_type=type(data).__name__)
        items = list(data)
        if not self.allow_empty and not items:
            self.fail("empty")
        with prefetch_keys(self, [items]):
            return [self.child_relation.to_internal_value(item) for item in items]

    @inlinable("many_related", "source_attrs", "default", "allow_null", "required")
    def get_attribute(self, instance: Native) -> Native:
        """Return the related objects; none for an object that has not been saved yet."""
        if hasattr(instance, "pk") and instance.pk is None:
            return []
        try:
            relationship = get_attribute(instance, self.source_attrs)
        except (KeyError, AttributeError) as error:
            return missing_attribute(self, instance, error)
        return relationship.all() if hasattr(relationship, "all") else relationship

    @inlinable("many_related", "child_relation")
    def to_representation(self, iterable: Native) -> list[Primitive]:
        return [self.child_relation.to_representation(value) for value in iterable]

    def get_choices(self, cutoff: int | None = None) -> Choices:
        return self.child_relation.get_choices(cutoff)

    def describe_values(self, schema: ViewSchema) -> Schema:
        return {"type": "array", "items": schema.map_field(self.child_relation)}

    describe_in_contract = describe_values

    def describe_native(self, describe: DescribeNative) -> coreschema.Schema:
        return coreschema.Array(items=self.child_relation.describe_native(describe))
