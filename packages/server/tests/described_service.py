"""Descriptions of small services, each validated, for the tests of full descriptions."""

from __future__ import annotations

import json

from contract_project.models import Snippet
from django.contrib.auth.models import Group
from django.db import models
from django.urls import path
from openapi_spec_validator import validate

from lintel import generics, pagination, serializers, viewsets
from lintel.decorators import action
from lintel.renderers import JSONRenderer, StaticHTMLRenderer
from lintel.response import Response
from lintel.routers import SimpleRouter
from lintel.schemas.openapi import SchemaGenerator
from lintel.utils.encoders import JSONEncoder

VERSIONS = ["3.0.3", "3.1.0", "3.2.0"]


def documented(*patterns, version="3.1.0", **arguments):
    """The document of these URL patterns, which is valid, as a client reads it."""
    generator = SchemaGenerator(title="T", version="1", patterns=list(patterns), **arguments)
    generator.openapi_version = version
    text = json.dumps(generator.get_schema(public=True), cls=JSONEncoder)
    plain = json.loads(text)
    validate(plain)
    return plain


def view_of(serializer=None, base=generics.ListCreateAPIView, **members):
    name = members.pop("name", "Things")
    members.setdefault("queryset", Group.objects.all())
    if serializer is not None:
        members["serializer_class"] = serializer
    return type(name, (base,), members).as_view()


def described(serializer, version="3.1.0", **members):
    """The components of a view of a serializer."""
    return documented(path("things/", view_of(serializer, **members)), version=version)[
        "components"
    ]["schemas"]


class PlainSerializer(serializers.Serializer):
    name = serializers.CharField()


class OwnedSerializer(serializers.Serializer):
    id = serializers.IntegerField(read_only=True)
    name = serializers.CharField()
    secret = serializers.CharField(write_only=True)


class Status(models.TextChoices):
    DRAFT = "draft"
    LIVE = "live"


class Phase(models.TextChoices):
    DRAFT = "draft"
    LIVE = "live"


class ArticleSerializer(serializers.Serializer):
    status = serializers.ChoiceField(choices=Status.choices, default=Status.DRAFT)
    phase = serializers.ChoiceField(choices=Phase.choices, default=Phase.LIVE)
    kind = serializers.ChoiceField(choices=["a", "b"], allow_blank=True)


class Pages(pagination.PageNumberPagination):
    page_size = 20


class SnippetSerializer(serializers.HyperlinkedModelSerializer):
    class Meta:
        model = Snippet
        fields = ["id", "title"]


class Cursor(pagination.CursorPagination):
    page_size = 20


class Snippets(viewsets.ModelViewSet):
    queryset = Snippet.objects.all()
    serializer_class = SnippetSerializer
    pagination_class = Cursor
    renderer_classes = [JSONRenderer]

    @action(detail=True, methods=["get", "post"], renderer_classes=[StaticHTMLRenderer])
    def page(self, request, pk):
        return Response("")


def snippets(version="3.1.0"):
    router = SimpleRouter()
    router.register("snippets", Snippets)
    return documented(*router.urls, version=version)


class FlatSerializer(serializers.Serializer):
    name = serializers.CharField()
