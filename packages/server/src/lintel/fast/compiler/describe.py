"""Serializer → plan: the only module that turns live fields into plain data."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, cast

from django.utils.functional import Promise

from lintel.fast.compiler.options import is_computed, is_computed_field, is_plain_namespace
from lintel.fast.compiler.plan import (
    READING_METHODS,
    SERIALIZER_KINDS,
    VALIDATION_METHODS,
    Conversion,
    FieldPlan,
    SerializerPlan,
    Validator,
    conversion,
    options_of,
    with_helpers,
)
from lintel.fast.compiler.protocols import AnyField, Fields
from lintel.fast.compiler.validator_expressions import VALIDATOR_METHODS
from lintel.marks import reads_of
from lintel.overrides import is_overridden, reached
from lintel.trust.originals import is_of_django
from lintel.trust.warrants import Lookup, definitions

#: Returns the fields of a nested serializer, or None if only its own methods know them.
FieldsOf = Callable[[AnyField], Fields | None]

#: Methods of a serializer that affect reading.
SERIALIZER_READING = ("fields", "_readable_fields", "to_representation")

#: Methods of a serializer that affect writing.
SERIALIZER_WRITING = (
    *("fields", "_writable_fields", "_read_only_defaults", "set_value", "get_value"),
    *("run_validation", "validate_empty_values", "to_internal_value", "run_validators", "validate"),
)


@dataclass(slots=True)
class Description:
    """Makes plans, and records their dependencies: lookups for each direction, and classes.

    ``forbids_unknown`` returns whether unknown keys are errors for a serializer; ``input_keys``
    maps fields to the keys that their input may have.
    """

    fields_of: FieldsOf
    forbids_unknown: Callable[[AnyField], bool]
    input_keys: Callable[[Fields], frozenset[str]]
    reading: list[Lookup] = field(default_factory=list)
    writing: list[Lookup] = field(default_factory=list)
    classes: dict[type, None] = field(default_factory=dict)
    _computed: dict[type, bool] = field(default_factory=dict)
    #: Classes with the methods whose look-ups are recorded.
    _noted: set[tuple[type, tuple[str, ...]]] = field(default_factory=set)

    def serializer(self, serializer: AnyField, fields: Fields) -> SerializerPlan:
        """Return the plan of a serializer with these fields, bound to it unless computed."""
        cls = type(serializer)
        self._note(serializer, SERIALIZER_READING, SERIALIZER_WRITING)
        return SerializerPlan(
            title=title_of(cls),
            fields=tuple(self.field(name, field) for name, field in fields.items()),
            hooks=frozenset(
                name for name in fields if getattr(cls, f"validate_{name}", None) is not None
            ),
            input_keys=self.input_keys(fields),
            forbids_unknown=self.forbids_unknown(serializer),
            overridden=_without_mark(serializer, (*SERIALIZER_READING, *SERIALIZER_WRITING)),
        )

    def field(self, name: str, field: AnyField) -> FieldPlan:
        self._note(field, READING_METHODS, VALIDATION_METHODS)
        if self.is_computed(type(field)) or is_computed_field(field):
            return FieldPlan(name, title_of(type(field)), computed=True)
        reading = conversion(field, "to_representation")
        writing = conversion(field, "to_internal_value")
        nested = self._nested(field, reading)
        self._note_options(field)
        for cls in {type(validator) for validator in _validators(field, reading)}:
            for method in VALIDATOR_METHODS:
                self.writing.extend(definitions(cls, method) if hasattr(cls, method) else ())
        return FieldPlan(
            name=name,
            class_name=title_of(type(field)),
            # A child with its own bind() may have none.
            source_attrs=tuple(getattr(field, "source_attrs", ())),
            read_only=field.read_only,
            write_only=field.write_only,
            required=field.required,
            allow_null=field.allow_null,
            default=field.default,
            access=conversion(field, "get_attribute"),
            reading=reading,
            writing=writing,
            validation=_validation(field),
            empty_values=_kind(field, "validate_empty_values"),
            get_value=_kind(field, "get_value"),
            validators=tuple(_validators(field, reading)),
            child=self._child(field, reading, writing),
            nested=nested,
            reads=_declared_reads(field, reading),
            by_fields=nested is not None and _validates_by_fields(field, reading, nested),
            overridden=_without_mark(field, (*READING_METHODS, *VALIDATION_METHODS)),
            tells=not is_overridden(field, "fail")
            and all(map(_is_known, field.error_messages.values())),
        )

    def is_computed(self, cls: type) -> bool:
        result = self._computed.get(cls)
        if result is None:
            names = options_of(cls, (*READING_METHODS, *VALIDATION_METHODS))
            result = self._computed[cls] = is_computed(cls, names)
        return result

    def _note(self, owner: object, reading: tuple[str, ...], writing: tuple[str, ...]) -> None:
        cls = type(owner)
        if (cls, reading) in self._noted:
            return
        self._noted.add((cls, reading))
        self.classes[cls] = None
        for methods, lookups in ((reading, self.reading), (writing, self.writing)):
            for name in with_helpers(cls, methods):
                lookups.extend(definitions(cls, name))

    def _note_options(self, field: AnyField) -> None:
        """Record options that the field reads from its class, where they may be changed."""
        cls, state = type(field), field.__dict__
        for methods, lookups in (
            (READING_METHODS, self.reading),
            (VALIDATION_METHODS, self.writing),
        ):
            for name in options_of(cls, methods):
                lookups.extend(() if name in state else definitions(cls, name))

    def _child(
        self, field: AnyField, reading: Conversion | None, writing: Conversion | None
    ) -> FieldPlan | None:
        kinds = {direction.kind for direction in (reading, writing) if direction is not None}
        if "many_related" in kinds:
            return self.field("", field.child_relation)
        return self.field("", field.child) if "list" in kinds else None

    def _nested(self, field: AnyField, reading: Conversion | None) -> SerializerPlan | None:
        """None if only the serializer can read its data."""
        if reading is None or reading.kind not in SERIALIZER_KINDS:
            return None
        serializer = _serializer_of(field, reading)
        kind = _kind(serializer, "to_representation")
        self._note(serializer, SERIALIZER_READING, SERIALIZER_WRITING)
        if kind != "serializer" or self.is_computed(type(serializer)):
            return None
        if _without_mark(serializer, SERIALIZER_READING):
            return None
        fields = self.fields_of(serializer)
        return None if fields is None else self.serializer(serializer, fields)


def _declared_reads(field: AnyField, reading: Conversion | None) -> tuple[str, ...]:
    if reading is None or reading.kind != "method":
        return ()
    return reads_of(reached(type(field.parent), reading.option("method_name") or "")) or ()


def _serializer_of(field: AnyField, reading: Conversion | None) -> AnyField:
    is_list = reading is not None and reading.kind == "list_serializer"
    return field.child if is_list else field


def _validates_by_fields(
    field: AnyField, reading: Conversion | None, nested: SerializerPlan
) -> bool:
    """Return whether nothing but the fields of a nested or repeated serializer validates input."""
    serializer = _serializer_of(field, reading)
    names = [plan.name for plan in nested.fields]
    return (
        nested.overridden.isdisjoint(SERIALIZER_WRITING)
        and not any(hasattr(serializer, f"validate_{name}") for name in names)
        and not hasattr(serializer, "build_field")  # its model may have rules for several fields
        and not any(map(checks_whole, (field, serializer)))
    )


#: Options of ``Meta`` that are about all values of an object.
_OPTIONS_OF_WHOLE = ("partial_defaults", "full_clean")


def has_options_of_whole(serializer: AnyField) -> bool:
    meta = getattr(serializer, "Meta", None)
    return any(getattr(meta, name, None) for name in _OPTIONS_OF_WHOLE)


def checks_whole(serializer: AnyField) -> bool:
    """Return whether a serializer or list may have validators of its own, or is partial."""
    meta = reached(type(serializer), "Meta")
    if meta is not None and not (isinstance(meta, type) and is_plain_namespace(meta)):
        return True
    if has_options_of_whole(serializer):
        return True
    held = serializer.__dict__
    passed = held.get("_lintel_validators", held.get("_validators"))
    given = getattr(meta, "validators", None), passed, type(serializer).default_validators
    is_whole = "_lintel_whole" in held and serializer.parent is not None
    is_told = serializer.partial or is_whole
    return is_told or any(validators is not None and validators != [] for validators in given)


def _without_mark(owner: object, methods: Iterable[str]) -> frozenset[str]:
    return frozenset(method for method in methods if conversion(owner, method) is None)


def _is_known(message: object) -> bool:
    """Return whether a message is a text, or one that Django translates."""
    if isinstance(message, Promise):
        _, (translate, *_) = cast("Any", message).__reduce__()
        return is_of_django(translate)
    return type(message) is str


def _validators(field: AnyField, reading: Conversion | None) -> list[Validator]:
    """Return the validators of a field; a serializer makes its own on use."""
    nested = reading is not None and reading.kind in SERIALIZER_KINDS
    return [] if nested else field.validators


def title_of(cls: type) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"


def _kind(owner: object, method: str) -> str:
    mark = conversion(owner, method)
    return "" if mark is None else mark.kind


def _validation(field: AnyField) -> Conversion | None:
    steps = ("get_value", "validate_empty_values", "get_default", "run_validators")
    return None if _without_mark(field, steps) else conversion(field, "run_validation")
