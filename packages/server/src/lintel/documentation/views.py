"""The views of the documentation: the page, and the script beside it."""

from collections.abc import Callable
from functools import partial
from hashlib import sha256
from typing import Any

from django.http import HttpResponse
from django.urls import include, path
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.timezone import get_current_timezone_name

from lintel.documentation.outline import Shown, outlined
from lintel.documentation.reference import Reference, reference_of
from lintel.overrides import is_overridden
from lintel.renderers import BaseRenderer, CoreJSONRenderer, DocumentationRenderer, SchemaJSRenderer
from lintel.renderers.documentation_kept import are_ours
from lintel.renderers.documentation_page import ASKED_FOR, GROUP
from lintel.request import Request
from lintel.response import Response
from lintel.schemas.coreapi import SchemaGenerator
from lintel.schemas.generators import BaseSchemaGenerator, Patterns, UrlConf
from lintel.schemas.serving import CALLER_HEADERS, WrittenDocument, written
from lintel.schemas.views import Classes, SchemaView, document_for, kept_document, made_view
from lintel_document import Document


# Comments instead of docstrings, which clients would see as descriptions of the views.
# ``keeps_documents`` makes each response for anonymous callers once, as in schema views, and
# gives every page a validator.
class KeepingView(SchemaView):
    name = "Schema"

    def get(self, request: Request, *args: object, **kwargs: object) -> HttpResponse:
        # The response, made anew unless it is kept.
        is_kept = self.keeps_documents and not has_caller(request)
        if is_kept and is_written_alike(request.accepted_renderer):
            return kept_response(self, request)
        return Response(self.get_document(request))

    def get_document(self, request: Request) -> object:
        return document_for(self, self.schema_generator, request)

    def get_cache_directives(self, request: Request) -> str:
        # Those of a response with a validator; without them, the response of the known API.
        return ""

    def finalize_response(
        self, request: Request, response: Any, *args: object, **kwargs: object
    ) -> Any:
        response = super().finalize_response(request, response, *args, **kwargs)
        directives = self.get_cache_directives(request)
        return (
            with_validator(request, response, directives, self.public) if directives else response
        )


# The page also shows what the native schema cannot express, which its renderer finds in its
# context as ``reference``: a function from a document to parts by the keys of its operations.
class DocumentationView(KeepingView):
    allowed_query_params = (ASKED_FOR, GROUP)
    shown: Shown | None = None

    def get_document(self, request: Request) -> object:
        renderer = request.accepted_renderer
        is_page = isinstance(renderer, DocumentationRenderer)
        if (is_page or wants_part(request)) and writes_plainly(renderer):
            self.shown = outlined(self.schema_generator, request, self.public, is_page)
        return self.shown[0] if self.shown else super().get_document(request)

    def get_renderer_context(self) -> dict[str, Any]:
        context = super().get_renderer_context()

        def reference(document: Document) -> Reference:
            if self.shown is not None:
                return self.shown[1]
            return reference_of(self.schema_generator, context["request"], self.public, document)

        # A part sends its requests with its own Core JSON, not with that of all operations.
        has_native = any(issubclass(cls, CoreJSONRenderer) for cls in self.renderer_classes)
        loads_parts = has_native and self.shown is not None
        return {**context, "reference": reference, "loads_parts": loads_parts}

    def get_cache_directives(self, request: Request) -> str:
        return "private, no-cache" if self.keeps_documents else ""


# The page asks for the script with ``?cache=1``, and gets a validator, so that a browser that has
# it gets 304 (RFC 9110, section 13).
class ScriptView(KeepingView):
    allowed_query_params = ("cache",)

    def get_cache_directives(self, request: Request) -> str:
        if "cache" not in request.query_params:
            return ""
        return "no-cache" if self.public else "private, no-cache"

    def finalize_response(
        self, request: Request, response: Any, *args: object, **kwargs: object
    ) -> Any:
        response = super().finalize_response(request, response, *args, **kwargs)
        if response.status_code == 200 and has_caller(request):
            # Pages of other sites may load a script, and would read what this caller may see.
            response.headers.setdefault("Cross-Origin-Resource-Policy", "same-site")
        return response


def has_caller(request: Request) -> bool:
    return request.auth is not None or getattr(request.user, "is_authenticated", False)


def kept_response(view: KeepingView, request: Request) -> HttpResponse:
    def make() -> WrittenDocument:
        return written(view.get_document(request), view, request)

    seen = request.get_full_path(), get_current_timezone_name()
    document = kept_document(view, view.schema_generator, request, make, seen)
    charset = request.accepted_renderer.charset
    suffix = f"; charset={charset}" if charset else ""
    return HttpResponse(document.content, content_type=f"{document.media_type}{suffix}")


