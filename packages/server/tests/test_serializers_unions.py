"""UnionSerializer: each object is read and written by the serializer of its kind."""

import asyncio
from dataclasses import dataclass
from enum import Enum
from types import SimpleNamespace

import pytest
from contract_project.models import Reservation, Snippet, Tag, User
from django.http import QueryDict
from django.test import override_settings
from django.urls import path

from lintel import generics, serializers
from lintel.exceptions import ErrorDetail
from lintel.fast.explaining import explain
from lintel.metadata import SimpleMetadata
from lintel.test import APIClient


class Cat(serializers.Serializer):
    name = serializers.CharField(max_length=5)
    lives = serializers.IntegerField(default=9)

    def create(self, validated_data):
        return ("made a cat", validated_data)

    def update(self, instance, validated_data):
        return ("changed a cat", instance, validated_data)


class Dog(serializers.Serializer):
    name = serializers.CharField()
    tricks = serializers.ListField(child=serializers.CharField(), required=False)
    secret = serializers.CharField(write_only=True, required=False)

    async def create(self, validated_data):
        return ("made a dog", validated_data)


class Pet(serializers.UnionSerializer):
    discriminator = "type"
    serializers = {"cat": Cat, "dog": Dog}


class TagSerializer(serializers.ModelSerializer):
    class Meta:
        model = Tag
        fields = ["id", "name"]


class RoomSerializer(serializers.ModelSerializer):
    class Meta:
        model = Reservation
        fields = ["id", "room", "slot"]


class Thing(serializers.UnionSerializer):
    discriminator = "kind"
    serializers = {"tag": TagSerializer, "room": RoomSerializer}


class Household(serializers.Serializer):
    name = serializers.CharField()
    pets = Pet(many=True)
    favourite = Pet(required=False, source="best")

    def create(self, validated_data):
        return validated_data


def errors_of(serializer):
    assert not serializer.is_valid()
    return serializer.errors


def test_reading_goes_by_the_kind():
    tom = SimpleNamespace(type="cat", name="Tom", lives=3)
    assert Pet(tom).data == {"type": "cat", "name": "Tom", "lives": 3}
    assert list(Pet(tom).data) == ["type", "name", "lives"]
    rex = {"type": "dog", "name": "Rex", "tricks": [], "secret": "x"}
    assert Pet([tom, rex], many=True).data == [
        {"type": "cat", "name": "Tom", "lives": 3},
        {"type": "dog", "name": "Rex", "tricks": []},
    ]


def test_writing_goes_by_the_discriminator():
    pet = Pet(data={"type": "dog", "name": "Rex", "tricks": ["sit"], "lives": "x"})
    assert pet.is_valid()
    assert pet.validated_data == {"type": "dog", "name": "Rex", "tricks": ["sit"]}
    assert pet.save() == ("made a dog", {"name": "Rex", "tricks": ["sit"]})
    cat = Pet(data={"type": "cat", "name": "Tom"})
    assert cat.is_valid()
    assert cat.data == {"type": "cat", "name": "Tom", "lives": 9}


@pytest.mark.parametrize(
    ("data", "code", "text"),
    [
        ({"name": "a"}, "required", "This field is required."),
        ({"type": None}, "null", "This field may not be null."),
        ({"type": "fish"}, "invalid_choice", '"fish" is not a valid choice.'),
        ({"type": ""}, "invalid_choice", '"" is not a valid choice.'),
        ({"type": ["cat"]}, "invalid_choice", None),
        ({"type": {}}, "invalid_choice", None),
        ({"type": "\ud800"}, "invalid_choice", None),
    ],
)
def test_a_missing_or_unknown_kind_is_an_error_of_its_key(data, code, text):
    (error,) = errors_of(Pet(data=data))["type"]
    assert error.code == code
    assert text is None or error == text


def test_input_that_is_no_mapping_and_errors_of_the_kind():
    expected = "Invalid data. Expected a dictionary, but got list."
    assert errors_of(Pet(data=[1])) == {"non_field_errors": [expected]}
    assert errors_of(Pet(data=None)) == {"non_field_errors": ["No data provided"]}
    found = errors_of(Pet(data={"type": "cat", "name": "too long", "lives": "x"}))
    assert [list(found), found["name"][0].code] == [["name", "lives"], "max_length"]
    many = Pet(data=[{"type": "cat", "name": "a"}, {"type": "x"}, 3], many=True)
    assert list(errors_of(many)) == [1, 2]


