"""Mistakes with views, what surrounds them, and settings."""

from types import SimpleNamespace
from typing import Any

from contract_project.models import Entry, Tag
from django.contrib.auth.models import User
from django.core.exceptions import ImproperlyConfigured
from mistakes import table
from mistakes_in_serializers import plain

from lintel import (
    authentication,
    decorators,
    filters,
    generics,
    metadata,
    negotiation,
    pagination,
    parsers,
    permissions,
    renderers,
    routers,
    serializers,
    throttling,
    versioning,
    views,
    viewsets,
)
from lintel.request import Request
from lintel.response import Response
from lintel.settings import APISettings, api_settings
from lintel.test import APIClient, APIRequestFactory, URLPatternsTestCase, force_authenticate

MISTAKES, mistake = table()
factory = APIRequestFactory()

# ---- views ----


def call(view: Any, **kwargs: Any) -> Any:
    """The rendered answer of a view to an administrator."""
    request = factory.get("/")
    force_authenticate(request, User(username="u", is_staff=True, is_superuser=True, pk=1))
    return view.as_view()(request, **kwargs).render()


@mistake(
    AssertionError,
    "'TagList' should either include a `queryset` attribute, or override the "
    "`get_queryset()` method.",
)
def generic_no_queryset() -> Any:
    return call(type("TagList", (generics.ListAPIView,), {}))


@mistake(
    AssertionError,
    "'TagList' should either include a `serializer_class` attribute, or override "
    "the `get_serializer_class()` method.",
)
def generic_no_serializer() -> Any:
    return call(type("TagList", (generics.ListAPIView,), {"queryset": Tag.objects.all()}))


@mistake(
    AssertionError,
    'Expected view TagDetail to be called with a URL keyword argument named "pk". '
    "Fix your URL conf, or set the `.lookup_field` attribute on the view correctly.",
)
def generic_no_kwarg() -> Any:
    return call(type("TagDetail", (generics.RetrieveAPIView,), {"queryset": Tag.objects.all()}))


@mistake(
    AssertionError,
    'Expected view TagDetail to be called with a URL keyword argument named "name".'
    " Fix your URL conf, or set the `.lookup_field` attribute on the view "
    "correctly.",
)
def generic_lookup_mismatch() -> Any:
    return call(
        type(
            "TagDetail",
            (generics.RetrieveAPIView,),
            {"queryset": Tag.objects.all(), "lookup_field": "name"},
        ),
        pk=1,
    )


@mistake(
    RuntimeError,
    "Do not evaluate the `.queryset` attribute directly, as the result will be "
    "cached and reused between requests. Use `.all()` or call `.get_queryset()` "
    "instead.",
)
def generic_queryset_evaluated() -> Any:

    class V(generics.ListAPIView):
        queryset = Tag.objects.all()

        def get_queryset(self) -> Any:
            return list(self.queryset)

    return call(V)


@mistake(AssertionError, "TagList.get_queryset() returned None")
def generic_queryset_none() -> Any:

    class TagList(generics.ListAPIView):
        permission_classes = [permissions.DjangoModelPermissions]

        def get_queryset(self) -> Any:
            return None

    return call(TagList)


@mistake(
    AssertionError,
    "Cannot apply DjangoModelPermissions on a view that does not set `.queryset` or"
    " have a `.get_queryset()` method.",
)
def permissions_no_queryset() -> Any:

    class TagList(views.APIView):
        permission_classes = [permissions.DjangoModelPermissions]

        def get(self, request: Any) -> Any:
            return Response()

    return call(TagList)


@mistake(
    AssertionError,
    "Cannot apply DjangoObjectPermissions on a view that does not set `.queryset` "
    "or have a `.get_queryset()` method.",
)
def object_permissions_no_queryset() -> Any:

    class TagList(views.APIView):
        permission_classes = [permissions.DjangoObjectPermissions]

        def get(self, request: Any) -> Any:
            return Response()

    return call(TagList)


