"""One test for each kind of security fix that frameworks like this one have needed."""

import base64
import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from contract_project.models import Snippet, Tag
from django.contrib.auth.models import User
from django.db import connections
from django.http import Http404
from django.test import Client, RequestFactory, override_settings
from django.urls import include, path, re_path
from servers import sqlite_database

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
from lintel.authtoken.models import Token
from lintel.decorators import api_view, parser_classes
from lintel.exceptions import ParseError, PermissionDenied, Throttled, ValidationError
from lintel.response import Response
from lintel.routers import DefaultRouter
from lintel.test import APIClient
from lintel.urlpatterns import format_suffix_patterns
from lintel.views import APIView

EVIL = "\"'><script>alert(1)</script>"
pytestmark = [pytest.mark.django_db, pytest.mark.urls(__name__)]


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


@pytest.fixture(autouse=True)
def alice() -> User:
    user = User.objects.create_user("alice", password="alice-pw")
    for title in (EVIL, "plain"):
        Snippet.objects.create(title=title, code=EVIL, owner=user)
    return user


def page(url: str, **headers: Any) -> str:
    response = Client().get(url, headers={"accept": "text/html", **headers})
    assert response["Content-Type"].startswith("text/html")
    return response.content.decode()


# What a page shows is text


@pytest.mark.parametrize(
    "url",
    [
        "/snippets/",
        "/snippets/?search=" + quote(EVIL),
        "/snippets/?ordering=" + quote(EVIL) + "&" + quote(EVIL) + "=" + quote(EVIL),
        "/snippets/?page=" + quote(EVIL),
        "/snippets/?size=1&page=2&x=" + quote(EVIL),
        "/snippets/?format=" + quote(EVIL),
        "/snippets/?format=api&format=" + quote(EVIL),
        "/snippets/1/?next=javascript:alert(1)",
        "/forms/?x=" + quote(EVIL),
        "/echo/" + quote(EVIL),
        "/echo/" + quote("javascript:alert(1)"),
        "/cursors/?cursor=" + quote(EVIL),
        "/router/set/?" + quote(EVIL),
        "/router/set/1/" + quote(EVIL),
        "//evil.example/snippets/",
        "/snippets/?limit=" + quote('" onmouseover="alert(1)'),
    ],
)
def test_pages_hold_nothing_that_runs(url: str) -> None:
    response = Client().get(url, headers={"accept": "text/html"})
    assert Page(response.content.decode()).is_safe
    assert "<script>alert" not in response.content.decode()


@pytest.mark.parametrize("kind", ["parse", "missing", "denied", "invalid", "slow"])
def test_error_pages_hold_nothing_that_runs(kind: str) -> None:
    html = page(f"/failing/?kind={kind}")
    assert Page(html).is_safe
    assert "<script>alert" not in html


@pytest.mark.parametrize("kind", ["parse", "missing", "denied", "invalid", "slow"])
def test_errors_are_json_unless_a_page_was_asked_for(kind: str) -> None:
    response = Client().get(f"/failing/?kind={kind}")
    assert response["Content-Type"] == "application/json"
    assert json.loads(response.content)


def test_names_of_users_are_text(alice: User) -> None:
    User.objects.filter(pk=alice.pk).update(username=EVIL)
    client = Client()
    client.force_login(User.objects.get(pk=alice.pk))
    html = client.get("/snippets/", headers={"accept": "text/html"}).content.decode()
    assert Page(html).is_safe
    assert "&lt;script&gt;" in html


def test_forms_are_text_and_hold_no_password() -> None:
    sent = {"name": EVIL, "password": "secret-secret", "kind": EVIL}
    response = Client().post("/forms/", sent, headers={"accept": "text/html"})
    assert response.status_code == 400
    html = response.content.decode()
    assert Page(html).is_safe
    assert "secret-secret" not in html


def test_addresses_in_content_become_links_of_the_web_only() -> None:
    for text in ("javascript:alert(1)", 'http://x/"onmouseover="alert(1)', "http://x/<script>"):
        Snippet.objects.update(title=text[:90])
        assert Page(page("/snippets/")).is_safe


