"""The view that serves the schema of the project."""

from __future__ import annotations

from typing import Any

from lintel import exceptions, renderers
from lintel.request import Request
from lintel.response import Response
from lintel.schemas.coreapi import SchemaGenerator as NativeSchemaGenerator
from lintel.settings import api_settings
from lintel.views import APIView

__all__ = ["APIView", "Response", "SchemaView", "api_settings", "exceptions", "renderers"]


# Answers with the schema that the user may see; 403 when there is nothing to see.
# ``schema_generator`` makes it, ``native_generator`` makes the Document for renderers that write
# one (they set ``takes_document``), ``public`` shows every operation to everybody. A comment,
# because a docstring would be shown to clients as the description of the view.
class SchemaView(APIView):
    _ignore_model_permissions = True
    schema = None  # the schema does not describe itself
    renderer_classes: Any = None
    schema_generator: Any = None
    native_generator: Any = None
    public = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.renderer_classes is None:
            self.renderer_classes = default_renderers(self.schema_generator)

    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        # The schema, in the form that the accepted renderer writes.
        generator = self.schema_generator
        if self.native_generator is not None and _wants_document(self, request):
            generator = self.native_generator
        schema = generator.get_schema(request, self.public)
        if schema is None:
            raise exceptions.PermissionDenied()
        return Response(schema)

    def handle_exception(self, exc: Exception) -> Any:
        """Errors are written by the default renderers: a schema format has no form for them."""
        request: Any = self.request
        self.renderer_classes = api_settings.DEFAULT_RENDERER_CLASSES
        negotiated = self.perform_content_negotiation(request, force=True)
        request.accepted_renderer, request.accepted_media_type = negotiated
        return super().handle_exception(exc)


def _wants_document(view: SchemaView, request: Request) -> bool:
    renderer: Any = request.accepted_renderer
    if isinstance(renderer, renderers.BrowsableAPIRenderer):
        # The page shows what the first renderer writes.
        renderer = view.renderer_classes[0]
    return getattr(renderer, "takes_document", False)


def default_renderers(generator: Any) -> list[Any]:
    """Renderers of a schema view that names none: those of the format, and the page for people."""
    if isinstance(generator, NativeSchemaGenerator):
        chosen: list[Any] = [renderers.CoreAPIOpenAPIRenderer, renderers.CoreJSONRenderer]
    else:
        chosen = [renderers.OpenAPIRenderer, renderers.JSONOpenAPIRenderer]
    if renderers.BrowsableAPIRenderer in api_settings.DEFAULT_RENDERER_CLASSES:
        chosen.append(renderers.BrowsableAPIRenderer)
    return chosen