@mistake(
    AssertionError,
    "Expected a `Response`, `HttpResponse` or `StreamingHttpResponse` to be "
    "returned from the view, but received a `<class 'NoneType'>`",
)
def returns_none() -> Any:

    class V(views.APIView):
        def get(self, request: Any) -> Any:
            return None

    return call(V)


@mistake(
    AssertionError,
    "You passed a Serializer instance as data, but probably meant to pass "
    "serialized `.data` or `.error`. representation.",
)
def returns_serializer() -> Any:

    class V(views.APIView):
        def get(self, request: Any) -> Any:
            return Response(plain()(SimpleNamespace(name="x")))

    return call(V)


@mistake(AssertionError, ".accepted_renderer not set on Response")
def response_no_renderer() -> Any:
    return Response({}).render()


@mistake(AssertionError, ".accepted_media_type not set on Response")
def response_no_media_type() -> Any:
    r = Response({})
    r.accepted_renderer = renderers.JSONRenderer()
    return r.render()


@mistake(AssertionError, ".renderer_context not set on Response")
def response_no_context() -> Any:
    r = Response({})
    r.accepted_renderer = renderers.JSONRenderer()
    r.accepted_media_type = "a/b"
    return r.render()


@mistake(AssertionError, "renderer returned unicode, and did not specify a charset value.")
def renderer_text() -> Any:

    class T(renderers.BaseRenderer):
        media_type = "text/plain"
        format = "txt"
        charset = None

        def render(self, data, *a, **k) -> Any:
            return "x"

    class V(views.APIView):
        renderer_classes = [T]

        def get(self, request: Any) -> Any:
            return Response({})

    return call(V)


@mistake(NotImplementedError, "Renderer class requires .render() to be implemented")
def renderer_base() -> Any:

    class T(renderers.BaseRenderer):
        media_type = "text/plain"
        format = "txt"

    return T().render({})


@mistake(NotImplementedError, ".parse() must be overridden.")
def parser_base() -> Any:
    return parsers.BaseParser().parse(None)


@mistake(NotImplementedError, ".authenticate() must be overridden.")
def authentication_base() -> Any:
    return authentication.BaseAuthentication().authenticate(None)


@mistake(NotImplementedError, ".filter_queryset() must be overridden.")
def filter_base() -> Any:
    return filters.BaseFilterBackend().filter_queryset(None, None, None)


@mistake(NotImplementedError, "paginate_queryset() must be implemented.")
def pagination_base() -> Any:
    return pagination.BasePagination().paginate_queryset(None, None)


@mistake(NotImplementedError, "get_paginated_response() must be implemented.")
def pagination_base_response() -> Any:
    return pagination.BasePagination().get_paginated_response(None)


@mistake(NotImplementedError, "to_html() must be implemented to display page controls.")
def pagination_base_html() -> Any:
    return pagination.BasePagination().to_html()


@mistake(NotImplementedError, ".determine_metadata() must be overridden.")
def metadata_base() -> Any:
    return metadata.BaseMetadata().determine_metadata(None, None)


@mistake(NotImplementedError, ".select_parser() must be implemented")
def negotiation_base_parser() -> Any:
    return negotiation.BaseContentNegotiation().select_parser(None, None)


@mistake(NotImplementedError, ".select_renderer() must be implemented")
def negotiation_base_renderer() -> Any:
    return negotiation.BaseContentNegotiation().select_renderer(None, None)


@mistake(NotImplementedError, "BaseVersioning.determine_version() must be implemented.")
def versioning_base() -> Any:
    return versioning.BaseVersioning().determine_version(None)


@mistake(NotImplementedError, ".allow_request() must be overridden")
def throttle_base() -> Any:
    return throttling.BaseThrottle().allow_request(None, None)


@mistake(
    AssertionError,
    "The `request` argument must be an instance of `django.http.HttpRequest`, not `builtins.str`.",
)
def request_of_text() -> Any:
    return Request("x")


@mistake(
    ImproperlyConfigured,
    "Cannot use OrderingFilter on a view which does not have either a "
    "'serializer_class', an overriding 'get_serializer_class' or 'ordering_fields' "
    "attribute.",
)
def ordering_filter_no_serializer() -> Any:

    class V(generics.ListAPIView):
        queryset = Tag.objects.all()
        filter_backends = [filters.OrderingFilter]

    v = V()
    v.request = Request(factory.get("/?ordering=name"))
    v.format_kwarg = None
    return filters.OrderingFilter().filter_queryset(v.request, Tag.objects.all(), v)


