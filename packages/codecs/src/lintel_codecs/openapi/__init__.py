"""OpenAPI: 2.0, 3.0, 3.1 and 3.2, in JSON and YAML."""

from lintel_codecs.openapi.codec import OpenAPICodec

__all__ = ["OpenAPICodec"]
