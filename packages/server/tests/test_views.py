import asyncio
import gc
import json
import pickle
import threading
import weakref
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from contract_project.models import Snippet, Tag
from django.contrib.auth.models import AnonymousUser, User
from django.core.exceptions import PermissionDenied
from django.db import connection, connections, transaction
from django.http import Http404, HttpResponse
from django.test import AsyncClient, AsyncRequestFactory, Client, RequestFactory, override_settings
from django.urls import path

from lintel import exceptions, views
from lintel.authentication import BaseAuthentication
from lintel.negotiation import DefaultContentNegotiation
from lintel.parsers import JSONParser
from lintel.permissions import BasePermission
from lintel.renderers import JSONRenderer
from lintel.request import Request
from lintel.response import Response
from lintel.throttling import BaseThrottle
from lintel.versioning import QueryParameterVersioning

factory = RequestFactory()

#: What the policies below note, in the order in which they are asked.
calls: list[tuple[str, int]] = []


def note(name: str) -> None:
    calls.append((name, threading.get_ident()))


@pytest.fixture(autouse=True)
def _no_calls() -> None:
    calls.clear()


def names() -> list[str]:
    return [name for name, _thread in calls]


class NotingAuthentication(BaseAuthentication):
    def authenticate(self, request: Any) -> Any:
        note("authentication")
        return User(username="alice"), "token"


class NotingPermission(BasePermission):
    def has_permission(self, request: Any, view: Any) -> bool:
        note("permission")
        return "deny" not in request.query_params


class NotingThrottle(BaseThrottle):
    def allow_request(self, request: Any, view: Any) -> bool:
        note("throttle")
        return "slow" not in request.query_params


