"""The tree for documentation pages: nothing shared, nothing left to translate.

generator ──assemble──▶ Service ──in_words──▶ Service in JSON Schema 2020-12
"""

from collections.abc import Mapping

from lintel.request import Request
from lintel.schemas.assembling import assemble
from lintel.schemas.generators import BaseSchemaGenerator
from lintel.schemas.inspection import Inspection, number_of
from lintel.schemas.mappings import read_parts, write_operation
from lintel.schemas.openapi.automatic import AutoSchema
from lintel.schemas.tree import (
    RESPONSE,
    Component,
    Operation,
    ResponseDescription,
    Service,
    replace,
)
from lintel.schemas.writing import Writer, direction_sent

#: The version that documentation pages read: its schemas are JSON Schema 2020-12.
VERSION = "3.1.1"


def service_for_pages(
    generator: BaseSchemaGenerator,
    request: Request | None = None,
    public: bool = False,
    shows_values: bool = True,
) -> Service:
    """Return a generator's API, in any format, as ``request`` may see it; all if ``public``.

    Schemas are JSON Schema 2020-12; references to ``service.components`` have the form
    ``#/components/schemas/<name>``. Responses are written out. Without ``shows_values``, for
    lists, values and bodies are not described.
    """
    inspection = Inspection(
        version=VERSION,
        api_version=getattr(request, "version", None),
        warns=False,
        shows_values=shows_values,
    )
    service = assemble(generator, inspection, AutoSchema, None if public else request)
    return in_words(service, inspection) if shows_values else service


def in_words(service: Service, inspection: Inspection) -> Service:
    writer = Writer(service.schemas, number_of(inspection.version))
    operations = tuple([_in_words(item, service.responses, writer) for item in service.operations])
    schemas = sorted(writer.components().items())
    components = tuple([Component(name=name, schema=schema) for name, schema in schemas])
    return replace(service, operations=operations, components=components, responses={})


def _in_words(
    operation: Operation, shared: Mapping[str, ResponseDescription], writer: Writer
) -> Operation:
    responses = operation.responses and tuple(_alone(item, shared) for item in operation.responses)
    given = writer.towards(direction_sent(operation))
    alone = replace(operation, responses=responses)
    written = write_operation(alone, given, writer.towards(RESPONSE))
    return replace(operation, **read_parts(written))


def _alone(
    response: ResponseDescription, shared: Mapping[str, ResponseDescription]
) -> ResponseDescription:
    name = (response.reference or "").removeprefix("#/components/responses/")
    return replace(shared[name], status=response.status) if name in shared else response
