"""The related keys and unique values in a list of input, so that each needs one query."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, field

from django.core.exceptions import ValidationError as DjangoValidationError

from lintel import fast
from lintel.exceptions import ValidationError
from lintel.fast import is_keyed, prefetch_keys
from lintel.fields import Field
from lintel.fields.types import Native
from lintel.serializers.base import BaseSerializer
from lintel.serializers.types import Options
from lintel.validators import UniqueValidator


@dataclass(frozen=True, slots=True)
class Related:
    """The fields of a serializer that look up rows, and its nested serializers with such fields."""

    keys: list[Field] = field(default_factory=list)
    nested: list[tuple[Field, Related]] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.keys or self.nested)


#: Nothing is looked up.
NONE = Related()

_NOTHING: AbstractContextManager[object] = nullcontext()


def related_of(
    fields: Iterable[Field], rows: Iterable[object], around: frozenset[type] = frozenset()
) -> Related:
    """Return those that the rows of input reach.

    Serializers inside their own class, ``around``, are skipped: they could nest endlessly.
    """
    result = Related()
    dicts = [row for row in rows if type(row) is dict]
    for item in fields:
        if item.read_only:
            continue
        if isinstance(item, BaseSerializer):
            inside = _related_inside(item, _values_inside(item, dicts), around)
            if inside:
                result.nested.append((item, inside))
        elif is_keyed(
            getattr(item, "child_relation", None) or getattr(item, "child", None) or item
        ):
            result.keys.append(item)
    return result


def _related_inside(field: Field, rows: list[object], around: frozenset[type]) -> Related:
    serializer = getattr(field, "child", field)
    kind = type(serializer)
    is_reached = any(type(row) is dict for row in rows)
    # Without input it is not asked for its fields: these may nest classes that are made anew each
    # time, which no set of classes knows, and end where the input does.
    if not is_reached or kind in around or not hasattr(serializer, "_declared_fields"):
        return NONE
    return related_of(fields_inside(serializer), rows, around | {kind})


def fields_inside(serializer: Field) -> Iterable[Field]:
    """None if making them fails: that error counts only if input reaches the serializer."""
    try:
        return fast.current_fields(serializer).values()
    except Exception:
        return ()


def prefetched(related: Related, rows: Iterable[object]) -> AbstractContextManager[object]:
    """Return a context in which the keys in ``rows`` of input are known, one query per relation."""
    if not related:
        return _NOTHING
    stack = ExitStack()
    for relation, values in related_values(related, rows):
        stack.enter_context(prefetch_keys(relation, values))
    return stack


def related_values(
    related: Related, rows: Iterable[object]
) -> Iterator[tuple[Field, list[object]]]:
    """Yield each field that looks up rows, with its keys in the rows of input."""
    dicts = [row for row in rows if type(row) is dict]
    for key in related.keys:
        values = _column(key, dicts)
        child = getattr(key, "child", None)
        yield (key, values) if child is None else (child, _items(values))
    for key, inside in related.nested:
        yield from related_values(inside, _values_inside(key, dicts))


def _values_inside(field: Field, rows: Iterable[Options]) -> list[object]:
    values = _column(field, rows)
    return _items(values) if hasattr(field, "child") else values


def _column(field: Field, rows: Iterable[Mapping[str, object]]) -> list[object]:
    return [row[field.field_name] for row in rows if field.field_name in row]


def _items(values: Iterable[object]) -> list[object]:
    return [item for value in values if isinstance(value, list | tuple) for item in value]


# ---- unique values ----


def unique_values(
    serializer: Native, rows: Iterable[object]
) -> Iterator[tuple[UniqueValidator, str, list[object]]]:
    """Yield the validators of unique columns, the column, and its values in the rows of input."""
    dicts = [row for row in rows if type(row) is dict]
    for member in fields_inside(serializer):
        converts = fast.conversion(member, "to_internal_value") is not None
        if member.read_only or not converts:
            continue
        for validator in member.validators:
            if type(validator) is UniqueValidator and len(member.source_attrs) == 1:
                yield validator, member.source_attrs[0], list(_converted(member, dicts))


def _converted(member: Field, rows: Iterable[Options]) -> Iterator[object]:
    for row in rows:
        if member.field_name in row:
            try:
                yield member.to_internal_value(row[member.field_name])
            except (ValidationError, DjangoValidationError, TypeError, ValueError):
                continue
