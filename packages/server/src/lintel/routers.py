"""Routers make URL patterns for viewsets.

router = DefaultRouter()
router.register("users", UserViewSet)
urlpatterns = router.urls
"""

import itertools
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, NamedTuple, TypeAlias, TypeVar

from django.core.exceptions import ImproperlyConfigured
from django.urls import NoReverseMatch, URLPattern, path, re_path

from lintel import views
from lintel.annotations import AnyView, HookResult, Setting
from lintel.bulk import BulkModelMixin
from lintel.compatible import keeps
from lintel.decorators import Function
from lintel.negotiation import BULK_ACTIONS
from lintel.nesting import ParentRoute, nested, nested_route
from lintel.request import Request
from lintel.response import Response
from lintel.reverse import in_namespace, reverse
from lintel.schemas.catalog import description_headers
from lintel.schemas.openapi import SchemaGenerator
from lintel.schemas.views import SchemaView
from lintel.settings import api_settings
from lintel.urlpatterns import format_suffix_patterns

ItemT = TypeVar("ItemT")

#: The class of a viewset, or what a project registers in place of one.
ViewSetClass: TypeAlias = Any


class Route(NamedTuple):
    """The pattern of standard actions, such as ``list`` and ``create``."""

    url: str
    mapping: dict[str, str]
    name: str
    detail: bool
    initkwargs: dict[str, Setting]


class DynamicRoute(NamedTuple):
    """The placeholder for patterns of extra actions."""

    url: str
    name: str
    detail: bool
    initkwargs: dict[str, Setting]


def _entry_of(
    registry: Iterable[tuple[str, ViewSetClass, str]], parent: str
) -> tuple[str, ViewSetClass, str]:
    entries = list(registry)
    result = [entry for entry in entries if entry[2] == parent] or [
        # A nested prefix begins with the URL of the parent, whose pattern may contain slashes.
        entry
        for entry in entries
        if entry[0].rpartition("/")[2] == parent
    ]
    if len(result) != 1:
        said = "several viewsets have" if result else "no registered viewset has"
        raise ImproperlyConfigured(
            f'`parent="{parent}"`: {said} this prefix or basename. Register the parent first, '
            "and name it by its basename where prefixes are alike."
        )
    return result[0]


def escape_curly_brackets(url_path: str) -> str:
    """Return text that ``str.format`` leaves unchanged, such as ``{3}`` in a regular expression."""
    return url_path.replace("{", "{{").replace("}", "}}")


def flatten(list_of_lists: Iterable[Iterable[ItemT]]) -> Iterable[ItemT]:
    return itertools.chain(*list_of_lists)


class BaseRouter:
    """Keeps the registered viewsets; subclasses create their patterns."""

    def __init__(self) -> None:
        self.registry: list[tuple[str, ViewSetClass, str]] = []

    def register(
        self,
        prefix: str,
        viewset: ViewSetClass,
        basename: str | None = None,
        *,
        parent: str | None = None,
        parent_field: str | None = None,
        parent_lookup: str | None = None,
    ) -> None:
        """``basename`` starts the names of patterns. Raises ImproperlyConfigured if it is taken.

        ``parent``: the prefix, or the basename, of a registered viewset; the URLs then begin with
        the URL of one of its rows. ``parent_field``: the lookup that leads from a row to its
        parent, needed unless there is one relation; ``parent_lookup``: the argument of the URL
        that holds the parent's key, by default such as ``room_pk``.
        """
        above = None if parent is None else _entry_of(self.registry, parent)
        if basename is None:
            basename = self.get_default_basename(viewset)
            basename = basename if above is None else f"{above[2]}-{basename}"
        if self.is_already_registered(basename) and not keeps("basenames"):
            raise ImproperlyConfigured(
                f'Router with basename "{basename}" is already registered. Please provide a '
                f'unique basename for viewset "{viewset}"'
            )
        if above is not None:
            route = nested_route(viewset, above, parent_field, parent_lookup)
            parts = above[0], self.get_parent_regex(route), prefix
            prefix, viewset = "/".join(filter(None, parts)), nested(viewset, route)
        self.registry.append((prefix, viewset, basename))
        # Existing patterns are outdated now.
        self.__dict__.pop("_urls", None)

    def get_parent_regex(self, route: ParentRoute) -> str:
        raise NotImplementedError("get_parent_regex must be overridden")

    def is_already_registered(self, new_basename: str) -> bool:
        return any(basename == new_basename for _prefix, _viewset, basename in self.registry)

    def get_default_basename(self, viewset: ViewSetClass) -> str:
        raise NotImplementedError("get_default_basename must be overridden")

    def get_urls(self) -> list[URLPattern]:
        raise NotImplementedError("get_urls must be overridden")

    @property
    def urls(self) -> list[URLPattern]:
        """Return the URL patterns, created once until another viewset is registered."""
        if "_urls" not in self.__dict__:
            self._urls = self.get_urls()
        return self._urls