def test_nested_and_in_lists():
    data = {
        "name": "ours",
        "pets": [{"type": "cat", "name": "Tom"}, {"type": "dog", "name": "Rex"}],
        "favourite": {"type": "dog", "name": "Rex"},
    }
    home = Household(data=data)
    assert home.is_valid()
    assert home.validated_data["best"] == {"type": "dog", "name": "Rex"}
    made = home.save()
    assert [pet["type"] for pet in made["pets"]] == ["cat", "dog"]
    assert Household(made).data == {
        "name": "ours",
        "pets": [{"type": "cat", "name": "Tom", "lives": 9}, {"type": "dog", "name": "Rex"}],
        "favourite": {"type": "dog", "name": "Rex"},
    }
    found = errors_of(Household(data={**data, "pets": [{"type": "cow"}], "favourite": {}}))
    assert found == {
        "pets": {0: {"type": ['"cow" is not a valid choice.']}},
        "favourite": {"type": ["This field is required."]},
    }


@pytest.mark.parametrize("mode", ["always", "never"])
def test_compiled_and_plain_parents_agree(mode):
    with override_settings(REST_FRAMEWORK={"COMPILE_SERIALIZERS": mode}):
        for _ in range(2):
            home = Household(data={"name": "a", "pets": [{"type": "dog", "name": "Rex"}]})
            assert home.is_valid()
            assert home.data["pets"] == [{"type": "dog", "name": "Rex"}]


def test_arguments_win_over_the_class_and_stay_with_the_instance():
    class Home(serializers.Serializer):
        pet = serializers.UnionSerializer(discriminator="sort", serializers={"c": Cat, "d": Dog})
        other = serializers.UnionSerializer(discriminator="kind", serializers={"d": Dog()})

    data = {"pet": {"sort": "c", "name": "Tom"}, "other": {"kind": "d", "name": "Rex"}}
    for _ in range(3):
        home = Home(data=data)
        assert home.is_valid(), home.errors
        assert home.validated_data["pet"] == {"sort": "c", "name": "Tom", "lives": 9}
        assert list(home.fields["pet"].fields) == ["sort"]
    many = serializers.UnionSerializer(
        [{"sort": "d", "name": "a"}], many=True, discriminator="sort", serializers={"d": Dog}
    )
    assert many.data == [{"sort": "d", "name": "a"}]


@pytest.mark.django_db
def test_models_tell_their_kind_and_are_written():
    thing = Thing(data={"kind": "tag", "name": "red"})
    assert thing.is_valid()
    tag = thing.save()
    assert isinstance(tag, Tag)
    room = Reservation.objects.create(room="r", slot=1)
    assert Thing([tag, room], many=True).data == [
        {"kind": "tag", "id": tag.pk, "name": "red"},
        {"kind": "room", "id": room.pk, "room": "r", "slot": 1},
    ]
    part = Thing(room, data={"slot": 2}, partial=True)
    assert part.is_valid()
    assert part.save().slot == 2
    # The rules of the model see the row that is changed.
    same = Thing(room, data={"kind": "room", "room": "r", "slot": 2})
    assert same.is_valid(), same.errors
    assert errors_of(Thing(data={"kind": "room", "room": "r", "slot": 2}))["non_field_errors"]
    assert list(errors_of(Thing(room, data={"slot": 2}))) == ["kind"]
    (error,) = errors_of(Thing(room, data={"kind": "tag", "name": "x"}))["kind"]
    assert error == ErrorDetail('"tag" is not a valid choice.', "invalid_choice")


