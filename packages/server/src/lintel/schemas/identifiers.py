"""What the document calls the operations of a project, by the paths of their URL patterns."""

from contextlib import suppress
from typing import TypeAlias

from lintel.schemas.assembling import assemble, joined
from lintel.schemas.document_settings import placing
from lintel.schemas.generators import EndpointEnumerator, url_patterns
from lintel.schemas.inspection import Inspection
from lintel.schemas.openapi import SchemaGenerator
from lintel.schemas.openapi.automatic import AutoSchema

#: Identifiers by the path of an URL pattern (``/users/{pk}/``) and a method in upper case.
Identifiers: TypeAlias = dict[tuple[str, str], str]


def served_generator() -> SchemaGenerator:
    """The generator of the first schema view of ROOT_URLCONF that writes OpenAPI, or a new one."""
    for pattern in url_patterns(EndpointEnumerator().patterns):
        given = getattr(pattern.callback, "initkwargs", {}).get("schema_generator")
        if isinstance(given, SchemaGenerator) and given.patterns is None and given.urlconf is None:
            arguments = given.title, given.url, given.description
            generator = type(given)(*arguments, version=given.version)
            generator.openapi_version = given.openapi_version
            return generator
    return SchemaGenerator()


def identifiers_of(generator: SchemaGenerator) -> Identifiers:
    """Return the identifiers of all operations, without describing what they send and receive."""
    inspection = Inspection(
        version=generator.openapi_version, warns=False, shows_values=False, keeps_going=True
    )
    service = assemble(generator, inspection, AutoSchema, None)
    by_place = {(item.path, item.method): item.identifier for item in service.operations}
    place, result = placing(), Identifiers()
    for path, method, callback in generator.endpoints or ():
        with suppress(Exception):  # project code; such an operation is left out of the document too
            view = generator.create_view(callback, method)
            placed = place(generator.coerce_path(path, method, view))
            identifier = by_place.get((joined(generator.url, placed), method))
            if identifier:
                result[path, method] = identifier
    return result
