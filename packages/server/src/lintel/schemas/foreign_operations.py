"""What decorators of drf-spectacular say of operations.

They replace the schema of a view, or of one of its methods, by a subclass of it, whose public hooks
answer for them. At the end of its line stands a class that notes the hooks that got so far: what
nobody has said is not taken for said.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from copy import copy
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from lintel.fields.describing import Schema
from lintel.inspectors import ViewInspector
from lintel.schemas.extending import (
    MISSING,
    Extension,
    OpenApiCallback,
    OpenApiWebhook,
    extend_schema,
)
from lintel.schemas.foreign_answers import Answers
from lintel.schemas.foreign_methods import CURE, amendments, heeding, overridden
from lintel.schemas.inspection import Inspection, body_is_read
from lintel.schemas.overrides import SPECTACULAR, STAND_IN, converted, is_foreign
from lintel.views import APIView

if TYPE_CHECKING:
    from lintel.schemas.openapi.automatic import AutoSchema

#: Returns what a view shows by itself, from its schema of ours, the path and the method.
Default = Callable[["AutoSchema", str, str], object]

#: The hooks of drf-spectacular: the argument of ``extend_schema`` that each answers for, and its
#: answer if nobody says anything.
HOOKS: dict[str, tuple[str, Default]] = {
    "get_operation_id": ("operation_id", lambda auto, *place: auto.get_operation_id(*place)),
    "get_override_parameters": ("parameters", lambda *asked: []),
    "get_request_serializer": ("request", lambda auto, *place: auto.get_request_serializer(*place)),
    "get_response_serializers": (
        "responses",
        lambda auto, *place: auto.get_response_serializer(*place),
    ),
    "get_auth": ("auth", lambda *asked: []),
    "get_description": ("description", lambda auto, *place: auto.get_description(*place)),
    "get_summary": ("summary", lambda *asked: None),
    "is_deprecated": ("deprecated", lambda *asked: False),
    "get_tags": ("tags", lambda auto, *place: list(auto.get_tags(*place))),
    "get_filter_backends": (
        "filters",
        lambda auto, *place: list(getattr(auto.view, "filter_backends", ())),
    ),
    "is_excluded": ("exclude", lambda *asked: False),
    "get_examples": ("examples", lambda *asked: []),
    "get_extensions": ("extensions", lambda *asked: {}),
    "get_callbacks": ("callbacks", lambda *asked: []),
    "get_external_docs": ("external_docs", lambda *asked: None),
}

#: Methods of its AutoSchema that projects override and nothing here calls, and what to use instead.
UNREAD = {
    "resolve_serializer": "Use an OpenApiSerializerExtension for the serializer",
    "get_serializer_identity": "Use @extend_schema_serializer(component_name=…)",
    "get_paginated_name": "Override get_paginated_response_schema() of the paginator",
    "_map_model_field": "Override _map_serializer_field(), or use @extend_schema_field",
    "_map_basic_serializer": "Override _map_serializer()",
    "_map_response_type_hint": "Annotate the method, or use @extend_schema_field",
    "_insert_field_validators": "Override _map_serializer_field()",
    "_insert_min_max": "Override _map_serializer_field()",
    "_unwrap_list_serializer": "Use @extend_schema(responses=…)",
    "_process_override_parameters": "Override get_override_parameters()",
    "_get_format_parameters": "Override _get_parameters()",
    "_get_response_headers_for_code": "Use OpenApiParameter(…, response=True)",
}


class EveryVersion(str):
    """The version of a document about all versions: whatever concerns one of them is said."""

    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        return True


_OF_SERIALIZERS = ("get_request_serializer", "get_response_serializers")

#: Hooks whose defaults cost something, and which only code of the project changes.
COSTLY = ("get_operation_id", "get_description", "get_tags", *_OF_SERIALIZERS)


def _giver(hook: str, default: Default) -> Callable[..., object]:
    def give(reader: Any, *args: object) -> object:
        if hook in COSTLY and not reader.is_own:
            reader.given[hook] = None
            return None
        # The code of an action shows that it reads no body: none is made up from its view.
        view, inspection = reader.asking_schema.view, reader.inspection
        is_there = hook != "get_request_serializer" or body_is_read(inspection, view)
        result = default(reader.asking_schema, reader.path, reader.method) if is_there else None
        reader.given[hook] = result
        if is_there and hook in _OF_SERIALIZERS and "_get_serializer" in reader.said:
            return reader._get_serializer()
        return result

    return give


#: What stands for the hooks of the package at the end of a reader's line.
UNSAID = {hook: _giver(hook, default) for hook, (_, default) in HOOKS.items()}


def is_foreign_schema(schema: object) -> bool:
    """Whether drf-spectacular made the class of a schema, or one of its bases."""
    return any(map(is_foreign, _class_of(schema).__mro__))


def _class_of(schema: object) -> Any:
    return schema if isinstance(schema, type) else type(schema)


def schema_behind(schema: object) -> object:
    """The schema object that a decorator has replaced; None if it was the package's."""
    if not is_spoken() or not is_foreign_schema(schema):
        return schema
    base = _end_of(_class_of(schema))
    if is_foreign(base):
        return None
    behind = base() if isinstance(schema, type) else copy(schema)
    behind.__class__ = base
    return behind


