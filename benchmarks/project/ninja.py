"""The endpoints in django-ninja: schemas generated from the model."""

from __future__ import annotations

from typing import Any

from django.shortcuts import get_object_or_404
from django.urls import path
from ninja import ModelSchema, NinjaAPI, Status

from benchmarks.project.models import Article, Author

NAMES = [field.name for field in Article._meta.fields if field.name != "id"]
api = NinjaAPI()


class ArticleSchema(ModelSchema):
    class Meta:
        model = Article
        fields = NAMES


class NewArticle(ModelSchema):
    author: int

    class Meta:
        model = Article
        fields = [name for name in NAMES if name != "author"]


@api.get("articles/", response=list[ArticleSchema])
def articles(request: Any) -> Any:
    return Article.objects.order_by("pk")


@api.post("articles/", response={201: ArticleSchema})
def create(request: Any, payload: NewArticle) -> Any:
    values = payload.model_dump()
    author = get_object_or_404(Author, pk=values.pop("author"))
    return Status(201, Article.objects.create(author=author, **values))


@api.get("articles/{int:pk}/", response=ArticleSchema)
def article(request: Any, pk: int) -> Any:
    return Article.objects.get(pk=pk)


@api.get("empty/")
def empty(request: Any) -> dict[str, bool]:
    return {"ok": True}


urlpatterns = [path("", api.urls)]
