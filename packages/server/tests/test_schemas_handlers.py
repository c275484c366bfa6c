"""Extra actions have a body if their code may read one."""

import datetime
import functools

import pytest
from django.contrib.auth.models import Group
from django.db import models, transaction
from django.http import HttpResponse

from lintel import serializers, status, viewsets
from lintel.decorators import action
from lintel.pagination import PageNumberPagination
from lintel.response import Response
from lintel.routers import SimpleRouter
from lintel.schemas import extend_schema, extend_schema_field
from lintel.schemas.openapi import SchemaGenerator


class GroupSerializer(serializers.ModelSerializer):
    class Meta:
        model = Group
        fields = ["id", "name"]


def logged(handler):
    @functools.wraps(handler)
    def logging(*args, **kwargs):
        return handler(*args, **kwargs)

    return logging


def reading(handler):
    @functools.wraps(handler)
    def wrapper(view, request, *args, **kwargs):
        return handler(view, request, request.data, *args, **kwargs)

    return wrapper


def hidden(handler):
    def hiding(*args, **kwargs):
        return handler(*args, **kwargs)

    hiding.__name__ = handler.__name__
    return hiding


class Pages(PageNumberPagination):
    page_size = 2


class Groups(viewsets.ModelViewSet):
    queryset = Group.objects.all()
    serializer_class = GroupSerializer
    pagination_class = Pages

    # Without a body.

    @action(detail=True, methods=["post"])
    def archive(self, request, pk):
        group = self.get_object()
        group.owner = request.user
        return Response({"path": request.path, "pages": self.request.query_params.get("pages")})

    @action(detail=True, methods=["put", "patch"])
    def touch(self, request, *args, **kwargs):
        for each in self.get_queryset():
            each.name = f"{each.name} {self.kwargs['pk']}"
        return Response()

    @action(detail=True, methods=["post"])
    @logged
    def wrapped(self, request, pk):
        return Response()

    @action(detail=True, methods=["post"])
    async def later(self, request, pk):
        return Response(request.META["REMOTE_ADDR"])

    @action(detail=True, methods=["get"])
    def lock(self, request, pk):
        return Response()

    @lock.mapping.post
    def set_lock(self, request, pk):
        return Response()

    @action(detail=False)
    def shared(self, request):
        page = self.paginate_queryset(self.get_queryset())
        return self.get_paginated_response(self.get_serializer(page, many=True).data)

    @action(detail=False)
    def again(self, request):
        return self.list(request)

    @action(detail=False)
    def of_others(self, request):
        return Response(Storage.list(list("ab")))

    @action(detail=True, methods=["post"])
    def hide(self, request, pk):
        self.get_object().delete()
        return Response(status=status.HTTP_204_NO_CONTENT)

    @action(detail=True, methods=["post"])
    def copy(self, request, pk):
        return Response({}, status=status.HTTP_201_CREATED)

    @action(detail=True, methods=["post"])
    def either(self, request, pk):
        if request.user.is_authenticated:
            return Response({}, status=status.HTTP_201_CREATED)
        return Response({})

    @action(detail=True, methods=["post"])
    def file(self, request, pk):
        if not self.get_object().name:
            return Response(status=status.HTTP_204_NO_CONTENT)
        return HttpResponse("text")

    @action(detail=True, methods=["post"])
    def remote(self, request, pk):
        answer = self.get_object().call()
        if answer.status_code == status.HTTP_204_NO_CONTENT:
            answer = None
        return Response({"answer": answer})

    @action(detail=True, methods=["post"])
    def or_list(self, request, pk):
        if request.user.is_authenticated:
            return Response({}, status=status.HTTP_202_ACCEPTED)
        return self.list(request)

    @action(detail=True, methods=["post"])
    @transaction.atomic
    def at_once(self, request, pk):
        return Response({}, headers={}, status=status.HTTP_202_ACCEPTED)

    @action(detail=True, methods=["post"])
    def confirm(self, request, pk):
        group = self.get_object()
        group.save()
        return Response(self.get_serializer(group).data)

    @action(detail=True, methods=["post"])
    def shown(self, request, pk):
        group = self.get_object()
        return Response(GroupSerializer(group, context={"request": request}).data)

    @action(detail=True, methods=["post"])
    def shown_by_class(self, request, pk):
        serializer = self.get_serializer_class()
        rows = serializer(self.get_queryset(), many=True, context=self.get_serializer_context())
        return Response(rows.data)

    model = Group
    parser = None

    @property
    def sent(self):
        return self.request.data

    @action(detail=True, methods=["put"])
    def merged(self, request, pk):
        self.description = f"Merge a {self.basename}"
        source = self.model.objects.get(pk=pk)
        return Response({"name": source.name})

    # With one.

    @action(detail=True, methods=["post"])
    def by_property(self, request, pk):
        return Response(self.sent)

    @action(detail=True, methods=["post"])
    def by_instance(self, request, pk):
        return Response(self.parser.read())

    @action(detail=True, methods=["post"])
    def updated(self, request, pk):
        serializer = self.get_serializer(self.get_object(), request.data)
        return Response(serializer.data)

    @action(detail=True, methods=["post"])
    def shown_and_saved(self, request, pk):
        serializer = GroupSerializer(self.get_object(), context={"request": request})
        return save(request, serializer.data)

    @action(detail=True, methods=["post"])
    def in_a_mapping(self, request, pk):
        return save({"request": request})

    @action(detail=True, methods=["post"])
    def validated(self, request, pk):
        form = self.get_object().form()
        return Response(form.is_valid())

    @action(detail=True, methods=["post"])
    @reading
    def decorated(self, request, data, pk):
        return Response({}, status=status.HTTP_202_ACCEPTED)

    @action(detail=True, methods=["post"])
    def rename(self, request, pk):
        return Response(request.data["name"])

    @action(detail=True, methods=["post"])
    def checked(self, request, pk):
        return Response(self.get_serializer(data={}).is_valid())

    @action(detail=True, methods=["post"], serializer_class=GroupSerializer)
    def declared(self, request, pk):
        return Response()

    @action(detail=True, methods=["post"])
    def handed_on(self, request, pk):
        return save(request)

    @action(detail=True, methods=["post"])
    def handed_on_beside(self, request, pk):
        return Response(save(request, pk))

    @action(detail=True, methods=["post"])
    def of_middleware(self, request, pk):
        return Response({"space": self.request.space.name, "tenant": request.tenant})

    @action(detail=True, methods=["post"])
    def json_of_middleware(self, request, pk):
        return Response(request.json)

    @action(detail=True, methods=["post"])
    def hidden_by_middleware(self, request, pk):
        return Response(self.request._parsed)

    @action(detail=True, methods=["post"])
    def of_view(self, request, pk):
        return save(self.request)

    @action(detail=True, methods=["post"])
    def by_view(self, request, pk):
        return self.save()

    @action(detail=True, methods=["post"])
    def through_view(self, request, pk):
        return save(self)

    @action(detail=True, methods=["post"])
    def renamed(self, request, pk):
        other = request
        return Response(other.data)

    @action(detail=True, methods=["post"])
    def inside(self, request, pk):
        return Response([request.data[name] for name in "ab"])

    @action(detail=True, methods=["post"])
    def of_parent(self, request, pk):
        return super().update(request, pk)

    @action(detail=True, methods=["post"])
    def of_parent_alone(self, request, pk):
        return super().save()

    @action(detail=True, methods=["post"])
    def keyword(self, *args, **kwargs):
        return Response(self.request.data)

    @action(detail=True, methods=["post"])
    @hidden
    def unseen(self, request, pk):
        return Response(request.data)

    @extend_schema(request=GroupSerializer)
    @action(detail=True, methods=["post"])
    def said(self, request, pk):
        return Response()


