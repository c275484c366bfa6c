"""Which views run on the event loop, and how their responses are rendered there.

A view is *async* if one of its handlers, or a policy class that it names itself, has an
``async def`` hook.
"""

import asyncio
from collections.abc import Iterable, Sequence

from asgiref.sync import iscoroutinefunction, markcoroutinefunction, sync_to_async

from lintel.annotations import AnyView, HookResult
from lintel.cycle.steps import class_is_async, is_prompt, may_be_prompt
from lintel.overrides import is_ours, reached
from lintel.response import Response
from lintel.settings import follows_setting
from lintel.trust.originals import is_of_django

#: Hooks of the policies that a view may name, by attribute of the view.
POLICY_HOOKS: dict[str, tuple[str, ...]] = {
    "authentication_classes": ("authenticate",),
    "permission_classes": ("has_permission", "has_object_permission"),
    "throttle_classes": ("allow_request",),
    "filter_backends": ("filter_queryset",),
}


def handlers_are_async(cls: AnyView, names: Iterable[str]) -> bool:
    if any(iscoroutinefunction(getattr(cls, name, None)) for name in names):
        return True
    return any(
        class_is_async(policy, *hooks)
        for attribute, hooks in POLICY_HOOKS.items()
        for policy in _own_policies(cls, attribute)
    )


def _own_policies(cls: type, attribute: str) -> Sequence[object]:
    for base in cls.__mro__:
        if attribute in vars(base):
            value = vars(base)[attribute]
            is_own = isinstance(value, list | tuple) and not follows_setting(base, attribute)
            return value if is_own else ()
    return ()


async def _awaitable(response: object) -> object:
    return response


#: The attribute and value that mark a function as a coroutine function.
_MARKS: dict[str, object] = dict(vars(markcoroutinefunction(lambda: None)))


class _Rendering:
    """Replaces ``render()`` of a response: Django awaits it if it is a coroutine function."""

    # Python looks for what functions have, and would get an error for each of these.
    __name__ = "render"
    __code__ = __defaults__ = __kwdefaults__ = None

    def __init__(self, response: Response) -> None:
        self.response = response
        self.is_to_be_awaited = False

    def __getattr__(self, name: str) -> object:
        if name not in _MARKS:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        self.is_to_be_awaited = True
        return _MARKS[name]

    def __call__(self) -> HookResult:
        response = self.response
        del response.render
        if not self.is_to_be_awaited or not _is_on_a_loop():
            return response.render()
        renderer = response.accepted_renderer
        arguments = (response.data, response.accepted_media_type, response.renderer_context)
        if response._post_render_callbacks or not is_prompt(renderer, "render", *arguments):
            return sync_to_async(response.render, thread_sensitive=True)()
        return _awaitable(response.render())


def render_on_the_loop(response: Response) -> None:
    """Let Django's ASGI handler await the rendering, without a thread if it does not block."""
    # Lazy objects and those that the project converts are rendered in the thread of the request.
    # So is a response with render callbacks, because storing it in a cache may block.
    if not response.is_rendered and _is_replaceable(response):
        response.render = _Rendering(response)  # type: ignore[method-assign]


def _is_replaceable(response: Response) -> bool:
    return (
        is_of_django(response.render)
        and is_ours(reached(type(response), "rendered_content"))
        and may_be_prompt(getattr(response, "accepted_renderer", None), "render")
    )


def _is_on_a_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
