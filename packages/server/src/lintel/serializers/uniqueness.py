"""How the uniqueness rules of a model affect its serializer.

A rule over several fields becomes a validator of the serializer, and its fields become required
or get the default of the model, because the check needs all of its values. Check and write
are two steps: :func:`guarded_write` handles duplicates stored between them.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from typing import Any, TypeVar

from django.core.exceptions import NON_FIELD_ERRORS, FieldDoesNotExist, ImproperlyConfigured
from django.core.exceptions import ValidationError as DjangoValidationError
from django.db import DataError, IntegrityError, models, router, transaction
from django.utils import timezone

from lintel import fast
from lintel.compatible import keeps, kept_changes
from lintel.composite_keys import parts_of
from lintel.exceptions import ValidationError
from lintel.fields import CreateOnlyDefault, HiddenField, SkipField, empty, get_error_detail
from lintel.fields.base import developer_error
from lintel.overrides import is_ours
from lintel.relations import ManyRelatedField, RelatedField
from lintel.serializers.constraints import ConstraintValidator, broken, special_constraints
from lintel.serializers.room import too_large
from lintel.serializers.types import Errors, Fields, OfModel, Options, ReadValues, Values
from lintel.settings import api_settings
from lintel.utils import model_meta
from lintel.validators import (
    UniqueForDateValidator,
    UniqueForMonthValidator,
    UniqueForYearValidator,
    UniqueTogetherValidator,
    UniqueValidator,
)

Written = TypeVar("Written")

#: (fields, manager, fields of the condition, condition, nulls_distinct, constraint or None)
UniqueTogether = tuple[
    Sequence[str],
    models.Manager,
    list[str],
    models.Q | None,
    object,
    models.UniqueConstraint | None,
]

_FOR_DATE = {
    "unique_for_date": UniqueForDateValidator,
    "unique_for_month": UniqueForMonthValidator,
    "unique_for_year": UniqueForYearValidator,
}


# ---- rules over several fields ----


def unique_together_constraints(model: type[models.Model]) -> list[UniqueTogether]:
    rules: list[UniqueTogether] = []
    for cls in (model, *model._meta.all_parents):
        options = cls._meta
        if options.unique_together or options.constraints or parts_of(cls):
            changes = kept_changes()
            owner = cls if "parent-rules" in changes else model
            rules.extend(_rules_of(options, owner._default_manager, changes))
    return rules


def _rules_of(
    options: Any, manager: models.Manager, changes: frozenset[str]
) -> Iterator[UniqueTogether]:
    key = parts_of(options.model)
    if key:
        yield tuple(part.name for part in key), manager, [], None, None, None
    for fields in options.unique_together:
        yield fields, manager, [], None, None, None
    if "unique-constraints" in changes:
        return
    for constraint in options.constraints:
        if isinstance(constraint, models.UniqueConstraint) and constraint.fields:
            yield from _constraint_rule(constraint, manager, changes)


def _constraint_rule(
    constraint: models.UniqueConstraint, manager: Any, changes: frozenset[str]
) -> Iterator[UniqueTogether]:
    condition = constraint.condition
    if condition and "constraint-conditions" in changes:
        manager, condition = manager.filter(condition), None
    names = list(condition.referenced_base_fields) if condition else []
    is_by_field = "conditions-on-other-fields" in changes
    is_of_others = not is_by_field and not set(constraint.fields).issuperset(names)
    if len(constraint.fields) > 1 or is_of_others:
        words = None if "constraint-messages" in changes else constraint
        yield constraint.fields, manager, names, condition, constraint.nulls_distinct, words


def unique_together_validators(serializer: OfModel) -> list[Any]:
    """Return a validator for each rule whose fields the serializer can all provide."""
    rules = list(serializer.get_unique_together_constraints(serializer.Meta.model))
    # Most models have no rule, so none of their fields need to be inspected.
    sources = _filled_sources(serializer) if rules else {}
    validators: list[object] = []
    for rule in rules:
        fields, manager, condition_fields, condition, nulls_distinct, constraint = rule
        if not sources.keys() >= {*fields, *condition_fields}:
            continue
        _check_one_each(serializer, fields, sources)
        options: Options = {
            "queryset": manager,
            "fields": tuple(sources[name][0] for name in fields),
            "condition_fields": tuple(sources[name][0] for name in condition_fields),
            "condition": condition,
            "nulls_distinct": nulls_distinct,
        }
        validators.append(UniqueTogetherValidator(**options, **_own_words(constraint)))
    return validators


def _filled_sources(serializer: OfModel) -> dict[str, list[str]]:
    """Return source → names, of the fields that have a value when the whole is validated."""
    sources: dict[str, list[str]] = {}
    for field in fast.current_fields(serializer).values():
        filled = not field.read_only or field.default is not empty
        if filled and field.source != "*" and "." not in field.source:
            sources.setdefault(field.source, []).append(field.field_name)
    return sources


def _check_one_each(
    serializer: OfModel, fields: Iterable[str], sources: Mapping[str, list[str]]
) -> None:
    model_name = serializer.Meta.model.__name__
    for name in fields:
        if len(sources[name]) > 1:
            developer_error(
                f"`{type(serializer).__name__}` has several fields "
                f"({', '.join(sources[name])}) for `{model_name}.{name}`, and the model has a "
                "uniqueness rule on it: remove all but one of them, or set `Meta.validators` to "
                "a `UniqueTogetherValidator` with the names that are meant."
            )


def _own_words(constraint: models.UniqueConstraint | None) -> Options:
    if constraint is None:
        return {}
    words: Options = {}
    if constraint.violation_error_message is not constraint.default_violation_error_message:
        words["message"] = constraint.get_violation_error_message()
    if constraint.violation_error_code:
        words["code"] = constraint.violation_error_code
    return words


def unique_for_date_validators(serializer: OfModel) -> list[Any]:
    model = serializer.Meta.model
    if not model_meta.has_date_rules(model):
        return []
    shown = {field.source for field in fast.current_fields(serializer).values()}
    return [
        validator_class(queryset=model._default_manager, field=name, date_field=date_field)
        for name, model_field in model_meta.known_field_info(model).fields_and_pk.items()
        for option, validator_class in _FOR_DATE.items()
        if (date_field := getattr(model_field, option)) and name in shown
    ]


# ---- arguments of the fields concerned ----


def uniqueness_extra_kwargs(
    serializer: OfModel, field_names: Iterable[str], declared_fields: Fields, extra_kwargs: Options
) -> tuple[Options, Options]:
    """Return the ``extra_kwargs`` with those of rules, and hidden fields for unshown dates."""
    if getattr(serializer.Meta, "validators", None) is not None:
        # The project defines its own checks.
        return extra_kwargs, {}
    model = serializer.Meta.model
    rules = list(serializer.get_unique_together_constraints(model))
    if not rules and not model_meta.has_date_rules(model) and is_ours(serializer._get_model_fields):
        return extra_kwargs, {}
    shown = serializer._get_model_fields(field_names, declared_fields, extra_kwargs)
    hidden_fields = {}
    for name in _names_in_rules(rules, shown):
        default = _default_of(model._meta.get_field(name))
        if name in shown:
            rule = {"required": True} if default is empty else {"default": default}
            extra_kwargs[name] = _merged(rule, extra_kwargs.get(name, {}))
        elif default is not empty:
            hidden_fields[name] = HiddenField(default=default)
    return extra_kwargs, hidden_fields


def _merged(rule: Options, options: ReadValues) -> Options:
    if "default" in options or options.get("required"):
        rule = {}
    return {**rule, **options}


def shown_model_fields(
    serializer: OfModel,
    field_names: Iterable[str],
    declared_fields: Fields,
    extra_kwargs: ReadValues,
) -> Values:
    options = serializer.Meta.model._meta
    model_fields = {}
    for name in field_names:
        if name in declared_fields:
            source = declared_fields[name].source or name
        else:
            source = extra_kwargs.get(name, {}).get("source", name)
        try:
            model_fields[source] = options.get_field(source)
        except FieldDoesNotExist:
            continue
    return model_fields


def _names_in_rules(rules: Iterable[UniqueTogether], shown: ReadValues) -> list[str]:
    names: dict[str, None] = {}
    for model_field in shown.values():
        for option in _FOR_DATE:
            date_name = getattr(model_field, option, None)
            if date_name:
                names[date_name] = None
    for fields, _, condition_fields, *_ in rules:
        concerned = (*fields, *condition_fields)
        if shown.keys() >= set(concerned):
            names.update(dict.fromkeys(concerned))
    return list(names)


def _default_of(model_field: models.Field) -> object:
    if getattr(model_field, "auto_now_add", None):
        return CreateOnlyDefault(timezone.now)
    if getattr(model_field, "auto_now", None):
        return timezone.now
    if model_field.has_default():
        return model_field.default
    if model_field.null and not keeps("nullable-unique-fields"):
        return None
    is_text = isinstance(model_field, models.CharField | models.TextField)
    if model_field.blank and is_text and not keeps("blank-unique-fields"):
        return ""
    return empty


# ---- duplicates that appear between the check and the write ----


def guarded_write(
    serializer: OfModel,
    instance: models.Model | None,
    validated_data: ReadValues,
    write: Callable[..., Written],
    *args: object,
) -> Written:
    """Call ``write(*args)``; what the database refuses because of the values is an input error.

    ``instance``: the one that is saved, None for a new one; the serializer may have another, or
    many. A broken check constraint is a ValidationError, and so is a broken constraint over
    expressions or with a condition. With the setting ``UNIQUE_RACE_STATUS`` at
    400 or 409 the uniqueness rules and relations are checked again: a duplicate that another
    request stored meanwhile, or a related row that it deleted, is a ValidationError of that
    status. Any other IntegrityError is raised unchanged.
    Where either can happen, the write runs in a savepoint. A value that the column has no room for
    is a ValidationError: databases differ in how large numbers may be.
    """
    try:
        return _guarded(serializer, instance, validated_data, write, *args)
    except (DataError, OverflowError) as error:
        using = _database_of(serializer.Meta.model, instance)
        if errors := too_large(serializer, validated_data, using):
            raise ValidationError(errors) from error
        raise


def _database_of(model: type[models.Model], instance: models.Model | None) -> str:
    # Routers see an instance only where Django has one.
    return router.db_for_write(model, **({} if instance is None else {"instance": instance}))


def _guarded(
    serializer: OfModel,
    instance: models.Model | None,
    validated_data: ReadValues,
    write: Callable[..., Written],
    *args: object,
) -> Written:
    status_code = api_settings.UNIQUE_RACE_STATUS
    model = serializer.Meta.model
    options = model._meta
    if status_code is None and not (
        (options.constraints or options.parents)
        and (any(_checks(model)) or any(special_constraints(model)))
    ):
        return write(*args)
    if status_code not in (None, *_RACE_STATUSES):
        raise ImproperlyConfigured(
            f"UNIQUE_RACE_STATUS is {status_code!r}: set it to 400, to 409, or to None for the "
            "error of the database."
        )
    using = _database_of(model, instance)
    try:
        with transaction.atomic(using=using):
            return write(*args)
    except IntegrityError as error:
        candidate = _candidate(model, validated_data) if instance is None else instance
        _refuse_broken_checks(candidate, using, error)
        errors = _raced(serializer, validated_data, candidate) if status_code else {}
        errors = errors or _broken_constraints(serializer, candidate, using)
        if not errors:
            raise
        conflict = ValidationError(errors)
        conflict.status_code = status_code or conflict.status_code
        raise conflict from error


_RACE_STATUSES = (400, 409)


def _raced(serializer: OfModel, validated_data: ReadValues, candidate: models.Model) -> Errors:
    rules = _broken_rules(serializer, validated_data, candidate)
    return rules or missing_rows(serializer, validated_data)


def missing_rows(serializer: OfModel, values: ReadValues) -> Errors:
    """Return the errors of relations whose rows are gone, as their fields say it."""
    errors: Errors = {}
    for field in getattr(serializer, "_writable_fields", ()):
        related = values.get(field.source)
        if related is None or not isinstance(field, RelatedField | ManyRelatedField):
            continue
        try:
            field.run_validation(field.to_representation(related))
        except ValidationError as error:
            errors[field.field_name] = error.detail
    return errors


def broken_rules(
    serializer: Any, instance: Any, values: ReadValues | None, cause: IntegrityError
) -> Errors:
    """Return errors for the values that a database refused: checks and uniqueness rules.

    ``instance``: the one that was to be saved, None for a new one. Reads the database, so the
    transaction must be usable again.
    """
    if values is None:
        values = getattr(serializer, "validated_data", {})
    model = serializer.Meta.model
    using = _database_of(model, instance)
    candidate = _candidate(model, values) if instance is None else instance
    try:
        _refuse_broken_checks(candidate, using, cause)
    except ValidationError as error:
        return _named(error.detail)
    return _broken_rules(serializer, values, candidate)


def _checks(
    model: type[models.Model],
) -> Iterator[tuple[type[models.Model], models.CheckConstraint]]:
    """Yield the check constraints of a model and its parents, each with the model that has it."""
    for cls in (model, *model._meta.all_parents):
        for constraint in cls._meta.constraints:
            if isinstance(constraint, models.CheckConstraint):
                yield cls, constraint


def _refuse_broken_checks(candidate: models.Model, using: str, cause: IntegrityError) -> None:
    """Raise ValidationError if the values break check constraints of the model."""
    broken: list[Any] = []
    for model, constraint in _checks(type(candidate)):
        try:
            constraint.validate(model, candidate, using=using)
        except DjangoValidationError as error:
            broken += get_error_detail(error)
    if broken:
        raise ValidationError({api_settings.NON_FIELD_ERRORS_KEY: broken}) from cause


def _broken_constraints(serializer: OfModel, candidate: models.Model, using: str) -> Errors:
    errors: Errors = {}
    for model, constraint in special_constraints(type(candidate)):
        errors.update(broken(serializer, model, constraint, candidate, using, set()))
    return errors


def _broken_rules(
    serializer: OfModel, validated_data: ReadValues, candidate: models.Model
) -> Errors:
    saved = candidate if candidate._state.db else None
    using = _database_of(serializer.Meta.model, saved)
    return (
        _field_errors(serializer, validated_data, using)
        or _serializer_errors(serializer, validated_data, using)
        or _model_errors(serializer, candidate)
    )


def _asking_where_it_writes(validator: Any, using: str) -> Any:
    """A validator that asks the database that refused: its replica may be late."""
    rows = getattr(validator, "queryset", None)
    if rows is None or rows._db is not None or rows.db == using:
        return validator
    asking = copy(validator)
    asking.queryset = rows.using(using)
    return asking


def _field_errors(serializer: OfModel, values: ReadValues, using: str) -> Errors:
    errors = {}
    for field in serializer._writable_fields:
        if field.source not in values:
            continue
        for validator in field.validators:
            if isinstance(validator, UniqueValidator):
                try:
                    _asking_where_it_writes(validator, using)(values[field.source], field)
                except ValidationError as error:
                    errors[field.field_name] = error.detail
    return errors


def _serializer_errors(serializer: OfModel, values: ReadValues, using: str) -> Errors:
    kinds: tuple[type, ...] = (
        *(UniqueTogetherValidator, ConstraintValidator),
        *_FOR_DATE.values(),
    )
    for validator in serializer.validators:
        if isinstance(validator, kinds):
            try:
                _asking_where_it_writes(validator, using)(values, serializer)
            except ValidationError as error:
                return _named(error.detail)
            except SkipField:
                continue
    return {}


def _named(detail: object) -> Errors:
    return detail if isinstance(detail, dict) else {api_settings.NON_FIELD_ERRORS_KEY: detail}


def _model_errors(serializer: OfModel, candidate: models.Model) -> Errors:
    errors: Errors = {}
    for check in (candidate.validate_unique, candidate.validate_constraints):
        try:
            check()
        except DjangoValidationError as error:
            errors.update(get_error_detail(error))
    names = {field.source: field.field_name for field in fast.current_fields(serializer).values()}
    names[NON_FIELD_ERRORS] = api_settings.NON_FIELD_ERRORS_KEY
    return {names.get(name, name): detail for name, detail in errors.items()}


def _candidate(model: type[models.Model], values: ReadValues) -> models.Model:
    """Make the object that would have been stored, without what only its manager understands."""
    to_many = model_meta.to_many_relations(model)
    names = {name for name in values if name not in to_many and hasattr(model, name)}
    return model(**{name: values[name] for name in names})
