"""Parts of a document in terms of Swagger 2, as mappings."""

from typing import Any

TYPE_OBJECT, TYPE_STRING, TYPE_NUMBER = "object", "string", "number"
TYPE_INTEGER, TYPE_BOOLEAN, TYPE_ARRAY, TYPE_FILE = "integer", "boolean", "array", "file"

FORMAT_DATE, FORMAT_DATETIME, FORMAT_PASSWORD = "date", "date-time", "password"
FORMAT_BINARY, FORMAT_BASE64, FORMAT_FLOAT, FORMAT_DOUBLE = "binary", "bytes", "float", "double"
FORMAT_INT32, FORMAT_INT64, FORMAT_EMAIL, FORMAT_IPV4 = "int32", "int64", "email", "ipv4"
FORMAT_IPV6, FORMAT_URI, FORMAT_UUID, FORMAT_SLUG = "ipv6", "uri", "uuid", "slug"
FORMAT_DECIMAL = "decimal"

IN_BODY, IN_PATH, IN_QUERY, IN_FORM, IN_HEADER = "body", "path", "query", "formData", "header"

#: Keywords that Python spells otherwise.
WORDS = {
    "in_": "in",
    "read_only": "readOnly",
    "additional_properties": "additionalProperties",
    "default_version": "version",
    "terms_of_service": "termsOfService",
}


def _words(given: dict[str, object]) -> dict[str, object]:
    said = {name: value for name, value in given.items() if value is not None}
    return {
        WORDS.get(name, name.replace("_", "-") if name.startswith("x_") else name): value
        for name, value in said.items()
    }


class SwaggerDict(dict[str, Any]):
    """Keyword arguments as a mapping; ``positional`` names those that need no keyword."""

    positional: tuple[str, ...] = ()

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(_words({**dict(zip(self.positional, args, strict=False)), **kwargs}))


class Schema(SwaggerDict):
    """The values of a body or a property, in the words of JSON Schema."""

    positional = ("title", "description", "type", "format", "enum", "pattern", "properties")


class Items(SwaggerDict):
    """The values in a list."""

    positional = ("type", "format", "enum", "pattern", "items")


class Parameter(SwaggerDict):
    """A parameter: its name, where it is sent, and the keywords of its values."""

    positional = ("name", "in_", "description", "required", "schema", "type", "format")


class Response(SwaggerDict):
    """A response: its description, and a schema or a serializer."""

    positional = ("description", "schema", "examples")


class Contact(SwaggerDict):
    positional = ("name", "url", "email")


class License(SwaggerDict):
    positional = ("name", "url")


class Info(SwaggerDict):
    """Title, version and texts of an API."""

    positional = ("title", "default_version", "description", "terms_of_service", "contact")
