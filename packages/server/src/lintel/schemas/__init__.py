"""Machine-readable descriptions of the API, made from its views."""

from lintel.patches import carry_on_patches
from lintel.schemas import coreapi, openapi
from lintel.schemas.coreapi import ManualSchema
from lintel.schemas.inspectors import DefaultSchema
from lintel.schemas.openapi import AutoSchema, SchemaGenerator
from lintel.schemas.view_factory import get_schema_view
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

carry_on_patches(__name__)