@pytest.mark.django_db
def test_one_model_with_a_column_for_the_kind():
    class Short(serializers.ModelSerializer):
        class Meta:
            model = Snippet
            fields = ["id", "title"]

    class Long(Short):
        class Meta(Short.Meta):
            fields = ["id", "code"]

    alice = User.objects.create(username="alice")
    union = {"discriminator": "code", "serializers": {"short": Short, "long": Long}}
    made = serializers.UnionSerializer(data={"code": "short", "title": "t"}, **union)
    assert made.is_valid()
    snippet = made.save(owner=alice)
    assert (snippet.code, snippet.title) == ("short", "t")
    assert serializers.UnionSerializer(snippet, **union).data["code"] == "short"
    changed = serializers.UnionSerializer(snippet, data={"code": "long"}, **union)
    assert changed.is_valid()
    assert changed.save().code == "long"


class SnippetSerializer(serializers.ModelSerializer):
    owner = serializers.CharField(source="owner.username")
    tags = TagSerializer(many=True)

    class Meta:
        model = Snippet
        fields = ["id", "owner", "tags"]


@pytest.mark.django_db
@pytest.mark.fast_way
def test_relations_of_a_list_are_loaded_for_each_kind_together(django_assert_num_queries):
    alice = User.objects.create(username="alice")
    tags = [Tag.objects.create(name=name) for name in "ab"]
    for number in range(4):
        Snippet.objects.create(title=str(number), code="x", owner=alice).tags.set(tags)
    items = [item for pair in zip(Snippet.objects.all(), tags * 2, strict=True) for item in pair]
    union = serializers.UnionSerializer(
        items, many=True, serializers={"snippet": SnippetSerializer, "tag": TagSerializer}
    )
    with django_assert_num_queries(2):
        data = union.data
    assert [item["type"] for item in data] == ["snippet", "tag"] * 4
    assert [tag["name"] for tag in data[6]["tags"]] == ["a", "b"]
    assert data == [union.child.to_representation(item) for item in items]


def test_a_hook_tells_the_kind_of_other_objects():
    @dataclass
    class Animal:
        name: str
        lives: int = 9

    class Hooked(Pet):
        def get_discriminator(self, instance):
            return "cat" if instance.lives else "fish"

    assert Hooked(Animal("Tom")).data["type"] == "cat"
    with pytest.raises(TypeError, match=r"Hooked does not know the kind of Animal: .*'cat', 'dog'"):
        Hooked(Animal("Wanda", 0)).data  # noqa: B018


def test_kinds_may_be_numbers_and_members_of_enumerations():
    class Kind(Enum):
        CAT = "cat"

    by_member = {"serializers": {Kind.CAT: Cat}}
    pet = serializers.UnionSerializer(data={"type": "cat", "name": "Tom"}, **by_member)
    assert pet.is_valid()
    assert pet.data["type"] == "cat"
    by_number = {"serializers": {1: Cat}}
    for given in (1, "1"):
        pet = serializers.UnionSerializer(data={"type": given, "name": "Tom"}, **by_number)
        assert pet.is_valid()
        assert pet.data["type"] == 1


def test_forms_name_the_kind_too():
    form = QueryDict("pets[0]type=dog&pets[0]name=Rex&name=a")
    home = Household(data=form)
    assert home.is_valid(), home.errors
    assert home.validated_data["pets"] == [{"type": "dog", "name": "Rex"}]
    one = Pet(data=QueryDict("type=dog&name=Rex&tricks=sit&tricks=roll"))
    assert one.is_valid()
    assert one.validated_data["tricks"] == ["sit", "roll"]


def test_unknown_keys_do_not_include_the_discriminator():
    with override_settings(REST_FRAMEWORK={"EXTRA_INPUT": "forbid"}):
        assert Pet(data={"type": "cat", "name": "Tom"}).is_valid()
        assert list(errors_of(Pet(data={"type": "cat", "name": "Tom", "tricks": []}))) == ["tricks"]
        assert Pet(data=QueryDict("type=cat&name=Tom")).is_valid()


