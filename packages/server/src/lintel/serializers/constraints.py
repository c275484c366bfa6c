"""Constraints that are more than a set of columns: expressions, conditions, exclusion.

Django can check them before the write (``BaseConstraint.validate``), with a query each. What breaks
one is an error of its field, or of the whole object if it is about several.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from django.core.exceptions import FieldError
from django.core.exceptions import ValidationError as DjangoValidationError
from django.db import DataError, models, router
from django.db.models.constraints import BaseConstraint
from django.utils.translation import gettext_lazy as _

from lintel import fast
from lintel.compatible import keeps
from lintel.composite_keys import parts_of
from lintel.exceptions import ErrorDetail, ValidationError
from lintel.fields import empty
from lintel.serializers.cleaning import candidate_of, stored_row
from lintel.serializers.types import AnySerializer, Constraint, OfModel, Values
from lintel.settings import api_settings
from lintel.utils.field_mapping import get_unique_error_message
from lintel.validators import UniqueTogetherValidator, check_instance

#: A model and one of its constraints, or those of a parent.
Owned = tuple[type[models.Model], Constraint]

READ_ONLY = _("This field is read-only.")

# Errors of a lookup for a value that its column can never hold: no row has that value.
_NOT_STORABLE = (TypeError, ValueError, OverflowError, DataError, FieldError)


def constraint_validators(serializer: OfModel) -> list[Any]:
    """A validator for each such constraint of which the serializer writes a column."""
    model = serializer.Meta.model
    if not (isinstance(model, type) and issubclass(model, models.Model)):
        return []  # what stands in for a model, such as a document of MongoEngine
    fixed = [FixedKeyValidator()] if parts_of(model) else []
    validators = list(special_constraints(model))
    if not validators or keeps("unique-constraints"):
        return fixed
    filled = {
        field.source
        for field in fast.current_fields(serializer).values()
        if not field.read_only or field.default is not empty
    }
    return fixed + [
        ConstraintValidator(owner, constraint)
        for owner, constraint in validators
        if filled & names_of(constraint) and not _is_checked(constraint, filled)
    ]


def special_constraints(model: type[models.Model]) -> Iterator[Owned]:
    for cls in (model, *model._meta.all_parents):
        for constraint in cls._meta.constraints:
            if _is_special(constraint):
                yield cls, constraint


def _is_special(constraint: BaseConstraint) -> bool:
    if isinstance(constraint, models.UniqueConstraint):
        is_by_value = constraint.expressions or constraint.nulls_distinct is False
        return bool(is_by_value or constraint.condition)
    return not isinstance(constraint, models.CheckConstraint)


def _is_checked(constraint: Constraint, filled: set[str]) -> bool:
    """Whether another validator compares the same columns."""
    if not getattr(constraint, "fields", ()):
        return False
    # A condition on columns that are not written is known when the row is stored.
    is_of_one = len(constraint.fields) == 1
    is_checked = filled >= names_of(constraint) and not (
        is_of_one and constraint.nulls_distinct is False
    )
    return bool(constraint.condition) or is_checked


def names_of(constraint: Constraint) -> set[str]:
    """The columns that decide whether a row keeps the constraint."""
    condition = constraint.condition
    return columns_of(constraint) | (set(condition.referenced_base_fields) if condition else set())


def columns_of(constraint: Constraint) -> set[str]:
    """The columns that have to differ between rows."""
    names = set(getattr(constraint, "fields", ()))
    for expression in getattr(constraint, "expressions", ()):
        # An exclusion constraint has pairs of an expression and an operator.
        part = expression[0] if isinstance(expression, tuple | list) else expression
        names |= {part} if isinstance(part, str) else _references(part)
    return names


def _references(expression: Any) -> set[str]:
    parts = expression.flatten() if hasattr(expression, "flatten") else [expression]
    names = [vars(part)["name"] for part in parts if isinstance(part, models.F)]
    return {name.partition("__")[0] for name in names}


class ConstraintValidator:
    """The values keep a constraint of the model."""

    requires_context = True
    comes_with_model = True

    def __init__(self, model: type[models.Model], constraint: Constraint) -> None:
        self.model = model
        self.constraint = constraint

    def __call__(self, attrs: Values, serializer: AnySerializer) -> None:
        check_instance(self, serializer, serializer.instance)
        stored = stored_row(serializer)
        model = serializer.Meta.model
        candidate = candidate_of(model, stored, attrs)
        if stored is None:
            unknown = _without_value(model, attrs)
        elif _keeps_values(self.constraint, stored, candidate):
            return
        else:
            unknown = stored.get_deferred_fields()
        using = router.db_for_write(model, **({} if stored is None else {"instance": stored}))
        errors = broken(serializer, self.model, self.constraint, candidate, using, unknown)
        if errors:
            raise ValidationError(errors)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{type(self).__name__}({self.model.__name__}, {self.constraint!r})>"


class FixedKeyValidator:
    """The parts of a composite key stay: with another one, ``save()`` would store a second row."""

    requires_context = True
    comes_with_model = True

    def __call__(self, attrs: Values, serializer: AnySerializer) -> None:
        stored = stored_row(serializer)
        if stored is None:
            return
        names = {item.source: item.field_name for item in fast.current_fields(serializer).values()}
        errors = {
            names.get(part.name, part.name): [ErrorDetail(str(READ_ONLY), code="read_only")]
            for part in parts_of(type(stored))
            if part.name in attrs and attrs[part.name] != getattr(stored, part.name)
        }
        if errors:
            raise ValidationError(errors)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{type(self).__name__}()>"


def _without_value(model: type[models.Model], attrs: Values) -> set[str]:
    return {
        field.name
        for field in model._meta.fields
        if field.name not in attrs and not (field.has_default() or field.null)
    }


def _keeps_values(constraint: Constraint, stored: models.Model, candidate: models.Model) -> bool:
    names = names_of(constraint)
    fields = [field for field in stored._meta.fields if field.name in names]
    held, new = vars(stored), vars(candidate)
    same = all(held.get(column.attname, empty) == new.get(column.attname) for column in fields)
    return bool(fields) and same


def broken(
    serializer: OfModel,
    model: type[models.Model],
    constraint: Constraint,
    candidate: models.Model,
    using: str,
    unknown: set[str],
) -> Mapping[str, object]:
    """The errors of a candidate that breaks a constraint, by the name of its field."""
    try:
        constraint.validate(model, candidate, exclude=unknown, using=using)
    except DjangoValidationError as error:
        return _named(serializer, model, constraint, error)
    except _NOT_STORABLE:
        pass
    return {}


def _named(
    serializer: OfModel,
    model: type[models.Model],
    constraint: Constraint,
    error: DjangoValidationError,
) -> Mapping[str, object]:
    sources = columns_of(constraint)
    fields = fast.current_fields(serializer).values()
    names = [field.field_name for field in fields if field.source in sources]
    details = _own_details(model, constraint, sources, names, error)
    key = names[0] if len(sources) == 1 == len(names) else api_settings.NON_FIELD_ERRORS_KEY
    return {key: details}


def _own_details(
    model: type[models.Model],
    constraint: Constraint,
    sources: set[str],
    names: list[str],
    error: DjangoValidationError,
) -> list[ErrorDetail]:
    """The messages of the constraint; in place of Django's usual one, those of fields."""
    default = constraint.default_violation_error_message
    is_own = constraint.violation_error_message is not default
    code = constraint.violation_error_code or "unique"
    if is_own or not isinstance(constraint, models.UniqueConstraint):
        return [ErrorDetail(text, code=error.code or "invalid") for text in error.messages]
    if len(sources) == 1:
        message = get_unique_error_message(model._meta.get_field(*sources))
    else:
        message = UniqueTogetherValidator.message.format(field_names=", ".join(names))
    return [ErrorDetail(message, code=code)]
