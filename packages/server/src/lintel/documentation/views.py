"""The views of the documentation: the page, and the script beside it."""

from __future__ import annotations

from functools import partial
from hashlib import sha256
from typing import Any

from django.urls import include, path
from django.utils.cache import get_conditional_response, patch_vary_headers

from lintel.documentation.reference import Reference, reference_of
from lintel.renderers import CoreJSONRenderer, DocumentationRenderer, SchemaJSRenderer
from lintel.renderers.documentation_page import ASKED_FOR
from lintel.schemas.coreapi import SchemaGenerator
from lintel.schemas.serving import CALLER_HEADERS
from lintel.schemas.views import SchemaView
from lintel_document import Document


# Comments instead of docstrings, which clients would see as descriptions of the views.
# The page also shows what the native schema cannot express, which its renderer finds in its
# context as ``reference``: a function from a document to parts by the keys of its operations.
class DocumentationView(SchemaView):
    name = "Schema"
    allowed_query_params = (ASKED_FOR,)

    def get_renderer_context(self) -> dict[str, Any]:
        context = super().get_renderer_context()
        request = context.get("request")

        def reference(document: Document) -> Reference:
            return reference_of(self.schema_generator, request, self.public, document)

        return {**context, "reference": reference}


# The page asks for the script with ``?cache=1``, and gets a validator, so that a browser that has
# it gets 304 (RFC 9110, section 13). Without it, the response is that of the known API.
class ScriptView(SchemaView):
    name = "Schema"
    allowed_query_params = ("cache",)

    def finalize_response(self, request: Any, response: Any, *args: Any, **kwargs: Any) -> Any:
        response = super().finalize_response(request, response, *args, **kwargs)
        if response.status_code == 200 and "cache" in request.query_params:
            response["Cache-Control"] = "no-cache" if self.public else "private, no-cache"
            if not self.public:
                patch_vary_headers(response, CALLER_HEADERS)
            response.add_post_render_callback(partial(validated, request))
        return response


def validated(request: Any, response: Any) -> Any:
    """Return a rendered response with its ETag; 304 if the caller has that version."""
    response["ETag"] = etag = f'"{sha256(response.content).hexdigest()[:32]}"'
    return get_conditional_response(request._request, etag=etag, response=response)


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
    """Return the view of the page; it also serves Core JSON to clients that ask for it.

    Authentication and permissions follow the settings unless they are given.
    """
    if renderer_classes is None:
        renderer_classes = [DocumentationRenderer, CoreJSONRenderer]
    return _view(
        DocumentationView,
        generator_class(
            title=title,
            url=schema_url,
            urlconf=urlconf,
            description=description,
            patterns=patterns,
        ),
        renderer_classes=renderer_classes,
        public=public,
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
    """Return the view of the script that gives the schema to the pages that load it."""
    return _view(
        ScriptView,
        generator_class(
            title=title,
            url=schema_url,
            urlconf=urlconf,
            description=description,
            patterns=patterns,
        ),
        renderer_classes=[SchemaJSRenderer],
        public=public,
        authentication_classes=authentication_classes,
        permission_classes=permission_classes,
    )


def _view(view_class: type[SchemaView], generator: Any, **options: Any) -> Any:
    given = {name: value for name, value in options.items() if value is not None}
    return view_class.as_view(schema_generator=generator, **given)


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
    """Return URL patterns for ``path("docs/", include_docs_urls(title="My API"))``.

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
