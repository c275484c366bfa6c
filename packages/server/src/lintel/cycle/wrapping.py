"""Mixins of views that wrap the handler of a request, for every method and action."""

from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from typing import Any

from asgiref.sync import iscoroutinefunction

from lintel.annotations import AnyRequest, AnyView, HookResult
from lintel.cycle.chains import Chain
from lintel.cycle.policies import handler_name_of, handler_of
from lintel.cycle.steps import arun, complete

#: ``around(view, request, answer)``: a chain whose step ``blocking(answer)`` calls the handler.
Around = Chain[[AnyView, AnyRequest, Callable[[], HookResult]], object]


def wrap_handler(view: AnyView, request: AnyRequest, around: Around) -> None:
    """Run the chain ``around`` in place of the request's handler."""
    # The handler is set again before it is called: no view refers to itself for longer than before.
    name = handler_name_of(view, request)
    handler = handler_of(view, request)
    if handler == view.http_method_not_allowed:
        return
    is_replaced, before = name in view.__dict__, view.__dict__.get(name)

    def put_back() -> None:
        if is_replaced:
            setattr(view, name, before)
        else:
            delattr(view, name)

    def answer(request: AnyRequest, *args: object, **kwargs: object) -> object:
        put_back()
        return around.run(view, request, partial(handler, request, *args, **kwargs))

    async def answer_on_the_loop(request: AnyRequest, *args: object, **kwargs: object) -> object:
        put_back()
        return await arun(around(view, request, partial(handler, request, *args, **kwargs)))

    setattr(view, name, answer_on_the_loop if iscoroutinefunction(handler) else answer)


class WrappingMixin:
    """Base of mixins that wrap handlers, after the policies have allowed the request.

    Each has ``_lintel_wrap(view, request)``, which calls :func:`wrap_handler` if it applies
    to this request. The first in the MRO is the outermost.
    """

    def initial(self, request: AnyRequest, *args: Any, **kwargs: Any) -> None:
        """Run the policies; then put the mixins between them and the handler."""
        complete(super().initial(request, *args, **kwargs))  # type: ignore[misc]
        _wrap_all(self, request)

    def ainitial(
        self, request: AnyRequest, *args: Any, **kwargs: Any
    ) -> Coroutine[object, object, None]:
        passed = super().ainitial(request, *args, **kwargs)  # type: ignore[misc]
        return _pass_and_wrap(self, request, passed)


async def _pass_and_wrap(view: AnyView, request: AnyRequest, passed: Awaitable[object]) -> None:
    await passed
    _wrap_all(view, request)


def _wrap_all(view: AnyView, request: AnyRequest) -> None:
    for base in reversed(type(view).__mro__):
        if "_lintel_wrap" in vars(base):
            base._lintel_wrap(view, request)  # type: ignore[attr-defined]
