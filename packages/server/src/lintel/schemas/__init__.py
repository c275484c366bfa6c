"""Machine-readable descriptions of the API, generated from its views."""

from lintel.patches import carry_on_patches
from lintel.schemas import coreapi, openapi
from lintel.schemas.coreapi import ManualSchema
from lintel.schemas.extending import (
    OpenApiExample,
    OpenApiParameter,
    OpenApiRequest,
    OpenApiResponse,
    extend_schema,
    extend_schema_field,
    extend_schema_serializer,
    extend_schema_view,
    inline_serializer,
)
from lintel.schemas.inspectors import DefaultSchema
from lintel.schemas.openapi import AutoSchema, SchemaGenerator
from lintel.schemas.openapi_types import OpenApiTypes
from lintel.schemas.views import get_schema_view
from lintel.settings import api_settings

__all__ = [
    "AutoSchema",
    "DefaultSchema",
    "ManualSchema",
    "OpenApiExample",
    "OpenApiParameter",
    "OpenApiRequest",
    "OpenApiResponse",
    "OpenApiTypes",
    "SchemaGenerator",
    "api_settings",
    "coreapi",
    "extend_schema",
    "extend_schema_field",
    "extend_schema_serializer",
    "extend_schema_view",
    "get_schema_view",
    "inline_serializer",
    "openapi",
]

carry_on_patches(__name__)
