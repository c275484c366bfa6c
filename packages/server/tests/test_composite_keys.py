"""Composite primary keys: addresses, relations, lists, hyperlinks and the schema."""

import json
import uuid
from collections.abc import Iterator
from datetime import date
from typing import Any

import pytest
from django.apps.registry import Apps
from django.core.exceptions import ValidationError
from django.db import connection, models
from django.test.utils import CaptureQueriesContext

from lintel import routers, serializers, viewsets
from lintel.composite_keys import key_text, parsed_key
from lintel.conditional import ConditionalMixin
from lintel.patching import PatchMixin
from lintel.schemas.openapi import SchemaGenerator
from lintel.test import APIClient

APPS = Apps(["contract_project"])


class Shelf(models.Model):
    name = models.CharField(max_length=20)

    class Meta:
        apps = APPS
        app_label = "contract_project"


class Volume(models.Model):
    pk = models.CompositePrimaryKey("shelf", "code")
    shelf = models.ForeignKey(Shelf, models.CASCADE, related_name="volumes")
    code = models.CharField(max_length=20)
    title = models.CharField(max_length=20)

    class Meta:
        apps = APPS
        app_label = "contract_project"


class Day(models.Model):
    pk = models.CompositePrimaryKey("day", "key")
    day = models.DateField()
    key = models.UUIDField()

    class Meta:
        apps = APPS
        app_label = "contract_project"


class VolumeSerializer(serializers.ModelSerializer):
    class Meta:
        model = Volume
        fields = "__all__"


class LinkedSerializer(serializers.HyperlinkedModelSerializer):
    class Meta:
        model = Volume
        fields = ["url", "title"]
        extra_kwargs = {"url": {"view_name": "volume-detail"}}


class ShelfSerializer(serializers.ModelSerializer):
    best = serializers.HyperlinkedRelatedField(
        source="volumes", many=True, view_name="volume-detail", queryset=Volume.objects.all()
    )

    class Meta:
        model = Shelf
        fields = ["id", "name", "volumes", "best"]

    def update(self, instance: Any, validated_data: Any) -> Any:
        self.found = validated_data
        return instance


class Volumes(PatchMixin, ConditionalMixin, viewsets.ModelViewSet):
    queryset = Volume.objects.order_by("code")
    serializer_class = VolumeSerializer


class Shelves(viewsets.ModelViewSet):
    queryset = Shelf.objects.all()
    serializer_class = ShelfSerializer


router = routers.SimpleRouter()
router.register("volumes", Volumes)
router.register("shelves", Shelves)
urlpatterns = router.urls


@pytest.fixture
def shelf(transactional_db: None, settings: Any) -> Iterator[Shelf]:
    settings.ROOT_URLCONF = __name__
    settings.REST_FRAMEWORK = {"OPENAPI_VERSION": "3.1"}
    with connection.schema_editor() as editor:
        editor.create_model(Shelf)
        editor.create_model(Volume)
    made = Shelf.objects.create(name="a")
    Volume.objects.create(shelf=made, code="x", title="X")
    Volume.objects.create(shelf=made, code="y,/.~", title="Y")
    yield made
    with connection.schema_editor() as editor:
        editor.delete_model(Volume)
        editor.delete_model(Shelf)


def test_a_row_is_found_at_its_key(shelf: Shelf) -> None:
    client = APIClient()
    shown = client.get(f"/volumes/{shelf.pk},x/")
    assert shown.json() == {"pk": [shelf.pk, "x"], "code": "x", "title": "X", "shelf": shelf.pk}
    odd = client.get(f"/volumes/{shelf.pk},y~2~1~3~0/")
    assert odd.json()["title"] == "Y"
    assert [row["pk"] for row in client.get("/volumes/").json()] == [
        [shelf.pk, "x"],
        [shelf.pk, "y,/.~"],
    ]


@pytest.mark.parametrize(
    "key", ["1", "1,2,3", ",", "x,x", "1,", "9" * 400 + ",x", "1,%00", "(1, 'x')"]
)
def test_what_is_no_key_is_not_found(key: str, shelf: Shelf) -> None:
    assert APIClient().get(f"/volumes/{key}/").status_code == 404