@mistake(
    ImproperlyConfigured,
    "Returned a template response with no `template_name` attribute set on either "
    "the view or response",
)
def template_none() -> Any:

    class V(views.APIView):
        renderer_classes = [renderers.TemplateHTMLRenderer]

        def get(self, request: Any) -> Any:
            return Response({})

    return call(V)


@mistake(
    TypeError,
    "V() received an invalid keyword 'colour'. as_view only accepts arguments that "
    "are already attributes of the class.",
)
def as_view_lazy_kwarg() -> Any:

    class V(views.APIView):
        pass

    return V.as_view(colour=1)


@mistake(TypeError, "The method name get is not accepted as a keyword argument to V().")
def as_view_method() -> Any:

    class V(views.APIView):
        pass

    return V.as_view(get=1)


# ---- viewsets ----


class TagViewSet(viewsets.ModelViewSet):
    queryset = Tag.objects.all()


@mistake(
    TypeError,
    "The `actions` argument must be provided when calling `.as_view()` on a "
    "ViewSet. For example `.as_view({'get': 'list'})`",
)
def viewset_no_actions() -> Any:
    return TagViewSet.as_view()


def call_actions(actions, **kw) -> Any:
    return TagViewSet.as_view(actions, **kw)(factory.get("/"))


@mistake(
    TypeError,
    "You tried to pass in the get method name as a keyword argument to "
    "TagViewSet(). Don't do that.",
)
def viewset_method_kwarg() -> Any:
    return TagViewSet.as_view({"get": "list"}, get=1)


@mistake(TypeError, "TagViewSet() received an invalid keyword 'colour'")
def viewset_unknown_kwarg() -> Any:
    return TagViewSet.as_view({"get": "list"}, colour=1)


@mistake(
    TypeError,
    "TagViewSet() received both `name` and `suffix`, which are mutually exclusive arguments.",
)
def viewset_name_and_suffix() -> Any:
    return TagViewSet.as_view({"get": "list"}, name="x", suffix="y")


@mistake(
    AssertionError,
    "Expected function (`inner`) to match its attribute name (`recent`). If using a"
    " decorator, ensure the inner function is decorated with `functools.wraps`, or "
    "that `inner.__name__` is otherwise set to `recent`.",
)
def viewset_wraps() -> Any:

    def other(f) -> Any:

        def inner(self, request: Any) -> Any:
            return Response()

        return inner

    class V(viewsets.ViewSet):
        @decorators.action(detail=False)
        @other
        def recent(self, request: Any) -> Any:
            return Response()

    return V.get_extra_actions()


# ---- actions ----


@mistake(AssertionError, "@action() missing required argument: 'detail'")
def action_no_detail() -> Any:

    @decorators.action()
    def recent(self, request: Any) -> Any: ...


@mistake(TypeError, "`name` and `suffix` are mutually exclusive arguments.")
def action_name_suffix() -> Any:

    @decorators.action(detail=False, name="x", suffix="y")
    def recent(self, request: Any) -> Any: ...


@mistake(AssertionError, "Method 'get' has already been mapped to '.recent'.")
def action_mapping_twice() -> Any:

    @decorators.action(detail=False)
    def recent(self, request: Any) -> Any: ...

    @recent.mapping.get
    def other(self, request: Any) -> Any: ...


@mistake(
    AssertionError,
    "Method mapping does not behave like the property decorator. You cannot use the"
    " same method name for each mapping declaration.",
)
def action_mapping_same_name() -> Any:

    @decorators.action(detail=False)
    def recent(self, request: Any) -> Any: ...

    @recent.mapping.post
    def recent(self, request: Any) -> Any: ...


@mistake(AssertionError, "@api_view expected a list of strings, received str")
def api_view_text() -> Any:

    @decorators.api_view("GET")
    def v(request) -> Any: ...


