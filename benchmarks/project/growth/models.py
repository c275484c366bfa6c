"""The wide table."""

from __future__ import annotations

import uuid
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from django.db import models

from benchmarks.project.growth.shape import COLUMNS, ROWS, value

FIELDS: dict[type, Any] = {
    str: lambda: models.CharField(max_length=100),
    int: models.IntegerField,
    Decimal: lambda: models.DecimalField(max_digits=8, decimal_places=2),
    datetime: models.DateTimeField,
    bool: models.BooleanField,
    float: models.FloatField,
    uuid.UUID: models.UUIDField,
    date: models.DateField,
}


def make_model() -> Any:
    meta = type("Meta", (), {"app_label": "project"})
    columns = {name: FIELDS[kind]() for name, kind in COLUMNS.items()}
    return type("Wide", (models.Model,), {"__module__": __name__, "Meta": meta, **columns})


Wide = make_model()


def load() -> None:
    """Fill the table with the same rows in every run."""
    rows = (
        Wide(**{name: value(kind, number) for name, kind in COLUMNS.items()})
        for number in range(ROWS)
    )
    Wide.objects.bulk_create(rows, batch_size=500)
