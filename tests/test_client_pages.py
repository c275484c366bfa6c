"""`Client.pages` over every pagination of the server, through a real one."""

from typing import Any

import pytest
from contract_project.models import Snippet
from django.urls import path

from lintel import generics, pagination, serializers
from lintel.response import Response
from lintel_client import Client
from lintel_document import Document, Link

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.urls(__name__)]

COUNT = 23


class SnippetSerializer(serializers.ModelSerializer):
    class Meta:
        model = Snippet
        fields = ["id", "title"]


class Numbers(pagination.PageNumberPagination):
    page_size = 5


class Offsets(pagination.LimitOffsetPagination):
    default_limit = 5


class Cursors(pagination.CursorPagination):
    page_size = 5
    ordering = "title"


class NestedLinks(Numbers):
    def get_paginated_response(self, data: Any) -> Response:
        links = {"next": self.get_next_link(), "previous": self.get_previous_link()}
        return Response({"links": links, "count": self.page.paginator.count, "results": data})


class LinkHeader(Numbers):
    def get_paginated_response(self, data: Any) -> Response:
        links = {"next": self.get_next_link(), "prev": self.get_previous_link()}
        texts = [f'<{url}>; rel="{relation}"' for relation, url in links.items() if url]
        headers = {"Link": ", ".join(texts), "X-Total-Count": str(self.page.paginator.count)}
        return Response(data, headers=headers)


class SnippetList(generics.ListAPIView):
    queryset = Snippet.objects.order_by("title")
    serializer_class = SnippetSerializer


STYLES = [Numbers, Offsets, Cursors, NestedLinks, LinkHeader, None]

urlpatterns = [
    path(f"{number}/", SnippetList.as_view(pagination_class=style))
    for number, style in enumerate(STYLES)
]


@pytest.mark.parametrize("number", range(len(STYLES)))
def test_every_style_of_pages(live_server: Any, django_user_model: Any, number: int) -> None:
    owner = django_user_model.objects.create_user("ada")
    titles = [f"title {at:02}" for at in range(COUNT)]
    for title in titles:
        Snippet.objects.create(title=title, owner=owner)
    document = Document(live_server.url, content={"list": Link(f"/{number}/")})
    with Client() as client:
        pages = client.pages(document, "list")
        assert [item["title"] for item in pages] == titles
        has_count = STYLES[number] not in (Cursors, None)
        assert pages.total == (COUNT if has_count else None)
