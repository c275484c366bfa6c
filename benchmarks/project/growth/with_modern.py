"""The growing lists in django-modern-rest with msgspec."""

from typing import Any

import msgspec
from django.urls import path
from dmr import Controller
from dmr.plugins.msgspec import MsgspecSerializer

from benchmarks.project.bookshop.with_modern import Empty
from benchmarks.project.growth.models import Wide
from benchmarks.project.growth.shape import FIELDS, first, routes


def make_view(fields: int) -> Any:
    columns = first(fields)
    row = msgspec.defstruct(f"Wide{fields}", columns.items())

    class Rows(Controller[MsgspecSerializer]):
        validate_responses = False

        def get(self) -> list[row]:
            found = Wide.objects.order_by("pk").values(*columns)
            return [row(**each) for each in found[: int(self.request.GET["limit"])]]

    return Rows.as_view()


urlpatterns = [
    path("empty/", Empty.as_view()),
    *(path(f"wide/{fields}/", make_view(fields)) for fields in FIELDS),
    *(path(f"{route}/", Empty.as_view()) for route in routes()),
]
