"""The function that makes a schema view."""

from __future__ import annotations

from typing import Any

from lintel.fields.describing import Schema
from lintel.schemas.coreapi import SchemaGenerator as NativeSchemaGenerator
from lintel.schemas.coreapi import is_enabled
from lintel.schemas.openapi import SchemaGenerator
from lintel.schemas.views import SchemaView

__all__ = ["get_schema_view"]


def get_schema_view(
    title: str | None = None,
    url: str | None = None,
    description: str | None = None,
    urlconf: Any = None,
    renderer_classes: Any = None,
    public: bool = False,
    patterns: Any = None,
    generator_class: Any = None,
    authentication_classes: Any = None,
    permission_classes: Any = None,
    version: str | None = None,
    keeps_documents: bool = False,
) -> Any:
    """Return a view that serves the schema of the project, or only of ``patterns`` or ``urlconf``.

    Without ``generator_class`` the setting DEFAULT_SCHEMA_CLASS decides between OpenAPI and the
    native schema; renderers of the native schema get theirs either way. Authentication and
    permissions follow the settings unless they are given. ``keeps_documents`` makes each document
    once: use it if views describe themselves alike to all callers that may call them.
    """
    arguments: Schema = {
        "title": title,
        "url": url,
        "description": description,
        "urlconf": urlconf,
        "patterns": patterns,
        "version": version,
    }
    options = {
        "authentication_classes": authentication_classes,
        "permission_classes": permission_classes,
    }
    generator, native = _generators(generator_class, arguments)
    return SchemaView.as_view(
        renderer_classes=renderer_classes,
        schema_generator=generator,
        native_generator=native,
        public=public,
        keeps_documents=keeps_documents,
        **{name: value for name, value in options.items() if value is not None},
    )


def _generators(generator_class: Any, arguments: Schema) -> tuple[Any, Any]:
    if generator_class is not None:
        return generator_class(**arguments), None
    native = NativeSchemaGenerator(**arguments)
    if is_enabled():
        return native, native
    return SchemaGenerator(**arguments), native
