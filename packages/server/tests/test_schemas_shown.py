"""What the source of a project's methods shows of values: serializers, texts and null."""

import functools

import pytest
from contract_project.models import Snippet
from described_service import described, documented
from django.contrib.auth.models import Group, User
from django.urls import path, reverse

from lintel import generics, serializers
from lintel.pagination import PageNumberPagination
from lintel.schemas import extend_schema_field
from lintel.test import APIRequestFactory, force_authenticate

pytestmark = pytest.mark.filterwarnings("error")

GROUP = {"$ref": "#/components/schemas/Group"}


class GroupSerializer(serializers.ModelSerializer):
    class Meta:
        model = Group
        fields = ["id", "name"]

    def __init__(self, *args, brief=False, **kwargs):
        super().__init__(*args, **kwargs)
        if brief:
            del self.fields["name"]


class ShownRelation(serializers.PrimaryKeyRelatedField):
    """Written as a key, shown as an object."""

    def __init__(self, serializer, brief=False, **kwargs):
        self.serializer, self.brief = serializer, brief
        super().__init__(**kwargs)

    def to_representation(self, value):
        context = {"request": self.context.get("request")}
        return self.serializer(value, brief=self.brief, context=context).data


class MemberSerializer(serializers.ModelSerializer):
    groups = ShownRelation(GroupSerializer, queryset=Group.objects, many=True)
    first = ShownRelation(GroupSerializer, queryset=Group.objects, allow_null=True)

    class Meta:
        model = User
        fields = ["groups", "first"]


def test_a_relation_that_shows_an_object_is_described_as_the_object_and_written_as_its_key():
    components = described(MemberSerializer)
    shown, sent = components["Member"]["properties"], components["MemberRequest"]["properties"]
    assert shown["groups"] == {"type": "array", "items": GROUP}
    assert shown["first"] == {"anyOf": [GROUP, {"type": "null"}]}
    assert sent["groups"] == {"type": "array", "items": {"type": "integer"}}
    assert sent["first"] == {"type": ["integer", "null"]}
    assert components["Group"]["required"] == ["id", "name"]


def test_arguments_that_choose_fields_are_those_of_the_relation():
    class BriefSerializer(serializers.ModelSerializer):
        groups = ShownRelation(GroupSerializer, brief=True, queryset=Group.objects, many=True)

        class Meta:
            model = User
            fields = ["groups"]

    assert list(described(BriefSerializer)["Group"]["properties"]) == ["id"]


class WrittenGroupSerializer(serializers.ModelSerializer):
    class Meta:
        model = Group
        fields = ["name"]

    def to_representation(self, instance):
        return GroupSerializer(instance, context=self.context).data


class Pages(PageNumberPagination):
    page_size = 2


def test_responses_are_described_by_the_serializer_that_writes_them():
    view = type(
        "Groups",
        (generics.ListCreateAPIView,),
        {
            "serializer_class": WrittenGroupSerializer,
            "queryset": Group.objects.order_by("id"),
            "pagination_class": Pages,
        },
    )
    document = documented(path("groups/", view.as_view()))
    item, components = document["paths"]["/groups/"], document["components"]["schemas"]
    created = item["post"]["responses"]["201"]["content"]["application/json"]["schema"]
    body = item["post"]["requestBody"]["content"]["application/json"]["schema"]
    assert created == GROUP
    assert body == {"$ref": "#/components/schemas/WrittenGroupRequest"}
    assert list(components["WrittenGroupRequest"]["properties"]) == ["name"]
    assert list(components["Group"]["properties"]) == ["id", "name"]
    pages = item["get"]["responses"]["200"]["content"]["application/json"]["schema"]
    pages = components[pages["$ref"].rpartition("/")[2]]
    assert pages["properties"]["results"] == {"type": "array", "items": GROUP}


@pytest.mark.django_db
def test_what_is_described_is_what_is_sent():
    user = User.objects.create_user("ann")
    view = generics.CreateAPIView.as_view(
        serializer_class=WrittenGroupSerializer, queryset=Group.objects.all()
    )
    request = APIRequestFactory().post("/groups/", {"name": "staff"}, format="json")
    force_authenticate(request, user)
    assert view(request).data == {"id": Group.objects.get().pk, "name": "staff"}


