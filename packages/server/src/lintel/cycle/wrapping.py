"""Mixins of views that act around the handler of a request, whichever method or action it is."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from typing import Any

from asgiref.sync import iscoroutinefunction

from lintel.cycle.policies import handler_of

#: ``around(view, request, answer)``; ``answer()`` calls the handler, with an event loop to be
#: awaited.
Around = Callable[[Any, Any, Callable[[], Any]], Any]


def wrap_handler(view: Any, request: Any, around: Around, around_async: Around) -> None:
    """Call ``around`` in place of the handler of this request, ``around_async`` of an async one.

    The handler stands on the view again when it is called, so that the view refers to itself no
    longer than before.
    """
    name = (request.method or "").lower()
    handler = handler_of(view, request)
    if handler == view.http_method_not_allowed:
        return
    own, before = name in view.__dict__, view.__dict__.get(name)

    def put_back() -> None:
        if own:
            setattr(view, name, before)
        else:
            delattr(view, name)

    def answer(request: Any, *args: Any, **kwargs: Any) -> Any:
        put_back()
        return around(view, request, partial(handler, request, *args, **kwargs))

    async def answer_on_the_loop(request: Any, *args: Any, **kwargs: Any) -> Any:
        put_back()
        return await around_async(view, request, partial(handler, request, *args, **kwargs))

    setattr(view, name, answer_on_the_loop if iscoroutinefunction(handler) else answer)


def after(
    passed: Awaitable[Any], then: Callable[..., Any], *args: Any
) -> Coroutine[Any, Any, None]:
    """Await the policies of a request, then do something about its handler."""
    return _after(passed, then, *args)


async def _after(passed: Awaitable[Any], then: Callable[..., Any], *args: Any) -> None:
    await passed
    then(*args)
