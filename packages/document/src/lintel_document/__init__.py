"""The document model of schema-driven clients, and its native format.

Names are imported on first use: a key press of completion needs none of the model.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lintel_document import schemas
    from lintel_document.codec import Codec
    from lintel_document.corejson import CoreJSONCodec
    from lintel_document.document import Array, Document, Error, Object
    from lintel_document.errors import EncodeError, LintelError, NoCodecAvailable, ParseError
    from lintel_document.fields import Example, Field
    from lintel_document.jsonschema import JSONSchema, json_schema
    from lintel_document.links import Link
    from lintel_document.operations import (
        Answer,
        Body,
        Issue,
        OperationLink,
        Pagination,
        SecurityScheme,
        Server,
        ServerVariable,
        Tag,
    )
    from lintel_document.registry import codec_for_format, installed_codecs

__all__ = [
    "Document",
    "Object",
    "Array",
    "Link",
    "Field",
    "Example",
    "Error",
    "Body",
    "Answer",
    "OperationLink",
    "Pagination",
    "Server",
    "ServerVariable",
    "Tag",
    "SecurityScheme",
    "Issue",
    "schemas",
    "JSONSchema",
    "json_schema",
    "Codec",
    "CoreJSONCodec",
    "codec_for_format",
    "installed_codecs",
    "LintelError",
    "ParseError",
    "EncodeError",
    "NoCodecAvailable",
]

_HOMES = {
    "codec": ("Codec",),
    "corejson": ("CoreJSONCodec",),
    "document": (
        "Array",
        "Document",
        "Error",
        "Object",
    ),
    "errors": (
        "EncodeError",
        "LintelError",
        "NoCodecAvailable",
        "ParseError",
    ),
    "fields": (
        "Example",
        "Field",
    ),
    "jsonschema": (
        "JSONSchema",
        "json_schema",
    ),
    "links": ("Link",),
    "operations": (
        "Answer",
        "Body",
        "Issue",
        "OperationLink",
        "Pagination",
        "SecurityScheme",
        "Server",
        "ServerVariable",
        "Tag",
    ),
    "registry": (
        "codec_for_format",
        "installed_codecs",
    ),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name == "schemas":
        return import_module(f"{__name__}.schemas")
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
