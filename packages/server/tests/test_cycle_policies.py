"""The short road: no shorter than what a view overrides, patches or assigns."""

import functools
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.http import QueryDict
from django.test import RequestFactory, override_settings

from lintel import views
from lintel.authentication import BaseAuthentication
from lintel.parsers import JSONParser
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


def test_parsers_are_made_for_a_body_alone() -> None:
    class Noting(JSONParser):
        def __init__(self) -> None:
            noted.append("parser")

    class Posted(Usual):
        parser_classes = [Noting]

        def post(self, request: Request) -> Response:
            return Response(request.data)

    assert answer(Posted).status_code == 200
    assert noted == []
    made = factory.post("/", '{"a": 1}', content_type="application/json")
    assert Posted.as_view()(made).data == {"a": 1}
    assert noted == ["parser"]


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
