"""The view every API endpoint is made of: policies around a handler for each HTTP method.

The order is fixed: content negotiation, versioning, authentication, permissions, throttling, then
the handler. An exception raised anywhere in it becomes a response through the exception handler.

A view is *async* when one of its handlers, or a policy class that it names itself, has an
``async def`` hook. Such a view runs on the event loop; its blocking hooks are gathered into as few
visits to a thread as their order allows. All other views never touch any of this.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, NoReturn

from django import VERSION as DJANGO_VERSION
from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.core.handlers.asgi import ASGIRequest
from django.db import connections, models
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase, ResponseHeaders
from django.utils.cache import patch_vary_headers
from django.utils.encoding import smart_str
from django.utils.functional import classproperty
from django.utils.safestring import SafeString
from django.views.decorators.csrf import csrf_exempt as csrf_exempt
from django.views.generic import View

from lintel import exceptions, status
from lintel.compat import split_header_value
from lintel.cycle.loop import handlers_are_async, render_on_the_loop
from lintel.cycle.steps import (
    Step,
    Steps,
    complete,
    hook_steps,
    in_steps,
    prompt,
    prompt_when,
    run_callable,
    run_hook,
    run_steps,
)
from lintel.inspectors import DefaultSchema
from lintel.query_parameters import known_query_params, refuse_unknown
from lintel.request import Request
from lintel.response import Response
from lintel.settings import SettingDefault, api_settings
from lintel.short_road import allow_short_road, is_usual, pass_policies
from lintel.utils import formatting

EVALUATED_QUERYSET = (
    "Do not evaluate the `.queryset` attribute directly, as the result will be cached and reused "
    "between requests. Use `.all()` or call `.get_queryset()` instead."
)

#: Renderer formats that show an error page as HTML while DEBUG is on.
HTML_FORMATS = ("html", "api", "admin")


def get_view_name(view: APIView) -> str:
    """Title of a view: its ``name``, or its class name in words with its ``suffix``.

    The function of the setting VIEW_NAME_FUNCTION.
    """
    name = getattr(view, "name", None)
    if name is not None:
        return name
    name = formatting.remove_trailing_string(type(view).__name__, "View")
    name = formatting.remove_trailing_string(name, "ViewSet")
    name = formatting.camelcase_to_spaces(name)
    suffix = getattr(view, "suffix", None)
    return f"{name} {suffix}" if suffix else name


def get_view_description(view: APIView, html: bool = False) -> str | SafeString:
    """Text of a view: its ``description``, or the docstring of its class.

    The function of the setting VIEW_DESCRIPTION_FUNCTION. With ``html`` the text is read as
    Markdown, where that library is installed.
    """
    description = getattr(view, "description", None)
    if description is None:
        description = type(view).__doc__ or ""
    description = formatting.dedent(smart_str(description))
    return formatting.markup_description(description) if html else description


def set_rollback() -> None:
    """Mark the transaction of this request to be rolled back, on every database that has one.

    Only databases under ATOMIC_REQUESTS count: a transaction that the project itself opened on
    another one ends as the project decides.
    """
    for connection in connections.all(initialized_only=True):
        if connection.settings_dict["ATOMIC_REQUESTS"] and connection.in_atomic_block:
            connection.set_rollback(True)


@prompt
def exception_handler(exc: Exception, context: dict[str, Any]) -> Response | None:
    """The response for an APIException, and for Django's 404 and permission errors.

    None for any other exception: the view raises it again. The function of the setting
    EXCEPTION_HANDLER.
    """
    if isinstance(exc, Http404):
        exc = exceptions.NotFound(*exc.args)
    elif isinstance(exc, PermissionDenied):
        exc = exceptions.PermissionDenied(*exc.args)
    if not isinstance(exc, exceptions.APIException):
        return None
    is_structured = isinstance(exc.detail, list | dict)
    data = exc.detail if is_structured else {"detail": exc.detail}
    set_rollback()
    return Response(data, status=exc.status_code, headers=_error_headers(exc))


def _error_headers(exc: exceptions.APIException) -> dict[str, str]:
    headers = {}
    auth_header = getattr(exc, "auth_header", None)
    if auth_header:
        headers["WWW-Authenticate"] = auth_header
    wait = getattr(exc, "wait", None)
    if wait:
        headers["Retry-After"] = str(int(wait))
    return headers


def _forbid_evaluation(queryset: models.QuerySet[Any]) -> None:
    """Let the queryset of a class raise where it would fetch and keep rows."""

    def refuse(*args: Any, **kwargs: Any) -> NoReturn:
        raise RuntimeError(EVALUATED_QUERYSET)

    queryset._fetch_all = refuse  # type: ignore[method-assign]


def _has_no_query(view: Any, request: Any) -> bool:
    return not request.query_params


def mark_view(view: Callable[..., Any], cls: type[APIView], initkwargs: dict[str, Any]) -> None:
    """Set what other code expects on a view function: its class, and that CSRF is our matter.

    Cookies are checked by SessionAuthentication, so Django's middleware must not check them for
    the other schemes; likewise permissions answer for LoginRequiredMiddleware.
    """
    view.cls = cls  # type: ignore[attr-defined]
    view.initkwargs = initkwargs  # type: ignore[attr-defined]
    view.csrf_exempt = True  # type: ignore[attr-defined]
    if DJANGO_VERSION >= (5, 1):
        view.login_required = False  # type: ignore[attr-defined]


def _head_by_get(reference: weakref.ref[Any], request: Request, *args: Any, **kwargs: Any) -> Any:
    """Answer HEAD by the handler for GET, without a hold of the view."""
    view: Any = reference()
    return view.get(request, *args, **kwargs)


@lru_cache(maxsize=512)
def _header(name: str, value: str) -> tuple[str, tuple[str, str]]:
    """The entry of Django's ResponseHeaders, checked and encoded as Django does it."""
    return ResponseHeaders({name: value})._store.popitem()


