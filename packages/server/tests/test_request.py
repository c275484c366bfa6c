"""The request: data read once, limits, lazy users, clones."""

import gc
import io
import weakref
from typing import Any

import pytest
from django.core.exceptions import RequestDataTooBig
from django.core.handlers.asgi import ASGIRequest
from django.http import QueryDict, StreamingHttpResponse
from django.http.request import RawPostDataException
from django.test import RequestFactory, override_settings

from lintel import exceptions, parsers
from lintel.parsers import JSONParser
from lintel.renderers import JSONRenderer
from lintel.request import (
    ForcedAuthentication,
    Request,
    WrappedAttributeError,
    clone_request,
    is_form_media_type,
    override_method,
)
from lintel.response import Response
from lintel.views import APIView

FORM = "application/x-www-form-urlencoded"
PARSERS = [parsers.JSONParser(), parsers.FormParser(), parsers.MultiPartParser()]


def sent(body=b'{"a": 1}', content_type="application/json", method="POST", own=None, **extra):
    django_request = RequestFactory().generic(method, "/", body, content_type=content_type, **extra)
    return Request(django_request, parsers=PARSERS if own is None else own)


def chunked(body, content_type="application/json", own=None):
    headers = [
        (b"transfer-encoding", b"chunked"),
        (b"content-type", content_type.encode()),
        (b"host", b"testserver"),
    ]
    scope = {"type": "http", "method": "POST", "path": "/", "headers": headers, "query_string": b""}
    return Request(ASGIRequest(scope, io.BytesIO(body)), parsers=PARSERS if own is None else own)


class TextParser(parsers.BaseParser):
    media_type = "text/plain"

    def parse(self, stream, media_type=None, parser_context=None):
        return b"".join(iter(lambda: stream.read(4), b"")).decode()


class User:
    def authenticate(self, request):
        return "user", "token"


class Nobody:
    def authenticate(self, request):
        return None


class Refusing:
    def authenticate(self, request):
        raise exceptions.AuthenticationFailed


class Broken:
    def authenticate(self, request):
        return request.no_such_attribute


def test_it_wraps_requests_of_django_only():
    request = sent()
    with pytest.raises(AssertionError, match=r"django\.http\.HttpRequest"):
        Request(request)


def test_attributes_of_the_request_underneath_are_reachable():
    request = sent(HTTP_X_OWN="yes")
    assert (request.method, request.path, request.META["HTTP_X_OWN"]) == ("POST", "/", "yes")
    with pytest.raises(AttributeError, match="'Request' object has no attribute 'nope'"):
        _ = request.nope
    assert repr(request) == "<lintel.request.Request: POST '/'>"
    assert Request[int] is Request


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE"])
def test_data_is_parsed_for_every_method(method):
    assert sent(method=method).data == {"a": 1}
    form = sent(b"a=1&a=2", FORM, method)
    assert form.data.getlist("a") == ["1", "2"]
    assert form.POST is form.data
    assert form._request.POST.getlist("a") == ["1", "2"]


def test_the_body_stays_readable_after_the_data_and_before():
    request = sent()
    assert request.data == {"a": 1}
    assert request.body == b'{"a": 1}'
    request = sent(b"a=1", FORM)
    assert request.body == b"a=1"
    assert request.data.dict() == {"a": "1"}


def test_a_form_that_django_has_read_is_not_read_again():
    request = sent(b"a=1", FORM)
    assert request._request.POST["a"] == "1"
    assert request.data is request._request.POST


def test_files_are_part_of_the_data_and_not_of_post():
    body = (
        b'--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n'
        b'--b\r\nContent-Disposition: form-data; name="f"; filename="n"\r\n\r\nx\r\n--b--\r\n'
    )
    for touch in (lambda request: None, lambda request: request._request.POST):
        request = sent(body, "multipart/form-data; boundary=b")
        touch(request)
        assert sorted(request.data) == ["a", "f"]
        assert sorted(request.POST) == ["a"]
        assert request.FILES["f"].read() == b"x"


def test_no_body_is_no_data_whatever_the_content_type():
    assert sent(b"", "text/unknown").data == {}
    assert sent(b"", "").stream is None
    assert sent(b"", CONTENT_TYPE=FORM).data.dict() == {}
    assert sent(b"", CONTENT_LENGTH="nonsense").data == {}


