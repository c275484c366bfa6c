"""Base classes of extensions."""

from lintel.schemas.extensions import (
    OpenApiAuthenticationExtension as OpenApiAuthenticationExtension,
)
from lintel.schemas.extensions import OpenApiFilterExtension as OpenApiFilterExtension
from lintel.schemas.extensions import OpenApiSerializerExtension as OpenApiSerializerExtension
from lintel.schemas.extensions import (
    OpenApiSerializerFieldExtension as OpenApiSerializerFieldExtension,
)
from lintel.schemas.extensions import OpenApiViewExtension as OpenApiViewExtension
