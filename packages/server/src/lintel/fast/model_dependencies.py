"""When the fields of a model serializer may be made once and copied from then on.

They follow the model, so the model must give the same result each time, and the warrant of the
serializer class checks what they were made from (:func:`column_entries`).
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.db.models import Choices, F, Field, FilePathField, Model, Q
from django.utils.choices import CallableChoiceIterator

from lintel.fast.compiler.options import CONSTANTS
from lintel.fast.compiler.protocols import Fields
from lintel.fast.relations import finds_all
from lintel.fast.vocabulary import Methods
from lintel.overrides import reached
from lintel.trust.originals import is_of_django
from lintel.utils import model_meta

#: The steps from a model to fields; a class that overrides one of them gets new fields each time.
FIELD_HOOKS = (
    *("get_fields", "get_field_names", "get_default_field_names", "_get_model_fields"),
    *("build_field", "build_standard_field", "build_relational_field", "build_nested_field"),
    *("build_property_field", "build_url_field", "build_unknown_field"),
    *("get_extra_kwargs", "include_extra_kwargs"),
    *("get_unique_together_constraints", "get_uniqueness_extra_kwargs"),
)

#: What a column says about its serializer field, by names in its ``__dict__``.
_STORED = ("null", "blank", "max_length", "default", "editable", "verbose_name", "help_text")
_OPTIONS = ("column", "_unique", *_STORED)
_NUMBERS = ("max_digits", "decimal_places")
_SHOWN = ("_choices", *_NUMBERS)

# The same as attributes, which a column of the project may compute.
_RULES = ("choices", "unique", "validators", "error_messages")
_METHODS = ("has_default", "get_limit_choices_to", "__getattribute__", "__getattr__")
_ATTRIBUTES = (*_STORED, *_NUMBERS, *_RULES, *_METHODS)


def has_constant_fields(model: type[Model]) -> bool:
    """Return whether fields made from the model are the same each time.

    They are not if choices, limits, files or texts are looked up, or if a manager of the project
    selects the rows: for it, each request may be another tenant.
    """
    options = model._meta
    columns = (*options.fields, *options.many_to_many)
    conditions = _conditions_of(model)
    return not any(map(_is_looked_up, columns)) and all(
        _select_alike(cls, conditions) for cls in _family(model)
    )


def _family(model: type[Model]) -> tuple[type[Model], ...]:
    """The models whose rules hold for a model."""
    return (model, *model._meta.all_parents)


def _conditions_of(model: type[Model]) -> list[object]:
    rules = [rule for cls in _family(model) for rule in cls._meta.constraints]
    return [getattr(rule, "condition", None) for rule in rules]


def _is_looked_up(column: Field) -> bool:
    if isinstance(column, FilePathField) or isinstance(column.choices, CallableChoiceIterator):
        return True
    if any(_is_computed(type(column), name) for name in _ATTRIBUTES):
        return True
    relation: Any = column.remote_field
    limit = getattr(relation, "limit_choices_to", None)
    return bool(limit) and not _select_alike(relation.model, [limit])


def _is_computed(cls: type, name: str) -> bool:
    member = reached(cls, name)
    is_plain = not hasattr(type(member), "__get__") or member is reached(Field, name)
    return not (is_plain or is_of_django(member))


def _select_alike(model: Any, conditions: Sequence[object]) -> bool:
    """Return whether conditions select the same rows of a model each time; None selects all."""
    if not any(conditions):
        return True
    return (
        hasattr(model, "_meta")
        and _applies_alike(model._default_manager)
        and all(map(is_constant, conditions))
    )


#: What applies conditions: of rules, of limits.
_APPLYING = Methods("filter", "complex_filter")


def _applies_alike(manager: Any) -> bool:
    return (
        finds_all(manager)
        and _APPLYING.names.isdisjoint(vars(manager))
        and all(_APPLYING.are_of_django(cls) for cls in (type(manager), manager._queryset_class))
    )


def is_constant(value: Any) -> bool:
    """Return whether a condition has only plain values, none of them evaluated on use."""
    kind = type(value)
    if kind is Q:
        return all(map(is_constant, value.children))
    if kind is dict:
        return is_constant(list(value.items()))
    if kind in (list, tuple, set, frozenset):
        return all(map(is_constant, value))
    return kind in CONSTANTS or kind is F or isinstance(value, Choices)


# ---- dependencies of the fields ----


def shown_entries(model: type[Model], fields: Fields) -> Iterator[tuple[object, str]]:
    """Return what decides how the fields read, as owners and the names of their attributes."""
    for name in ("fields", "many_to_many", "related_objects"):
        # Read once, so that Django has computed them.
        getattr(model._meta, name)
        yield model._meta, name
    for column in _columns(model, fields):
        held = vars(column)
        yield from ((column, name) for name in _SHOWN if name in held)


def column_entries(model: type[Model], fields: Fields) -> Iterator[tuple[object, str]]:
    for cls in _family(model):
        yield cls._meta, "constraints"
        yield from _entries_of_manager(cls, any(_conditions_of(model)))
    for column in _columns(model, fields):
        held = vars(column)
        yield from ((column, name) for name in _OPTIONS if name in held)
        yield column, "validators"
        # These become arguments of fields.
        yield from (
            (validator, "limit_value")
            for validator in column.validators
            if "limit_value" in getattr(validator, "__dict__", ())
        )
        if column.remote_field is not None and "limit_choices_to" in vars(column.remote_field):
            yield column.remote_field, "limit_choices_to"
            related = column.remote_field.model
            if hasattr(related, "_meta"):
                has_limit = bool(column.remote_field.limit_choices_to)
                yield from _entries_of_manager(related, has_limit)


def _entries_of_manager(model: Any, applies: bool) -> Iterator[tuple[object, str]]:
    """What finds the rows of a model, and ``applies`` conditions to them."""
    manager = model._default_manager
    yield model._meta, "managers"
    if applies:
        owners = manager, manager._queryset_class
        yield from ((owner, name) for owner in owners for name in sorted(_APPLYING.names))
        yield from ((owners[0], "get_queryset"), (owners[1], "_filter_or_exclude"))


def column_validators(model: type[Model], fields: Fields) -> list[object]:
    return [column.validators for column in _columns(model, fields)]


def _columns(model: type[Model], fields: Fields) -> Iterable[Field]:
    info = model_meta.known_field_info(model)
    columns: dict[Field, None] = {}
    for name, field in fields.items():
        source = name if field.source is None else str(field.source).partition(".")[0]
        column = info.fields_and_pk.get(source)
        if column is None and source in info.relations:
            column = info.relations[source].model_field
        if column is not None:
            columns[column] = None
    return columns