def test_rows_are_created_changed_and_deleted(shelf: Shelf) -> None:
    client = APIClient()
    sent = {"shelf": shelf.pk, "code": "z", "title": "Z"}
    created = client.post("/volumes/", sent, format="json")
    assert (created.status_code, created.json()["pk"]) == (201, [shelf.pk, "z"])
    again = client.post("/volumes/", sent, format="json")
    assert again.json() == {"non_field_errors": ["The fields shelf, code must make a unique set."]}
    address = f"/volumes/{shelf.pk},z/"
    assert client.patch(address, {"title": "T"}, format="json").json()["title"] == "T"
    assert client.put(address, {**sent, "title": "U"}, format="json").json()["title"] == "U"
    operations = json.dumps([{"op": "replace", "path": "/title", "value": "P"}])
    patched = client.patch(address, operations, content_type="application/json-patch+json")
    assert patched.json()["title"] == "P"
    tag = {"HTTP_IF_MATCH": patched["ETag"]}
    assert client.put(address, {**sent, "title": "V"}, format="json", **tag).status_code == 200
    assert client.put(address, {**sent, "title": "W"}, format="json", **tag).status_code == 412
    assert client.delete(address).status_code == 204
    assert client.get(address).status_code == 404


def test_the_parts_of_a_key_stay(shelf: Shelf) -> None:
    refused = APIClient().patch(f"/volumes/{shelf.pk},x/", {"code": "w"}, format="json")
    assert (refused.status_code, refused.json()) == (400, {"code": ["This field is read-only."]})
    assert Volume.objects.count() == 2


def test_relations_show_and_take_keys(shelf: Shelf) -> None:
    client = APIClient()
    shown = client.get(f"/shelves/{shelf.pk}/").json()
    assert shown["volumes"] == [[shelf.pk, "x"], [shelf.pk, "y,/.~"]]
    assert shown["best"] == [
        f"http://testserver/volumes/{shelf.pk},x/",
        f"http://testserver/volumes/{shelf.pk},y~2~1~3~0/",
    ]
    serializer = ShelfSerializer(shelf, data={"volumes": shown["volumes"]}, partial=True)
    assert serializer.is_valid(), serializer.errors
    assert [row.title for row in serializer.validated_data["volumes"]] == ["X", "Y"]
    texts = ShelfSerializer(shelf, data={"volumes": [f"{shelf.pk},x"]}, partial=True)
    assert texts.is_valid(), texts.errors
    links = ShelfSerializer(
        shelf, data={"best": shown["best"]}, partial=True, context={"request": None}
    )
    assert links.is_valid(), links.errors
    assert [row.title for row in links.validated_data["volumes"]] == ["X", "Y"]


@pytest.mark.parametrize(
    "key",
    [[], [1], [1, 2, 3], "1", 1, True, None, {}, {"a": 1}, [[], {}], [None, "x"], ["1,x"], 1.5],
)
def test_what_is_no_key_is_an_error(key: Any, shelf: Shelf) -> None:
    serializer = ShelfSerializer(shelf, data={"volumes": [key]}, partial=True)
    assert not serializer.is_valid()
    assert set(serializer.errors) == {"volumes"}


def test_a_list_of_hyperlinks_takes_one_query(shelf: Shelf) -> None:
    with CaptureQueriesContext(connection) as queries:
        data = LinkedSerializer(Volume.objects.all(), many=True, context={"request": None}).data
    assert data[0]["url"] == f"/volumes/{shelf.pk},x/"
    assert len(queries) == 1
    unsaved = LinkedSerializer(Volume(title="a"), context={"request": None})
    assert unsaved.data == {"url": None, "title": "a"}


def test_the_schema_describes_keys(shelf: Shelf) -> None:
    document = SchemaGenerator().get_schema(public=True)
    path = next(path for path in document["paths"] if path.startswith("/volumes/{"))
    parameter = document["paths"][path]["get"]["parameters"][0]["schema"]
    assert parameter == {"type": "string", "pattern": "^[^,/]+(?:,[^,/]+){1}$"}
    key = document["components"]["schemas"]["Volume"]["properties"]["pk"]
    assert (key["type"], key["minItems"], key["maxItems"]) == ("array", 2, 2)
    assert [one["type"] for one in key["items"]["oneOf"]] == ["integer", "string"]
    assert "pk" not in document["components"]["schemas"]["VolumeRequest"]["properties"]
    shown = document["components"]["schemas"]["Shelf"]["properties"]["volumes"]["items"]
    assert (shown["type"], shown["minItems"]) == ("array", 2)


def test_texts_of_keys() -> None:
    number = uuid.UUID(int=7)
    text = key_text((date(2026, 1, 2), number))
    assert text == f"2026-01-02,{number}"
    assert parsed_key(Day, text) == (date(2026, 1, 2), number)
    assert parsed_key(Day, (1, 2)) == (1, 2)
    assert parsed_key(Shelf, "a,b") == "a,b"
    with pytest.raises(ValidationError):
        parsed_key(Day, "2026-13-01,a")
    odd = "~0~1,/.~~"
    assert parsed_key(Volume, f"1,{key_text((odd,))}") == (1, odd)