WITHOUT = ["archive", "touch", "wrapped", "later", "lock", "remote", "at_once"]
WITHOUT += ["confirm", "shown", "shown_by_class", "merged", "of_middleware"]
WITH = [
    "rename",
    "checked",
    "declared",
    "decorated",
    "handed_on",
    "handed_on_beside",
    "of_view",
    "by_view",
]
WITH += ["by_property", "by_instance", "updated", "shown_and_saved", "in_a_mapping", "validated"]
WITH += [
    "json_of_middleware",
    "hidden_by_middleware",
    "through_view",
    "renamed",
    "inside",
    "of_parent",
    "of_parent_alone",
    "keyword",
    "unseen",
    "said",
]


class Storage:
    @classmethod
    def list(cls, names):
        return names


def save(*args):
    return None


def operations(view=Groups, version="3.1.0"):
    router = SimpleRouter()
    router.register("groups", view)
    generator = SchemaGenerator(title="T", version="1", patterns=router.urls)
    generator.openapi_version = version
    return generator.get_schema(public=True)["paths"]


@pytest.fixture(scope="module")
def paths():
    return operations()


@pytest.mark.parametrize("name", WITHOUT)
def test_an_action_that_reads_no_body_has_none(paths, name):
    item = paths[f"/groups/{{id}}/{name}/"]
    for method in item.keys() - {"get"}:
        assert "requestBody" not in item[method]
        assert item[method]["responses"].keys().isdisjoint(["400", "415"])