def test_a_malformed_body_is_an_error_once_and_then_empty():
    request = sent(b"{")
    with pytest.raises(exceptions.ParseError):
        _ = request.data
    assert request.data.dict() == {}
    assert request.POST.dict() == {}
    assert len(request.FILES) == 0


def test_an_unknown_content_type_is_refused_each_time():
    request = sent(b"x", "text/plain")
    for _ in range(2):
        with pytest.raises(exceptions.UnsupportedMediaType, match="text/plain"):
            _ = request.data


def test_a_body_that_somebody_has_read_says_what_to_do():
    request = sent()
    request._request.read()
    with pytest.raises(RawPostDataException, match=r"Read request\.data"):
        _ = request.data


def test_an_attribute_error_of_a_parser_is_not_taken_for_a_missing_attribute():
    class BrokenParser(TextParser):
        def parse(self, stream, media_type=None, parser_context=None):
            return self.no_such_attribute

    with pytest.raises(WrappedAttributeError, match="no_such_attribute"):
        _ = sent(b"x", "text/plain", own=[BrokenParser()]).data


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        ("application/json", b'"0123456789"'),
        (FORM, b"a=0123456789"),
        ("text/plain", b"0123456789abc"),
        (
            "multipart/form-data; boundary=b",
            b'--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n0123456789abc\r\n--b--\r\n',
        ),
    ],
)
@pytest.mark.parametrize("send", [sent, chunked])
def test_every_parser_keeps_to_the_limit_of_memory(content_type, body, send):
    own = [*PARSERS, TextParser()]
    with override_settings(DATA_UPLOAD_MAX_MEMORY_SIZE=10), pytest.raises(RequestDataTooBig):
        _ = send(body, content_type, own=own).data
    assert send(body, content_type, own=own).data


def test_reading_stops_at_the_limit():
    body = io.BytesIO(b"x" * 10_000)
    request = chunked(b"", "text/plain", own=[TextParser()])
    request._request._stream = body
    with override_settings(DATA_UPLOAD_MAX_MEMORY_SIZE=10), pytest.raises(RequestDataTooBig):
        _ = request.data
    assert body.tell() < 20


def test_a_chunked_body_is_read_and_stays_readable():
    request = chunked(b'{"a": 1}')
    assert request.data == {"a": 1}
    assert request.body == b'{"a": 1}'


@pytest.mark.parametrize("content_type", ["application/json", "text/plain", ""])
def test_a_chunked_body_without_a_byte_is_no_body(content_type):
    assert chunked(b"", content_type).data == {}


def test_a_chunked_body_that_was_read_before_is_parsed():
    for body, data in [(b'{"a": 1}', {"a": 1}), (b"", {})]:
        request = chunked(body)
        assert request._request.body == body
        assert request.data == data


def test_files_of_a_chunked_form_are_read():
    body = b'--b\r\nContent-Disposition: form-data; name="f"; filename="n"\r\n\r\nx\r\n--b--\r\n'
    request = chunked(body, "multipart/form-data; boundary=b")
    with request.FILES["f"] as uploaded:
        assert uploaded.read() == b"x"


def test_a_parser_may_ask_the_stream_what_the_request_knows():
    class Asking(TextParser):
        def parse(self, stream, media_type=None, parser_context=None):
            return stream.META["CONTENT_TYPE"], stream.readline(), stream.read()

    request = sent(b"one\ntwo", "text/plain", own=[Asking()])
    assert request.data == ("text/plain", b"one\n", b"two")


def test_the_first_authenticator_that_knows_the_user_wins():
    request = Request(RequestFactory().get("/"), authenticators=[Nobody(), User(), Refusing()])
    assert (request.user, request.auth) == ("user", "token")
    assert type(request.successful_authenticator) is User
    assert (request._request.user, request._request.auth) == ("user", "token")


def test_nobody_is_the_user_of_the_settings():
    request = Request(RequestFactory().get("/"), authenticators=[Nobody()])
    assert request.user.is_anonymous
    assert request.auth is None
    with override_settings(
        REST_FRAMEWORK={"UNAUTHENTICATED_USER": None, "UNAUTHENTICATED_TOKEN": "builtins.dict"}
    ):
        request = Request(RequestFactory().get("/"))
        assert request.user is None
        assert request.auth == {}


def test_a_refusal_is_raised_once_and_leaves_nobody():
    request = Request(RequestFactory().get("/"), authenticators=[Refusing(), User()])
    with pytest.raises(exceptions.AuthenticationFailed):
        _ = request.user
    assert request.user.is_anonymous


