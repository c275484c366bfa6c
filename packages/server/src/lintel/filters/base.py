"""The base of all filters."""

import operator
from typing import Any

from django.db.models import QuerySet

from lintel.cycle.waiting import needs_no_database
from lintel.fields.describing import Schema
from lintel.overrides import is_ours
from lintel.request import Request
from lintel_document import Field


class BaseFilterBackend:
    """Base of all filters; ``filter_queryset`` may be ``async def``."""

    def filter_queryset(self, request: Request, queryset: QuerySet[Any], view: Any) -> Any:
        """Return the rows that this request may see."""
        raise NotImplementedError(".filter_queryset() must be overridden.")

    def get_schema_operation_parameters(self, view: Any) -> list[Schema]:
        return []

    def describe_parameters(self, view: Any) -> list[Schema]:
        """Return the same with all that the view tells of them, for a full description."""
        return self.get_schema_operation_parameters(view)

    def get_schema_fields(self, view: Any) -> list[Field]:
        return []


def is_usual(backend: object, queryset: QuerySet[Any], *hooks: str) -> bool:
    """Return whether filter and queryset behave as this package and Django define."""
    return needs_no_database(queryset) and all(map(is_ours, operator.attrgetter(*hooks)(backend)))