def _end_of(cls: type) -> type:
    """The class whose hooks count as nobody's: the package's own, else the project's."""
    line = [base for base in cls.__mro__ if issubclass(base, ViewInspector)]
    package = [base for base in line if base.__name__ == "AutoSchema" and is_foreign(base)]
    return package[0] if package else next(base for base in line if not is_foreign(base))


def foreign_schema(view: APIView, schema: object, method: str) -> object:
    """What decorators left for an operation; ``schema``: that of the view. None for nothing."""
    if not is_spoken():
        return None
    name = getattr(view, "action", None) or method.lower()
    for place in (getattr(view, name, None), type(view)):
        kwargs = getattr(place, "kwargs", None)
        result = kwargs.get("schema") if isinstance(kwargs, dict) else None
        if result is not None and is_foreign_schema(result):
            return result
    cls = _class_of(schema)
    return schema if is_foreign_schema(cls) and cls is not _end_of(cls) else None


def is_spoken() -> bool:
    """Whether anything has imported the package, or what stands for it."""
    return SPECTACULAR in sys.modules or STAND_IN in sys.modules


def foreign_extensions(
    view: APIView,
    schema: object,
    path: str,
    method: str,
    auto: AutoSchema,
    inspection: Inspection,
) -> list[Extension]:
    """What decorators of drf-spectacular say of an operation; ``schema``: what they left there."""
    if schema is None:
        return []
    reader = _reader(schema, path, method, auto, inspection)
    reader.view = _in_version(view, inspection.api_version)
    try:
        extension = _extension(reader, inspection)
    finally:
        reader.view = view
    return [extension, *amendments(reader)]


def heeding_project(
    view: APIView, schema: object, path: str, method: str, auto: AutoSchema
) -> AutoSchema:
    """Return a schema of ours that asks what a project overrides in that of the package."""
    if schema is None or not auto.document_form.is_full:
        return auto
    reader = _reader(schema, path, method, auto, auto.document_form.inspection)
    reader.view = view
    return heeding(auto, reader)


def _said_of_everything(reader: Any) -> Schema:
    """What replaces a whole operation, or leaves it out."""
    place = reader.path, reader.path, "", reader.method, reader.registry
    try:
        answer = reader.get_operation(*place)
    except Exception:  # project code, which is asked again when there is a description
        return {}
    if answer is None:
        return {"exclude": True}
    return {} if reader.has_described else {"operation": converted(answer)}