def test_an_attribute_error_of_an_authenticator_is_not_hidden():
    request = Request(RequestFactory().get("/"), authenticators=[Broken()])
    for name in ("user", "auth", "successful_authenticator"):
        with pytest.raises(WrappedAttributeError, match="no_such_attribute"):
            getattr(request, name)


def test_user_and_auth_can_be_set():
    request = Request(RequestFactory().get("/"))
    request.user, request.auth = "me", "mine"
    assert (request.user, request.auth) == ("me", "mine")
    assert (request._request.user, request._request.auth) == ("me", "mine")


def test_forced_authentication_replaces_the_authenticators():
    django_request = RequestFactory().get("/")
    django_request._force_auth_user = "forced"
    request = Request(django_request, authenticators=[Refusing()])
    assert request.user == "forced"
    assert type(request.successful_authenticator) is ForcedAuthentication


def test_a_clone_has_another_method_and_everything_else():
    request = sent()
    request.version, request.user, request.auth = "v1", "me", None
    assert request.data == {"a": 1}
    clone = clone_request(request, "PUT")
    assert (clone.method, request.method) == ("PUT", "POST")
    assert (clone.data, clone.version, clone.user) == ({"a": 1}, "v1", "me")


def test_override_method_is_undone_by_an_error_too():
    class View:
        action = "list"
        action_map = {"get": "list", "post": "create"}

    view, request = View(), sent()
    view.request = request
    with override_method(view, request, "POST") as overridden:
        assert view.request is overridden
        assert (view.action, overridden.method) == ("create", "POST")
    with pytest.raises(ZeroDivisionError), override_method(view, request, "DELETE"):
        raise ZeroDivisionError(view.action)
    assert view.request is request
    assert view.action == "list"


@pytest.mark.parametrize(
    ("media_type", "is_form"),
    [
        (FORM, True),
        ("MULTIPART/form-data; boundary=x", True),
        ("application/json", False),
        ("multipart/*", False),
        ("", False),
        (None, False),
        ("multipart/form-data; " + "x" * 300, False),
    ],
)
def test_form_media_types(media_type, is_form):
    assert is_form_media_type(media_type) is is_form


def test_another_parser_of_headers_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lintel.request.parse_header_parameters", lambda text: ("text/own", {}))
    assert not is_form_media_type("multipart/form-data; boundary=x")


class Echoed(APIView):
    authentication_classes: list[Any] = []
    renderer_classes = [JSONRenderer]
    parser_classes = [JSONParser]

    def post(self, request: Request) -> Response:
        return Response(request.data)


@pytest.mark.parametrize("pieces", [[b'{"a": ', b"1}"], [b'{"a": 1}'], [b""]])
def test_a_body_may_come_without_a_length_under_asgi(pieces: list[bytes]) -> None:
    """HTTP/2 ends bodies by frames: neither Content-Length nor Transfer-Encoding is sent."""
    body = io.BytesIO(b"".join(pieces))
    headers = [(b"content-type", b"application/json")]
    scope = {"type": "http", "method": "POST", "path": "/", "headers": headers, "query_string": b""}
    http_request = ASGIRequest(scope, body)
    assert "CONTENT_LENGTH" not in http_request.META
    assert Echoed.as_view()(http_request).data == ({"a": 1} if pieces != [b""] else {})


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_request_without_a_body_may_have_been_read_as_a_stream(method: str) -> None:
    """A middleware that reads the stream takes nothing away where there is nothing."""
    headers = [(b"content-type", b"application/json")]
    scope = {"type": "http", "method": method, "path": "/", "headers": headers, "query_string": b""}
    http_request = ASGIRequest(scope, io.BytesIO(b""))
    assert http_request.read() == b""
    assert Request(http_request, parsers=PARSERS).data == {}


def test_a_body_of_unknown_length_that_was_read_as_a_stream_is_no_empty_body() -> None:
    headers = [(b"content-type", b"application/json")]
    scope = {"type": "http", "method": "POST", "path": "/", "headers": headers, "query_string": b""}
    http_request = ASGIRequest(scope, io.BytesIO(b'{"a": 1}'))
    http_request.read(1)
    with pytest.raises(RawPostDataException):
        Request(http_request, parsers=PARSERS).data  # noqa: B018


