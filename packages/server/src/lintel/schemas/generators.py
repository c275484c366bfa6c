"""From URL patterns to views that can be described: shared by all schema formats.

urlconf ──EndpointEnumerator──▶ (path, method, callback) ──create_view──▶ view ──▶ its schema
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib import import_module
from types import ModuleType
from typing import Any, TypeAlias

from django.conf import settings
from django.contrib.admindocs.views import simplify_regex
from django.core.exceptions import PermissionDenied
from django.db.models import Model
from django.http import Http404
from django.urls import URLPattern, URLResolver, get_resolver

from lintel import exceptions
from lintel.annotations import AnyView
from lintel.inspectors import ViewInspector
from lintel.overrides import reached
from lintel.querying import QUERY
from lintel.request import Request, clone_request
from lintel.schemas.inspection import warn_of
from lintel.schemas.utils import model_of
from lintel.settings import api_settings
from lintel.views import APIView

Patterns: TypeAlias = Sequence[URLPattern | URLResolver] | None
#: A module with URL patterns, or its dotted name.
UrlConf: TypeAlias = str | ModuleType | None

#: A function that a view class made of itself: it has ``cls``, ``actions`` and ``initkwargs``.
Callback: TypeAlias = Any

#: Path, method in upper case, and the callback of the URL pattern, or the view itself.
Endpoint = tuple[str, str, Callback]

METHOD_ORDER = ("GET", "POST", "PUT", "PATCH", "DELETE")

_PATH_PARAMETER_COMPONENT_RE = re.compile(r"<(?:(?P<converter>[^>:]+):)?(?P<parameter>\w+)>")


# Of Django's functions for a document, the one that takes longest.
@lru_cache(maxsize=2048)
def path_of(path_regex: str) -> str:
    return _PATH_PARAMETER_COMPONENT_RE.sub(r"{\g<parameter>}", simplify_regex(path_regex))


def get_pk_name(model: type[Model]) -> str:
    """Return the name of the primary key; for a child of a concrete model, the parent's."""
    field = model._meta.pk
    while field.remote_field and field.remote_field.parent_link:
        field = field.remote_field.model._meta.pk
    return str(field.name)


def is_api_view(callback: Callback) -> bool:
    view_class = getattr(callback, "cls", None)
    return view_class is not None and issubclass(view_class, APIView)


def endpoint_ordering(endpoint: Endpoint) -> tuple[int]:
    """Return the sort key of endpoints: reading first, deleting and unusual methods last."""
    method = endpoint[1]
    if method in METHOD_ORDER:
        return (METHOD_ORDER.index(method),)
    return (len(METHOD_ORDER),)


def url_patterns(entries: Patterns) -> Iterator[URLPattern]:
    """Yield the patterns among some entries of a URL configuration, and inside of them."""
    for entry in entries or ():
        if isinstance(entry, URLResolver):
            yield from url_patterns(entry.url_patterns)
        else:
            yield entry


class EndpointEnumerator:
    """Finds the API views behind URL patterns.

    ``patterns`` are the patterns themselves; without them, those of ``urlconf`` (a module or its
    dotted name), which is ROOT_URLCONF by default.
    """

    def __init__(self, patterns: Patterns = None, urlconf: UrlConf = None) -> None:
        if patterns is None:
            module = settings.ROOT_URLCONF if urlconf is None else urlconf
            patterns = (import_module(module) if isinstance(module, str) else module).urlpatterns
        self.patterns = patterns

    def get_api_endpoints(self, patterns: Patterns = None, prefix: str = "") -> list[Endpoint]:
        """Return every operation below ``patterns``, ordered by method, then by pattern."""
        endpoints: list[Endpoint] = []
        for pattern in self.patterns if patterns is None else patterns:
            route = prefix + str(pattern.pattern)
            if isinstance(pattern, URLResolver):
                endpoints += self.get_api_endpoints(pattern.url_patterns, route)
            elif isinstance(pattern, URLPattern) and _may_include(self, pattern.callback):
                path, callback = self.get_path_from_regex(route), pattern.callback
                if self.should_include_endpoint(path, callback):
                    methods = _methods_or_warning(self, path, callback)
                    endpoints += [(path, method, callback) for method in methods]
        return sorted(endpoints, key=endpoint_ordering)

    def get_path_from_regex(self, path_regex: str) -> str:
        """Return a route or regular expression as a path with ``{name}`` for each parameter."""
        return path_of(path_regex)

    def should_include_endpoint(self, path: str, callback: Callback) -> bool:
        """Exclude callbacks that are not API views, views without a schema, and format suffixes."""
        if not is_api_view(callback):
            return False
        cls = callback.cls
        if not isinstance(reached(cls, "schema"), ViewInspector) and cls.schema is None:
            return False
        if getattr(callback, "initkwargs", {}).get("schema", callback) is None:
            return False
        return not path.endswith((".{format}", ".{format}/"))

    def get_allowed_methods(self, callback: Callback) -> list[str]:
        """Return the methods in upper case that the view handles, except OPTIONS and HEAD."""
        if hasattr(callback, "actions"):
            names = {*callback.cls.http_method_names, "query"}
            methods = [method.upper() for method in callback.actions if method in names]
        else:
            methods = callback.cls(**getattr(callback, "initkwargs", {})).allowed_methods
        return [method for method in methods if method not in ("OPTIONS", "HEAD")]