def _set_headers(response: HttpResponseBase, headers: dict[str, str]) -> None:
    """Set headers that are the same for most responses of a view."""
    if type(response) is not Response:
        for name, value in headers.items():
            response[name] = value
        return
    store = response.headers._store
    for name, value in headers.items():
        if type(value) is str:
            key, entry = _header(name, value)
            store[key] = entry
        else:
            response[name] = value


class APIView(View):
    """Base of all views of an API.

    Policies are read from the class attributes, which follow the settings until a class or
    ``as_view(...)`` sets its own. The ``get_*`` methods hand them out for each request.
    """

    renderer_classes: Any = SettingDefault("DEFAULT_RENDERER_CLASSES")
    parser_classes: Any = SettingDefault("DEFAULT_PARSER_CLASSES")
    authentication_classes: Any = SettingDefault("DEFAULT_AUTHENTICATION_CLASSES")
    throttle_classes: Any = SettingDefault("DEFAULT_THROTTLE_CLASSES")
    permission_classes: Any = SettingDefault("DEFAULT_PERMISSION_CLASSES")
    content_negotiation_class: Any = SettingDefault("DEFAULT_CONTENT_NEGOTIATION_CLASS")
    metadata_class: Any = SettingDefault("DEFAULT_METADATA_CLASS")
    versioning_class: Any = SettingDefault("DEFAULT_VERSIONING_CLASS")

    #: Whether query parameters that nothing of this view declares are refused with 400.
    strict_query_params: Any = SettingDefault("STRICT_QUERY_PARAMS")

    #: Query parameters that this view reads by itself.
    allowed_query_params: Any = ()

    #: Settings of this view; tests replace it to try others.
    settings: Any = api_settings
    schema: Any = DefaultSchema()

    request: Any
    headers: dict[str, str]
    format_kwarg: str | None
    _class_runs_async: bool
    #: Whether this request goes the short road: no hook before the handler is overridden.
    _is_usual = False
    _response: Any = None

    @classmethod
    def as_view(cls, **initkwargs: Any) -> Callable[..., Any]:
        """Make the function for the URL configuration; ``initkwargs`` set attributes."""
        if isinstance(getattr(cls, "queryset", None), models.QuerySet):
            _forbid_evaluation(cls.queryset)  # type: ignore[attr-defined]
        view = super().as_view(**initkwargs)
        mark_view(view, cls, initkwargs)
        return view

    @classproperty
    def view_is_async(cls) -> bool:
        """Whether requests to this class run on the event loop."""
        return handlers_are_async(cls, cls.http_method_names)

    @property
    def response(self) -> Any:
        """The answer of this view; its own, as long as anybody else keeps it."""
        held = self._response
        return held() if isinstance(held, weakref.ref) else held

    @response.setter
    def response(self, value: Any) -> None:
        self._response = value

    def setup(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        """Take the request; a view that answers GET answers HEAD as well.

        Django would keep a bound method on each view, which then waits for the garbage collector.
        """
        if hasattr(self, "get") and not hasattr(self, "head"):
            self.head = partial(_head_by_get, weakref.ref(self))
        self.request = request
        self.args = args
        self.kwargs = kwargs

    @property
    def allowed_methods(self) -> list[str]:
        """The HTTP methods that this view answers, in capitals."""
        return self._allowed_methods()  # type: ignore[attr-defined]

    @property
    def default_response_headers(self) -> dict[str, str]:
        """Headers of every response of this view."""
        headers = {"Allow": ", ".join(self.allowed_methods)}
        versioning = self.versioning_class
        vary = () if versioning is None else tuple(getattr(versioning, "vary_headers", ()))
        if len(self.renderer_classes) > 1 and "Accept" not in vary:
            vary = ("Accept", *vary)
        if vary:
            headers["Vary"] = ", ".join(vary)
        return headers

    # Answers that are errors

    def http_method_not_allowed(  # type: ignore[override]
        self, request: Request, *args: Any, **kwargs: Any
    ) -> Any:
        """Stand in for the handler of a method that the view does not have."""
        raise exceptions.MethodNotAllowed(str(request.method))

    def permission_denied(
        self, request: Request, message: Any = None, code: str | None = None
    ) -> NoReturn:
        """Refuse: ask for credentials where none were given and some could be."""
        if request.authenticators and not request.successful_authenticator:
            raise exceptions.NotAuthenticated()
        raise exceptions.PermissionDenied(detail=message, code=code)

    def throttled(self, request: Request, wait: float | None) -> NoReturn:
        """Refuse because of too many requests; ``wait`` is in seconds."""
        raise exceptions.Throttled(wait)

    # What is handed to requests, renderers and handlers

    def get_authenticate_header(self, request: Request) -> str | None:
        """Value of WWW-Authenticate, from the first authentication class alone."""
        authenticators = self.get_authenticators()
        return authenticators[0].authenticate_header(request) if authenticators else None

    def get_parser_context(self, http_request: HttpRequest) -> dict[str, Any]:
        """What parsers get to know."""
        return {
            "view": self,
            "args": getattr(self, "args", ()),
            "kwargs": getattr(self, "kwargs", {}),
        }

    def get_renderer_context(self) -> dict[str, Any]:
        """What renderers get to know."""
        return {
            "view": self,
            "args": getattr(self, "args", ()),
            "kwargs": getattr(self, "kwargs", {}),
            "request": getattr(self, "request", None),
        }

    def get_exception_handler_context(self) -> dict[str, Any]:
        """What the exception handler gets to know."""
        return {
            "view": self,
            "args": getattr(self, "args", ()),
            "kwargs": getattr(self, "kwargs", {}),
            "request": getattr(self, "request", None),
        }

    def get_view_name(self) -> str:
        """Title of this view, as in OPTIONS and in the browsable interface."""
        return self.settings.VIEW_NAME_FUNCTION(self)

    def get_view_description(self, html: bool = False) -> str:
        """Text about this view, as in OPTIONS and in the browsable interface."""
        return self.settings.VIEW_DESCRIPTION_FUNCTION(self, html)

    # Policies

    def get_format_suffix(self, **kwargs: Any) -> str | None:
        """The format that the path asks for (``.json``), if any."""
        if self.settings.FORMAT_SUFFIX_KWARG:
            return kwargs.get(self.settings.FORMAT_SUFFIX_KWARG)
        return None

    def get_renderers(self) -> list[Any]:
        """Renderers for this request, the preferred one first."""
        return [renderer() for renderer in self.renderer_classes]

    def get_parsers(self) -> list[Any]:
        """Parsers for the body of this request."""
        return [parser() for parser in self.parser_classes]

    def get_authenticators(self) -> list[Any]:
        """Authenticators for this request, in the order in which they are asked."""
        return [authenticator() for authenticator in self.authentication_classes]

    def get_permissions(self) -> list[Any]:
        """Permissions for this request; all have to agree."""
        return [permission() for permission in self.permission_classes]

    def get_throttles(self) -> list[Any]:
        """Throttles for this request; all have to agree."""
        return [throttle() for throttle in self.throttle_classes]

    def get_content_negotiator(self) -> Any:
        """The object that chooses renderer and parser; one for each view instance."""
        if not getattr(self, "_negotiator", None):
            self._negotiator = self.content_negotiation_class()
        return self._negotiator

    def get_exception_handler(self) -> Callable[[Exception, dict[str, Any]], Any]:
        """The function that turns exceptions into responses."""
        return self.settings.EXCEPTION_HANDLER

    def perform_content_negotiation(self, request: Request, force: bool = False) -> tuple[Any, str]:
        """The renderer for the response and its media type; with ``force`` it never fails."""
        renderers = self.get_renderers()
        negotiator = self.get_content_negotiator()
        try:
            return negotiator.select_renderer(request, renderers, self.format_kwarg)
        except Exception:
            if force:
                return renderers[0], renderers[0].media_type
            raise

    @in_steps("_authentication_steps")
    def perform_authentication(self, request: Request) -> None:
        """Find out who is asking. Raises AuthenticationFailed for wrong credentials."""
        request.user  # noqa: B018 - reading it authenticates

    @in_steps("_permission_steps")
    def check_permissions(self, request: Request) -> None:
        """Raises NotAuthenticated or PermissionDenied unless all permissions agree."""
        for permission in self.get_permissions():
            allowed = permission.has_permission(request, self)
            if allowed is not True and not complete(allowed):
                self._deny(request, permission)

    @in_steps("_object_permission_steps")
    def check_object_permissions(self, request: Request, obj: Any) -> None:
        """Raises NotAuthenticated or PermissionDenied unless all permissions agree on ``obj``."""
        for permission in self.get_permissions():
            allowed = permission.has_object_permission(request, self, obj)
            if allowed is not True and not complete(allowed):
                self._deny(request, permission)

    @in_steps("_throttle_steps")
    def check_throttles(self, request: Request) -> None:
        """Raises Throttled unless all throttles let the request pass; each one counts it."""
        waits = []
        for throttle in self.get_throttles():
            allowed = throttle.allow_request(request, self)
            if allowed is not True and not complete(allowed):
                waits.append(throttle.wait())
        if waits:
            self._refuse_waiting(request, waits)

    @prompt_when(_has_no_query)
    def check_query_params(self, request: Request) -> None:
        """Raises ValidationError for query parameters that nothing of this view declares."""
        if request.query_params:
            refuse_unknown(request.query_params, known_query_params(self))

    def determine_version(self, request: Request, *args: Any, **kwargs: Any) -> tuple[Any, Any]:
        """The version that the request asks for, and the scheme that found it."""
        if self.versioning_class is None:
            return None, None
        scheme = self.versioning_class()
        return scheme.determine_version(request, *args, **kwargs), scheme

    def _deny(self, request: Request, permission: Any) -> None:
        self.permission_denied(
            request,
            message=getattr(permission, "message", None),
            code=getattr(permission, "code", None),
        )

    def _refuse_waiting(self, request: Request, waits: list[float | None]) -> None:
        known = [wait for wait in waits if wait is not None]
        self.throttled(request, max(known, default=None))

    # The cycle of a request

    def initialize_request(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Request:
        """Wrap Django's request."""
        if self._is_usual and isinstance(request, HttpRequest):
            return Request.of_view(request, self)
        return Request(
            request,
            parsers=self.get_parsers(),
            authenticators=self.get_authenticators(),
            negotiator=self.get_content_negotiator(),
            parser_context=self._parser_context_of(request),
        )

    def _parser_context_of(self, request: HttpRequest) -> Any:
        """The context, or a way to make it that keeps no hold of this view."""
        if type(self).get_parser_context is not APIView.get_parser_context:
            return self.get_parser_context(request)
        return weakref.ref(self)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Everything that comes before the handler; raises to refuse the request."""
        self._negotiate(request, *args, **kwargs)
        self.perform_authentication(request)
        self.check_permissions(request)
        self.check_throttles(request)
        if self.strict_query_params:
            self.check_query_params(request)

    def _negotiate(self, request: Request, *args: Any, **kwargs: Any) -> None:
        self.format_kwarg = self.get_format_suffix(**kwargs)
        negotiated = self.perform_content_negotiation(request)
        request.accepted_renderer, request.accepted_media_type = negotiated
        determined = self.determine_version(request, *args, **kwargs)
        request.version, request.versioning_scheme = determined

    @prompt
    def finalize_response(
        self, request: Request, response: Any, *args: Any, **kwargs: Any
    ) -> HttpResponseBase:
        """Give the response what it needs to be rendered, and the headers of the view.

        Raises AssertionError when the handler returned something else than a response.
        """
        if not isinstance(response, HttpResponseBase):
            raise AssertionError(
                "Expected a `Response`, `HttpResponse` or `StreamingHttpResponse` to be returned "
                f"from the view, but received a `{type(response)}`"
            )
        if isinstance(response, Response):
            self._prepare_rendering(request, response)
        headers = self.headers
        if "Vary" in headers and "Vary" in response.headers:
            patch_vary_headers(response, split_header_value(headers.pop("Vary")))
        _set_headers(response, headers)
        return response

    def _prepare_rendering(self, request: Request, response: Response) -> None:
        if not getattr(request, "accepted_renderer", None):
            renderer, media_type = self.perform_content_negotiation(request, force=True)
            request.accepted_renderer, request.accepted_media_type = renderer, media_type
        response.accepted_renderer = request.accepted_renderer
        response.accepted_media_type = request.accepted_media_type
        response.renderer_context = self.get_renderer_context()

    def handle_exception(self, exc: Exception) -> Any:
        """The response for an exception; what no handler knows is raised again."""
        self._ask_for_credentials(exc)
        handle = self.get_exception_handler()
        response = complete(handle(exc, self.get_exception_handler_context()))
        return self._error_response(exc, response)

    def _ask_for_credentials(self, exc: Exception) -> None:
        """Decide between 401 and 403.

        401 must name a way to authenticate (RFC 9110, 15.5.2). Where the first scheme of the
        view has none to name, the status is 403.
        """
        if isinstance(exc, exceptions.NotAuthenticated | exceptions.AuthenticationFailed):
            header = self.get_authenticate_header(self.request)
            if header:
                exc.auth_header = header  # type: ignore[union-attr]
            else:
                exc.status_code = status.HTTP_403_FORBIDDEN

    def _error_response(self, exc: Exception, response: Any) -> Any:
        if response is None:
            self.raise_uncaught_exception(exc)
        response.exception = True
        return response

    def raise_uncaught_exception(self, exc: Exception) -> NoReturn:
        """Raise what no handler knows; Django answers with status 500."""
        if settings.DEBUG:
            request = self.request
            format_name = getattr(getattr(request, "accepted_renderer", None), "format", None)
            request.force_plaintext_errors(format_name not in HTML_FORMATS)
        raise exc

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """Answer one request; in an async view the answer is to be awaited."""
        if self._runs_async():
            return self.adispatch(request, *args, **kwargs)
        wrapped = self._begin(request, args, kwargs)
        try:
            if self._is_usual:
                pass_policies(self, wrapped)
            else:
                self.initial(wrapped, *args, **kwargs)
            handler = self._find_handler(wrapped)
            response = handler(wrapped, *args, **kwargs)
            if type(response) is not Response:
                response = complete(response)
        except Exception as exc:
            response = self.handle_exception(exc)
        response = self.finalize_response(wrapped, response, *args, **kwargs)
        # The response knows the view: two that keep each other wait for the garbage collector.
        self._response = weakref.ref(response)
        if type(request) is ASGIRequest and type(response) is Response:
            render_on_the_loop(response)
        return response

    def _runs_async(self) -> bool:
        cls = type(self)
        if "_class_runs_async" not in cls.__dict__:
            cls._class_runs_async = bool(cls.view_is_async)
        return cls._class_runs_async

    def _begin(self, request: HttpRequest, args: Any, kwargs: Any) -> Request:
        self._is_usual = is_usual(self)
        self.args = args
        self.kwargs = kwargs
        wrapped = self.initialize_request(request, *args, **kwargs)
        self.request = wrapped
        self.headers = self.default_response_headers
        return wrapped

    def _find_handler(self, request: Request) -> Callable[..., Any]:
        method = (request.method or "").lower()
        if method in self.http_method_names:
            return getattr(self, method, self.http_method_not_allowed)
        return self.http_method_not_allowed

    def options(self, request: Request, *args: Any, **kwargs: Any) -> Any:  # type: ignore[override]
        """Describe the view, by its metadata class."""
        if self.metadata_class is None:
            return self.http_method_not_allowed(request, *args, **kwargs)
        return Response(
            self.metadata_class().determine_metadata(request, self), status=status.HTTP_200_OK
        )

    # The same cycle on the event loop

    async def adispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """Answer one request of an async view."""
        wrapped = self._begin(request, args, kwargs)
        try:
            await run_hook(self, "initial", wrapped, *args, **kwargs)
            response = await run_callable(self._find_handler(wrapped), wrapped, *args, **kwargs)
        except Exception as exc:
            response = await run_hook(self, "handle_exception", exc)
        response = await run_hook(self, "finalize_response", wrapped, response, *args, **kwargs)
        self._response = weakref.ref(response)
        if isinstance(request, ASGIRequest) and isinstance(response, Response):
            render_on_the_loop(response)
        return response

    async def ainitial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """What :meth:`initial` does, with async hooks on the event loop."""
        self._negotiate(request, *args, **kwargs)
        await run_steps(self._initial_steps(request))

    @in_steps("_authentication_steps")
    async def aperform_authentication(self, request: Request) -> None:
        """What :meth:`perform_authentication` does, with async hooks on the event loop."""
        await run_steps(self._authentication_steps(request))

    @in_steps("_permission_steps")
    async def acheck_permissions(self, request: Request) -> None:
        """What :meth:`check_permissions` does, with async hooks on the event loop."""
        await run_steps(self._permission_steps(request))

    @in_steps("_object_permission_steps")
    async def acheck_object_permissions(self, request: Request, obj: Any) -> None:
        """What :meth:`check_object_permissions` does, with async hooks on the event loop."""
        await run_steps(self._object_permission_steps(request, obj))

    @in_steps("_throttle_steps")
    async def acheck_throttles(self, request: Request) -> None:
        """What :meth:`check_throttles` does, with async hooks on the event loop."""
        await run_steps(self._throttle_steps(request))

    async def ahandle_exception(self, exc: Exception) -> Any:
        """What :meth:`handle_exception` does, with an async exception handler awaited."""
        self._ask_for_credentials(exc)
        handle = self.get_exception_handler()
        response = await run_callable(handle, exc, self.get_exception_handler_context())
        return self._error_response(exc, response)

    def _initial_steps(self, request: Request) -> Steps[None]:
        yield from hook_steps(self, "perform_authentication", request)
        yield from hook_steps(self, "check_permissions", request)
        yield from hook_steps(self, "check_throttles", request)
        if self.strict_query_params:
            yield Step(self, "check_query_params", (request,))

    def _authentication_steps(self, request: Request) -> Steps[None]:
        yield from request._identity_steps()

    def _permission_steps(self, request: Request) -> Steps[None]:
        for permission in self.get_permissions():
            allowed = yield Step(permission, "has_permission", (request, self))
            if not allowed:
                self._deny(request, permission)

    def _object_permission_steps(self, request: Request, obj: Any) -> Steps[None]:
        for permission in self.get_permissions():
            allowed = yield Step(permission, "has_object_permission", (request, self, obj))
            if not allowed:
                self._deny(request, permission)

    def _throttle_steps(self, request: Request) -> Steps[None]:
        waits = []
        for throttle in self.get_throttles():
            allowed = yield Step(throttle, "allow_request", (request, self))
            if not allowed:
                waits.append((yield Step(throttle, "wait", ())))
        if waits:
            self._refuse_waiting(request, waits)


allow_short_road(APIView)