class SimpleRouter(BaseRouter):
    """Patterns for the standard actions and the extra actions of each viewset."""

    routes: list[Route | DynamicRoute] = [
        Route(
            url=r"^{prefix}{trailing_slash}$",
            mapping={"get": "list", "post": "create"},
            name="{basename}-list",
            detail=False,
            initkwargs={"suffix": "List"},
        ),
        DynamicRoute(
            url=r"^{prefix}/{url_path}{trailing_slash}$",
            name="{basename}-{url_name}",
            detail=False,
            initkwargs={},
        ),
        Route(
            url=r"^{prefix}/{lookup}{trailing_slash}$",
            mapping={
                "get": "retrieve",
                "put": "update",
                "patch": "partial_update",
                "delete": "destroy",
            },
            name="{basename}-detail",
            detail=True,
            initkwargs={"suffix": "Instance"},
        ),
        DynamicRoute(
            url=r"^{prefix}/{lookup}/{url_path}{trailing_slash}$",
            name="{basename}-{url_name}",
            detail=True,
            initkwargs={},
        ),
    ]

    def __init__(self, trailing_slash: bool = True, use_regex_path: bool = True) -> None:
        """Create the router; ``use_regex_path=False`` uses ``path()``, such as ``<int:pk>``."""
        self.trailing_slash = "/" if trailing_slash else ""
        self._use_regex = use_regex_path
        if use_regex_path:
            self._base_pattern = "(?P<{lookup_prefix}{lookup_url_kwarg}>{lookup_value})"
            self._default_value_pattern = "[^/.]+"
            self._url_conf: Callable[..., URLPattern] = re_path
        else:
            self._base_pattern = "<{lookup_value}:{lookup_prefix}{lookup_url_kwarg}>"
            self._default_value_pattern = "str"
            self._url_conf = path
            # path() always matches the whole path.
            self.routes = [
                route._replace(url=route.url.removeprefix("^").removesuffix("$"))
                for route in self.routes
            ]
        super().__init__()

    def get_default_basename(self, viewset: ViewSetClass) -> str:
        """Return the name of the viewset's model. Raises AssertionError without a queryset."""
        queryset = getattr(viewset, "queryset", None)
        if queryset is None:
            raise AssertionError(
                "`basename` argument not specified, and could not automatically determine the "
                "name from the viewset, as it does not have a `.queryset` attribute."
            )
        return queryset.model._meta.object_name.lower()

    def get_routes(self, viewset: ViewSetClass) -> list[Route]:
        extra_actions = viewset.get_extra_actions()
        _refuse_standard_names(self, extra_actions)
        routes: list[Route] = []
        for route in self.routes:
            if isinstance(route, DynamicRoute):
                actions = [action for action in extra_actions if action.detail == route.detail]
                routes += [self._get_dynamic_route(route, action) for action in actions]
            else:
                routes.append(route)
        return routes

    def _get_dynamic_route(self, route: DynamicRoute, action: AnyView) -> Route:
        return Route(
            url=route.url.replace("{url_path}", escape_curly_brackets(action.url_path)),
            mapping=action.mapping,
            name=route.name.replace("{url_name}", action.url_name),
            detail=route.detail,
            initkwargs={**route.initkwargs, **action.kwargs},
        )

    def get_method_map(self, viewset: ViewSetClass, method_map: dict[str, str]) -> dict[str, str]:
        # The maps of extra actions have decorators in place of the methods of a dict.
        if dict.get(method_map, "post") == "create" and _takes_lists(viewset):
            method_map = {**BULK_ACTIONS, **method_map}
        result = {method: name for method, name in method_map.items() if hasattr(viewset, name)}
        handler = getattr(viewset, "query_handler", None)
        return {**result, "query": handler} if handler and "list" in result.values() else result

    def get_lookup_regex(self, viewset: ViewSetClass, lookup_prefix: str = "") -> str:
        value = getattr(viewset, "lookup_url_kwarg", None) or getattr(viewset, "lookup_field", "pk")
        pattern = None if self._use_regex else getattr(viewset, "lookup_value_converter", None)
        if pattern is None:
            # For path() as well: an invalid converter fails when the patterns are created.
            pattern = getattr(viewset, "lookup_value_regex", self._default_value_pattern)
        return self._base_pattern.format(
            lookup_prefix=lookup_prefix, lookup_url_kwarg=value, lookup_value=pattern
        )

    def get_parent_regex(self, route: ParentRoute) -> str:
        variable = getattr(route.viewset, "lookup_url_kwarg", None) or route.lookup_field
        # The lookup regex names the parent's own argument.
        regex = self.get_lookup_regex(route.viewset)
        name = f"<{variable}>" if self._use_regex else f":{variable}>"
        return regex.replace(name, name.replace(variable, route.lookup), 1)

    def get_urls(self) -> list[URLPattern]:
        return [
            _made_pattern(self, (prefix, viewset, basename), route, mapping)
            for prefix, viewset, basename in self.registry
            for route in self.get_routes(viewset)
            if (mapping := self.get_method_map(viewset, route.mapping))
        ]


