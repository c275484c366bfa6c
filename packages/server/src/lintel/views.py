"""The base view of every API endpoint: policies around a handler for each HTTP method.

The order is fixed: content negotiation, versioning, authentication, permissions, throttling, then
the handler. The exception handler turns exceptions raised anywhere in it into responses.

A view is *async* if one of its handlers, or a policy class that it names itself, has an
``async def`` hook. Such a view runs on the event loop; its blocking hooks are grouped into as few
switches to a thread as their order allows. None of this affects other views.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Coroutine
from functools import update_wrapper
from inspect import iscoroutine
from typing import Any, NoReturn

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db import connections, models
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.utils.cache import patch_vary_headers
from django.utils.encoding import smart_str
from django.utils.functional import classproperty
from django.utils.safestring import SafeString
from django.views.decorators.csrf import csrf_exempt as csrf_exempt
from django.views.generic import View

from lintel import exceptions, status
from lintel.compat import split_header_value
from lintel.compatible import keeps
from lintel.cycle.loop import handlers_are_async
from lintel.cycle.policies import (
    HeadByGet,
    answer,
    answer_head,
    answer_on_the_loop,
    authentication_steps,
    exception_steps,
    initial_steps,
    object_permission_steps,
    permission_steps,
    throttle_steps,
)
from lintel.cycle.steps import on_the_loop
from lintel.inspectors import DefaultSchema
from lintel.marks import prompt, prompt_when
from lintel.other_framework import CALL_ENABLE, OTHER_DISTRIBUTION, extends_other
from lintel.problems.answers import put_problem
from lintel.query_parameters import known_query_params, refuse_unknown
from lintel.querying import ANSWERED_BY, QUERY, accepted_types, announce_address, read_parameters
from lintel.reports import REPORT, report
from lintel.request import Request
from lintel.response import Response
from lintel.retirement import AddedLink
from lintel.settings import ALL, DRF, SettingDefault, api_settings
from lintel.throttling.rates import is_made_promptly
from lintel.utils import formatting

EVALUATED_QUERYSET = (
    "Do not evaluate the `.queryset` attribute directly, as the result will be cached and reused "
    "between requests. Use `.all()` or call `.get_queryset()` instead."
)

_NO_REQUEST = (
    "{0} instance has no 'request' attribute. Did you override setup() and forget to call super()?"
)

#: Renderer formats that show an error page as HTML if DEBUG is on.
HTML_FORMATS = ("html", "api", "admin")


def get_view_name(view: APIView) -> str:
    """The default VIEW_NAME_FUNCTION: ``name``, or the class in words, with the ``suffix``."""
    name = getattr(view, "name", None)
    if name is not None:
        return name
    name = formatting.name_of_class(type(view))
    suffix = getattr(view, "suffix", None)
    return f"{name} {suffix}" if suffix else name


def get_view_description(view: APIView, html: bool = False) -> str | SafeString:
    """The default VIEW_DESCRIPTION_FUNCTION: ``description``, or the docstring of the class.

    With ``html`` the text is rendered as Markdown, if that library is installed.
    """
    description = getattr(view, "description", None)
    if description is None:
        description = type(view).__doc__ or ""
    description = formatting.dedent(smart_str(description))
    return formatting.markup_description(description) if html else description


def set_rollback() -> None:
    """Mark the transaction of this request for rollback, on every database that has one."""
    # Without ATOMIC_REQUESTS the project has opened it, and decides how it ends.
    for connection in connections.all(initialized_only=True):
        if connection.settings_dict["ATOMIC_REQUESTS"] and connection.in_atomic_block:
            connection.set_rollback(True)


@prompt
def exception_handler(exc: Exception, context: dict[str, Any]) -> Response | None:
    """The default EXCEPTION_HANDLER: knows an APIException, and Django's 404 and permission errors.

    None for any other exception, which the view raises again; with SERVICE_ERRORS, 503 for those
    that mean that a database or a cache is away, and 403 for rows that PostgreSQL's rules refuse.
    """
    if isinstance(exc, Http404):
        exc = exceptions.NotFound(*_words_of(exc))
    elif isinstance(exc, PermissionDenied):
        exc = exceptions.PermissionDenied(*_words_of(exc))
    if not isinstance(exc, exceptions.APIException):
        answered = exceptions.service_error(exc)
        if answered is None:
            return None
        exc = answered
    is_structured = isinstance(exc.detail, list | dict)
    data = exc.detail if is_structured else {"detail": exc.detail}
    set_rollback()
    response = Response(data, status=exc.status_code, headers=_error_headers(exc))
    if api_settings.ERROR_FORMAT != DRF:
        put_problem(response, exc, context)
    return response


def _words_of(error: Exception) -> tuple[Any, ...]:
    return () if keeps("messages-of-django") else error.args


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
    """Make the queryset of a class raise if it would fetch and cache rows."""

    def refuse(*args: Any, **kwargs: Any) -> NoReturn:
        raise RuntimeError(EVALUATED_QUERYSET)

    queryset._fetch_all = refuse  # type: ignore[method-assign]


def mark_view(view: Callable[..., Any], cls: type[APIView], initkwargs: dict[str, Any]) -> None:
    """Set what other code expects on a view function: its class, and CSRF exemption.

    SessionAuthentication checks cookies, so Django's middleware must not check them for
    the other schemes; likewise permissions take the place of LoginRequiredMiddleware.
    """
    view.cls = cls  # type: ignore[attr-defined]
    view.initkwargs = initkwargs  # type: ignore[attr-defined]
    view.csrf_exempt = True  # type: ignore[attr-defined]
    view.login_required = False  # type: ignore[attr-defined]


def _advice(value: object) -> str:
    if not iscoroutine(value):
        return ""
    value.close()
    return ": the handler returned a coroutine that nobody awaited. Write `return await ...`"


def _set_headers(response: HttpResponseBase, headers: dict[str, Any]) -> None:
    for name, value in headers.items():
        if type(value) is AddedLink and name in response.headers:
            value = f"{response[name]}, {value}"
        # Servers that follow PEP 3333 to the letter (wsgiref) reject subclasses of str.
        response[name] = str(value) if isinstance(value, str) else value


class APIView(View):
    """Base of all views of an API.

    Policies are read from the class attributes, which follow the settings until a class or
    ``as_view(...)`` sets its own. The ``get_*`` methods return them for each request.
    """

    renderer_classes: Any = SettingDefault("DEFAULT_RENDERER_CLASSES")
    parser_classes: Any = SettingDefault("DEFAULT_PARSER_CLASSES")
    authentication_classes: Any = SettingDefault("DEFAULT_AUTHENTICATION_CLASSES")
    throttle_classes: Any = SettingDefault("DEFAULT_THROTTLE_CLASSES")
    #: How many times a request counts.
    throttle_cost: int = 1
    permission_classes: Any = SettingDefault("DEFAULT_PERMISSION_CLASSES")
    content_negotiation_class: Any = SettingDefault("DEFAULT_CONTENT_NEGOTIATION_CLASS")
    metadata_class: Any = SettingDefault("DEFAULT_METADATA_CLASS")
    versioning_class: Any = SettingDefault("DEFAULT_VERSIONING_CLASS")

    #: Whether query parameters that no part of this view declares are rejected with 400;
    #: "report" logs their names instead.
    strict_query_params: Any = SettingDefault("STRICT_QUERY_PARAMS")

    #: Query parameters that this view itself reads.
    allowed_query_params: Any = ()

    #: When this view is or was deprecated: a date, a datetime, True, or a
    #: :class:`lintel.retirement.Deprecation` with more details. Anything else is ignored.
    deprecated: Any = None

    #: When a deprecated view is expected to be removed: a date or a datetime.
    sunset: Any = None

    #: Settings of this view; tests replace it to try others.
    settings: Any = api_settings

    #: The name of the method that answers QUERY (RFC 10008); ``"get"`` has its parameters in the
    #: body. None: none does.
    query_handler: str | None = None

    schema: Any = DefaultSchema()

    request: Any
    headers: dict[str, str]
    format_kwarg: str | None
    _lintel_response: Any = None

    #: Whether the caller awaits the response, as ``as_view()`` told Django; None if it did not run.
    _lintel_is_async: bool | None = None

    @classmethod
    def as_view(cls, **initkwargs: Any) -> Callable[..., Any]:
        """Return the function for the URL configuration; ``initkwargs`` set attributes."""
        if isinstance(getattr(cls, "queryset", None), models.QuerySet):
            _forbid_evaluation(cls.queryset)  # type: ignore[attr-defined]
        is_async = bool(cls.view_is_async)

        def view(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
            instance: Any = cls(**initkwargs)
            instance._lintel_is_async = is_async
            instance.setup(request, *args, **kwargs)
            if not hasattr(instance, "request"):
                raise AttributeError(_NO_REQUEST.format(cls.__name__))
            return instance.dispatch(request, *args, **kwargs)

        # Django checks the keywords, and sets what its own tools expect on a view.
        update_wrapper(view, super().as_view(**initkwargs))
        del view.__wrapped__  # type: ignore[attr-defined]
        mark_view(view, cls, initkwargs)
        return view

    @classproperty
    def view_is_async(cls) -> bool:
        handlers = [] if cls.query_handler is None else [cls.query_handler]
        return handlers_are_async(cls, [*cls.http_method_names, *handlers])

    @property
    def response(self) -> Any:
        """Return this view's response; after closing, only while other code keeps it."""
        held = self._lintel_response
        return held() if type(held) is weakref.ref else held

    @response.setter
    def response(self, value: Any) -> None:
        self._lintel_response = value

    def setup(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        """Do what Django does, but keep no bound method on the view, garbage for the collector."""
        if hasattr(self, "get") and not hasattr(self, "head"):
            self.head: Any = HeadByGet(answer_head, weakref.ref(self))
        self.request = request
        self.args = args
        self.kwargs = kwargs

    @property
    def allowed_methods(self) -> list[str]:
        methods: list[str] = self._allowed_methods()  # type: ignore[attr-defined]
        actions = getattr(self, "action_map", None)
        handler = self.query_handler if actions is None else actions.get("query")
        return [*methods, QUERY] if handler and QUERY not in methods else methods

    @property
    def default_response_headers(self) -> dict[str, str]:
        allowed = self.allowed_methods
        headers = {"Allow": ", ".join(allowed)}
        if QUERY in allowed:
            headers["Accept-Query"] = accepted_types(self)
        versioning = self.versioning_class
        vary = () if versioning is None else tuple(getattr(versioning, "vary_headers", ()))
        if len(self.renderer_classes) > 1 and "Accept" not in vary:
            vary = ("Accept", *vary)
        if vary:
            headers["Vary"] = ", ".join(vary)
        return headers

    # Error responses

    def http_method_not_allowed(  # type: ignore[override]
        self, request: Request, *args: Any, **kwargs: Any
    ) -> Any:
        """Raise MethodNotAllowed; called in place of a missing handler."""
        raise exceptions.MethodNotAllowed(str(request.method))

    def permission_denied(
        self, request: Request, message: Any = None, code: str | None = None
    ) -> NoReturn:
        """Refuse: request credentials if none were given and the view accepts some."""
        if request.authenticators and not request.successful_authenticator:
            raise exceptions.NotAuthenticated()
        raise exceptions.PermissionDenied(detail=message, code=code)

    def throttled(self, request: Request, wait: float | None) -> NoReturn:
        """Refuse because of too many requests; ``wait`` is in seconds."""
        raise exceptions.Throttled(wait)

    # Context of requests, renderers and handlers

    def get_authenticate_header(self, request: Request) -> str | None:
        """Return the value of WWW-Authenticate: of the first authentication class, or of all.

        The setting CHALLENGES decides; with "all", their challenges are a list (RFC 9110, 11.6.1).
        """
        authenticators = self.get_authenticators()
        if api_settings.CHALLENGES != ALL:
            authenticators = authenticators[:1]
        headers = [authenticator.authenticate_header(request) for authenticator in authenticators]
        return ", ".join(dict.fromkeys(filter(None, headers))) or None

    def get_parser_context(self, http_request: HttpRequest) -> dict[str, Any]:
        return {
            "view": self,
            "args": getattr(self, "args", ()),
            "kwargs": getattr(self, "kwargs", {}),
        }

    def get_renderer_context(self) -> dict[str, Any]:
        return {
            "view": self,
            "args": getattr(self, "args", ()),
            "kwargs": getattr(self, "kwargs", {}),
            "request": getattr(self, "request", None),
        }

    get_exception_handler_context = get_renderer_context

    def get_view_name(self) -> str:
        return self.settings.VIEW_NAME_FUNCTION(self)

    def get_view_description(self, html: bool = False) -> str:
        return self.settings.VIEW_DESCRIPTION_FUNCTION(self, html)

    # Policies

    def get_format_suffix(self, **kwargs: Any) -> str | None:
        """Return the format that the path asks for (``.json``), if any."""
        if self.settings.FORMAT_SUFFIX_KWARG:
            return kwargs.get(self.settings.FORMAT_SUFFIX_KWARG)
        return None

    def get_renderers(self) -> list[Any]:
        return [renderer_class() for renderer_class in self.renderer_classes]

    def get_parsers(self) -> list[Any]:
        return [parser_class() for parser_class in self.parser_classes]

    def get_authenticators(self) -> list[Any]:
        return [authenticator_class() for authenticator_class in self.authentication_classes]

    def get_permissions(self) -> list[Any]:
        return [permission_class() for permission_class in self.permission_classes]

    @prompt_when(lambda view: all(map(is_made_promptly, view.throttle_classes)))
    def get_throttles(self) -> list[Any]:
        return [throttle_class() for throttle_class in self.throttle_classes]

    def get_content_negotiator(self) -> Any:
        """Return the object that selects renderer and parser; one per view instance."""
        negotiator = getattr(self, "_negotiator", None)
        if not negotiator:
            negotiator = self._negotiator = self.content_negotiation_class()
        return negotiator

    def get_exception_handler(self) -> Callable[[Exception, dict[str, Any]], Any]:
        return self.settings.EXCEPTION_HANDLER

    def perform_content_negotiation(self, request: Request, force: bool = False) -> tuple[Any, str]:
        """Return the renderer for the response and its media type; with ``force`` in any case."""
        renderers = self.get_renderers()
        negotiator = self.get_content_negotiator()
        try:
            return negotiator.select_renderer(request, renderers, self.format_kwarg)
        except Exception:
            if force:
                return renderers[0], renderers[0].media_type
            raise

    def perform_authentication(self, request: Request) -> None:
        """Authenticate the request. Raises AuthenticationFailed for invalid credentials."""
        request.user  # noqa: B018 - reading it authenticates

    def check_permissions(self, request: Request) -> None:
        """Raise NotAuthenticated or PermissionDenied unless all permissions agree."""
        permission_steps.run(self, request)

    def check_object_permissions(self, request: Request, obj: Any) -> None:
        """Raise NotAuthenticated or PermissionDenied unless all permissions agree on ``obj``."""
        object_permission_steps.run(self, request, obj)

    def check_throttles(self, request: Request) -> None:
        """Raise Throttled unless all throttles allow the request; each one counts it."""
        throttle_steps.run(self, request)

    def read_query(self, request: Request) -> None:
        """Read the body of QUERY: the parameters of GET, if its handler answers.

        Raises UnsupportedMediaType, ParseError or ValidationError.
        """
        read_parameters(self, request)

    @prompt_when(lambda view, request: not request.query_params)
    def check_query_params(self, request: Request) -> None:
        """Raise ValidationError for query parameters that no part of this view declares.

        With ``strict_query_params = "report"``, log their names instead.
        """
        if not request.query_params:
            return
        names = known_query_params(self)
        if self.strict_query_params == REPORT:
            unknown = [name for name in request.query_params if name not in names]
            report("query parameters", self, unknown)
        else:
            refuse_unknown(request.query_params, names)

    def determine_version(self, request: Request, *args: Any, **kwargs: Any) -> tuple[Any, Any]:
        """The requested version, and the scheme that determined it."""
        if self.versioning_class is None:
            return None, None
        scheme = self.versioning_class()
        return scheme.determine_version(request, *args, **kwargs), scheme

    # The cycle of a request, whose order is defined in lintel.cycle.policies

    def initialize_request(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Request:
        return Request(
            request,
            parser_context=self.get_parser_context(request),
            parsers=self.get_parsers(),
            authenticators=self.get_authenticators(),
            negotiator=self.get_content_negotiator(),
        )

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Run everything before the handler; raise to reject the request."""
        initial_steps.run(self, request, *args, **kwargs)

    @prompt
    def finalize_response(
        self, request: Request, response: Any, *args: Any, **kwargs: Any
    ) -> HttpResponseBase:
        """Prepare the response. Raises AssertionError for anything else that a handler returns."""
        if not isinstance(response, HttpResponseBase):
            raise AssertionError(
                "Expected a `Response`, `HttpResponse` or `StreamingHttpResponse` to be returned "
                f"from the view, but received a `{type(response)}`{_advice(response)}"
            )
        if isinstance(response, Response):
            if not getattr(request, "accepted_renderer", None):
                renderer, media_type = self.perform_content_negotiation(request, force=True)
                request.accepted_renderer, request.accepted_media_type = renderer, media_type
            response.accepted_renderer = request.accepted_renderer
            response.accepted_media_type = request.accepted_media_type
            response.renderer_context = self.get_renderer_context()
        if ANSWERED_BY in self.__dict__:
            announce_address(self, request, response)
        headers = self.headers
        if "Vary" in headers and "Vary" in response.headers:
            patch_vary_headers(response, split_header_value(headers.pop("Vary")))
        _set_headers(response, headers)
        return response

    def handle_exception(self, exc: Exception) -> Any:
        """Return the response for an exception; raise it again if no handler knows it."""
        return exception_steps.run(self, exc)

    def raise_uncaught_exception(self, exc: Exception) -> NoReturn:
        """Raise an exception that no handler knows; Django then returns status 500."""
        if settings.DEBUG:
            request = self.request
            format_name = getattr(getattr(request, "accepted_renderer", None), "format", None)
            request.force_plaintext_errors(format_name not in HTML_FORMATS)
        if extends_other(type(exc)):
            exc.add_note(f"{OTHER_DISTRIBUTION} itself raised this. {CALL_ENABLE}")
        raise exc

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """Handle one request; the result of an async view must be awaited."""
        # The caller awaits the result or not, as as_view() told Django.
        told = self._lintel_is_async
        if type(self).view_is_async if told is None else told:
            return self.adispatch(request, *args, **kwargs)
        return answer(self, request, args, kwargs)

    def options(self, request: Request, *args: Any, **kwargs: Any) -> Any:  # type: ignore[override]
        """Describe the view with its metadata class."""
        if self.metadata_class is None:
            return self.http_method_not_allowed(request, *args, **kwargs)
        return Response(
            self.metadata_class().determine_metadata(request, self), status=status.HTTP_200_OK
        )

    # The same on the event loop. None of these is a coroutine function: packages treat a class that
    # has one as an async view.

    def adispatch(
        self, request: HttpRequest, *args: Any, **kwargs: Any
    ) -> Coroutine[Any, Any, Any]:
        return answer_on_the_loop(self, request, args, kwargs)

    ainitial = on_the_loop(initial_steps, initial)
    aperform_authentication = on_the_loop(authentication_steps, perform_authentication)
    acheck_permissions = on_the_loop(permission_steps, check_permissions)
    acheck_object_permissions = on_the_loop(object_permission_steps, check_object_permissions)
    acheck_throttles = on_the_loop(throttle_steps, check_throttles)
    ahandle_exception = on_the_loop(exception_steps, handle_exception)
