"""OPTIONS from the tree: what the caller may do at a URL, as OpenAPI."""

from __future__ import annotations

from typing import Any

from lintel.metadata import SimpleMetadata
from lintel.request import Request
from lintel.schemas.assembling import assemble
from lintel.schemas.inspection import Inspection, is_full
from lintel.schemas.openapi.automatic import AutoSchema
from lintel.schemas.openapi.generator import SchemaGenerator
from lintel.schemas.writing import write_full

__all__ = ["OpenAPIMetadata"]

#: The version of the description, unless the settings choose another full one.
VERSION = "3.1.1"


class OpenAPIMetadata(SimpleMetadata):
    """The response of SimpleMetadata, and under ``openapi`` a document of this URL.

    The document has the operations that the caller may use, as the schema of the API
    describes them.
    """

    def determine_metadata(self, request: Request, view: Any) -> Any:
        metadata = super().determine_metadata(request, view)
        document = document_of_address(request)
        return metadata if document is None else {**metadata, "openapi": document}


class _GeneratorOfAddress(SchemaGenerator):
    """Makes views with the arguments of the URL, as a request to it would."""

    def create_view(self, callback: Any, method: str, request: Any = None) -> Any:
        view = super().create_view(callback, method, request)
        view.kwargs = dict(request.resolver_match.kwargs)
        return view


def document_of_address(request: Request) -> Any:
    """Return the description of the operations at the URL of a request.

    None if it has no route.
    """
    match = request.resolver_match
    if match is None or not hasattr(match.func, "cls"):
        return None
    generator = _GeneratorOfAddress(title=match.func.cls.__name__, urlconf=_urlconf_of(request))
    enumerator = generator.endpoint_inspector_cls(generator.patterns, generator.urlconf)
    path = enumerator.get_path_from_regex(match.route)
    if not enumerator.should_include_endpoint(path, match.func):
        return None
    methods = enumerator.get_allowed_methods(match.func)
    generator.endpoints = [(path, method, match.func) for method in methods]
    inspection = _inspection(generator.openapi_version, request.version)
    return write_full(assemble(generator, inspection, AutoSchema, request), inspection.version)


def _inspection(version: str, api_version: Any) -> Inspection:
    version = version if is_full(version) else VERSION
    return Inspection(version=version, api_version=api_version, warns=False)


def _urlconf_of(request: Request) -> Any:
    return getattr(request._request, "urlconf", None)