def _reader(
    schema: object, path: str, method: str, ours: AutoSchema, inspection: Inspection
) -> Any:
    cls = _class_of(schema)
    reader = cls() if isinstance(schema, type) else copy(schema)
    reader.__class__, line = inspection.once((_reader, cls), _read_line, cls, inspection)
    prefix = inspection.path_prefix if inspection.id_prefix is None else inspection.id_prefix
    arguments = {"path": path, "path_regex": path, "path_prefix": prefix or "", "method": method}
    vars(reader).update(line, **arguments, asking_schema=ours, given={}, inspection=inspection)
    return reader


def _read_line(cls: type, inspection: Inspection) -> tuple[type, Schema]:
    """Return the class that reads a schema, and what its project says in classes before the end."""
    end = _end_of(cls)
    line = cls.__mro__[: cls.__mro__.index(end)]
    _warn_of_unread(line, inspection)
    said = {"is_own": not all(map(is_foreign, line)), "said": overridden(line)}
    return _reader_class(cls, end), said


# Kept, because it depends on the two classes alone, and a new class takes long to make.
@lru_cache(maxsize=256)
def _reader_class(cls: type, end: type) -> type:
    return type("Reader", (cls, type("Unsaid", (Answers, end), UNSAID)), {})


def _in_version(view: APIView, version: str | None) -> APIView:
    """The view as decorators see it that are for some versions of the API."""
    seen = copy(view)
    described = EveryVersion() if version is None else version
    vars(seen)["determine_version"] = lambda *args, **kwargs: (described, None)
    return seen


def _warn_of_unread(line: tuple[type, ...], inspection: Inspection) -> None:
    """Warn of methods of the package that a class of the project overrides, and nobody calls."""
    for cls in line:
        names = set() if is_foreign(cls) else UNREAD.keys() & vars(cls).keys()
        for name in sorted(names):
            inspection.warn(
                f"lintel does not call {name}() of drf-spectacular. {UNREAD[name]}", cls
            )


def _extension(reader: Any, inspection: Inspection) -> Extension:
    said: dict[str, Any] = {}
    for hook, (argument, _) in HOOKS.items():
        answer = _answer(reader, hook, inspection)
        if answer is not MISSING:
            said[argument] = converted(answer)
    if reader.method == "DELETE" and not isinstance(said.get("responses"), Mapping):
        # The package takes this for 204, whatever it is; the code of the handler knows better.
        said.pop("responses", None)
    said.update(_said_of_everything(reader))
    if "filters" in said:
        said["filters"] = bool(said["filters"])
    if said.get("callbacks"):
        said["callbacks"] = [sent(callback, reader.asking_schema) for callback in said["callbacks"]]
    return extend_schema(**said)


def _answer(reader: Any, hook: str, inspection: Inspection) -> object:
    """Return the answer to a hook; MISSING if nobody has given one."""
    try:
        answer = getattr(reader, hook)()
    except Exception as error:  # project code, in terms of the package's own state
        message = f"{hook}() of its drf-spectacular schema failed: {error!r}. {CURE}"
        inspection.warn(message, type(reader.asking_schema.view))
        return MISSING
    return MISSING if answer is reader.given.get(hook, MISSING) else answer


def sent(given: object, auto: AutoSchema) -> object:
    """A callback or webhook with decorators of ours in place of drf-spectacular's."""
    if not isinstance(given, OpenApiCallback | OpenApiWebhook):
        return given
    said = given.decorator
    methods = said.items() if isinstance(said, Mapping) else (("post", said),)
    decorators = {
        method: _decorator_of(part, str(method).upper(), auto) for method, part in methods
    }
    if isinstance(given, OpenApiWebhook):
        return OpenApiWebhook(given.name, decorators)
    return OpenApiCallback(given.name, given.path, decorators)


def _decorator_of(said: Any, method: str, auto: AutoSchema) -> Any:
    if not callable(said) or isinstance(said, Extension):
        return said

    def receive(self: APIView, request: object) -> None: ...

    view: Any = type("Sent", (APIView,), {method.lower(): said(receive)})()
    view.kwargs, view.request = {}, None
    left = foreign_schema(view, None, method)
    extensions = foreign_extensions(view, left, "", method, auto, Inspection())
    return extensions[0] if extensions else said