def with_validator(request: Request, response: Response, directives: str, public: bool) -> object:
    if response.status_code != 200 or request.method not in ("GET", "HEAD"):
        return response
    response["Cache-Control"] = directives
    if not public:
        patch_vary_headers(response, CALLER_HEADERS)
    if getattr(response, "is_rendered", True):
        return validated(request, response)
    response.add_post_render_callback(partial(validated, request))
    return response


def is_written_alike(renderer: BaseRenderer) -> bool:
    """Return whether no template of the project, which may show anything, writes a response."""
    if not writes_plainly(renderer):
        return False
    if not isinstance(renderer, DocumentationRenderer):
        return True
    samples = [f"rest_framework/docs/langs/{name}.html" for name in renderer.languages]
    return are_ours(renderer.template, *samples)


def wants_part(request: Request) -> bool:
    is_asked = not {ASKED_FOR, GROUP}.isdisjoint(request.query_params)
    return is_asked and isinstance(request.accepted_renderer, CoreJSONRenderer)


def writes_plainly(renderer: BaseRenderer) -> bool:
    is_page = isinstance(renderer, DocumentationRenderer)
    return not is_overridden(type(renderer), "render", *(["get_context"] if is_page else []))


def validated(request: Request, response: Response) -> object:
    response["ETag"] = etag = f'"{sha256(response.content).hexdigest()[:32]}"'
    return get_conditional_response(request._request, etag=etag, response=response)


def get_docs_view(
    title: str | None = None,
    description: str | None = None,
    schema_url: str | None = None,
    urlconf: UrlConf = None,
    public: bool = True,
    patterns: Patterns = None,
    generator_class: type[BaseSchemaGenerator] = SchemaGenerator,
    authentication_classes: Classes = None,
    permission_classes: Classes = None,
    renderer_classes: Classes = None,
    keeps_documents: bool = False,
) -> Callable[..., HttpResponse]:
    """Return the view of the page; it also serves Core JSON to clients that ask for it.

    Authentication and permissions follow the settings unless they are given. ``keeps_documents``
    makes each page for anonymous callers once: use it if views describe themselves alike to all.
    """
    generator = generator_class(
        title=title, url=schema_url, urlconf=urlconf, description=description, patterns=patterns
    )
    usual = [DocumentationRenderer, CoreJSONRenderer]
    return made_view(
        DocumentationView,
        (authentication_classes, permission_classes),
        schema_generator=generator,
        renderer_classes=usual if renderer_classes is None else renderer_classes,
        public=public,
        keeps_documents=keeps_documents,
    )


def get_schemajs_view(
    title: str | None = None,
    description: str | None = None,
    schema_url: str | None = None,
    urlconf: UrlConf = None,
    public: bool = True,
    patterns: Patterns = None,
    generator_class: type[BaseSchemaGenerator] = SchemaGenerator,
    authentication_classes: Classes = None,
    permission_classes: Classes = None,
    keeps_documents: bool = False,
) -> Callable[..., HttpResponse]:
    """Return the view of the script that gives the schema to the pages that load it."""
    generator = generator_class(
        title=title, url=schema_url, urlconf=urlconf, description=description, patterns=patterns
    )
    return made_view(
        ScriptView,
        (authentication_classes, permission_classes),
        schema_generator=generator,
        renderer_classes=[SchemaJSRenderer],
        public=public,
        keeps_documents=keeps_documents,
    )


def include_docs_urls(
    title: str | None = None,
    description: str | None = None,
    schema_url: str | None = None,
    urlconf: UrlConf = None,
    public: bool = True,
    patterns: Patterns = None,
    generator_class: type[BaseSchemaGenerator] = SchemaGenerator,
    authentication_classes: Classes = None,
    permission_classes: Classes = None,
    renderer_classes: Classes = None,
    keeps_documents: bool = False,
) -> object:
    """Return URL patterns for ``path("docs/", include_docs_urls(title="My API"))``.

    The namespace is ``api-docs``, the names are ``docs-index`` and ``schema-js``.
    """
    base = title, description, schema_url, urlconf, public, patterns, generator_class
    policies = authentication_classes, permission_classes
    docs_view = get_docs_view(*base, *policies, renderer_classes, keeps_documents)
    schema_js_view = get_schemajs_view(*base, *policies, keeps_documents)
    urls = [
        path("", docs_view, name="docs-index"),
        path("schema.js", schema_js_view, name="schema-js"),
    ]
    return include((urls, "api-docs"), namespace="api-docs")
