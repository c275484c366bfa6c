"""The schema against which the plugin checks the exchanges of this suite: full OpenAPI 3.1."""

from typing import Any

from lintel.schemas.openapi import SchemaGenerator


class FullGenerator(SchemaGenerator):
    """Describes errors, security and directions, which 3.0.2 in its known form leaves out."""

    openapi_version = "3.1.0"


def full_schema() -> Any:
    """Return the schema of the current URL configuration."""
    return FullGenerator(title="Tests").get_schema(request=None, public=True)
