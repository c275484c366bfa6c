"""What requests may say, as clients read it from a description: each feature is in a link."""

import json
from typing import Any, ClassVar

import pytest
from contract_project.models import Snippet, Tag
from django.contrib.auth.models import User
from django.test import override_settings
from django.urls import include, path

from lintel import serializers
from lintel.bulk import BulkModelViewSet
from lintel.conditional import ConditionalMixin
from lintel.hashedtokens.viewsets import HashedTokenViewSet
from lintel.idempotency import IdempotentMixin
from lintel.patching import PatchMixin
from lintel.routers import SimpleRouter
from lintel.schemas.openapi import SchemaGenerator
from lintel.serializers import Nested
from lintel.sparse import SparseFieldsMixin
from lintel.viewsets import ModelViewSet
from lintel_codecs.openapi import OpenAPICodec

BASE = "http://testserver/"


class CodeSerializer(serializers.ModelSerializer):
    class Meta:
        model = Snippet
        fields = ("id", "title", "code")


class OwnerSerializer(serializers.ModelSerializer):
    snippets = CodeSerializer(many=True)

    class Meta:
        model = User
        fields = ("id", "username", "snippets")
        nested: ClassVar[Any] = {"snippets": Nested()}


class LabelSerializer(serializers.ModelSerializer):
    class Meta:
        model = Tag
        fields = ("id", "name")


class SnippetSerializer(serializers.ModelSerializer):
    class Meta:
        model = Snippet
        fields = ("id", "title", "owner")


class Owners(ModelViewSet):
    queryset = User.objects.all()
    serializer_class = OwnerSerializer


class Bulk(BulkModelViewSet):
    queryset = User.objects.all()
    serializer_class = OwnerSerializer


class Labels(ModelViewSet):
    queryset = Tag.objects.all()
    serializer_class = LabelSerializer


class Rows(SparseFieldsMixin, PatchMixin, ConditionalMixin, IdempotentMixin, ModelViewSet):
    queryset = Snippet.objects.all()
    serializer_class = SnippetSerializer
    expandable_fields: ClassVar[Any] = {"owner": OwnerSerializer}
    query_handler = "list"


router = SimpleRouter()
router.register("owners", Owners, "owner")
router.register("bulk", Bulk, "bulk")
router.register("rows", Rows, "row")
router.register("keys", HashedTokenViewSet, "key")
router.register("labels", Labels, parent="rows", parent_field="snippets", basename="label")
urlpatterns = [path("", include(router.urls)), path("session/", include("lintel.sessions.urls"))]


@pytest.fixture(scope="module")
def links() -> Any:
    """The links of the description by method and path."""
    settings = {"OPENAPI_VERSION": "3.2", "OPENAPI_OPERATION_IDS": "path"}
    with override_settings(ROOT_URLCONF=__name__, REST_FRAMEWORK=settings):
        document = SchemaGenerator(title="All", version="1").get_schema(public=True)
    decoded = OpenAPICodec().decode(json.dumps(document).encode(), base_url=BASE)
    return {f"{link.action} {link.url.removeprefix(BASE)}": link for link in _links_in(decoded)}


def _links_in(node: Any) -> Any:
    yield from getattr(node, "links", {}).values()
    for inner in getattr(node, "data", {}).values():
        yield from _links_in(inner)


PATCHES = ["application/merge-patch+json", "application/json-patch+json"]

FEATURES: list[tuple[str, list[str], list[str]]] = [
    ("put owners/{id}/", ["snippets"], []),
    ("post bulk/", ["body"], []),
    ("put bulk/", ["body"], []),
    ("patch bulk/", ["body"], []),
    ("delete bulk/", ["body"], []),
    ("patch rows/{id}/", ["If-Match", "Idempotency-Key"], PATCHES),
    ("delete rows/{id}/", ["If-Match"], []),
    ("post rows/", ["Idempotency-Key"], []),
    ("get rows/", ["fields", "expand", "If-None-Match"], []),
    ("query rows/", ["body"], []),
    ("get rows/{snippet_pk}/labels/{id}/", ["snippet_pk", "id"], []),
    ("post keys/", ["scopes", "expires", "idle_seconds"], []),
    ("post keys/{id}/rotate/", ["id"], []),
    ("delete keys/{id}/", ["id"], []),
    ("get session/", [], []),
    ("get session/csrf/", [], []),
    ("post session/login/", ["username", "password"], []),
    ("post session/logout/", [], []),
]


@pytest.mark.parametrize(("link", "fields", "bodies"), FEATURES, ids=[each[0] for each in FEATURES])
def test_clients_read_each_feature(
    links: Any, link: str, fields: list[str], bodies: list[str]
) -> None:
    found = links[link]
    assert not found.problem
    assert {field.name for field in found.fields} >= set(fields)
    types = {getattr(body, "media_type", body) for body in found.bodies}
    assert types >= set(bodies)


def test_clients_read_how_lists_and_trees_are_written(links: Any) -> None:
    (tree,) = (field for field in links["put owners/{id}/"].fields if field.name == "snippets")
    assert "array" in str(tree.schema).lower()
    (rows,) = (field for field in links["put bulk/"].fields if field.name == "body")
    assert "array" in str(rows.schema).lower()
