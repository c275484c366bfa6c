"""SchemaGenerator: the OpenAPI document of a project."""

import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from lintel.fields.describing import Schema
from lintel.request import Request
from lintel.schemas.assembling import assemble, info_of
from lintel.schemas.generators import BaseSchemaGenerator
from lintel.schemas.inspection import Inspection, is_full
from lintel.schemas.openapi.automatic import AutoSchema
from lintel.schemas.tree import Service
from lintel.schemas.writing import write_contract, write_full
from lintel.settings import SettingDefault, full_version


class SchemaGenerator(BaseSchemaGenerator):
    """Generates the OpenAPI document of a project."""

    #: The version of the specification that the document follows. All versions except 3.0.2, which
    #: has the form of the contract, describe errors, security and directions as well.
    openapi_version: Any = SettingDefault("OPENAPI_VERSION", full_version)

    def get_info(self) -> Schema:
        """Return the info section of the API."""
        return info_of(self)

    def get_schema(self, request: Request | None = None, public: bool = False) -> Any:
        """Return the document as ``request`` may see it; warns about names that are used twice."""
        service = self.get_service(request, public)
        if is_full(self.openapi_version):
            return write_full(service, self.openapi_version)
        document = write_contract(service)
        self.check_duplicate_operation_id(document["paths"])
        return {**document, "openapi": self.openapi_version}

    def get_service(self, request: Request | None = None, public: bool = False) -> Service:
        """Return the API as a tree, as ``request`` may see it; all of it if ``public``."""
        asked = getattr(self, "_lintel_api_version", None)
        inspection = Inspection(
            version=self.openapi_version,
            api_version=getattr(request, "version", asked),
            keeps_going=self.keeps_going,
        )
        service = assemble(self, inspection, AutoSchema, None if public else request)
        return replace(service, info=self.get_info())

    def check_duplicate_operation_id(self, paths: Mapping[str, Schema]) -> None:
        seen: dict[str, tuple[str, str]] = {}
        for route, methods in paths.items():
            for method, operation in methods.items():
                name = operation.get("operationId")
                if name is None:
                    continue
                if name in seen:
                    _warn_of_duplicate(name, seen[name], (route, method))
                seen[name] = (route, method)


def _warn_of_duplicate(name: str, first: tuple[str, str], second: tuple[str, str]) -> None:
    warnings.warn(
        f"You have a duplicated operationId in your OpenAPI schema: {name}\n"
        f"\tRoute: {first[0]}, Method: {first[1]}\n"
        f"\tRoute: {second[0]}, Method: {second[1]}\n"
        "\tAn operationId has to be unique across your schema. "
        "Your schema may not work in other tools.",
        stacklevel=4,
    )