@mistake(
    TypeError,
    "@permission_classes must come after (below) the @api_view decorator. The "
    "correct order is:\n"
    "\n"
    "    @api_view(['GET'])\n"
    "    @permission_classes(...)\n"
    "    def my_view(request):\n"
    "        ...",
)
def order_of_decorators() -> Any:

    @decorators.permission_classes([permissions.AllowAny])
    @decorators.api_view(["GET"])
    def v(request) -> Any: ...


@mistake(
    TypeError,
    "@schema must come after (below) the @api_view decorator. The correct order is:\n"
    "\n"
    "    @api_view(['GET'])\n"
    "    @schema(...)\n"
    "    def my_view(request):\n"
    "        ...",
)
def order_schema() -> Any:

    @decorators.schema(None)
    @decorators.api_view(["GET"])
    def v(request) -> Any: ...


# ---- routers ----


class NoQuerysetViewSet(viewsets.ViewSet):
    def list(self, request: Any) -> Any: ...


@mistake(
    AssertionError,
    "`basename` argument not specified, and could not automatically determine the "
    "name from the viewset, as it does not have a `.queryset` attribute.",
)
def router_no_basename() -> Any:
    router = routers.SimpleRouter()
    router.register("x", NoQuerysetViewSet)
    return router.urls


@mistake(
    ImproperlyConfigured,
    'Router with basename "tag" is already registered. Please provide a unique '
    "basename for viewset",
)
def router_twice() -> Any:
    router = routers.SimpleRouter()
    router.register("x", TagViewSet)
    router.register("y", TagViewSet)
    return router.urls


@mistake(
    ImproperlyConfigured,
    "Cannot use the @action decorator on the following methods, as they are existing routes: list",
)
def router_taken() -> Any:

    class V(viewsets.ViewSet):
        @decorators.action(detail=False)
        def list(self, request: Any) -> Any: ...

    router = routers.SimpleRouter()
    router.register("x", V, basename="x")
    return router.urls


@mistake(NotImplementedError, "get_default_basename must be overridden")
def router_base_default() -> Any:
    return routers.BaseRouter().get_default_basename(TagViewSet)


@mistake(NotImplementedError, "get_urls must be overridden")
def router_base_urls() -> Any:
    return routers.BaseRouter().get_urls()


# ---- throttles ----


@mistake(ImproperlyConfigured, "You must set either `.scope` or `.rate` for 'T' throttle")
def throttle_no_scope() -> Any:

    class T(throttling.SimpleRateThrottle):
        pass

    return T()


@mistake(ImproperlyConfigured, "No default throttle rate set for 'burst' scope")
def throttle_no_rate() -> Any:

    class BurstThrottle(throttling.SimpleRateThrottle):
        scope = "burst"

    return BurstThrottle()


@mistake(ImproperlyConfigured, "No default throttle rate set for 'uploads' scope")
def throttle_scoped_no_rate() -> Any:

    class V(views.APIView):
        throttle_classes = [throttling.ScopedRateThrottle]
        throttle_scope = "uploads"

        def get(self, request: Any) -> Any:
            return Response()

    return call(V)


@mistake(NotImplementedError, ".get_cache_key() must be overridden")
def throttle_cache_key() -> Any:

    class BurstThrottle(throttling.SimpleRateThrottle):
        rate = "1/s"

    return BurstThrottle().get_cache_key(None, None)


# ---- settings ----


@mistake(AttributeError, "Invalid API setting: 'COLOUR'")
def setting_unknown() -> Any:
    return api_settings.COLOUR


@mistake(
    ImportError,
    "Could not import 'nothing.here.Renderer' for API setting "
    "'DEFAULT_RENDERER_CLASSES'. ModuleNotFoundError: No module named 'nothing'.",
)
def setting_import() -> Any:
    return APISettings(
        {"DEFAULT_RENDERER_CLASSES": ["nothing.here.Renderer"]}, None, None
    ).DEFAULT_RENDERER_CLASSES


