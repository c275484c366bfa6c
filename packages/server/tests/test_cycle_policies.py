"""The order of a request: every hook that a view overrides, patches or assigns is called."""

import asyncio
import functools
import inspect
import sys
from typing import Any

import pytest
from asgiref.sync import iscoroutinefunction
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import QueryDict
from django.test import AsyncClient, RequestFactory, override_settings
from django.urls import path

from lintel import generics, views, viewsets
from lintel.authentication import BaseAuthentication
from lintel.cycle import policies, steps
from lintel.permissions import AllowAny, BasePermission
from lintel.renderers import JSONRenderer
from lintel.request import Request
from lintel.response import Response
from lintel.throttling import BaseThrottle

factory = RequestFactory()

#: What the policies below note, in the order in which they are asked.
noted: list[str] = []


@pytest.fixture(autouse=True)
def _nothing_noted() -> None:
    noted.clear()


class NotingAuthentication(BaseAuthentication):
    def authenticate(self, request: Any) -> None:
        noted.append("authentication")


class NotingPermission(BasePermission):
    def has_permission(self, request: Any, view: Any) -> bool:
        noted.append("permission")
        return True


class NotingThrottle(BaseThrottle):
    def allow_request(self, request: Any, view: Any) -> bool:
        noted.append("throttle")
        return True


def answer(view: Any, **initkwargs: Any) -> Any:
    return view.as_view(**initkwargs)(factory.get("/"))


class Usual(views.APIView):
    renderer_classes = [JSONRenderer]
    authentication_classes: list[Any] = []

    def get(self, request: Request) -> Response:
        return Response([request.user.pk, request.version, self.format_kwarg])


SHORT_CUTS = [
    ("get_permissions", lambda view: [NotingPermission()]),
    ("check_permissions", lambda view, request: noted.append("permission")),
    ("get_throttles", lambda view: [NotingThrottle()]),
    ("check_throttles", lambda view, request: noted.append("throttle")),
    ("get_authenticators", lambda view: [NotingAuthentication()]),
    ("perform_authentication", lambda view, request: noted.append("authentication")),
    ("determine_version", lambda view, request: (noted.append("version"), None)),
    ("_allowed_methods", lambda view: (noted.append("methods"), ["GET"])[1]),
    ("get_format_suffix", lambda view: noted.append("suffix")),
    ("get_parsers", lambda view: [noted.append("parsers")]),
    ("get_renderers", lambda view: [noted.append("renderers"), JSONRenderer()][1:]),
    (
        "perform_content_negotiation",
        lambda view, request, force=False: (noted.append("negotiation"), (JSONRenderer(), "a/b"))[
            1
        ],
    ),
]


@pytest.mark.parametrize(("name", "function"), SHORT_CUTS, ids=[name for name, _ in SHORT_CUTS])
def test_hooks_may_be_overridden_at_any_time(monkeypatch: Any, name: str, function: Any) -> None:
    assert answer(Usual).status_code == 200  # what it has learned does not count any more
    assert answer(type("Below", (Usual,), {name: function})).status_code == 200
    assert len(noted) == 1
    monkeypatch.setattr(Usual, name, function)
    assert answer(Usual).status_code == 200
    assert len(noted) == 2
    monkeypatch.undo()

    class Late(Usual):
        def dispatch(self, request: Any, *args: Any, **kwargs: Any) -> Any:
            setattr(self, name, functools.partial(function, self))
            return super().dispatch(request, *args, **kwargs)

    assert answer(Late).status_code == 200
    assert len(noted) == 3


def test_policies_may_be_assigned_at_any_time(monkeypatch: Any) -> None:
    assert answer(Usual, permission_classes=[NotingPermission]).status_code == 200
    monkeypatch.setattr(Usual, "throttle_classes", [NotingThrottle])
    assert answer(Usual).status_code == 200
    assert noted == ["permission", "throttle"]


def test_settings_and_patches_count_from_the_next_request(monkeypatch: Any) -> None:
    assert answer(Usual).status_code == 200
    monkeypatch.setattr(AllowAny, "has_permission", lambda *args: False)
    assert answer(Usual).status_code == 403
    monkeypatch.undo()
    with override_settings(
        REST_FRAMEWORK={"DEFAULT_THROTTLE_CLASSES": [NotingThrottle], "UNAUTHENTICATED_USER": None}
    ):
        assert Usual.as_view()(factory.options("/")).status_code == 200
    assert noted == ["throttle"]


def test_tests_put_a_user_in_the_place_of_the_one_that_is_found(monkeypatch: Any) -> None:
    view = type("Asked", (Usual,), {"authentication_classes": [NotingAuthentication]})
    assert answer(view).data[0] is None
    monkeypatch.setattr("lintel.request.Request.user", User(pk=7))
    assert (answer(view).data[0], noted) == (7, ["authentication"])
    monkeypatch.undo()
    assert answer(view).data[0] is None


