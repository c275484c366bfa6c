"""The growing lists by hand on Django."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.urls import path

from benchmarks.project.growth.models import Wide
from benchmarks.project.growth.shape import FIELDS, first, routes
from benchmarks.project.plain import empty, write


def make_view(fields: int) -> Callable[[HttpRequest], HttpResponse]:
    names = list(first(fields))

    def rows(request: HttpRequest) -> HttpResponse:
        found = Wide.objects.order_by("pk").values(*names)
        return write(list(found[: int(request.GET["limit"])]))

    return rows


urlpatterns = [
    path("empty/", empty),
    *(path(f"wide/{fields}/", make_view(fields)) for fields in FIELDS),
    *(path(f"{route}/", empty) for route in routes()),
]
