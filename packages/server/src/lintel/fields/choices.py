"""Fields whose value is one or several of a fixed set, and booleans."""

import enum
from collections.abc import Hashable, Iterable, Iterator
from typing import Any

from django.forms import FilePathField as FilePathFormField
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from lintel.annotations import Setting
from lintel.compatible import keeps
from lintel.fields.base import Field, empty, in_partial
from lintel.fields.describing import DescribeNative, Schema, ViewSchema
from lintel.fields.types import Native, Primitive
from lintel.marks import inlinable
from lintel.settings import FALSE, SettingDefault
from lintel.utils import html
from lintel_document import schemas as coreschema


def _absent_value(setting: Setting) -> object:
    return False if setting == FALSE else empty


class BooleanField(Field):
    """True or False, also written as words: yes, no, on, off, t, f, 1, 0 and so on."""

    metadata_type = "boolean"
    form_style = {"base_template": "checkbox.html"}
    native_type = coreschema.Boolean()
    column_types = ["BooleanField", "NullBooleanField"]

    default_error_messages = {"invalid": _("Must be a valid boolean.")}
    default_empty_html: Any = SettingDefault("ABSENT_CHECKBOX", _absent_value)
    initial: Any = False
    #: Texts are compared in lower case.
    TRUE_VALUES: set[object] = {"t", "y", "yes", "true", "on", "1", 1}
    FALSE_VALUES: set[object] = {"f", "n", "no", "false", "off", "0", 0}
    NULL_VALUES: set[object] = {"null", "", None}

    def __init__(self, **kwargs: Any) -> None:
        if kwargs.get("allow_null", False):
            if self.default_empty_html is False:
                self.default_empty_html = None
            self.initial = None
        super().__init__(**kwargs)

    @inlinable("boolean", "TRUE_VALUES", "FALSE_VALUES", "NULL_VALUES", "allow_null")
    def to_internal_value(self, data: Primitive) -> bool | None:
        value = _truth(self, data)
        return self.fail("invalid", input=data) if value is empty else value

    @inlinable("boolean", "TRUE_VALUES", "FALSE_VALUES", "NULL_VALUES", "allow_null")
    def to_representation(self, value: Native) -> bool | None:
        shown = _truth(self, value)
        return bool(value) if shown is empty else shown

    def describe_values(self, schema: ViewSchema) -> Schema:
        return {"type": "boolean"}

    describe_in_contract = describe_values


# ---- choices ----

#: Texts by value; the value of a group is a dict of its own.
Choices = dict[Hashable, Any]


def _truth(field: BooleanField, value: object) -> Any:
    """True, False or None, as the words of the field say; ``empty`` for others."""
    word = value.lower() if isinstance(value, str) else value
    try:
        if word in field.TRUE_VALUES:
            return True
        if word in field.FALSE_VALUES:
            return False
        if field.allow_null and word in field.NULL_VALUES:
            return None
    except TypeError:  # not hashable
        pass
    return empty


class StartOptionGroup:
    """Marks the start of a group of options: ``<optgroup label="...">``."""

    start_option_group = True
    end_option_group = False

    def __init__(self, label: object) -> None:
        self.label = label


class EndOptionGroup:
    """Marks the end of a group of options."""

    start_option_group = False
    end_option_group = True


class Option:
    """One option: its value and the displayed text."""

    start_option_group = False
    end_option_group = False

    def __init__(self, value: object, display_text: object, disabled: bool = False) -> None:
        self.value = value
        self.display_text = display_text
        self.disabled = disabled


def to_choices_dict(choices: Iterable[Any]) -> Choices:
    """Return choices in any of their forms as texts by value; a group becomes a nested dict.

    A choice is a value, a pair of value and text, or a pair of group name and choices. Raises
    ValueError for a list or tuple that is not a pair.
    """
    result: Choices = {}
    for choice in choices:
        if not isinstance(choice, list | tuple):
            result[choice] = choice
            continue
        key, value = choice
        result[key] = to_choices_dict(value) if isinstance(value, list | tuple) else value
    return result


