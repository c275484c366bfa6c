"""``Meta.partial_defaults``: fields whose defaults apply to partial updates as well."""

from typing import Any

import pytest
from contract_project.models import Snippet, User
from django.core.exceptions import ImproperlyConfigured
from test_serializers_partial import outcomes

from lintel import serializers


class Note(serializers.Serializer):
    text = serializers.CharField()
    editor = serializers.HiddenField(default="nobody")
    rank = serializers.IntegerField(default=1)
    place = serializers.CharField(source="meta.place", default="here")

    class Meta:
        partial_defaults = ["editor", "place"]


class Book(serializers.Serializer):
    note = Note()
    notes = Note(many=True, required=False)


def test_named_defaults_apply_to_partial_updates() -> None:
    expected = {"text": "a", "editor": "nobody", "meta": {"place": "here"}}
    assert outcomes(Note, {"text": "a"}, partial=True) == expected
    assert outcomes(Note, {}, partial=True) == {"editor": "nobody", "meta": {"place": "here"}}
    assert outcomes(Note, {"place": "x"}, partial=True)["meta"] == {"place": "x"}
    assert outcomes(Note, {"text": "a"})["rank"] == 1


def test_in_nested_serializers_and_lists() -> None:
    found = outcomes(Book, {"note": {}, "notes": [{"text": "b"}]}, partial=True)
    marked = {"editor": "nobody", "meta": {"place": "here"}}
    assert found == {"note": marked, "notes": [{"text": "b", **marked}]}
    assert outcomes(Note, [{}], many=True, partial=True) == [marked]


def test_hooks_see_the_default_and_create_only_defaults_are_left_out() -> None:
    class Hooked(Note):
        made = serializers.HiddenField(default=serializers.CreateOnlyDefault("now"))

        class Meta:
            partial_defaults = ("editor", "made")

        def validate_editor(self, value: str) -> str:
            if "text" in self.initial_data:
                raise serializers.ValidationError("Not you.")
            return value.upper()

    made = Hooked("row", data={}, partial=True)
    assert made.is_valid(), made.errors
    assert made.validated_data == {"editor": "NOBODY"}
    refused = Hooked("row", data={"text": "a"}, partial=True)
    assert not refused.is_valid()
    assert refused.errors == {"editor": ["Not you."]}


@pytest.mark.parametrize("names", ["editor", ["text"], ["missing"], [1]])
def test_a_wrong_option_is_named(names: Any) -> None:
    class Wrong(Note):
        class Meta:
            partial_defaults = names

    with pytest.raises(ImproperlyConfigured, match=r"Wrong\.Meta\.partial_defaults"):
        Wrong(data={}, partial=True).is_valid()


@pytest.mark.django_db
def test_the_user_of_each_write_is_stored() -> None:
    class Edited(serializers.ModelSerializer):
        owner = serializers.HiddenField(default=serializers.CurrentUserDefault())

        class Meta:
            model = Snippet
            fields = ["title", "owner"]
            partial_defaults = ["owner"]

    first, second = (User.objects.create(username=name) for name in "ab")
    row = Snippet.objects.create(owner=first)
    context = {"request": type("Request", (), {"user": second})}
    serializer = Edited(row, data={"title": "x"}, partial=True, context=context)
    serializer.is_valid(raise_exception=True)
    serializer.save()
    row.refresh_from_db()
    assert (row.title, row.owner) == ("x", second)
