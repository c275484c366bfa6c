"""The clients that ``LINTEL_SERVING=on`` installs for all tests work in every run."""

import asyncio
from typing import Any

import pytest
import served_clients
from django.http import HttpResponse
from django.test.client import AsyncClientHandler, ClientHandler
from django.urls import path

from lintel.response import Response
from lintel.test import APIClient, AsyncAPIClient
from lintel.views import APIView


class Numbers(APIView):
    permission_classes = ()

    def get(self, request: Any, number: int) -> Response:
        return Response({"number": number})


urlpatterns = [
    path("numbers/<int:number>/", Numbers.as_view()),
    path("plain/", lambda request: HttpResponse("plain")),
]
pytestmark = pytest.mark.urls(__name__)


@pytest.fixture(autouse=True)
def _installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ClientHandler, "__call__", served_clients.call)
    monkeypatch.setattr(AsyncClientHandler, "get_response_async", served_clients.respond_on_loop)


def test_views_are_served_by_the_entry() -> None:
    client: Any = APIClient()
    # The first request lets Django load the routes.
    assert client.get("/plain/").content == b"plain"
    response = client.get("/numbers/7/")
    assert response.data == {"number": 7}
    assert response.wsgi_request is client.handler.served.request
    assert client.get("/none/").status_code == 404


def test_views_are_served_on_the_loop() -> None:
    async def talk() -> Any:
        client: Any = AsyncAPIClient()
        assert (await client.get("/plain/")).content == b"plain"
        assert not hasattr(client.handler, "served")
        response = await client.get("/numbers/7/")
        assert hasattr(client.handler, "served")
        return response

    assert asyncio.run(talk()).data == {"number": 7}
