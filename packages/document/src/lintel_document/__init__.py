"""The document model of schema-driven clients, and its native format."""

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
