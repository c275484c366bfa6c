"""Guards notice every patch, even one that replaces another."""

from unittest import mock

from django.contrib.auth.models import Group

from lintel import serializers


class Plain:
    def helper(self):
        return 1


def test_a_patch_is_seen_that_takes_the_place_of_another_one():
    class Name(Plain, serializers.CharField):
        pass

    class Person(serializers.Serializer):
        name = Name()

    with mock.patch.object(Name, "helper", return_value=2):
        assert Person({"name": "Ada"}).data == {"name": "Ada"}
        assert Person(data={"name": "Ada"}).is_valid()
    with mock.patch.object(Name, "get_attribute", return_value="PATCHED"):
        assert Person({"name": "Ada"}).data == {"name": "PATCHED"}
    with mock.patch.object(Name, "validate_empty_values", return_value=(True, "EMPTY")):
        found = Person(data={"name": "Ada"})
        assert found.is_valid()
        assert found.validated_data == {"name": "EMPTY"}


def test_a_class_may_get_other_bases():
    class Name(Plain, serializers.CharField):
        pass

    class Person(serializers.Serializer):
        name = Name()

    assert Person({"name": "7"}).data == {"name": "7"}
    assert Person(data={"name": "7"}).is_valid()
    Name.__bases__ = (Plain, serializers.IntegerField)
    assert Person({"name": "7"}).data == {"name": 7}
    found = Person(data={"name": "7"})
    assert found.is_valid()
    assert found.validated_data == {"name": 7}


def test_attributes_that_change_places_on_a_base_are_seen():
    class Above(serializers.CharField):
        def to_representation(self, value):
            return f"<{value}>"

    class Between(Above):
        helper = 1

    class Name(Between):
        def to_representation(self, value):
            return super().to_representation(value)

    class Person(serializers.Serializer):
        name = Name()

    assert Person({"name": "Ada"}).data == {"name": "<Ada>"}
    del Between.helper
    Between.to_representation = lambda self, value: "between"
    assert Person({"name": "Ada"}).data == {"name": "between"}


def test_a_hook_that_takes_the_place_of_another_attribute_of_the_serializer_is_seen():
    class Person(serializers.Serializer):
        helper = 1
        name = serializers.CharField()

    assert Person({"name": "Ada"}).data == {"name": "Ada"}
    assert Person(data={"name": "Ada"}).is_valid()
    del Person.helper
    Person.to_representation = lambda self, instance: {"name": "patched"}
    assert Person({"name": "Ada"}).data == {"name": "patched"}
    del Person.to_representation
    Person.validate = lambda self, attrs: {"name": "validated"}
    found = Person(data={"name": "Ada"})
    assert found.is_valid()
    assert found.validated_data == {"name": "validated"}


def test_another_meta_takes_the_place_of_that_of_a_class_or_of_its_base():
    class Base(serializers.ModelSerializer):
        class Meta:
            model = Group
            fields = ["id", "name"]

    class Named(Base):
        pass

    class Above(serializers.Serializer):
        group = Named()

    def shown(cls):
        assert (
            Above({"group": Group(id=1, name="a")}).data["group"] == cls(Group(id=1, name="a")).data
        )
        return list(cls(Group(id=1, name="a")).data)

    def meta(*names):
        return type("Meta", (), {"model": Group, "fields": names})

    assert shown(Named) == ["id", "name"]
    Base.Meta = meta("name")
    assert shown(Named) == ["name"]
    with mock.patch.object(Named, "Meta", type("Meta", (Base.Meta,), {"fields": ["id"]})):
        assert shown(Named) == ["id"]
        Named.Meta = meta("name", "id")
        assert shown(Named) == ["name", "id"]
        assert list(Named(data={"name": "a" * 200}).fields) == ["name", "id"]
    assert shown(Named) == ["name"]
