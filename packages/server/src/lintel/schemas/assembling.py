"""From the endpoints of a generator to the tree: one walk for all output formats."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from lintel.fields.describing import Schema
from lintel.inspectors import ViewInspector
from lintel.request import Request
from lintel.schemas import generators
from lintel.schemas.components import bound
from lintel.schemas.errors import reserve_names
from lintel.schemas.extension_rules import extensions_of, is_left_out
from lintel.schemas.generators import BaseSchemaGenerator
from lintel.schemas.inspection import Endpoint, Inspection
from lintel.schemas.openapi.contract import ContractForm
from lintel.schemas.openapi.full import FullForm
from lintel.schemas.operations import describe_or_warn, with_unique_identifiers
from lintel.schemas.standins import prepare
from lintel.schemas.tree import Component, Operation, Service
from lintel.schemas.versions import converters_of, endpoints_of
from lintel.views import APIView

if TYPE_CHECKING:
    from lintel.schemas.openapi.automatic import AutoSchema


def assemble(
    generator: BaseSchemaGenerator,
    inspection: Inspection,
    default_schema: type[AutoSchema],
    request: Request | None,
) -> Service:
    """Return a generator's API as a tree, as ``request`` may see it; all of it without one.

    ``default_schema``: the class that describes views whose own schema writes another format.
    """
    _, endpoints = generator._get_paths_and_endpoints(request)
    if inspection.is_full:
        reserve_names(inspection)
        endpoints = list(endpoints_of(inspection.api_version, generator, endpoints))
        enumerator = generator.endpoint_inspector_cls(generator.patterns, generator.urlconf)
        inspection.routes = converters_of(enumerator.patterns)
    seen = (each for each in endpoints if may_see(generator, each, inspection.warn))
    operations, components = _described(inspection, seen, default_schema)
    located = [_at(joined(generator.url, each.path), each) for each in operations]
    return _finished(info_of(generator), located, components, inspection)


def may_see(
    generator: BaseSchemaGenerator, endpoint: generators.Endpoint, warn: Callable[..., None]
) -> bool:
    """Return whether the generator shows an operation; not if asking its permissions fails."""
    path, method, view = endpoint
    try:
        return generator.has_view_permissions(path, method, view)
    except Exception as error:  # project code
        warn(f"{method} {path} is left out, its permissions failed: {error!r}", type(view))
        return False


def info_of(generator: BaseSchemaGenerator) -> Schema:
    info = {"title": generator.title or "", "version": generator.version or ""}
    if generator.description is not None:
        info["description"] = generator.description
    return info


def _finished(
    info: Schema,
    operations: list[Operation],
    components: dict[str, Component],
    inspection: Inspection,
) -> Service:
    if inspection.is_full:
        operations = with_unique_identifiers(inspection, operations)
        for name, component in components.items():
            inspection.components.setdefault(name, {None: component.schema})
    schemes = sorted(inspection.security_schemes.values(), key=attrgetter("name"))
    return Service(
        info=info,
        operations=tuple(operations),
        components=tuple(components.values()),
        responses=inspection.responses,
        security_schemes=tuple(schemes),
        schemas=inspection.components,
    )


def _described(
    inspection: Inspection,
    endpoints: Iterable[tuple[str, str, APIView]],
    default_schema: type[AutoSchema],
) -> tuple[list[Operation], dict[str, Component]]:
    operations: list[Operation] = []
    components: dict[str, Component] = {}
    for path, method, view in endpoints:
        extensions = extensions_of(view, method)
        if is_left_out(extensions, method, inspection.api_version):
            continue
        prepare(view, path, method, inspection.warn, inspection.api_version)
        endpoint = Endpoint(inspection, path, method, view)
        form = FullForm(endpoint) if inspection.is_full else ContractForm(endpoint)
        schema = bound(inspector_with(view, "get_operation", default_schema), form)
        described = describe_or_warn(endpoint, schema, extensions)
        operations.append(described.operation)
        _add_components(components, described.components)
    if not inspection.is_full:
        said = inspection.components.items()
        _add_components(components, (Component(name=name, schema=it[None]) for name, it in said))
    return operations, components


def joined(url: str | None, path: str) -> str:
    if not url and path.startswith("/") and "//" not in path and "." not in path:
        return path
    return urljoin(url or "/", path.removeprefix("/"))


def _at(path: str, operation: Operation) -> Operation:
    return operation if operation.path == path else replace(operation, path=path)


def inspector_with(view: APIView, hook: str, default: type[ViewInspector]) -> Any:
    """Return the schema of a view if it writes the format, as ``hook`` shows; else a new one."""
    inspector = view.schema
    if not hasattr(inspector, hook):
        inspector = default()
        inspector.view = view
    return inspector


def _add_components(known: dict[str, Component], added: Iterable[Component]) -> None:
    for component in added:
        name = component.name
        if name in known and known[name].schema != component.schema:
            warnings.warn(
                f'Schema component "{name}" has been overridden with a different value.',
                stacklevel=3,
            )
        known[name] = component