def _takes_lists(viewset: ViewSetClass) -> bool:
    return isinstance(viewset, type) and issubclass(viewset, BulkModelMixin)


def _refuse_standard_names(router: SimpleRouter, extra_actions: Iterable[AnyView]) -> None:
    mappings = [route.mapping for route in router.routes if isinstance(route, Route)]
    standard = {name for mapping in mappings for name in mapping.values()}
    taken = [action.__name__ for action in extra_actions if action.__name__ in standard]
    if taken:
        raise ImproperlyConfigured(
            "Cannot use the @action decorator on the following methods, as they are existing "
            f"routes: {', '.join(taken)}"
        )


def _made_pattern(
    router: SimpleRouter,
    entry: tuple[str, ViewSetClass, str],
    route: Route,
    mapping: dict[str, str],
) -> URLPattern:
    prefix, viewset, basename = entry
    url = route.url.format(
        prefix=prefix, lookup=router.get_lookup_regex(viewset), trailing_slash=router.trailing_slash
    )
    if not prefix:
        url = re.sub(r"^(\^?)/", r"\1", url)  # there would be two slashes
    initkwargs = {**route.initkwargs, "basename": basename, "detail": route.detail}
    view = viewset.as_view(mapping, **initkwargs)
    return router._url_conf(url, view, name=route.name.format(basename=basename))


class APIRootView(views.APIView):
    """The addresses of this API."""

    # Its only model is the whole API: permissions on models do not apply.
    _ignore_model_permissions = True
    schema = None
    api_root_dict: dict[str, str] | None = None

    def get(self, request: Request, *args: Any, **kwargs: Any) -> HookResult:
        # Returns the list URLs of the registered viewsets, by prefix.
        addresses, suffix = {}, kwargs.get("format")
        for key, name in (self.api_root_dict or {}).items():
            # A list below another resource needs arguments that are unknown here.
            with suppress(NoReverseMatch):
                name = in_namespace(name, request)
                addresses[key] = reverse(name, args, kwargs, request=request, format=suffix)
        return Response(addresses, headers=description_headers(request))


class DefaultRouter(SimpleRouter):
    """SimpleRouter with a root view, and patterns with the format as a suffix."""

    include_root_view = True
    include_format_suffixes = True
    root_view_name = "api-root"
    default_schema_renderers: Setting = None
    APIRootView: Setting = APIRootView
    APISchemaView: Setting = SchemaView
    SchemaGenerator: Setting = SchemaGenerator

    def __init__(self, *args: bool, **kwargs: Setting) -> None:
        """Create the router; ``root_renderers`` are the renderers of the root view."""
        default = list(api_settings.DEFAULT_RENDERER_CLASSES)
        self.root_renderers: list[Setting] = kwargs.pop("root_renderers", default)
        super().__init__(*args, **kwargs)

    def get_api_root_view(self, api_urls: Any = None) -> Function:
        list_name = self.routes[0].name
        root = {
            prefix: list_name.format(basename=basename)
            for prefix, viewset, basename in self.registry
            if getattr(viewset, "parent_route", None) is None
        }
        return self.APIRootView.as_view(api_root_dict=root)

    def get_urls(self) -> list[URLPattern]:
        urls = super().get_urls()
        if self.include_root_view:
            view = self.get_api_root_view(api_urls=urls)
            urls.append(path("", view, name=self.root_view_name))
        return format_suffix_patterns(urls) if self.include_format_suffixes else urls
