"""Machine-readable descriptions of the API, generated from its views."""

from lintel.patches import carry_on_patches
from lintel.schemas import coreapi as coreapi
from lintel.schemas import openapi as openapi
from lintel.schemas.catalog import api_catalog as api_catalog
from lintel.schemas.coreapi import ManualSchema as ManualSchema
from lintel.schemas.extending import OpenApiCallback as OpenApiCallback
from lintel.schemas.extending import OpenApiExample as OpenApiExample
from lintel.schemas.extending import OpenApiParameter as OpenApiParameter
from lintel.schemas.extending import OpenApiRequest as OpenApiRequest
from lintel.schemas.extending import OpenApiResponse as OpenApiResponse
from lintel.schemas.extending import OpenApiWebhook as OpenApiWebhook
from lintel.schemas.extending import extend_schema as extend_schema
from lintel.schemas.extending import extend_schema_field as extend_schema_field
from lintel.schemas.extending import extend_schema_serializer as extend_schema_serializer
from lintel.schemas.extending import extend_schema_view as extend_schema_view
from lintel.schemas.extending import inline_serializer as inline_serializer
from lintel.schemas.inspectors import DefaultSchema as DefaultSchema
from lintel.schemas.openapi import AutoSchema as AutoSchema
from lintel.schemas.openapi import SchemaGenerator as SchemaGenerator
from lintel.schemas.openapi_types import OpenApiTypes as OpenApiTypes
from lintel.schemas.polymorphic import PolymorphicProxySerializer as PolymorphicProxySerializer
from lintel.schemas.views import get_schema_view as get_schema_view
from lintel.settings import api_settings as api_settings

carry_on_patches(__name__, "coreapi", "openapi")