@mistake(
    ImportError,
    "Could not import 'django.http.Nothing' for API setting "
    "'DEFAULT_RENDERER_CLASSES'. ImportError: Module \"django.http\" does not define "
    'a "Nothing" attribute/class.',
)
def setting_import_attr() -> Any:
    return APISettings(
        {"DEFAULT_RENDERER_CLASSES": ["django.http.Nothing"]}, None, None
    ).DEFAULT_RENDERER_CLASSES


@mistake(
    ImportError,
    "Could not import 'Nothing' for API setting 'DEFAULT_PAGINATION_CLASS'. "
    "ImportError: Nothing doesn't look like a module path.",
)
def setting_import_undotted() -> Any:
    return APISettings({"DEFAULT_PAGINATION_CLASS": "Nothing"}, None, None).DEFAULT_PAGINATION_CLASS


@mistake(
    ImportError,
    "Could not import 'nothing.handler' for API setting 'EXCEPTION_HANDLER'. "
    "ModuleNotFoundError: No module named 'nothing'.",
)
def setting_import_handler() -> Any:
    return APISettings({"EXCEPTION_HANDLER": "nothing.handler"}, None, None).EXCEPTION_HANDLER


@mistake(RuntimeError, "The 'PAGINATE_BY' setting has been removed.")
def setting_removed() -> Any:
    return APISettings({"PAGINATE_BY": 10}, None, None).PAGE_SIZE


# ---- pagination ----


def cursor(**attrs: Any) -> Any:
    cls = type("P", (pagination.CursorPagination,), {"page_size": 2, **attrs})
    return cls().paginate_queryset(
        attrs.get("qs", Entry.objects.all()), Request(factory.get("/")), SimpleNamespace()
    )


@mistake(
    AssertionError,
    "Using cursor pagination, but no ordering attribute was declared on the pagination class.",
)
def cursor_no_ordering() -> Any:
    return cursor(ordering=None)


# ---- test tools ----


@mistake(
    AssertionError,
    "Invalid format 'nothing'. Available formats are 'multipart', 'json'. Set "
    "TEST_REQUEST_RENDERER_CLASSES to enable extra request formats.",
)
def client_format() -> Any:
    return APIClient().post("/", {}, format="nothing")


@mistake(AssertionError, "You may not set both `format` and `content_type`.")
def client_both() -> Any:
    return APIClient().post("/", {}, format="json", content_type="a/b")


@mistake(
    AssertionError,
    "Test data contained a dictionary value for key 'a', but multipart uploads do "
    "not support nested data. You may want to consider using format='json' in this "
    "test case.",
)
def client_multipart_nested() -> Any:
    return APIClient().post("/", {"a": {"b": 1}}, format="multipart")


@mistake(AttributeError, "type object 'T' has no attribute 'urlpatterns'")
def url_patterns_case() -> Any:

    class T(URLPatternsTestCase):
        pass

    return T.setUpClass()


# ---- others ----


@mistake(KeyError, "Class int not found in lookup.")
def field_mapping_missing() -> Any:
    from lintel.utils.field_mapping import ClassLookupDict

    return ClassLookupDict({})[5]


@mistake(ValueError, "Out of range float values are not JSON compliant")
def json_nan() -> Any:
    return renderers.JSONRenderer().render({"a": float("nan")})


@mistake(NotImplementedError, ".get_schema() must be implemented in subclasses.")
def schema_generator_base() -> Any:
    from lintel.schemas.generators import BaseSchemaGenerator

    return BaseSchemaGenerator().get_schema()


@mistake(
    AssertionError,
    "Schema generation REQUIRES a view instance. (Hint: you accessed `schema` from "
    "the view class rather than an instance.)",
)
def schema_inspector_weak() -> Any:
    from lintel.schemas.openapi import AutoSchema

    class V:
        schema = AutoSchema()

    return V.schema.view


@mistake(
    Exception,
    '"Serializer" is an invalid class name for schema generation. Serializer\'s '
    'class name should be unique and explicit. e.g. "ItemSerializer"',
)
def operation_id() -> Any:
    from lintel.schemas.openapi import AutoSchema

    class Serializer(serializers.Serializer):
        pass

    return AutoSchema().get_component_name(Serializer())
