"""Methods of drf-spectacular's AutoSchema that a project overrides, beside its public hooks.

Each is asked where lintel decides the same thing. Those about values stand in for methods of our
schema; those about parts of an operation see it when everything else about it has been said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from copy import copy
from dataclasses import replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from lintel.schemas.extended_values import direction_of
from lintel.schemas.extending import Amendment
from lintel.schemas.foreign_answers import usual
from lintel.schemas.mappings import read_body, read_parameter, read_parts, read_response
from lintel.schemas.overrides import is_foreign
from lintel.schemas.tree import Operation
from lintel.utils import json
from lintel.utils.encoders import JSONEncoder

if TYPE_CHECKING:
    from lintel.schemas.openapi.automatic import AutoSchema

#: Methods of the package by those of ours that ask the first of them; the others change its answer.
ASKED: dict[str, tuple[str, ...]] = {
    "map_field": ("_map_serializer_field",),
    "map_serializer": ("_map_serializer", "_postprocess_serializer_schema"),
    "get_component_name": ("_get_serializer_name", "get_serializer_name"),
    "get_paginator": ("_get_paginator",),
    "get_filter_parameters": ("_get_filter_parameters",),
    "get_pagination_parameters": ("_get_pagination_parameters",),
    "map_parsers": ("map_parsers",),
    "map_renderers": ("map_renderers",),
}

LISTS = "_is_list_view"

VALUES = frozenset([LISTS]).union(*ASKED.values())

CURE = "Describe it with extend_schema of lintel.schemas, or in its AutoSchema"


def overridden(classes: Iterable[type]) -> frozenset[str]:
    """The names asked for that a project defines in its classes, not the package in its own."""
    namespaces = [vars(cls) for cls in classes if not is_foreign(cls)]
    return READ.intersection(*[frozenset().union(*namespaces)])


def warn_of_failure(schema: AutoSchema, name: str, error: Exception) -> None:
    message = f"{name}() of its drf-spectacular schema failed: {error!r}. {CURE}"
    schema.document_form.inspection.warn(message, type(schema.view))


# ---- values ----


def _texts(answer: Iterable[str]) -> list[str]:
    return ["".join(part) for part in answer]


def _mappings(answer: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [{**part} for part in answer]


#: What answers are made into; those of another kind raise a TypeError, which is one warning.
CHECKED: dict[str, Callable[[Any], object]] = {
    "map_parsers": _texts,
    "map_renderers": _texts,
    "get_filter_parameters": _mappings,
    "get_pagination_parameters": _mappings,
}


def _asking(method: str, name: str) -> Callable[..., Any]:
    def ask(schema: Any, *given: Any) -> Any:
        reader = schema.document_form.reader
        before, reader.asking_schema = reader.asking_schema, schema
        try:
            answer = getattr(reader, name)(*_arguments(schema, method, given))
            return CHECKED[method](answer) if method in CHECKED else answer
        except Exception as error:  # project code, in terms of the package's own state
            warn_of_failure(schema, name, error)
            return usual(schema, method)(*given)
        finally:
            reader.asking_schema = before

    return ask


def _arguments(schema: AutoSchema, method: str, given: tuple[object, ...]) -> tuple[object, ...]:
    if method in ("map_field", "map_serializer"):
        return given[0], direction_of(schema)
    if method == "get_component_name":
        return given[0], "response"
    return ("media_type",) if method == "map_renderers" else ()


@lru_cache(maxsize=64)
def _class_that_asks(cls: type, said: frozenset[str]) -> type:
    asking: dict[str, Any] = {
        method: _asking(method, names[0]) for method, names in ASKED.items() if said & {*names}
    }
    return type(cls.__name__, (cls,), asking)


def heeding(schema: AutoSchema, reader: Any) -> AutoSchema:
    """Return a schema of ours that asks the project about values and lists."""
    said = reader.said & VALUES
    if not said:
        return schema
    result: Any = copy(schema)
    cls: Any = type(schema)
    result.__class__ = _class_that_asks(cls, said)
    lists = {"returns_list": _lists(reader)} if LISTS in said else {}
    result.document_form = replace(result.document_form, reader=reader, **lists)
    reader.asking_schema = result
    return result


def _lists(reader: Any) -> bool | None:
    try:
        return bool(getattr(reader, LISTS)())
    except Exception as error:  # project code
        warn_of_failure(reader.asking_schema, LISTS, error)
        return None


# ---- parts of operations ----


def _with_parameters(operation: Operation, reader: Any) -> Operation:
    written = _checked(reader._get_parameters())
    return replace(operation, parameters=tuple(map(read_parameter, written)))


def _with_body(operation: Operation, reader: Any) -> Operation:
    written = _checked(reader._get_request_body())
    return replace(operation, body=read_body(written) if written else None)


def _with_responses(operation: Operation, reader: Any) -> Operation:
    written = _checked(reader._get_response_bodies())
    return replace(operation, responses=tuple([read_response(*item) for item in written.items()]))


def _with_everything(operation: Operation, reader: Any) -> Operation:
    path, method = operation.path, operation.method
    written = _checked(reader.get_operation(path, path, "", method, reader.registry))
    return replace(operation, **read_parts(written)) if written else operation


def _checked(written: Any) -> Any:
    json.dumps(written, cls=JSONEncoder)
    return written


#: The methods of the package about each part of an operation, and what asks the first of them.
PARTS: list[tuple[tuple[str, ...], Callable[[Operation, Any], Operation]]] = [
    (("_get_parameters", "_resolve_path_parameters"), _with_parameters),
    (("_get_request_body", "_get_request_for_media_type"), _with_body),
    (("_get_response_bodies", "_get_response_for_code"), _with_responses),
    (("get_operation",), _with_everything),
]

READ = VALUES.union(["_get_serializer"], *(names for names, _ in PARTS))


def amendments(reader: Any) -> list[Amendment]:
    """What the project makes of an operation when everything else about it has been said."""
    wanted = [(names[0], part) for names, part in PARTS if reader.said & {*names}]
    return [Amendment(amend=partial(_amended, reader, *amendment)) for amendment in wanted]


def _amended(
    reader: Any,
    name: str,
    part: Callable[[Operation, Any], Operation],
    operation: Operation,
    schema: AutoSchema,
) -> Operation:
    reader.operation, reader.asking_schema = operation, schema
    try:
        return part(operation, reader)
    except Exception as error:  # project code, in terms of the package's own state
        warn_of_failure(schema, name, error)
        return operation
    finally:
        reader.operation = None
