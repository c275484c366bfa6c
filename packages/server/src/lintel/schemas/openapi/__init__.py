"""OpenAPI: the API as a document of paths and components.

view ──AutoSchema.get_operation──▶ Operation ─┐
                                              ├──▶ Service ──▶ document of a version
serializer ──map_serializer──▶ Component ─────┘
"""

from lintel import exceptions, renderers, serializers
from lintel.compat import inflection, uritemplate
from lintel.fields import empty
from lintel.inspectors import ViewInspector
from lintel.patches import carry_on_patches
from lintel.schemas.generators import BaseSchemaGenerator
from lintel.schemas.openapi.automatic import AutoSchema
from lintel.schemas.openapi.generator import SchemaGenerator
from lintel.schemas.utils import get_pk_description, is_list_view
from lintel.settings import api_settings

__all__ = [
    "AutoSchema",
    "BaseSchemaGenerator",
    "SchemaGenerator",
    "ViewInspector",
    "api_settings",
    "empty",
    "exceptions",
    "get_pk_description",
    "inflection",
    "is_list_view",
    "renderers",
    "serializers",
    "uritemplate",
]

carry_on_patches(__name__)