# Headers


def test_a_realm_cannot_end_its_quotes() -> None:
    response = Client().get("/guarded/")
    assert response["WWW-Authenticate"] == 'Basic realm="the \\"inner\\" \\\\ circle"'


@pytest.mark.parametrize(
    "url", ["http://x/\r\nSet-Cookie: a=b", "x\ny", "a\u2028b", "é", "x" * 9000]
)
def test_an_address_that_a_client_wrote_cannot_break_the_response(url: str) -> None:
    data = {"name": "x", "password": "y", "url": url}
    response = Client().post("/named/", data, content_type="application/json")
    assert response.status_code == 201
    assert not response.cookies
    assert not {"\r", "\n"} & set(response.headers.get("Location", ""))


def test_links_in_a_header_stay_in_their_brackets() -> None:
    odd = quote('>; rel="evil", <http://evil.example\r\n')
    link = Client().get(f"/linking/?x={odd}")["Link"]
    assert re.fullmatch(r'<http://testserver/linking/\?[^<>"\s]+>; rel="next"', link)


@pytest.mark.parametrize(
    "accept",
    [
        'application/json; x="a\r\nSet-Cookie: b=c"',
        "text/html\r\nX-Own: 1",
        "application/json;q=\n",
    ],
)
def test_the_accept_header_breaks_no_header_of_the_response(accept: str) -> None:
    response = Client().get("/host/", HTTP_ACCEPT=accept)
    assert response.status_code in (200, 406)
    assert "X-Own" not in response.headers
    assert "\n" not in "".join(response.headers.values())


def test_a_format_suffix_is_one_of_those_that_exist() -> None:
    for suffix in (".json", "..json", ".exe", ".%2e%2e%2fjson", ".json%00", ".json%0d%0aX-Own:1"):
        response = Client().get(f"/echo{suffix}")
        assert response.status_code == (200 if suffix == ".json" else 404)
        assert "X-Own" not in response.headers


# CSRF and sessions


def checking(user: User, **extra: Any) -> Client:
    client = Client(enforce_csrf_checks=True, **extra)
    client.force_login(user)
    client.cookies["csrftoken"] = "a" * 32
    return client


SECURE = {"wsgi.url_scheme": "https", "HTTP_HOST": "testserver", "SERVER_PORT": "443"}


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 403),
        ({"X-CSRFToken": "a" * 32}, 403),  # HTTPS wants to know where the request comes from
        ({"X-CSRFToken": "a" * 32, "Referer": "https://testserver/x"}, 200),
        ({"X-CSRFToken": "a" * 32, "Referer": "http://testserver/x"}, 403),
        ({"X-CSRFToken": "a" * 32, "Referer": "https://evil.example/"}, 403),
        ({"X-CSRFToken": "a" * 32, "Referer": "https://[evil"}, 403),
        ({"X-CSRFToken": "a" * 32, "Origin": "https://testserver"}, 200),
        ({"X-CSRFToken": "a" * 32, "Origin": "https://evil.example"}, 403),
        ({"X-CSRFToken": "a" * 32, "Origin": "null"}, 403),
        ({"X-CSRFToken": "b" * 32, "Origin": "https://testserver"}, 403),
        ({"X-CSRFToken": "a" * 31, "Origin": "https://testserver"}, 403),
        ({"X-CSRFToken": "\xe9" * 32, "Origin": "https://testserver"}, 403),
    ],
)
def test_a_session_changes_nothing_for_another_site(
    alice: User, headers: dict[str, str], status: int
) -> None:
    response = checking(alice).post("/session/", {}, "application/json", headers=headers, **SECURE)
    assert response.status_code == status
    assert "evil" not in response.content.decode() or status == 403


def test_a_token_in_a_json_body_is_no_csrf_token(alice: User) -> None:
    body = json.dumps({"csrfmiddlewaretoken": "a" * 32})
    assert checking(alice).post("/session/", body, "application/json").status_code == 403
    assert checking(alice).post("/session/", body, "text/plain").status_code == 403
    assert checking(alice).post("/session/").status_code == 403


