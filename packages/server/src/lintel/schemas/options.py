"""OPTIONS from the tree: what the caller may do at a URL, as OpenAPI."""

from typing import Any

from lintel.metadata import SimpleMetadata
from lintel.request import Request
from lintel.schemas.assembling import assemble
from lintel.schemas.generators import Callback
from lintel.schemas.inspection import Inspection, is_full
from lintel.schemas.openapi.automatic import AutoSchema
from lintel.schemas.openapi.generator import SchemaGenerator
from lintel.schemas.writing import Document, write_full
from lintel.views import APIView

#: The version of the description, unless the settings choose another full one.
VERSION = "3.1.1"


class OpenAPIMetadata(SimpleMetadata):
    """The response of SimpleMetadata, with a document of this URL for the caller in ``openapi``."""

    def determine_metadata(self, request: Request, view: APIView) -> dict[str, object]:
        metadata = super().determine_metadata(request, view)
        document = document_of_address(request)
        return metadata if document is None else {**metadata, "openapi": document}


class _GeneratorOfAddress(SchemaGenerator):
    """Makes views with the arguments of the URL, as a request to it would."""

    def create_view(self, callback: Callback, method: str, request: Request | None = None) -> Any:
        view = super().create_view(callback, method, request)
        if request is not None:
            view.kwargs = dict(request.resolver_match.kwargs)
        return view


def document_of_address(request: Request) -> Document | None:
    match = request.resolver_match
    if match is None or not hasattr(match.func, "cls"):
        return None
    urlconf = getattr(request._request, "urlconf", None)
    generator = _GeneratorOfAddress(title=match.func.cls.__name__, urlconf=urlconf)
    enumerator = generator.endpoint_inspector_cls(generator.patterns, generator.urlconf)
    path = enumerator.get_path_from_regex(match.route)
    if not enumerator.should_include_endpoint(path, match.func):
        return None
    methods = enumerator.get_allowed_methods(match.func)
    generator.endpoints = [(path, method, match.func) for method in methods]
    version = generator.openapi_version if is_full(generator.openapi_version) else VERSION
    inspection = Inspection(version=version, api_version=request.version, warns=False)
    return write_full(assemble(generator, inspection, AutoSchema, request), version)
