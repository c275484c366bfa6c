"""Conditions that compare whole rows: ``(a, b) > (1, 2)``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import (
    AutoField,
    BigAutoField,
    BigIntegerField,
    BooleanField,
    CharField,
    DateField,
    DateTimeField,
    Expression,
    FloatField,
    IntegerField,
    Lookup,
    SlugField,
    SmallAutoField,
    SmallIntegerField,
    TextField,
    TimeField,
    UUIDField,
    Value,
)

#: Fields that accept whole numbers unchanged.
WHOLE_NUMBERS = frozenset(
    [AutoField, BigAutoField, SmallAutoField, IntegerField, BigIntegerField, SmallIntegerField]
)

#: Fields whose values are written to SQL as a plain parameter.
PLAIN_FIELDS = WHOLE_NUMBERS | frozenset(
    [
        *(CharField, DateField, DateTimeField, FloatField),
        *(SlugField, TextField, TimeField, UUIDField),
    ]
)


class Row(Expression):
    """``(a, b)``: columns as one row value."""

    def __init__(self, columns: Iterable[Any]) -> None:
        super().__init__()
        self.columns: list[Any] = list(columns)

    def get_source_expressions(self) -> list[Any]:
        return self.columns

    def set_source_expressions(self, exprs: Sequence[Any]) -> None:
        self.columns = list(exprs)

    def as_sql(self, compiler: Any, connection: BaseDatabaseWrapper) -> tuple[str, tuple[Any, ...]]:
        return f"({', '.join([compiler.compile(each)[0] for each in self.columns])})", ()


class KnownRow(Expression):
    """``(1, 2)``: values of fields as one row value."""

    def __init__(self, fields: Sequence[Any], values: Sequence[Any]) -> None:
        super().__init__()
        self.fields = fields
        self.values = values

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, tuple[Any, ...]]:
        texts: list[str] = []
        parameters: list[Any] = []
        for field, value in zip(self.fields, self.values, strict=True):
            if type(field) in PLAIN_FIELDS:
                texts.append("%s")
                parameters.append(field.get_db_prep_value(value, connection=connection))
            else:
                text, own = compiler.compile(Value(value, output_field=field))
                texts.append(text)
                parameters += own
        return f"({', '.join(texts)})", tuple(parameters)


class RowAfter(Lookup):
    """``(a, b) > (1, 2)``: compare column by column, as rows are ordered.

    A lookup, because databases use no index for a comparison that is itself compared with true.
    """

    operator = ">"
    prepare_rhs = False
    bilateral_transforms: list[Any] = []
    output_field = BooleanField()
    contains_aggregate = False
    contains_over_clause = False

    def __init__(self, lhs: Any, rhs: Any) -> None:
        self.lhs: Any = lhs
        self.rhs: Any = rhs

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, tuple[Any, ...]]:
        columns, _ = self.lhs.as_sql(compiler, connection)
        values, parameters = self.rhs.as_sql(compiler, connection)
        return f"{columns} {self.operator} {values}", parameters


class RowBefore(RowAfter):
    """``(a, b) < (1, 2)``."""

    operator = "<"
