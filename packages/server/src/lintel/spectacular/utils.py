"""Decorators, and what they take."""

from lintel.schemas import OpenApiCallback as OpenApiCallback
from lintel.schemas import OpenApiExample as OpenApiExample
from lintel.schemas import OpenApiParameter as OpenApiParameter
from lintel.schemas import OpenApiRequest as OpenApiRequest
from lintel.schemas import OpenApiResponse as OpenApiResponse
from lintel.schemas import OpenApiTypes as OpenApiTypes
from lintel.schemas import OpenApiWebhook as OpenApiWebhook
from lintel.schemas import PolymorphicProxySerializer as PolymorphicProxySerializer
from lintel.schemas import extend_schema as extend_schema
from lintel.schemas import extend_schema_field as extend_schema_field
from lintel.schemas import extend_schema_serializer as extend_schema_serializer
from lintel.schemas import extend_schema_view as extend_schema_view
from lintel.schemas import inline_serializer as inline_serializer

#: The direction of a value: ``request`` or ``response``.
Direction = str
