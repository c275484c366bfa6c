"""The schema that the plugin holds the exchanges of this suite against: OpenAPI 3.1 in full."""

from typing import Any

from lintel.schemas.openapi import SchemaGenerator


class FullGenerator(SchemaGenerator):
    """Describes errors, security and directions, which 3.0.2 in its known form leaves out."""

    openapi_version = "3.1.0"


def full_schema() -> Any:
    """The schema of the URL configuration that is in force."""
    return FullGenerator(title="Tests").get_schema(request=None, public=True)
