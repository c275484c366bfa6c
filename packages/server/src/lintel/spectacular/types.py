"""Names of value types."""

from lintel.schemas import OpenApiTypes as OpenApiTypes
