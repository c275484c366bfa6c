"""COERCE_BIGINT_TO_STRING for keys of related rows, in every way of reading and in paths."""

from typing import Any

import pytest
from contract_project.models import Snippet, Tag, User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import path

from lintel import generics, serializers
from lintel.schemas.openapi import SchemaGenerator
from lintel.test import APIClient


class SnippetSerializer(serializers.ModelSerializer):
    class Meta:
        model = Snippet
        fields = ["id", "owner", "tags"]


class TagSerializer(serializers.ModelSerializer):
    first = serializers.PrimaryKeyRelatedField(source="snippets", many=True, read_only=True)

    class Meta:
        model = Tag
        fields = ["id", "snippets", "first"]


class Snippets(generics.ListCreateAPIView):
    queryset = Snippet.objects.all()
    serializer_class = SnippetSerializer


class SnippetDetail(generics.RetrieveUpdateAPIView):
    queryset = Snippet.objects.all()
    serializer_class = SnippetSerializer


urlpatterns = [
    path("snippets/", Snippets.as_view()),
    path("snippets/<int:pk>/", SnippetDetail.as_view()),
]


@pytest.fixture(autouse=True)
def _rows(db: None, settings: Any) -> None:
    settings.ROOT_URLCONF = __name__
    owner = User.objects.create(username="a")
    tags = [Tag.objects.create(name=name) for name in "xyz"]
    for _ in range(9):
        Snippet.objects.create(owner=owner, code="x").tags.set(tags)


def by_every_way(cls: Any, model: Any) -> list[Any]:
    rows = model.objects.order_by("pk")

    class Plain(cls):  # type: ignore[misc]
        def to_representation(self, instance: Any) -> Any:
            return serializers.Serializer.to_representation(self, instance)

    found = [cls(rows.all(), many=True).data for _ in range(3)]
    found += [cls(list(rows), many=True).data, [cls(row).data for row in rows]]
    found.append(Plain(rows.all(), many=True).data)
    assert all(one == found[0] for one in found)
    return [dict(row) for row in found[0]]


def test_keys_of_related_rows_are_text(settings: Any) -> None:
    plain = by_every_way(SnippetSerializer, Snippet)
    assert all(isinstance(tag, int) for row in plain for tag in row["tags"])
    settings.REST_FRAMEWORK = {"COERCE_BIGINT_TO_STRING": True}
    found = by_every_way(SnippetSerializer, Snippet)
    # The key of users is a plain integer.
    assert found == [
        {"id": str(row["id"]), "owner": row["owner"], "tags": [str(tag) for tag in row["tags"]]}
        for row in plain
    ]
    for row in by_every_way(TagSerializer, Tag):
        assert row["snippets"] == row["first"] == [one["id"] for one in found]


@pytest.mark.fast_way
def test_a_list_needs_no_more_queries(settings: Any) -> None:
    settings.REST_FRAMEWORK = {"COERCE_BIGINT_TO_STRING": True}
    for _ in range(3):
        with CaptureQueriesContext(connection) as queries:
            SnippetSerializer(Snippet.objects.all(), many=True).data  # noqa: B018
    assert len(queries) == 2


def test_the_argument_takes_precedence(settings: Any) -> None:
    class Own(serializers.ModelSerializer):
        owner = serializers.PrimaryKeyRelatedField(read_only=True, coerce_to_string=True)
        tags = serializers.PrimaryKeyRelatedField(
            many=True, queryset=Tag.objects.all(), coerce_to_string=False
        )

        class Meta:
            model = Snippet
            fields = ["owner", "tags"]

    settings.REST_FRAMEWORK = {"COERCE_BIGINT_TO_STRING": True}
    row = by_every_way(Own, Snippet)[0]
    assert row == {
        "owner": str(User.objects.get().pk),
        "tags": sorted(Tag.objects.values_list("pk", flat=True)),
    }


def test_none_stays_none(settings: Any) -> None:
    class Loose(serializers.Serializer):
        tag = serializers.PrimaryKeyRelatedField(queryset=Tag.objects.all(), allow_null=True)

    settings.REST_FRAMEWORK = {"COERCE_BIGINT_TO_STRING": True}
    assert Loose({"tag": None}).data == {"tag": None}
    assert Loose({"tag": Tag(pk=3)}).data == {"tag": "3"}


def test_input_and_schema_know_them(settings: Any) -> None:
    settings.REST_FRAMEWORK = {"COERCE_BIGINT_TO_STRING": True, "OPENAPI_VERSION": "3.1"}
    client = APIClient()
    row = client.get("/snippets/").json()[0]
    sent = {"owner": row["owner"], "tags": row["tags"][:1]}
    response = client.patch(f"/snippets/{row['id']}/", sent, format="json")
    assert response.json() == {**row, "tags": row["tags"][:1]}
    document = SchemaGenerator().get_schema(public=True)
    text = {"type": "string", "pattern": "^-?[0-9]+$"}
    properties = document["components"]["schemas"]["Snippet"]["properties"]
    assert properties["tags"]["items"] == text
    assert properties["owner"]["type"] == "integer"
    operation = document["paths"]["/snippets/{id}/"]["get"]
    assert operation["parameters"][0]["schema"] == text
