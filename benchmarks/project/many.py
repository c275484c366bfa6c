"""A large API made by a loop: 250 viewsets with two URLs each, over 200 models."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

from django.db import models

PACKAGE = os.environ["BENCHMARK_FRAMEWORK"]
routers: Any = import_module(f"{PACKAGE}.routers")
serializers: Any = import_module(f"{PACKAGE}.serializers")
viewsets: Any = import_module(f"{PACKAGE}.viewsets")

MODELS = 200
VIEWSETS = 250


def make_model(number: int, before: Any) -> Any:
    """One of the models; each refers to the one before it."""
    members: dict[str, Any] = {
        "__module__": __name__,
        "Meta": type("Meta", (), {"app_label": "project"}),
        "title": models.CharField(max_length=100, help_text="The title."),
        "body": models.TextField(blank=True),
        "status": models.CharField(
            max_length=10, choices=[("draft", "Draft"), ("live", "Live")], default="draft"
        ),
        "price": models.DecimalField(max_digits=8, decimal_places=2, null=True),
        "words": models.PositiveIntegerField(default=0),
        "ratio": models.FloatField(default=1.0),
        "active": models.BooleanField(default=True),
        "published": models.DateTimeField(null=True),
        "token": models.UUIDField(unique=True),
    }
    if before is not None:
        members["parent"] = models.ForeignKey(before, models.CASCADE, related_name="+")
    return type(f"Model{number}", (models.Model,), members)


def make_viewset(number: int, model: Any) -> Any:
    """A viewset over a model, with a serializer of its own."""
    meta = type("Meta", (), {"model": model, "fields": "__all__"})
    serializer = type(f"Thing{number}Serializer", (serializers.ModelSerializer,), {"Meta": meta})
    members = {"queryset": model.objects.all(), "serializer_class": serializer}
    return type(f"Thing{number}ViewSet", (viewsets.ModelViewSet,), members)


def make_router() -> Any:
    """The router of all viewsets."""
    made: list[Any] = []
    for number in range(MODELS):
        made.append(make_model(number, made[-1] if made else None))
    router = routers.SimpleRouter()
    for number in range(VIEWSETS):
        viewset = make_viewset(number, made[number % MODELS])
        router.register(f"things-{number}", viewset, basename=f"thing{number}")
    return router


urlpatterns = make_router().urls