class PlainRenderer(JSONRenderer):
    media_type = "text/plain"
    format = "txt"


def test_middleware_may_put_a_format_into_the_query() -> None:
    view = Usual.as_view(renderer_classes=[JSONRenderer, PlainRenderer])
    for accepted in ("application/json", "text/plain", "application/json"):
        request = factory.get("/")
        if accepted == "text/plain":
            request.GET = QueryDict("format=txt")
        assert view(request).accepted_media_type == accepted


def test_headers_of_the_view_may_be_of_any_type() -> None:
    class Numbered(Usual):
        def get(self, request: Request, number: Any) -> Response:
            self.headers["X-Number"] = number
            return Response()

    values = [1, True, 1.0, "1", None, ["a"]]
    answers = [Numbered.as_view()(factory.get("/"), number=value) for value in values]
    assert [each["X-Number"] for each in answers] == list(map(str, values))


# Every hook on every path

#: Everything that may be called before the handler answers, in its order.
HOOKS = [
    "initialize_request",
    "get_parsers",
    "get_authenticators",
    "get_content_negotiator",
    "get_parser_context",
    "initial",
    "get_format_suffix",
    "perform_content_negotiation",
    "get_renderers",
    "determine_version",
    "perform_authentication",
    "check_permissions",
    "get_permissions",
    "check_throttles",
    "get_throttles",
    "check_query_params",
    "get",
    "finalize_response",
    "get_renderer_context",
]


class Sync(Usual):
    strict_query_params = True

    def get(self, request: Request) -> Response:
        return Response("answered")


class Async(Sync):
    async def get(self, request: Request) -> Response:  # type: ignore[override]
        return Response("answered")


def through_asgi(view: Any) -> Any:
    """The answer to one request through Django's ASGI handler."""

    async def main() -> Any:
        with override_settings(ROOT_URLCONF=type("urls", (), {"urlpatterns": [path("", view)]})):
            return await AsyncClient().get("/")

    return asyncio.run(main())


def at_once(view: Any) -> Any:
    return view(factory.get("/"))


def awaited(view: Any) -> Any:
    async def main() -> Any:
        return await view(factory.get("/"))

    return asyncio.run(main())


PATHS = [(Sync, at_once), (Sync, through_asgi), (Async, awaited), (Async, through_asgi)]
paths = pytest.mark.parametrize(("base", "send"), PATHS)


def noting(cls: type, name: str) -> Any:
    """A method in the place of another one, which it notes and calls."""
    own = getattr(cls, name)

    if iscoroutinefunction(own):

        async def anoted(self: Any, *args: Any, **kwargs: Any) -> Any:
            noted.append(name)
            return await own(self, *args, **kwargs)

        return anoted

    @functools.wraps(own)
    def noted_hook(self: Any, *args: Any, **kwargs: Any) -> Any:
        noted.append(name)
        return own(self, *args, **kwargs)

    return noted_hook


def noting_late(view: type, name: str) -> type:
    """A view that sets the method on each instance."""
    method = noting(view, name)

    class Late(view):  # type: ignore[misc, valid-type]
        def setup(self, request: Any, *args: Any, **kwargs: Any) -> None:
            super().setup(request, *args, **kwargs)
            setattr(self, name, functools.partial(method, self))

    return Late


