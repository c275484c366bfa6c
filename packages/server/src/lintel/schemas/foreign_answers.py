"""What lintel says, under the names of drf-spectacular's AutoSchema.

``super()`` in a method that a project overrides there reaches these.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from lintel.fields.describing import Schema
from lintel.schemas.extended_values import Registry, SchemaForExtensions
from lintel.schemas.extension_rules import response, value_schema
from lintel.schemas.mappings import write_content, write_operation, write_response
from lintel.schemas.tree import Operation, Parameter
from lintel.schemas.values import notes_of

if TYPE_CHECKING:
    from lintel.schemas.openapi.automatic import AutoSchema


class Answers:
    """What lintel says to ``asking_schema``, under the names of the package."""

    asking_schema: AutoSchema
    #: The names that the project defines itself.
    said: frozenset[str]
    view: Any
    path: str
    path_prefix: str
    method: str
    #: The operation whose parts are asked for; None before there is one.
    operation: Operation | None = None
    #: Whether the project has asked for the whole description.
    has_described: bool = False
    #: The status whose response is asked for as it is described.
    status: str | None = None

    @property
    def registry(self) -> Registry:
        return Registry(self.asking_schema.document_form.inspection)

    @registry.setter
    def registry(self, value: object) -> None:
        """Ignore the package's own: components belong to the document."""

    def resolve_serializer(
        self, serializer: Any, direction: str, bypass_extensions: bool = False
    ) -> object:
        return SchemaForExtensions(self.asking_schema).resolve_serializer(serializer, direction)

    def _map_serializer_field(
        self, field: Any, direction: str, bypass_extensions: bool = False
    ) -> Schema:
        reader = SchemaForExtensions(self.asking_schema).towards(direction)
        described = dict(usual(reader, "map_field")(field))
        return {**described, **notes_of(field, described)}

    def _map_serializer(
        self, serializer: Any, direction: str, bypass_extensions: bool = False
    ) -> Schema:
        reader = SchemaForExtensions(self.asking_schema).towards(direction)
        instance = serializer() if isinstance(serializer, type) else serializer
        described = dict(usual(reader, "map_serializer")(instance))
        return self._postprocess_serializer_schema(described, instance, direction)

    def _postprocess_serializer_schema(
        self, schema: Schema, serializer: object, direction: str
    ) -> Schema:
        return schema

    def _get_serializer_name(
        self, serializer: Any, direction: str, bypass_extensions: bool = False
    ) -> str:
        return self.get_serializer_name(serializer, direction).removesuffix("Serializer")

    def get_serializer_name(self, serializer: Any, direction: str) -> str:
        return str(usual(self.asking_schema, "get_component_name")(serializer))

    def _get_paginator(self) -> object:
        return usual(self.asking_schema, "get_paginator")()

    def _get_filter_parameters(self) -> list[Schema]:
        return list(usual(self.asking_schema, "get_filter_parameters")(self.path, self.method))

    def _get_pagination_parameters(self) -> list[Schema]:
        return list(usual(self.asking_schema, "get_pagination_parameters")(self.path, self.method))

    def map_parsers(self) -> list[str]:
        return list(usual(self.asking_schema, "map_parsers")(self.path, self.method))

    def map_renderers(self, attribute: str = "media_type") -> list[str]:
        if attribute == "format":
            return [renderer.format for renderer in self.view.renderer_classes if renderer.format]
        return list(usual(self.asking_schema, "map_renderers")(self.path, self.method))

    def _is_list_view(self, serializer: object = None) -> bool:
        return bool(self.asking_schema.document_form.lists(self.path, self.method, self.view))

    def _get_serializer(self) -> object:
        return self.asking_schema.get_serializer(self.path, self.method)

    def _get_examples(self, *args: object, **kwargs: object) -> dict[str, object]:
        return {}

    def _tokenize_path(self) -> list[str]:
        path = re.sub(self.path_prefix, "", self.path, count=1, flags=re.IGNORECASE)
        return [word for word in path.strip("/").split("/") if word and "{" not in word]

    def _get_parameters(self) -> list[Schema]:
        parameters = [dict(parameter.value) for parameter in _parameters(self.operation)]
        of_path = [parameter for parameter in parameters if parameter.get("in") == "path"]
        said = self._resolve_path_parameters([str(parameter["name"]) for parameter in of_path])
        return [*said, *(parameter for parameter in parameters if parameter.get("in") != "path")]

    def _resolve_path_parameters(self, variables: list[str]) -> list[Schema]:
        return [dict(item.value) for item in _parameters(self.operation) if item.name in variables]

    def _get_request_body(self, direction: str = "request") -> dict[str, Any] | None:
        body = self.operation.body if self.operation else None
        if body is None:
            return None
        written = {"content": write_content(body.content, _same), **body.extra}
        if "_get_request_for_media_type" in self.said:
            serializer: Any = getattr(self, "get_request_serializer")()  # noqa: B009 -- a hook
            said, is_required = self._get_request_for_media_type(serializer, direction)
            for media in written["content"].values() if said is not None else ():
                media["schema"] = said
            written |= {"required": True} if is_required else {}
        return written

    def _get_request_for_media_type(
        self, serializer: Any, direction: str = "request"
    ) -> tuple[object, bool]:
        body = self.operation.body if self.operation else None
        if body is not None and body.content and body.content[0].schema is not None:
            return body.content[0].schema, bool(body.extra.get("required"))
        reader = SchemaForExtensions(self.asking_schema).towards(direction)
        return (None, False) if serializer is None else (value_schema(serializer, reader), True)

    def _get_response_bodies(self, direction: str = "response") -> dict[str, Any]:
        responses = (self.operation.responses if self.operation else None) or ()
        written: dict[str, Any] = {item.status: write_response(item, _same) for item in responses}
        if "_get_response_for_code" in self.said:
            for status in [code for code in written if code.startswith("2")]:
                self.status = status
                written[status] = self._get_response_for_code(self._serializer_for(status), status)
            self.status = None
        return written

    def _serializer_for(self, status: str) -> object:
        result: Any = getattr(self, "get_response_serializers")()  # noqa: B009 -- a hook
        if isinstance(result, Mapping):
            by_status = {str(key): serializer for key, serializer in result.items()}
            return by_status.get(status)
        return result

    def _get_response_for_code(
        self,
        serializer: Any,
        status_code: object,
        media_types: list[str] | None = None,
        direction: str = "response",
    ) -> dict[str, Any]:
        operation = self.operation or Operation(path=self.path, method=self.method, view="")
        status, asked = str(status_code), self.status
        self.status = None
        for described in operation.responses or ():
            if described.status == status == asked:
                return write_response(described, _same)
        return write_response(
            response(status, serializer, media_types, operation, self.asking_schema), _same
        )

    def get_operation(self, *place: object) -> dict[str, Any]:
        self.has_described = True
        return write_operation(self.operation, _same, _same) if self.operation else {}


def _same(schema: Any) -> Any:
    return schema


def _parameters(operation: Operation | None) -> tuple[Parameter, ...]:
    return (operation.parameters if operation else None) or ()


def usual(schema: AutoSchema, name: str) -> Any:
    """A method of our schema without what a project says of it in terms of the package."""
    cls: Any = type(schema)
    # A class that asks the project has one base.
    return partial(getattr(cls.__base__ if schema.document_form.reader else cls, name), schema)