class NotingVersioning(QueryParameterVersioning):
    def determine_version(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        note("versioning")
        return super().determine_version(request, *args, **kwargs)


class NotingNegotiation(DefaultContentNegotiation):
    def select_renderer(self, request: Any, renderers: Any, format_suffix: Any = None) -> Any:
        note("negotiation")
        return super().select_renderer(request, renderers, format_suffix)


class NotingView(views.APIView):
    authentication_classes = [NotingAuthentication]
    permission_classes = [NotingPermission]
    throttle_classes = [NotingThrottle]
    versioning_class = NotingVersioning
    content_negotiation_class = NotingNegotiation
    renderer_classes = [JSONRenderer]

    def get(self, request: Request) -> Response:
        note("handler")
        return Response({"user": request.user.username, "version": request.version})


class AsyncAuthentication(BaseAuthentication):
    async def authenticate(self, request: Any) -> Any:
        await asyncio.sleep(0)
        note("authentication")
        return User(username="alice"), "token"


class AsyncPermission(BasePermission):
    async def has_permission(self, request: Any, view: Any) -> bool:
        note("permission")
        return "deny" not in request.query_params


class AsyncThrottle(BaseThrottle):
    async def allow_request(self, request: Any, view: Any) -> bool:
        note("throttle")
        return "slow" not in request.query_params


class AsyncView(NotingView):
    authentication_classes = [AsyncAuthentication]
    permission_classes = [AsyncPermission]
    throttle_classes = [AsyncThrottle]

    async def get(self, request: Request) -> Response:
        note("handler")
        if "fail" in request.query_params:
            raise exceptions.ParseError("broken")
        return Response({"user": request.user.username})

    def post(self, request: Request) -> Response:
        note("handler")
        return Response(request.data)


class AsyncHandler(NotingView):
    """Sync policies before an async handler."""

    async def get(self, request: Request) -> Response:
        note("handler")
        return Response({"user": request.user.username})


class SyncHandler(AsyncView):
    """Async policies before a sync handler."""

    def get(self, request: Request) -> Response:
        note("handler")
        return Response({"user": request.user.username})


class OverridingView(AsyncView):
    def check_permissions(self, request: Request) -> None:
        note("own check")
        super().check_permissions(request)


class LazyData(views.APIView):
    renderer_classes = [JSONRenderer]
    authentication_classes: list[Any] = []

    async def get(self, request: Request) -> Response:
        return Response(Tag.objects.order_by("id").values_list("name", flat=True))


class FailingView(views.APIView):
    renderer_classes = [JSONRenderer]
    authentication_classes: list[Any] = []
    failure: Any = None

    def get(self, request: Request) -> Response:
        Tag.objects.create(name="written")
        raise self.failure


class SettingsView(views.APIView):
    def get(self, request: Request) -> Response:
        return Response({})


urlpatterns = [
    path("noting/", NotingView.as_view()),
    path("async/", AsyncView.as_view()),
    path("async-handler/", AsyncHandler.as_view()),
    path("sync-handler/", SyncHandler.as_view()),
    path("overriding/", OverridingView.as_view()),
    path("lazy/", LazyData.as_view()),
    path("parse-error/", FailingView.as_view(failure=exceptions.ParseError())),
    path("settings/", SettingsView.as_view()),
]

# Not by a fixed name: another copy of this module would not share `calls` with the tests.
pytestmark = pytest.mark.urls(__name__)


def get(url: str, **headers: Any) -> Any:
    return Client(raise_request_exception=False).get(url, headers=headers)


def aget(url: str) -> Any:
    async def main() -> Any:
        return await AsyncClient().get(url)

    return async_to_sync(main)()


def answer(view_class: Any, method: str = "get", **attributes: Any) -> Any:
    view = type("View", (view_class,), attributes).as_view()
    response = view(getattr(factory, method)("/"))
    return response.render() if hasattr(response, "render") else response


# The order of checks


def test_checks_run_in_the_fixed_order() -> None:
    response = get("/noting/?version=2")
    assert response.json() == {"user": "alice", "version": "2"}
    order = ["negotiation", "versioning", "authentication", "permission", "throttle", "handler"]
    assert names() == order


def test_a_refusal_ends_the_chain() -> None:
    assert get("/noting/?deny=1").status_code == 403
    assert names()[-1] == "permission"
    calls.clear()
    assert get("/noting/?slow=1").status_code == 429
    assert names()[-1] == "throttle"


POLICIES = {
    "permission_classes": BasePermission,
    "authentication_classes": BaseAuthentication,
    "throttle_classes": BaseThrottle,
    "renderer_classes": JSONRenderer,
    "parser_classes": JSONParser,
}


@pytest.mark.parametrize("attribute", POLICIES)
def test_policies_that_cannot_be_made_are_not_left_out(attribute: str) -> None:
    class Failing(POLICIES[attribute]):
        def __init__(self) -> None:
            next(iter(()))  # raises StopIteration, which would end an iterator too early

    class Reading(views.APIView):
        def post(self, request: Any) -> Response:
            return Response(request.data)

    setattr(Reading, attribute, [Failing])
    request = RequestFactory().post("/", b"{}", content_type="application/json")
    # A generator, such as a chain of steps, turns it into a RuntimeError.
    with pytest.raises((StopIteration, RuntimeError), match=r"StopIteration|^$"):
        Reading.as_view()(request)


class Proxy:
    """Forwards attributes and calls, as the wrappers of tracing libraries do."""

    def __init__(self, wrapped: Any, calls: list[str]) -> None:
        self.wrapped = wrapped
        self.calls = calls

    def __getattr__(self, name: str) -> Any:
        return getattr(self.wrapped, name)

    def __get__(self, instance: Any, owner: Any) -> Any:
        return Proxy(self.wrapped.__get__(instance, owner), self.calls)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self.calls.append(self.wrapped.__name__)
        return self.wrapped(*args, **kwargs)


@pytest.mark.parametrize(
    ("owner", "name"),
    [
        (views.APIView, "get_parsers"),
        (views.APIView, "get_parser_context"),
        (DefaultContentNegotiation, "get_accept_list"),
    ],
)
def test_hooks_in_a_proxy_are_called(
    owner: Any, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Reading(views.APIView):
        def get(self, request: Any) -> Response:
            return Response(request.data)

    calls: list[str] = []
    monkeypatch.setattr(owner, name, Proxy(getattr(owner, name), calls))
    Reading.as_view()(RequestFactory().get("/"))
    assert calls[:1] == [name]


def test_checks_come_before_an_unknown_method() -> None:
    response = Client().delete("/noting/?deny=1")
    assert response.status_code == 403
    assert Client().delete("/noting/").status_code == 405


# The same under ASGI


@pytest.fixture
def loop_thread() -> Any:
    """Runs an ASGI request on a loop of its own and tells which calls left that thread."""

    def run(url: str, method: str = "get", **kwargs: Any) -> tuple[Any, list[str]]:
        async def main() -> tuple[Any, int]:
            return await getattr(AsyncClient(), method)(url, **kwargs), threading.get_ident()

        response, loop = asyncio.run(main())
        return response, [name for name, thread in calls if thread != loop]

    return run


def test_an_async_chain_never_leaves_the_loop(loop_thread: Any) -> None:
    response, elsewhere = loop_thread("/async/")
    assert response.json() == {"user": "alice"}
    assert names()[2:] == ["authentication", "permission", "throttle", "handler"]
    assert elsewhere == []


def test_sync_checks_before_an_async_handler_share_a_thread(loop_thread: Any) -> None:
    response, elsewhere = loop_thread("/async-handler/")
    assert response.status_code == 200
    assert elsewhere == ["authentication", "permission", "throttle"]


def test_a_sync_handler_of_an_async_view_runs_in_a_thread(loop_thread: Any) -> None:
    body = {"data": {"a": 1}, "content_type": "application/json"}
    response, elsewhere = loop_thread("/async/", "post", **body)
    assert response.json() == {"a": 1}
    assert elsewhere == ["handler"]


def test_a_sync_override_is_called_in_an_async_view(loop_thread: Any) -> None:
    response, elsewhere = loop_thread("/overriding/")
    assert response.status_code == 200
    assert "own check" in elsewhere
    assert names().count("permission") == 1


@pytest.mark.parametrize("url", ["/async/", "/async-handler/", "/sync-handler/", "/overriding/"])
@pytest.mark.parametrize(("query", "status"), [("", 200), ("?deny=1", 403), ("?slow=1", 429)])
def test_wsgi_and_asgi_answer_alike(url: str, query: str, status: int, loop_thread: Any) -> None:
    under_wsgi = get(url + query)
    under_asgi, _ = loop_thread(url + query)
    assert under_wsgi.status_code == under_asgi.status_code == status
    assert under_wsgi.content == under_asgi.content
    assert dict(under_wsgi.headers) == dict(under_asgi.headers)


def test_errors_of_an_async_handler_become_responses(loop_thread: Any) -> None:
    response, _ = loop_thread("/async/?fail=1")
    assert (response.status_code, response.json()) == (400, {"detail": "broken"})


@pytest.mark.django_db(transaction=True)
def test_lazy_data_of_an_async_view_is_rendered_in_a_thread() -> None:
    Tag.objects.create(name="red")
    assert aget("/lazy/").json() == ["red"]


def test_async_policies_of_the_settings_work_in_sync_views(loop_thread: Any) -> None:
    policies = {"DEFAULT_AUTHENTICATION_CLASSES": [AsyncAuthentication]}
    policies["DEFAULT_PERMISSION_CLASSES"] = [AsyncPermission]
    policies["DEFAULT_THROTTLE_CLASSES"] = [AsyncThrottle]
    with override_settings(REST_FRAMEWORK=policies):
        assert get("/settings/?deny=1").status_code == 403
        assert get("/settings/?slow=1", accept="application/json").status_code == 429
        assert loop_thread("/settings/?deny=1")[0].status_code == 403
        assert loop_thread("/settings/?format=json")[0].status_code == 200


# Errors


@pytest.mark.parametrize(
    ("error", "status", "detail"),
    [
        (exceptions.ParseError("x"), 400, "x"),
        (Http404(), 404, "Not found."),
        (Http404("no such row"), 404, "no such row"),
        (PermissionDenied("why"), 403, "why"),
    ],
)
def test_exceptions_become_responses(error: Exception, status: int, detail: str) -> None:
    response = answer(RaisingView, failure=error)
    assert response.status_code == status
    assert json.loads(response.content) == {"detail": detail}


class RaisingView(views.APIView):
    renderer_classes = [JSONRenderer]
    authentication_classes: list[Any] = []
    failure: Any = None

    def get(self, request: Request) -> Response:
        raise self.failure


def test_other_exceptions_are_raised_again() -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        answer(RaisingView, failure=ZeroDivisionError())
    assert not hasattr(caught.value, "__notes__")


def test_errors_of_djangorestframework_itself_say_what_to_do() -> None:
    error = type("ValidationError", (Exception,), {"__module__": "rest_framework.exceptions"})
    with pytest.raises(error) as caught:
        answer(RaisingView, failure=error())
    assert "lintel.dropin.enable()" in caught.value.__notes__[0]


def test_a_handler_that_returns_no_response_is_told() -> None:
    def give(self: Any, request: Any) -> Any:
        return {"not": "a response"}

    with pytest.raises(AssertionError, match="to be returned from the view"):
        answer(views.APIView, get=give)


def test_a_handler_that_forgets_to_await_is_told() -> None:
    async def helper() -> Response:
        return Response()

    class Forgetful(RaisingView):
        async def get(self, request: Request) -> Any:
            return helper()

    with pytest.raises(AssertionError, match="nobody awaited"):
        asyncio.run(Forgetful.as_view()(AsyncRequestFactory().get("/")))


class WithHeader(BaseAuthentication):
    def authenticate(self, request: Any) -> Any:
        return None

    def authenticate_header(self, request: Any) -> str:
        return "Odd"


class Deny(BasePermission):
    message = "Closed."
    code = "closed"

    def has_permission(self, request: Any, view: Any) -> bool:
        return False


class WithoutHeader(BaseAuthentication):
    def authenticate(self, request: Any) -> Any:
        return None


@pytest.mark.parametrize(
    ("schemes", "status"),
    [
        ([WithHeader], 401),
        ([WithoutHeader, WithHeader], 403),
        ([NotingAuthentication], 403),
        ([], 403),
    ],
)
def test_the_first_scheme_decides_between_401_and_403(schemes: list[Any], status: int) -> None:
    response = answer(SettingsView, authentication_classes=schemes, permission_classes=[Deny])
    assert response.status_code == status
    assert response.headers.get("WWW-Authenticate") == ("Odd" if status == 401 else None)


def test_the_message_of_a_permission_is_for_users_who_are_known() -> None:
    known = answer(
        SettingsView, authentication_classes=[NotingAuthentication], permission_classes=[Deny]
    )
    assert known.data == {"detail": "Closed."}
    assert known.data["detail"].code == "closed"
    unknown = answer(SettingsView, authentication_classes=[WithHeader], permission_classes=[Deny])
    assert unknown.data["detail"].code == "not_authenticated"


# Settings


def test_settings_act_on_views_that_exist() -> None:
    assert get("/settings/").headers["Vary"].startswith("Accept")
    with override_settings(
        REST_FRAMEWORK={
            "DEFAULT_PERMISSION_CLASSES": ["lintel.permissions.IsAuthenticated"],
            "DEFAULT_RENDERER_CLASSES": ["lintel.renderers.JSONRenderer"],
        }
    ):
        response = get("/settings/")
        assert response.status_code == 403
        assert "Accept" not in response.headers.get("Vary", "")
        assert get("/noting/").status_code == 200
    assert get("/settings/", accept="application/json").status_code == 200


def test_a_class_attribute_and_as_view_win_over_settings() -> None:
    view = SettingsView.as_view(permission_classes=[Deny], authentication_classes=[])
    assert view(factory.get("/")).status_code == 403
    assert view.cls is SettingsView
    assert view.initkwargs["permission_classes"] == [Deny]
    assert view.csrf_exempt is True


# Rollback


@pytest.mark.django_db(transaction=True)
def test_an_error_undoes_what_the_handler_wrote() -> None:
    with atomic_requests("default"):
        assert get("/parse-error/").status_code == 400
    assert not Tag.objects.exists()


class atomic_requests:
    def __init__(self, alias: str) -> None:
        self.settings = connections[alias].settings_dict

    def __enter__(self) -> None:
        self.settings["ATOMIC_REQUESTS"] = True

    def __exit__(self, *args: Any) -> None:
        self.settings["ATOMIC_REQUESTS"] = False


@pytest.mark.django_db(transaction=True)
def test_without_atomic_requests_nothing_is_undone() -> None:
    with transaction.atomic():
        assert get("/parse-error/").status_code == 400
        assert not connection.needs_rollback
    assert Tag.objects.count() == 1


def test_every_database_under_atomic_requests_is_marked(monkeypatch: Any) -> None:
    class Connection:
        def __init__(self, atomic: bool, in_block: bool) -> None:
            self.settings_dict = {"ATOMIC_REQUESTS": atomic}
            self.in_atomic_block = in_block
            self.marked = False

        def set_rollback(self, value: bool) -> None:
            self.marked = value

    made = [
        Connection(True, True),
        Connection(True, False),
        Connection(False, True),
        Connection(True, True),
    ]
    monkeypatch.setattr(views.connections, "all", lambda initialized_only=False: made)
    views.set_rollback()
    assert [each.marked for each in made] == [True, False, False, True]


# Names and descriptions


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("ThingView", "Thing"),
        ("ThingViewSet", "Thing"),
        ("ThingViewSetView", "Thing"),
        ("View", "View"),
        ("HTTPPageView", "Http Page"),
        ("function_view", "Function View"),
    ],
)
def test_view_names(name: str, title: str) -> None:
    view = type(name, (views.APIView,), {})()
    assert view.get_view_name() == title
    view.suffix = "List"
    assert view.get_view_name() == f"{title} List"
    view.name = "Own"
    assert view.get_view_name() == "Own"