class ThingSerializer(serializers.ModelSerializer):
    one = serializers.SerializerMethodField()
    many = serializers.SerializerMethodField()
    maybe = serializers.SerializerMethodField()
    either = serializers.SerializerMethodField()
    inside = serializers.SerializerMethodField()
    by_method = serializers.SerializerMethodField()
    label = serializers.SerializerMethodField()
    link = serializers.SerializerMethodField()
    is_used = serializers.SerializerMethodField()
    is_new = serializers.SerializerMethodField()
    amount = serializers.SerializerMethodField()
    parts = serializers.SerializerMethodField()
    falls_off = serializers.SerializerMethodField()
    given_again = serializers.SerializerMethodField()

    class Meta:
        model = Group
        fields = [
            *("one", "many", "maybe", "either", "inside", "by_method", "label", "link"),
            *("is_used", "is_new", "amount", "parts", "falls_off", "given_again"),
        ]

    def get_one(self, group):
        serializer = GroupSerializer(group, context=self.context)
        return serializer.data

    def get_many(self, group):
        groups = Group.objects.exclude(pk=group.pk)
        return GroupSerializer(groups, many=True).data

    def get_maybe(self, group):
        return GroupSerializer(group).data if group.pk else None

    def get_either(self, group):
        if group.pk:
            return GroupSerializer(group).data
        return "none"

    def get_inside(self, group):
        from described_service import PlainSerializer

        return PlainSerializer(group).data

    def get_by_method(self, group):
        return GroupSerializer(context=self.context).to_representation(group)

    def get_label(self, group):
        return f"{group.pk}: {group.name}"

    def get_link(self, group):
        return reverse("group", args=[group.pk])

    def get_is_used(self, group):
        return group.pk in (1, 2)

    def get_is_new(self, group):
        return group.pk is None

    def get_amount(self, group):
        return len(group.name)

    def get_parts(self, group):
        return {"name": str(group), "kind": "group"}

    def get_falls_off(self, group):  # noqa: RET503 - what follows is described
        if group.pk:
            return str(group.pk)

    def get_given_again(self, group):
        text = str(group)
        text = text if group.pk else None
        return text  # noqa: RET504 - its source is described


def test_methods_are_described_by_their_source():
    components = described(ThingSerializer)
    plain = {"$ref": "#/components/schemas/Plain"}
    said = components["Thing"]["properties"]
    described_values = {
        name: {key: value for key, value in values.items() if key != "readOnly"}
        for name, values in said.items()
    }
    text = {"type": "string"}
    assert described_values == {
        "one": GROUP,
        "many": {"type": "array", "items": GROUP},
        "maybe": {"anyOf": [GROUP, {"type": "null"}]},
        "either": {"anyOf": [GROUP, text]},
        "inside": plain,
        "by_method": GROUP,
        "label": text,
        "link": text,
        "is_used": {"type": "boolean"},
        "is_new": {"type": "boolean"},
        "amount": {"type": "integer"},
        "parts": {
            "type": "object",
            "properties": {"name": {}, "kind": text},
            "required": ["name", "kind"],
        },
        "falls_off": {"type": ["string", "null"]},
        "given_again": {"type": ["string", "null"]},
    }


def test_a_field_that_changes_some_values_keeps_its_own_description_and_may_be_null():
    class EmptyAsNull(serializers.UUIDField):
        def to_representation(self, value):
            if value == "":
                return None
            return super().to_representation(value)

    class KeySerializer(serializers.Serializer):
        key = EmptyAsNull()

    key = described(KeySerializer)["Key"]["properties"]["key"]
    assert (key["type"], key["format"]) == (["string", "null"], "uuid")


def test_what_a_decorator_or_an_annotation_says_comes_first():
    class SaidSerializer(serializers.Serializer):
        said = serializers.SerializerMethodField()
        annotated = serializers.SerializerMethodField()

        @extend_schema_field(int)
        def get_said(self, thing):
            return str(thing)

        def get_annotated(self, thing) -> bool:
            return str(thing)

    properties = described(SaidSerializer)["Said"]["properties"]
    assert properties["said"]["type"] == "integer"
    assert properties["annotated"]["type"] == "boolean"


def shouted(method):
    @functools.wraps(method)
    def shouting(self, thing):
        return [method(self, thing)]

    return shouting


def hidden(thing):
    return thing


