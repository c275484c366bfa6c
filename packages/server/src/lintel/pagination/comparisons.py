"""Conditions that compare whole rows: ``(a, b) > (1, 2)``."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Expression, Lookup, Value

#: Fields that accept whole numbers unchanged.
WHOLE_NUMBERS = frozenset(
    [
        *(models.AutoField, models.BigAutoField, models.SmallAutoField),
        *(models.IntegerField, models.BigIntegerField, models.SmallIntegerField),
    ]
)

#: Fields whose values are written to SQL as a plain parameter.
PLAIN_FIELDS = WHOLE_NUMBERS | frozenset(
    [
        *(models.CharField, models.DateField, models.DateTimeField, models.FloatField),
        *(models.SlugField, models.TextField, models.TimeField, models.UUIDField),
    ]
)

#: A condition and its parameters.
Sql = tuple[str, tuple[Any, ...]]


class Row(Expression):
    """``(a, b)``: columns as one row value."""

    def __init__(self, columns: Iterable[Any]) -> None:
        super().__init__()
        self.columns: list[Any] = list(columns)

    def get_source_expressions(self) -> list[Any]:
        return self.columns

    def set_source_expressions(self, exprs: Sequence[Any]) -> None:
        self.columns = list(exprs)

    def as_sql(self, compiler: Any, connection: BaseDatabaseWrapper) -> Sql:
        return f"({', '.join([compiler.compile(column)[0] for column in self.columns])})", ()


class KnownRow(Expression):
    """``(1, 2)``: values of fields as one row value."""

    def __init__(self, fields: Sequence[models.Field], values: Sequence[object]) -> None:
        super().__init__()
        self.fields = fields
        self.values = values

    def as_sql(self, compiler: Any, connection: BaseDatabaseWrapper) -> Sql:
        texts: list[str] = []
        parameters: list[object] = []
        for field, value in zip(self.fields, self.values, strict=True):
            if type(field) in PLAIN_FIELDS:
                texts.append("%s")
                parameters.append(field.get_db_prep_value(value, connection=connection))
            else:
                text, inner = compiler.compile(Value(value, output_field=field))
                texts.append(text)
                parameters += inner
        return f"({', '.join(texts)})", tuple(parameters)


class RowAfter(Lookup):
    """``(a, b) > (1, 2)``: compare column by column, as rows are ordered.

    A lookup, because databases use no index for a comparison that is itself compared with true.
    """

    operator = ">"
    prepare_rhs = False
    bilateral_transforms: list[Any] = []
    output_field = models.BooleanField()
    contains_aggregate = False
    contains_over_clause = False

    def __init__(self, lhs: Any, rhs: Any) -> None:
        self.lhs: Any = lhs
        self.rhs: Any = rhs

    def as_sql(self, compiler: Any, connection: BaseDatabaseWrapper) -> Sql:
        columns, _ = self.lhs.as_sql(compiler, connection)
        values, parameters = self.rhs.as_sql(compiler, connection)
        return f"{columns} {self.operator} {values}", parameters


class RowBefore(RowAfter):
    """``(a, b) < (1, 2)``."""

    operator = "<"