def test_view_descriptions() -> None:
    view = type("V", (views.APIView,), {"__doc__": "\n    First *line*.\n\n        code\n    "})()
    assert view.get_view_description() == "First *line*.\n\n    code"
    assert "<em>line</em>" in view.get_view_description(html=True)
    view.description = ""
    assert view.get_view_description() == ""


# The queryset of a class


@pytest.mark.django_db
def test_the_queryset_of_a_class_is_never_evaluated() -> None:
    class Listing(views.APIView):
        queryset = Snippet.objects.all()

    Listing.as_view()
    with pytest.raises(RuntimeError, match="Do not evaluate"):
        list(Listing.queryset)
    assert list(Listing.queryset.all()) == []


def test_headers_of_plain_django_responses() -> None:
    def give(self: Any, request: Any) -> Any:
        return HttpResponse("x", headers={"Vary": "X-Own"})

    response = answer(views.APIView, get=give, authentication_classes=[])
    assert response.headers["Allow"] == "GET, HEAD, OPTIONS"
    assert response.headers["Vary"] == "X-Own, Accept"


def test_a_response_of_an_async_view_can_be_pickled() -> None:
    async def main() -> Any:
        response = await AsyncView.as_view()(AsyncRequestFactory().get("/"))
        return response.render()

    response = asyncio.run(main())
    assert pickle.loads(pickle.dumps(response)).content == response.content


