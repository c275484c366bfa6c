"""The growing lists in django-ninja."""

from typing import Any

from django.urls import path
from ninja import NinjaAPI
from ninja.orm import create_schema

from benchmarks.project.bookshop.with_ninja import FastRenderer
from benchmarks.project.growth.models import Wide
from benchmarks.project.growth.shape import FIELDS, first, routes

api = NinjaAPI(openapi_url=None, renderer=FastRenderer())


def empty(request: Any) -> Any:
    return {"ok": True}


def make_view(fields: int) -> Any:
    names = list(first(fields))

    def rows(request: Any, limit: int) -> Any:
        return Wide.objects.order_by("pk").only(*names)[:limit]

    schema = create_schema(Wide, name=f"Wide{fields}", fields=names)
    return api.get(f"wide/{fields}/", response=list[schema])(rows)


api.get("empty/")(empty)
for fields in FIELDS:
    make_view(fields)
for route in routes():
    api.get(f"{route}/")(empty)

urlpatterns = [path("", api.urls)]
