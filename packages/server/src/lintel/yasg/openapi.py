"""Parts of a document in terms of Swagger 2, as mappings."""

from __future__ import annotations

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


def _words(given: dict[str, Any]) -> dict[str, Any]:
    said = {name: value for name, value in given.items() if value is not None}
    return {
        WORDS.get(name, name.replace("_", "-") if name.startswith("x_") else name): value
        for name, value in said.items()
    }


class Schema(dict[str, Any]):
    """The values of a body or a property; keyword arguments are those of JSON Schema."""

    def __init__(
        self, title: str | None = None, description: str | None = None, **kwargs: Any
    ) -> None:
        super().__init__(_words({"title": title, "description": description, **kwargs}))


class Items(dict[str, Any]):
    """The values in a list."""

    def __init__(self, type: str | None = None, **kwargs: Any) -> None:
        super().__init__(_words({"type": type, **kwargs}))


class Parameter(dict[str, Any]):
    """A parameter: its name, where it is sent, and the keywords of its values."""

    def __init__(self, name: str, in_: str, description: str | None = None, **kwargs: Any) -> None:
        super().__init__(_words({"name": name, "in_": in_, "description": description, **kwargs}))


class Response(dict[str, Any]):
    """A response: its description, and a schema or a serializer."""

    def __init__(self, description: str, schema: Any = None, **kwargs: Any) -> None:
        super().__init__(_words({"description": description, "schema": schema, **kwargs}))


class Contact(dict[str, Any]):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(_words(kwargs))


class License(dict[str, Any]):
    def __init__(self, name: str, **kwargs: Any) -> None:
        super().__init__(_words({"name": name, **kwargs}))


class Info(dict[str, Any]):
    """Title, version and texts of an API."""

    def __init__(self, title: str, default_version: str, **kwargs: Any) -> None:
        super().__init__(_words({"title": title, "default_version": default_version, **kwargs}))
