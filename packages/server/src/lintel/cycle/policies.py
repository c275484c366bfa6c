"""The order of a request: which policies and handlers are called, and when.

negotiation → version → authentication → permissions → throttles → query parameters → handler;
an exception in any of them goes to the exception handler. A new policy is one line in
:func:`policy_hooks` and one public method of the view: nothing else decides what is called, on
the event loop or without it. The loops over several policies are chains (:mod:`.chains`).
"""

import weakref
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest

from lintel import exceptions, status
from lintel.cycle.chains import chain
from lintel.cycle.loop import render_on_the_loop
from lintel.cycle.steps import Steps, arun, blocking, complete, hook, run_hook
from lintel.phases import phases
from lintel.querying import ANSWERED_BY, QUERY, begin_query
from lintel.request import user_steps
from lintel.response import Response
from lintel.retirement import announce, deprecation_of, deprecation_of_version
from lintel.serializers.parting import let_go
from lintel.settings import api_settings
from lintel.throttling.limits import announce_limits, refusing_limit
from lintel.throttling.rates import refusing

# The whole request


def answer(view: Any, http_request: HttpRequest, args: Any, kwargs: Any) -> Any:
    request = _begin(view, http_request, args, kwargs)
    try:
        answered = view.initial(request, *args, **kwargs)
        if answered is not None:
            complete(answered)
        response = handler_of(view, request)(request, *args, **kwargs)
        if type(response) is not Response:
            response = complete(response)
    except Exception as exc:
        response = complete(view.handle_exception(exc))
    response = view.finalize_response(request, response, *args, **kwargs)
    if type(response) is not Response:
        response = complete(response)
    return _end(view, http_request, response)


async def answer_on_the_loop(view: Any, http_request: HttpRequest, args: Any, kwargs: Any) -> Any:
    request = _begin(view, http_request, args, kwargs)
    try:
        response = await arun(request_steps(view, request, args, kwargs))
    except Exception as exc:
        response = await run_hook(view, "handle_exception", exc)
    response = await run_hook(view, "finalize_response", request, response, *args, **kwargs)
    return _end(view, http_request, response)


def _begin(view: Any, http_request: HttpRequest, args: Any, kwargs: Any) -> Any:
    view.args, view.kwargs = args, kwargs
    request = view.request = view.initialize_request(http_request, *args, **kwargs)
    if http_request.method == QUERY:
        begin_query(view, request)
    view.headers = view.default_response_headers
    deprecated = view.deprecated
    if deprecated is not None:
        announce(view, deprecation_of(deprecated, view.sunset))
    return request


def _end(view: Any, http_request: HttpRequest, response: Any) -> Any:
    view._lintel_response = response
    closers = getattr(response, "_resource_closers", None)
    if closers is not None:
        closers.append(_Parting(_part, view))
    if type(http_request) is ASGIRequest and isinstance(response, Response):
        render_on_the_loop(response)
    return response


#: The order of the policies: hooks of a view that are called with the request.
_POLICY_HOOKS = ("perform_authentication", "check_permissions", "check_throttles")
_STRICT_HOOKS = (*_POLICY_HOOKS, "check_query_params")

#: What they are called by those who observe requests.
_NAMES = {
    "perform_authentication": "authentication",
    "check_permissions": "permissions",
    "check_throttles": "throttles",
    "check_query_params": "query parameters",
    "read_query": "query",
    "check_parents": "parents",
}


@phases(_NAMES)
def policy_hooks(view: Any) -> Iterable[str]:
    hooks: tuple[str, ...] = _STRICT_HOOKS if view.strict_query_params else _POLICY_HOOKS
    if ANSWERED_BY in view.__dict__:
        hooks = (*_POLICY_HOOKS, "read_query", *hooks[len(_POLICY_HOOKS) :])
    return hooks if getattr(view, "parent_route", None) is None else (*hooks, "check_parents")


@chain
def initial_steps(view: Any, request: Any, /, *args: Any, **kwargs: Any) -> Steps[None]:
    """Run everything before the handler; raise to reject the request."""
    view.format_kwarg = view.get_format_suffix(**kwargs)
    negotiated = view.perform_content_negotiation(request)
    request.accepted_renderer, request.accepted_media_type = negotiated
    version, scheme = view.determine_version(request, *args, **kwargs)
    request.version, request.versioning_scheme = version, scheme
    if scheme is not None and getattr(scheme, "deprecated_versions", None):
        announce(view, deprecation_of_version(scheme, version))
    for name in policy_hooks(view):
        yield hook(view, name, request)


def request_steps(view: Any, request: Any, args: Any, kwargs: Any) -> Steps[Any]:
    yield hook(view, "initial", request, *args, **kwargs)
    return (yield handler_of(view, request), None, (request, *args), kwargs)


class HeadByGet(partial[Any]):
    """Answers HEAD with the GET handler, without keeping the view alive."""

    @property
    def handler(self) -> Any:
        view: Any = self.args[0]()
        return view.get