@pytest.mark.parametrize("name", WITH)
def test_an_action_that_may_read_a_body_has_one(paths, name):
    body = paths[f"/groups/{{id}}/{name}/"]["post"]["requestBody"]
    assert body["content"]["application/json"]["schema"] == {
        "$ref": "#/components/schemas/GroupRequest"
    }


def test_the_usual_actions_have_bodies_whatever_their_code_is(paths):
    assert "requestBody" in paths["/groups/"]["post"]
    assert {"requestBody"} <= paths["/groups/{id}/"]["patch"].keys()


def test_the_form_of_the_contract_keeps_its_bodies():
    with pytest.warns(UserWarning, match="duplicated operationId"):
        item = operations(version="3.0.2")["/groups/{id}/archive/"]
    assert "requestBody" in item["post"]


@pytest.mark.parametrize(("name", "listed"), [("shared", 1), ("again", 1), ("of_others", 0)])
def test_pages_made_by_hand_are_described_as_pages(paths, name, listed):
    operation = paths[f"/groups/{name}/"]["get"]
    schema = operation["responses"]["200"]["content"]["application/json"]["schema"]
    page = "#/components/schemas/PagesPaginatedGroupList"
    assert schema["$ref"] == (page if listed else "#/components/schemas/Group")
    assert ["page"] * listed == [each["name"] for each in operation["parameters"]]


@pytest.mark.parametrize(
    ("name", "status"),
    [
        *(("hide", "204"), ("copy", "201"), ("either", "200"), ("file", "200"), ("remote", "200")),
        *(("or_list", "200"), ("at_once", "202"), ("decorated", "200")),
    ],
)
def test_the_one_status_that_an_action_names_is_described(paths, name, status):
    responses = paths[f"/groups/{{id}}/{name}/"]["post"]["responses"]
    assert [each for each in responses if each[0] == "2"] == [status]
    assert ("content" in responses[status]) is (status != "204")


# ---- what stands in requests alone ----


class Note(models.Model):
    title = models.CharField(max_length=40)
    made = models.DateTimeField(auto_now_add=True)
    size = models.BigIntegerField(blank=True, default=0)
    address = models.URLField(blank=True)

    class Meta:
        app_label = "schemas_handlers"


class NoteSerializer(serializers.ModelSerializer):
    title = serializers.RegexField("^[a-z]+$", min_length=40, max_length=50)
    mail = serializers.EmailField()
    size = serializers.IntegerField(min_value=3, max_value=5)
    price = serializers.DecimalField(4, 2, min_value=1, coerce_to_string=False)
    tags = serializers.ListField(child=serializers.CharField(max_length=3), max_length=4)
    site = serializers.URLField()

    class Meta:
        model = Note
        fields = ["title", "mail", "size", "price", "tags", "site"]


class ReadSerializer(serializers.ModelSerializer):
    size = serializers.ModelField(Note._meta.get_field("size"), read_only=True)
    big = serializers.IntegerField(source="size", read_only=True)

    class Meta:
        model = Note
        fields = read_only_fields = ["made", "size", "big", "address", "title"]


@extend_schema_field({"type": ["string", "null"], "minLength": 1})
class Word(serializers.CharField):
    pass


def components(serializer):
    view = type("Notes", (viewsets.ModelViewSet,), {"serializer_class": serializer})
    view.queryset = Note.objects.all()
    router = SimpleRouter()
    router.register("notes", view)
    generator = SchemaGenerator(title="T", version="1", patterns=router.urls)
    generator.openapi_version = "3.1.0"
    return generator.get_schema(public=True)["components"]["schemas"]


