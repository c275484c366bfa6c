"""A float that JSON cannot represent is reported by row and field."""

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest
from contract_project.models import Everything
from django.urls import path

from lintel import generics, serializers
from lintel.renderers import JSONRenderer
from lintel.renderers.data import NDJSONRenderer
from lintel.renderers.odd_floats import finite, odd_float
from lintel.schemas.openapi import SchemaGenerator
from lintel.test import APIClient

NAN, INFINITY = float("nan"), float("inf")


class Stats(serializers.Serializer):
    ratio = serializers.FloatField()


class Row(serializers.Serializer):
    name = serializers.CharField()
    stats = Stats()
    shares = serializers.ListField(child=serializers.FloatField(), default=list)


def rows(*ratios: float) -> Any:
    items = [
        SimpleNamespace(name="a", stats=SimpleNamespace(ratio=one), shares=[]) for one in ratios
    ]
    return Row(items, many=True).data


def message(data: Any) -> str:
    with pytest.raises(ValueError, match="Out of range float") as caught:
        JSONRenderer().render(data)
    return str(caught.value)


def test_row_and_field_are_named() -> None:
    data = rows(1.0, 2.0, NAN, INFINITY)
    assert "nan in row 2, field 'stats.ratio' of Row." in message(data)
    paginated = {"count": 2, "results": rows(0.5, -INFINITY)}
    assert "-inf in row 1, field 'results.stats.ratio' of Row." in message(paginated)


def test_one_object_and_plain_data() -> None:
    item = SimpleNamespace(name="a", stats=SimpleNamespace(ratio=1.0), shares=[1.0, INFINITY])
    assert "inf in row 1, field 'shares' of Row." in message(Row(item).data)
    assert "nan in field 'a'." in message({"a": NAN})
    assert "nan in row 0." in message([NAN])


def test_a_bare_float_keeps_the_words_of_the_encoder() -> None:
    assert message(NAN).startswith("Out of range float values are not JSON compliant")


def test_without_strict_json_it_is_written(settings: Any) -> None:
    settings.REST_FRAMEWORK = {"STRICT_JSON": False}
    assert JSONRenderer().render({"a": NAN}) == b'{"a":NaN}'


def test_other_errors_of_the_encoder_pass() -> None:
    circle: list[Any] = []
    circle.append(circle)
    with pytest.raises((ValueError, RecursionError)):
        JSONRenderer().render(circle)
    assert odd_float(circle) is None


def test_floats_as_keys() -> None:
    found = odd_float({"a": [{INFINITY: 1}]})
    assert found is not None
    assert found.value == INFINITY


# ---- NON_FINITE ----

SHOWN = {"null": ["null", "null", "null"], "string": ['"NaN"', '"Infinity"', '"-Infinity"']}


@pytest.mark.parametrize("form", SHOWN)
def test_other_values_in_their_place(form: str, settings: Any) -> None:
    settings.REST_FRAMEWORK = {"NON_FINITE": form}
    nan, infinity, negative = SHOWN[form]
    item = SimpleNamespace(name="a", stats=SimpleNamespace(ratio=NAN), shares=[1.5, -INFINITY])
    expected = f'{{"name":"a","stats":{{"ratio":{nan}}},"shares":[1.5,{negative}]}}'
    assert JSONRenderer().render(Row(item).data) == expected.encode()
    assert JSONRenderer().render(Row([item], many=True).data) == f"[{expected}]".encode()
    assert JSONRenderer().render((INFINITY, 1)) == f"[{infinity},1]".encode()
    assert JSONRenderer().render(iter([NAN])) == f"[{nan}]".encode()
    assert JSONRenderer().render({NAN: 1}) == b'{"NaN":1}'
    assert NDJSONRenderer().render([{"a": NAN}, 1]) == f'{{"a":{nan}}}\n1\n'.encode()
    indented = JSONRenderer().render([NAN], "application/json; indent=2")
    assert indented == f"[\n  {nan}\n]".encode()


def test_values_that_the_encoder_converts(settings: Any) -> None:
    settings.REST_FRAMEWORK = {"NON_FINITE": "null"}

    class Array:
        def tolist(self) -> list[float]:
            return [NAN, 0.5]

    assert JSONRenderer().render({"a": Array()}) == b'{"a":[null,0.5]}'


def test_it_takes_precedence_over_loose_json_and_a_renderer_over_the_setting(settings: Any) -> None:
    settings.REST_FRAMEWORK = {"NON_FINITE": "null", "STRICT_JSON": False}
    assert JSONRenderer().render([NAN]) == b"[null]"

    class Own(JSONRenderer):
        non_finite = "string"

    assert Own().render([NAN]) == b'["NaN"]'


def test_finite_data_is_not_copied() -> None:
    data = {"a": [1.5, {"b": None}], "c": (1, 2)}
    assert finite(data, "null") is data


class Ratios(serializers.ModelSerializer):
    class Meta:
        model = Everything
        fields = ["ratio", "text"]


class RatioList(generics.ListCreateAPIView):
    queryset = Everything.objects.all()
    serializer_class = Ratios
    permission_classes: Any = []


urlpatterns = [path("ratios/", RatioList.as_view())]


@pytest.mark.django_db
@pytest.mark.parametrize("form", SHOWN)
def test_lists_from_rows_are_as_the_schema_says(form: str, settings: Any) -> None:
    settings.ROOT_URLCONF = __name__
    settings.REST_FRAMEWORK = {"NON_FINITE": form, "OPENAPI_VERSION": "3.1"}
    for number in range(10):
        ratio = INFINITY if number % 2 else 0.5
        moment = datetime(2026, 1, 1, tzinfo=UTC)
        Everything.objects.create(text="a", amount=1, when=moment, ratio=ratio)
    shown = SHOWN[form][1].strip('"')
    expected = [0.5, None if shown == "null" else shown] * 5
    for _ in range(3):
        response = APIClient().get("/ratios/")
        assert [row["ratio"] for row in response.json()] == expected
    document = SchemaGenerator().get_schema(public=True)
    schemas = document["components"]["schemas"]
    shown, taken = (schemas[name]["properties"]["ratio"] for name in ("Ratios", "RatiosRequest"))
    assert NAN_TEXT in str(shown) if form == "string" else "null" in shown["type"]
    assert NAN_TEXT not in str(taken)


NAN_TEXT = "Infinity"
