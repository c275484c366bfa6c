"""The endpoints by hand: Django views, ``values()`` and the JSON library; the floor to aim for."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import orjson
from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt

from benchmarks.project.models import Article

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
    data = orjson.loads(request.body)
    article = Article.objects.create(
        title=str(data["title"])[:200],
        slug=str(data["slug"])[:200],
        body=str(data["body"]),
        status=data["status"] if data["status"] in ("draft", "live") else "draft",
        words=int(data["words"]),
        price=Decimal(data["price"]),
        ratio=float(data["ratio"]),
        active=bool(data["active"]),
        published=datetime.fromisoformat(data["published"]),
        day=date.fromisoformat(data["day"]),
        token=uuid.UUID(data["token"]),
        author_id=int(data["author"]),
    )
    content = {name: getattr(article, name) for name in NAMES if name != "author"}
    return write({**content, "author": article.author_id}, status=201)


def article_detail(request: HttpRequest, pk: int) -> HttpResponse:
    return write(Article.objects.values(*NAMES).get(pk=pk))


def empty(request: HttpRequest) -> HttpResponse:
    return write({"ok": True})


urlpatterns = [
    path("articles/", article_list),
    path("articles/<int:pk>/", article_detail),
    path("empty/", empty),
    # No policy at all: what the policies of the others cost is measured beside the bare view.
    path("guarded/", empty),
    path("token/", empty),
]