def flatten_choices_dict(choices: Choices) -> Choices:
    """Return texts by value, with the members of groups in place of the groups."""
    result: Choices = {}
    for key, value in choices.items():
        if isinstance(value, dict):
            result.update(value)
        else:
            result[key] = value
    return result


def iter_options(
    grouped_choices: Choices, cutoff: int | None = None, cutoff_text: str | Promise | None = None
) -> Iterator[StartOptionGroup | EndOptionGroup | Option]:
    """Yield options and group marks for an HTML select.

    After ``cutoff`` options comes a disabled one with ``cutoff_text`` (which may contain
    ``{count}``), and no more.
    """
    count = 0
    for key, value in grouped_choices.items():
        grouped = isinstance(value, dict)
        if cutoff and count >= cutoff:
            break
        if grouped:
            yield StartOptionGroup(label=key)
        for option_value, text in (value if grouped else {key: value}).items():
            if cutoff and count >= cutoff:
                break
            yield Option(value=option_value, display_text=text)
            count += 1
        if grouped:
            yield EndOptionGroup()
    if cutoff and count >= cutoff and cutoff_text:
        text = str(cutoff_text).format(count=cutoff)
        yield Option(value="n/a", display_text=text, disabled=True)


def _plain(value: Native) -> Any:
    """Return the value of an enum member whose text is only its name; others unchanged."""
    if isinstance(value, enum.Enum) and str(value) != str(value.value):
        return value.value
    return value


def _text(value: object) -> str:
    try:
        return str(value)
    except (RecursionError, ValueError):
        return f"<{type(value).__name__}>"


class ChoiceField(Field):
    """One value of ``choices``, compared by its text: the input "1" is the choice 1.

    ``choices``: values, pairs of value and text, groups of these, or an enumeration's ``choices``;
    of a dict, the keys. ``allow_blank``: "" is valid. ``html_cutoff``: how many options a form
    shows; ``html_cutoff_text``: what it shows instead of the others.
    """

    metadata_type = "choice"
    column_options = ("allow_blank",)
    form_style = {"base_template": "select.html"}

    default_error_messages = {"invalid_choice": _('"{input}" is not a valid choice.')}
    html_cutoff: int | None = None
    html_cutoff_text: str | Promise | None = _("More than {count} items...")

    def __init__(self, choices: Any, **kwargs: Any) -> None:
        self.choices = choices
        self.html_cutoff = kwargs.pop("html_cutoff", self.html_cutoff)
        self.html_cutoff_text = kwargs.pop("html_cutoff_text", self.html_cutoff_text)
        self.allow_blank: bool = kwargs.pop("allow_blank", False)
        super().__init__(**kwargs)

    # Subclasses of other packages define their own property on top of these two.

    def _get_choices(self) -> Choices:
        return self._choices

    def _set_choices(self, choices: Any) -> None:
        self.grouped_choices = to_choices_dict(choices)
        self._choices = flatten_choices_dict(self.grouped_choices)
        # Input is text even if the choice is a number: one lookup handles both.
        self.choice_strings_to_values: dict[str, Any] = {
            str(_plain(key)): key for key in self._choices
        }

    choices: Any = property(
        _get_choices,
        _set_choices,
        doc="Texts by value, without groups; assign choices in any form.",
    )

    @inlinable("choice", "choice_strings_to_values", "allow_blank")
    def to_internal_value(self, data: Primitive) -> Native:
        if self.allow_blank and isinstance(data, str) and not data:
            return ""
        text = _text(_plain(data))
        try:
            return self.choice_strings_to_values[text]
        except KeyError:
            return self.fail("invalid_choice", input=text)

    @inlinable("choice", "choice_strings_to_values")
    def to_representation(self, value: Native) -> Primitive:
        if value in ("", None):
            return value
        value = _plain(value)
        return self.choice_strings_to_values.get(str(value), value)

    def iter_options(self) -> Iterator[StartOptionGroup | EndOptionGroup | Option]:
        return iter_options(
            self.grouped_choices, cutoff=self.html_cutoff, cutoff_text=self.html_cutoff_text
        )

    def describe_values(self, schema: ViewSchema) -> Schema:
        return schema.document_form.choices(schema, self)

    describe_in_contract = describe_values

    def describe_native(self, describe: DescribeNative) -> coreschema.Schema:
        return coreschema.Enum(enum=list(self.choices))


