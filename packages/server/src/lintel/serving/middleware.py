"""The project's middleware on an event loop, with fewer changes of thread.

Django's handler goes to the thread of the request and back for each hook of each middleware. Here
the hooks of neighbours that Django itself would call one after the other there are called together:
those before the view, those for the view, those after it; and with a view that blocks, all of them
and the view. Middleware that is called in another way keeps Django's chain from there inwards.
"""

import copy
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial
from types import CoroutineType
from typing import Any

from asgiref.sync import SyncToAsync, async_to_sync, iscoroutinefunction, sync_to_async
from django.conf import settings
from django.core.handlers.exception import convert_exception_to_response, response_for_exception
from django.utils.deprecation import MiddlewareMixin

from lintel.requestlog.around import AroundMiddleware
from lintel.serving.resolving import given_view

Respond = Callable[[Any], Any]
RespondOnLoop = Callable[[Any], Awaitable[Any]]


async def _some_handler(request: Any) -> Any: ...


#: The code of what Django wraps around each middleware.
_CONVERTING: Any = convert_exception_to_response(_some_handler).__code__
_CALLS = vars(MiddlewareMixin)["__call__"], vars(MiddlewareMixin)["__acall__"]


def grouped(handler: Any) -> Any:
    """Return a handler that calls the same middleware in the same order.

    With DEBUG it is the given one, whose tracebacks are those that developers know.
    """
    if settings.DEBUG:
        return handler
    result = copy.copy(handler)
    result._middleware_chain = _grouped(handler, handler._middleware_chain)
    return result


def _grouped(handler: Any, chain: Any) -> Any:
    outermost = _wrapped(chain)
    if not isinstance(outermost, AroundMiddleware):
        return _chain_of(handler, *_outer_layers(chain))
    # It blocks nothing, and goes on around the rest.
    inside = _awaiting(_grouped(handler, outermost.get_response))
    return convert_exception_to_response(type(outermost)(inside))


def _awaiting(respond: RespondOnLoop) -> RespondOnLoop:
    async def respond_on_loop(request: Any) -> Any:
        return await respond(request)

    return respond_on_loop


def _outer_layers(chain: Any) -> tuple[list[Any], Any]:
    """Return the middleware whose hooks may be called together, and what is inside of them."""
    layers = []
    while _is_groupable(inside := _wrapped(chain)):
        layers.append(inside)
        chain = inside.get_response
    return layers, chain


def _wrapped(chain: Any) -> Any:
    is_of_django = getattr(chain, "__code__", None) is _CONVERTING
    return chain.__wrapped__ if is_of_django else None


def _is_groupable(middleware: Any) -> bool:
    cls = type(middleware)
    if not isinstance(middleware, MiddlewareMixin) or not getattr(middleware, "async_mode", False):
        return False
    hooks = (getattr(middleware, name, None) for name in ("process_request", "process_response"))
    return (cls.__call__, cls.__acall__) == _CALLS and not any(map(iscoroutinefunction, hooks))


def _chain_of(handler: Any, layers: Sequence[Any], rest: Any) -> RespondOnLoop:
    view_hooks = _plain_functions(handler._view_middleware)
    template_hooks = _plain_functions(handler._template_response_middleware)
    if _wrapped(rest) != handler._get_response_async or view_hooks is None:
        return Chain(layers, rest)
    on_loop = copy.copy(handler)
    on_loop._view_middleware = _together(ViewHooks(view_hooks).process_view, view_hooks)
    if template_hooks is not None:
        inside = TemplateHooks(template_hooks, handler.check_response)
        hooks = _together(inside.process_template_response, template_hooks)
        on_loop._template_response_middleware = hooks
    rest = convert_exception_to_response(on_loop._get_response_async)
    if template_hooks is None:
        return Chain(layers, rest)
    in_thread = copy.copy(handler)
    in_thread._view_middleware = view_hooks
    in_thread._template_response_middleware = template_hooks
    return Chain(layers, rest, convert_exception_to_response(partial(_respond, in_thread)))


def _respond(handler: Any, request: Any) -> Any:
    """Answer in a thread as handlers do on a loop: ``render()`` of a response may be async."""
    response = handler._get_response(request)
    if type(response) is not CoroutineType:
        return response
    try:
        return async_to_sync(_result_of)(response)
    except Exception as error:
        response = handler.process_exception_by_middleware(error, request)
        if response is None:
            raise
        return response


async def _result_of(coroutine: Awaitable[Any]) -> Any:
    return await coroutine


def _plain_functions(hooks: Iterable[Any]) -> list[Any] | None:
    """Return the functions that Django calls in the thread; None if one of them is async."""
    plain = [hook.func if type(hook) is SyncToAsync else None for hook in hooks]
    return None if None in plain else plain


def _together(hook: Callable[..., Any], hooks: Sequence[Any]) -> list[Any]:
    """Return the list of middleware methods with one method for several."""
    return [sync_to_async(hook, thread_sensitive=True)] if hooks else []


class ViewHooks:
    """Several ``process_view``, as one."""

    def __init__(self, hooks: Sequence[Any]) -> None:
        self._hooks = hooks

    def process_view(self, *args: Any) -> Any:
        response = None
        for hook in self._hooks:
            if response := hook(*args):
                break
        return response


class TemplateHooks:
    """Several ``process_template_response``, as one."""

    def __init__(self, hooks: Sequence[Any], check: Callable[..., None]) -> None:
        self._hooks, self._check = hooks, check

    def process_template_response(self, request: Any, response: Any) -> Any:
        for hook in self._hooks:
            response = hook(request, response)
            name = f"{type(hook.__self__).__name__}.process_template_response"
            self._check(response, hook, name=name)
        return response


class Chain:
    """Middleware around a view, both for the loop; ``respond`` is the view in a thread."""

    def __init__(
        self, layers: Sequence[Any], rest: RespondOnLoop, respond: Respond | None = None
    ) -> None:
        self._layers, self._rest, self._respond = layers, rest, respond
        self._has_before = any(hasattr(layer, "process_request") for layer in layers)
        self._has_after = any(hasattr(layer, "process_response") for layer in layers)

    async def __call__(self, request: Any) -> Any:
        respond = self._respond
        if respond is not None and not iscoroutinefunction(given_view(request)):
            return await sync_to_async(self._respond_in_thread)(request, respond)
        response, entered = None, len(self._layers)
        if self._has_before:
            response, entered = await sync_to_async(self._before)(request)
        if response is None:
            response = await self._rest(request)
        if self._has_after:
            response = await sync_to_async(self._after)(request, response, entered)
        return response

    def _respond_in_thread(self, request: Any, respond: Respond) -> Any:
        response, entered = self._before(request)
        if response is None:
            response = respond(request)
        return self._after(request, response, entered)

    def _before(self, request: Any) -> tuple[Any, int]:
        """Return the response of a middleware, if any, and how many see the response."""
        for index, layer in enumerate(self._layers):
            if not hasattr(layer, "process_request"):
                continue
            try:
                response = layer.process_request(request)
            except Exception as error:
                return response_for_exception(request, error), index
            if response:
                return response, index + 1
        return None, len(self._layers)

    def _after(self, request: Any, response: Any, entered: int) -> Any:
        for layer in reversed(self._layers[:entered]):
            if not hasattr(layer, "process_response"):
                continue
            try:
                response = layer.process_response(request, response)
            except Exception as error:
                response = response_for_exception(request, error)
        return response
