"""The view that serves the schema of the project."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lintel import compat, exceptions, renderers
from lintel.request import Request
from lintel.response import Response
from lintel.schemas.audiences import audience_of
from lintel.schemas.coreapi import SchemaGenerator as NativeSchemaGenerator
from lintel.schemas.generators import BaseSchemaGenerator
from lintel.schemas.inspection import is_full
from lintel.schemas.serving import KeptDocuments, WrittenDocument, answer, key_of, written
from lintel.settings import api_settings
from lintel.views import APIView

__all__ = ["APIView", "Response", "SchemaView", "api_settings", "exceptions", "renderers"]


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

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.renderer_classes is None:
            self.renderer_classes = default_renderers(self.schema_generator)

    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        # The schema, in the form that the accepted renderer writes.
        generator = self.schema_generator
        if self.native_generator is not None and _wants_document(self, request):
            generator = self.native_generator
        if _is_page(request) or not _has_validators(generator):
            return Response(document_for(self, generator, request))
        return serve(self, generator, request)

    def handle_exception(self, exc: Exception) -> Any:
        """Write errors with the default renderers: a schema format has no form for them."""
        request: Any = self.request
        self.renderer_classes = api_settings.DEFAULT_RENDERER_CLASSES
        negotiated = self.perform_content_negotiation(request, force=True)
        request.accepted_renderer, request.accepted_media_type = negotiated
        return super().handle_exception(exc)


def document_for(view: SchemaView, generator: BaseSchemaGenerator, request: Request) -> Any:
    schema = generator.get_schema(request, view.public)
    if schema is None:
        raise exceptions.PermissionDenied()
    return schema


def _has_validators(generator: BaseSchemaGenerator) -> bool:
    """Return whether documents are served with validators, as full descriptions are."""
    version = getattr(generator, "openapi_version", None)
    return version is not None and is_full(str(version))


def _is_page(request: Request) -> bool:
    return isinstance(request.accepted_renderer, renderers.BrowsableAPIRenderer)


def serve(view: SchemaView, generator: BaseSchemaGenerator, request: Request) -> Any:
    def make() -> WrittenDocument:
        return written(document_for(view, generator, request), view, request)

    is_kept = view.keeps_documents
    document = kept_document(view, generator, request, make) if is_kept else make()
    return answer(document, request, view.public)


def kept_document(
    view: SchemaView,
    generator: Any,
    request: Request,
    make: Callable[[], WrittenDocument],
    seen: tuple[str, ...] = (),
) -> WrittenDocument:
    audience = None if view.public else audience_of(generator, request)
    key = key_of(request, request.accepted_renderer, audience), seen
    kept: KeptDocuments = generator.__dict__.setdefault("_lintel_kept", KeptDocuments())
    return kept.get(key, make) or make()


def _wants_document(view: SchemaView, request: Request) -> bool:
    renderer: Any = request.accepted_renderer
    if isinstance(renderer, renderers.BrowsableAPIRenderer):
        # The page shows what the first renderer writes.
        renderer = view.renderer_classes[0]
    return getattr(renderer, "takes_document", False)


def default_renderers(generator: BaseSchemaGenerator) -> list[Any]:
    if isinstance(generator, NativeSchemaGenerator):
        chosen: list[Any] = [renderers.CoreAPIOpenAPIRenderer, renderers.CoreJSONRenderer]
        chosen += [renderers.HALRenderer] if compat.HALCodec is not None else []
    else:
        chosen = [renderers.OpenAPIRenderer, renderers.JSONOpenAPIRenderer]
    chosen.append(renderers.StandardOpenAPIRenderer)
    if renderers.BrowsableAPIRenderer in api_settings.DEFAULT_RENDERER_CLASSES:
        chosen.append(renderers.BrowsableAPIRenderer)
    return chosen