def _choices_collection(_version: object) -> type[list[Any] | set[Any]]:
    return set if keeps("multiple-choices") else list


class MultipleChoiceField(ChoiceField):
    """A list of distinct ``choices``, in input order. ``allow_empty``: [] is valid."""

    metadata_type = "multiple choice"
    form_style = {"base_template": "select_multiple.html"}
    form_is_exact = False

    default_error_messages = {
        "invalid_choice": _('"{input}" is not a valid choice.'),
        "not_a_list": _('Expected a list of items but got type "{input_type}".'),
        "empty": _("This selection may not be empty."),
    }
    default_empty_html: Any = []
    #: What validated values and output are collected in; sets lose the order.
    collection_class: Any = SettingDefault("COMPATIBLE_WITH", _choices_collection)

    def __init__(self, **kwargs: Any) -> None:
        self.allow_empty: bool = kwargs.pop("allow_empty", True)
        super().__init__(**kwargs)

    @inlinable("many_choices", "field_name")
    def get_value(self, dictionary: Primitive) -> Primitive:
        """Return all values of the name in a form; no selection is an empty list there."""
        if self.field_name not in dictionary and in_partial(self):
            return empty
        if html.is_html_input(dictionary):
            return dictionary.getlist(self.field_name)
        return dictionary.get(self.field_name, empty)

    @inlinable("many_choices", "choice_strings_to_values", "allow_blank", "allow_empty")
    def to_internal_value(self, data: Primitive) -> Native:
        if isinstance(data, str) or not hasattr(data, "__iter__"):
            self.fail("not_a_list", input_type=type(data).__name__)
        chosen = [ChoiceField.to_internal_value(self, item) for item in data]
        if not self.allow_empty and not chosen:
            self.fail("empty")
        return self.collection_class(dict.fromkeys(chosen))

    @inlinable("many_choices", "choice_strings_to_values")
    def to_representation(self, value: Native) -> Primitive:
        chosen = (ChoiceField.to_representation(self, item) for item in value)
        return self.collection_class(dict.fromkeys(chosen))

    def describe_values(self, schema: ViewSchema) -> Schema:
        described = MultipleChoiceField.describe_in_contract(self, schema)
        return described if self.allow_empty else {**described, "minItems": 1}

    def describe_in_contract(self, schema: ViewSchema) -> Schema:
        return {"type": "array", "items": schema.document_form.choices(schema, self)}

    def describe_native(self, describe: DescribeNative) -> coreschema.Schema:
        return coreschema.Array(items=super().describe_native(describe))


class FilePathField(ChoiceField):
    """The path of a file below the directory ``path``, listed when the field is made.

    ``match``: a pattern for names. ``recursive``: also in subdirectories. ``allow_files``,
    ``allow_folders``: what is listed. Raises OSError if the directory cannot be read.
    """

    column_types = ["FilePathField"]
    default_error_messages = {"invalid_choice": _('"{input}" is not a valid path choice.')}
    #: The files are listed at the moment when a field is made.
    _lintel_computed = True

    def __init__(
        self,
        path: str,
        match: str | None = None,
        recursive: bool = False,
        allow_files: bool = True,
        allow_folders: bool = False,
        required: bool | None = None,
        **kwargs: Any,
    ) -> None:
        form_field = FilePathFormField(
            path,
            match=match,
            recursive=recursive,
            allow_files=allow_files,
            allow_folders=allow_folders,
            required=bool(required),
        )
        if keeps("file-paths"):
            required = True
        super().__init__(**{**kwargs, "choices": form_field.choices, "required": required})

    def describe_values(self, schema: ViewSchema) -> Schema:
        # Its choices are names of files on the server.
        return {"type": "string"}
