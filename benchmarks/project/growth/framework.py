"""The growing lists in the API that lintel and Django REST framework share."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

from django.urls import path

from benchmarks.project.growth.models import Wide
from benchmarks.project.growth.shape import FIELDS, first, routes

PACKAGE = os.environ["BENCHMARK_FRAMEWORK"]
generics: Any = import_module(f"{PACKAGE}.generics")
serializers: Any = import_module(f"{PACKAGE}.serializers")
views: Any = import_module(f"{PACKAGE}.views")
Response: Any = import_module(f"{PACKAGE}.response").Response


class Empty(views.APIView):
    def get(self, request: Any) -> Any:
        return Response({"ok": True})


class Rows(generics.ListAPIView):
    def get_queryset(self) -> Any:
        rows = Wide.objects.order_by("pk")
        # lintel reads what it shows; the other reads all columns unless told.
        if PACKAGE != "lintel":
            rows = rows.only(*self.serializer_class.Meta.fields)
        return rows[: int(self.request.query_params["limit"])]


def make_view(fields: int) -> Any:
    meta = type("Meta", (), {"model": Wide, "fields": list(first(fields))})
    serializer = type(f"Wide{fields}", (serializers.ModelSerializer,), {"Meta": meta})
    return type(f"Rows{fields}", (Rows,), {"serializer_class": serializer}).as_view()


urlpatterns = [
    path("empty/", Empty.as_view()),
    *(path(f"wide/{fields}/", make_view(fields)) for fields in FIELDS),
    *(path(f"{route}/", Empty.as_view()) for route in routes()),
]
