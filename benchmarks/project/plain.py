"""The endpoints by hand: Django views, ``values()`` and the JSON library; the lower bound."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import orjson
from django.core.validators import slug_re
from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt

from benchmarks.project.models import Article, Author

NAMES = [field.name for field in Article._meta.fields if field.name != "id"]
OPTIONS = orjson.OPT_UTC_Z


def write(content: object, status: int = 200) -> HttpResponse:
    body = orjson.dumps(content, default=str, option=OPTIONS)
    return HttpResponse(body, content_type="application/json", status=status)


def rows(queryset: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return list(queryset)


@csrf_exempt
def article_list(request: HttpRequest) -> HttpResponse:
    if request.method == "POST":
        return create(request)
    return write(rows(Article.objects.order_by("pk").values(*NAMES)))


def create(request: HttpRequest) -> HttpResponse:
    """Neither the lengths of texts nor the author are checked."""
    article = Article.objects.create(**converted(orjson.loads(request.body)))
    return write(content(article), status=201)


@csrf_exempt
def create_checked(request: HttpRequest) -> HttpResponse:
    """What the serializers of the others find out: lengths, the pattern of the slug, the author."""
    data = orjson.loads(request.body)
    errors = {
        name: "This is no text of at most 200 characters."
        for name in ("title", "slug")
        if type(data[name]) is not str or not 0 < len(data[name]) <= 200
    }
    if not slug_re.fullmatch(data["slug"]):
        errors["slug"] = "This is no slug."
    if data["status"] not in ("draft", "live"):
        errors["status"] = "This is no status."
    values = converted(data)
    try:
        values["author"] = Author.objects.get(pk=values.pop("author_id"))
    except Author.DoesNotExist:
        errors["author"] = "There is no such author."
    if errors:
        return write(errors, status=400)
    return write(content(Article.objects.create(**values)), status=201)


def converted(data: dict[str, Any]) -> dict[str, Any]:
    return {
        "title": str(data["title"])[:200],
        "slug": str(data["slug"])[:200],
        "body": str(data["body"]),
        "status": data["status"] if data["status"] in ("draft", "live") else "draft",
        "words": int(data["words"]),
        "price": Decimal(data["price"]),
        "ratio": float(data["ratio"]),
        "active": bool(data["active"]),
        "published": datetime.fromisoformat(data["published"]),
        "day": date.fromisoformat(data["day"]),
        "token": uuid.UUID(data["token"]),
        "author_id": int(data["author"]),
    }


def content(article: Article) -> dict[str, Any]:
    found = {name: getattr(article, name) for name in NAMES if name != "author"}
    return {**found, "author": article.author_id}


@csrf_exempt
def article_detail(request: HttpRequest, pk: int) -> HttpResponse:
    if request.method == "PUT":
        return update(request, pk)
    return write(Article.objects.values(*NAMES).get(pk=pk))


def update(request: HttpRequest, pk: int) -> HttpResponse:
    """Unchecked as well."""
    article = Article.objects.get(pk=pk)
    for name, value in converted(orjson.loads(request.body)).items():
        setattr(article, name, value)
    article.save()
    return write(content(article))


def empty(request: HttpRequest) -> HttpResponse:
    return write({"ok": True})


@csrf_exempt
def parse_order(request: HttpRequest) -> HttpResponse:
    """The order is parsed and not checked."""
    orjson.loads(request.body)
    return write({"ok": True})


urlpatterns = [
    path("articles/", article_list),
    path("checked/", create_checked),
    path("articles/<int:pk>/", article_detail),
    path("empty/", empty),
    path("orders/", parse_order),
    # No policies: their cost in the others is measured against the bare view.
    path("guarded/", empty),
    path("token/", empty),
]