def answer_head(reference: Any, request: Any, /, *args: Any, **kwargs: Any) -> Any:
    return reference().get(request, *args, **kwargs)


def handler_name_of(view: Any, request: Any) -> str:
    return vars(view).get(ANSWERED_BY) or (request.method or "").lower()


def handler_of(view: Any, request: Any) -> Callable[..., Any]:
    answered_by = view.__dict__.get(ANSWERED_BY)
    method = answered_by or (request.method or "").lower()
    handler: Any = view.http_method_not_allowed
    if answered_by is not None or method in view.http_method_names:
        handler = getattr(view, method, handler)
    return handler.handler if type(handler) is HeadByGet else handler


# The policies


def authentication_steps(view: object, request: object) -> Steps[None]:
    if "_user" not in request.__dict__:
        yield from user_steps(request)


@chain
def permission_steps(view: Any, request: Any) -> Steps[None]:
    for permission in view.get_permissions():
        if not (yield hook(permission, "has_permission", request, view)):
            deny(view, request, permission)


@chain
def object_permission_steps(view: Any, request: Any, obj: Any) -> Steps[None]:
    for permission in view.get_permissions():
        if not (yield hook(permission, "has_object_permission", request, view, obj)):
            deny(view, request, permission)


@chain
def creation_permission_steps(view: Any, request: Any, validated_data: Any) -> Steps[None]:
    for permission in view.get_permissions():
        # A permission of another package may have no such hook.
        if hasattr(permission, "has_creation_permission"):
            granted = yield hook(
                permission, "has_creation_permission", request, view, validated_data
            )
            if not granted:
                deny(view, request, permission)


@chain
def throttle_steps(view: Any, request: Any) -> Steps[None]:
    refusals: list[tuple[float | None, Any]] = []
    # Rates may come from a database: throttles are made where that may block.
    throttles = yield hook(view, "get_throttles")
    for throttle in throttles:
        try:
            passes = yield hook(throttle, "allow_request", request, view)
        except Exception as error:
            refusal = refusing(throttle, error)
            passes = refusal is None or (yield hook(refusal, "throttle_failure"))
            throttle = refusal or throttle
        if not passes:
            refusals.append(((yield hook(throttle, "wait")), throttle))
    if throttles and api_settings.RATE_LIMIT_HEADERS:
        announce_limits(view, throttles)
    if refusals:
        _refuse(view, request, refusals)


def _refuse(view: Any, request: Any, refusals: list[tuple[float | None, Any]]) -> None:
    """Refuse by the longest wait; the error names the limit behind it."""
    wait, throttle = max(refusals, key=lambda refusal: -1.0 if refusal[0] is None else refusal[0])
    try:
        view.throttled(request, wait)
    except exceptions.Throttled as error:
        error.limit = error.limit or refusing_limit(throttle)
        raise


def deny(view: Any, request: Any, permission: Any) -> None:
    message, code = getattr(permission, "message", None), getattr(permission, "code", None)
    try:
        view.permission_denied(request, message=message, code=code)
    except exceptions.PermissionDenied as error:
        challenge = getattr(permission, "refusal_challenge", None)
        if challenge is not None:
            error.auth_header = challenge(request, view)
        raise


# Errors


@chain
def exception_steps(view: Any, exc: Exception) -> Steps[Any]:
    """Return the response for an exception; re-raise it if no handler knows it."""
    if isinstance(exc, exceptions.NotAuthenticated | exceptions.AuthenticationFailed):
        _ask_for_credentials(view, exc)
    handle = view.get_exception_handler()
    response = yield blocking(handle, exc, view.get_exception_handler_context())
    if response is None:
        view.raise_uncaught_exception(exc)
    response.exception = True
    return response


def _ask_for_credentials(view: Any, exc: Any) -> None:
    """Decide between 401, which must name an authentication scheme (RFC 9110, 15.5.2), and 403."""
    # Some schemes say in their challenge what was wrong.
    view.request.authentication_error = type(exc)
    header = view.get_authenticate_header(view.request)
    if header:
        exc.auth_header = header
    else:
        exc.status_code = status.HTTP_403_FORBIDDEN


# The end


def _part(view: Any) -> None:
    response = view._lintel_response
    view._lintel_response = weakref.ref(response)
    context = vars(view.request).get("_lintel_parser_context")
    if context is not None and context.get("view") is view:
        context["view"] = weakref.proxy(view)
        context.pop("request", None)
    let_go(vars(response).get("data"))


class _Parting(partial[None]):
    """Breaks the reference cycle of view, request and response when the response is closed.

    Until then each refers to the others, whichever one is kept; afterwards they are freed at once
    instead of by the garbage collector. Caches pickle responses, so this can be pickled.
    """

    def __reduce__(self) -> Any:
        return _Parting, (bool,)
