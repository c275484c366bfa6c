from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest
from django.db import models
from django.utils.decorators import method_decorator
from django.utils.functional import cached_property
from django.views.decorators.cache import never_cache

from lintel.overrides import function_of, is_ours, is_overridden, packages_of
from lintel.views import APIView


def wrapping(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return wrapper


class Proxy:
    """Returns every attribute of what it wraps, ``__globals__`` included."""

    def __init__(self, wrapped: Any) -> None:
        self.wrapped = wrapped

    def __getattr__(self, name: str) -> Any:
        return getattr(self.wrapped, name)


def test_functions_are_told_by_where_they_were_written() -> None:
    assert is_ours(APIView.check_permissions)
    assert is_ours(APIView().check_permissions)
    assert not is_ours(models.Model.save)
    assert not is_ours(wrapping)


def test_properties_and_class_methods_are_looked_into() -> None:
    class Project:
        theirs = property(APIView.check_permissions)
        cached = cached_property(APIView.check_permissions)
        by_class = classmethod(APIView.check_permissions)

    assert is_ours(vars(Project)["theirs"])
    assert is_ours(vars(Project)["cached"])
    assert is_ours(vars(Project)["by_class"])


@pytest.mark.parametrize("wrap", [wrapping, Proxy, functools.partial])
def test_a_wrapper_is_of_whoever_wrote_it(wrap: Any) -> None:
    wrapped = wrap(APIView.check_permissions)

    assert not is_ours(wrapped)


def test_an_override_and_an_attribute_of_the_instance_are_found() -> None:
    class Overriding(APIView):
        def check_permissions(self, request: Any) -> None: ...

    patched = APIView()
    patched.check_permissions = lambda request: None  # type: ignore[method-assign]

    assert not is_overridden(APIView(), "check_permissions", "check_throttles")
    assert not is_overridden(APIView, "check_permissions")
    assert is_overridden(Overriding(), "check_throttles", "check_permissions")
    assert is_overridden(patched, "check_permissions")


def test_a_class_that_looks_attributes_up_itself_may_reach_anything() -> None:
    class Secretive(APIView):
        def __getattribute__(self, name: str) -> Any:
            return super().__getattribute__(name)

    assert is_overridden(Secretive(), "check_permissions")


def test_what_a_decorator_wraps_is_looked_into() -> None:
    class Project:
        @method_decorator(never_cache)
        def get(self) -> None: ...

    assert packages_of(APIView.check_permissions) == {"lintel"}
    assert packages_of(Project.get) == {"django", __name__.partition(".")[0]}
    assert packages_of(Project) == set()


def test_an_object_that_is_called_is_no_function() -> None:
    assert function_of(Proxy(wrapping)) is None
    assert function_of(wrapping) is wrapping