def _may_include(enumerator: EndpointEnumerator, callback: Callback) -> bool:
    """Whether an endpoint may be included, whatever its path is, which takes longer to find."""
    decides = type(enumerator).should_include_endpoint
    return is_api_view(callback) or decides is not EndpointEnumerator.should_include_endpoint


def _methods_or_warning(enumerator: EndpointEnumerator, path: str, callback: Callback) -> list[str]:
    try:
        return enumerator.get_allowed_methods(callback)
    except Exception as error:  # project code
        warn_of(f"{path} is left out, the view cannot be made: {error!r}", callback.cls)
        return []


class BaseSchemaGenerator:
    """Walks the endpoints of a project; formats derive from it and implement ``get_schema``.

    ``coerce_path_pk`` follows the setting SCHEMA_COERCE_PATH_PK unless a subclass sets it.
    """

    endpoint_inspector_cls: type[EndpointEnumerator] = EndpointEnumerator
    coerce_path_pk: bool | None = None

    #: Whether a generic view without a ``serializer_class`` never ends the description. Schema
    #: views and ``generateschema`` set it; else OpenAPI 3.0.2 raises AssertionError, as it did.
    keeps_going: bool = False

    def __init__(
        self,
        title: str | None = None,
        url: str | None = None,
        description: str | None = None,
        patterns: Patterns = None,
        urlconf: UrlConf = None,
        version: str | None = None,
    ) -> None:
        if url and not url.endswith("/"):
            url += "/"
        if self.coerce_path_pk is None:
            self.coerce_path_pk = api_settings.SCHEMA_COERCE_PATH_PK
        self.title = title
        self.url = url
        self.description = description
        self.version = version
        self.patterns = patterns
        self.urlconf = urlconf
        self.endpoints: list[Endpoint] | None = None

    def get_schema(self, request: Request | None = None, public: bool = False) -> Any:
        """Return the schema as ``request`` may see it; all of it if ``public``."""
        raise NotImplementedError(".get_schema() must be implemented in subclasses.")

    def create_view(self, callback: Callback, method: str, request: Request | None = None) -> Any:
        """Return an instance of the view that can be inspected, without dispatching a request."""
        view = callback.cls(**getattr(callback, "initkwargs", {}))
        view._lintel_callback = callback
        view.args = ()
        view.kwargs = {}
        view.format_kwarg = None
        view.request = None
        view.action_map = getattr(callback, "actions", None)
        if view.action_map is not None:
            name = method.lower()
            view.action = "metadata" if name == "options" else view.action_map.get(name)
        if request is not None:
            # Who may read may ask, too.
            view.request = clone_request(request, "GET" if method == QUERY else method)
        return view

    def has_view_permissions(self, path: str, method: str, view: AnyView) -> bool:
        """Return whether the user of the view's request may call it; True without a request."""
        if view.request is None:
            return True
        try:
            view.check_permissions(view.request)
        except (exceptions.APIException, Http404, PermissionDenied):
            return False
        return True

    def coerce_path(self, path: str, method: str, view: AnyView) -> str:
        """Rename the parameter ``{pk}`` to the primary key, usually ``id``."""
        if not self.coerce_path_pk or "{pk}" not in path:
            return path
        model = model_of(view)
        name = get_pk_name(model) if model else "id"
        return path.replace("{pk}", f"{{{name}}}")

    def _initialise_endpoints(self) -> None:
        before = vars(self).get("_lintel_resolver")
        if self.endpoints is not None and before is None:
            return
        # The resolver itself: its id could be reused later.
        is_given = self.patterns is not None or self.urlconf is not None
        resolver = None if is_given else get_resolver(settings.ROOT_URLCONF)
        if self.endpoints is None or before is not resolver:
            enumerator = self.endpoint_inspector_cls(self.patterns, self.urlconf)
            self.endpoints = enumerator.get_api_endpoints()
            self._lintel_resolver = resolver

    def _get_paths_and_endpoints(self, request: Request | None) -> tuple[list[str], list[Endpoint]]:
        """Return coerced paths, and ``(path, method, view)`` for each endpoint."""
        self._initialise_endpoints()
        endpoints: list[Endpoint] = []
        for path, method, callback in self.endpoints or ():
            try:
                view = self.create_view(callback, method, request)
            except Exception as error:  # project code
                warn_of(f"{method} {path} is left out: {error!r}", callback.cls)
                continue
            endpoints.append((self.coerce_path(path, method, view), method, view))
        return [path for path, _, _ in endpoints], endpoints
