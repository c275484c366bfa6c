"""``?district=Harbour``: rows by the values of columns."""

from typing import Any

from django.core.exceptions import ValidationError as DjangoValidationError
from django.db.models import QuerySet

from lintel.exceptions import ValidationError
from lintel.filters import BaseFilterBackend
from lintel.request import Request
from lintel.views import APIView
from lintel_document import Field


class ColumnFilter(BaseFilterBackend):
    """Compares the columns in ``column_filters`` of the view with query parameters."""

    def filter_queryset(self, request: Request, queryset: QuerySet, view: APIView) -> QuerySet:
        model = queryset.model
        for name in self.names(view):
            text = request.query_params.get(name)
            if text:
                queryset = queryset.filter(**{name: value_of(model, name, text)})
        return queryset

    def names(self, view: APIView) -> list[str]:
        is_list = not getattr(view, "detail", False)
        return getattr(view, "column_filters", []) if is_list else []

    def get_schema_fields(self, view: APIView) -> list[Field]:
        """Return the query parameters for the native schema."""
        return [Field(name=name, location="query") for name in self.names(view)]

    def get_schema_operation_parameters(self, view: APIView) -> list[dict[str, Any]]:
        return [
            {
                "name": name,
                "in": "query",
                "required": False,
                "description": f"Only rows with this {name.replace('_', ' ')}.",
                "schema": {"type": "string"},
            }
            for name in self.names(view)
        ]


def value_of(model: Any, name: str, text: str) -> Any:
    """Return the value of a text in a column's type. Raises ValidationError (400)."""
    field = model._meta.get_field(name)
    try:
        return field.clean({"true": "True", "false": "False"}.get(text, text), None)
    except DjangoValidationError as error:
        raise ValidationError({name: error.messages}) from error
