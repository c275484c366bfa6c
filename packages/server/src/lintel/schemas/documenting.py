"""The tree for documentation pages: nothing shared, nothing left to translate.

    generator ──assemble──▶ Service ──in_words──▶ Service in JSON Schema 2020-12

Each operation has its keys in the native document (``keys``), and each error the codes by which
programs identify it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from lintel.problems.catalogue import RESPONSE_CODES
from lintel.schemas import coreapi
from lintel.schemas.assembling import assemble
from lintel.schemas.inspection import Inspection
from lintel.schemas.mappings import Translate
from lintel.schemas.openapi.automatic import AutoSchema
from lintel.schemas.tree import (
    PATCH,
    REQUEST,
    RESPONSE,
    Component,
    MediaContent,
    Operation,
    ResponseDescription,
    Service,
)
from lintel.schemas.writing import Writer
from lintel_document import Link

#: The version that documentation pages read: its schemas are JSON Schema 2020-12.
VERSION = "3.1.1"

#: Where the operation of a path and method is in the native document, once or more often.
Places = dict[tuple[str, str], list[tuple[str, ...]]]


def service_for_pages(
    generator: Any, request: Any = None, public: bool = False, document: Any = None
) -> Service:
    """Return a generator's API, in any format, as ``request`` may see it; all if ``public``.

    Schemas are JSON Schema 2020-12; references to ``service.components`` have the form
    ``#/components/schemas/<name>``. Responses are written out, errors with ``codes``.
    ``document``: the native document of the same generator and request, if it is available.
    """
    inspection, service = _assembled(generator, request, public)
    if document is None:
        document = _native(generator).get_schema(request, public)
    return in_words(with_keys(service, document), inspection)


def service_for_lists(generator: Any, request: Any, public: bool, document: Any) -> Service:
    """Return what a list of operations shows of them: everything but values and bodies."""
    _, service = _assembled(generator, request, public, shows_values=False)
    return with_keys(service, document)


def _assembled(
    generator: Any, request: Any, public: bool, shows_values: bool = True
) -> tuple[Inspection, Service]:
    inspection = Inspection(
        version=VERSION,
        api_version=getattr(request, "version", None),
        warns=False,
        shows_values=shows_values,
    )
    service = assemble(generator, inspection, AutoSchema, None if public else request)
    return inspection, service


def _native(generator: Any) -> Any:
    """Return a generator of the native document for the same endpoints."""
    if isinstance(generator, coreapi.SchemaGenerator):
        return generator
    names = ("title", "url", "description", "patterns", "urlconf", "version")
    return coreapi.SchemaGenerator(**{name: getattr(generator, name) for name in names})


# ---- keys ----


def with_keys(service: Service, document: Any) -> Service:
    """Return the service, with the keys of its operations in a native document."""
    places: Places = {}
    for keys, link in links_of(document or {}):
        places.setdefault((link.url, str(link.action).upper()), []).append(keys)
    return replace(
        service, operations=tuple(_with_keys(each, places) for each in service.operations)
    )


def _with_keys(operation: Operation, places: Places) -> Operation:
    found = places.get((operation.path, operation.method))
    return replace(operation, keys=found.pop(0)) if found else operation


def links_of(
    node: Mapping[str, Any], above: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Link]]:
    """Yield every link of a native document with its keys."""
    for key, value in node.items():
        if isinstance(value, Link):
            yield (*above, key), value
        elif isinstance(value, Mapping):
            yield from links_of(value, (*above, key))


# ---- translation ----


def in_words(service: Service, inspection: Inspection) -> Service:
    """Return the service in the form of its version: by direction, with nothing shared."""
    writer = Writer(service.schemas, inspection.number)
    received = writer.towards(RESPONSE)
    operations = tuple(_in_words(each, service, writer) for each in service.operations)
    responses = {
        name: _response(each, service, received) for name, each in service.responses.items()
    }
    components = tuple(
        Component(name=name, schema=schema) for name, schema in sorted(writer.components().items())
    )
    return replace(service, operations=operations, components=components, responses=responses)


def _in_words(operation: Operation, service: Service, writer: Writer) -> Operation:
    given = writer.towards(PATCH if operation.method == "PATCH" else REQUEST)
    received = writer.towards(RESPONSE)
    body = operation.body
    changes: dict[str, Any] = {}
    if body is not None:
        changes["body"] = replace(body, content=_content(body.content, given))
    if operation.parameters is not None:
        changes["parameters"] = tuple(_valued(each, given) for each in operation.parameters)
    if operation.responses is not None:
        changes["responses"] = tuple(
            _response(each, service, received) for each in operation.responses
        )
    return replace(operation, **changes)


def _content(content: tuple[MediaContent, ...], translate: Translate) -> tuple[MediaContent, ...]:
    return tuple(replace(each, schema=translate(each.schema)) for each in content)


def _valued(one: Any, translate: Translate) -> Any:
    """Return a parameter or header with its schema translated."""
    if "schema" not in one.value:
        return one
    return replace(one, value={**one.value, "schema": translate(one.value["schema"])})


def _response(
    response: ResponseDescription, service: Service, translate: Translate
) -> ResponseDescription:
    """Return a response with its parts; a shared one in full."""
    shared = (response.reference or "").removeprefix("#/components/responses/")
    if shared in service.responses:
        response = replace(service.responses[shared], status=response.status)
    content = response.content
    return replace(
        response,
        headers=tuple(_valued(each, translate) for each in response.headers),
        content=None if content is None else _content(content, translate),
        codes=codes_of(response.status),
    )


def codes_of(status: str) -> tuple[str, ...]:
    """Return the error codes of a status.

    ``invalid`` stands for all errors of single values.
    """
    known = tuple(each.code for each in RESPONSE_CODES if str(each.status) == status)
    return (*known, "invalid") if status == "400" else known
