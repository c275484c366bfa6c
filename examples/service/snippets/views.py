"""The operations of the service, and its root with the schema."""

from typing import Any

from django.contrib.auth.models import User
from django.utils.html import format_html

from lintel.decorators import action
from lintel.permissions import IsAuthenticatedOrReadOnly
from lintel.renderers import (
    BrowsableAPIRenderer,
    CoreJSONRenderer,
    HALRenderer,
    JSONOpenAPIRenderer,
    JSONRenderer,
    OpenAPIRenderer,
    StandardOpenAPIRenderer,
    StaticHTMLRenderer,
    VendorCoreJSONRenderer,
)
from lintel.request import Request
from lintel.response import Response
from lintel.reverse import reverse
from lintel.routers import APIRootView, DefaultRouter
from lintel.schemas import coreapi, openapi
from lintel.serializers import BaseSerializer
from lintel.viewsets import ModelViewSet, ReadOnlyModelViewSet
from snippets.models import Snippet
from snippets.permissions import IsOwnerOrReadOnly
from snippets.serializers import SnippetSerializer, UserSerializer

#: The URL patterns that the schema describes: the tour beside them has schemas of its own.
DESCRIBED = "snippets.urls"


class ServiceRoot(APIRootView):
    """Snippets of source code: links for browsers, the schema for schema-driven clients."""

    name = "Snippets"

    renderer_classes = [
        JSONRenderer,
        BrowsableAPIRenderer,
        CoreJSONRenderer,
        VendorCoreJSONRenderer,
        HALRenderer,
        JSONOpenAPIRenderer,
        StandardOpenAPIRenderer,
        OpenAPIRenderer,
    ]

    def get_view_description(self, html: bool = False) -> str:
        text = super().get_view_description(html)
        return format_html('{} <a href="/start/">Take the tour.</a>', text) if html else text

    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        renderer = request.accepted_renderer
        if isinstance(renderer, CoreJSONRenderer | HALRenderer):
            address = request.build_absolute_uri()
            generator = coreapi.SchemaGenerator(title="Snippets", url=address, urlconf=DESCRIBED)
            return Response(generator.get_schema(request, public=True))
        if isinstance(renderer, JSONOpenAPIRenderer | OpenAPIRenderer):
            described = openapi.SchemaGenerator(title="Snippets", version="1", urlconf=DESCRIBED)
            return Response(described.get_schema())
        response = super().get(request, *args, **kwargs)
        response.data["docs"] = reverse("api-docs:docs-index", request=request)
        return response


class ServiceRouter(DefaultRouter):
    """A default router with the service's own root."""

    APIRootView = ServiceRoot


class SnippetViewSet(ModelViewSet):
    """Create, read, change and delete snippets; only the owner changes and deletes."""

    queryset = Snippet.objects.select_related("owner")
    serializer_class = SnippetSerializer
    permission_classes = [IsAuthenticatedOrReadOnly, IsOwnerOrReadOnly]

    @action(detail=True, renderer_classes=[StaticHTMLRenderer])
    def highlight(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """The snippet as a coloured HTML page."""
        return Response(self.get_object().highlighted())

    def perform_create(self, serializer: BaseSerializer) -> None:
        serializer.save(owner=self.request.user)


class UserViewSet(ReadOnlyModelViewSet):
    """The people who own snippets."""

    queryset = User.objects.order_by("pk").prefetch_related("snippets")
    serializer_class = UserSerializer
