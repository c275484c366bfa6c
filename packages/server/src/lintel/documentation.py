"""Pages that document the API to people, made from the native schema.

``include_docs_urls()`` gives a project both: the page, and next to it ``schema.js``, the script
through which the page (and any other page) calls the API by the names of its operations.
"""

from __future__ import annotations

from typing import Any

from django.urls import include, path

from lintel.renderers import CoreJSONRenderer, DocumentationRenderer, SchemaJSRenderer
from lintel.schemas import get_schema_view
from lintel.schemas.coreapi import SchemaGenerator
from lintel.settings import api_settings

__all__ = [
    "CoreJSONRenderer",
    "DocumentationRenderer",
    "SchemaGenerator",
    "SchemaJSRenderer",
    "api_settings",
    "get_docs_view",
    "get_schema_view",
    "get_schemajs_view",
    "include_docs_urls",
]


def get_docs_view(
    title: str | None = None,
    description: str | None = None,
    schema_url: str | None = None,
    urlconf: Any = None,
    public: bool = True,
    patterns: Any = None,
    generator_class: Any = SchemaGenerator,
    authentication_classes: Any = None,
    permission_classes: Any = None,
    renderer_classes: Any = None,
) -> Any:
    """The view of the page; it serves Core JSON as well, to clients that ask for it.

    Authentication and permissions follow the settings unless they are given.
    """
    if renderer_classes is None:
        renderer_classes = [DocumentationRenderer, CoreJSONRenderer]
    return get_schema_view(
        title=title,
        url=schema_url,
        urlconf=urlconf,
        description=description,
        renderer_classes=renderer_classes,
        public=public,
        patterns=patterns,
        generator_class=generator_class,
        authentication_classes=authentication_classes,
        permission_classes=permission_classes,
    )


def get_schemajs_view(
    title: str | None = None,
    description: str | None = None,
    schema_url: str | None = None,
    urlconf: Any = None,
    public: bool = True,
    patterns: Any = None,
    generator_class: Any = SchemaGenerator,
    authentication_classes: Any = None,
    permission_classes: Any = None,
) -> Any:
    """The view of the script that hands the schema to the pages that load it."""
    return get_schema_view(
        title=title,
        url=schema_url,
        urlconf=urlconf,
        description=description,
        renderer_classes=[SchemaJSRenderer],
        public=public,
        patterns=patterns,
        generator_class=generator_class,
        authentication_classes=authentication_classes,
        permission_classes=permission_classes,
    )


def include_docs_urls(
    title: str | None = None,
    description: str | None = None,
    schema_url: str | None = None,
    urlconf: Any = None,
    public: bool = True,
    patterns: Any = None,
    generator_class: Any = SchemaGenerator,
    authentication_classes: Any = None,
    permission_classes: Any = None,
    renderer_classes: Any = None,
) -> Any:
    """URL patterns for ``path("docs/", include_docs_urls(title="My API"))``.

    The namespace is ``api-docs``, the names are ``docs-index`` and ``schema-js``.
    """
    arguments: dict[str, Any] = {
        "title": title,
        "description": description,
        "schema_url": schema_url,
        "urlconf": urlconf,
        "public": public,
        "patterns": patterns,
        "generator_class": generator_class,
        "authentication_classes": authentication_classes,
        "permission_classes": permission_classes,
    }
    docs_view = get_docs_view(**arguments, renderer_classes=renderer_classes)
    schema_js_view = get_schemajs_view(**arguments)
    urls = [
        path("", docs_view, name="docs-index"),
        path("schema.js", schema_js_view, name="schema-js"),
    ]
    return include((urls, "api-docs"), namespace="api-docs")
