"""Columns that the database fills: not required with OPTIONAL_DB_DEFAULTS, and read back."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.apps.registry import Apps
from django.db import connection, models
from django.db.models.functions import Now, Upper

from lintel import serializers


class Order(models.Model):
    state = models.CharField(max_length=10, db_default=Upper(models.Value("new")))
    made = models.DateTimeField(db_default=Now())
    note = models.CharField(max_length=10)
    rank = models.IntegerField(db_default=7)

    class Meta:
        apps = Apps(["contract_project"])
        app_label = "contract_project"


class OrderSerializer(serializers.ModelSerializer):
    class Meta:
        model = Order
        fields = ["state", "made", "note", "rank"]


@pytest.fixture(autouse=True)
def _table(transactional_db: None) -> Iterator[None]:
    with connection.schema_editor() as editor:
        editor.create_model(Order)
    yield
    with connection.schema_editor() as editor:
        editor.delete_model(Order)


def required() -> set[str]:
    return {name for name, field in OrderSerializer().fields.items() if field.required}


def test_the_setting_makes_them_optional(settings: Any) -> None:
    assert required() == {"state", "made", "note", "rank"}
    settings.REST_FRAMEWORK = {"OPTIONAL_DB_DEFAULTS": True}
    assert required() == {"note"}


@pytest.mark.parametrize("returns", [True, False])
def test_the_values_are_read_back(
    returns: bool, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.REST_FRAMEWORK = {"OPTIONAL_DB_DEFAULTS": True}
    serializer = OrderSerializer(data={"note": "a"})
    serializer.is_valid(raise_exception=True)
    with monkeypatch.context() as patch:
        # MySQL returns nothing from an INSERT but the key.
        if not returns:
            features = type(connection.features)
            patch.setattr(features, "can_return_columns_from_insert", False)
        serializer.save()
    shown = serializer.data
    assert (shown["state"], shown["rank"], shown["note"]) == ("NEW", 7, "a")
    assert shown["made"] == OrderSerializer(Order.objects.get()).data["made"]


def test_what_is_sent_is_stored(settings: Any) -> None:
    settings.REST_FRAMEWORK = {"OPTIONAL_DB_DEFAULTS": True}
    serializer = OrderSerializer(data={"note": "a", "rank": 1, "state": "old"})
    serializer.is_valid(raise_exception=True)
    row = serializer.save()
    partial = OrderSerializer(row, data={"note": "b"}, partial=True)
    partial.is_valid(raise_exception=True)
    partial.save()
    assert list(Order.objects.values_list("rank", "state", "note")) == [(1, "old", "b")]
