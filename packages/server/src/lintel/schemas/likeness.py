"""Which serializers are described alike wherever they are used, and by which schema objects.

Code of a project may choose fields, choices and limits by what is around a serializer: by its
view, for example. Serializers with such code at any depth are described each time.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from lintel.fields import Field
from lintel.schemas.inspection import Endpoint, Inspection
from lintel.schemas.named import Known, names_in, project_members
from lintel.serializers import Serializer, UnionSerializer

if TYPE_CHECKING:
    from lintel.schemas.openapi.automatic import AutoSchema

ResultT = TypeVar("ResultT")

#: Members of serializers that make their fields, and of fields that describe their values.
_MAKING = (
    *("__new__", "__init__", "bind", "fields", "get_fields", "get_field_names"),
    *("get_extra_kwargs", "include_extra_kwargs", "describe_values", "choices"),
    *("build_field", "build_standard_field", "build_relational_field"),
)

#: What such code names if it reads what is around a serializer, and what of it.
_AROUND = frozenset(["context", "_context", "view", "request", "parent", "root"])
_OWNERS = frozenset(["parent", "root"])
_PATH = frozenset(["path", "path_info", "get_full_path", "kwargs", "resolver_match"])

#: Methods of schema objects that describe values, and those of drf-spectacular's.
_DESCRIBING = (
    *("map_serializer", "map_field", "map_choicefield", "map_choice_field"),
    *("map_field_validators", "get_field_name", "get_reference"),
)
_READ = ("_map_serializer", "_map_serializer_field", "_postprocess_serializer_schema")

#: The arguments of all fields and serializers, which their components do not depend on.
_USUAL = frozenset(
    [
        *("instance", "data", "partial", "context", "many", "read_only", "write_only", "required"),
        *("default", "initial", "source", "label", "help_text", "style", "error_messages"),
        *("validators", "allow_null", "allow_empty", "min_length", "max_length"),
    ]
)


def once_per_class(
    schema: AutoSchema, serializer: Serializer, make: Callable[[Serializer], ResultT]
) -> ResultT:
    """Return what ``make`` returns, once for all serializers of a class that are alike."""
    like = likeness(schema, serializer)
    if like is None:
        return make(serializer)
    key = once_per_class, type(serializer), serializer.partial, like
    result: ResultT = schema.document_form.inspection.once(key, make, serializer)
    return result


def likeness(schema: AutoSchema, serializer: Serializer) -> Hashable:
    """Return what serializers of the same class share that are described alike; None if nothing."""
    form = schema.document_form
    given = form.inspection, form.endpoint, serializer
    result: Hashable = form.inspection.once_for(serializer, likeness, _likeness, *given)
    return result


def _likeness(inspection: Inspection, endpoint: Endpoint, serializer: Serializer) -> Hashable:
    cls = type(serializer)
    reads = inspection.once((_names_behind, cls), _names_behind, inspection, cls)
    making = inspection.once((names_in, cls), names_in, cls, ("__init__",), inspection.members)
    is_changed = id(serializer) in inspection.changed and "fields" not in making
    is_one_of_several = hasattr(serializer, "serializers")
    if is_changed or is_one_of_several or reads & _OWNERS or (endpoint is None and reads & _AROUND):
        return None
    names = frozenset(serializer.fields) if "fields" in making else None
    place = _place(endpoint, reads) if reads & _AROUND else None
    told = {name: _plain(value) for name, value in serializer._kwargs.items() if name not in _USUAL}
    return names, place, frozenset(told.items())


def _place(endpoint: Endpoint, reads: frozenset[str]) -> Hashable:
    """Return what differs between operations of what code reads that knows its view."""
    view = endpoint.view
    values = {name: _plain(vars(view)[name]) for name in reads & vars(view).keys()}
    method = endpoint.method if "method" in reads else None
    path = endpoint.path if reads & _PATH else None
    return type(view), frozenset(values.items()), method, path


def _plain(value: object) -> Hashable:
    if isinstance(value, list | tuple | set | frozenset):
        return tuple(map(_plain, value))
    is_plain = value is None or isinstance(value, str | int | float | type)
    return value if is_plain else type(value)


def _names_behind(inspection: Inspection, cls: type[Field]) -> frozenset[str]:
    """Return what the code names that makes the fields of a class, and those inside them."""
    seen, waiting, result = {cls}, [cls], set[str]()
    while waiting:
        base = waiting.pop()
        result |= inspection.once((_MAKING, base), names_in, base, _MAKING, inspection.members)
        inner = set(_classes_inside(base)) - seen
        seen |= inner
        waiting += inner
    return frozenset(result)


def _classes_inside(cls: Any) -> Iterator[type[Field]]:
    declared = getattr(cls, "_declared_fields", {}).values()
    members = dict(cls.serializers).values() if issubclass(cls, UnionSerializer) else ()
    for field in [*declared, *members]:
        while field is not None:
            yield field if isinstance(field, type) else type(field)
            field = getattr(field, "child", None) or getattr(field, "child_relation", None)


def describers(schema: AutoSchema) -> Hashable:
    """Return what tells apart schema objects that describe the same values differently."""
    form = schema.document_form
    cls, reader = type(schema), type(form.reader)
    inspection: Inspection = form.inspection
    ours, reads = inspection.once((describers, cls, reader), _own, cls, reader, inspection.members)
    return ours, _place(form.endpoint, reads) if reads else None


def _own(cls: type, reader: type, cache: Known) -> tuple[Hashable, frozenset[str]]:
    members = [*project_members(cls, _DESCRIBING, cache), *project_members(reader, _READ, cache)]
    names = names_in(cls, _DESCRIBING, cache) | names_in(reader, _READ, cache)
    is_around = names & {"view", "method", *_PATH}
    return frozenset(map(id, members)), names if is_around else frozenset()