class OpenSerializer(serializers.Serializer):
    """Its methods leave open what they return."""

    value = serializers.SerializerMethodField()

    def get_value(self, thing):
        raise NotImplementedError


def _changed(self, thing):
    data = GroupSerializer(thing).data
    data["more"] = 1
    return data


def _without_fields(self, thing):
    serializer = GroupSerializer(thing)
    serializer.fields.pop("name")
    return serializer.data


def _many_by_argument(self, thing):
    return GroupSerializer(thing, many=bool(thing)).data


def _with_more(self, thing, **more):
    return GroupSerializer(thing, **more).data


def _of_a_function(self, thing):
    return hidden(thing)


def _own_str(self, thing):
    str = hidden
    return str(thing)


def _compared(self, thing):
    return thing == thing.values


def _yielding(self, thing):
    yield thing
    return str(thing)


async def _awaited(self, thing):
    return str(thing)


def _nothing(self, thing):
    return None


def _unknown_keyword(self, thing):
    return GroupSerializer(thing, colour="red").data


def _itself(self, thing):
    value = thing.value
    value = value if value else None
    return value  # noqa: RET504


class Votes:
    """Has a method of a name that querysets have."""

    def count(self):
        return {"yes": 1}


def _own_count(self, thing):
    return Votes().count()


def _own_text(self, thing):
    return thing.join("a")


def _partly_open(self, thing):
    if thing:
        return str(thing)
    return thing.name


@shouted
def _decorated(self, thing):
    return str(thing)


OPEN = [
    *(_changed, _without_fields, _many_by_argument, _with_more, _of_a_function, _own_str),
    *(_compared, _yielding, _awaited, _nothing, _unknown_keyword, _itself, _partly_open),
    *(_decorated, _own_count, _own_text),
]


@pytest.mark.parametrize("method", OPEN, ids=lambda method: method.__name__)
@pytest.mark.filterwarnings("default")
def test_source_that_leaves_values_open_says_nothing(method):
    serializer = type("OpenSerializer", (OpenSerializer,), {"get_value": method})
    with pytest.warns(UserWarning, match="nothing is known about its values"):
        components = described(serializer)
    assert components["Open"]["properties"]["value"] == {"readOnly": True}


class TextSerializer(serializers.ModelSerializer):
    names = serializers.SerializerMethodField()
    text = serializers.SerializerMethodField()

    class Meta:
        model = Snippet
        fields = ["names", "text"]

    def get_names(self, snippet):
        return ", ".join(tag.name for tag in snippet.tags.all())

    def get_text(self, snippet):
        return "{}".format(snippet.pk)  # noqa: UP032 - its source is described


def test_methods_of_texts_in_the_source_return_text():
    found = described(TextSerializer, queryset=Snippet.objects.all())["Text"]["properties"]
    assert [value["type"] for value in found.values()] == ["string", "string"]


def test_a_method_above_another_one_of_the_project_says_nothing_of_it():
    class Base(serializers.CharField):
        def to_representation(self, value):
            return hidden(value)

    class Derived(Base):
        def to_representation(self, value):
            return super().to_representation(value)

    class DerivedSerializer(serializers.Serializer):
        value = Derived()

    with pytest.warns(UserWarning, match="nothing is known about the values"):
        assert described(DerivedSerializer)["Derived"]["properties"]["value"] == {}


def test_a_field_class_that_leaves_its_values_open_is_warned_of_once():
    class Open(serializers.CharField):
        def to_representation(self, value):
            return hidden(value)

    class InnerSerializer(serializers.Serializer):
        first, second = Open(), Open()

    class OuterSerializer(serializers.Serializer):
        inner, third = InnerSerializer(), Open()

    with pytest.warns(UserWarning, match=r"Open: nothing is known about the values") as caught:
        described(OuterSerializer)
    assert len(caught) == 1
    assert f"({__file__}:" in str(caught[0].message)


def test_serializers_that_show_each_other_end():
    class Inner(serializers.Serializer):
        name = serializers.CharField()

        def to_representation(self, instance):
            return self.outer(instance).data

    class Outer(serializers.Serializer):
        inner = Inner()

    Inner.outer = Outer
    components = described(Outer)
    assert components["Outer"]["properties"]["inner"] == {"$ref": "#/components/schemas/Outer"}
