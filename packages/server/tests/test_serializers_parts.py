"""Declarations in ``Meta.nested``: their mistakes, and how they are described."""

from typing import Any, ClassVar

import pytest
import tree_service
from django.core.exceptions import ImproperlyConfigured
from django.test import override_settings
from django.urls import path
from tree_service import Customer, Line, LineSerializer, Order, OrderSerializer

from lintel import serializers
from lintel.generics import ListCreateAPIView
from lintel.routers import SimpleRouter
from lintel.schemas.openapi import SchemaGenerator
from lintel.serializers import Nested
from lintel.serializers.part_checks import nested_check


class CustomerSerializer(serializers.ModelSerializer):
    class Meta:
        model = Customer
        fields = ["id", "name"]


def outer(nested: Any, **members: Any) -> Any:
    members.setdefault("lines", LineSerializer(many=True))
    names = [name for name in members if not name.startswith("_")]
    meta = type("Meta", (), {"model": Order, "fields": ["id", *names], "nested": nested})
    return type("Outer", (serializers.ModelSerializer,), {**members, "Meta": meta})


def found(settings: Any, cls: Any) -> Any:
    attributes = {"queryset": Order.objects.all(), "serializer_class": cls}
    view = type("View", (ListCreateAPIView,), attributes)
    settings.ROOT_URLCONF = type("Urls", (), {"urlpatterns": [path("a/", view.as_view())]})
    return nested_check(None)


MISTAKES: list[tuple[Any, str]] = [
    (outer({"lines": "delete"}), "not a Nested"),
    (outer({"note": Nested()}), "no nested model serializer"),
    (outer({"gone": Nested()}), "no nested model serializer"),
    (outer({"lines": Nested()}, lines=LineSerializer(many=True, source="gone")), "no relation"),
    (outer({"lines": Nested()}, lines=LineSerializer()), "many objects"),
    (
        outer({"customer": Nested()}, customer=CustomerSerializer(many=True)),
        "one object",
    ),
    (
        outer({"lines": Nested()}, lines=CustomerSerializer(many=True)),
        "leads to contract_project.Line",
    ),
    (outer({"lines": Nested(queryset=Line.objects.all())}), "`queryset` is for"),
    (outer({"lines": Nested(match="gone")}), "no column"),
    (outer({"lines": Nested()}, lines=LineSerializer(many=True, read_only=True)), "read-only"),
    (
        outer({"customer": Nested(missing="delete")}, customer=CustomerSerializer()),
        "others may refer",
    ),
]


@pytest.mark.parametrize(("cls", "text"), MISTAKES, ids=[text for _, text in MISTAKES])
def test_mistakes_are_found_by_a_check(cls: Any, text: str, settings: Any) -> None:
    (message,) = found(settings, cls)
    assert message.id == "lintel.E033"
    assert text in message.msg
    assert message.hint


def test_mistakes_of_nested_serializers_are_found(settings: Any) -> None:
    class Inner(LineSerializer):
        class Meta(LineSerializer.Meta):
            nested: ClassVar[Any] = {"sku": Nested()}

    cls = outer({"lines": Nested()}, lines=Inner(many=True))
    (message,) = found(settings, cls)
    assert message.msg.startswith("test_mistakes_of_nested_serializers_are_found")


def test_the_check_has_nothing_to_say_of_right_ones(settings: Any) -> None:
    assert found(settings, OrderSerializer) == []
    assert found(settings, tree_service.WideSerializer) == []


def test_an_unknown_word_is_refused_at_once() -> None:
    with pytest.raises(ImproperlyConfigured, match="delete"):
        Nested(missing="drop")


@pytest.mark.parametrize(
    "cls",
    [
        outer({"gone": Nested()}),
        outer({"customer": Nested(missing="delete")}, customer=CustomerSerializer()),
    ],
)
def test_what_cannot_be_carried_out_is_never_ignored(cls: Any) -> None:
    with pytest.raises(ImproperlyConfigured, match=r"Meta\.nested"):
        cls(data={"lines": []}).is_valid()


def described(name: str, version: str = "3.1") -> Any:
    router = SimpleRouter()
    router.register("orders", getattr(tree_service, name))
    with override_settings(REST_FRAMEWORK={"OPENAPI_VERSION": version}):
        return SchemaGenerator(patterns=router.urls).get_schema(public=True)


def test_keys_of_items_are_described_for_requests() -> None:
    document = described("Orders")
    schemas = document["components"]["schemas"]
    assert schemas["OrderRequest"]["properties"]["lines"]["maxItems"] == 1000
    lines = schemas["OrderRequest"]["properties"]["lines"]["items"]["allOf"]
    assert lines[1]["properties"]["id"]["type"] == "integer"
    assert "required" not in lines[1]
    response = schemas["Order"]["properties"]["lines"]["items"]
    assert response == {"$ref": "#/components/schemas/Line"}


def test_columns_that_are_written_are_keys_as_they_are() -> None:
    class Orders(tree_service.Orders):
        serializer_class = tree_service.BySkuSerializer

    router = SimpleRouter()
    router.register("orders", Orders)
    with override_settings(REST_FRAMEWORK={"OPENAPI_VERSION": "3.1"}):
        document = SchemaGenerator(patterns=router.urls).get_schema(public=True)
    properties = document["components"]["schemas"]["BySkuRequest"]["properties"]
    assert "allOf" not in properties["lines"]["items"]