def test_a_malformed_body_leaves_the_user_of_the_session(alice: User, monkeypatch: Any) -> None:
    pages = [renderers.BrowsableAPIRenderer, renderers.JSONRenderer]
    monkeypatch.setattr(BySession, "renderer_classes", pages)
    client = checking(alice)
    headers = {"X-CSRFToken": "a" * 32, "Accept": "text/html"}
    assert client.post("/session/", "{", "application/json").status_code == 403
    for body, content_type, status in (("{", "application/json", 400), ("a", "text/plain", 415)):
        page = client.post("/session/", body, content_type, headers=headers)
        assert page.status_code == status
        assert "alice" in page.content.decode()


def test_other_credentials_do_not_excuse_a_session(alice: User) -> None:
    token = Token.objects.create(user=alice)
    response = checking(alice).post("/session/", headers={"authorization": f"Token {token.key}"})
    assert response.status_code == 403


@pytest.mark.parametrize("client_class", [Client, APIClient])
def test_login_checks_csrf_for_every_client(client_class: Any) -> None:
    client = client_class(enforce_csrf_checks=True)
    response = client.post(
        "/api-auth/login/",
        {"username": "alice", "password": "alice-pw"},
        headers={"accept": "application/json"},
    )
    assert response.status_code == 403
    assert "sessionid" not in response.cookies


def test_logging_in_makes_a_new_session(alice: User) -> None:
    client = Client()
    client.session.save()
    client.cookies["sessionid"] = "a" * 32
    client.post("/api-auth/login/", {"username": "alice", "password": "alice-pw"})
    assert client.cookies["sessionid"].value != "a" * 32
    assert client.cookies["sessionid"]["httponly"]


@pytest.mark.parametrize("method", ["get", "head", "put"])
def test_logging_out_takes_a_post(alice: User, method: str) -> None:
    client = Client()
    client.force_login(alice)
    assert getattr(client, method)("/api-auth/logout/").status_code == 405
    assert client.get("/session/").status_code == 200


@pytest.mark.parametrize(
    "target",
    [
        "https://evil.example/",
        "//evil.example/",
        "///evil.example",
        "\\\\evil.example",
        "/\\evil.example",
        "javascript:alert(1)",
        " //evil.example",
        "http:evil.example",
        "https:///evil.example",
        "\x08//evil.example",
        "ftp://testserver/",
    ],
)
def test_login_and_logout_redirect_to_this_site_only(alice: User, target: str) -> None:
    credentials = {"username": "alice", "password": "alice-pw", "next": target}
    with override_settings(LOGIN_REDIRECT_URL="/home/", LOGOUT_REDIRECT_URL="/bye/"):
        client = Client()
        inside = client.post(f"/api-auth/login/?next={quote(target)}", credentials)
        assert inside["Location"] == "/home/"
        outside = client.post(f"/api-auth/logout/?next={quote(target)}")
        assert outside["Location"] in ("/bye/", "/api-auth/logout/")


def test_an_inactive_user_has_no_way_in(alice: User) -> None:
    token = Token.objects.create(user=alice)
    session = Client()
    session.force_login(alice)
    User.objects.update(is_active=False)
    basic = base64.b64encode(b"alice:alice-pw").decode()
    assert session.get("/session/").status_code == 403
    for url, header in (("/guarded/", f"Basic {basic}"), ("/token/", f"Token {token.key}")):
        assert Client().get(url, headers={"authorization": header}).status_code == 401


# The order of checks


def test_strangers_learn_nothing_about_rows() -> None:
    for pk in (Snippet.objects.first().pk, 10**6):
        assert Client().get(f"/token/?pk={pk}").status_code == 401
    statuses = {
        Client().get(url, headers={"accept": "application/json"}).status_code
        for url in (f"/own/{Snippet.objects.first().pk}/",)
    }
    assert statuses == {403}


