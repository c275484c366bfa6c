"""The service in django-ninja, with schemas made from the models."""

from __future__ import annotations

import itertools
import uuid
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, Literal

import orjson
from django.db.models import QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.urls import path
from ninja import FilterLookup, FilterSchema, ModelSchema, NinjaAPI, Query, Schema, Status
from ninja.errors import HttpError
from ninja.renderers import BaseRenderer
from ninja.security import APIKeyHeader
from ninja.throttling import UserRateThrottle
from pydantic import EmailStr, Field

from benchmarks.project.bookshop.accounts import ACCOUNTS, Account
from benchmarks.project.bookshop.paging import envelope, is_beyond
from benchmarks.project.models import Article, Author, Book, Label, Review

NAMES = [field.name for field in Article._meta.fields if field.name != "id"]
Choice = Literal["draft", "live"]
Price = Annotated[Decimal, Field(max_digits=8, decimal_places=2)]
PageNumber = Annotated[int, Field(ge=1)]


class FastRenderer(BaseRenderer):
    """orjson in place of the standard library, which its documentation shows for speed.

    Django's encoder would cut microseconds off.
    """

    media_type = "application/json"

    def render(self, request: Any, data: Any, *, response_status: int) -> bytes:
        return orjson.dumps(data, default=str, option=orjson.OPT_UTC_Z)


api = NinjaAPI(openapi_url=None, renderer=FastRenderer())


class ArticleSchema(ModelSchema):
    class Meta:
        model = Article
        fields = NAMES


class NewArticle(ModelSchema):
    slug: str = Field(pattern=r"^[-a-zA-Z0-9_]+$", max_length=200)
    status: Choice
    price: Price
    author: int

    class Meta:
        model = Article
        fields = [name for name in NAMES if name != "author"]


class AuthorSchema(ModelSchema):
    class Meta:
        model = Author
        fields = ["id", "name"]


class LabelSchema(ModelSchema):
    class Meta:
        model = Label
        fields = ["id", "name"]


class ReviewSchema(ModelSchema):
    class Meta:
        model = Review
        fields = ["id", "stars", "text", "created"]


class BookWithLabels(ModelSchema):
    author: AuthorSchema
    labels: list[LabelSchema]

    class Meta:
        model = Book
        fields = ["id", "title", "summary", "price", "published"]


class BookWithReviews(ModelSchema):
    author: AuthorSchema
    reviews: list[ReviewSchema]

    class Meta:
        model = Book
        fields = ["id", "title", "summary", "price", "published"]


class Page(Schema):
    count: int
    next: str | None
    previous: str | None


class ArticlePage(Page):
    results: list[ArticleSchema]


class BookPage(Page):
    results: list[BookWithReviews]


class Item(Schema):
    sku: str = Field(min_length=1, max_length=20)
    quantity: int = Field(ge=1)
    price: Price


class Order(Schema):
    id: uuid.UUID
    email: EmailStr
    placed: datetime
    status: Literal["new", "paid", "sent"]
    note: str = ""
    gift: bool = False
    items: list[Item]


class Wanted(FilterSchema):
    status: Choice | None = None
    words__gte: int | None = None


class Ordered(Schema):
    """The parameters of a search that are no comparisons of columns."""

    search: str = ""
    ordering: Literal["published", "-published", "words", "-words"] | None = None


class ByToken(APIKeyHeader):
    param_name = "Authorization"

    def authenticate(self, request: Any, key: str | None) -> Account | None:
        return ACCOUNTS.get(key or "")


class Throttle(UserRateThrottle):
    """Its window is full, and no request is refused: a second passes between two requests."""

    timer = itertools.count(1_800_000_000).__next__

    def get_cache_key(self, request: Any) -> str:
        return f"throttle-{request.auth.pk}"


@api.get("empty/")
def empty(request: Any) -> Any:
    return {"ok": True}


@api.get("guarded/", auth=ByToken(), throttle=[Throttle("100/m")])
def guarded(request: Any) -> Any:
    if not request.auth.is_active:
        raise HttpError(403, "Forbidden")
    return {"ok": True}


def page_of(request: Any, queryset: QuerySet[Any], page: int, size: int) -> Any:
    count = queryset.count()
    if is_beyond(page, size, count):
        raise Http404
    results = queryset[(page - 1) * size : page * size]
    address = request.build_absolute_uri(request.path)
    return envelope(address, request.GET.dict(), page, size, count, list(results))


@api.get("articles/", response=ArticlePage)
def articles(request: Any, page: PageNumber = 1) -> Any:
    return page_of(request, Article.objects.order_by("pk"), page, 100)


@api.post("articles/", response={201: ArticleSchema})
def create(request: Any, payload: NewArticle) -> Any:
    values = payload.model_dump()
    author = get_object_or_404(Author, pk=values.pop("author"))
    return Status(201, Article.objects.create(author=author, **values))


@api.get("articles/{int:pk}/", response=ArticleSchema)
def article(request: Any, pk: int) -> Any:
    return get_object_or_404(Article, pk=pk)


@api.get("books/", response=BookPage)
def books(request: Any, page: PageNumber = 1) -> Any:
    queryset = Book.objects.select_related("author").prefetch_related("reviews")
    return page_of(request, queryset.order_by("pk"), page, 50)


@api.get("books/{int:pk}/", response=BookWithLabels)
def book(request: Any, pk: int) -> Any:
    queryset = Book.objects.select_related("author").prefetch_related("labels")
    return get_object_or_404(queryset, pk=pk)


class Search(FilterSchema):
    """One word, looked for in both texts."""

    word: Annotated[str, FilterLookup(["title__icontains", "body__icontains"])]


@api.get("search/", response=ArticlePage)
def search(
    request: Any, wanted: Query[Wanted], ordered: Query[Ordered], page: PageNumber = 1
) -> Any:
    queryset = wanted.filter(Article.objects.all())
    for word in ordered.search.split():
        queryset = Search(word=word).filter(queryset)
    if ordered.ordering:
        queryset = queryset.order_by(ordered.ordering)
    return page_of(request, queryset, page, 20)


@api.post("orders/")
def orders(request: Any, order: Order) -> Any:
    return {"ok": True}


urlpatterns = [path("", api.urls)]