def test_what_validators_demand_stands_in_requests_alone():
    found = components(NoteSerializer)
    assert found["Note"]["properties"] == {
        "title": {"type": "string"},
        "mail": {"type": "string"},
        "size": {"type": "integer"},
        "price": {"type": "number"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "site": {"type": "string"},
    }
    sent = found["NoteRequest"]["properties"]
    assert sent["title"] == {
        "type": "string",
        "minLength": 40,
        "maxLength": 50,
        "pattern": "^[a-z]+$",
    }
    assert sent["mail"] == {"type": "string", "minLength": 1, "format": "email"}
    assert sent["size"] == {"type": "integer", "minimum": 3, "maximum": 5}
    assert (sent["price"]["minimum"], sent["tags"]["maxItems"]) == (1, 4)
    assert sent["site"]["format"] == "uri"


@pytest.mark.parametrize("as_text", [False, True])
def test_moments_and_big_integers_are_never_the_empty_text(settings, as_text):
    settings.REST_FRAMEWORK = {"COERCE_BIGINT_TO_STRING": as_text}
    found = components(ReadSerializer)["Read"]["properties"]
    assert found["made"] == {"type": "string", "format": "date-time", "readOnly": True}
    assert "anyOf" not in found["size"]
    assert found["big"] == {"type": "integer", "readOnly": True}


@pytest.mark.parametrize(
    ("field", "has_default"),
    [
        (serializers.CharField(default=""), False),
        (serializers.CharField(default="", allow_blank=True), True),
        (serializers.CharField(default="abc", max_length=2), False),
        (serializers.CharField(default="ab", max_length=2), True),
        (serializers.CharField(default=5), True),
        (serializers.IntegerField(default=0, min_value=1), False),
        (serializers.IntegerField(default=1, min_value=1), True),
        (serializers.IntegerField(default="5"), True),
        (serializers.IntegerField(default="five"), False),
        (serializers.BooleanField(default=False), True),
        (serializers.FloatField(default=1), True),
        (serializers.DecimalField(5, 2, default=1), True),
        (serializers.ChoiceField(["a"], default="b"), False),
        (serializers.ChoiceField(["a"], default="a"), True),
        (serializers.ChoiceField(["a"], default="", allow_blank=True), True),
        (serializers.MultipleChoiceField(choices=["a"], default=[]), True),
        (serializers.ListField(default=[], min_length=1), False),
        (serializers.ListField(default=[1]), True),
        (serializers.DictField(default={}), True),
        (serializers.JSONField(default=[]), True),
        (serializers.DateField(default=""), False),
        (serializers.UUIDField(default=""), False),
        (serializers.DateField(default=datetime.date(2026, 1, 1)), True),
        (serializers.ListField(child=serializers.DateField(), default=[]), True),
        (Word(default="ab"), True),
    ],
)
def test_a_default_never_contradicts_the_limits_beside_it(field, has_default):
    found = components(type("ThingSerializer", (serializers.Serializer,), {"x": field}))
    described = found.get("ThingRequest", found.get("Thing"))["properties"]["x"]
    assert ("default" in described) is has_default


class Guest(serializers.Serializer):
    name = serializers.CharField()


@pytest.mark.parametrize(
    ("limits", "described"),
    [
        ({}, {}),
        ({"max_length": 10}, {"maxItems": 10}),
        ({"allow_empty": False}, {"minItems": 1}),
        ({"allow_empty": False, "min_length": 2, "max_length": 3}, {"minItems": 2, "maxItems": 3}),
        ({"min_length": 0}, {}),
    ],
)
def test_limits_of_nested_lists_stand_in_requests(limits, described):
    fields = {"guests": Guest(many=True, **limits)}
    found = components(type("StaySerializer", (serializers.Serializer,), fields))
    sent = found.get("StayRequest", found["Stay"])["properties"]["guests"]
    assert {word: value for word, value in sent.items() if word.endswith("Items")} == described
    received = found["Stay"]["properties"]["guests"]
    assert {"minItems", "maxItems"}.isdisjoint(received)
