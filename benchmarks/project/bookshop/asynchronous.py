"""The service in lintel with async handlers, for the event loop."""

from __future__ import annotations

from typing import Any

from django.urls import path

from benchmarks.project.bookshop import framework
from benchmarks.project.bookshop.framework import OrderSerializer, RememberedUser, Response


class Empty(framework.Empty):
    async def get(self, request: Any) -> Any:
        return Response({"ok": True})


class RememberedOnTheLoop(RememberedUser):
    async def authenticate(self, request: Any) -> Any:
        return super().authenticate(request)


class Guarded(framework.Guarded):
    authentication_classes = (RememberedOnTheLoop,)

    async def get(self, request: Any) -> Any:
        return Response({"ok": True})


class Articles(framework.Articles):
    async def get(self, request: Any) -> Any:
        return await self.alist(request)

    async def post(self, request: Any) -> Any:
        return await self.acreate(request)


class OneArticle(framework.OneArticle):
    async def get(self, request: Any, pk: int) -> Any:
        return await self.aretrieve(request, pk=pk)


class Books(framework.Books):
    async def get(self, request: Any) -> Any:
        return await self.alist(request)


class OneBook(framework.OneBook):
    async def get(self, request: Any, pk: int) -> Any:
        return await self.aretrieve(request, pk=pk)


class Search(framework.Search):
    async def get(self, request: Any) -> Any:
        return await self.alist(request)


class Orders(framework.Orders):
    async def post(self, request: Any) -> Any:
        await OrderSerializer(data=request.data).ais_valid(raise_exception=True)
        return Response({"ok": True})


urlpatterns = [
    path("empty/", Empty.as_view()),
    path("guarded/", Guarded.as_view()),
    path("articles/", Articles.as_view()),
    path("articles/<int:pk>/", OneArticle.as_view()),
    path("books/", Books.as_view()),
    path("books/<int:pk>/", OneBook.as_view()),
    path("search/", Search.as_view()),
    path("orders/", Orders.as_view()),
]
