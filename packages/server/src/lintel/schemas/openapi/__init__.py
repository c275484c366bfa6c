"""OpenAPI: the API as a document of paths and components.

view ──AutoSchema.get_operation──▶ Operation ─┐
                                              ├──▶ Service ──▶ document of a version
serializer ──map_serializer──▶ Component ─────┘
"""

from lintel import exceptions as exceptions
from lintel import renderers as renderers
from lintel import serializers as serializers
from lintel.compat import inflection as inflection
from lintel.compat import uritemplate as uritemplate
from lintel.fields import empty as empty
from lintel.inspectors import ViewInspector as ViewInspector
from lintel.patches import carry_on_patches
from lintel.schemas.generators import BaseSchemaGenerator as BaseSchemaGenerator
from lintel.schemas.openapi.automatic import AutoSchema as AutoSchema
from lintel.schemas.openapi.generator import SchemaGenerator as SchemaGenerator
from lintel.schemas.utils import get_pk_description as get_pk_description
from lintel.schemas.utils import is_list_view as is_list_view
from lintel.settings import api_settings as api_settings

carry_on_patches(__name__)
