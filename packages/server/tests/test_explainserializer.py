"""The command that shows what is generated."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import override_settings

from lintel import serializers
from lintel.fast.explaining import explain

PATH = "contract_project.support"


def explained(*arguments: str) -> str:
    output = StringIO()
    call_command("explainserializer", *arguments, stdout=output, skip_checks=True)
    return output.getvalue()


@pytest.mark.fast_way
def test_all_directions() -> None:
    text = explained(f"{PATH}.SnippetNestedSerializer")
    assert 'title = state["title"]' in text
    assert "def writer(serializer):" in text
    assert "for row_key" in text
    assert "reading tags (contract_project.support.TagSerializer)" in text


@pytest.mark.fast_way
@pytest.mark.parametrize(
    ("flag", "function"),
    [("--reading", "reader"), ("--writing", "writer"), ("--fetching", "fetcher")],
)
def test_one_direction(flag: str, function: str) -> None:
    text = explained(f"{PATH}.TagSerializer", flag)
    found = [name for name in ("reader", "writer", "fetcher") if f"def {name}(" in text]
    assert found == [function]


class Own(serializers.CharField):
    def to_representation(self, value: Any) -> Any:
        return value

    def run_validation(self, data: Any = serializers.empty) -> Any:
        return data


class Overriding(serializers.Serializer):
    name = Own()
    usual = serializers.CharField()


def test_reasons_of_fields() -> None:
    text = explain(Overriding)
    assert f"name: {__name__}.Own has its own to_representation()" in text
    assert f"name: {__name__}.Own has its own run_validation()" in text
    assert "usual:" not in text


def test_reasons_of_serializers() -> None:
    class Fresh(Overriding):
        def get_fields(self) -> Any:
            return super().get_fields()

    class Chosen(Overriding):
        @property
        def _readable_fields(self) -> Any:
            return super()._readable_fields

    assert "get_fields: is overridden" in explain(Fresh)
    assert "_readable_fields: is overridden" in explain(Chosen, ["reading"])


@pytest.mark.fast_way
def test_reasons_of_fetching() -> None:
    text = explained(f"{PATH}.SnippetRelationsSerializer", "--fetching")
    assert "Querysets of Snippet are read through instances" in text
    assert "tag_text" in text
    assert "needs Meta.model" in explained(f"{PATH}.PointSerializer", "--fetching")


@pytest.mark.parametrize("path", ["nowhere.Serializer", f"{PATH}.Missing", "builtins.dict"])
def test_wrong_paths(path: str) -> None:
    with pytest.raises(CommandError, match=r"Cannot import|not a subclass"):
        explained(path)


@pytest.mark.shortcuts
def test_functions_that_a_setting_keeps_out_of_use() -> None:
    path = f"{PATH}.SnippetNestedSerializer"
    with override_settings(REST_FRAMEWORK={"COMPILE_SERIALIZERS": "never"}):
        assert "COMPILE_SERIALIZERS is off: no function below is in use" in explained(path)
    with override_settings(REST_FRAMEWORK={"READ_FROM_ROWS": False}):
        assert "READ_FROM_ROWS is off: no function that fetches" in explained(path)
    with override_settings(REST_FRAMEWORK={"COMPILE_SERIALIZERS": True, "READ_FROM_ROWS": True}):
        assert "in use" not in explained(path)
