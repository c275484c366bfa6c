import asyncio
from typing import Any

import pytest
from asgiref.sync import iscoroutinefunction
from django.test import AsyncRequestFactory, RequestFactory

from lintel import decorators, permissions, throttling
from lintel.decorators import action, api_view
from lintel.renderers import JSONRenderer
from lintel.response import Response
from lintel.versioning import QueryParameterVersioning

factory = RequestFactory()


@api_view(["GET", "POST"])
@decorators.authentication_classes([])
@decorators.renderer_classes([JSONRenderer])
def echo(request: Any, **kwargs: Any) -> Response:
    """What it does."""
    return Response({"method": request.method, **kwargs})


def test_a_function_handles_its_methods() -> None:
    assert echo(factory.get("/"), pk=1).data == {"method": "GET", "pk": 1}
    assert echo(factory.post("/")).data == {"method": "POST"}
    assert echo(factory.put("/")).status_code == 405
    assert echo(factory.head("/")).status_code == 405
    allowed = echo(factory.options("/")).headers["Allow"]
    assert set(allowed.split(", ")) == {"GET", "POST", "OPTIONS"}


def test_the_class_is_named_and_documented_like_the_function() -> None:
    assert echo.cls.__name__ == "echo"
    assert echo.cls.__module__ == __name__
    assert echo.cls.__doc__ == echo.__doc__ == "What it does."
    assert echo.cls().get_view_name() == "Echo"


def test_get_is_the_default() -> None:
    view = api_view()(lambda_named("one"))
    assert view.cls.http_method_names == ["get", "options"]


def test_a_method_is_allowed_once_however_often_it_is_named() -> None:
    view = api_view(["GET", "OPTIONS", "HEAD"])(lambda_named("one"))
    allowed = view(factory.options("/")).headers["Allow"].split(", ")
    assert sorted(allowed) == ["GET", "HEAD", "OPTIONS"]


def lambda_named(name: str) -> Any:
    def function(request: Any) -> Response:
        return Response(name)

    function.__name__ = name
    return function


def test_a_function_may_answer_options_itself() -> None:
    view = api_view(["OPTIONS"])(lambda_named("own"))
    assert view(factory.options("/")).data == "own"


def test_an_async_function() -> None:
    @api_view(["GET"])
    @decorators.authentication_classes([])
    async def later(request: Any) -> Response:
        await asyncio.sleep(0)
        return Response("later")

    assert iscoroutinefunction(later)
    assert asyncio.run(later(AsyncRequestFactory().get("/"))).data == "later"


@pytest.mark.parametrize("methods", ["GET", {"GET"}, 5])
def test_methods_are_a_list(methods: Any) -> None:
    with pytest.raises(AssertionError, match="@api_view expected a list of strings"):
        api_view(methods)(lambda_named("one"))


def test_missing_parentheses_are_told() -> None:
    with pytest.raises(AssertionError, match="@api_view missing list of allowed HTTP methods"):
        api_view(lambda_named("one"))(lambda_named("two"))


POLICIES: dict[str, Any] = {
    "renderer_classes": [JSONRenderer],
    "parser_classes": [],
    "authentication_classes": [],
    "throttle_classes": [throttling.AnonRateThrottle],
    "throttle_scope": "uploads",
    "permission_classes": [permissions.IsAdminUser],
    "content_negotiation_class": object,
    "metadata_class": None,
    "versioning_class": QueryParameterVersioning,
}


@pytest.mark.parametrize("name", POLICIES)
def test_policies_of_a_function(name: str) -> None:
    decorate = getattr(decorators, name)
    view = api_view(["GET"])(decorate(POLICIES[name])(lambda_named("one")))
    assert getattr(view.cls, name) is POLICIES[name]


@pytest.mark.parametrize("name", [*POLICIES, "schema"])
def test_policies_above_api_view_are_told(name: str) -> None:
    with pytest.raises(TypeError, match=f"@{name} must come after"):
        getattr(decorators, name)([])(echo)


def test_schema_none_leaves_a_function_out() -> None:
    assert api_view()(decorators.schema(None)(lambda_named("one"))).cls.schema is None


# Extra actions


def test_action_without_detail_is_told() -> None:
    with pytest.raises(AssertionError, match="missing required argument: 'detail'"):
        action()(lambda_named("one"))


def test_name_and_suffix_exclude_each_other() -> None:
    with pytest.raises(TypeError, match="mutually exclusive"):
        action(detail=True, name="a", suffix="b")(lambda_named("one"))


def test_action_names_paths_and_titles() -> None:
    made = action(detail=True)(lambda_named("some_thing"))
    assert (made.url_path, made.url_name) == ("some_thing", "some-thing")
    assert made.kwargs == {"name": "Some thing", "description": None}
    named = action(detail=False, url_path="a/b", url_name="z", suffix="S", permission_classes=[1])
    made = named(lambda_named("some_thing"))
    assert (made.url_path, made.url_name) == ("a/b", "z")
    assert made.kwargs == {"suffix": "S", "description": None, "permission_classes": [1]}


def test_methods_are_mapped_to_other_functions() -> None:
    made = action(detail=True)(lambda_named("one"))
    other = lambda_named("two")
    assert made.mapping.delete(other) is other
    assert made.mapping == {"get": "one", "delete": "two"}


def test_a_method_is_mapped_once() -> None:
    made = action(detail=True)(lambda_named("one"))
    with pytest.raises(AssertionError, match=r"'get' has already been mapped to '\.one'"):
        made.mapping.get(lambda_named("two"))
    with pytest.raises(AssertionError, match="does not behave like the property decorator"):
        made.mapping.post(lambda_named("one"))
