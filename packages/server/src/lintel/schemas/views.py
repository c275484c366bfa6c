"""The view that serves the schema of the project, and the function that makes it."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from django.http import HttpResponse

from lintel import compat, exceptions, renderers
from lintel.fields.describing import Schema
from lintel.request import Request
from lintel.response import Response
from lintel.schemas.assembling import may_see
from lintel.schemas.coreapi import SchemaGenerator as NativeSchemaGenerator
from lintel.schemas.coreapi import is_enabled
from lintel.schemas.generators import BaseSchemaGenerator, Patterns, UrlConf
from lintel.schemas.inspection import is_full, warn_of
from lintel.schemas.openapi import SchemaGenerator
from lintel.schemas.serving import KeptDocuments, WrittenDocument, answer, key_of, written
from lintel.settings import api_settings
from lintel.views import APIView

Classes: TypeAlias = Sequence[Any] | None


# Returns the schema that the user may see; 403 if there is nothing to see.
# ``schema_generator`` makes it, ``native_generator`` makes the Document for renderers that write
# one (they set ``takes_document``), ``public`` shows every operation to everybody. A comment,
# because a docstring would be shown to clients as the description of the view.
# ``keeps_documents`` says that documents depend only on the settings, the URL configuration,
# the language, the URL and the operations that the caller may see: each is then made once.
class SchemaView(APIView):
    _ignore_model_permissions = True
    schema = None  # the schema does not describe itself
    renderer_classes: Any = None
    schema_generator: Any = None
    native_generator: Any = None
    public = False
    keeps_documents = False

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        if self.renderer_classes is None:
            self.renderer_classes = default_renderers(self.schema_generator)

    def get(self, request: Request, *args: object, **kwargs: object) -> HttpResponse:
        # The schema, in the form that the accepted renderer writes.
        generator = self.schema_generator
        if self.native_generator is not None and _wants_document(self, request):
            generator = self.native_generator
        is_page = isinstance(request.accepted_renderer, renderers.BrowsableAPIRenderer)
        version = getattr(generator, "openapi_version", None)
        if is_page or version is None or not is_full(str(version)):
            return Response(document_for(self, generator, request))
        return serve(self, generator, request)

    def handle_exception(self, exc: Exception) -> Response:
        """Write errors with the default renderers: a schema format has no form for them."""
        request = self.request
        self.renderer_classes = api_settings.DEFAULT_RENDERER_CLASSES
        negotiated = self.perform_content_negotiation(request, force=True)
        request.accepted_renderer, request.accepted_media_type = negotiated
        return super().handle_exception(exc)


def document_for(view: SchemaView, generator: BaseSchemaGenerator, request: Request) -> Any:
    generator.keeps_going = True
    schema = generator.get_schema(request, view.public)
    if schema is None:
        raise exceptions.PermissionDenied()
    return schema


def serve(view: SchemaView, generator: BaseSchemaGenerator, request: Request) -> HttpResponse:
    def make() -> WrittenDocument:
        return written(document_for(view, generator, request), view, request)

    is_kept = view.keeps_documents
    document = kept_document(view, generator, request, make) if is_kept else make()
    return answer(document, request, view.public)


def kept_document(
    view: SchemaView,
    generator: BaseSchemaGenerator,
    request: Request,
    make: Callable[[], WrittenDocument],
    seen: tuple[str, ...] = (),
) -> WrittenDocument:
    audience = None if view.public else audience_of(generator, request)
    key = key_of(request, request.accepted_renderer, audience), seen
    documents: KeptDocuments = generator.__dict__.setdefault("_lintel_kept", KeptDocuments())
    return documents.get(key, make)


def audience_of(generator: BaseSchemaGenerator, request: Request) -> frozenset[tuple[str, str]]:
    _, endpoints = generator._get_paths_and_endpoints(request)
    return frozenset(item[:2] for item in endpoints if may_see(generator, item, warn_of))


def _wants_document(view: SchemaView, request: Request) -> bool:
    renderer = request.accepted_renderer
    if isinstance(renderer, renderers.BrowsableAPIRenderer):
        # The page shows what the first renderer writes.
        renderer = view.renderer_classes[0]
    return getattr(renderer, "takes_document", False)


def default_renderers(generator: BaseSchemaGenerator) -> list[type]:
    if isinstance(generator, NativeSchemaGenerator):
        chosen: list[type] = [renderers.CoreAPIOpenAPIRenderer, renderers.CoreJSONRenderer]
        chosen += [renderers.HALRenderer] if compat.HALCodec is not None else []
    else:
        chosen = [renderers.OpenAPIRenderer, renderers.JSONOpenAPIRenderer]
    chosen.append(renderers.StandardOpenAPIRenderer)
    if renderers.BrowsableAPIRenderer in api_settings.DEFAULT_RENDERER_CLASSES:
        chosen.append(renderers.BrowsableAPIRenderer)
    return chosen


def get_schema_view(
    title: str | None = None,
    url: str | None = None,
    description: str | None = None,
    urlconf: UrlConf = None,
    renderer_classes: Classes = None,
    public: bool = False,
    patterns: Patterns = None,
    generator_class: type[BaseSchemaGenerator] | None = None,
    authentication_classes: Classes = None,
    permission_classes: Classes = None,
    version: str | None = None,
    keeps_documents: bool = False,
) -> Callable[..., HttpResponse]:
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
    if generator_class is not None:
        generator, native = generator_class(**arguments), None
    else:
        native = NativeSchemaGenerator(**arguments)
        generator = native if is_enabled() else SchemaGenerator(**arguments)
    return made_view(
        SchemaView,
        (authentication_classes, permission_classes),
        renderer_classes=renderer_classes,
        schema_generator=generator,
        native_generator=native,
        public=public,
        keeps_documents=keeps_documents,
    )


def made_view(
    cls: type[SchemaView], policies: tuple[Classes, Classes], **options: object
) -> Callable[..., HttpResponse]:
    """Return the function of a view; ``policies`` are those of the settings unless given."""
    names = ("authentication_classes", "permission_classes")
    given = {name: value for name, value in zip(names, policies, strict=True) if value is not None}
    return cls.as_view(**options, **given)