def test_context_and_whole_checks_reach_every_kind():
    class Seeing(serializers.Serializer):
        name = serializers.SerializerMethodField()

        def get_name(self, obj):
            return self.context["who"]

        def validate(self, attrs):
            return {**attrs, "who": self.context["who"], "sent": self.initial_data["x"]}

    class Checked(serializers.UnionSerializer):
        serializers = {"a": Seeing}

        def validate(self, attrs):
            if attrs["sent"] == 2:
                raise serializers_error
            return attrs

    serializers_error = serializers.ValidationError("Not two.")
    context = {"who": "me"}
    assert Checked({"type": "a"}, context=context).data["name"] == "me"
    good = Checked(data={"type": "a", "x": 1}, context=context)
    assert good.is_valid()
    assert good.validated_data == {"type": "a", "who": "me", "sent": 1}
    bad = Checked(data={"type": "a", "x": 2}, context=context)
    assert errors_of(bad) == {"non_field_errors": ["Not two."]}


def test_a_save_of_its_own_is_asked():
    class Saved(Cat):
        def save(self, **kwargs):
            return ("saved", self.instance, self.validated_data)

    union = {"serializers": {"cat": Saved}}
    pet = serializers.UnionSerializer(data={"type": "cat", "name": "Tom"}, **union)
    assert pet.is_valid()
    assert pet.save(lives=1) == ("saved", None, {"name": "Tom", "lives": 1})


def test_on_the_event_loop():
    async def work():
        pet = Pet(data={"type": "dog", "name": "Rex"})
        assert await pet.ais_valid()
        made = await pet.asave()
        return made, await Pet({"type": "cat", "name": "a", "lives": 1}).adata

    made, data = asyncio.run(work())
    assert made == ("made a dog", {"name": "Rex"})
    assert data == {"type": "cat", "name": "a", "lives": 1}


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({}, "has no kinds"),
        ({"serializers": {"a": int}}, r"serializers\['a'\] is <class 'int'>"),
        ({"serializers": {"a": Cat(many=True)}}, "for one object"),
        (
            {"serializers": {"a": Cat}, "x": serializers.CharField()},
            "declares fields of its own: x",
        ),
    ],
)
def test_mistakes_are_named(attributes, message):
    cls = type("Wrong", (serializers.UnionSerializer,), attributes)
    with pytest.raises(TypeError, match=message):
        cls()


def test_what_describes_it():
    pet = Pet()
    assert list(pet.members) == ["cat", "dog"]
    assert all(member.parent is pet for member in pet.members.values())
    info = SimpleMetadata().get_serializer_info(pet)
    assert list(info) == ["type"]
    assert [choice["value"] for choice in info["type"]["choices"]] == ["cat", "dog"]
    assert list(info["type"]["choices"][0]["children"]) == ["name", "lives"]
    assert repr(pet).startswith("Pet():\n    type = ChoiceField(")
    assert "are those of the kind of each object" in explain(Pet)


class Pets(generics.ListCreateAPIView):
    queryset = Tag.objects.order_by("id")
    serializer_class = Thing


class OnePet(generics.RetrieveUpdateAPIView):
    queryset = Tag.objects.all()
    serializer_class = Thing


urlpatterns = [path("things/", Pets.as_view()), path("things/<int:pk>/", OnePet.as_view())]


@pytest.mark.django_db
@pytest.mark.urls(__name__)
def test_over_http_and_on_the_browsable_page():
    client = APIClient()
    made = client.post("/things/", {"kind": "tag", "name": "red"}, format="json")
    assert made.status_code == 201
    key = made.json()["id"]
    assert made.json() == {"kind": "tag", "id": key, "name": "red"}
    assert client.get("/things/").json() == [made.json()]
    changed = client.patch(f"/things/{key}/", {"name": "blue"}, format="json")
    assert changed.json()["name"] == "blue"
    assert client.post("/things/", {"kind": "x"}, format="json").status_code == 400
    options = client.options("/things/").json()["actions"]["POST"]["kind"]
    assert [choice["value"] for choice in options["choices"]] == ["tag", "room"]
    page = client.get("/things/", HTTP_ACCEPT="text/html").content.decode()
    assert '<option value="room"' in page
    edit = client.get(f"/things/{key}/", HTTP_ACCEPT="text/html").content.decode()
    assert 'name="name"' in edit
    wrong = client.post("/things/", {"kind": "room", "room": ""}, HTTP_ACCEPT="text/html")
    assert wrong.status_code == 400
    assert 'name="slot"' in wrong.content.decode()