def test_a_form_that_django_has_read_is_no_data_for_a_view_without_forms() -> None:
    http_request = RequestFactory().post("/", {"a": "b"})
    assert http_request.POST == {"a": ["b"]}
    response = Echoed.as_view()(http_request)
    assert (response.status_code, response.data) == (200, {})


class Told(JSONParser):
    """Looks at its view, and leaves something for the handler."""

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        parser_context["told"] = type(parser_context["view"]).__name__
        return super().parse(stream, media_type, parser_context)


def test_a_generator_may_be_the_last_to_hold_a_request() -> None:
    class Streaming(Echoed):
        parser_classes = [Told]

        def post(self, request: Request) -> Any:
            def pieces() -> Any:
                yield str(request.data)
                yield request.parser_context["told"]
                yield str(request.parser_context["view"].response.status_code)

            return StreamingHttpResponse(pieces(), status=202)

    made = RequestFactory().post("/", b'{"a": 1}', content_type="application/json")
    response = Streaming.as_view()(made)
    gc.collect()
    assert b"".join(response) == b"{'a': 1}Streaming202"


def test_views_requests_and_responses_lead_to_each_other() -> None:
    kept: list[Any] = []

    class Kept(Echoed):
        def post(self, request: Request) -> Response:
            kept.append(request)
            return Response("answer")

    Kept.as_view()(RequestFactory().post("/"))
    gc.collect()
    view = kept[0].parser_context["view"]
    assert (type(view), view.request) == (Kept, kept[0])
    assert view.response.data == "answer"


@pytest.mark.django_db
def test_a_closed_response_frees_what_nobody_keeps() -> None:
    kept: list[Any] = []

    class Kept(Echoed):
        def post(self, request: Request) -> Response:
            kept.append(request)
            return Response("answer")

    response = Kept.as_view()(RequestFactory().post("/"))
    response.close()
    view = response.renderer_context["view"]
    assert view.response is response
    assert kept[0].parser_context["view"] == view
    assert kept[0].parser_context["request"] is kept[0]
    view = weakref.ref(view)
    del response
    assert view() is None


@pytest.mark.parametrize("name", ["_identify", "_input_of", "_nothing", "_loaded", "_form"])
def test_helpers_of_projects_do_not_meet_ours(name: str) -> None:
    def broken(*args: Any, **kwargs: Any) -> Any:
        raise AssertionError("This is a method of the project.")

    own = type("Own", (Request,), {name: broken})

    class View(Echoed):
        def initialize_request(self, request: Any, *args: Any, **kwargs: Any) -> Any:
            return own(request, self.get_parsers(), [], self.get_content_negotiator())

    made = RequestFactory().post("/", b'{"a": 1}', content_type="application/json")
    assert View.as_view()(made).data == {"a": 1}


def test_the_user_goes_through_setters_that_were_replaced(monkeypatch):
    seen = []

    class Noting(Request):
        @property
        def user(self):
            return Request.user.fget(self)

        @user.setter
        def user(self, value):
            seen.append(value)
            Request.user.fset(self, value)

    request = Noting(RequestFactory().get("/"), authenticators=[User()])
    assert (request.user, request.auth, request._request.user) == ("user", "token", "user")
    assert (Noting(RequestFactory().get("/")).user.is_anonymous, len(seen)) == (True, 2)

    own = Request.auth
    monkeypatch.setattr(Request, "auth", property(own.fget, lambda self, value: seen.append(value)))
    assert Request(RequestFactory().get("/"), authenticators=[User()]).user == "user"
    assert seen[-1] == "token"


@pytest.mark.parametrize("own", [{"a": 1}, [1], "text", None, QueryDict("a=1")])
def test_a_parser_may_return_anything(own):
    class Anything(TextParser):
        def parse(self, stream, media_type=None, parser_context=None):
            return own

    request = sent(b"x", "text/plain", own=[Anything()])
    assert request.data == own
    assert not request.FILES


def test_a_request_may_set_its_attributes_in_its_own_way():
    class Noting(Request):
        def __setattr__(self, name, value):
            self.__dict__.setdefault("noted", []).append(name)
            super().__setattr__(name, value)

    request = Noting(RequestFactory().get("/"), authenticators=[User()])
    assert request.user == "user"
    assert {"user", "auth"} < set(request.noted)


def test_a_request_may_have_its_own_stream():
    class Wrapped(Request):
        @property
        def stream(self):
            return io.BytesIO(b'{"own": 1}')

    assert Wrapped(sent()._request, parsers=PARSERS).data == {"own": 1}
