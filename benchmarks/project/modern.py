"""The endpoints in django-modern-rest with msgspec, its fastest form.

Responses are not validated a second time, as its documentation advises for production.
"""

import uuid
from datetime import date, datetime
from decimal import Decimal
from http import HTTPStatus
from typing import Literal

import msgspec
from django.shortcuts import get_object_or_404
from django.urls import path
from dmr import Body, Controller, modify
from dmr.plugins.msgspec import MsgspecSerializer

from benchmarks.project.models import Article, Author

NAMES = [field.name for field in Article._meta.fields if field.name != "id"]


class ArticleModel(msgspec.Struct):
    title: str
    slug: str
    body: str
    status: Literal["draft", "live"]
    words: int
    price: Decimal
    ratio: float
    active: bool
    published: datetime
    day: date
    token: uuid.UUID
    author: int


class Ok(msgspec.Struct):
    ok: bool


class ArticleList(Controller[MsgspecSerializer]):
    validate_responses = False

    def get(self) -> list[ArticleModel]:
        rows = Article.objects.order_by("pk").values(*NAMES)
        return [ArticleModel(**row) for row in rows]

    @modify(status_code=HTTPStatus.CREATED)
    def post(self, parsed_body: Body[ArticleModel]) -> ArticleModel:
        values = msgspec.structs.asdict(parsed_body)
        author = get_object_or_404(Author, pk=values.pop("author"))
        Article.objects.create(author=author, **values)
        return parsed_body


class ArticleDetail(Controller[MsgspecSerializer]):
    validate_responses = False

    def get(self) -> ArticleModel:
        return ArticleModel(**Article.objects.values(*NAMES).get(pk=self.kwargs["pk"]))


class Empty(Controller[MsgspecSerializer]):
    validate_responses = False

    def get(self) -> Ok:
        return Ok(ok=True)


urlpatterns = [
    path("articles/", ArticleList.as_view()),
    path("articles/<int:pk>/", ArticleDetail.as_view()),
    path("empty/", Empty.as_view()),
]
