"""The formats of descriptions that targets read; lintel's packages are imported only on demand."""

from __future__ import annotations

from typing import Any


def codecs() -> dict[str, Any]:
    from lintel_codecs.hal import HALCodec
    from lintel_codecs.hyperschema import HyperSchemaCodec
    from lintel_codecs.openapi import OpenAPICodec
    from lintel_document import CoreJSONCodec

    return {
        "OpenAPI": OpenAPICodec(),
        "HAL": HALCodec(),
        "JSON Hyper-Schema": HyperSchemaCodec(),
        "Core JSON": CoreJSONCodec(),
    }
