"""Machine-readable descriptions of the API, made from its views."""

from lintel.schemas import coreapi, openapi
from lintel.schemas.coreapi import ManualSchema
from lintel.schemas.face import get_schema_view
from lintel.schemas.inspectors import DefaultSchema
from lintel.schemas.openapi import AutoSchema, SchemaGenerator
from lintel.settings import api_settings

__all__ = [
    "AutoSchema",
    "DefaultSchema",
    "ManualSchema",
    "SchemaGenerator",
    "api_settings",
    "coreapi",
    "get_schema_view",
    "openapi",
]
