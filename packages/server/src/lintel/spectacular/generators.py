"""Generators of documents."""

from typing import Any

from lintel.schemas.document_settings import spectacular_settings
from lintel.schemas.generators import EndpointEnumerator as EndpointEnumerator
from lintel.schemas.inspection import is_full
from lintel.schemas.openapi import SchemaGenerator as GeneratorOfSettings
from lintel.settings import api_settings, full_version

#: The version of documents if no setting names a full one.
VERSION = "3.0.3"


def describe_version(generator: Any, version: str | None) -> None:
    generator._lintel_api_version = version


class SchemaGenerator(GeneratorOfSettings):
    """Generates a full description: in OAS_VERSION, else in OPENAPI_VERSION, else in 3.0.3."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        api_version = kwargs.pop("api_version", None)
        super().__init__(*args, **kwargs)
        describe_version(self, api_version)
        named = (spectacular_settings.OAS_VERSION, full_version(api_settings.OPENAPI_VERSION))
        self.openapi_version = next((item for item in named if item and is_full(item)), VERSION)
