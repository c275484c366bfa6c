"""Function views, and extra actions of viewsets.

The policy decorators stand below ``@api_view``::

    @api_view(["GET"])
    @permission_classes([IsAuthenticated])
    def me(request): ...
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias, TypeVar

from asgiref.sync import iscoroutinefunction
from django.forms.utils import pretty_name

from lintel.annotations import Setting
from lintel.views import APIView

#: A function of a project, ``def`` or ``async def``, or a method.
Function: TypeAlias = Callable[..., Any]
FunctionT = TypeVar("FunctionT", bound=Function)

#: Attributes that the policy decorators set on a function for ``api_view``.
POLICIES = (
    *("renderer_classes", "parser_classes", "authentication_classes", "throttle_classes"),
    *("throttle_scope", "permission_classes", "content_negotiation_class"),
    *("metadata_class", "versioning_class", "schema", "deprecated", "sunset"),
)


def api_view(http_method_names: Iterable[str] | None = None) -> Callable[[Function], Function]:
    """Make a function the handler of these methods (a list, default GET). Raises AssertionError."""
    methods = ["GET"] if http_method_names is None else http_method_names

    def decorate(function: Function) -> Function:
        if callable(methods):
            raise AssertionError("@api_view missing list of allowed HTTP methods")
        if not isinstance(methods, list | tuple):
            kind = type(methods).__name__
            raise AssertionError(f"@api_view expected a list of strings, received {kind}")
        return _wrapping_class(function, methods).as_view()

    return decorate


def _wrapping_class(function: Function, methods: Iterable[str]) -> type[APIView]:
    names = [method.lower() for method in methods]
    attributes: dict[str, object] = dict.fromkeys(names, _handler_of(function))
    attributes["http_method_names"] = [*(name for name in names if name != "options"), "options"]
    attributes["__doc__"] = function.__doc__
    attributes["__module__"] = function.__module__
    for name in POLICIES:
        if hasattr(function, name):
            attributes[name] = getattr(function, name)
    return type(function.__name__, (APIView,), attributes)


def _handler_of(function: Function) -> Function:
    if iscoroutinefunction(function):

        async def ahandler(self: APIView, *args: object, **kwargs: object) -> object:
            return await function(*args, **kwargs)

        return ahandler

    def handler(self: APIView, *args: object, **kwargs: object) -> object:
        return function(*args, **kwargs)

    return handler


def _policy_decorator(name: str, value: Setting) -> Callable[[FunctionT], FunctionT]:
    """Return a decorator that sets ``value`` on a function; TypeError if it is a view already."""

    def decorate(function: FunctionT) -> FunctionT:
        if hasattr(function, "cls"):
            raise TypeError(
                f"@{name} must come after (below) the @api_view decorator. The correct order "
                f"is:\n\n    @api_view(['GET'])\n    @{name}(...)\n    def my_view(request):\n"
                "        ...\n"
            )
        setattr(function, name, value)
        return function

    return decorate


def renderer_classes(renderer_classes: Setting) -> Callable[[FunctionT], FunctionT]:
    return _policy_decorator("renderer_classes", renderer_classes)


def parser_classes(parser_classes: Setting) -> Callable[[FunctionT], FunctionT]:
    return _policy_decorator("parser_classes", parser_classes)


def authentication_classes(authentication_classes: Setting) -> Callable[[FunctionT], FunctionT]:
    return _policy_decorator("authentication_classes", authentication_classes)


def throttle_classes(throttle_classes: Setting) -> Callable[[FunctionT], FunctionT]:
    return _policy_decorator("throttle_classes", throttle_classes)


def throttle_scope(throttle_scope: Setting) -> Callable[[FunctionT], FunctionT]:
    """Set the scope in which ScopedRateThrottle looks up the rate of a function view."""
    return _policy_decorator("throttle_scope", throttle_scope)


def permission_classes(permission_classes: Setting) -> Callable[[FunctionT], FunctionT]:
    return _policy_decorator("permission_classes", permission_classes)


def content_negotiation_class(
    content_negotiation_class: Setting,
) -> Callable[[FunctionT], FunctionT]:
    return _policy_decorator("content_negotiation_class", content_negotiation_class)


def metadata_class(metadata_class: Setting) -> Callable[[FunctionT], FunctionT]:
    return _policy_decorator("metadata_class", metadata_class)


def versioning_class(versioning_class: Setting) -> Callable[[FunctionT], FunctionT]:
    return _policy_decorator("versioning_class", versioning_class)


def schema(view_inspector: Setting) -> Callable[[FunctionT], FunctionT]:
    """Set the object that describes a function view in the schema; None leaves it out."""
    return _policy_decorator("schema", view_inspector)


def deprecated(
    since: Setting = True, *, sunset: Setting = None
) -> Callable[[FunctionT], FunctionT]:
    """``since``: a date, a datetime, True, or a :class:`lintel.retirement.Deprecation`."""

    def decorate(function: FunctionT) -> FunctionT:
        _policy_decorator("deprecated", since)(function)
        return _policy_decorator("sunset", sunset)(function)

    return decorate


def action(
    methods: Iterable[str] | None = None,
    detail: bool | None = None,
    url_path: str | None = None,
    url_name: str | None = None,
    **kwargs: Setting,
) -> Callable[[Function], Any]:
    """Mark a method of a viewset as an extra action, for routers to find.

    ``detail`` says whether it concerns one row. Further keywords set attributes of the view while
    the action runs; ``sunset`` alone makes the action deprecated. Raises AssertionError without
    ``detail``, TypeError for ``name`` together with ``suffix``.
    """
    names = [method.lower() for method in (["get"] if methods is None else methods)]
    if detail is None:
        raise AssertionError("@action() missing required argument: 'detail'")
    if "name" in kwargs and "suffix" in kwargs:
        raise TypeError("`name` and `suffix` are mutually exclusive arguments.")

    if kwargs.get("sunset") is not None:
        kwargs.setdefault("deprecated", True)

    def decorate(function: Any) -> Any:
        function.mapping = MethodMapper(function, names)
        function.detail = detail
        function.url_path = url_path or function.__name__
        function.url_name = url_name or function.__name__.replace("_", "-")
        # Attributes that a router sets on the view: ``as_view(**kwargs)``.
        function.kwargs = kwargs
        if "name" not in kwargs and "suffix" not in kwargs:
            kwargs["name"] = pretty_name(function.__name__)
        kwargs["description"] = function.__doc__ or None
        return function

    return decorate


def _mapping(method: str) -> Callable[[MethodMapper, FunctionT], FunctionT]:
    def decorate(self: MethodMapper, func: FunctionT) -> FunctionT:
        return self._map(method, func)

    return decorate


class MethodMapper(dict[str, str]):
    """The methods of an extra action: ``@rename.mapping.delete`` adds the function below it."""

    def __init__(self, action: Function, methods: Iterable[str]) -> None:
        super().__init__(dict.fromkeys(methods, action.__name__))
        self.action = action

    def _map(self, method: str, function: FunctionT) -> FunctionT:
        if method in self:
            raise AssertionError(f"Method '{method}' has already been mapped to '.{self[method]}'.")
        if function.__name__ == self.action.__name__:
            raise AssertionError(
                "Method mapping does not behave like the property decorator. You cannot use the "
                "same method name for each mapping declaration."
            )
        self[method] = function.__name__
        return function

    get = _mapping("get")  # type: ignore[assignment]
    post = _mapping("post")
    put = _mapping("put")
    patch = _mapping("patch")
    delete = _mapping("delete")
    head = _mapping("head")
    options = _mapping("options")
    trace = _mapping("trace")