def test_the_body_of_a_refused_request_is_not_parsed(alice: User) -> None:
    client = Client()
    response = client.post("/session/", b"{", "application/json")
    assert response.status_code == 403


@pytest.mark.parametrize(
    ("name", "staff", "status"), [("alice", False, 200), ("bob", False, 403), ("bob", True, 200)]
)
def test_one_side_of_or_does_not_open_the_object_of_the_other(
    alice: User, name: str, staff: bool, status: int
) -> None:
    user = User.objects.get_or_create(username=name)[0]
    User.objects.filter(pk=user.pk).update(is_staff=staff)
    client = Client()
    client.force_login(User.objects.get(pk=user.pk))
    pk = Snippet.objects.first().pk
    assert client.get(f"/own/{pk}/").status_code == status
    assert client.delete(f"/own/{pk}/").status_code == (204 if status == 200 else status)


def test_an_error_page_does_not_show_what_may_not_be_read() -> None:
    Snippet.objects.update(title="secret title")
    response = Client().post("/write-only/", {}, headers={"accept": "text/html"})
    assert response.status_code == 400
    assert "secret title" not in response.content.decode()


def test_a_refused_page_shows_nothing_of_the_object(alice: User) -> None:
    Snippet.objects.update(title="secret title", code="secret code")
    html = page(f"/own/{Snippet.objects.first().pk}/")
    assert "HTTP 403" in html
    assert "secret" not in html
    assert "<textarea" not in html


# Methods


@pytest.mark.parametrize(
    "headers", [{"X-HTTP-Method-Override": "DELETE"}, {"X-Method-Override": "DELETE"}, {}]
)
def test_the_method_is_that_of_the_request(headers: dict[str, str]) -> None:
    pk = Snippet.objects.first().pk
    body = {"_method": "DELETE", "_content": "{}", "_content_type": "application/json"}
    response = Client().post(f"/snippets/{pk}/?_method=DELETE", body, headers=headers)
    assert response.status_code == 405
    assert Snippet.objects.filter(pk=pk).exists()
    echoed = Client().post("/echo", body, headers=headers).json()
    assert (echoed["method"], echoed["data"]) == ("POST", body)


# Content types


def test_a_body_is_read_by_its_own_type_alone() -> None:
    client = Client()
    for kind in ("text/plain", "application/json-evil", "application", "", "text/json"):
        response = client.post("/echo", '{"a": 1}', content_type=kind)
        assert response.status_code == 415
    form = client.post("/echo", '{"a": 1}', "application/x-www-form-urlencoded")
    assert form.json()["data"] == {'{"a": 1}': ""}


def test_an_unknown_type_is_not_echoed_as_html() -> None:
    html = Client().post("/echo", b"x", content_type=f"a/{EVIL}", headers={"accept": "text/html"})
    assert html.status_code == 415
    assert Page(html.content.decode()).is_safe


# Size


def multipart(parts: int, name: str = "a") -> tuple[bytes, str]:
    piece = f'--x\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n1\r\n'
    return (piece * parts + "--x--\r\n").encode(), "multipart/form-data; boundary=x"


def files(parts: int) -> tuple[bytes, str]:
    piece = '--x\r\nContent-Disposition: form-data; name="a"; filename="b"\r\n\r\n1\r\n'
    return (piece * parts + "--x--\r\n").encode(), "multipart/form-data; boundary=x"


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        multipart(2000),
        files(200),
        (b"a=1&" * 2000, "application/x-www-form-urlencoded"),
        (b"&".join(b"a[%d]=1" % n for n in range(2000)), "application/x-www-form-urlencoded"),
        (b"[" * 100_000, "application/json"),
        (b'{"a":' * 100_000, "application/json"),
        (b'{"a": ' + b"9" * 500_000 + b"}", "application/json"),
        (b"x" * 3_000_000, "application/json"),
        (b"a=" + b"x" * 3_000_000, "application/x-www-form-urlencoded"),
        multipart(1, "x" * 3_000_000),
    ],
    ids=lambda value: None if isinstance(value, bytes) else value.partition(";")[0],
)
def test_bombs_are_bad_requests(body: bytes, content_type: str) -> None:
    for url in ("/echo", "/forms/", "/named/"):
        response = Client(raise_request_exception=False).post(url, body, content_type)
        assert response.status_code in (400, 413)


