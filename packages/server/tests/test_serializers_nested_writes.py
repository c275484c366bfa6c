from typing import Any

import pytest
from contract_project.models import Everything, Snippet, Tag
from django.contrib.auth.models import User

from lintel import serializers
from lintel.serializers import raise_errors_on_nested_writes


class TagSerializer(serializers.ModelSerializer):
    class Meta:
        model = Tag
        fields = ["name"]


def serializer(model: Any, **declared: Any) -> Any:
    meta = type("Meta", (), {"model": model, "fields": list(declared)})
    cls = type("SampleSerializer", (serializers.ModelSerializer,), {**declared, "Meta": meta})
    return cls()


def test_nested_lists_are_refused_with_advice() -> None:
    nested = serializer(Snippet, labels=TagSerializer(many=True, source="tags"))
    with pytest.raises(AssertionError, match=r"read_only=True.*`labels`.*`tags`"):
        raise_errors_on_nested_writes("create", nested, {"tags": [{"name": "x"}]})


def test_dotted_sources_are_refused() -> None:
    dotted = serializer(Snippet, name=serializers.CharField(source="owner.username"))
    with pytest.raises(AssertionError, match=r"dotted-source.*`owner.username`"):
        raise_errors_on_nested_writes("update", dotted, {"owner": {"username": "x"}})


@pytest.mark.parametrize("value", [None, User(username="x"), ()])
def test_values_that_are_no_input_pass(value: Any) -> None:
    nested = serializer(Snippet, owner=TagSerializer())
    raise_errors_on_nested_writes("create", nested, {"owner": value})


def test_read_only_and_absent_fields_pass() -> None:
    nested = serializer(Snippet, tags=TagSerializer(many=True, read_only=True))
    raise_errors_on_nested_writes("create", nested, {"tags": [{"name": "x"}]})
    raise_errors_on_nested_writes("create", serializer(Snippet, owner=TagSerializer()), {})


def test_json_columns_take_nested_values() -> None:
    nested = serializer(
        Everything, data=TagSerializer(), x=serializers.IntegerField(source="data.x")
    )
    raise_errors_on_nested_writes("create", nested, {"data": {"name": "x", "x": 1}})
