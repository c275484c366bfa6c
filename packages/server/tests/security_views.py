"""The project of the security tests: views of every kind, and what a browser sees of them."""

from html.parser import HTMLParser
from typing import Any

from contract_project.models import Snippet, Tag
from django.contrib.auth.models import User
from django.http import Http404
from django.test import Client
from django.urls import include, path, re_path

from lintel import (
    authentication,
    filters,
    generics,
    pagination,
    parsers,
    permissions,
    renderers,
    serializers,
    throttling,
    versioning,
    viewsets,
)
from lintel.decorators import api_view, parser_classes
from lintel.exceptions import ParseError, PermissionDenied, Throttled, ValidationError
from lintel.response import Response
from lintel.routers import DefaultRouter
from lintel.urlpatterns import format_suffix_patterns
from lintel.views import APIView

EVIL = "\"'><script>alert(1)</script>"


class Page(HTMLParser):
    """What a browser would see: elements, and the attributes that run something."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.inline_scripts: list[str] = []
        self.handlers: list[str] = []
        self.addresses: list[str] = []
        self._in_script = False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        named = dict(attrs)
        self._in_script = tag == "script" and "src" not in named
        self.handlers += [name for name in named if name.startswith("on")]
        self.addresses += [named[name] or "" for name in ("href", "src", "action") if name in named]

    def handle_endtag(self, tag: str) -> None:
        self._in_script = False

    def handle_data(self, data: str) -> None:
        if self._in_script and data.strip():
            self.inline_scripts.append(data)

    @property
    def is_safe(self) -> bool:
        schemes = [address.strip().lower() for address in self.addresses]
        bad = [each for each in schemes if each.startswith(("javascript:", "data:", "//"))]
        return not (self.inline_scripts or self.handlers or bad)


class SnippetSerializer(serializers.ModelSerializer):
    class Meta:
        model = Snippet
        fields = ["id", "title", "code"]


class Pages(pagination.PageNumberPagination):
    page_size = 1
    page_size_query_param = "size"
    max_page_size = 10


class Cursors(pagination.CursorPagination):
    page_size = 1
    ordering = "created"


class Offsets(pagination.LimitOffsetPagination):
    default_limit = 1


class Snippets(generics.ListCreateAPIView):
    queryset = Snippet.objects.order_by("id")
    serializer_class = SnippetSerializer
    authentication_classes = [authentication.SessionAuthentication]
    permission_classes: list[Any] = []
    pagination_class: Any = Pages
    filter_backends = [filters.SearchFilter, filters.OrderingFilter]
    search_fields = ["title"]
    ordering_fields: Any = ["title"]

    def perform_create(self, serializer: Any) -> None:
        serializer.save(owner=User.objects.get(username="alice"))


class SnippetDetail(generics.RetrieveUpdateDestroyAPIView):
    queryset = Snippet.objects.order_by("id")
    serializer_class = SnippetSerializer
    permission_classes: list[Any] = []


class Login(serializers.Serializer):
    name = serializers.CharField(help_text=EVIL, label=EVIL)
    password = serializers.CharField(style={"input_type": "password"}, max_length=4)
    kind = serializers.ChoiceField(choices=[(EVIL, EVIL)], required=False)
    url = serializers.CharField(required=False)


class Forms(generics.GenericAPIView):
    serializer_class = Login
    permission_classes: list[Any] = []
    parser_classes = [parsers.JSONParser, parsers.FormParser, parsers.MultiPartParser]

    def post(self, request: Any, **kwargs: Any) -> Response:
        serializer = self.get_serializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        return Response(serializer.data)


class Named(generics.CreateAPIView):
    """Rows name their own address, as clients write it."""

    serializer_class = Login
    permission_classes: list[Any] = []
    renderer_classes = [renderers.JSONRenderer]

    def perform_create(self, serializer: Any) -> None:
        serializer.instance = dict(serializer.validated_data)


@api_view(["GET", "POST"])
@parser_classes([parsers.JSONParser, parsers.FormParser, parsers.MultiPartParser])
def echo(request: Any, **kwargs: Any) -> Response:
    return Response({"method": request.method, "data": request.data, **kwargs})


class Failing(APIView):
    permission_classes: list[Any] = []

    def get(self, request: Any) -> Response:
        text = request.query_params.get("text", EVIL)
        error = {
            "parse": ParseError(text),
            "missing": Http404(text),
            "denied": PermissionDenied(text, code=text),
            "invalid": ValidationError({text: [text]}),
            "slow": Throttled(wait=3),
        }
        raise error[request.query_params["kind"]]


class Realm(authentication.BasicAuthentication):
    www_authenticate_realm = 'the "inner" \\ circle'


class Guarded(APIView):
    authentication_classes = [Realm]
    permission_classes = [permissions.IsAuthenticated]
    renderer_classes = [renderers.JSONRenderer]

    def get(self, request: Any) -> Response:
        return Response(request.user.username)


class ByToken(Guarded):
    authentication_classes = [authentication.TokenAuthentication]


class BySession(Guarded):
    authentication_classes = [authentication.SessionAuthentication]
    parser_classes = [parsers.JSONParser, parsers.FormParser, parsers.MultiPartParser]

    def post(self, request: Any) -> Response:
        return Response({"data": request.data})


class IsOwner(permissions.BasePermission):
    def has_object_permission(self, request: Any, view: Any, obj: Any) -> bool:
        return obj.owner == request.user


class Staff(permissions.BasePermission):
    def has_permission(self, request: Any, view: Any) -> bool:
        return request.user.is_staff


class Own(SnippetDetail):
    """Staff may do anything, anybody else works on what is theirs."""

    authentication_classes = [authentication.SessionAuthentication]
    permission_classes: list[Any] = [Staff | IsOwner]


class Writers(permissions.BasePermission):
    def has_permission(self, request: Any, view: Any) -> bool:
        return request.method == "POST"


class WriteOnly(Snippets):
    """May be written by everybody and read by nobody."""

    permission_classes = [Writers]
    renderer_classes = [renderers.AdminRenderer, renderers.JSONRenderer]


class Linking(Snippets):
    """Pagination in a header, as many projects do it."""

    class Links(Pages):
        def get_paginated_response(self, data: Any) -> Response:
            return Response(data, headers={"Link": f'<{self.get_next_link()}>; rel="next"'})

    pagination_class = Links


class UserSerializer(serializers.ModelSerializer):
    class Meta:
        model = User
        fields = ["id", "username", "password"]
        extra_kwargs = {"password": {"write_only": True}}


class Users(generics.ListAPIView):
    queryset = User.objects.order_by("id")
    serializer_class = UserSerializer
    permission_classes: list[Any] = []
    renderer_classes = [renderers.JSONRenderer]
    filter_backends = [filters.OrderingFilter]


class TwoDatabases(APIView):
    permission_classes: list[Any] = []
    renderer_classes = [renderers.JSONRenderer]

    def post(self, request: Any) -> Response:
        for alias in ("first_file", "second_file"):
            Tag.objects.using(alias).create(name="written")
        if request.query_params.get("fail") == "api":
            raise ParseError("broken")
        if request.query_params.get("fail") == "crash":
            raise RuntimeError("crash")
        return Response({})


class Host(APIView):
    permission_classes: list[Any] = []
    renderer_classes = [renderers.JSONRenderer]

    def get(self, request: Any) -> Response:
        return Response({"url": request.build_absolute_uri()})


class HostVersion(Host):
    versioning_class = versioning.HostNameVersioning


class Once(throttling.AnonRateThrottle):
    rate = "1/day"


class Throttled_(Host):
    throttle_classes = [Once]


class SnippetSet(viewsets.ModelViewSet):
    queryset = Snippet.objects.order_by("id")
    serializer_class = SnippetSerializer
    permission_classes: list[Any] = []


router = DefaultRouter()
router.register("set", SnippetSet)

urlpatterns = [
    path("snippets/", Snippets.as_view()),
    path("snippets/<int:pk>/", SnippetDetail.as_view()),
    path("cursors/", Snippets.as_view(pagination_class=Cursors)),
    path("offsets/", Snippets.as_view(pagination_class=Offsets)),
    path("own/<int:pk>/", Own.as_view()),
    path("write-only/", WriteOnly.as_view()),
    path("linking/", Linking.as_view()),
    path("users/", Users.as_view()),
    path("forms/", Forms.as_view()),
    path("named/", Named.as_view()),
    path("failing/", Failing.as_view()),
    path("guarded/", Guarded.as_view()),
    path("token/", ByToken.as_view()),
    path("session/", BySession.as_view()),
    path("two/", TwoDatabases.as_view()),
    path("host/", Host.as_view()),
    path("host-version/", HostVersion.as_view()),
    path("throttled/", Throttled_.as_view()),
    path("api-auth/", include("lintel.urls")),
    *format_suffix_patterns([path("echo", echo), re_path(r"^echo/(?P<word>.*)$", echo)]),
    path("router/", include(router.urls)),
]


def user_with_snippets() -> User:
    user = User.objects.create_user("alice", password="alice-pw")
    for title in (EVIL, "plain"):
        Snippet.objects.create(title=title, code=EVIL, owner=user)
    return user


def page(url: str, **headers: Any) -> str:
    response = Client().get(url, headers={"accept": "text/html", **headers})
    assert response["Content-Type"].startswith("text/html")
    return response.content.decode()
