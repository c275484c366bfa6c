"""The parts of a model, as serializers need them."""

from __future__ import annotations

from typing import Any, NamedTuple

from django.db.models import Model


class FieldInfo(NamedTuple):
    """The parts of one model, by name.

    ``fields`` are the plain columns without the primary key, ``fields_and_pk`` has the primary
    key as well, under its own name and as ``pk``; ``relations`` are the forward and then the
    reverse ones, and the values of all relations are :class:`RelationInfo`.
    """

    pk: Any
    fields: dict[str, Any]
    forward_relations: dict[str, RelationInfo]
    reverse_relations: dict[str, RelationInfo]
    fields_and_pk: dict[str, Any]
    relations: dict[str, RelationInfo]


class RelationInfo(NamedTuple):
    """One relation of a model.

    ``model_field`` is None for reverse relations, ``to_field`` names the column that a foreign
    key refers to (None if the model field does not say), ``has_through_model`` is true if
    the rows between the two models belong to an explicit model.
    """

    model_field: Any
    related_model: Any
    to_many: bool
    to_field: str | None
    has_through_model: bool
    reverse: bool


_CACHE = "_lintel_field_info"


def get_field_info(model: type[Model]) -> FieldInfo:
    """Describe ``model``; callers own the dictionaries in the result."""
    pk, *parts = known_field_info(model)
    return FieldInfo(pk, *(dict(part) for part in parts))


def known_field_info(model: type[Model]) -> FieldInfo:
    """Return the same for callers that do not modify it."""
    return _known(model)[0]


def to_many_relations(model: type[Model]) -> frozenset[str]:
    return _known(model)[1]


def has_date_rules(model: type[Model]) -> bool:
    """Return whether a column is unique for each date, month or year."""
    return _known(model)[2]


def _known(model: type[Model]) -> tuple[FieldInfo, frozenset[str], bool]:
    # Made again if Django has learned of further relations to it.
    options = model._meta
    # Django replaces these lists when a model with a relation to this one is loaded.
    fields, many, related = options.fields, options.many_to_many, options.related_objects
    held = options.__dict__.get(_CACHE)
    if held is None or held[0] is not fields or held[1] is not many or held[2] is not related:
        info = _describe(options)
        to_many = frozenset(name for name, relation in info.relations.items() if relation.to_many)
        made = info, to_many, any(map(_is_unique_for_date, fields))
        held = options.__dict__[_CACHE] = fields, many, related, made
    return held[3]


def _is_unique_for_date(field: Any) -> bool:
    return bool(field.unique_for_date or field.unique_for_month or field.unique_for_year)


def _describe(options: object) -> FieldInfo:
    pk = _get_pk(options)
    fields = _get_fields(options)
    forward = _get_forward_relationships(options)
    reverse = _get_reverse_relationships(options)
    fields_and_pk = _merge_fields_and_pk(pk, fields)
    relations = _merge_relationships(forward, reverse)
    return FieldInfo(pk, fields, forward, reverse, fields_and_pk, relations)


# Other packages import these parts one by one, by these names.


def _get_pk(options: Any) -> object:
    """Return the primary key; with multi-table inheritance, that of the topmost parent."""
    pk = options.concrete_model._meta.pk
    while pk.remote_field and pk.remote_field.parent_link:
        pk = pk.remote_field.model._meta.pk
    return pk


def _get_fields(options: Any) -> dict[str, object]:
    return {
        field.name: field for field in options.fields if field.serialize and not field.remote_field
    }


def _merge_fields_and_pk(pk: Any, fields: dict[str, Any]) -> dict[str, object]:
    return {"pk": pk, pk.name: pk, **fields}


def _merge_relationships(
    forward: dict[str, RelationInfo], reverse: dict[str, RelationInfo]
) -> dict[str, RelationInfo]:
    return {**forward, **reverse}


def _get_forward_relationships(options: Any) -> dict[str, RelationInfo]:
    single = [field for field in options.fields if field.serialize and field.remote_field]
    many = [field for field in options.many_to_many if field.serialize]
    return {
        field.name: RelationInfo(
            model_field=field,
            related_model=field.remote_field.model,
            to_many=field.many_to_many,
            to_field=_get_to_field(field),
            has_through_model=_has_through_model(field),
            reverse=False,
        )
        for field in single + many
    }


def _get_reverse_relationships(options: Any) -> dict[str, RelationInfo]:
    related = sorted(options.related_objects, key=lambda relation: relation.field.many_to_many)
    return {
        relation.get_accessor_name(): RelationInfo(
            model_field=None,
            related_model=relation.related_model,
            to_many=not relation.field.one_to_one,
            to_field=_get_to_field(relation.field),
            has_through_model=_has_through_model(relation.field),
            reverse=True,
        )
        for relation in related
    }


def _get_to_field(field: object) -> str | None:
    to_fields = getattr(field, "to_fields", None)
    return to_fields[0] if to_fields else None


def _has_through_model(field: Any) -> bool:
    through = getattr(field.remote_field, "through", None)
    return through is not None and not through._meta.auto_created


def is_abstract_model(model: type[Model]) -> bool:
    return hasattr(model, "_meta") and bool(model._meta.abstract)
