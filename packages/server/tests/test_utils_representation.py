"""Fields and serializers as text."""

from typing import Any

import pytest
from contract_project.models import Tag
from django.core.validators import MaxLengthValidator
from django.utils.translation import gettext_lazy

from lintel import fields, serializers
from lintel.utils.representation import (
    field_repr,
    list_repr,
    manager_repr,
    serializer_repr,
    smart_repr,
)


class Point(serializers.Serializer):
    x = fields.IntegerField(min_value=0)
    tags = fields.ListField(child=fields.CharField())


class Line(serializers.Serializer):
    start = Point()
    rest = Point(many=True, required=False, help_text="h")
    note = fields.CharField(label=gettext_lazy("Note"))

    class Meta:
        validators = [MaxLengthValidator(3)]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Tag.objects, "Tag.objects.all()"),
        (gettext_lazy("Lazy"), "'Lazy'"),
        (MaxLengthValidator(3), "<django.core.validators.MaxLengthValidator object>"),
        ("<x at 0x1>", "'<x at 0x1>'"),
        (None, "None"),
    ],
)
def test_values_look_the_same_in_every_process(value: Any, text: str) -> None:
    assert smart_repr(value) == text


def test_managers_by_their_name() -> None:
    assert manager_repr(Tag._default_manager) == "Tag.objects.all()"


def test_serializer_by_lines() -> None:
    assert repr(Line()).split("\n") == [
        "Line():",
        "    start = Point():",
        "        x = IntegerField(min_value=0)",
        "        tags = ListField(child=CharField())",
        "    rest = Point(help_text='h', many=True, required=False):",
        "        x = IntegerField(min_value=0)",
        "        tags = ListField(child=CharField())",
        "    note = CharField(label='Note')",
        "    class Meta:",
        "        validators = [<django.core.validators.MaxLengthValidator object>]",
    ]


def test_lists_of_fields_and_of_serializers() -> None:
    assert list_repr(fields.ListField(child=fields.CharField()), 1) == (
        "ListField(child=CharField())"
    )
    assert list_repr(Point(many=True), 1).split("\n")[0] == "Point(many=True):"
    assert serializer_repr(Point(), 0).split("\n")[1] == "x = IntegerField(min_value=0)"


def test_relations_to_many_by_their_child() -> None:
    class Tagged(serializers.Serializer):
        tags = serializers.SlugRelatedField(slug_field="name", queryset=Tag.objects, many=True)

    line = "    tags = SlugRelatedField(many=True, queryset=Tag.objects.all(), slug_field='name')"
    assert repr(Tagged()).split("\n")[1] == line


def test_field_by_class_and_arguments() -> None:
    assert field_repr(fields.DecimalField(5, decimal_places=2)) == (
        "DecimalField(5, decimal_places=2)"
    )
