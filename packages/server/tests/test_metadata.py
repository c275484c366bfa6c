from typing import Any

import pytest
from contract_project.models import Tag
from django.core.exceptions import PermissionDenied
from django.test import RequestFactory

from lintel import generics, metadata, serializers
from lintel.metadata import BaseMetadata, SimpleMetadata
from lintel.permissions import BasePermission
from lintel.renderers import JSONRenderer
from lintel.schemas.openapi import AutoSchema

factory = RequestFactory()

pytestmark = pytest.mark.django_db


class TagSerializer(serializers.ModelSerializer):
    class Meta:
        model = Tag
        fields = ["id", "name"]


class TagView(generics.ListCreateAPIView):
    """All tags."""

    queryset = Tag.objects.all()
    serializer_class = TagSerializer
    authentication_classes: list[Any] = []
    renderer_classes = [JSONRenderer]


class ReadOnly(BasePermission):
    def has_permission(self, request: Any, view: Any) -> bool:
        return request.method in ("GET", "OPTIONS")


class DetailView(generics.RetrieveUpdateAPIView):
    queryset = Tag.objects.all()
    serializer_class = TagSerializer
    authentication_classes: list[Any] = []


def options(view_class: Any, **kwargs: Any) -> Any:
    return view_class.as_view()(factory.options("/"), **kwargs).data


def test_what_a_view_says() -> None:
    assert options(TagView) == {
        "name": "Tag",
        "description": "All tags.",
        "renders": ["application/json"],
        "parses": ["application/json", "application/x-www-form-urlencoded", "multipart/form-data"],
        "actions": {
            "POST": {
                "id": {"type": "integer", "required": False, "read_only": True, "label": "ID"},
                "name": {
                    "type": "string",
                    "required": True,
                    "read_only": False,
                    "label": "Name",
                    "max_length": 30,
                },
            }
        },
    }


def test_actions_that_are_not_allowed_are_not_told() -> None:
    class Closed(TagView):
        permission_classes = [ReadOnly]

    assert "actions" not in options(Closed)


def test_a_row_that_is_not_there_cannot_be_put() -> None:
    assert "actions" not in options(DetailView, pk=1)
    Tag.objects.create(id=1, name="red")
    assert list(options(DetailView, pk=1)["actions"]) == ["PUT"]


class Inner(serializers.Serializer):
    x = serializers.IntegerField(min_value=1)


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        (serializers.BooleanField(help_text="Yes?"), {"type": "boolean", "help_text": "Yes?"}),
        (serializers.EmailField(), {"type": "email"}),
        (serializers.DecimalField(5, 2), {"type": "decimal", "max_digits": 5, "decimal_places": 2}),
        (serializers.CharField(min_length=2), {"type": "string", "min_length": 2}),
        (serializers.JSONField(), {"type": "field"}),
        (
            serializers.ChoiceField(choices=[("a", "A"), ("Group", [("b", "B")])]),
            {
                "type": "choice",
                "choices": [
                    {"value": "a", "display_name": "A"},
                    {"value": "b", "display_name": "B"},
                ],
            },
        ),
        (serializers.PrimaryKeyRelatedField(queryset=Tag.objects.all()), {"type": "field"}),
        (
            serializers.PrimaryKeyRelatedField(queryset=Tag.objects.all(), many=True),
            {"type": "field"},
        ),
        (
            Inner(),
            {
                "type": "nested object",
                "children": {
                    "x": {
                        "type": "integer",
                        "required": True,
                        "read_only": False,
                        "label": "X",
                        "min_value": 1,
                    }
                },
            },
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_fields(field: Any, expected: Any) -> None:
    holder = type("Holder", (serializers.Serializer,), {"f": field})()
    found = SimpleMetadata().get_serializer_info(holder)["f"]
    common = {"required": True, "read_only": False, "label": "F"}
    assert found == common | {"required": field.required} | expected


def test_lists_describe_their_child() -> None:
    listing = serializers.ListField(child=serializers.IntegerField(min_value=0))
    holder = type("Holder", (serializers.Serializer,), {"f": listing})()
    child = SimpleMetadata().get_serializer_info(holder)["f"]["child"]
    assert child == {"type": "integer", "required": True, "read_only": False, "min_value": 0}


def test_hidden_fields_are_not_told() -> None:
    holder = type("Holder", (serializers.Serializer,), {"f": serializers.HiddenField(default=1)})()
    assert SimpleMetadata().get_serializer_info(holder) == {}


def test_many_describes_one() -> None:
    assert "x" in SimpleMetadata().get_serializer_info(Inner(many=True))


def test_the_base_class() -> None:
    with pytest.raises(NotImplementedError):
        BaseMetadata().determine_metadata(None, None)
    assert metadata.SimpleMetadata.label_lookup[serializers.SlugField()] == "slug"


@pytest.mark.compiled
def test_the_model_is_asked_for_fields_once(monkeypatch: pytest.MonkeyPatch) -> None:
    class Often(TagSerializer):
        pass

    shown = [SimpleMetadata().get_serializer_info(Often()) for _ in range(2)]
    monkeypatch.delattr("lintel.serializers.model.get_field_kwargs")
    assert SimpleMetadata().get_serializer_info(Often()) == shown[0] == shown[1]
    assert "name" in AutoSchema().map_serializer(Often())["properties"]


class OnlyStrings(BasePermission):
    def has_object_permission(self, request: Any, view: Any, obj: Any) -> bool:
        raise AssertionError("there is no object to ask about")


def test_an_address_of_many_objects_names_none() -> None:
    class Bulk(generics.GenericAPIView):
        queryset = Tag.objects.all()
        serializer_class = TagSerializer
        authentication_classes: list[Any] = []
        permission_classes = [OnlyStrings]

        def put(self, request: Any) -> None: ...

    assert list(options(Bulk)["actions"]) == ["PUT"]


def test_async_hooks_are_waited_for() -> None:
    class Waiting(DetailView):
        async def get_object(self) -> Any:
            raise PermissionDenied

    assert "actions" not in options(Waiting, pk=1)
