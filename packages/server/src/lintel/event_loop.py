"""Which views run on the event loop, and how their responses are rendered there.

A view is *async* when one of its handlers, or a policy class that it names itself, has an
``async def`` hook.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from asgiref.sync import iscoroutinefunction, sync_to_async
from django.core.exceptions import SynchronousOnlyOperation

from lintel.asynchronous import class_is_async, is_prompt
from lintel.response import Response
from lintel.settings import follows_setting

#: Hooks of the policies that a view may name, by the attribute of the view.
POLICY_HOOKS: dict[str, tuple[str, ...]] = {
    "authentication_classes": ("authenticate",),
    "permission_classes": ("has_permission", "has_object_permission"),
    "throttle_classes": ("allow_request",),
    "filter_backends": ("filter_queryset",),
}


def handlers_are_async(cls: Any, names: Iterable[str]) -> bool:
    """Whether a view of this class with these handlers has to run on the event loop."""
    if any(iscoroutinefunction(getattr(cls, name, None)) for name in names):
        return True
    return any(
        class_is_async(policy, *hooks)
        for attribute, hooks in POLICY_HOOKS.items()
        for policy in _own_policies(cls, attribute)
    )


def _own_policies(cls: Any, attribute: str) -> Sequence[Any]:
    """The policy classes that a class of the project names; none where it follows a setting."""
    for each in cls.__mro__:
        if attribute in vars(each):
            value = vars(each)[attribute]
            is_own = isinstance(value, list | tuple) and not follows_setting(each, attribute)
            return value if is_own else ()
    return ()


def render_on_the_loop(response: Response) -> None:
    """Let Django's ASGI handler await the rendering, where it does not block.

    A response with a plain ``render`` method would cost a visit to a thread. Data that turns out to
    be lazy, such as a queryset, is rendered there after all.
    """
    renderer = getattr(response, "accepted_renderer", None)
    if not is_prompt(renderer, "render"):
        return

    async def render() -> Any:
        del response.render
        try:
            return response.render()
        except SynchronousOnlyOperation:
            return await sync_to_async(response.render, thread_sensitive=True)()

    response.render = render  # type: ignore[method-assign]
