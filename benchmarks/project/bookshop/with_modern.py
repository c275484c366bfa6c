"""The service in django-modern-rest with msgspec, its fastest form.

Responses are not validated a second time, as its documentation advises for production.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

import msgspec
from django.db.models import Q, QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.urls import path
from dmr import APIError, Body, Controller, Query, modify
from dmr.plugins.msgspec import MsgspecSerializer
from dmr.security import SyncAuth
from dmr.throttling import Rate, SyncThrottle

from benchmarks.project.bookshop.accounts import ACCOUNTS
from benchmarks.project.bookshop.paging import is_beyond, links
from benchmarks.project.bookshop.structs import (
    ARTICLE,
    BOOK,
    REVIEW,
    Article,
    ArticlePage,
    BookPage,
    BookWithLabels,
    Named,
    NewArticle,
    Ok,
    Order,
    PageQuery,
    SearchQuery,
    articles_of,
    author_of,
    books_of,
)
from benchmarks.project.models import Article as ArticleRow
from benchmarks.project.models import Author, Book, Label, Review


class Quick(Controller[MsgspecSerializer]):
    validate_responses = False


class Empty(Quick):
    def get(self) -> Ok:
        return Ok()


class ByToken(SyncAuth):
    def __call__(self, endpoint: Any, controller: Any) -> Any:
        account = ACCOUNTS.get(controller.request.headers.get("Authorization"))
        if account is None:
            return None
        controller.request.user = account
        return self

    @property
    def www_authenticate_challenge(self) -> str:
        return "Token"

    @property
    def security_schemes(self) -> dict[str, Any]:
        return {}

    @property
    def security_requirement(self) -> dict[str, Any]:
        return {"token": []}


class Guarded(Quick):
    auth = (ByToken(),)
    throttling = (SyncThrottle(100_000_000, Rate.minute),)

    def get(self) -> Ok:
        if not self.request.user.is_active:
            raise APIError(self.format_error("Forbidden"), status_code=HTTPStatus.FORBIDDEN)
        return Ok()


def page_of(
    request: Any, queryset: QuerySet[Any, Any], page: int, size: int
) -> tuple[list[Any], dict[str, Any]]:
    """Return the rows of a page, and its count and links."""
    count = queryset.count()
    if is_beyond(page, size, count):
        raise Http404
    address = request.build_absolute_uri(request.path)
    around = links(address, request.GET.dict(), page, size, count)
    return list(queryset[(page - 1) * size : page * size]), {"count": count, **around}


class Articles(Quick):
    def get(self, parsed_query: Query[PageQuery]) -> ArticlePage:
        queryset = ArticleRow.objects.order_by("pk").values(*ARTICLE)
        rows, envelope = page_of(self.request, queryset, parsed_query.page, 100)
        return ArticlePage(results=articles_of(rows), **envelope)

    @modify(status_code=HTTPStatus.CREATED)
    def post(self, parsed_body: Body[NewArticle]) -> Article:
        values = msgspec.structs.asdict(parsed_body)
        author = get_object_or_404(Author, pk=values.pop("author"))
        ArticleRow.objects.create(author=author, **values)
        return parsed_body


class OneArticle(Quick):
    def get(self) -> Article:
        rows = ArticleRow.objects.values(*ARTICLE)
        return Article(**get_object_or_404(rows, pk=self.kwargs["pk"]))


class Books(Quick):
    def get(self, parsed_query: Query[PageQuery]) -> BookPage:
        queryset = Book.objects.order_by("pk").values(*BOOK)
        rows, envelope = page_of(self.request, queryset, parsed_query.page, 50)
        shown = Review.objects.filter(book__in=[row["id"] for row in rows])
        results = books_of(rows, shown.order_by("id").values(*REVIEW))
        return BookPage(results=results, **envelope)


class OneBook(Quick):
    def get(self) -> BookWithLabels:
        pk = self.kwargs["pk"]
        row = get_object_or_404(Book.objects.values(*BOOK), pk=pk)
        labels = Label.objects.filter(book=pk).order_by("id").values_list("id", "name")
        named = [Named(*each) for each in labels]
        return BookWithLabels(author=author_of(row), labels=named, **row)


class Search(Quick):
    def get(self, parsed_query: Query[SearchQuery]) -> ArticlePage:
        found = matching(parsed_query)
        rows, envelope = page_of(self.request, found, parsed_query.page, 20)
        return ArticlePage(results=articles_of(rows), **envelope)


def matching(wanted: SearchQuery) -> QuerySet[Any, Any]:
    queryset = ArticleRow.objects.values(*ARTICLE)
    if wanted.status:
        queryset = queryset.filter(status=wanted.status)
    if wanted.words__gte is not None:
        queryset = queryset.filter(words__gte=wanted.words__gte)
    for term in wanted.search.split():
        queryset = queryset.filter(Q(title__icontains=term) | Q(body__icontains=term))
    return queryset.order_by(wanted.ordering) if wanted.ordering else queryset


class Orders(Quick):
    @modify(status_code=HTTPStatus.OK)
    def post(self, parsed_body: Body[Order]) -> Ok:
        return Ok()


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