def test_no_user_without_schemes() -> None:
    def give(self: Any, request: Any) -> Any:
        return Response(isinstance(request.user, AnonymousUser) and request.auth is None)

    assert answer(views.APIView, get=give, authentication_classes=[]).data is True


def test_head_is_answered_by_get_and_belongs_to_no_class() -> None:
    class Hello(views.APIView):
        authentication_classes: list[Any] = []

        def get(self, request: Any) -> Response:
            return Response("hello")

    class Silent(views.APIView):
        pass

    assert not any("head" in dir(cls) for cls in (views.APIView, Hello, Silent))
    assert Hello.as_view()(RequestFactory().head("/")).status_code == 200
    assert "HEAD" not in Silent.as_view()(RequestFactory().head("/")).headers["Allow"]


def test_a_view_keeps_a_response_that_it_is_given() -> None:
    view = views.APIView()
    assert view.response is None
    view.response = Response(status=418)
    assert view.response.status_code == 418


@pytest.mark.django_db
def test_views_and_responses_are_freed_when_the_response_is_closed() -> None:
    seen: list[Any] = []

    class Hello(views.APIView):
        authentication_classes: list[Any] = []

        def get(self, request: Any) -> Response:
            seen.append(weakref.ref(self))
            return Response("hello")

    gc.disable()
    try:
        Hello.as_view()(RequestFactory().get("/")).close()
        assert seen[0]() is None
    finally:
        gc.enable()


@pytest.mark.parametrize("made", [HttpResponse("kept"), Response("kept")], ids=["django", "own"])
def test_answers_can_be_pickled_by_caches(made: Any) -> None:
    class Kept(views.APIView):
        authentication_classes: list[Any] = []
        renderer_classes = [JSONRenderer]

        def get(self, request: Any) -> Any:
            return made

    response = Kept.as_view()(RequestFactory().get("/"))
    if isinstance(response, Response):
        response.render()
    copied = pickle.loads(pickle.dumps(response))
    assert copied.content == response.content
    for closer in (*copied._resource_closers, *response._resource_closers):
        closer()
