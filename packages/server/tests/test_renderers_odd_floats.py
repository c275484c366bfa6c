"""A float that JSON cannot represent is reported by row and field."""

from types import SimpleNamespace
from typing import Any

import pytest

from lintel import serializers
from lintel.renderers import JSONRenderer
from lintel.renderers.odd_floats import odd_float

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
