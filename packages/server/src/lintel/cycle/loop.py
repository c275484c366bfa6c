"""Which views run on the event loop, and how their responses are rendered there.

A view is *async* when one of its handlers, or a policy class that it names itself, has an
``async def`` hook.
"""

from __future__ import annotations

import asyncio
from collections.abc import Generator, Iterable, Sequence
from typing import Any

from asgiref.sync import iscoroutinefunction, markcoroutinefunction, sync_to_async

from lintel.cycle.steps import class_is_async, is_prompt, may_be_prompt
from lintel.provenance import is_ours, reached
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


class _Rendered:
    """What a rendering on the event loop gave, to be awaited by Django."""

    def __init__(self, response: Any) -> None:
        self.response = response

    def __await__(self) -> Generator[Any, None, Any]:
        return self.response
        yield


def render_on_the_loop(response: Response) -> None:
    """Let Django's ASGI handler await the rendering, where it does not block.

    A response with a plain ``render`` method would cost a visit to a thread. Whether the rendering
    blocks is decided before it begins: data that holds something lazy, or something that the
    project converts, is rendered in the thread of the request, and so is a response with callbacks
    for its rendering, which may store it in a cache. Outside of the event loop ``render()`` stays
    what it is.
    """
    if response.is_rendered or not _is_of_ours(response):
        return

    def render() -> Any:
        del response.render
        if not _is_on_a_loop():
            return response.render()
        if response._post_render_callbacks or not _renders_at_once(response):
            return sync_to_async(response.render, thread_sensitive=True)()
        return _Rendered(response.render())

    response.render = markcoroutinefunction(render)  # type: ignore[method-assign]


def _is_of_ours(response: Response) -> bool:
    """Whether a response is rendered by our methods, and its renderer may do so at once."""
    return (
        is_ours(response.render)
        and is_ours(reached(type(response), "rendered_content"))
        and may_be_prompt(getattr(response, "accepted_renderer", None), "render")
    )


def _renders_at_once(response: Response) -> bool:
    arguments = (response.data, response.accepted_media_type, response.renderer_context)
    return is_prompt(response.accepted_renderer, "render", *arguments)


def _is_on_a_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
