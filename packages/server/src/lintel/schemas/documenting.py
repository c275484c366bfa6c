"""The tree for documentation pages: nothing shared, nothing left to translate.

generator ──assemble──▶ Service ──in_words──▶ Service in JSON Schema 2020-12
"""

from dataclasses import replace
from typing import Any, TypeVar

from lintel.request import Request
from lintel.schemas.assembling import assemble
from lintel.schemas.generators import BaseSchemaGenerator
from lintel.schemas.inspection import Inspection, number_of
from lintel.schemas.mappings import Translate
from lintel.schemas.openapi.automatic import AutoSchema
from lintel.schemas.tree import (
    PATCH,
    REQUEST,
    RESPONSE,
    Body,
    Component,
    Header,
    MediaContent,
    Operation,
    Parameter,
    ResponseDescription,
    Service,
)
from lintel.schemas.writing import Writer

#: The version that documentation pages read: its schemas are JSON Schema 2020-12.
VERSION = "3.1.1"

Valued = TypeVar("Valued", Parameter, Header)
Containing = TypeVar("Containing", Body, ResponseDescription)


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
    received = writer.towards(RESPONSE)
    operations = tuple([_in_words(operation, service, writer) for operation in service.operations])
    responses = {
        name: _response(each, service, received) for name, each in service.responses.items()
    }
    schemas = sorted(writer.components().items())
    components = tuple([Component(name=name, schema=schema) for name, schema in schemas])
    return replace(service, operations=operations, components=components, responses=responses)


def _in_words(operation: Operation, service: Service, writer: Writer) -> Operation:
    given = writer.towards(PATCH if operation.method == "PATCH" else REQUEST)
    received = writer.towards(RESPONSE)
    changes: dict[str, Any] = {}
    if operation.body is not None:
        changes["body"] = _with_content(operation.body, given)
    if operation.parameters is not None:
        changes["parameters"] = tuple([_valued(part, given) for part in operation.parameters])
    if operation.responses is not None:
        responses = [_response(part, service, received) for part in operation.responses]
        changes["responses"] = tuple(responses)
    return replace(operation, **changes)


def _response(
    response: ResponseDescription, service: Service, translate: Translate
) -> ResponseDescription:
    shared = (response.reference or "").removeprefix("#/components/responses/")
    if shared in service.responses:
        response = replace(service.responses[shared], status=response.status)
    headers = tuple([_valued(header, translate) for header in response.headers])
    return replace(_with_content(response, translate), headers=headers)


def _with_content(part: Containing, translate: Translate) -> Containing:
    if part.content is None:
        return part
    content: list[MediaContent] = [
        replace(content, schema=translate(content.schema)) for content in part.content
    ]
    return replace(part, content=tuple(content))


def _valued(part: Valued, translate: Translate) -> Valued:
    if "schema" not in part.value:
        return part
    return replace(part, value={**part.value, "schema": translate(part.value["schema"])})
