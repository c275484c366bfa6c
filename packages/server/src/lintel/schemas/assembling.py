"""From the endpoints of a generator to the tree: one walk for all output formats."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from django.utils.module_loading import import_string

from lintel.fast import without_compiling
from lintel.fields.describing import Schema
from lintel.inspectors import ViewInspector
from lintel.problems.catalogue import error_components
from lintel.request import Request
from lintel.schemas import generators
from lintel.schemas.callbacks import callbacks_of
from lintel.schemas.components import bound
from lintel.schemas.document_settings import (
    chosen,
    heed_settings,
    info_with_settings,
    placing,
    spectacular_settings,
    warn_of_unread,
)
from lintel.schemas.extending import Extension
from lintel.schemas.extension_rules import extend, extensions_of, is_left_out
from lintel.schemas.extensions import OpenApiViewExtension, extension_for, extensions_exist
from lintel.schemas.foreign_operations import (
    foreign_extensions,
    foreign_schema,
    heeding_project,
    schema_behind,
    sent,
)
from lintel.schemas.generators import BaseSchemaGenerator
from lintel.schemas.inspection import Endpoint, Inspection
from lintel.schemas.joining import join_directions, splits_components
from lintel.schemas.openapi.contract import ContractForm
from lintel.schemas.openapi.full import FullForm
from lintel.schemas.operations import describe_or_warn, with_unique_identifiers
from lintel.schemas.overrides import converted
from lintel.schemas.path_names import BY_PATH, numbered_by_path, prefix_of
from lintel.schemas.standins import prepare
from lintel.schemas.texts import common_prefix, shared_texts
from lintel.schemas.tree import Callback, Component, Operation, Service, replace
from lintel.schemas.undisturbed import undisturbed
from lintel.schemas.versions import converters_of, endpoints_of
from lintel.schemas.yasg_info import yasg_info
from lintel.schemas.yasg_operations import yasg_extensions
from lintel.settings import api_settings
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
        inspection.sources.update(dict.fromkeys(error_components()))
        heed_settings(inspection)
        inspection.shared_segments = common_prefix({path for path, _, _ in endpoints})
        if api_settings.OPENAPI_OPERATION_IDS == BY_PATH:
            inspection.id_prefix = prefix_of(endpoints, inspection.path_prefix)
        inspection.shared_texts = shared_texts([view for _, _, view in endpoints])
        endpoints = list(endpoints_of(inspection.api_version, generator, endpoints))
        enumerator = generator.endpoint_inspector_cls(generator.patterns, generator.urlconf)
        inspection.routes = converters_of(enumerator.patterns)
    seen = chosen([item for item in endpoints if may_see(generator, item, inspection.warn)])
    with without_compiling(), undisturbed() as put_back:
        operations, components = _described(inspection, seen, default_schema, put_back)
    webhooks = webhooks_of(inspection, default_schema) if inspection.is_full else ()
    place = placing()
    located = [_at(joined(generator.url, place(item.path)), item) for item in operations]
    service = _finished(info_of(generator), located, components, inspection)
    return replace(service, webhooks=webhooks) if webhooks else service


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
    return info_with_settings(
        generator.title, generator.version, generator.description, partial(yasg_info, generator)
    )


def webhooks_of(inspection: Inspection, default_schema: type[AutoSchema]) -> tuple[Callback, ...]:
    """Return the webhooks that settings list, described as if a view without policies sent them."""
    given = spectacular_settings.WEBHOOKS or ()
    view: Any = APIView()
    view.kwargs, view.request = {}, None
    schema = bound(default_schema(), FullForm(Endpoint(inspection, "", "POST", view)))
    schema.view = view
    items = [import_string(item) if isinstance(item, str) else item for item in given]
    return callbacks_of([sent(converted(item), schema) for item in items], schema, extend)


def _finished(
    info: Schema,
    operations: list[Operation],
    components: dict[str, Component],
    inspection: Inspection,
) -> Service:
    if inspection.is_full:
        operations = (
            with_unique_identifiers(inspection, operations)
            if inspection.id_prefix is None
            else numbered_by_path(operations)
        )
        for name, component in components.items():
            inspection.components.setdefault(name, {None: component.schema})
        if not splits_components():
            join_directions(inspection.components)
        warn_of_unread(inspection)
    schemes = sorted(inspection.security_schemes.values(), key=attrgetter("name"))
    return Service(
        info=info,
        operations=tuple(operations),
        components=tuple(components.values()),
        tags=tuple(inspection.tag_texts.items()),
        responses=inspection.responses,
        security_schemes=tuple(schemes),
        schemas=inspection.components,
    )


def _described(
    inspection: Inspection,
    endpoints: Iterable[tuple[str, str, APIView]],
    default_schema: type[AutoSchema],
    put_back: Callable[[], None],
) -> tuple[list[Operation], dict[str, Component]]:
    operations: list[Operation] = []
    components: dict[str, Component] = {}
    is_extended = inspection.is_extended = extensions_exist()
    form_class: Any = FullForm if inspection.is_full else ContractForm
    for path, method, given in endpoints:
        put_back()
        view = replaced(given, inspection) if is_extended else given
        prepare(view, path, method, inspection.warn, inspection.api_version)
        endpoint, inspector = Endpoint(inspection, path, method, view), view.schema
        form = form_class(endpoint, is_extended=is_extended)
        schema = bound(inspector_with(view, inspector, "get_operation", default_schema), form)
        foreign = foreign_schema(view, inspector, method)
        schema = heeding_project(view, foreign, path, method, schema)
        extensions = extensions_for(view, foreign, path, method, schema, inspection)
        if is_left_out(extensions, method, inspection.api_version):
            continue
        described = describe_or_warn(endpoint, schema, extensions)
        operations.append(described.operation)
        _add_components(components, described.components)
    if not inspection.is_full:
        said = inspection.components.items()
        _add_components(components, (Component(name=name, schema=it[None]) for name, it in said))
    return operations, components


def extensions_for(
    view: APIView,
    foreign: object,
    path: str,
    method: str,
    schema: AutoSchema,
    inspection: Inspection,
) -> list[Extension]:
    """What decorators of any vocabulary say of an operation, the most general first.

    ``foreign`` is what ``foreign_schema`` finds at the view, ``schema`` what describes it.
    """
    return [
        *yasg_extensions(view, method),
        *foreign_extensions(view, foreign, path, method, schema, inspection),
        *extensions_of(view, method),
    ]


def replaced(view: APIView, inspection: Inspection) -> APIView:
    """Return the view that an extension describes in place of a view."""
    callback = getattr(view, "_lintel_callback", None)
    if callback is None:
        return view
    extension = extension_for(inspection, OpenApiViewExtension, callback)
    if extension is None:
        return view
    try:
        replacement = extension.view_replacement()
        other: APIView = getattr(replacement, "cls", replacement)()
    except Exception as error:  # project code
        inspection.warn(f"view_replacement() failed: {error!r}", type(extension))
        return view
    vars(other).update({**vars(view), **vars(other)})
    return other


def joined(url: str | None, path: str) -> str:
    if not url and path.startswith("/") and "//" not in path and "." not in path:
        return path
    return urljoin(url or "/", path.removeprefix("/"))


def _at(path: str, operation: Operation) -> Operation:
    return operation if operation.path == path else replace(operation, path=path)


def inspector_with(view: APIView, given: object, hook: str, default: type[ViewInspector]) -> Any:
    """The schema of a view if it writes the format, as ``hook`` shows; else a new one."""
    inspector: Any = schema_behind(given)
    if not hasattr(inspector, hook):
        inspector = default()
    if inspector is not given:
        inspector.view = view
    return inspector


def _add_components(components: dict[str, Component], added: Iterable[Component]) -> None:
    for component in added:
        name = component.name
        if name in components and components[name].schema != component.schema:
            warnings.warn(
                f'Schema component "{name}" has been overridden with a different value.',
                stacklevel=3,
            )
        components[name] = component