# Numbers, NUL and half characters


ODD = ["9" * 400, "-1", "0", "1e999", "NaN", "\0", "\ud800", "١", "1_0", " 1", "+1", "0x1", "½"]


@pytest.mark.parametrize("word", ODD)
@pytest.mark.parametrize(
    "url",
    [
        "/snippets/?page={}",
        "/snippets/?size={}",
        "/offsets/?limit={}",
        "/offsets/?offset={}",
        "/cursors/?cursor={}",
        "/snippets/?search={}",
        "/snippets/?ordering={}",
        "/snippets/?{}={}",
        "/echo/{}",
        "/router/set/{}/",
        "/router/set/{}.json",
        "/host/?format={}",
    ],
)
def test_odd_words_are_never_a_crash(url: str, word: str) -> None:
    address = url.replace("{}", quote(word, errors="surrogatepass"))
    response = Client(raise_request_exception=False).get(address)
    assert response.status_code < 500


@pytest.mark.parametrize("position", [2**31, 2**63, 10**100])
def test_cursors_beyond_every_number_are_bad_cursors(position: int) -> None:
    for text in (f"o={position}", f"p={position}", f"o={position}&p=2024-01-01&r=1"):
        cursor = base64.b64encode(text.encode()).decode()
        response = Client(raise_request_exception=False).get(f"/cursors/?cursor={quote(cursor)}")
        assert response.status_code in (200, 404)


@pytest.mark.parametrize("value", ["a\0b", "\ud800", "\udc00x", "\U0010ffff"])
def test_odd_text_in_bodies_headers_and_cookies(value: str) -> None:
    client = Client(raise_request_exception=False)
    sent = json.dumps({"title": value, "code": value})
    assert client.post("/snippets/", sent, content_type="application/json").status_code < 500
    latin = value.encode("utf-8", "surrogatepass").decode("latin-1")
    client.cookies["sessionid"] = client.cookies["csrftoken"] = latin
    for name in ("authorization", "accept", "x-forwarded-for", "referer", "accept-language"):
        for prefix in ("", "Token ", "Basic "):
            for url in ("/session/", "/token/", "/guarded/", "/throttled/", "/snippets/"):
                headers = {name: prefix + latin}
                assert client.get(url, headers=headers).status_code < 500


# Secrets


def test_errors_do_not_repeat_credentials() -> None:
    for header in ("Token top-secret", "Basic top-secret", "Token top secret", "Token \xfftop"):
        for url in ("/token/", "/guarded/"):
            response = Client().get(url, headers={"authorization": header})
            assert response.status_code == 401
            assert "top" not in response.content.decode() + str(response.headers)


def test_parse_errors_do_not_repeat_the_body() -> None:
    body = b'{"password": "top-secret", '
    assert "top" not in Client().post("/echo", body, "application/json").content.decode()


@pytest.mark.parametrize("name", ["password", "-password", "groups__name", "auth_token__key", "pk"])
def test_hidden_columns_order_nothing(name: str) -> None:
    User.objects.create(username="bob", password="0")
    plain = Client().get("/users/").json()
    assert Client().get(f"/users/?ordering={name}").json() == plain


# Throttles


@override_settings(REST_FRAMEWORK={"NUM_PROXIES": 1})
def test_a_client_cannot_choose_whom_it_is_counted_as() -> None:
    answers = [
        Client().get("/throttled/", headers={"x-forwarded-for": f"{number}, 203.0.113.9"})
        for number in ("1.1.1.1", "2.2.2.2", "x" * 5000)
    ]
    assert [answer.status_code for answer in answers] == [200, 429, 429]