@paths
@pytest.mark.parametrize("name", HOOKS)
def test_each_hook_is_called_on_each_path(
    base: Any, send: Any, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    below = type("Below", (base,), {name: noting(base, name)})
    for made in (below, noting_late(base, name)):
        noted.clear()
        assert send(made.as_view()).data == "answered"
        assert name in noted
    view = base.as_view()
    for owner in (base, views.APIView) if name != "get" else (base,):
        noted.clear()
        assert send(view).status_code == 200
        assert noted == []
        monkeypatch.setattr(owner, name, noting(owner, name))
        assert send(view).status_code == 200
        assert name in noted
        monkeypatch.undo()


@paths
def test_a_hook_that_a_policy_chain_gains_is_called(
    base: Any, send: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A new policy is one line in the order: no list beside it has to name it."""
    before = policies.policy_hooks
    monkeypatch.setattr(policies, "policy_hooks", lambda view: [*before(view), "check_quota"])
    made = type("Made", (base,), {"check_quota": lambda view, request: noted.append("quota")})
    assert send(made.as_view()).status_code == 200
    assert noted == ["quota"]


def refuse(*args: Any, **kwargs: Any) -> Any:
    raise PermissionDenied


@paths
@pytest.mark.parametrize("name", ["check_permissions", "check_throttles", "initial"])
def test_a_check_that_is_patched_after_the_first_request_refuses(
    base: Any, send: Any, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = base.as_view()
    assert send(view).status_code == 200
    for owner in (base, views.APIView):
        monkeypatch.setattr(owner, name, refuse, raising=False)
        assert send(view).status_code == 403
        monkeypatch.undo()
    assert send(view).status_code == 200


@paths
def test_methods_may_be_taken_away(base: Any, send: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    view = base.as_view()
    assert send(view).status_code == 200
    monkeypatch.setattr(base, "http_method_names", ["post"])
    assert send(view).status_code == 405


@pytest.mark.parametrize("send", [at_once, through_asgi])
def test_a_handler_may_become_async(send: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    view = Sync.as_view()
    assert send(view).data == "answered"
    monkeypatch.setattr(Sync, "get", Async.get)
    assert Sync.view_is_async
    assert send(view).data == "answered"
    assert awaited(Sync.as_view()).data == "answered"


@pytest.mark.parametrize("send", [awaited, through_asgi])
def test_a_handler_may_cease_to_be_async(send: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    view = Async.as_view()
    assert send(view).data == "answered"
    monkeypatch.setattr(Async, "get", Sync.get)
    assert send(view).data == "answered"
    assert at_once(Async.as_view()).data == "answered"


def test_head_of_an_async_view_takes_no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps, "sync_to_async", refuse)
    view = Async.as_view(strict_query_params=False)

    async def main() -> Any:
        return await view(factory.head("/"))

    assert asyncio.run(main()).status_code == 200


def test_handlers_of_errors_find_the_error_where_loggers_look() -> None:
    found: list[Any] = []

    class Failing(Usual):
        def get(self, request: Request) -> Response:
            raise PermissionDenied

        def handle_exception(self, exc: Exception) -> Any:
            found.append(sys.exc_info()[1])
            return super().handle_exception(exc)

    assert answer(Failing).status_code == 403
    assert isinstance(found[0], PermissionDenied)


def test_view_classes_show_no_coroutine_function_that_nobody_wrote() -> None:
    """Packages take a class that has one for an async view."""
    for cls in (views.APIView, viewsets.ViewSet, viewsets.ModelViewSet, generics.ListCreateAPIView):
        assert inspect.getmembers(cls, iscoroutinefunction) == []
        assert inspect.getmembers(cls, inspect.iscoroutinefunction) == []


HELPERS = [
    *("_find", "_given", "_created", "_listed", "_retrieved", "_updated", "_destroyed"),
    *("_deny", "_begin", "_end", "_negotiate", "_response", "_find_handler", "_runs_async"),
    *("_prepare_rendering", "_error_response", "_initial_steps", "_permission_steps", "_is_usual"),
]


@paths
@pytest.mark.parametrize("name", HELPERS)
def test_helpers_of_projects_do_not_meet_ours(base: Any, send: Any, name: str) -> None:
    assert not hasattr(viewsets.ModelViewSet, name)
    made = type("Made", (base,), {name: refuse})
    assert send(made.as_view()).data == "answered"


ARGUMENTS = ("view", "name", "target", "reference", "function", "steps", "handler", "cls")


@pytest.mark.parametrize("name", ARGUMENTS)
@pytest.mark.parametrize("method", ["get", "head"])
def test_an_address_may_call_its_arguments_as_it_likes(name: str, method: str) -> None:
    class Sync(views.APIView):
        def get(self, request: Any, **kwargs: Any) -> Response:
            return Response(kwargs)

    class Async(views.APIView):
        async def get(self, request: Any, **kwargs: Any) -> Response:
            return Response(kwargs)

    request = getattr(factory, method)("/")
    assert Sync.as_view()(request, **{name: 1}).data == {name: 1}
    if method == "get":
        assert asyncio.run(Async.as_view()(request, **{name: 1})).data == {name: 1}


class Named(Usual):
    def get(self, request: Request, **kwargs: Any) -> Response:
        return Response(kwargs)


class AsyncNamed(Usual):
    async def get(self, request: Request, **kwargs: Any) -> Response:  # type: ignore[override]
        return Response(kwargs)


@pytest.mark.parametrize("name", ["name", "target", "view", "function", "steps", "kwargs", "args"])
def test_arguments_of_addresses_may_have_any_name(name: str) -> None:
    async def main() -> Any:
        return await AsyncNamed.as_view()(factory.get("/"), **{name: "x"})

    answers = [Named.as_view()(factory.get("/"), **{name: "x"}), asyncio.run(main())]
    assert [each.data for each in answers] == [{name: "x"}] * 2