def test_addresses_cannot_reach_the_keys_of_others(rf: RequestFactory) -> None:
    throttle = Once()
    keys = set()
    for address in ("a" * 500, "a" * 501, "1 2\r\nset x", "\0", "é", "user_1", "../x", "%s"):
        request = rf.get("/", HTTP_X_FORWARDED_FOR=address)
        request.user = None
        key = throttle.get_cache_key(request, None)
        assert key is not None
        assert re.fullmatch(r"throttle_anon_[\w.:,\[\]-]{1,64}", key)
        keys.add(key)
    assert len(keys) == 8


# Several databases


@pytest.fixture
def two_files(django_db_setup: None, django_db_blocker: Any) -> Iterator[list[str]]:
    """Two real SQLite databases, both under ATOMIC_REQUESTS."""
    aliases = ["first_file", "second_file"]
    with (
        sqlite_database(aliases[0], django_db_blocker),
        sqlite_database(aliases[1], django_db_blocker),
        django_db_blocker.unblock(),
    ):
        for alias in aliases:
            connections[alias].settings_dict["ATOMIC_REQUESTS"] = True
        yield aliases


@pytest.mark.parametrize(
    ("query", "status", "rows"), [("", 200, 1), ("?fail=api", 400, 0), ("?fail=crash", 500, 0)]
)
def test_an_error_undoes_the_changes_of_every_database(
    two_files: list[str], query: str, status: int, rows: int
) -> None:
    client = Client(raise_request_exception=False)
    assert client.post(f"/two/{query}").status_code == status
    assert [Tag.objects.using(alias).count() for alias in two_files] == [rows, rows]


# Hosts


@pytest.mark.parametrize("host", ["evil.example", "testserver.evil.example", "a@testserver", "x y"])
@override_settings(ALLOWED_HOSTS=["testserver"])
def test_foreign_hosts_are_bad_requests(host: str) -> None:
    for url in ("/host/", "/host-version/", "/snippets/"):
        response = Client(raise_request_exception=False).get(url, headers={"host": host})
        assert response.status_code == 400
        assert host not in response.content.decode()


# Expressions that take forever


@pytest.mark.parametrize(
    "accept",
    ["application/json" + ";" * 100_000, "a/b;" + 'c="\\' * 50_000, "*/*," * 50_000, " " * 100_000],
)
def test_long_accept_headers_take_no_time(accept: str) -> None:
    assert Client().get("/host/", headers={"accept": accept}).status_code in (200, 406)


def test_long_text_on_a_page_takes_no_time() -> None:
    text = "http://" * 20_000 + "(" * 20_000 + "&" * 20_000 + '"' * 20_000
    Snippet.objects.update(code=text)
    assert Page(page("/snippets/")).is_safe


def test_long_addresses_take_no_time() -> None:
    for word in ("." * 20_000, "a." * 10_000, "/" * 20_000, "json." * 5_000):
        assert Client().get(f"/echo/{word}").status_code in (200, 404)


def test_indexes_in_the_names_of_a_form_take_no_time() -> None:
    names = ["tags" + "[0]" * 5000, "[" * 20_000, "tags[" + "9" * 20_000 + "]", "a." * 10_000]
    body = "&".join(f"{quote(name)}=1" for name in names)
    response = Client().post("/forms/", body, "application/x-www-form-urlencoded")
    assert response.status_code == 400


# Uploads


class Upload(APIView):
    parser_classes = [parsers.FileUploadParser]
    permission_classes: list[Any] = []
    renderer_classes = [renderers.JSONRenderer]

    def put(self, request: Any, filename: str = "") -> Response:
        return Response({"name": request.data["file"].name})


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "/etc/passwd", "..\\..\\x", "a/../../b", "C:\\x", "x\0y"]
)
def test_the_name_of_an_upload_is_no_path(name: str, tmp_path: Path) -> None:
    header = f'attachment; filename="{name}"'
    request = RequestFactory().put("/", b"x", "text/plain", HTTP_CONTENT_DISPOSITION=header)
    response = Upload.as_view()(request)
    assert response.status_code in (200, 400)
    if response.status_code == 200:
        assert not {"/", "\0"} & set(response.data["name"])
        assert response.data["name"] not in ("", ".", "..")
